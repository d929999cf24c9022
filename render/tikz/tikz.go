// Package tikz draws plans as LaTeX documents with TikZ, for papers: time from left to right, offset from bottom to
// top, and a rectangle for each buffer. The capacity, the height and the load are labelled lines.
//
// A document is complete (class standalone) and compiles with pdflatex, lualatex and xelatex. You can copy its
// tikzpicture into another document, together with the definitions before it. The same input gives the same bytes.
package tikz

import (
	"image/color"
	"io"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Options say what to draw. Width and Height are in PostScript points of 1/72 inch,
// from 120 to 16000; the default is 480 x 300, the width of a page.
type Options = render.Options

// writer keeps a document within what pdflatex compiles in a few seconds and in
// its default memory. TeX has no lengths of 16384 pt or more.
var writer = layout.Writer{Draw: draw, Medium: layout.Medium{
	Name:  "tikz",
	Width: 480, Height: 300, MinSide: 120, MaxSide: 16000,
	Font: 6.5, Smallest: 4, TextScale: 0.85,
	Singles: 1500, Bare: 5000, Runs: 8000,
}}

// Write draws the same picture of a plan as svg.Write, and has the same errors.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return writer.Plan(w, p, offsets, o)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error { return writer.Profile(w, p, o) }

// preamble is all that does not change from picture to picture. The macros keep a rectangle or a text on a short line:
//
//	\swbox{style}{x0}{y0}{x1}{y1}            a rectangle
//	\swline{style}{x0}{y0}{x1}{y1}            a line
//	\swtext{style}{anchor}{size}{x}{y}{text}  a text on its baseline
//	\swup{style}{anchor}{size}{x}{y}{text}  the same, reading upwards
const preamble = `\documentclass[border=0pt]{standalone}
\ifdefined\Umathchar\else
  \usepackage[T1]{fontenc}
  \usepackage{lmodern}
\fi
\usepackage{textcomp}
\usepackage{tikz}
% A character beyond ASCII: itself where the font has it, else its code.
\ifdefined\Umathchar
  \newcommand\stowagechar[1]{\iffontchar\font"#1 \char"#1\else U+#1\fi}
\else
  \newcommand\stowagechar[1]{U+#1}
\fi
\newcommand\swbox[5]{\path[#1] (#2,#3) rectangle (#4,#5);}
\newcommand\swline[5]{\path[#1] (#2,#3) -- (#4,#5);}
\newcommand\swtext[6]{\node[text #1,inner sep=0pt,outer sep=0pt,anchor=#2] at (#4,#5) {\fontsize{#3}{#3}\selectfont #6};}
\newcommand\swup[6]{\node[text #1,inner sep=0pt,outer sep=0pt,anchor=#2,rotate=90] at (#4,#5) {\fontsize{#3}{#3}\selectfont #6};}
`

// scale is how long a stroke of one pixel is in points.
const scale = 0.5

// canvas gathers the commands of a picture.
type canvas struct {
	layout.Printer
	definitions layout.Printer
	paths       layout.Styles
	letters     layout.Styles // s0 of \swtext is the style "text s0"
	colours     map[string]bool
}

func draw(w io.Writer, f *layout.Figure) error {
	c := &canvas{colours: map[string]bool{}}
	c.paths.Define, c.letters.Define = c.path, c.letter
	f.Draw(c, scale)
	var head layout.Printer
	head.S("% ", f.Description, "\n", preamble, c.definitions.String())
	// Page units are points, y downwards.
	head.S("\\begin{document}\n\\begin{tikzpicture}[x=1bp,y=-1bp,font=\\sffamily]\n")
	head.S("\\useasboundingbox (0,0) rectangle (").N(f.Width).S(",").N(f.Height).S(");\n")
	c.S("\\end{tikzpicture}\n\\end{document}\n")
	_, err := w.Write(append(head.Bytes(), c.Bytes()...))
	return err
}

// define writes a style.
func (c *canvas) define(name string, settings *layout.Printer) {
	c.definitions.S("\\tikzset{", name, "/.style={", settings.String(), "}}\n")
}

// colour returns the name of a colour, which it defines first.
func (c *canvas) colour(v color.NRGBA) string {
	name := layout.Hex(v)
	if !c.colours[name] {
		c.colours[name] = true
		c.definitions.S("\\definecolor{sw", name, "}{HTML}{", strings.ToUpper(name), "}\n")
	}
	return "sw" + name
}

// path defines the style of what is not text. TikZ fills and strokes a path if its style says how.
func (c *canvas) path(name string, i layout.Ink) {
	var s layout.Printer
	if i.Fill.A > 0 {
		s.S("fill=", c.colour(i.Fill), ",")
		if i.Fill.A < 255 {
			s.S("fill opacity=").N(float64(i.Fill.A) / 255).S(",")
		}
	}
	if i.Stroked() {
		s.S("draw=", c.colour(i.Stroke), ",line width=").N(i.Width).S("pt,")
		for k, v := range i.Dashes() {
			s.S([...]string{"dash pattern=", ""}[min(k, 1)], [...]string{"on ", "off "}[k%2]).N(v).S("pt ")
		}
	}
	c.define(name, &s)
}

func (c *canvas) letter(name string, i layout.Ink) {
	var s layout.Printer
	s.S("text=", c.colour(i.Fill))
	if i.Fill.A < 255 {
		s.S(",text opacity=").N(float64(i.Fill.A) / 255)
	}
	if i.Bold {
		s.S(",font=\\sffamily\\bfseries")
	}
	c.define("text "+name, &s)
}

// Thing has the tip as a comment.
func (c *canvas) Thing(tip string, draw func()) {
	if tip != "" {
		c.S("% ", tip, "\n")
	}
	draw()
}

// args writes four lengths as the last arguments of a macro.
func (c *canvas) args(r layout.Rect) {
	c.S("{").N(r.X0).S("}{").N(r.Y0).S("}{").N(r.X1).S("}{").N(r.Y1).S("}\n")
}

// perPath bounds the rectangles of one path, which TeX holds in memory whole.
const perPath = 100

func (c *canvas) Rects(rects []layout.Rect, i layout.Ink) {
	if len(rects) == 1 {
		c.S("\\swbox{", c.paths.Of(i), "}")
		c.args(rects[0])
		return
	}
	for part := range slices.Chunk(rects, perPath) {
		c.S("\\path[", c.paths.Of(i), "]")
		for _, r := range part {
			c.S("\n(").N(r.X0).S(",").N(r.Y0).S(") rectangle (").N(r.X1).S(",").N(r.Y1).S(")")
		}
		c.S(";\n")
	}
}

func (c *canvas) Line(r layout.Rect, i layout.Ink) {
	c.S("\\swline{", c.paths.Of(i), "}")
	c.args(r)
}

func (c *canvas) Polygon(points []layout.Point, i layout.Ink) {
	c.S("\\path[", c.paths.Of(i), ",line join=round]")
	for _, p := range points {
		c.S("\n(").N(p.X).S(",").N(p.Y).S(") --")
	}
	c.S(" cycle;\n")
}

func (c *canvas) Text(t *layout.Text, i layout.Ink) {
	macro := "\\swtext{"
	if t.Upright {
		macro = "\\swup{"
	}
	anchor := [...]string{layout.Start: "base west", layout.Middle: "base", layout.End: "base east"}[t.Anchor]
	c.S(macro, c.letters.Of(i), "}{", anchor, "}{").N(t.Size)
	c.S("}{").N(t.X).S("}{").N(t.Y).S("}{", escape(t.Text), "}\n")
}

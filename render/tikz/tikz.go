// Package tikz draws plans as LaTeX documents with TikZ, for papers: time from left to
// right, offset from bottom to top, and a rectangle for each buffer. The capacity, the
// height and the load are labelled lines.
//
// A document is complete (class standalone) and compiles with pdflatex, lualatex and
// xelatex. You can copy its tikzpicture into another document, together with the
// definitions before it. The same input gives the same bytes.
package tikz

import (
	"io"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/internal/layout"
)

// Options say what to draw. Width and Height are in PostScript points of 1/72 inch,
// from 120 to 16000; the default is 480 x 300, the width of a page.
type Options = render.Options

// writer keeps a document within what pdflatex compiles in a few seconds and in
// its default memory. TeX has no lengths of 16384 pt or more.
var writer = layout.Writer{Draw: layout.Printed(draw), Medium: layout.Medium{
	Name:  "tikz",
	Width: 480, Height: 300, MinSide: 120, MaxSide: 16000,
	Font: 6.5, Smallest: 4, TextScale: 0.85,
	Singles: 1500, Bare: 5000, Runs: 8000,
}}

// Write draws the same picture of a plan as svg.Write, and has the same errors.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return writer.Plan(w, p, offsets, o)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors
// are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error { return writer.Profile(w, p, o) }

// preamble is all that does not change from picture to picture. The macros keep
// a rectangle or a text on a short line:
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
\newcommand\swbox[5]{\path[b,#1] (#2,#3) rectangle (#4,#5);}
\newcommand\swline[5]{\draw[#1] (#2,#3) -- (#4,#5);}
\newcommand\swtext[6]{\node[#1,inner sep=0pt,outer sep=0pt,anchor=#2] at (#4,#5) {\fontsize{#3}{#3}\selectfont #6};}
\newcommand\swup[6]{\node[#1,inner sep=0pt,outer sep=0pt,anchor=#2,rotate=90] at (#4,#5) {\fontsize{#3}{#3}\selectfont #6};}
\tikzset{
  b/.style={fill=black!13,draw=black!50,line width=0.4pt,line join=miter},
  thin stroke/.style={line width=0.15pt},
  no stroke/.style={draw=none},
  fixed/.style={draw=black!90,line width=0.9pt},
  part/.style={fill opacity=0.45,dash pattern=on 1.5pt off 1pt},
  faint/.style={fill opacity=0.4},
  broken/.style={draw=red!80!black,line width=0.9pt},
  conflict/.style={fill=red!55!orange!50,draw=red!50!black,line width=0.9pt},
  clash/.style={fill=red!80!black,fill opacity=0.55,draw=red!50!black,line width=0.6pt},
  over/.style={fill=red!80!black,fill opacity=0.1,draw=none},
  area/.style={fill=cyan!50!blue!35,draw=blue!50!cyan!60!black,line width=0.5pt,line join=round},
  area over/.style={fill=red!75!black!40,draw=red!70!black,line width=0.4pt,line join=round},
  grid/.style={draw=black!11,line width=0.4pt},
  frame/.style={draw=black!75,line width=0.5pt},
  leader/.style={draw=black!50,line width=0.4pt},
  lc/.style={draw=red!80!black,line width=1.1pt},
  lh/.style={draw=black,line width=0.7pt},
  lb/.style={draw=violet!90!black,line width=0.9pt,dash pattern=on 4.5pt off 1.5pt on 1pt off 1.5pt},
  ll/.style={draw=blue!55!cyan,line width=0.9pt,dash pattern=on 3pt off 2pt},
  lt/.style={draw=green!50!black,line width=0.8pt},
  la/.style={draw=black!53,line width=0.5pt,dash pattern=on 1pt off 1pt},
  lp/.style={draw=red!80!black,line width=0.8pt,dash pattern=on 2.5pt off 1pt},
  title/.style={font=\sffamily\bfseries},
  alarm/.style={text=red!70!black,font=\sffamily\bfseries},
  plain/.style={text=black!80},
  quiet/.style={text=black!65},
  sub/.style={text=black!75},
  capacity/.style={text=red!70!black,font=\sffamily\bfseries},
  height/.style={font=\sffamily\bfseries},
  bound/.style={text=violet!90!black,font=\sffamily\bfseries},
  load/.style={text=blue!50!cyan!65!black,font=\sffamily\bfseries},
}
`

var lineStyle = [...]string{
	layout.GridLine: "grid", layout.AxisLine: "frame", layout.LeaderLine: "leader",
	layout.CapacityLine: "lc", layout.HeightLine: "lh", layout.BoundLine: "lb", layout.LoadLine: "ll",
	layout.TogetherLine: "lt", layout.ApartLine: "la", layout.PenaltyLine: "lp",
}

var textStyle = [...]string{
	layout.Title: "title", layout.Fact: "quiet", layout.Alarm: "alarm", layout.Tick: "plain", layout.Axis: "quiet",
	layout.Note:  "quiet",
	layout.Label: "", layout.SubLabel: "sub", layout.Value: "plain",
	layout.CapacityText: "capacity", layout.HeightText: "height", layout.BoundText: "bound", layout.LoadText: "load",
}

var (
	strokeStyle = [...]string{layout.NoStroke: ",no stroke", layout.ThinStroke: ",thin stroke", layout.FullStroke: ""}
	anchors     = [...]string{layout.Start: "base west", layout.Middle: "base", layout.End: "base east"}
)

// draw writes a figure.
func draw(to *layout.Printer, f *layout.Figure) {
	p := pen{to}
	p.S("% ").S(f.Description).S("\n").S(preamble)
	for i, c := range layout.Palette {
		n := strconv.Itoa(i)
		p.S("\\definecolor{fill").S(n).S("}{HTML}{").S(c.Fill).S("}\\definecolor{edge").S(n).S("}{HTML}{").S(c.Edge).S("}\n")
		p.S("\\tikzset{c").S(n).S("/.style={fill=fill").S(n).S(",draw=edge").S(n).S("}}\n")
	}
	// Page units are points, y downwards.
	p.S("\\begin{document}\n\\begin{tikzpicture}[x=1bp,y=-1bp,font=\\sffamily]\n")
	p.S("\\useasboundingbox (0,0) rectangle (").N(f.Width).S(",").N(f.Height).S(");\n")

	f.Draw(p)
	p.S("\\end{tikzpicture}\n\\end{document}\n")
}

// A pen spells the parts of a figure in TikZ.
type pen struct{ *layout.Printer }

func (p pen) Band(r layout.Rect) { p.rect(r, "over") }

func (p pen) Clash(r layout.Rect) { p.rect(r, "clash") }

// args writes four lengths as the last arguments of a macro.
func (p pen) args(r layout.Rect) {
	p.S("{").N(r.X0).S("}{").N(r.Y0).S("}{").N(r.X1).S("}{").N(r.Y1).S("}\n")
}

func (p pen) rect(r layout.Rect, style string) {
	p.S("\\swbox{").S(style).S("}")
	p.args(r)
}

func (p pen) Line(l layout.Line) {
	p.S("\\swline{").S(lineStyle[l.Style]).S("}")
	p.args(l.Rect)
}

// Shape writes a buffer, with its figures as a comment.
func (p pen) Shape(s *layout.Shape) {
	style := "c" + strconv.Itoa(s.Colour)
	switch {
	case s.Group:
	case s.Tip == "":
		style = "b" // a swatch shows the form and not a colour
	default:
		p.S("% ").S(s.Tip).S("\n")
	}
	if style += strokeStyle[s.Stroke]; s.Fixed {
		style += ",fixed"
	}
	switch {
	case s.Conflict:
		style += ",conflict"
	case s.Broken:
		style += ",broken"
	}
	for _, r := range s.Rects {
		p.rect(r, style)
	}
	for _, r := range s.Parts {
		p.rect(r, style+",part")
	}
}

// perPath bounds the rectangles of one path, which TeX holds in memory whole.
const perPath = 100

// Fill writes rectangles of one colour as a few paths.
func (p pen) Fill(f layout.Fill) {
	style := "c" + strconv.Itoa(f.Colour) + ",no stroke"
	if f.Faint {
		style += ",faint"
	}
	for i, r := range f.Rects {
		if i%perPath == 0 {
			if i > 0 {
				p.S(";\n")
			}
			p.S("\\path[").S(style).S("]")
		}
		p.S("\n(").N(r.X0).S(",").N(r.Y0).S(") rectangle (").N(r.X1).S(",").N(r.Y1).S(")")
	}
	p.S(";\n")
}

func (p pen) Area(a layout.Area) {
	style := "area"
	if a.Over {
		style = "area over"
	}
	p.S("\\path[").S(style).S("]")
	for i, c := range a.Points {
		if i > 0 {
			p.S(" --")
		}
		p.S("\n(").N(c.X).S(",").N(c.Y).S(")")
	}
	p.S(" -- cycle;\n")
}

func (p pen) Text(t *layout.Text) {
	macro := "\\swtext{"
	if t.Upright {
		macro = "\\swup{"
	}
	p.S(macro).S(textStyle[t.Role]).S("}{").S(anchors[t.Anchor]).S("}{").N(t.Size)
	p.S("}{").N(t.X).S("}{").N(t.Y).S("}{").S(escape(t.Text)).S("}\n")
}

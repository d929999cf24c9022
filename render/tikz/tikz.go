// Package tikz draws plans as LaTeX documents with TikZ, for papers: time
// across, offset up, a rectangle for each buffer, with the capacity, the height
// and the load as labelled lines.
//
// A document stands alone (class standalone) and compiles with pdflatex,
// lualatex and xelatex; its tikzpicture can be copied into another document
// together with the definitions before it. The same input gives the same bytes.
package tikz

import (
	"bufio"
	"io"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/internal/layout"
)

// Options say what to draw. The zero value draws all that there is room for.
type Options struct {
	// Title is the heading; empty means the problem's name.
	Title string
	// Width and Height are the size of the whole picture in PostScript points
	// of 1/72 inch, from 120 to 16000; 0 means 480 x 300, the width of a page.
	Width, Height int
	// Capacity is where the capacity line goes, in the unit of the sizes;
	// 0 means the problem's own, which may be none.
	Capacity int64
	// LowerBound is a height that no plan can be under, where one higher than
	// the peak load is known; 0 means none. The gap is taken from it.
	LowerBound int64
	// HideLabels leaves the IDs out of the rectangles.
	HideLabels bool
	// Warning, where set, stands below the heading, in red: that the plan is
	// not valid.
	Warning string
}

// medium keeps a document within what pdflatex compiles in a few seconds and in
// its default memory. TeX has no lengths of 16384 pt or more.
var medium = layout.Medium{
	Width: 480, Height: 300, MinSide: 120, MaxSide: 16000,
	Font: 6.5, Smallest: 4, TextScale: 0.85,
	Singles: 1500, Bare: 5000, Runs: 8000,
}

// Write draws the plan that gives p.Buffers the offsets, in the same order. It
// draws plans that overlap or exceed the capacity too.
//
// The error is for a problem that is not valid (a *model.InputError), a number
// of offsets that does not match, options out of range, or from w. Without
// offsets there is WriteProfile.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	f, err := layout.Plan(p, offsets, layout.Options(o), medium)
	if err != nil {
		return err
	}
	return draw(w, f)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its
// errors are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error {
	f, err := layout.Profile(p, layout.Options(o), medium)
	if err != nil {
		return err
	}
	return draw(w, f)
}

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
  title/.style={font=\sffamily\bfseries},
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
}

var textStyle = [...]string{
	layout.Title: "title", layout.Fact: "quiet", layout.Tick: "plain", layout.Axis: "quiet", layout.Note: "quiet",
	layout.Label: "", layout.SubLabel: "sub", layout.Value: "plain",
	layout.CapacityText: "capacity", layout.HeightText: "height", layout.BoundText: "bound", layout.LoadText: "load",
}

var (
	strokeStyle = [...]string{layout.NoStroke: ",no stroke", layout.ThinStroke: ",thin stroke", layout.FullStroke: ""}
	anchors     = [...]string{layout.Start: "base west", layout.Middle: "base", layout.End: "base east"}
)

// draw writes a figure in the order in which its parts cover one another.
func draw(w io.Writer, f *layout.Figure) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.s("% ").s(f.Description).s("\n").s(preamble)
	for i, c := range layout.Palette {
		n := strconv.Itoa(i)
		p.s("\\definecolor{fill").s(n).s("}{HTML}{").s(c.Fill).s("}\\definecolor{edge").s(n).s("}{HTML}{").s(c.Edge).s("}\n")
		p.s("\\tikzset{c").s(n).s("/.style={fill=fill").s(n).s(",draw=edge").s(n).s("}}\n")
	}
	// Page units are points, y downwards.
	p.s("\\begin{document}\n\\begin{tikzpicture}[x=1bp,y=-1bp,font=\\sffamily]\n")
	p.s("\\useasboundingbox (0,0) rectangle (").n(f.Width).s(",").n(f.Height).s(");\n")

	for _, r := range f.Bands {
		p.rect(r, "over")
	}
	for _, l := range f.Grid {
		p.line(l)
	}
	for _, a := range f.Areas {
		p.area(a)
	}
	for _, fill := range f.Fills {
		p.fill(fill)
	}
	for i := range f.Shapes {
		p.shape(&f.Shapes[i])
	}
	// Labels come before the lines, so that a line is never cut by one.
	p.texts(f.Texts, func(r layout.Role) bool { return r == layout.Label || r == layout.SubLabel })
	for _, l := range f.Lines {
		p.line(l)
	}
	for i := range f.Swatches {
		p.shape(&f.Swatches[i])
	}
	p.texts(f.Texts, func(r layout.Role) bool { return r != layout.Label && r != layout.SubLabel })
	p.s("\\end{tikzpicture}\n\\end{document}\n")
	return p.w.Flush()
}

// printer chains writes; bufio keeps the first error for Flush.
type printer struct {
	w       *bufio.Writer
	scratch []byte
}

func (p *printer) s(s string) *printer {
	p.w.WriteString(s)
	return p
}

// n writes a length with up to two decimals.
func (p *printer) n(v float64) *printer {
	p.scratch = layout.AppendLength(p.scratch[:0], v)
	p.w.Write(p.scratch)
	return p
}

// args writes four lengths as macro arguments.
func (p *printer) args(r layout.Rect) *printer {
	return p.s("{").n(r.X0).s("}{").n(r.Y0).s("}{").n(r.X1).s("}{").n(r.Y1).s("}")
}

func (p *printer) rect(r layout.Rect, style string) {
	p.s("\\swbox{").s(style).s("}").args(r).s("\n")
}

func (p *printer) line(l layout.Line) {
	p.s("\\swline{").s(lineStyle[l.Style]).s("}").args(l.Rect).s("\n")
}

// shape writes a buffer, with its figures as a comment.
func (p *printer) shape(s *layout.Shape) {
	style := "c" + strconv.Itoa(s.Colour)
	if s.Tip == "" {
		style = "b" // a swatch shows the form and not a colour
	} else {
		p.s("% ").s(s.Tip).s("\n")
	}
	if style += strokeStyle[s.Stroke]; s.Fixed {
		style += ",fixed"
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

// fill writes rectangles of one colour as a few paths.
func (p *printer) fill(f layout.Fill) {
	style := "c" + strconv.Itoa(f.Colour) + ",no stroke"
	if f.Faint {
		style += ",faint"
	}
	for i, r := range f.Rects {
		if i%perPath == 0 {
			if i > 0 {
				p.s(";\n")
			}
			p.s("\\path[").s(style).s("]")
		}
		p.s("\n(").n(r.X0).s(",").n(r.Y0).s(") rectangle (").n(r.X1).s(",").n(r.Y1).s(")")
	}
	p.s(";\n")
}

func (p *printer) area(a layout.Area) {
	style := "area"
	if a.Over {
		style = "area over"
	}
	p.s("\\path[").s(style).s("]")
	for i, c := range a.Points {
		if i > 0 {
			p.s(" --")
		}
		p.s("\n(").n(c.X).s(",").n(c.Y).s(")")
	}
	p.s(" -- cycle;\n")
}

func (p *printer) texts(texts []layout.Text, want func(layout.Role) bool) {
	for i := range texts {
		t := &texts[i]
		if !want(t.Role) {
			continue
		}
		macro := "\\swtext{"
		if t.Upright {
			macro = "\\swup{"
		}
		p.s(macro).s(textStyle[t.Role]).s("}{").s(anchors[t.Anchor]).s("}{").n(t.Size)
		p.s("}{").n(t.X).s("}{").n(t.Y).s("}{").s(escape(t.Text)).s("}\n")
	}
}

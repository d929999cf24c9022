package layout

import (
	"bufio"
	"io"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// A Printer chains writes of a picture's parts; the first error is kept for
// Flush.
type Printer struct {
	w       *bufio.Writer
	scratch []byte
}

// NewPrinter returns a Printer to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: bufio.NewWriter(w)} }

// Flush writes what is left and returns the first error.
func (p *Printer) Flush() error { return p.w.Flush() }

// S writes a string as it is.
func (p *Printer) S(s string) *Printer {
	p.w.WriteString(s)
	return p
}

// I writes an integer.
func (p *Printer) I(v int) *Printer { return p.S(strconv.Itoa(v)) }

// N writes a length with up to two decimals.
func (p *Printer) N(v float64) *Printer {
	p.scratch = AppendLength(p.scratch[:0], v)
	p.w.Write(p.scratch)
	return p
}

// XML writes a text, which Clean has cleaned, as valid XML 1.0.
func (p *Printer) XML(s string) *Printer {
	last := 0
	for i := range len(s) {
		var to string
		switch s[i] {
		case '<':
			to = "&lt;"
		case '>':
			to = "&gt;"
		case '&':
			to = "&amp;"
		case '"':
			to = "&quot;"
		default:
			continue
		}
		p.S(s[last:i]).S(to)
		last = i + 1
	}
	return p.S(s[last:])
}

// A Pen spells the parts of a figure in the language of a medium.
type Pen interface {
	Band(Rect)
	Line(Line)
	Area(Area)
	Fill(Fill)
	Shape(*Shape)
	Clash(Rect)
	Text(*Text)
}

// Draw calls the pen for each part, in the order in which parts cover one
// another.
func (f *Figure) Draw(pen Pen) {
	for _, r := range f.Bands {
		pen.Band(r)
	}
	for _, l := range f.Grid {
		pen.Line(l)
	}
	for _, a := range f.Areas {
		pen.Area(a)
	}
	for _, fill := range f.Fills {
		pen.Fill(fill)
	}
	for i := range f.Shapes {
		pen.Shape(&f.Shapes[i])
	}
	for _, l := range f.Hatch {
		pen.Line(l)
	}
	for _, r := range f.Clashes {
		pen.Clash(r)
	}
	// Labels come before the lines, so that a line is never cut by one.
	f.drawTexts(pen, true)
	for _, l := range f.Lines {
		pen.Line(l)
	}
	for i := range f.Swatches {
		pen.Shape(&f.Swatches[i])
	}
	f.drawTexts(pen, false)
}

func (f *Figure) drawTexts(pen Pen, labels bool) {
	for i := range f.Texts {
		t := &f.Texts[i]
		if labels == (t.Role == Label || t.Role == SubLabel) {
			pen.Text(t)
		}
	}
}

// A Writer is a medium, and what writes a figure in it.
type Writer struct {
	Medium Medium
	Draw   func(io.Writer, *Figure) error
}

// Printed is the Draw of a medium that is text.
func Printed(spell func(*Printer, *Figure)) func(io.Writer, *Figure) error {
	return func(to io.Writer, f *Figure) error {
		p := NewPrinter(to)
		spell(p, f)
		return p.Flush()
	}
}

// Plan draws the plan that gives p.Buffers the offsets, in the same order.
func (w Writer) Plan(to io.Writer, p *model.Problem, offsets []int64, o render.Options) error {
	f, err := Plan(p, offsets, o, w.Medium)
	return w.write(to, f, err)
}

// Profile draws the load of p over time.
func (w Writer) Profile(to io.Writer, p *model.Problem, o render.Options) error {
	f, err := Profile(p, o, w.Medium)
	return w.write(to, f, err)
}

func (w Writer) write(to io.Writer, f *Figure, err error) error {
	if err != nil {
		return err
	}
	return w.Draw(to, f)
}

package layout

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"image/color"
	"io"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Idea: all media have the same few strokes. So draw.go chooses colours and strokes once, and a medium only spells
// them. Media that are text name each ink where it is first used, and write the name from then on.
//
// Trials: docs/lab/canvas.md (libraries that write several media have no tips, and no text in TeX).

// A Canvas paints in page units, y down from the top.
type Canvas interface {
	// Thing calls draw, which paints one thing. Media that can say more of a thing say its tip.
	Thing(tip string, draw func())
	Rects(rects []Rect, i Ink) // as one shape: those that touch leave no seam between them
	Line(from Rect, i Ink)
	Polygon(points []Point, i Ink)
	Text(t *Text, i Ink)
}

// An Ink is how something is painted. Lengths are in page units.
type Ink struct {
	Fill   color.NRGBA // its alpha is 0 for no fill
	Stroke color.NRGBA // likewise
	Width  float64     // of the stroke
	Dash   [4]float64  // lengths that are drawn and left out in turn, up to the first 0; none is a solid stroke
	Bold   bool        // of letters
	Name   string      // what a medium may call it
}

// Stroked reports whether there is a stroke.
func (i Ink) Stroked() bool { return i.Stroke.A > 0 && i.Width > 0 }

// Dashes are the lengths in Dash.
func (i Ink) Dashes() []float64 {
	if end := slices.Index(i.Dash[:], 0); end >= 0 {
		return i.Dash[:end]
	}
	return i.Dash[:]
}

// RGB reads six hexadecimal digits, which are constants of this project.
func RGB(digits string) color.NRGBA {
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic(err)
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// Hex returns the six digits of a colour.
func Hex(c color.NRGBA) string { return hex.EncodeToString([]byte{c.R, c.G, c.B}) }

// A Writer is a medium, and what writes a figure in it.
type Writer struct {
	Medium Medium
	Draw   func(io.Writer, *Figure) error
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

// A Printer gathers a text from its parts.
type Printer struct{ bytes.Buffer }

// S adds strings as they are.
func (p *Printer) S(parts ...string) *Printer {
	for _, s := range parts {
		p.WriteString(s)
	}
	return p
}

// N adds a length with up to two decimals and no trailing zeros, which is finer than any printer.
func (p *Printer) N(v float64) *Printer {
	to := strconv.AppendFloat(p.AvailableBuffer(), v, 'f', 2, 64)
	to = bytes.TrimSuffix(bytes.TrimRight(to, "0"), []byte("."))
	if string(to) == "-0" {
		to = to[1:]
	}
	p.Write(to)
	return p
}

// Styles are the names of inks in a medium that is text. Define is told each ink when it gets its name.
type Styles struct {
	Define func(name string, i Ink)
	names  map[Ink]string
}

// Of returns the name of an ink.
func (s *Styles) Of(i Ink) string {
	name, known := s.names[i]
	if !known {
		if s.names == nil {
			s.names = map[Ink]string{}
		}
		name = cmp.Or(i.Name, "s") + strconv.Itoa(len(s.names))
		s.names[i] = name
		s.Define(name, i)
	}
	return name
}

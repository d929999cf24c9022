// Package ink draws figures with a few strokes that every medium of fixed form has:
// rectangles, polygons, lines and texts, with a colour for each. The packages png and pdf
// each give it a Canvas.
//
//	ink.go     colours and strokes, and the pen that draws a figure with them
//	letters.go the two fonts, and what is written for a letter that they lack
//
// The colours are those of render/svg; a test compares them.
package ink

import (
	"image/color"
	"strconv"

	"github.com/stowage-go/stowage/render/internal/layout"
)

// An Ink is how something is painted. Lengths are in units of the page.
type Ink struct {
	Fill   color.NRGBA // its alpha is 0 for no fill
	Stroke color.NRGBA // likewise
	Width  float64     // of the stroke
	Dash   []float64   // lengths that are drawn and left out in turn; none is a solid stroke
}

// A Word is a text with the place where it begins. Its letters are all in the font.
type Word struct {
	Text    string
	X, Y    float64 // of its beginning, on the baseline
	Size    float64
	Bold    bool
	Upright bool // turned by 90 degrees, reading upwards
	Colour  color.NRGBA
}

// A Canvas paints in page units, y down from the top.
type Canvas interface {
	Rects([]layout.Rect, Ink) // as one shape: those that touch leave no seam between them
	Line(layout.Rect, Ink)
	Polygon([]layout.Point, Ink)
	Write(Word)
}

// lines, texts, area, over, band and clash are the styles of render/svg.
var lines = [...]Ink{
	layout.GridLine:     {Stroke: rgb("e4e4e4"), Width: 1},
	layout.AxisLine:     {Stroke: rgb("444444"), Width: 1},
	layout.LeaderLine:   {Stroke: rgb("888888"), Width: 0.8},
	layout.CapacityLine: {Stroke: rgb("cc3311"), Width: 2.2},
	layout.HeightLine:   {Stroke: rgb("111111"), Width: 1.4},
	layout.BoundLine:    {Stroke: rgb("6a3d9a"), Width: 1.8, Dash: []float64{9, 3, 2, 3}},
	layout.LoadLine:     {Stroke: rgb("0077bb"), Width: 1.8, Dash: []float64{6, 4}},
	layout.TogetherLine: {Stroke: rgb("1b7837"), Width: 1.6},
	layout.ApartLine:    {Stroke: rgb("777777"), Width: 1, Dash: []float64{2, 2}},
	layout.PenaltyLine:  {Stroke: rgb("cc3311"), Width: 1.6, Dash: []float64{5, 2}},
}

var texts = [...]struct {
	colour color.NRGBA
	bold   bool
}{
	layout.Title:        {rgb("111111"), true},
	layout.Fact:         {rgb("555555"), false},
	layout.Alarm:        {rgb("b5260b"), true},
	layout.Tick:         {rgb("333333"), false},
	layout.Axis:         {rgb("555555"), false},
	layout.Note:         {rgb("555555"), false},
	layout.Label:        {rgb("111111"), false},
	layout.SubLabel:     {faint(rgb("222222"), 0.72), false},
	layout.Value:        {rgb("333333"), false},
	layout.CapacityText: {rgb("b5260b"), true},
	layout.HeightText:   {rgb("111111"), true},
	layout.BoundText:    {rgb("6a3d9a"), true},
	layout.LoadText:     {rgb("00558c"), true},
}

var (
	area     = Ink{Fill: rgb("99ccee"), Stroke: rgb("00558c"), Width: 1}
	over     = Ink{Fill: rgb("f2a995"), Stroke: rgb("b5260b"), Width: 0.8}
	band     = Ink{Fill: faint(rgb("cc3311"), 0.1)}
	clash    = Ink{Fill: faint(rgb("cc3311"), 0.55), Stroke: rgb("7f1d08"), Width: 1.2}
	conflict = Ink{Fill: rgb("e28f7d"), Stroke: rgb("7f1d08"), Width: 1.8}
	swatch   = Ink{Fill: rgb("dddddd"), Stroke: rgb("777777"), Width: 0.8}
)

var strokes = [...]float64{layout.NoStroke: 0, layout.ThinStroke: 0.3, layout.FullStroke: 0.8}

// part is the dash around a part of a buffer, and how much of its colour is left.
var part = struct {
	dash  []float64
	alpha float64
}{[]float64{3, 2}, 0.45}

const faintFill = 0.4 // the part of its colour that a mostly empty fill keeps

// rgb reads six hexadecimal digits, which are constants of this project.
func rgb(hex string) color.NRGBA {
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		panic(err)
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func faint(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(alpha*255 + 0.5)
	return c
}

// Draw paints a figure. Scale is the length of a stroke of one pixel in units of the page:
// strokes get lighter on a page that is smaller than render/svg's.
func Draw(c Canvas, f *layout.Figure, scale float64) { f.Draw(pen{c, scale}) }

// A pen paints the parts of a figure.
type pen struct {
	canvas Canvas
	scale  float64
}

// scaled returns an ink with its strokes in units of the page.
func (p pen) scaled(i Ink) Ink {
	i.Width *= p.scale
	if len(i.Dash) > 0 {
		dash := make([]float64, len(i.Dash))
		for k, v := range i.Dash {
			dash[k] = v * p.scale
		}
		i.Dash = dash
	}
	return i
}

func (p pen) Band(r layout.Rect)  { p.canvas.Rects([]layout.Rect{r}, band) }
func (p pen) Clash(r layout.Rect) { p.canvas.Rects([]layout.Rect{r}, p.scaled(clash)) }
func (p pen) Line(l layout.Line)  { p.canvas.Line(l.Rect, p.scaled(lines[l.Style])) }

func (p pen) Area(a layout.Area) {
	ink := area
	if a.Over {
		ink = over
	}
	p.canvas.Polygon(a.Points, p.scaled(ink))
}

func (p pen) Fill(f layout.Fill) {
	ink := Ink{Fill: rgb(layout.Palette[f.Colour].Fill)}
	if f.Faint {
		ink.Fill = faint(ink.Fill, faintFill)
	}
	p.canvas.Rects(f.Rects, ink)
}

// Shape paints a buffer: where it is in use whole, and where in part.
func (p pen) Shape(s *layout.Shape) {
	ink := swatch // shows the form and not a colour
	if s.Tip != "" || s.Group {
		c := layout.Palette[s.Colour]
		ink = Ink{Fill: rgb(c.Fill), Stroke: rgb(c.Edge)}
	}
	if ink.Width = strokes[s.Stroke]; ink.Width == 0 {
		ink.Stroke.A = 0
	}
	if s.Fixed {
		ink.Stroke, ink.Width = rgb("111111"), 1.8
	}
	switch {
	case s.Conflict:
		ink = conflict
	case s.Broken:
		ink.Stroke, ink.Width = rgb("cc3311"), 1.8
	}
	ink = p.scaled(ink)
	for _, r := range s.Rects {
		p.canvas.Rects([]layout.Rect{r}, ink)
	}
	ink.Fill = faint(ink.Fill, part.alpha)
	ink.Dash = part.dash
	ink.Dash = p.scaled(ink).Dash
	for _, r := range s.Parts {
		p.canvas.Rects([]layout.Rect{r}, ink)
	}
}

// Text writes a text. A text that is wider than its room in the layout gets smaller. That happens if the fonts lack a
// letter, because its code is written instead.
func (p pen) Text(t *layout.Text) {
	style := texts[t.Role]
	word := Word{
		Text: Readable(t.Text), X: t.X, Y: t.Y, Size: t.Size, Bold: style.bold, Upright: t.Upright, Colour: style.colour,
	}
	width := Width(word.Text, word.Bold)
	if room := layout.Width(t.Text); !word.Bold && width > room {
		word.Size *= room / width
	}
	before := 0.0
	switch t.Anchor {
	case layout.Middle:
		before = width * word.Size / 2
	case layout.End:
		before = width * word.Size
	}
	if t.Upright {
		word.Y += before
	} else {
		word.X -= before
	}
	p.canvas.Write(word)
}

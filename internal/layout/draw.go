package layout

import "image/color"

// lines, letters and the inks below are the styles of pictures. Lengths are in pixels of render/svg.
var lines = [...]Ink{
	GridLine:     {Stroke: RGB("e4e4e4"), Width: 1},
	AxisLine:     {Stroke: RGB("444444"), Width: 1},
	LeaderLine:   {Stroke: RGB("888888"), Width: 0.8},
	CapacityLine: {Stroke: RGB("cc3311"), Width: 2.2},
	HeightLine:   {Stroke: RGB("111111"), Width: 1.4},
	BoundLine:    {Stroke: RGB("6a3d9a"), Width: 1.8, Dash: [4]float64{9, 3, 2, 3}},
	LoadLine:     {Stroke: RGB("0077bb"), Width: 1.8, Dash: [4]float64{6, 4}},
	TogetherLine: {Stroke: RGB("1b7837"), Width: 1.6},
	ApartLine:    {Stroke: RGB("777777"), Width: 1, Dash: [4]float64{2, 2}},
	PenaltyLine:  {Stroke: RGB("cc3311"), Width: 1.6, Dash: [4]float64{5, 2}},
}

// letters are the inks of texts.
var letters = [...]Ink{
	Title:        {Fill: RGB("111111"), Bold: true},
	Fact:         {Fill: RGB("555555")},
	Alarm:        {Fill: RGB("b5260b"), Bold: true},
	Tick:         {Fill: RGB("333333")},
	Axis:         {Fill: RGB("555555")},
	Note:         {Fill: RGB("555555")},
	Label:        {Fill: RGB("111111")},
	SubLabel:     {Fill: faint(RGB("222222"), 0.72)},
	Value:        {Fill: RGB("333333")},
	CapacityText: {Fill: RGB("b5260b"), Bold: true},
	HeightText:   {Fill: RGB("111111"), Bold: true},
	BoundText:    {Fill: RGB("6a3d9a"), Bold: true},
	LoadText:     {Fill: RGB("00558c"), Bold: true},
}

var (
	area     = Ink{Fill: RGB("99ccee"), Stroke: RGB("00558c"), Width: 1}
	over     = Ink{Fill: RGB("f2a995"), Stroke: RGB("b5260b"), Width: 0.8}
	band     = Ink{Fill: faint(RGB("cc3311"), 0.1)}
	clash    = Ink{Fill: faint(RGB("cc3311"), 0.55), Stroke: RGB("7f1d08"), Width: 1.2, Name: "clash"}
	conflict = Ink{Fill: RGB("e28f7d"), Stroke: RGB("7f1d08"), Width: 1.8, Name: "conflict"}
	swatch   = Ink{Fill: RGB("dddddd"), Stroke: RGB("777777")} // shows a form and not a colour
	fixed    = RGB("111111")
	broken   = RGB("cc3311")
	partDash = [4]float64{3, 2} // around what is in use in part
)

const (
	marked    = 1.8  // the stroke around what is fixed or broken
	partFill  = 0.45 // the part of its colour that a part of a buffer keeps
	faintFill = 0.4  // the same of a fill that is mostly empty
)

var strokes = [...]float64{NoStroke: 0, ThinStroke: 0.3, FullStroke: 0.8}

func faint(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(alpha*255 + 0.5)
	return c
}

// A pen paints the parts of a figure.
type pen struct {
	canvas Canvas
	scale  float64
}

// Draw paints the parts in the order in which they cover one another. Scale is the length of a stroke of one pixel in
// units of the page: strokes get lighter on a page that is smaller than render/svg's.
func (f *Figure) Draw(c Canvas, scale float64) {
	p := pen{c, scale}
	for _, r := range f.Bands {
		c.Rects([]Rect{r}, band)
	}
	p.lines(f.Grid)
	for _, a := range f.Areas {
		ink := area
		if a.Over {
			ink = over
		}
		c.Polygon(a.Points, p.scaled(ink))
	}
	for _, fill := range f.Fills {
		ink := Ink{Fill: RGB(Palette[fill.Colour].Fill)}
		if fill.Faint {
			ink.Fill = faint(ink.Fill, faintFill)
		}
		c.Rects(fill.Rects, ink)
	}
	p.shapes(f.Shapes)
	p.lines(f.Hatch)
	for _, r := range f.Clashes {
		c.Rects([]Rect{r}, p.scaled(clash))
	}
	// Labels come before the lines, so that a line is never cut by one.
	p.texts(f.Texts, true)
	p.lines(f.Lines)
	p.shapes(f.Swatches)
	p.texts(f.Texts, false)
}

// scaled returns an ink with its strokes in units of the page.
func (p pen) scaled(i Ink) Ink {
	i.Width *= p.scale
	for k := range i.Dash {
		i.Dash[k] *= p.scale
	}
	return i
}

func (p pen) lines(all []Line) {
	for _, l := range all {
		p.canvas.Line(l.Rect, p.scaled(lines[l.Style]))
	}
}

func (p pen) texts(all []Text, labels bool) {
	for i := range all {
		if t := &all[i]; labels == (t.Role == Label || t.Role == SubLabel) {
			p.canvas.Text(t, letters[t.Role])
		}
	}
}

// shapes paints buffers: where each is in use whole, and where in part.
func (p pen) shapes(all []Shape) {
	for i := range all {
		s := &all[i]
		ink := swatch
		if s.Tip != "" || s.Group {
			c := Palette[s.Colour]
			ink = Ink{Fill: RGB(c.Fill), Stroke: RGB(c.Edge)}
		}
		if ink.Width = strokes[s.Stroke]; ink.Width == 0 {
			ink.Stroke.A = 0
		}
		if s.Fixed {
			ink.Stroke, ink.Width = fixed, marked
		}
		switch {
		case s.Conflict:
			ink = conflict
		case s.Broken:
			ink.Stroke, ink.Width = broken, marked
		}
		part := ink
		part.Fill, part.Dash = faint(ink.Fill, partFill), partDash
		p.canvas.Thing(s.Tip, func() {
			for _, r := range s.Rects {
				p.canvas.Rects([]Rect{r}, p.scaled(ink))
			}
			for _, r := range s.Parts {
				p.canvas.Rects([]Rect{r}, p.scaled(part))
			}
		})
	}
}

package pdf

import (
	"image/color"
	"io"

	"github.com/signintech/gopdf"

	"github.com/stowage-go/stowage/cmd/stowage/print/internal/letters"
	"github.com/stowage-go/stowage/internal/layout"
)

// Idea: github.com/signintech/gopdf writes the file and embeds of the fonts what is used.
// It sets no date unless it is told to.
//
// Trials: docs/lab/pictures.md (the library fpdf adds 0.2 ms to each start of the command).

// The styles of the one family in the file.
const (
	family = "Go"
	bold   = "B"
)

type canvas struct {
	file   *gopdf.GoPdf
	dashed bool
	err    error // the first
}

func newCanvas(f *layout.Figure) *canvas {
	c := &canvas{file: &gopdf.GoPdf{}}
	c.file.Start(gopdf.Config{Unit: gopdf.UnitPT, PageSize: gopdf.Rect{W: f.Width, H: f.Height}})
	c.file.SetInfo(gopdf.PdfInfo{Title: letters.Readable(f.Description), Creator: "Stowage"})
	c.keep(c.file.AddTTFFontDataWithOption(family, letters.Regular, gopdf.TtfOption{Style: gopdf.Regular}))
	c.keep(c.file.AddTTFFontDataWithOption(family, letters.Bold, gopdf.TtfOption{Style: gopdf.Bold}))
	c.file.AddPage()
	return c
}

func (c *canvas) keep(err error) {
	if c.err == nil {
		c.err = err
	}
}

// writeTo writes the file, unless something went wrong before.
func (c *canvas) writeTo(w io.Writer) error {
	if c.err != nil {
		return c.err
	}
	file, err := c.file.GetBytesPdfReturnErr() // WriteTo keeps the errors of w to itself
	if err == nil {
		_, err = w.Write(file)
	}
	return err
}

// closer is by how much rectangles of one shape reach over their right and lower sides, at most: a tenth of a side.
// Each is a path of its own, and programs that smooth edges would leave a seam between two that touch. More would let
// thousands of thin layers cover one another.
const closer = 0.1

func (c *canvas) Rects(rects []layout.Rect, i layout.Ink) {
	longer := func(side float64) float64 { return side }
	if len(rects) > 1 {
		longer = func(side float64) float64 { return side + min(closer, side/10) }
		i.Fill = mixed(i.Fill)
	}
	c.paint(i, func(style string) {
		for _, r := range rects {
			c.file.RectFromUpperLeftWithStyle(r.X0, r.Y0, longer(r.X1-r.X0), longer(r.Y1-r.Y0), style)
		}
	})
}

// mixed returns a colour as it is seen on white.
func mixed(c color.NRGBA) color.NRGBA {
	on := func(v uint8) uint8 { return uint8(255 - (255-int(v))*int(c.A)/255) }
	return color.NRGBA{on(c.R), on(c.G), on(c.B), 255}
}

func (c *canvas) Polygon(points []layout.Point, i layout.Ink) {
	corners := make([]gopdf.Point, len(points))
	for k, p := range points {
		corners[k] = gopdf.Point{X: p.X, Y: p.Y}
	}
	c.paint(i, func(style string) { c.file.Polygon(corners, style) })
}

func (c *canvas) Line(r layout.Rect, i layout.Ink) {
	c.paint(i, func(string) { c.file.Line(r.X0, r.Y0, r.X1, r.Y1) })
}

// paint sets the colours and the stroke, and calls shape with what is to be done. What is
// filled and stroked with different strength is painted twice.
func (c *canvas) paint(i layout.Ink, shape func(style string)) {
	filled, stroked := i.Fill.A > 0, i.Stroked()
	if stroked {
		c.file.SetStrokeColor(i.Stroke.R, i.Stroke.G, i.Stroke.B)
		c.file.SetLineWidth(i.Width)
		if dash := i.Dashes(); len(dash) > 0 || c.dashed {
			c.file.SetCustomLineType(dash, 0)
			c.dashed = len(dash) > 0
		}
	}
	if filled {
		c.file.SetFillColor(i.Fill.R, i.Fill.G, i.Fill.B)
	}
	with := func(alpha uint8, style string) {
		c.opacity(alpha)
		shape(style)
	}
	switch {
	case filled && stroked && i.Fill.A == i.Stroke.A:
		with(i.Fill.A, "FD")
	case filled && stroked:
		with(i.Fill.A, "F")
		with(i.Stroke.A, "D")
	case filled:
		with(i.Fill.A, "F")
	case stroked:
		with(i.Stroke.A, "D")
	}
}

// opacity sets how much of what is below can be seen.
func (c *canvas) opacity(alpha uint8) {
	c.keep(c.file.SetTransparency(gopdf.Transparency{Alpha: float64(alpha) / 255, BlendModeType: gopdf.NormalBlendMode}))
}

func (c *canvas) Text(t *layout.Text, i layout.Ink) {
	style, angle := "", 0.0
	if i.Bold {
		style = bold
	}
	w := letters.Placed(*t, i.Bold)
	if w.Upright {
		angle = 90
	}
	c.opacity(i.Fill.A)
	c.file.SetTextColor(i.Fill.R, i.Fill.G, i.Fill.B)
	c.keep(c.file.SetFont(family, style, w.Size))
	// The operators that save and restore the state enclose turned text. They enclose the
	// opacity as well, which would otherwise stay.
	c.file.Rotate(angle, w.X, w.Y)
	c.file.SetXY(w.X, w.Y)
	c.keep(c.file.Text(w.Text))
	c.file.RotateReset()
}

// Thing has no tip.
func (c *canvas) Thing(_ string, draw func()) { draw() }

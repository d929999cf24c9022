package png

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/stowage-go/stowage/cmd/stowage/print/internal/letters"
	"github.com/stowage-go/stowage/internal/layout"
)

// Idea: all but text is filled outlines. A stroke is one too: a bar along each side, or along each dash, all turned the
// same way, so that where two of them overlap the area is covered and not left out. golang.org/x/image/vector adds up
// the signed area of a path in each pixel, so rectangles of one path that touch leave no seam.
//
// Complexity: the pixels of a path's bounding box, for each path.

type canvas struct {
	to     *image.RGBA
	raster vector.Rasterizer
	path   [][]layout.Point // what is gathered for the next fill, in pixels
}

func newCanvas(width, height int) *canvas {
	c := &canvas{to: image.NewRGBA(image.Rect(0, 0, width, height))}
	draw.Draw(c.to, c.to.Bounds(), image.White, image.Point{}, draw.Src)
	return c
}

// add goes on with the path by an outline in page units.
func (c *canvas) add(points ...layout.Point) {
	outline := make([]layout.Point, len(points))
	for k, p := range points {
		outline[k] = layout.Point{X: p.X * Density, Y: p.Y * Density}
	}
	c.path = append(c.path, outline)
}

// fill paints the path and forgets it.
func (c *canvas) fill(colour color.NRGBA) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, outline := range c.path {
		for _, p := range outline {
			left, right = min(left, p.X), max(right, p.X)
			top, bottom = min(top, p.Y), max(bottom, p.Y)
		}
	}
	path := c.path
	c.path = c.path[:0]
	if len(path) == 0 || colour.A == 0 {
		return
	}
	box := image.Rect(int(math.Floor(left)), int(math.Floor(top)), int(math.Ceil(right)), int(math.Ceil(bottom)))
	if box = box.Intersect(c.to.Bounds()); box.Empty() {
		return
	}
	c.raster.Reset(box.Dx(), box.Dy())
	for _, outline := range path {
		for k, p := range outline {
			x, y := float32(p.X)-float32(box.Min.X), float32(p.Y)-float32(box.Min.Y)
			if k == 0 {
				c.raster.MoveTo(x, y)
			} else {
				c.raster.LineTo(x, y)
			}
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(c.to, box, image.NewUniform(colour), image.Point{})
}

// corners returns those of a rectangle.
func corners(r layout.Rect) []layout.Point {
	return []layout.Point{{X: r.X0, Y: r.Y0}, {X: r.X1, Y: r.Y0}, {X: r.X1, Y: r.Y1}, {X: r.X0, Y: r.Y1}}
}

// snapped returns the pixels whose centres a rectangle covers. What has no outline is painted so: of thousands of
// layers thinner than a pixel each would let some white shine through, and a full plan would look half empty.
func snapped(r layout.Rect) layout.Rect {
	at := func(v float64) float64 { return math.Ceil(v*Density-0.5) / Density }
	return layout.Rect{X0: at(r.X0), Y0: at(r.Y0), X1: at(r.X1), Y1: at(r.Y1)}
}

func (c *canvas) Rects(rects []layout.Rect, i layout.Ink) {
	for _, r := range rects {
		if !i.Stroked() {
			r = snapped(r)
		}
		c.add(corners(r)...)
	}
	c.fill(i.Fill)
	for _, r := range rects {
		c.outline(corners(r), i)
	}
	c.fill(i.Stroke)
}

func (c *canvas) Polygon(points []layout.Point, i layout.Ink) {
	c.add(points...)
	c.fill(i.Fill)
	c.outline(points, i)
	c.fill(i.Stroke)
}

func (c *canvas) Line(r layout.Rect, i layout.Ink) {
	c.stroke(layout.Point{X: r.X0, Y: r.Y0}, layout.Point{X: r.X1, Y: r.Y1}, i, 0)
	c.fill(i.Stroke)
}

// outline adds the sides of a closed outline, each half a stroke longer at either end so that they meet.
func (c *canvas) outline(points []layout.Point, i layout.Ink) {
	if !i.Stroked() {
		return
	}
	for k, p := range points {
		c.stroke(p, points[(k+1)%len(points)], i, i.Width/2)
	}
}

// stroke adds a bar from a to b, or one for each dash.
func (c *canvas) stroke(a, b layout.Point, i layout.Ink, more float64) {
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if length == 0 {
		return
	}
	x, y := (b.X-a.X)/length, (b.Y-a.Y)/length
	bar := func(from, to float64) {
		var sides [4]layout.Point
		for k, corner := range [4][2]float64{{from, -1}, {to, -1}, {to, 1}, {from, 1}} {
			along, across := corner[0], corner[1]*i.Width/2
			sides[k] = layout.Point{X: a.X + x*along - y*across, Y: a.Y + y*along + x*across}
		}
		c.add(sides[:]...)
	}
	dash := i.Dashes()
	if len(dash) == 0 {
		bar(-more, length+more)
		return
	}
	at := 0.0
	for k := 0; at < length; k++ {
		next := at + dash[k%len(dash)]
		if k%2 == 0 {
			bar(at, min(next, length))
		}
		at = next
	}
}

// Text draws letters. Those that read upwards are drawn across, and turned.
func (c *canvas) Text(t *layout.Text, i layout.Ink) {
	w := letters.Placed(*t, i.Bold)
	pen := font.Drawer{Face: letters.Face(i.Bold, w.Size*Density)}
	place := func(x, y float64) fixed.Point26_6 {
		return fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
	}
	x, y := w.X*Density, w.Y*Density
	if !w.Upright {
		pen.Dst, pen.Src, pen.Dot = c.to, image.NewUniform(i.Fill), place(x, y)
		pen.DrawString(w.Text)
		return
	}
	// The pixel (a, b) of the text lies at (left + b, bottom - a). Fractions of the place stay.
	high := int(math.Ceil(2 * w.Size * Density))
	left, bottom := int(x)-high*3/4, int(math.Ceil(y))
	across := image.NewAlpha(image.Rect(0, 0, pen.MeasureString(w.Text).Ceil()+2, high))
	pen.Dst, pen.Src, pen.Dot = across, image.Opaque, place(float64(bottom)-y, x-float64(left))
	pen.DrawString(w.Text)
	turned := image.NewAlpha(image.Rect(0, 0, high, across.Rect.Dx()))
	for a := range across.Rect.Dx() {
		for b := range high {
			turned.SetAlpha(b, across.Rect.Dx()-1-a, across.AlphaAt(a, b))
		}
	}
	at := image.Rect(left, bottom-across.Rect.Dx(), left+high, bottom)
	draw.DrawMask(c.to, at, image.NewUniform(i.Fill), image.Point{}, turned, image.Point{}, draw.Over)
}

// Thing has no tip: pixels cannot say it.
func (c *canvas) Thing(_ string, draw func()) { draw() }

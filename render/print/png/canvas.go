package png

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/vector"

	"github.com/stowage-go/stowage/render/internal/layout"
	"github.com/stowage-go/stowage/render/print/internal/ink"
)

// Idea: all is filled outlines. A stroke is one too: a bar along each side, or along each
// dash, all turned the same way, so that where two of them overlap the area is covered
// and not left out. golang.org/x/image/vector adds up the signed area of a path in each
// pixel, so rectangles of one path that touch leave no seam.
//
// Complexity: the pixels of a path's bounding box, for each path.

type canvas struct {
	to     *image.RGBA
	raster *vector.Rasterizer
	path   []vertex // what is gathered for the next fill, in pixels
	box    [4]float64
}

// A vertex goes on with a path: op counts the points of a curve that have a meaning, and
// is 0 for the beginning of an outline.
type vertex struct {
	op uint8
	at [6]float32
}

func newCanvas(width, height int) *canvas {
	c := &canvas{to: image.NewRGBA(image.Rect(0, 0, width, height)), raster: &vector.Rasterizer{}}
	draw.Draw(c.to, c.to.Bounds(), image.White, image.Point{}, draw.Src)
	c.begin()
	return c
}

// begin forgets the path.
func (c *canvas) begin() {
	c.path = c.path[:0]
	c.box = [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
}

// add goes on with the path, by points in pixels.
func (c *canvas) add(op uint8, points ...float64) {
	v := vertex{op: op}
	for k := 0; k < len(points); k += 2 {
		x, y := points[k], points[k+1]
		v.at[k], v.at[k+1] = float32(x), float32(y)
		c.box = [4]float64{min(c.box[0], x), min(c.box[1], y), max(c.box[2], x), max(c.box[3], y)}
	}
	c.path = append(c.path, v)
}

// fill paints the path and forgets it.
func (c *canvas) fill(colour color.NRGBA) {
	defer c.begin()
	box := image.Rect(int(math.Floor(c.box[0])), int(math.Floor(c.box[1])), int(math.Ceil(c.box[2])),
		int(math.Ceil(c.box[3])))
	if len(c.path) == 0 || colour.A == 0 || !box.Overlaps(c.to.Bounds()) {
		return
	}
	box = box.Intersect(c.to.Bounds())
	c.raster.Reset(box.Dx(), box.Dy())
	x, y := float32(box.Min.X), float32(box.Min.Y)
	for k, v := range c.path {
		a := v.at
		switch v.op {
		case 0:
			if k > 0 {
				c.raster.ClosePath()
			}
			c.raster.MoveTo(a[0]-x, a[1]-y)
		case 1:
			c.raster.LineTo(a[0]-x, a[1]-y)
		case 2:
			c.raster.QuadTo(a[0]-x, a[1]-y, a[2]-x, a[3]-y)
		case 3:
			c.raster.CubeTo(a[0]-x, a[1]-y, a[2]-x, a[3]-y, a[4]-x, a[5]-y)
		}
	}
	c.raster.ClosePath()
	c.raster.Draw(c.to, box, image.NewUniform(colour), image.Point{})
}

// rect adds a rectangle in page units.
func (c *canvas) rect(r layout.Rect) {
	x0, y0, x1, y1 := r.X0*Density, r.Y0*Density, r.X1*Density, r.Y1*Density
	c.add(0, x0, y0)
	c.add(1, x1, y0)
	c.add(1, x1, y1)
	c.add(1, x0, y1)
}

// snapped returns the pixels whose centres a rectangle covers. What has no outline is painted
// so: of thousands of layers thinner than a pixel each would let some white shine through, and
// a full plan would look half empty.
func snapped(r layout.Rect) layout.Rect {
	at := func(v float64) float64 { return math.Ceil(v*Density-0.5) / Density }
	return layout.Rect{X0: at(r.X0), Y0: at(r.Y0), X1: at(r.X1), Y1: at(r.Y1)}
}

func (c *canvas) Rects(rects []layout.Rect, i ink.Ink) {
	for _, r := range rects {
		if i.Stroke.A == 0 {
			r = snapped(r)
		}
		c.rect(r)
	}
	c.fill(i.Fill)
	for _, r := range rects {
		c.outline([]layout.Point{{X: r.X0, Y: r.Y0}, {X: r.X1, Y: r.Y0}, {X: r.X1, Y: r.Y1}, {X: r.X0, Y: r.Y1}}, i)
	}
	c.fill(i.Stroke)
}

func (c *canvas) Polygon(points []layout.Point, i ink.Ink) {
	for k, p := range points {
		c.add(uint8(min(k, 1)), p.X*Density, p.Y*Density)
	}
	c.fill(i.Fill)
	c.outline(points, i)
	c.fill(i.Stroke)
}

func (c *canvas) Line(r layout.Rect, i ink.Ink) {
	c.stroke(layout.Point{X: r.X0, Y: r.Y0}, layout.Point{X: r.X1, Y: r.Y1}, i, 0)
	c.fill(i.Stroke)
}

// outline adds the sides of a closed outline, each half a stroke longer at either end
// so that they meet.
func (c *canvas) outline(points []layout.Point, i ink.Ink) {
	if i.Stroke.A == 0 {
		return
	}
	for k, p := range points {
		c.stroke(p, points[(k+1)%len(points)], i, i.Width/2)
	}
}

// stroke adds a bar from a to b, or one for each dash.
func (c *canvas) stroke(a, b layout.Point, i ink.Ink, more float64) {
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if length == 0 {
		return
	}
	x, y := (b.X-a.X)/length, (b.Y-a.Y)/length
	bar := func(from, to float64) {
		w := i.Width / 2
		for k, corner := range [4][2]float64{{from, -w}, {to, -w}, {to, w}, {from, w}} {
			along, across := corner[0], corner[1]
			c.add(uint8(min(k, 1)), (a.X+x*along-y*across)*Density, (a.Y+y*along+x*across)*Density)
		}
	}
	if len(i.Dash) == 0 {
		bar(-more, length+more)
		return
	}
	at := 0.0
	for k := 0; at < length; k++ {
		next := at + i.Dash[k%len(i.Dash)]
		if k%2 == 0 {
			bar(at, min(next, length))
		}
		at = next
	}
}

// Write draws the outlines of the letters.
func (c *canvas) Write(w ink.Word) {
	at := 0.0
	for _, r := range w.Text {
		g := ink.Letter(r, w.Bold)
		if g == nil {
			continue
		}
		for _, s := range g.Segments {
			var points [6]float64
			n := 1
			switch s.Op {
			case sfnt.SegmentOpQuadTo:
				n = 2
			case sfnt.SegmentOpCubeTo:
				n = 3
			}
			for k := range n {
				x := (at + float64(s.Args[k].X)/64/ink.Em) * w.Size
				y := float64(s.Args[k].Y) / 64 / ink.Em * w.Size
				if w.Upright {
					x, y = y, -x
				}
				points[2*k], points[2*k+1] = (w.X+x)*Density, (w.Y+y)*Density
			}
			op := uint8(n)
			if s.Op == sfnt.SegmentOpMoveTo {
				op = 0
			}
			c.add(op, points[:2*n]...)
		}
		at += g.Advance
	}
	c.fill(w.Colour)
}

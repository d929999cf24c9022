// Package png draws plans as PNG images: the picture of render/svg in pixels, with the
// letters drawn in, for slides, issues and whatever shows no SVG.
//
// The same input gives the same bytes.
package png

import (
	"image/png"
	"io"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/internal/layout"
	"github.com/stowage-go/stowage/render/print/internal/ink"
)

// Options say what to draw. The size is from 240 to 4000 and has the unit of render/svg;
// the image has Density pixels for each. The default is 1200 x 720, an image of
// 2400 x 1440 pixels.
type Options = render.Options

// Density is how many pixels of the image a unit of the size has: the smallest names are
// 7 units high, which takes 14 pixels to be read with ease.
const Density = 2

var medium = layout.Medium{
	Name:  "png",
	Width: 1200, Height: 720, MinSide: 240, MaxSide: 4000,
	Font: 12, Smallest: 7, TextScale: 1, Spell: ink.Readable,
	Singles: 3000, Bare: 45000, Runs: 30000,
}

// Write draws the plan that gives p.Buffers the offsets, in the same order: what the Write
// of package svg draws, and with its errors.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	f, err := layout.Plan(p, offsets, o, medium)
	return write(w, f, err)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors
// are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error {
	f, err := layout.Profile(p, o, medium)
	return write(w, f, err)
}

func write(w io.Writer, f *layout.Figure, err error) error {
	if err != nil {
		return err
	}
	c := newCanvas(int(f.Width*Density), int(f.Height*Density))
	ink.Draw(c, f, 1)
	return png.Encode(w, c.to)
}

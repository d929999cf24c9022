// Package png draws plans as PNG images, for slides, issues and other places that do
// not show SVG. The image is the picture of render/svg in pixels, text included.
//
// The same input gives the same bytes.
package png

import (
	"image/png"
	"io"

	"github.com/stowage-go/stowage/cmd/stowage/print/internal/letters"
	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Options say what to draw. Width and Height are in the unit of render/svg, from 240 to 4000; the image has Density
// pixels for each unit. The default is 1200 x 720, an image of 2400 x 1440 pixels.
type Options = render.Options

// Density is the number of pixels for each unit of Options.Width and Options.Height.
// The smallest names are 7 units high, so they have 14 pixels and are easy to read.
const Density = 2

var medium = layout.Medium{
	Name:  "png",
	Width: 1200, Height: 720, MinSide: 240, MaxSide: 4000,
	Font: 12, Smallest: 7, TextScale: 1, Spell: letters.Readable,
	Singles: 3000, Bare: 45000, Runs: 30000,
}

var writer = layout.Writer{Draw: write, Medium: medium}

// Write draws the same picture of a plan as svg.Write, and has the same errors.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return writer.Plan(w, p, offsets, o)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error { return writer.Profile(w, p, o) }

func write(w io.Writer, f *layout.Figure) error {
	c := newCanvas(int(f.Width*Density), int(f.Height*Density))
	f.Draw(c, 1)
	return png.Encode(w, c.to)
}

// Package pdf draws plans as PDF files, for papers and reports. A file is the picture of render/svg on one page, with
// its fonts embedded. Names can be searched and copied.
//
// The same input gives the same bytes: the file has no date.
package pdf

import (
	"io"

	"github.com/stowage-go/stowage/cmd/stowage/print/internal/letters"
	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// Options say what to draw. Width and Height are in PostScript points of 1/72 inch, from 144 to 14400, the most that a
// page of PDF may have. The default is 720 x 432, ten by six inches.
type Options = render.Options

// medium has the proportions of render/svg, so that the same names have room. A file is
// bounded to some 2 MB: what it says of a rectangle takes about 40 bytes.
var medium = layout.Medium{
	Name:  "pdf",
	Width: 720, Height: 432, MinSide: 144, MaxSide: 14400,
	Font: 7.2, Smallest: 4.2, TextScale: 1, Spell: letters.Readable,
	Singles: 3000, Bare: 45000, Runs: 30000,
}

// scale is how long a stroke of one pixel is in points: a page of 1200 pixels is one of 720 points.
const scale = 0.6

var writer = layout.Writer{Draw: write, Medium: medium}

// Write draws the same picture of a plan as svg.Write, and has the same errors.
func Write(w io.Writer, p *model.Problem, offsets []int64, o Options) error {
	return writer.Plan(w, p, offsets, o)
}

// WriteProfile draws the load of p over time, for a problem without a plan. Its errors are those of Write.
func WriteProfile(w io.Writer, p *model.Problem, o Options) error { return writer.Profile(w, p, o) }

func write(w io.Writer, f *layout.Figure) error {
	c := newCanvas(f)
	f.Draw(c, scale)
	return c.writeTo(w)
}

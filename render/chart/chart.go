// Package chart draws measurements as SVG: Write compares planners, and WriteSizes draws
// which capacities are enough.
//
// The picture of Write has two panels. The first has the height divided by the load, for
// each planner and problem. The second has the time of each planner over the size of the
// problem.
//
// The first panel follows Figure 6 of the idealloc report (CONVOLVE D5.5), which has
// the heights of several planners on two problems, divided by the load. The second
// follows its Table 1. The same input gives the same bytes.
package chart

import (
	"fmt"
	"io"
	"math"

	"github.com/stowage-go/stowage/render/internal/layout"
)

// A Comparison is the data to draw.
type Comparison struct {
	Title    string    // heading
	Problems []Problem // problems that were planned
	Planners []Planner // planners, in the order of the rows from the top
}

// A Problem is a problem that the planners planned.
type Problem struct {
	Name    string // label
	Buffers int    // number of buffers
}

// A Planner is a row of the first panel and a line of the second.
type Planner struct {
	Name   string  // label
	Points []Point // one run for each problem that the planner made a plan for
}

// A Point is a run that made a plan.
type Point struct {
	Problem int     // index into Comparison.Problems
	Ratio   float64 // height divided by the load, at least 1
	Seconds float64 // time in the planner
	Optimal bool    // the plan is proven to be the lowest
}

// The measures of a picture, in pixels.
const (
	width    = 1000.0
	margin   = 24.0
	font     = 12.0
	row      = 18.0
	top      = 78.0 // of the first panel: title, caption, ticks
	panelGap = 78.0
	timeHigh = 380.0
	radius   = 4.0
	most     = 2.5 // ratios above this are drawn at the right edge, with their figure
)

const style = `text{fill:#333}
.title{font-weight:bold;fill:#111}
.axis,.note{fill:#555}
.grid{stroke:#e4e4e4;stroke-width:1;fill:none}
.frame{stroke:#444;stroke-width:1;fill:none}
.load{stroke:#0077bb;stroke-width:1.8;stroke-dasharray:6 4;fill:none}
.mean{stroke:#111;stroke-width:2.2;fill:none}
.leader{stroke:#bbb;stroke-width:.8;fill:none}
.curve{stroke-width:1.6;fill:none}
.dot{stroke-width:.8}
.ring{fill:#fff;stroke-width:1.8}
`

// Write draws the comparison as SVG. The error is w's, or names a point whose problem
// does not exist or whose figures cannot be drawn.
func Write(w io.Writer, c Comparison) error {
	for _, p := range c.Planners {
		for _, q := range p.Points {
			if q.Problem < 0 || q.Problem >= len(c.Problems) {
				return fmt.Errorf("chart: planner %s: there is no problem %d", p.Name, q.Problem)
			}
			if !(q.Ratio >= 0 && q.Ratio < math.MaxInt64) || !(q.Seconds >= 0 && q.Seconds < math.MaxInt64) {
				return fmt.Errorf("chart: planner %s: ratio %v, %v seconds", p.Name, q.Ratio, q.Seconds)
			}
		}
	}
	p := pen{layout.NewPrinter(w)}
	rows := float64(len(c.Planners))
	timeTop := top + rows*row + panelGap
	p.begin(c.Title, timeTop+timeHigh+60)
	left := margin
	for _, planner := range c.Planners {
		left = max(left, margin+textWidth(planner.Name)+10)
	}
	p.heights(c, min(left, width/2))
	p.times(c, timeTop)
	p.S("</svg>\n")
	return p.Flush()
}

// begin writes the head of a picture of the given height, with its title.
func (p pen) begin(title string, high float64) {
	p.S(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `).N(width).S(" ").N(high)
	p.S(`" width="`).N(width).S(`" height="`).N(high).S(`" role="img" aria-label="`).XML(layout.Clean(title))
	p.S("\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n<style>\n")
	for i, colour := range layout.Palette[:layout.Series] {
		p.S(".c").I(i).S("{fill:#").S(colour.Fill).S(";stroke:#").S(colour.Edge).S("}\n")
		p.S(".l").I(i).S("{stroke:#").S(colour.Edge).S("}.t").I(i).S("{fill:#").S(colour.Edge).S("}\n")
	}
	p.S(style).S("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	p.text(margin, margin+4, 16, "title", "start", title)
}

// textWidth guesses the width of a text at the usual size, on the wide side.
func textWidth(s string) float64 { return 0.6 * font * float64(len([]rune(s))) }

// A pen spells the parts of a chart in SVG.
type pen struct{ *layout.Printer }

func (p pen) line(class string, x0, y0, x1, y1 float64) {
	p.S(`<line x1="`).N(x0).S(`" y1="`).N(y0).S(`" x2="`).N(x1).S(`" y2="`).N(y1).S(`" class="`).S(class).S("\"/>\n")
}

func (p pen) text(x, y, size float64, class, anchor, text string) {
	p.S(`<text x="`).N(x).S(`" y="`).N(y).S(`" font-size="`).N(size).S(`" class="`).S(class)
	if anchor != "start" {
		p.S(`" text-anchor="`).S(anchor)
	}
	p.S(`">`).XML(layout.Clean(text)).S("</text>\n")
}

// dot marks a run: a disc, or a square where the plan is proven; a ring where the
// colours are through and start again.
func (p pen) dot(colour int, x, y float64, square bool, tip string) {
	if square {
		p.S(`<rect x="`).N(x - radius).S(`" y="`).N(y - radius).S(`" width="`).N(2 * radius).S(`" height="`).N(2 * radius)
	} else {
		p.S(`<circle cx="`).N(x).S(`" cy="`).N(y).S(`" r="`).N(radius)
	}
	p.S(`" class="dot c`).I(colour % layout.Series)
	if colour/layout.Series%2 == 1 {
		p.S(" ring")
	}
	p.S(`"><title>`).XML(layout.Clean(tip))
	if square {
		p.S("</title></rect>\n")
	} else {
		p.S("</title></circle>\n")
	}
}

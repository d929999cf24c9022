package chart

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/render/internal/layout"
)

// Idea: the share of problems over the capacity, with three bands that fill the plot:
//
//	below the first curve     problems with a plan that fits
//	between the two           nobody knows
//	above the second curve    problems that are proven not to fit
//
// Both curves are steps: a problem joins the first at its height, and the second at its lower bound. A planner has a
// line of its own, from its first problem to its last, with a dot there. Capacities are on a logarithmic scale:
// memories have sizes in powers of two, and problems differ by factors.
//
// Trials: docs/lab/pictures.md (a bar for each capacity hides how close the next step is).

// Sizes is the data of a picture of capacities: the share of the problems that fit.
type Sizes struct {
	Title    string        // heading
	Relative bool          // capacities are multiples of each problem's load, and not bytes
	Problems []Size        // problems
	Planners []SizePlanner // planners with a line of their own
}

// A Size is a problem with the capacities that are known of it.
type Size struct {
	Name     string  // for tooltips
	Possible float64 // no smaller capacity is enough; math.Inf(1) if none is
	Fits     float64 // a plan is known that fits this capacity; math.Inf(1) if there is none
}

// A SizePlanner is a planner with the capacities that its plans need.
type SizePlanner struct {
	Name string    // label
	Fits []float64 // one for each problem that the planner made a plan for
}

// sizeStyle has the bands: what fits is green, what is not known is yellow.
const sizeStyle = `.fits{fill:#8fc79a}
.open{fill:#f2dc8d}
.never{fill:#f3f3f3}
.step{stroke:#1b6b33;stroke-width:1.8;fill:none}
.limit{stroke:#9a7400;stroke-width:1.4;fill:none}
`

// The measures of this picture, in pixels.
const (
	sizeTop  = 74.0
	sizeHigh = 360.0
	sizeLow  = sizeTop + sizeHigh // y of no problem
)

// WriteSizes draws the share of problems that fit, over the capacity, as SVG. The error is w's,
// or names a problem or a planner whose figures cannot be drawn.
func WriteSizes(w io.Writer, d Sizes) error {
	if err := d.check(); err != nil {
		return err
	}
	p := pen{layout.NewPrinter(w)}
	rows := (len(d.Planners) + 3) / 4
	p.begin(d.Title, sizeLow+78+float64(rows)*row)
	p.S("<style>\n").S(sizeStyle).S("</style>\n")
	s := d.scale()
	p.text(margin, margin+22, font, "axis", "start", "Share of the problems, over the capacity"+s.unit())
	var possible, fits []float64
	for _, q := range d.Problems {
		possible, fits = append(possible, q.Possible), append(fits, q.Fits)
	}
	p.rectangle("never", s.left, sizeTop, s.right, sizeLow)
	p.area("open", &s, possible)
	p.area("fits", &s, fits)
	p.sizeAxes(&s)
	p.stairs("limit", s.corners(possible), "not proven to be too small")
	p.stairs("step", s.corners(fits), "a plan fits")
	p.allFit(&s, fits)
	p.sizeLegend()
	for k, planner := range d.Planners {
		p.planner(&s, k, planner)
	}
	p.S("</svg>\n")
	return p.Flush()
}

// check refuses figures that have no place on the scale.
func (d *Sizes) check() error {
	for _, q := range d.Problems {
		for _, v := range [...]float64{q.Possible, q.Fits} {
			if !(v >= 0) {
				return fmt.Errorf("chart: problem %s: capacities %v and %v", q.Name, q.Possible, q.Fits)
			}
		}
	}
	for _, planner := range d.Planners {
		for _, v := range planner.Fits {
			if !(v >= 0 && v < math.MaxInt64) {
				return fmt.Errorf("chart: planner %s: capacity %v", planner.Name, v)
			}
		}
	}
	return nil
}

// A sizeScale says where a capacity and a share are.
type sizeScale struct {
	left, right float64 // x of the plot
	first, last float64 // capacities at its ends, as logarithms to base two
	problems    int
	relative    bool
}

// scale takes the ends from what there is, with some room on both sides.
func (d *Sizes) scale() sizeScale {
	s := sizeScale{left: margin + 46, right: width - margin - 10, problems: len(d.Problems), relative: d.Relative}
	least, most := math.Inf(1), 0.0
	see := func(v float64) {
		if !math.IsInf(v, 1) && v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	for _, q := range d.Problems {
		see(q.Possible)
		see(q.Fits)
	}
	for _, planner := range d.Planners {
		for _, v := range planner.Fits {
			see(v)
		}
	}
	if most == 0 {
		least, most = 1, 1
	}
	s.first, s.last = math.Log2(least), math.Log2(most)
	room := max(0.06*(s.last-s.first), 0.05)
	s.first, s.last = s.first-room, s.last+room
	return s
}

func (s *sizeScale) unit() string {
	if s.relative {
		return " as a multiple of the load of each"
	}
	return ""
}

func (s *sizeScale) x(capacity float64) float64 {
	at := (math.Log2(max(capacity, math.SmallestNonzeroFloat64)) - s.first) / (s.last - s.first)
	return s.left + min(max(at, 0), 1)*(s.right-s.left)
}

func (s *sizeScale) y(count int) float64 {
	return sizeLow - float64(count)/float64(max(s.problems, 1))*sizeHigh
}

// corners returns the corners of a curve that rises by one problem at each of the capacities,
// from the left end of the plot to its right end.
func (s *sizeScale) corners(capacities []float64) (corners [][2]float64) {
	sorted := slices.DeleteFunc(slices.Clone(capacities), func(v float64) bool { return math.IsInf(v, 1) })
	slices.Sort(sorted)
	corners = append(corners, [2]float64{s.left, sizeLow})
	for k, v := range sorted {
		if k+1 < len(sorted) && sorted[k+1] == v {
			continue
		}
		x, before := s.x(v), corners[len(corners)-1][1]
		corners = append(corners, [2]float64{x, before}, [2]float64{x, s.y(k + 1)})
	}
	return append(corners, [2]float64{s.right, corners[len(corners)-1][1]})
}

func (p pen) points(corners [][2]float64) {
	p.S(`points="`)
	for k, c := range corners {
		if k > 0 {
			p.S(" ")
		}
		p.N(c[0]).S(",").N(c[1])
	}
	p.S(`"`)
}

func (p pen) rectangle(class string, x0, y0, x1, y1 float64) {
	p.S(`<rect x="`).N(x0).S(`" y="`).N(y0).S(`" width="`).N(x1 - x0).S(`" height="`).N(y1 - y0).S(`" class="`).S(class).S("\"/>\n")
}

// area fills what is below a curve.
func (p pen) area(class string, s *sizeScale, capacities []float64) {
	p.S(`<polygon class="`).S(class).S(`" `)
	p.points(append(s.corners(capacities), [2]float64{s.right, sizeLow}))
	p.S("/>\n")
}

// stairs draws a curve.
func (p pen) stairs(class string, corners [][2]float64, tip string) {
	p.S(`<polyline class="`).S(class).S(`" `)
	p.points(corners)
	p.S(`><title>`).XML(layout.Clean(tip)).S("</title></polyline>\n")
}

// sizeAxes draws the grid, the frame and what stands beside them.
func (p pen) sizeAxes(s *sizeScale) {
	for percent := 0; percent <= 100; percent += 25 {
		y := sizeLow - float64(percent)/100*sizeHigh
		p.line("grid", s.left, y, s.right, y)
		p.text(s.left-8, y+4, 11, "axis", "end", strconv.Itoa(percent)+"%")
	}
	for _, v := range s.ticks() {
		p.line("grid", s.x(v), sizeTop, s.x(v), sizeLow)
		p.text(s.x(v), sizeLow+18, 11, "axis", "middle", s.label(v))
	}
	p.line("frame", s.left, sizeTop, s.left, sizeLow)
	p.line("frame", s.left, sizeLow, s.right, sizeLow)
}

// ticks returns capacities for the axis: powers of two if there are enough of them in the
// range, or parts between them.
func (s *sizeScale) ticks() (ticks []float64) {
	for _, parts := range [...]int{1, 2, 4, 8, 16, 32, 64} {
		ticks = ticks[:0]
		for e := math.Floor(s.first); e <= s.last; e++ {
			for k := range parts {
				v := math.Exp2(e) * (1 + float64(k)/float64(parts))
				if l := math.Log2(v); l >= s.first && l <= s.last && (s.relative || v == math.Trunc(v)) {
					ticks = append(ticks, v)
				}
			}
		}
		if len(ticks) >= 3 {
			break
		}
	}
	every := (len(ticks) + 10) / 11
	for k := 0; k < len(ticks); k += max(every, 1) {
		ticks[k/max(every, 1)] = ticks[k]
	}
	return ticks[:(len(ticks)+every-1)/max(every, 1)]
}

// label writes a capacity of the axis.
func (s *sizeScale) label(v float64) string {
	if s.relative {
		return strconv.FormatFloat(v, 'f', -1, 64) + "×"
	}
	n := int64(v)
	k := 0
	for k+1 < len(units.Binary) && n >= 1024 && v/1024 >= 1 {
		v, n, k = v/1024, n/1024, k+1
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + " " + units.Binary[k]
}

// allFit says at which capacity the last problem fits, if every one does.
func (p pen) allFit(s *sizeScale, fits []float64) {
	if len(fits) == 0 || math.IsInf(slices.Max(fits), 1) {
		return
	}
	most := slices.Max(fits)
	text := "all fit in " + layout.Thousands(int64(most)) + " bytes"
	if s.problems == 1 {
		text = "fits in " + layout.Thousands(int64(most)) + " bytes"
	}
	if s.relative {
		text = "all fit in " + strconv.FormatFloat(math.Ceil(most*1000)/1000, 'f', 3, 64) + "× the load"
	}
	x, anchor := s.x(most), "end"
	if x < (s.left+s.right)/2 {
		anchor = "start"
	}
	p.text(x, sizeTop-8, 11, "note", anchor, text)
}

// sizeLegend explains the bands.
func (p pen) sizeLegend() {
	x, y := margin+46, sizeLow+44
	for _, band := range [...][2]string{
		{"fits", "a plan fits"}, {"open", "unknown: a limit came first"}, {"never", "proven: no plan fits"},
	} {
		p.rectangle(band[0], x, y-10, x+18, y+2)
		p.text(x+24, y, font, "", "start", band[1])
		x += 44 + textWidth(band[1])
	}
}

// planner draws the line of a planner, with a dot at its last step, and names it below the
// legend, four in a row.
func (p pen) planner(s *sizeScale, k int, planner SizePlanner) {
	colour := strconv.Itoa(k % layout.Series)
	x, y := margin+46+float64(k%4)*230, sizeLow+68+float64(k/4)*row
	tip := fmt.Sprintf("%s: plans for %d of %d", planner.Name, len(planner.Fits), s.problems)
	if len(planner.Fits) > 0 {
		corners := s.corners(planner.Fits)
		p.stairs("curve l"+colour, corners[1:len(corners)-1], tip)
		most := slices.Max(planner.Fits)
		p.dot(k, s.x(most), s.y(len(planner.Fits)), false, tip)
	}
	p.dot(k, x+radius, y-4, false, planner.Name)
	p.text(x+14, y, 11, "t"+colour, "start", planner.Name)
}

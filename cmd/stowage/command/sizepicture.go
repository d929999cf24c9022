package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/units"
)

// Idea: the share of problems over the capacity, with three bands that fill the plot:
//
//	below the first curve     problems with a plan that fits
//	between the two           nobody knows
//	above the second curve    problems that are proven not to fit
//
// Both curves are steps: a problem joins the first at its height, and the second at its lower bound. A planner has a
// curve of its own. Capacities are on a logarithmic scale: what can be bought are powers of two, and problems differ by
// factors. They are bytes, or multiples of the load if all capacities that were asked for are percentages.
//
// Trials: docs/lab/pictures.md (a bar for each capacity hides how close the next step is).

// picture draws the curve as SVG.
func (c *curve) picture() string {
	title := "Capacity for " + count(len(c.problems), "problem")
	caption, unit := "Share of the problems, over the capacity", " bytes"
	if len(c.problems) == 1 {
		title = "Capacity for " + c.problems[0].Name
	}
	lines := &picture.Lines{
		Height: 440, Y: picture.Axis{Text: picture.Percent, Most: 1},
		X: picture.Axis{
			Log: true, Double: true, Text: func(v float64) string { return strings.TrimPrefix(units.Short(int64(v)), "≈ ") },
		},
	}
	relative := len(c.capacities) > 0 &&
		!slices.ContainsFunc(c.capacities, func(at capacity) bool { return at.share == nil })
	if relative {
		caption += " as a multiple of the load of each"
		lines.X.Double, lines.X.Text, unit = false, picture.Times, "× the load"
	}
	scale := func(p *sized, bytes int64) float64 {
		if relative {
			return max(1, float64(bytes)/float64(max(p.Load, 1)))
		}
		return float64(max(bytes, 1)) // 0 has no place on the axis
	}
	var possible, fits []float64 // no smaller capacity is enough; a plan is known that fits
	for k := range c.problems {
		p := &c.problems[k]
		if p.known.Status != stowage.Infeasible {
			possible = append(possible, scale(p, p.known.LowerBound))
		}
		if p.known.Status.HasPlan() {
			fits = append(fits, scale(p, p.known.Height))
		}
	}
	if n := len(c.problems); n > 0 && len(fits) == n {
		most := comparison.Grouped(int64(slices.Max(fits)))
		if relative {
			most = fmt.Sprintf("%.3f", math.Ceil(slices.Max(fits)*1000)/1000)
		}
		caption += map[bool]string{true: ": fits in ", false: ": all fit in "}[n == 1] + most + unit
	}
	lines.Title = caption
	if len(c.planners) > 1 {
		for k, planner := range c.planners {
			var needs []float64
			for i, height := range c.heights(k) {
				if height >= 0 {
					needs = append(needs, scale(&c.problems[i], height))
				}
			}
			lines.Series = append(lines.Series, c.stairs(planner, needs))
		}
	}
	lines.Under = c.bands(possible, fits, lines.Series)
	return picture.SVG(title, lines)
}

// stairs is a curve that rises by one problem at each of the capacities.
func (c *curve) stairs(name string, capacities []float64) picture.Series {
	s := picture.Series{
		Name: fmt.Sprintf("%s: plans for %d", name, len(capacities)), Step: true, Bare: len(capacities) > 40,
	}
	slices.Sort(capacities)
	for k, v := range capacities {
		if k == 0 {
			s.Points = append(s.Points, [2]float64{v, 0})
		}
		s.Points = append(s.Points, [2]float64{v, float64(k+1) / float64(len(c.problems))})
	}
	return s
}

// bands are what fits, what is unknown and what is proven not to fit, with some room on both sides of all capacities.
func (c *curve) bands(possible, fits []float64, planners []picture.Series) *picture.Bands {
	b := &picture.Bands{Layers: []picture.Layer{
		{Name: "a plan fits", Look: 2, Pale: true},
		{Name: "unknown: a limit came first", Look: 5, Pale: true},
		{Name: "proven: no plan fits", Plain: true},
	}}
	slices.Sort(possible)
	slices.Sort(fits)
	share := func(sorted []float64, most float64) float64 {
		n, _ := slices.BinarySearch(sorted, math.Nextafter(most, math.Inf(1)))
		return float64(n) / float64(max(len(c.problems), 1))
	}
	step := func(at, reached float64) {
		b.At = append(b.At, at)
		fit, open := share(fits, reached), share(possible, reached)
		for k, v := range []float64{fit, open - fit, 1 - open} {
			b.Layers[k].Values = append(b.Layers[k].Values, v)
		}
	}
	places := slices.Concat(possible, fits)
	least, most := 1.0, 1.0
	all := slices.Clone(places)
	for _, s := range planners {
		for _, q := range s.Points {
			all = append(all, q[0])
		}
	}
	if len(all) > 0 {
		least, most = slices.Min(all), slices.Max(all)
	}
	room := max(math.Pow(most/least, 0.06), math.Exp2(0.05))
	step(least/room, 0)
	slices.Sort(places)
	for _, v := range slices.Compact(places) {
		step(v, math.Nextafter(v, 0))
		step(v, v)
	}
	step(most*room, most)
	return b
}

package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/render/internal/layout"
)

// Idea: a line for each planner, the time over the number of buffers, both on
// logarithmic scales, where a power is a straight line. Names stand at the right
// ends of the lines, moved apart so that none covers another; a leader ties a
// name that had to move to its line. Times under ten microseconds are drawn as
// that: below it the clock says little.

// quickest is the shortest time that is told from others, in seconds.
const quickest = 1e-5

// times draws the second panel, with its plot from the given y down.
func (p pen) times(c Comparison, from float64) {
	left, right, to := margin+60, width-margin-200, from+timeHigh
	p.text(margin, from-30, font, "axis", "start", "Seconds against buffers")
	least, greatest := math.Inf(1), 0.0
	fewest, largest := math.Inf(1), 0.0
	for _, planner := range c.Planners {
		for _, q := range planner.Points {
			s, n := max(q.Seconds, quickest), max(1, float64(c.Problems[q.Problem].Buffers))
			least, greatest = min(least, s), max(greatest, s)
			fewest, largest = min(fewest, n), max(largest, n)
		}
	}
	if greatest == 0 {
		p.text(left, from+20, font, "note", "start", "no plan")
		return
	}
	// Whole decades of time; sizes as they are, with some room.
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(greatest)+1e-9)
	high = max(high, low+1)
	first, last := math.Log10(fewest), math.Log10(largest)
	if last-first < 0.1 {
		first, last = first-0.5, last+0.5
	}
	x := func(n int) float64 {
		return left + (math.Log10(max(1, float64(n)))-first)/(last-first)*(right-left)
	}
	y := func(s float64) float64 {
		return to - (math.Log10(max(s, quickest))-low)/(high-low)*timeHigh
	}
	for e := low; e <= high; e++ {
		at := to - (e-low)/(high-low)*timeHigh
		p.line("grid", left, at, right, at)
		p.text(left-8, at+4, 11, "axis", "end", seconds(math.Pow(10, e)))
	}
	for _, n := range sizeTicks(first, last) {
		at := x(int(n))
		p.line("grid", at, from, at, to)
		p.text(at, to+18, 11, "axis", "middle", layout.Thousands(n))
	}
	p.line("frame", left, from, left, to)
	p.line("frame", left, to, right, to)
	p.text((left+right)/2, to+38, 11, "axis", "middle", "buffers")

	type name struct {
		text   string
		colour int
		x, y   float64 // where its line ends
		at     float64 // where it stands
	}
	var names []name
	for k, planner := range c.Planners {
		if len(planner.Points) == 0 {
			continue
		}
		points := slices.Clone(planner.Points)
		slices.SortStableFunc(points, func(a, b Point) int {
			return cmp.Compare(c.Problems[a.Problem].Buffers, c.Problems[b.Problem].Buffers)
		})
		p.S(`<polyline class="curve l`).I(k % len(layout.Palette)).S(`" points="`)
		for i, q := range points {
			if i > 0 {
				p.S(" ")
			}
			p.N(x(c.Problems[q.Problem].Buffers)).S(",").N(y(q.Seconds))
		}
		p.S(`"><title>`).XML(layout.Clean(planner.Name)).S("</title></polyline>\n")
		for _, q := range points {
			problem := c.Problems[q.Problem]
			tip := fmt.Sprintf("%s on %s: %d buffers, %.3g s", planner.Name, problem.Name, problem.Buffers, q.Seconds)
			p.dot(k, x(problem.Buffers), y(q.Seconds), q.Optimal, tip)
		}
		end := points[len(points)-1]
		names = append(names, name{planner.Name, k % len(layout.Palette), x(c.Problems[end.Problem].Buffers), y(end.Seconds), 0})
	}
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.y, b.y) })
	// Down from the top, then up from the bottom where that runs out.
	pitch := min(13, (timeHigh+50)/float64(len(names)))
	floor := from - 20
	for k := range names {
		names[k].at = max(names[k].y, floor)
		floor = names[k].at + pitch
	}
	ceiling := to + 30
	for k := len(names) - 1; k >= 0; k-- {
		names[k].at = min(names[k].at, ceiling)
		ceiling = names[k].at - pitch
	}
	for _, n := range names {
		p.line("leader", n.x+radius, n.y, right+14, n.at)
		p.text(right+18, n.at+4, min(11, pitch-1), "t"+strconv.Itoa(n.colour), "start", n.text)
	}
}

// sizeTicks returns round numbers whose logarithms lie in [first, last]: powers
// of ten, or 2 and 5 times those as well where there are too few.
func sizeTicks(first, last float64) []int64 {
	var ticks []int64
	for _, factors := range [][]float64{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}} {
		ticks = ticks[:0]
		for e := math.Floor(first); e <= last; e++ {
			for _, f := range factors {
				v := math.Round(f * math.Pow(10, e))
				if l := math.Log10(v); v >= 1 && l >= first-1e-9 && l <= last+1e-9 && !slices.Contains(ticks, int64(v)) {
					ticks = append(ticks, int64(v))
				}
			}
		}
		if len(ticks) >= 3 {
			break
		}
	}
	return ticks
}

// seconds formats a power of ten.
func seconds(s float64) string {
	switch {
	case s < 0.9e-3:
		return strconv.FormatFloat(s*1e6, 'f', 0, 64) + " µs"
	case s < 0.9:
		return strconv.FormatFloat(s*1e3, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(s, 'f', 0, 64) + " s"
}

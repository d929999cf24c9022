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
	s := timeScale{left: margin + 60, right: width - margin - 200, from: from, to: from + timeHigh}
	p.text(margin, from-30, font, "axis", "start", "Seconds against buffers")
	if !s.fit(c) {
		p.text(s.left, from+20, font, "note", "start", "no plan")
		return
	}
	p.timeAxes(&s)
	var names []timeName
	for k, planner := range c.Planners {
		if len(planner.Points) > 0 {
			names = append(names, p.curve(c, k, &s))
		}
	}
	p.timeNames(names, &s)
}

// A timeScale says where on the second panel a time and a size are: whole decades of time;
// sizes as they are, with some room. All four ends are logarithms to base ten.
type timeScale struct {
	left, right, from, to  float64
	low, high, first, last float64
}

// fit takes the ends from what there is, if anything.
func (s *timeScale) fit(c Comparison) bool {
	least, greatest := math.Inf(1), 0.0
	fewest, largest := math.Inf(1), 0.0
	for _, planner := range c.Planners {
		for _, q := range planner.Points {
			t, n := max(q.Seconds, quickest), max(1, float64(c.Problems[q.Problem].Buffers))
			least, greatest = min(least, t), max(greatest, t)
			fewest, largest = min(fewest, n), max(largest, n)
		}
	}
	s.low, s.high = math.Floor(math.Log10(least)), math.Ceil(math.Log10(greatest)+1e-9)
	s.high = max(s.high, s.low+1)
	s.first, s.last = math.Log10(fewest), math.Log10(largest)
	if s.last-s.first < 0.1 {
		s.first, s.last = s.first-0.5, s.last+0.5
	}
	return greatest > 0
}

func (s *timeScale) x(n int) float64 {
	return s.left + (math.Log10(max(1, float64(n)))-s.first)/(s.last-s.first)*(s.right-s.left)
}

func (s *timeScale) y(t float64) float64 {
	return s.to - (math.Log10(max(t, quickest))-s.low)/(s.high-s.low)*timeHigh
}

// timeAxes draws the grid, the frame and what stands beside them.
func (p pen) timeAxes(s *timeScale) {
	for e := s.low; e <= s.high; e++ {
		at := s.to - (e-s.low)/(s.high-s.low)*timeHigh
		p.line("grid", s.left, at, s.right, at)
		p.text(s.left-8, at+4, 11, "axis", "end", seconds(math.Pow(10, e)))
	}
	for _, n := range sizeTicks(s.first, s.last) {
		at := s.x(int(n))
		p.line("grid", at, s.from, at, s.to)
		p.text(at, s.to+18, 11, "axis", "middle", layout.Thousands(n))
	}
	p.line("frame", s.left, s.from, s.left, s.to)
	p.line("frame", s.left, s.to, s.right, s.to)
	p.text((s.left+s.right)/2, s.to+38, 11, "axis", "middle", "buffers")
}

// A timeName is the name of a planner beside its curve.
type timeName struct {
	text   string
	colour int
	x, y   float64 // where its curve ends
	at     float64 // where it stands
}

// curve draws the curve of planner k, with a dot for each problem.
func (p pen) curve(c Comparison, k int, s *timeScale) timeName {
	planner := c.Planners[k]
	points := slices.Clone(planner.Points)
	slices.SortStableFunc(points, func(a, b Point) int {
		return cmp.Compare(c.Problems[a.Problem].Buffers, c.Problems[b.Problem].Buffers)
	})
	p.S(`<polyline class="curve l`).I(k % layout.Series).S(`" points="`)
	for i, q := range points {
		if i > 0 {
			p.S(" ")
		}
		p.N(s.x(c.Problems[q.Problem].Buffers)).S(",").N(s.y(q.Seconds))
	}
	p.S(`"><title>`).XML(layout.Clean(planner.Name)).S("</title></polyline>\n")
	for _, q := range points {
		problem := c.Problems[q.Problem]
		tip := fmt.Sprintf("%s on %s: %d buffers, %.3g s", planner.Name, problem.Name, problem.Buffers, q.Seconds)
		p.dot(k, s.x(problem.Buffers), s.y(q.Seconds), q.Optimal, tip)
	}
	end := points[len(points)-1]
	return timeName{planner.Name, k % layout.Series, s.x(c.Problems[end.Problem].Buffers), s.y(end.Seconds), 0}
}

// timeNames puts the names where the curves end, but apart: down from the top, then up
// from the bottom where that runs out.
func (p pen) timeNames(names []timeName, s *timeScale) {
	slices.SortStableFunc(names, func(a, b timeName) int { return cmp.Compare(a.y, b.y) })
	pitch := min(13, (timeHigh+50)/float64(len(names)))
	floor := s.from - 20
	for k := range names {
		names[k].at = max(names[k].y, floor)
		floor = names[k].at + pitch
	}
	ceiling := s.to + 30
	for k := len(names) - 1; k >= 0; k-- {
		names[k].at = min(names[k].at, ceiling)
		ceiling = names[k].at - pitch
	}
	for _, n := range names {
		p.line("leader", n.x+radius, n.y, s.right+14, n.at)
		p.text(s.right+18, n.at+4, min(11, pitch-1), "t"+strconv.Itoa(n.colour), "start", n.text)
	}
}

// sizeTicks returns round numbers whose logarithms lie in [first, last]: powers
// of ten, or 2 and 5 times those as well if there are too few.
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

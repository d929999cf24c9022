package chart

import (
	"fmt"
	"math"
	"strconv"
)

// Idea: a row for each planner, a dot for each problem, at the height over the
// load; a bar at the geometric mean. Bars for each problem, as the report has
// them, become unreadable with thirty planners on eleven problems.
//
// The scale is linear from the load up to the worst planner, or to two and a half
// times the load where some are worse; what is beyond is drawn at the edge, with
// the mean in figures, so that the planners that matter have the room.

// heights draws the first panel; its plot starts at the given x.
func (p pen) heights(c Comparison, left float64) {
	right, bottom := width-margin-70, top+float64(len(c.Planners))*row
	highest := 1.05
	for _, planner := range c.Planners {
		for _, q := range planner.Points {
			highest = max(highest, q.Ratio)
		}
	}
	highest = min(highest, most)
	at := func(ratio float64) float64 { return left + (min(ratio, highest)-1)/(highest-1)*(right-left) }

	p.text(margin, margin+22, font, "axis", "start",
		"Height over load; a dot is a problem, a square a proven optimum, the bar the geometric mean")
	step := tickStep(highest - 1)
	for k := 0; ; k++ {
		v := 1 + float64(k)*step
		if v > highest+1e-9 {
			break
		}
		class := "grid"
		if k == 0 {
			class = "load"
		}
		p.line(class, at(v), top-4, at(v), bottom)
		p.text(at(v), top-10, 11, "axis", "middle", strconv.FormatFloat(v, 'f', decimals(step), 64))
	}
	for k, planner := range c.Planners {
		y := top + (float64(k)+0.5)*row
		p.line("grid", left, y, right, y)
		p.text(left-8, y+4, font, "", "end", planner.Name)
		if len(planner.Points) == 0 {
			p.text(left+6, y+4, 11, "note", "start", "no plan")
			continue
		}
		sum := 0.0
		for _, q := range planner.Points {
			sum += math.Log(max(q.Ratio, 1e-9))
		}
		mean := math.Exp(sum / float64(len(planner.Points)))
		for _, q := range planner.Points {
			tip := fmt.Sprintf("%s on %s: %.4g of the load, %.3g s", planner.Name, c.Problems[q.Problem].Name,
				q.Ratio, q.Seconds)
			p.dot(q.Problem, at(q.Ratio), y, q.Optimal, tip)
		}
		p.line("mean", at(mean), y-7, at(mean), y+7)
		p.text(right+10, y+4, 11, "note", "start", fmt.Sprintf("%.3f", mean))
	}
	p.text(right+10, top-10, 11, "axis", "start", "mean")
	p.legend(c, bottom+20)
}

// legend names the problems by their colours, as far as there is room.
func (p pen) legend(c Comparison, y float64) {
	x := margin
	for k, problem := range c.Problems {
		need := textWidth(problem.Name) + 24
		if x+need > width-margin-60 && k+1 < len(c.Problems) {
			p.text(x, y+4, 11, "note", "start", fmt.Sprintf("and %d more", len(c.Problems)-k))
			return
		}
		p.dot(k, x+radius, y, false, problem.Name)
		p.text(x+14, y+4, 11, "axis", "start", problem.Name)
		x += need
	}
}

// tickStep returns a round step that makes 4 to 10 ticks of a span.
func tickStep(span float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(span/4)))
	for _, f := range [...]float64{5, 2} {
		if span/(step*f) >= 4 {
			return step * f
		}
	}
	return step
}

func decimals(step float64) int { return max(0, int(math.Ceil(-math.Log10(step)-1e-9))) }

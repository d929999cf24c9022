package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: a row for each planner, a mark for each problem, at the height over the load. Bars for each problem become
// unreadable with thirty planners on eleven problems. Below it is the time over the number of buffers, both on
// logarithmic scales, where a power is a straight line.
//
// Source: Figure 6 and Table 1 of the idealloc report (CONVOLVE D5.5) have the same for several planners.

// A Chart is what is drawn of a comparison.
type Chart struct {
	Title    string
	Problems []ChartProblem
	Planners []ChartPlanner // in the order of the rows from the top
}

// A ChartProblem is a problem that the planners planned.
type ChartProblem struct {
	Name    string
	Buffers int
}

// A ChartPlanner is a row of heights and a curve of times.
type ChartPlanner struct {
	Name   string
	Points []ChartPoint // one for each problem that the planner made a plan for
}

// A ChartPoint is a run that made a plan.
type ChartPoint struct {
	Problem int     // index into Chart.Problems
	Ratio   float64 // height divided by the load
	Seconds float64
	Optimal bool // no plan is lower
}

const (
	mostRatio = 2.5  // what is higher is drawn at the edge, so that the planners that matter have the room
	quickest  = 1e-5 // seconds; below it the clock says little
)

// Figures draws the heights and the times.
func (c *Chart) Figures() (heights *picture.Rows, times *picture.Lines) {
	heights = &picture.Rows{
		Title: "Height over load: a mark for each problem, filled if no plan is lower; the bar is the geometric mean",
		X:     picture.Axis{Least: 1, Most: 1.05}, Flat: true,
	}
	times = &picture.Lines{
		Title: "Time against buffers", Height: 440, Named: true,
		X: picture.Axis{Title: "buffers", Log: true, Tight: true, Text: func(v float64) string { return Grouped(int64(v + 0.5)) }},
		Y: picture.Axis{Log: true, Text: picture.Seconds},
	}
	for _, p := range c.Problems {
		heights.Series = append(heights.Series, p.Name)
	}
	for _, planner := range c.Planners {
		row := picture.Row{
			Name: planner.Name, Note: "no plan", Values: make([]float64, len(c.Problems)),
			Tips: make([]string, len(c.Problems)), Hollow: make([]bool, len(c.Problems)),
		}
		for k := range row.Values {
			row.Values[k] = math.NaN()
		}
		curve := picture.Series{Name: planner.Name, Line: true}
		points := slices.Clone(planner.Points)
		slices.SortStableFunc(points, func(a, b ChartPoint) int {
			return cmp.Compare(c.Problems[a.Problem].Buffers, c.Problems[b.Problem].Buffers)
		})
		var ratios []float64
		for _, q := range points {
			p := c.Problems[q.Problem]
			tip := fmt.Sprintf("%s on %s: %.4g of the load, %.3g s, %d buffers", planner.Name, p.Name, q.Ratio, q.Seconds,
				p.Buffers)
			ratios = append(ratios, max(q.Ratio, 1e-9))
			row.Values[q.Problem], row.Tips[q.Problem], row.Hollow[q.Problem] = min(q.Ratio, mostRatio), tip, !q.Optimal
			curve.Points = append(curve.Points, [2]float64{float64(max(p.Buffers, 1)), max(q.Seconds, quickest)})
			curve.Tips = append(curve.Tips, tip)
		}
		if len(ratios) > 0 {
			mean := GeometricMean(ratios)
			row.Mean, row.Note = min(mean, mostRatio), fmt.Sprintf("%.3f", mean)
		}
		heights.Rows, times.Series = append(heights.Rows, row), append(times.Series, curve)
	}
	return heights, times
}

// chart returns what is drawn: each planner's plans.
func (c *Result) chart() *Chart {
	d := &Chart{Title: fmt.Sprintf("%d planners on %d problems", len(c.Planners), len(c.Instances))}
	for k := range c.Instances {
		d.Problems = append(d.Problems, ChartProblem{c.Instances[k].Name, len(c.Instances[k].Problem.Buffers)})
	}
	for _, l := range c.lines() {
		p := ChartPlanner{Name: c.Planners[l.planner]}
		for i := range c.Instances {
			if r := c.At(i, l.planner); r != nil && r.HasPlan() {
				p.Points = append(p.Points, ChartPoint{
					Problem: i, Ratio: c.Instances[i].Ratio(r.Height), Seconds: c.Cells[i][l.planner].seconds(),
					Optimal: r.Is(stowage.Optimal),
				})
			}
		}
		d.Planners = append(d.Planners, p)
	}
	return d
}

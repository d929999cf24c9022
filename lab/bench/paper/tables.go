package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: a sweep as two tables. By size: the share solved and the median time, as
// figure 10 of the MiniMalloc paper, runs that reach the limit counting as the
// limit, so that a median may be one. By problem: the median time of each planner,
// as figures 12 and 8 of the two papers; the last lines are how many are solved and
// the median of the ratios to tela, over the problems that both solve (the
// TelaMalloc paper has 4.7 for its ILP).

// limitOf is the limit of a planner's runs, in seconds; 0 where it has none.
func limitOf(c *comparison.Result, planner int) float64 {
	for _, cells := range c.Cells {
		if len(cells[planner]) > 0 {
			return cells[planner][0].Timeout
		}
	}
	return 0
}

// limitText is the limit of all planners' runs, for the head of a table; "" where they have
// several.
func limitText(c *comparison.Result) string {
	limit := 0.0
	for k := range c.Planners {
		switch l := limitOf(c, k); {
		case l == 0 || l == limit:
		case limit > 0:
			return ""
		default:
			limit = l
		}
	}
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf(", limit %g s", limit)
}

// entry formats a cell: the median in ms, > limit, or a dash.
func entry(c comparison.Cell) string {
	switch seconds, ok := c.Median(); {
	case ok && c[0].Is(stowage.Infeasible):
		return comparison.Milliseconds(seconds) + " (infeasible)"
	case ok:
		return comparison.Milliseconds(seconds)
	case len(c) == 0:
		return "–"
	case c[0].Status == comparison.Refused:
		if c[0].Message != "" && len(c[0].Message) > len(died) && c[0].Message[:len(died)] == died {
			return "died"
		}
		return c[0].Status
	case c[0].Timeout == 0 || c[0].Seconds < 0.9*c[0].Timeout:
		return "no plan"
	}
	return "> " + comparison.Milliseconds(c[0].Timeout)
}

// byProblem is a line for each problem, times in ms.
func byProblem(c *comparison.Result) *comparison.Table {
	var rows [][]string
	solved := make([]int, len(c.Planners))
	ran := make([]int, len(c.Planners))
	for i := range c.Instances {
		row := []string{c.Instances[i].Name}
		for k := range c.Planners {
			cell := c.Cells[i][k]
			row = append(row, entry(cell))
			if len(cell) > 0 {
				ran[k]++
			}
			if _, ok := cell.Median(); ok {
				solved[k]++
			}
		}
		rows = append(rows, row)
	}
	total := []string{fmt.Sprintf("solved, of %d", len(c.Instances))}
	for k, n := range solved {
		text := strconv.Itoa(n)
		if ran[k] < len(c.Instances) {
			text += fmt.Sprintf(" of %d run", ran[k])
		}
		total = append(total, text)
	}
	rows = append(rows, total)
	if base := slices.Index(c.Planners, "tela"); base >= 0 {
		ratios := []string{"median ratio to tela"}
		for k := range c.Planners {
			x, n := medianRatio(c, k, base)
			ratios = append(ratios, ratioText(x, n))
		}
		rows = append(rows, ratios)
	}
	return comparison.NewTable(append([]string{"ms" + limitText(c)}, c.Planners...), rows)
}

// medianRatio is the median over the problems that both solve of a planner's time over that
// of another, and how many there are. Of an even number it is the geometric mean of the two
// in the middle, so that the ratio of b to a is one over that of a to b.
func medianRatio(c *comparison.Result, planner, base int) (float64, int) {
	var ratios []float64
	for _, cells := range c.Cells {
		a, solved := cells[planner].Median()
		b, too := cells[base].Median()
		if solved && too {
			ratios = append(ratios, math.Log(a/b))
		}
	}
	if len(ratios) == 0 {
		return math.NaN(), 0
	}
	return math.Exp(comparison.Median(ratios)), len(ratios)
}

// ratioText writes a ratio, or that there is none.
func ratioText(x float64, n int) string {
	if n == 0 {
		return "–"
	}
	return comparison.Ratio(x)
}

// between is the ratio of two planners by their names.
func between(c *comparison.Result, planner, base string) ratio {
	a, b := slices.Index(c.Planners, planner), slices.Index(c.Planners, base)
	if a < 0 || b < 0 {
		return ratio{math.NaN(), 0}
	}
	x, n := medianRatio(c, a, b)
	return ratio{x, n}
}

// solvedBy is how many problems a planner solves, of how many it was run on.
func solvedBy(c *comparison.Result, planner string) (solved, ran int) {
	k := slices.Index(c.Planners, planner)
	if k < 0 {
		return 0, 0
	}
	for _, cells := range c.Cells {
		if len(cells[k]) > 0 {
			ran++
		}
		if _, ok := cells[k].Median(); ok {
			solved++
		}
	}
	return solved, ran
}

// bySize is a line for each number of buffers: for each planner the share solved and
// the median time in ms.
func bySize(c *comparison.Result) *comparison.Table {
	header := []string{"buffers" + limitText(c)}
	for _, name := range c.Planners {
		header = append(header, name+" solved", "ms")
	}
	groups := sizesOf(c)
	var rows [][]string
	var all []int
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		rows = append(rows, shares(c, strconv.Itoa(n), groups[n]))
		all = append(all, groups[n]...)
	}
	rows = append(rows, shares(c, "all", all))
	// A sweep that was cut short has not run all planners on all problems.
	count := []string{"problems run"}
	for k := range c.Planners {
		ran := 0
		for _, cells := range c.Cells {
			if len(cells[k]) > 0 {
				ran++
			}
		}
		count = append(count, strconv.Itoa(ran), "")
	}
	return comparison.NewTable(header, append(rows, count))
}

// sizesOf groups problems by their number of buffers.
func sizesOf(c *comparison.Result) map[int][]int {
	groups := map[int][]int{}
	for i := range c.Instances {
		n := len(c.Instances[i].Problem.Buffers)
		groups[n] = append(groups[n], i)
	}
	return groups
}

// share is the share of problems that a planner solves and its median time, of those
// that it was run on; ok is false for none.
func share(c *comparison.Result, planner int, instances []int) (solved, seconds float64, ok bool) {
	limit := limitOf(c, planner)
	var times []float64
	n := 0
	for _, i := range instances {
		cell := c.Cells[i][planner]
		if len(cell) == 0 {
			continue
		}
		t, ok := cell.Median()
		if ok {
			n++
		}
		times = append(times, min(t, limit))
	}
	if len(times) == 0 {
		return 0, 0, false
	}
	return float64(n) / float64(len(times)), comparison.Median(times), true
}

// shares is one line of bySize.
func shares(c *comparison.Result, title string, instances []int) []string {
	row := []string{title}
	for k := range c.Planners {
		solved, seconds, ok := share(c, k, instances)
		if !ok {
			row = append(row, "–", "–")
			continue
		}
		text := comparison.Milliseconds(seconds)
		if seconds >= limitOf(c, k) {
			text = "> " + text
		}
		row = append(row, fmt.Sprintf("%.0f%%", 100*solved), text)
	}
	return row
}

// timesPicture is a row for each problem and a mark for each planner.
func timesPicture(title string, c *comparison.Result, extra ...func(*picture.Rows)) string {
	p := &picture.Rows{Title: title, X: picture.Axis{Title: "time; › is a limit that was reached", Log: true, Text: picture.Seconds}, Series: c.Planners}
	for i := range c.Instances {
		row := picture.Row{Name: c.Instances[i].Name}
		for k := range c.Planners {
			cell := c.Cells[i][k]
			v, over := math.NaN(), false
			if t, ok := cell.Median(); ok {
				v = max(t, 1e-6)
			} else if len(cell) > 0 && cell[0].Seconds > 0.9*cell[0].Timeout {
				v, over = cell[0].Timeout, true
			}
			row.Values, row.Over = append(row.Values, v), append(row.Over, over)
		}
		p.Rows = append(p.Rows, row)
	}
	for _, f := range extra {
		f(p)
	}
	return p.HTML()
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/experiment"
)

// Idea: two tables of one sweep. By size: the share solved and the median time,
// as figure 10 of the MiniMalloc paper, runs that reach the limit counting as
// the limit, so that a median may be one. By problem: the median time of each
// planner, as figures 12 and 8 of the two papers; the last lines are how many
// are solved and the median of the ratios to tela, over the problems that both
// solve (the TelaMalloc paper has 4.7 for its ILP).

// entry formats a cell: the median in ms, > limit, or a dash.
func entry(c experiment.Cell, limit float64) string {
	switch seconds, ok := c.Median(); {
	case ok && c[0].Status == "infeasible":
		return experiment.Milliseconds(seconds) + " (infeasible)"
	case ok:
		return experiment.Milliseconds(seconds)
	case len(c) == 0:
		return "–"
	case c[0].Status == experiment.Refused:
		return c[0].Status
	}
	return "> " + experiment.Milliseconds(limit)
}

// byProblem is a line for each problem, times in ms.
func byProblem(c *experiment.Comparison, limit float64) string {
	var rows [][]string
	solved := make([]int, len(c.Planners))
	for i := range c.Instances {
		row := []string{c.Instances[i].Name}
		for k := range c.Planners {
			cell := c.Cells[i][k]
			row = append(row, entry(cell, limit))
			if _, ok := cell.Median(); ok {
				solved[k]++
			}
		}
		rows = append(rows, row)
	}
	total := []string{fmt.Sprintf("solved, of %d", len(c.Instances))}
	for _, n := range solved {
		total = append(total, strconv.Itoa(n))
	}
	rows = append(rows, total)
	if base := slices.Index(c.Planners, "tela"); base >= 0 {
		ratios := []string{"median ratio to tela"}
		for k := range c.Planners {
			ratios = append(ratios, ratio(c, k, base))
		}
		rows = append(rows, ratios)
	}
	return experiment.NewTable(header("ms", limit, c.Planners), rows).Markdown()
}

func header(what string, limit float64, columns []string) []string {
	return append([]string{fmt.Sprintf("%s, limit %g s", what, limit)}, columns...)
}

// ratio is the median over the problems that both solve of a planner's time
// over that of another.
func ratio(c *experiment.Comparison, planner, base int) string {
	var ratios []float64
	for _, cells := range c.Cells {
		a, solved := cells[planner].Median()
		b, too := cells[base].Median()
		if solved && too {
			ratios = append(ratios, a/b)
		}
	}
	if len(ratios) == 0 {
		return "–"
	}
	return experiment.Ratio(experiment.Median(ratios))
}

// bySize is a line for each number of buffers: for each planner the share
// solved and the median time in ms.
func bySize(c *experiment.Comparison, limit float64) string {
	var columns []string
	for _, name := range c.Planners {
		columns = append(columns, name+" solved", "ms")
	}
	groups := map[int][]int{}
	var all []int
	for i := range c.Instances {
		n := len(c.Instances[i].Problem.Buffers)
		groups[n], all = append(groups[n], i), append(all, i)
	}
	var rows [][]string
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		rows = append(rows, shares(c, strconv.Itoa(n), groups[n], limit))
	}
	rows = append(rows, shares(c, "all", all, limit))
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
	return experiment.NewTable(header("buffers", limit, columns), append(rows, count)).Markdown()
}

// shares is one line of bySize.
func shares(c *experiment.Comparison, title string, instances []int, limit float64) []string {
	row := []string{title}
	for k := range c.Planners {
		solved := 0
		var times []float64
		for _, i := range instances {
			cell := c.Cells[i][k]
			if len(cell) == 0 {
				continue
			}
			seconds, ok := cell.Median()
			if ok {
				solved++
			}
			times = append(times, min(seconds, limit))
		}
		if len(times) == 0 {
			row = append(row, "–", "–")
			continue
		}
		median := experiment.Median(times)
		text := experiment.Milliseconds(median)
		if median >= limit {
			text = "> " + text
		}
		row = append(row, fmt.Sprintf("%.0f%%", 100*float64(solved)/float64(len(times))), text)
	}
	return row
}

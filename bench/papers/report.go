package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage/bench/internal/record"
)

// Idea: two tables of one sweep. By size: the share solved and the median time,
// as figure 10 of the MiniMalloc paper, runs that reach the limit counting as
// the limit, so that a median may be one. By problem: the median time of each
// planner, as figures 12 and 8 of the two papers; the last lines are how many
// are solved and the median of the ratios to tela, over the problems that both
// solve (the TelaMalloc paper has 4.7 for its ILP).

// median returns the median time of a cell; ok is false where it is not solved.
func (c *cell) median() (seconds float64, ok bool) {
	if c == nil || !c.solved() || len(c.Seconds) == 0 {
		return math.Inf(1), false
	}
	return record.Median(c.Seconds), true
}

// entry formats a cell: the median in ms, > limit, or a dash.
func (s *sweepFile) entry(c *cell) string {
	switch seconds, ok := c.median(); {
	case ok && c.Status == "infeasible":
		return record.Milliseconds(seconds) + " (infeasible)"
	case ok:
		return record.Milliseconds(seconds)
	case c == nil:
		return "–"
	case c.Status == "refused":
		return "refused"
	}
	return "> " + record.Milliseconds(s.Limit)
}

// byProblem is a line for each problem, times in ms.
func (s *sweepFile) byProblem(problems []problem, planners []string) string {
	var rows [][]string
	solved := make([]int, len(planners))
	for _, q := range problems {
		row := []string{q.name}
		for k, name := range planners {
			c := s.cell(q.name, name)
			row = append(row, s.entry(c))
			if _, ok := c.median(); ok {
				solved[k]++
			}
		}
		rows = append(rows, row)
	}
	total := []string{fmt.Sprintf("solved, of %d", len(problems))}
	ratios := []string{"median ratio to tela"}
	for k, name := range planners {
		total = append(total, fmt.Sprint(solved[k]))
		ratios = append(ratios, s.ratio(problems, name))
	}
	rows = append(rows, total)
	if slices.Contains(planners, "tela") {
		rows = append(rows, ratios)
	}
	header := append([]string{fmt.Sprintf("ms, limit %g s", s.Limit)}, planners...)
	return record.Table(header, rows)
}

// ratio is the median over the problems that both solve of a planner's time
// over tela's.
func (s *sweepFile) ratio(problems []problem, name string) string {
	var ratios []float64
	for _, q := range problems {
		a, solved := s.cell(q.name, name).median()
		b, too := s.cell(q.name, "tela").median()
		if solved && too {
			ratios = append(ratios, a/b)
		}
	}
	if len(ratios) == 0 {
		return "–"
	}
	return record.Ratio(record.Median(ratios))
}

// bySize is a line for each number of buffers: for each planner the share
// solved and the median time in ms.
func (s *sweepFile) bySize(problems []problem, planners []string) string {
	header := []string{fmt.Sprintf("buffers, limit %g s", s.Limit)}
	for _, name := range planners {
		header = append(header, name+" solved", "ms")
	}
	groups := map[int][]problem{}
	var sizes []int
	for _, q := range problems {
		n := len(q.p.Buffers)
		if groups[n] == nil {
			sizes = append(sizes, n)
		}
		groups[n] = append(groups[n], q)
	}
	slices.Sort(sizes)
	var rows [][]string
	for _, n := range sizes {
		rows = append(rows, s.shares(fmt.Sprint(n), groups[n], planners))
	}
	rows = append(rows, s.shares("all", problems, planners))
	// A sweep that was cut short has not run all planners on all problems.
	count := []string{"problems run"}
	for _, name := range planners {
		ran := 0
		for _, q := range problems {
			if s.cell(q.name, name) != nil {
				ran++
			}
		}
		count = append(count, fmt.Sprint(ran), "")
	}
	return record.Table(header, append(rows, count))
}

// shares is one line of bySize.
func (s *sweepFile) shares(title string, problems []problem, planners []string) []string {
	row := []string{title}
	for _, name := range planners {
		solved, ran := 0, 0
		var times []float64
		for _, q := range problems {
			c := s.cell(q.name, name)
			if c == nil {
				continue
			}
			ran++
			seconds, ok := c.median()
			if ok {
				solved++
			}
			times = append(times, min(seconds, s.Limit))
		}
		if ran == 0 {
			row = append(row, "–", "–")
			continue
		}
		text := record.Milliseconds(record.Median(times))
		if record.Median(times) >= s.Limit {
			text = "> " + text
		}
		row = append(row, fmt.Sprintf("%.0f%%", 100*float64(solved)/float64(ran)), text)
	}
	return row
}

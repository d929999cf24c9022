package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// Idea: a gap is between the lowest plan of auto and the highest bound that anyone has proven of the problem. Runs with
// another limit do not count.

// gapOf returns by how much a height is above a bound, in per cent.
func gapOf(height, bound int64) float64 {
	if bound == 0 {
		return 0
	}
	return 100 * float64(height-bound) / float64(bound)
}

// row sums up what the file has of a kind.
func (b *bench) row(k *kind) []string {
	type question struct {
		problem string
		seed    uint64
	}
	bounds, lowest := map[question]int64{}, map[question]*run{}
	beside := map[string]bool{}
	var ours []*run
	limit := b.limit / time.Duration(max(k.parts, 1))
	for i := range b.runs {
		r := &b.runs[i]
		if r.Kind != k.key() || r.Limit != limit || r.Status == unsupported {
			continue
		}
		q := question{r.Problem, r.Seed}
		bounds[q] = max(bounds[q], r.Bound)
		if r.Planner == auto {
			ours = append(ours, r)
			continue
		}
		beside[r.Planner] = true
		if x := lowest[q]; r.Height > 0 && (x == nil || r.Height < x.Height) {
			lowest[q] = r
		}
	}
	if len(ours) == 0 {
		return nil
	}
	var gaps, seconds []float64
	closed, lower, held := 0, 0, 0
	who := map[string]bool{}
	for _, r := range ours {
		q := question{r.Problem, r.Seed}
		seconds = append(seconds, r.Seconds)
		switch {
		case k.capacity > 0:
			count(&closed, r.Height > 0)
			continue
		case r.Height == 0:
			continue
		}
		gap := gapOf(r.Height, bounds[q])
		gaps = append(gaps, gap)
		count(&closed, gap == 0)
		if x := lowest[q]; x != nil {
			held++
			if x.Height < r.Height {
				lower++
				who[x.Planner] = true
			}
		}
	}
	row := []string{k.name, k.size, fmt.Sprint(len(ours)), fmt.Sprint(closed), "", "", k.target}
	if len(gaps) > 0 {
		row[4], row[5] = fmt.Sprintf("%.2f", comparison.Median(gaps)), fmt.Sprintf("%.2f", slices.Max(gaps))
	}
	row = append(row, fmt.Sprintf("%.1f", comparison.Median(seconds)), "")
	if held > 0 {
		row[8] = fmt.Sprintf("%d of %d", lower, held)
		if lower > 0 {
			row[8] += ": " + strings.Join(keys(who), ", ")
		} else if len(beside) == 1 {
			row[8] += " (" + strings.Join(keys(beside), "") + ")"
		} else {
			row[8] += fmt.Sprintf(" (%d planners)", len(beside))
		}
	}
	return row
}

// keys returns the names in order.
func keys(of map[string]bool) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func count(to *int, is bool) {
	if is {
		*to++
	}
}

// table has a row for each kind that has runs.
func (b *bench) table() string {
	var rows [][]string
	all := kinds()
	for i := range all {
		if row := b.row(&all[i]); row != nil && b.wanted(&all[i]) {
			rows = append(rows, row)
		}
	}
	head := []string{
		"kind", "buffers", "problems", "closed", "median gap %", "worst gap %", "target", "median s", "another is lower",
	}
	return comparison.NewTable(head, rows).Markdown() +
		fmt.Sprintf("\n%v of processor time for each run, one worker; %v; %s.\n",
			b.limit, record.ThisMachine(), record.Today())
}

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
)

// Idea: table 2 of TelaMalloc. The least memory of a heuristic is found by bisection
// between the lower bound and the height that it has without a limit, so that heuristics
// that use the capacity have their due. Bisection trusts that what fits a capacity fits a
// larger one; where that does not hold it finds one threshold of several.
//
// Complexity: O(log height) runs of a heuristic for each network.

// table2Paper is the paper's table 2.
var table2Paper = []struct {
	name   string
	memory float64
	ms     float64
}{
	{"FPN Model", 1.00, 1.3},
	{"ConvNet2D", 1.03, 8.0},
	{"Inception-ResNet", 1.05, 3.2},
	{"Face Detection", 1.12, 8.8},
	{"OpenPose", 1.11, 75.9},
	{"StereoNet", 1.43, 26.7},
	{"Segmentation", 1.09, 1.4},
	{"ResNet-152", 1.24, 0.6},
	{"Saliency Model", 1.05, 7.4},
	{"Image Model 1", 1.08, 34.3},
	{"Image Model 2", 1.08, 43.3},
}

// heuristics are the columns of table 2: the paper's, the allocator below it, and one
// of the frameworks' for comparison.
var heuristics = []string{"contention", "bfc", "first-fit"}

// A memory is the least capacity that a planner fits, and its time at it.
type memory struct {
	Bytes   int64
	Seconds float64
}

// heuristicMemory is table 2, and the two models that the paper runs again.
func heuristicMemory(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	nets, err := e.nets()
	if err != nil {
		return c, err
	}
	header := []string{"model", "least height"}
	for _, name := range heuristics {
		header = append(header, name, "ms")
	}
	p := &picture.Rows{Title: "The contention heuristic's least memory, over the least there is", X: picture.Axis{Title: "over the least height", Text: picture.Times}, Series: []string{"contention", "the paper's heuristic on its models"}, Hollow: []bool{false, true}, As: []int{0, 1}}
	var rows [][]string
	over := make([][]float64, len(heuristics))
	var times []float64
	for _, in := range nets {
		l, err := e.leastOf(ctx, &in)
		if err != nil {
			return c, err
		}
		row := []string{in.Name, comparison.Grouped(l.Height)}
		for k, name := range heuristics {
			m, err := remember(e.ctx, e, fmt.Sprintf("least memory of %s on %s %s", name, in.Name, in.Digest), func(ctx context.Context) (memory, error) {
				return e.leastMemory(ctx, in.Problem, name, e.size.repeat)
			})
			if err != nil {
				return c, err
			}
			x := float64(m.Bytes) / float64(l.Height)
			over[k] = append(over[k], x)
			row = append(row, fmt.Sprintf("%.3f×", x), comparison.Milliseconds(m.Seconds))
			if k == 0 {
				times = append(times, m.Seconds*1000)
				p.Rows = append(p.Rows, picture.Row{Name: in.Name, Values: []float64{x, math.NaN()}})
			}
		}
		rows = append(rows, row)
	}
	mean := []string{"geometric mean", ""}
	for k := range heuristics {
		mean = append(mean, fmt.Sprintf("%.3f×", comparison.GeometricMean(over[k])), "")
	}
	t := comparison.NewTable(header, append(rows, mean))
	t.Title = "Least memory and time at it"
	var theirs, theirTimes []float64
	var paperRows [][]string
	for _, q := range table2Paper {
		theirs, theirTimes = append(theirs, q.memory), append(theirTimes, q.ms)
		paperRows = append(paperRows, []string{q.name, fmt.Sprintf("%.2f×", q.memory), fmt.Sprint(q.ms)})
		p.Rows = append(p.Rows, picture.Row{Name: q.name + " (paper)", Values: []float64{math.NaN(), q.memory}})
	}
	paper := comparison.NewTable([]string{"benchmark", "minimum required memory", "ms"}, paperRows)
	paper.Title = "The paper's table 2"
	theirMean, ourMean := comparison.GeometricMean(theirs), comparison.GeometricMean(over[0])
	c.judge("the contention heuristic's least memory, geometric mean", fmt.Sprintf("%.2f×, from 1.00× to 1.43×", theirMean), fmt.Sprintf("%.3f×, from %.2f× to %.2f×", ourMean, slices.Min(over[0]), slices.Max(over[0])), differs)
	c.judge("its time, median", fmt.Sprintf("%.1f ms", comparison.Median(theirTimes)), fmt.Sprintf("%.2g ms, on another machine", comparison.Median(times)), judge(comparison.Median(theirTimes), comparison.Median(times), len(times), less))
	c.pictures = append(c.pictures, p.HTML())
	c.tables = append(c.tables, t, paper)
	f := room{over: over[0], limit: e.size.limit}
	err = e.atLittleRoom(ctx, c, &f)
	c.say(f.say()...)
	return c, err
}

// atLittleRoom runs search at 1.07 times the least height, a little under what the paper's
// heuristic needs.
func (e *env) atLittleRoom(ctx context.Context, c *content, f *room) error {
	s, err := e.netSweep(ctx, c, 1.07, []string{"milp"})
	if err != nil {
		return err
	}
	f.slowest, _ = slowestOf(s, "tela")
	f.tela, f.milp = shareBy(s, "tela", math.NaN()), shareBy(s, "milp", math.NaN())
	here := notRun
	if f.tela.of > 0 {
		here = of(f.tela.part, f.tela.of)
		if f.tela.part > 0 {
			here += ", the slowest " + picture.Seconds(f.slowest)
		}
	}
	c.add("tela at 1.07×", "under 1 s on both models", here)
	here = notRun
	if f.milp.of > 0 {
		here = fmt.Sprintf("%s in %v; over tela, median: %s", of(f.milp.part, f.milp.of), e.size.limit, between(s, "milp", "tela").text())
	}
	c.add("mixed integer program at 1.07×", "tens of seconds, varying widely", here)
	t107 := byProblem(s)
	t107.Title = "At 1.07 times the least height, ms"
	c.tables = append(c.tables, t107)
	return nil
}

// leastMemory returns the least capacity that a planner fits, and the median time of a
// run at it.
func (e *env) leastMemory(ctx context.Context, p *stowage.Problem, name string, repeat int) (memory, error) {
	fits := func(capacity int64) (bool, time.Duration, error) {
		began := e.now()
		r, err := stowage.Solve(ctx, p, stowage.Options{Planner: name, Capacity: capacity})
		if err != nil {
			return false, 0, err
		}
		return r.Status.HasPlan(), e.now() - began, ctx.Err()
	}
	free, err := stowage.Solve(ctx, p, stowage.Options{Planner: name})
	if err != nil {
		return memory{}, err
	}
	low, err := stowage.LowerBound(p)
	if err != nil {
		return memory{}, err
	}
	// No capacity under low fits; high does.
	for high := free.Height; low < high; {
		middle := low + (high-low)/2
		ok, _, err := fits(middle)
		if err != nil {
			return memory{}, err
		}
		if ok {
			high = middle
		} else {
			low = middle + 1
		}
	}
	var times []float64
	for range max(repeat, 1) {
		ok, took, err := fits(low)
		if err != nil {
			return memory{}, err
		}
		if !ok {
			return memory{}, fmt.Errorf("%d bytes fitted once and not again", low)
		}
		times = append(times, took.Seconds())
	}
	return memory{low, comparison.Median(times)}, nil
}

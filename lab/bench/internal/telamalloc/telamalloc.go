// Package telamalloc measures the planner tela as section 7 of the TelaMalloc paper
// does: the microbenchmarks of Table 1, and variants of the search on many inputs, as
// in figure 14. lab/bench/tela prints what comes of it.
//
// Steps and outcomes are the same on every machine; every plan is verified.
package telamalloc

import (
	"context"
	"fmt"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/lab/learn"
	"github.com/stowage-go/stowage/plan"
)

// A Search is a plan that was asked for, perhaps several times.
type Search struct {
	Result   plan.Result
	Counters tela.Counters
	Time     time.Duration // median
}

// Clock times the runs. A program sets it to processor.Used, once and before any run, for
// times on a machine with other work.
var Clock = func() time.Duration { return time.Since(began) }

var began = time.Now()

// Solve plans an input so many times. The time is that of the planner and, where
// whole is set, of the timeline too.
func Solve(ctx context.Context, in *learn.Input, o plan.Options, runs int, whole bool) (s Search, err error) {
	var seconds []float64
	for range max(runs, 1) {
		start := Clock()
		tl := in.Timeline
		if whole {
			tl = timeline.New(in.Timeline.Problem)
		}
		if s.Result, err = run.Run(ctx, tela.Planner{Counters: &s.Counters}, tl, o); err != nil {
			return s, err
		}
		seconds = append(seconds, (Clock() - start).Seconds())
		if err := ctx.Err(); err != nil {
			return s, err
		}
	}
	if s.Result.Status.HasPlan() {
		if report := verify.Check(in.Timeline.Problem, s.Result.Offsets, o.Capacity); !report.OK() {
			return s, fmt.Errorf("%s: %s", in.Name, report.Violations[0].Message)
		}
	}
	s.Time = time.Duration(comparison.Median(seconds) * float64(time.Second))
	return s, nil
}

// A Micro is a line of Table 1.
type Micro struct {
	Name      string
	Paper     float64 // ms
	PaperStep float64 // ms a step
	Seconds   float64
	Steps     int64
}

// Micros are the lines of Table 1 with the paper's figures alone.
var Micros = []Micro{
	{Name: "non-overlapping-1000", Paper: 12, PaperStep: 0.01},
	{Name: "non-overlapping-10000", Paper: 1260, PaperStep: 0.13},
	{Name: "full-overlap-100", Paper: 142, PaperStep: 1.42},
	{Name: "full-overlap-1000", Paper: 100758, PaperStep: 100.76},
}

// Measure fills in a line of Table 1, with the time to prepare the problem. The
// capacity is the load: there is room for all buffers and no more.
func (m *Micro) Measure(ctx context.Context, runs int) error {
	kind, n := m.Name, 0
	for k := len(kind) - 1; kind[k] != '-'; k-- {
		kind = kind[:k]
	}
	kind = kind[:len(kind)-1]
	if _, err := fmt.Sscanf(m.Name[len(kind)+1:], "%d", &n); err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	p, err := gen.Generate(kind, gen.Options{Buffers: n})
	if err != nil {
		return err
	}
	in := learn.Inputs(kind, p, []int64{100})[0]
	s, err := Solve(ctx, &in, plan.Options{Capacity: in.Capacity}, runs, true)
	if err != nil {
		return err
	}
	if !s.Result.Status.HasPlan() || s.Counters.Backtracks() > 0 {
		return fmt.Errorf("%s: %s with %d backtracks", m.Name, s.Result.Status, s.Counters.Backtracks())
	}
	m.Seconds, m.Steps = s.Time.Seconds(), s.Counters.Steps
	return nil
}

// A Variant is a way to run tela.
type Variant struct {
	Name    string
	Options plan.Options
}

// Strategies are those of figure 14, with all that tela has, with what is published
// alone, and each by itself.
func Strategies() []Variant {
	all := []Variant{{Name: "all"}, {"all, as published", plan.Options{Without: tela.Ours()}}}
	for _, name := range []string{"lifetime", "size", "area", "lowest"} {
		all = append(all, Variant{name, plan.Options{Params: map[string]string{"strategy": name}}})
	}
	return all
}

// An Outcome is what a variant did on an input.
type Outcome struct {
	Solved     bool
	Steps      int64
	Backtracks int64
	Seconds    float64
}

// Try searches an input by a variant, without the completion, which is another
// search, and with so many steps at most.
func Try(ctx context.Context, in *learn.Input, v Variant, steps int64, runs int) (Outcome, error) {
	o := v.Options
	o.Capacity, o.NodeLimit = in.Capacity, steps
	o.Without = append([]string{"completion"}, o.Without...)
	s, err := Solve(ctx, in, o, runs, false)
	return Outcome{s.Result.Status.HasPlan(), s.Counters.Steps, s.Counters.Backtracks(), s.Time.Seconds()}, err
}

// A Sum sets a variant on many inputs against the first variant.
type Sum struct {
	Inputs, Solved int
	Lost, Gained   int     // inputs that only one of the two solves
	Steps, Time    float64 // geometric means of the ratios to the first, where both solve
	Backtracks     float64 // a step
	Seconds        float64 // of all inputs
}

// Add sums a variant's outcomes and those of the first, input by input.
func Add(base, now []Outcome) (s Sum) {
	var bySteps, byTime []float64
	var taken, backtracks int64
	s.Inputs = len(now)
	for k, n := range now {
		b := base[k]
		taken, backtracks, s.Seconds = taken+n.Steps, backtracks+n.Backtracks, s.Seconds+n.Seconds
		switch {
		case n.Solved && b.Solved:
			bySteps = append(bySteps, float64(n.Steps)/float64(b.Steps))
			byTime = append(byTime, n.Seconds/b.Seconds)
		case n.Solved:
			s.Gained++
		case b.Solved:
			s.Lost++
		}
		if n.Solved {
			s.Solved++
		}
	}
	s.Steps, s.Time = comparison.GeometricMean(bySteps), comparison.GeometricMean(byTime)
	s.Backtracks = float64(backtracks) / float64(max(taken, 1))
	return s
}

package plantest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// An Oracle test compares a planner's answers with oracle.Lowest, on problems with all features of the model
// (drawn.Wide), about half of them infeasible, over random combinations of its switches, with limits and without.
type Oracle struct {
	Planner run.Planner
	// Seeds is the number of problems, whose seeds begin at From.
	Seeds, From uint64
	// Params are the values that each parameter is drawn from.
	Params map[string][]string
	// Keep are the techniques without which the planner does not decide.
	Keep []string
	// Heuristic planners need not prove that a plan is the lowest.
	Heuristic bool
	// Refuses reports whether the planner returns an error for a problem.
	Refuses func(p *model.Problem) bool
	// Nodes is a node limit for a planner that cannot decide all problems in a test's
	// time; 0 for none. Then nine in ten must be decided.
	Nodes int64
}

// Run runs the test. The first false word ends it.
func (x Oracle) Run(t *testing.T) {
	t.Helper()
	for _, known := range atOdds {
		if r := x.ask(t, t.Context(), timeline.New(known.problem), plan.Options{}, known.height); r.Height != known.height {
			t.Fatalf("%s: %v, height %d, want %d", known.problem.Name, r.Status, r.Height, known.height)
		}
	}
	seen := map[model.Status]int{}
	for seed := x.From; seed < x.From+x.Seeds; seed++ {
		rng := rand.New(rand.NewPCG(seed, 77))
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		if !ok {
			height = model.MaxSum + 1
		}
		tl := timeline.New(p)
		if x.Refuses != nil && x.Refuses(p) {
			if _, err := run.Run(t.Context(), x.Planner, tl, plan.Options{}); err == nil {
				t.Fatalf("%s: no error", p.Name)
			}
			continue
		}
		o := x.options(rng)
		r := x.ask(t, t.Context(), tl, o, height)
		x.decided(t, r, &o, p, height, seen)
		o = x.options(rng)
		o.Capacity, o.Minimize = model.MaxSum, rng.IntN(3) == 0
		if ok {
			o.Capacity = drawn.Boundary(p, height, seed)
		}
		r = x.ask(t, t.Context(), tl, o, height)
		x.decided(t, r, &o, p, height, seen)
		x.limits(t, tl, height, rng)
	}
	if n := int(x.Seeds) / 10; seen[model.Infeasible] < n || seen[model.Optimal]+seen[model.Feasible] < n ||
		seen[model.Unknown] > 2*n {
		t.Errorf("one-sided: %v", seen)
	}
}

// decided demands an answer, or, if there is a limit, counts those that are none.
func (x Oracle) decided(t *testing.T, r plan.Result, o *plan.Options, p *model.Problem, height int64,
	seen map[model.Status]int,
) {
	t.Helper()
	status := r.Status
	if status == model.Feasible && o.Minimizing() && !x.Heuristic {
		status = model.Unknown
	}
	if seen[status]++; status == model.Unknown && x.Nodes == 0 {
		t.Fatalf("%s, %+v: %v, height %d; the least is %d", p.Name, *o, r.Status, r.Height, height)
	}
}

// atOdds are problems whose alignments do not divide one another. If one alignment makes the step of heights smaller,
// the others must be asked again. In the first problem, 48 was called the least height. In the second, an alignment
// divided by the step was 0.
var atOdds = []struct {
	problem *model.Problem
	height  int64
}{
	{&model.Problem{Name: "at-odds-48", Buffers: []model.Buffer{
		{ID: "b0", Lower: 1, Upper: 4, Size: 12, Alignment: 4},
		{ID: "b1", Lower: 3, Upper: 4, Size: 12, Alignment: 4},
		{ID: "b2", Lower: 1, Upper: 3, Size: 12, Alignment: 18},
		{ID: "b3", Lower: 2, Upper: 4, Size: 12, Alignment: 18},
	}}, 44},
	{&model.Problem{Name: "at-odds-zero", Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 2, Size: 12, Alignment: 4},
		{ID: "b", Lower: 1, Upper: 3, Size: 12, Alignment: 18},
	}}, 24},
}

// limits lets limits fall at many points of a search.
func (x Oracle) limits(t *testing.T, tl *timeline.Timeline, height int64, rng *rand.Rand) {
	for k := range int64(4) {
		o := x.options(rng)
		if o.Capacity = 0; height <= model.MaxSum && rng.IntN(2) == 0 {
			o.Capacity, o.Minimize = drawn.Boundary(tl.Problem, height, rng.Uint64()), rng.IntN(3) == 0
		}
		ctx := t.Context()
		if at := rng.Int64N(1 << (2 * k)); rng.IntN(2) == 0 {
			ctx = run.EndAtLook(ctx, at)
		} else {
			o.NodeLimit = 1 + at
		}
		x.ask(t, ctx, tl, o, height)
	}
}

// ask runs the planner and checks all that it says.
func (x Oracle) ask(t *testing.T, ctx context.Context, tl *timeline.Timeline, o plan.Options,
	height int64,
) plan.Result {
	t.Helper()
	p := tl.Problem
	r := Solve(t, ctx, x.Planner, tl, o)
	wrong := func(what string) { t.Fatalf("%s, %+v: %s: %+v; the least height is %d", p.Name, o, what, r, height) }
	switch {
	case r.LowerBound > height:
		wrong("the bound is above a plan")
	case r.Status == model.Optimal && r.Height != height:
		wrong("a lower plan exists")
	case r.Status == model.Infeasible && (o.Capacity >= height || o.Capacity == 0 && height <= model.MaxSum):
		wrong("it fits")
	}
	return r
}

// options draws switches and parameters.
func (x Oracle) options(rng *rand.Rand) plan.Options {
	o := plan.Options{Params: map[string]string{}, Seed: rng.Uint64(), NodeLimit: x.Nodes}
	o.Without = slices.DeleteFunc(Without(x.Planner, rng, 3),
		func(name string) bool { return slices.Contains(x.Keep, name) })
	names := make([]string, 0, len(x.Params))
	for name := range x.Params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o.Params[name] = x.Params[name][rng.IntN(len(x.Params[name]))]
	}
	if plan.CheckOptions(x.Planner.Info(), o) != nil {
		o.Without = nil // what is left would be no planner
	}
	return o
}

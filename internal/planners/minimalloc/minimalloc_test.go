package minimalloc

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// techniques are the switches of the original.
var techniques = []string{
	"canonical", "section-inference", "dynamic-ordering", "dominance", "unallocated-floor", "preordering",
	"decomposition", "monotonic-floor", "hatless",
}

// A question is a problem with what is asked of it.
type question struct {
	p *model.Problem
	o plan.Options
}

// questionOf draws a question: small, with all features of the model, but without gaps at either end of a life.
func questionOf(seed uint64) question {
	for rng := rand.New(rand.NewPCG(seed, 9)); ; {
		p := plantest.RandomOf(rng, 2+rng.IntN(7), 3+rng.Int64N(12))
		q := question{p: p, o: plan.Options{Without: []string{run.Bound}, Minimize: rng.IntN(3) == 0}}
		q.o.Params = map[string]string{"orders": []string{"TWA", "WAT,TAW,TWA", "A", "CO,ZL,U"}[rng.IntN(4)]}
		for _, technique := range techniques {
			if rng.IntN(3) == 0 {
				q.o.Without = append(q.o.Without, technique)
			}
		}
		q.o.Capacity = max(timeline.New(p).LowerBound+rng.Int64N(5)-1, 1)
		if !slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool {
			return slices.ContainsFunc(b.Gaps, func(g model.Gap) bool { return g.Lower == b.Lower || g.Upper == b.Upper })
		}) {
			return q
		}
	}
}

// counted are the heights and backtracks of google/minimalloc 9f5cf81 itself, for the first
// 200 questions: its solver.cc, called with the same problems and switches.
const counted = `
23/3 72/0 12/0 25/0 -/1 12/1 27/0 33/11 23/0 25/5 27/0 38/285 33/5 34/0 -/2 -/1 34/0 27/0 29/63 16/0 -/1 -/1
13/8 -/58435 -/1 -/5 33/0 -/3 6/2 -/1809 -/8 30/0 -/6 29/33 17/5 -/2 -/1 23/0 12/0 31/2 -/70 11/3 27/13 -/1
29/0 -/22 22/0 -/1 -/7 21/0 5/0 25/5 14/0 -/5 -/2 8/0 -/18 6/2 37/8878 -/5 30/319 9/3 -/5 22/0 8/0 4/2 20/0
-/1 -/34 14/0 30/0 34/0 16/0 13/0 12/0 12/0 -/1 21/0 25/1 11/0 6/0 13/3 45/7314 44/0 -/276 26/21 23/84 11/0
19/0 39/10 84/25 13/0 -/34 -/35 12/2 9/0 33/30 21/0 31/0 24/3 -/1 24/0 59/0 38/4 9/0 -/4 19/4 19/0 -/7 -/29
21/24 21/4 19/4 8/0 28/14 12/0 34/6 25/12 37/7 -/1 30/4 35/0 34/0 15/0 17/0 -/3 20/4 35/4 39/291 25/0 20/0
42/0 71/0 -/6 -/23 18/1 -/4 11/0 -/1 21/0 -/51464 10/0 17/4 -/1 11/0 -/3 34/0 -/60 7/0 20/4 9/2 -/21046 33/68
22/0 21/0 35/0 29/2133 40/68 24/140 32/4 21/9 15/0 22/0 17/0 21/0 27/1614 21/1 33/0 -/6 20/30 20/3 11/0 -/27
20/0 -/41 30/0 22/5 12/0 -/2 -/5 9/0 -/9 11/3 33/25 -/50 14/0 -/3268 14/3 17/0 24/0 -/3 18/0 25/5 17/0 38/466
5/6 40/0 9/2 41/319 18/16
`

// TestCountsAsTheOriginal: the height of a plan, or that there is none, and how many nodes failed on the way.
func TestCountsAsTheOriginal(t *testing.T) {
	for seed, want := range strings.Fields(counted) {
		q := questionOf(uint64(seed))
		r := plantest.Must(t, planner{}, q.p, q.o)
		height := "-"
		if r.Status.HasPlan() {
			height = strconv.FormatInt(r.Height, 10)
		}
		if got := height + "/" + strconv.FormatInt(r.Stats.Backtracks, 10); got != want {
			t.Errorf("seed %d, %+v: %s, the original has %s", seed, q.o, got, want)
		}
	}
}

// TestChallenging has instances that the original plans in seconds, as it is called.
func TestChallenging(t *testing.T) {
	for _, c := range []struct {
		name       string
		backtracks int64
	}{{"K", 7648}, {"C", 29605}, {"J", 1193}}[:plantest.Share(3, 1)] {
		r := plantest.Must(t, planner{}, plantest.Load(t, "challenging/"+c.name+".1048576.csv"),
			plan.Options{Capacity: 1 << 20})
		if !r.Status.HasPlan() || r.Stats.Backtracks != c.backtracks {
			t.Errorf("%s: %v after %d backtracks, the original has %d", c.name, r.Status, r.Stats.Backtracks, c.backtracks)
		}
	}
}

// TestOracle: plans are valid, and answers follow from the search.
func TestOracle(t *testing.T) {
	plantest.Oracle{
		Planner: planner{}, Seeds: plantest.Share[uint64](2000, 300), Heuristic: true, Nodes: 20_000,
		Params: map[string][]string{"orders": {"WAT,TAW,TWA", "-", "Z,OC"}},
	}.Run(t)
}

// TestDecides: without windows all is decided under any switches, unless hatless buffers are not tried in order.
func TestDecides(t *testing.T) {
	for seed := range plantest.Share[uint64](2000, 500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := drawn.Tiny(seed)
		height, _, ok := oracle.MinHeight(p)
		var o plan.Options
		for _, technique := range append(techniques, run.Bound) {
			if technique != "dynamic-ordering" && rng.IntN(3) == 0 {
				o.Without = append(o.Without, technique)
			}
		}
		if ok {
			o.Capacity, o.Minimize = max(height+rng.Int64N(3)-1, 1), rng.IntN(2) == 0
		}
		r := plantest.Must(t, planner{}, p, o)
		want := model.Feasible
		if !ok || height > o.Capacity {
			want = model.Infeasible
		} else if o.Minimize {
			want = model.Optimal
		}
		if windowed(timeline.New(p)) {
			continue
		}
		if r.Status != want && (r.Status != model.Optimal || want != model.Feasible) || r.Status == model.Optimal &&
			r.Height != height {
			t.Errorf("seed %d, %+v: %v at %d, want %v; the least height is %d", seed, o, r.Status, r.Height, want, height)
		}
	}
}

// TestEnds: gaps up to the end of a life, and buffers that are never in use, which the original counts as if they were.
func TestEnds(t *testing.T) {
	at := int64(6)
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 6, Size: 4, Gaps: []model.Gap{{Lower: 3, Upper: 6}}},
		{ID: "b", Lower: 2, Upper: 6, Size: 4, Gaps: []model.Gap{{Lower: 2, Upper: 3}}},
		{ID: "never", Lower: 0, Upper: 6, Size: 1, Fixed: &at, Gaps: []model.Gap{{Lower: 0, Upper: 6}}},
	}}
	o := plan.Options{Capacity: 7, Without: []string{run.Bound}}
	if r := plantest.Must(t, planner{}, p, o); r.Status != model.Feasible && r.Status != model.Optimal ||
		r.Offsets[0] != 0 || r.Offsets[1] != 0 {
		t.Errorf("%+v", r)
	}
	if o.Capacity = 6; plantest.Must(t, planner{}, p, o).Status != model.Infeasible {
		t.Error("what is never in use has a place above the capacity")
	}
}

// TestTooLarge: tables that would take gigabytes are refused.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large problems")
	}
	p := &model.Problem{}
	for i := range 6000 {
		p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Lower: 0, Upper: int64(6000 + i), Size: 1})
	}
	_, err := run.Run(t.Context(), planner{}, timeline.New(p), plan.Options{Capacity: 6000})
	if !errors.Is(err, plan.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

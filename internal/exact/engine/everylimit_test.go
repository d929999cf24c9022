package engine

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// wild returns a problem of a few buffers that has every feature in some of them: alignments that do not divide each
// other, gaps with and without windows, fixed offsets, identical buffers, sizes with a common factor.
func wild(rng *rand.Rand) *model.Problem {
	n, horizon, factor := 2+rng.IntN(5), 2+rng.Int64N(7), 1+rng.Int64N(3)*rng.Int64N(2)
	aligned, gapped, fixed := rng.IntN(3), rng.IntN(4), rng.IntN(4)
	p := &model.Problem{}
	for i := range n {
		b := model.Buffer{Lower: rng.Int64N(horizon), Size: factor * (1 + rng.Int64N(6))}
		b.Upper = b.Lower + 1 + rng.Int64N(horizon-b.Lower)
		if i > 0 && rng.IntN(6) == 0 {
			b = p.Buffers[i-1]
		}
		b.ID = strconv.Itoa(i)
		if aligned > 0 && rng.IntN(2) == 0 {
			b.Alignment, b.Fixed = []int64{1, 2, 3, 4, 6, 9}[rng.IntN(6)], nil
		}
		if gapped > 0 && rng.IntN(3) < gapped {
			b.Gaps = nil
			for at := b.Lower; at < b.Upper && len(b.Gaps) < 2; {
				g := model.Gap{Lower: at + rng.Int64N(b.Upper-at)}
				g.Upper = g.Lower + 1 + rng.Int64N(b.Upper-g.Lower)
				if rng.IntN(4) > 0 {
					from := rng.Int64N(b.Size)
					g.Window = &model.Window{Lower: from, Upper: from + 1 + rng.Int64N(b.Size-from)}
				}
				b.Gaps = append(b.Gaps, g)
				at = g.Upper
			}
		}
		if fixed == 0 && rng.IntN(3) == 0 {
			at := rng.Int64N(6) * b.Align()
			b.Fixed = &at
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// truth is a problem with the oracle's answer.
type truth struct {
	tl      *timeline.Timeline
	minimum int64
	any     bool // there is a plan at some height
	limits  common.Limits
}

// honest runs the planner and fails the test if the result is false. It reports whether the run came to an answer.
func honest(t *testing.T, ctx context.Context, w truth, o plan.Options) (r plan.Result, decided bool) {
	t.Helper()
	r, err := run.Run(ctx, &Planner{Limits: w.limits}, w.tl, o)
	if err != nil {
		t.Fatal(err)
	}
	complain := func(what string) {
		t.Helper()
		t.Fatalf("%s: %s, height %d, bound %d; the minimum is %d (%v); capacity %d, minimise %v, %d nodes, %d workers, without %v\n%s",
			what, r.Status, r.Height, r.LowerBound, w.minimum, w.any, o.Capacity, o.Minimize, o.NodeLimit, o.Workers,
			o.Without, drawn.Describe(w.tl.Problem))
	}
	feasible := w.any && (o.Capacity == 0 || w.minimum <= o.Capacity)
	switch {
	case r.Status == model.Infeasible && feasible:
		complain("false infeasible")
	case r.Status == model.Optimal && r.Height != w.minimum:
		complain("false optimal")
	case w.any && r.LowerBound > w.minimum:
		complain("false bound")
	case r.Status.HasPlan():
		if report := verify.CheckHeight(w.tl.Problem, r.Offsets, o.Capacity, r.Height); !report.OK() {
			complain(report.Violations[0].Message)
		}
	}
	if o.Minimizing() {
		return r, r.Status == model.Optimal || r.Status == model.Infeasible
	}
	return r, r.Status != model.Unknown
}

// everyLimit lets the limit fall at each node and at each look at the watch, until
// the run has its answer. From the hundredth look on it skips some.
func everyLimit(t *testing.T, w truth, o plan.Options) (runs int) {
	t.Helper()
	for o.NodeLimit = 1; ; o.NodeLimit++ {
		runs++
		if _, decided := honest(t, context.Background(), w, o); decided {
			break
		}
	}
	o.NodeLimit = 0
	for looks := int64(0); ; looks += 1 + looks/100*7 {
		runs++
		if _, decided := honest(t, run.EndAtLook(context.Background(), looks), w, o); decided {
			return runs
		}
	}
}

// TestEveryLimit is the test for false proofs: the limit falls everywhere in runs on random problems. The capacity is
// the minimum, or one less, or the run minimises. What is proven must be true.
func TestEveryLimit(t *testing.T) {
	count := plantest.Share(500, 200, 150)
	if env := os.Getenv("STOWAGE_LIMIT_SEEDS"); env != "" {
		count, _ = strconv.Atoi(env)
	}
	runs, interlock := 0, 0
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 7))
		// One in three is treated as if it were huge: limits fall in the midst of sorting and of inferences.
		w := truth{}
		if seed%3 == 0 {
			w.limits.HugeFrom = 1
		}
		p := wild(rng)
		if err := model.Validate(p); err != nil {
			t.Fatal(err)
		}
		w.tl = timeline.New(p)
		w.minimum, _, w.any = oracle.MinHeight(p)
		for _, part := range w.tl.Partitions {
			if found, _ := w.tl.Interlocks(part, never); found {
				interlock++
				break
			}
		}
		o := plan.Options{Workers: 1 + int(seed%2)}
		for _, t := range (&Planner{}).Info().Techniques {
			if seed%4 == 3 && rng.IntN(4) == 0 {
				o.Without = append(o.Without, t.Name)
			}
		}
		if !w.any {
			w.minimum = 40
		}
		for _, capacity := range []int64{w.minimum, max(1, w.minimum-1), 0} {
			o.Capacity = capacity
			runs += everyLimit(t, w, o)
		}
	}
	t.Logf("%d problems, %d of them with interlocking windows, %d runs", count, interlock, runs)
	if interlock < count/20 {
		t.Error("the test is lopsided")
	}
}

// TestFoundFalse has the problems on which limits were once taken for proofs.
func TestFoundFalse(t *testing.T) {
	at := func(x int64) *int64 { return &x }
	gap := func(lower, upper, from, to int64) model.Gap {
		return model.Gap{Lower: lower, Upper: upper, Window: &model.Window{Lower: from, Upper: to}}
	}
	for _, tc := range []struct {
		capacity, minimum int64
		buffers           []model.Buffer
	}{
		{11, 10, []model.Buffer{
			{ID: "b2", Lower: 0, Upper: 1, Size: 2, Alignment: 6},
			{ID: "b1", Lower: 0, Upper: 1, Size: 2, Alignment: 1, Fixed: at(5)},
			{ID: "b4", Lower: 0, Upper: 1, Size: 3, Alignment: 5, Gaps: []model.Gap{gap(0, 1, 2, 3)}},
			{ID: "b3", Lower: 0, Upper: 1, Size: 3, Alignment: 1},
			{ID: "b0", Lower: 0, Upper: 1, Size: 4, Alignment: 4, Gaps: []model.Gap{gap(0, 1, 3, 4)}},
		}},
		{4, 4, []model.Buffer{
			{ID: "b1", Lower: 2, Upper: 4, Size: 1},
			{ID: "b0", Lower: 0, Upper: 6, Size: 2},
			{ID: "b2", Lower: 2, Upper: 4, Size: 4, Gaps: []model.Gap{gap(2, 3, 1, 2), {Lower: 3, Upper: 4}}},
		}},
	} {
		p := &model.Problem{Buffers: tc.buffers}
		minimum, _, ok := oracle.MinHeight(p)
		if !ok || minimum != tc.minimum {
			t.Fatalf("the oracle says %d, want %d", minimum, tc.minimum)
		}
		w := truth{tl: timeline.New(p), minimum: minimum, any: true}
		for _, workers := range []int{1, 2} {
			for _, capacity := range []int64{tc.capacity, minimum, minimum - 1, 0} {
				everyLimit(t, w, plan.Options{Capacity: capacity, Workers: workers})
			}
		}
	}
}

// never lets a question take its time.
func never() bool { return false }

// TestShortTrail searches with a trail that is far too short. What is proven must be
// true. If the way back is lost, nothing is proven, but plans are found all the same.
func TestShortTrail(t *testing.T) {
	decided, open := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p := wild(rng)
		w := truth{tl: timeline.New(p)}
		if w.minimum, _, w.any = oracle.MinHeight(p); !w.any {
			continue
		}
		w.limits.TrailMost = 1 + rng.IntN(5)
		for _, capacity := range []int64{w.minimum, max(1, w.minimum-1), 0} {
			o := plan.Options{Capacity: capacity, NodeLimit: 300}
			for _, technique := range (&Planner{}).Info().Techniques {
				if seed%2 == 1 && rng.IntN(3) == 0 {
					o.Without = append(o.Without, technique.Name)
				}
			}
			if _, ok := honest(t, context.Background(), w, o); ok {
				decided++
			} else {
				open++
			}
		}
	}
	t.Logf("%d runs decided, %d not", decided, open)
	if open < 50 || decided < open {
		t.Error("the test is lopsided")
	}
}

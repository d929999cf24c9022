package graph_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestNeverHigher: under any node limit, permits and other orders raise no plan.
func TestNeverHigher(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 23))
	lower := 0
	for n := range 60 {
		g := drawn(r, 10+r.IntN(30))
		run := stowage.Options{NodeLimit: 1 + r.Int64N(50)}
		if n%6 == 0 {
			run = stowage.Options{Timeout: 1}
		}
		before := int64(-1)
		steps := []graph.Options{
			{Permits: graph.NoPermits}, {Permits: graph.InPlace}, {}, {Reorder: true, States: 10, Problems: 20},
		}
		for _, o := range steps {
			o.Solve, o.Run = stowage.Solve, run
			p := must.Get(graph.Make(context.Background(), g, o))(t)
			if report, err := graph.Verify(g, p); err != nil || !report.OK() {
				t.Fatalf("%v %+v", err, report)
			}
			if before >= 0 && p.Height > before && run.Timeout == 0 {
				t.Errorf("%+v: %d bytes, above the %d of the step before", o, p.Height, before)
			}
			if before > p.Height {
				lower++
			}
			if s := p.Saved; s.InPlace < 0 || s.Distance < 0 || s.Order < 0 {
				t.Errorf("saved %+v", s)
			}
			before = p.Height
		}
	}
	if lower < 60 {
		t.Errorf("only %d steps lower a plan", lower)
	}
}

// TestJoined: values that are joined, and split again, are not copied if the permits allow it. The first value was
// read before. The second one has to be made at its place in the join.
func TestJoined(t *testing.T) {
	join := func(k, y int, parts ...int) graph.Operator {
		o := graph.Operator{Name: "join" + strconv.Itoa(k), Operands: parts, Results: []int{y}}
		at := int64(0)
		for _, x := range parts {
			o.Permits = append(o.Permits, graph.Permit{Result: y, Operand: x, Distance: at, Exactly: true})
			at += 64
		}
		return o
	}
	g := &graph.Graph{Inputs: []int{0}, Outputs: []int{6}}
	for v, size := range []int64{64, 64, 128, 64, 192, 128, 64} {
		g.Values = append(g.Values, graph.Value{Name: "v" + strconv.Itoa(v), Size: size, Alignment: 64})
	}
	third := join(1, 4, 2, 3)
	third.Permits[1].Distance = 128
	split := graph.Operator{Name: "split", Operands: []int{4}, Results: []int{5, 6}, Permits: []graph.Permit{
		{Result: 5, Operand: 4, Exactly: true}, {Result: 6, Operand: 4, Distance: -128, Exactly: true},
	}}
	g.Operators = []graph.Operator{
		{Name: "a", Operands: []int{0}, Results: []int{1}},
		join(0, 2, 0, 1),
		{Name: "b", Operands: []int{2}, Results: []int{3}},
		third, split,
		{Name: "c", Operands: []int{5}, After: []int{4}},
	}
	for _, tc := range []struct {
		permits graph.Permits
		want    int64
	}{{graph.AllPermits, 192}, {graph.InPlace, 192}, {graph.NoPermits, 384}} {
		for _, reorder := range []bool{false, true} {
			o := graph.Options{Solve: stowage.Solve, Permits: tc.permits, Reorder: reorder}
			p := must.Get(graph.Make(context.Background(), g, o))(t)
			if report, err := graph.Verify(g, p); err != nil || !report.OK() {
				t.Fatalf("%v %+v", err, report)
			}
			if p.Height != tc.want || p.Status != stowage.Optimal {
				t.Errorf("permits %v: %d bytes, %v, want %d", tc.permits, p.Height, p.Status, tc.want)
			}
			if all := len(p.Overlaps); tc.want == 192 && all != 6 {
				t.Errorf("%d overlaps, want 6", all)
			}
		}
	}
}

// TestCapacity: a capacity that only one of the steps reaches is reached. A capacity that none can reach is reported
// as too small.
func TestCapacity(t *testing.T) {
	g := &graph.Graph{
		Values: []graph.Value{{Name: "x", Size: 10}, {Name: "y", Size: 10}, {Name: "z", Size: 2}},
		Operators: []graph.Operator{
			{Name: "f", Operands: []int{0}, Results: []int{1}, Permits: []graph.Permit{{Result: 1, Operand: 0, Distance: 3}}},
			{Name: "g", Operands: []int{1}, Results: []int{2}},
		},
		Inputs: []int{0}, Outputs: []int{2},
	}
	for _, tc := range []struct {
		capacity int64
		permits  graph.Permits
		want     stowage.Status
	}{
		{20, graph.NoPermits, stowage.Optimal},
		{19, graph.NoPermits, stowage.Infeasible},
		{19, graph.InPlace, stowage.Infeasible},
		{19, graph.AllPermits, stowage.Feasible},
		{13, graph.AllPermits, stowage.Optimal},
		{12, graph.AllPermits, stowage.Infeasible},
	} {
		for _, reorder := range []bool{false, true} {
			o := graph.Options{Solve: stowage.Solve, Permits: tc.permits, Reorder: reorder}
			o.Run.Capacity = tc.capacity
			p := must.Get(graph.Make(context.Background(), g, o))(t)
			same := p.Status == tc.want || p.Status.HasPlan() && tc.want.HasPlan()
			if !same || p.Height > tc.capacity {
				t.Errorf("capacity %d, permits %v: %v, height %d", tc.capacity, tc.permits, p.Status, p.Height)
			}
		}
	}
}

// TestRoomy: also if the capacity is enough without permits, the bound and the status are about all permits, and
// about all orders if they may change.
func TestRoomy(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 23))
	below := 0
	for range 300 {
		g := drawn(r, 1+r.IntN(4))
		for _, reorder := range []bool{false, true} {
			o := graph.Options{Solve: stowage.Solve, Reorder: reorder}
			best := must.Get(graph.Make(context.Background(), g, o))(t)
			o.Run.Capacity = 1000
			p := must.Get(graph.Make(context.Background(), g, o))(t)
			if p.LowerBound > best.Height || p.Status == stowage.Optimal && p.Height > best.Height || p.Height < best.Height {
				t.Fatalf("reorder %v: %v, %d to %d bytes, but there is a plan of %d\n%+v",
					reorder, p.Status, p.LowerBound, p.Height, best.Height, g)
			}
			if p.Height > best.Height {
				below++
			}
		}
	}
	if below < 100 {
		t.Errorf("a lower plan on %d graphs: too few to trust", below)
	}
}

// TestTimeout: a planner that needs a third of the timeout for a good plan finds it in the given order and without
// permits, with any options. Without the time that is left over, each mode but the last would be higher.
func TestTimeout(t *testing.T) {
	const limit = time.Hour
	slow := func(ctx context.Context, p *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
		if o.Timeout > limit/3 {
			o.Timeout = 0
			return stowage.Solve(ctx, p, o)
		}
		r := &stowage.Result{Status: stowage.Feasible, LowerBound: 1, Stopped: plan.StopTimeout}
		r.Offsets = o.Start
		if o.Start == nil { // one above the other
			r.Offsets = make([]int64, len(p.Buffers))
			end := int64(0)
			for i := range p.Buffers {
				b := &p.Buffers[i]
				if r.Offsets[i] = (end + b.Alignment - 1) / b.Alignment * b.Alignment; b.Fixed != nil {
					return stowage.Solve(ctx, p, stowage.Options{})
				}
				end = r.Offsets[i] + b.Size
			}
		}
		r.Height = model.HeightOf(p, r.Offsets)
		return r, nil
	}
	r := rand.New(rand.NewPCG(7, 23))
	below := 0
	for range 40 {
		g := drawn(r, 6+r.IntN(6))
		before := int64(-1)
		for _, o := range []graph.Options{
			{Permits: graph.NoPermits}, {Permits: graph.InPlace}, {}, {Reorder: true, Problems: -1},
		} {
			o.Solve, o.Run.Timeout = slow, limit
			p := must.Get(graph.Make(context.Background(), g, o))(t)
			if report, err := graph.Verify(g, p); err != nil || !report.OK() {
				t.Fatalf("%v %+v", err, report)
			}
			if before >= 0 && p.Height > before {
				t.Errorf("%+v: %d bytes, above the %d of the step before", o, p.Height, before)
			}
			if before > p.Height {
				below++
			}
			before = p.Height
		}
	}
	if below < 10 {
		t.Errorf("only %d steps lower a plan", below)
	}
}

// TestStopped: with a proof, no limit is reported, even if the last run ended at one. With an open answer, a limit is
// reported if any run or the context ended at one.
func TestStopped(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 12))
	counts := map[plan.Stop]int{}
	for range 60 {
		g := drawn(r, 3+r.IntN(4))
		at, calls := r.IntN(4), 0
		by := []plan.Stop{plan.StopTimeout, plan.StopNodes, plan.StopEffort}[r.IntN(3)]
		ctx, cancel := context.WithCancel(context.Background())
		ends := r.IntN(4) == 0 // the context is cancelled after that call, too
		solve := func(_ context.Context, p *stowage.Problem, o stowage.Options) (*stowage.Result, error) {
			got, err := stowage.Solve(context.Background(), p, o)
			if calls++; calls > at && err == nil && got.Status.HasPlan() { // it has not proven its plan
				got.Status, got.Stopped, got.LowerBound = stowage.Feasible, by, 1
				if ends {
					cancel()
				}
			}
			return got, err
		}
		p, err := graph.Make(ctx, g, graph.Options{Solve: solve, Reorder: r.IntN(2) == 0})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		counts[p.Stopped]++
		switch {
		case p.Status == stowage.Optimal && p.Stopped != plan.Finished:
			t.Errorf("optimal, ended by %q", p.Stopped)
		case p.Status == stowage.Feasible && ends && calls > at && p.Stopped != plan.StopInterrupt:
			t.Errorf("feasible, cancelled, ended by %q", p.Stopped)
		case p.Status == stowage.Feasible && !ends && calls > at && p.Stopped != by:
			t.Errorf("feasible, a run was cut off by %q, ended by %q", by, p.Stopped)
		}
	}
	t.Log(counts)
	if counts[plan.Finished] < 5 || counts[plan.StopTimeout] < 3 || counts[plan.StopInterrupt] < 3 {
		t.Error("lopsided")
	}
}

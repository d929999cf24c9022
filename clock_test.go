package stowage

import (
	"context"
	"errors"
	"math"
	"strconv"
	"testing"
	"time"

	_ "github.com/stowage-go/stowage/internal/planners/sweep" // fast
)

// wide returns n buffers, each live with the next ones.
func wide(n int) *Problem {
	p := &Problem{Buffers: make([]Buffer, n)}
	for i := range p.Buffers {
		p.Buffers[i] = Buffer{ID: strconv.Itoa(i), Lower: int64(i), Upper: int64(i + 3), Size: 1 + int64(i%7)}
	}
	return p
}

// TestLimitInPreparation has limits come before there is anything to plan with. A timeout
// does not prevent the cheapest plan, of however many buffers. A context that ends leaves a
// large problem unknown, and a small one with a plan.
func TestLimitInPreparation(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	past, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	for _, tc := range []struct {
		name    string
		buffers int
		ctx     context.Context
		timeout time.Duration
		status  Status
		stopped Stop
	}{
		{"timeout", 200_000, context.Background(), 1, Feasible, StopTimeout},
		{"deadline", 200_000, past, 0, Unknown, StopTimeout},
		{"signal", 200_000, gone, 0, Unknown, StopInterrupt},
		{"both", 200_000, gone, 1, Unknown, StopInterrupt},
		{"none", 200_000, context.Background(), 0, Optimal, Finished},
		{"small", 2000, context.Background(), 1, Feasible, StopTimeout},
		{"small, held up", 2000, heldUp{context.Background()}, 1, Feasible, StopTimeout},
		{"small, signal", 2000, gone, 0, Feasible, StopInterrupt},
		{"the longest", 2000, context.Background(), math.MaxInt64, Optimal, Finished},
	} {
		r, err := Solve(tc.ctx, wide(tc.buffers), Options{Planner: "sweep", Timeout: tc.timeout})
		if err != nil {
			t.Fatal(err)
		}
		// If it is small the sweep may be done, and as low as the bound.
		if got := r.Status; got != tc.status && !(tc.status == Feasible && got == Optimal) || r.Stopped != tc.stopped &&
			got != Optimal {
			t.Errorf("%s: %v, stopped %q", tc.name, r.Status, r.Stopped)
		}
		if r.Planner != "sweep" || (r.Offsets != nil) != r.Status.HasPlan() {
			t.Errorf("%s: planner %q, %d offsets", tc.name, r.Planner, len(r.Offsets))
		}
	}
}

// TestLatePlan gives every planner no time at all for more buffers than a timeout used to
// leave unplanned, and demands a plan that is not far above the load. Solve verifies it.
func TestLatePlan(t *testing.T) {
	p := &Problem{}
	for i := range int64(100_000) {
		p.Buffers = append(p.Buffers,
			Buffer{ID: strconv.FormatInt(i, 10), Lower: i % 9973, Upper: i%9973 + 1 + i%31, Size: 1 + i%127})
	}
	for _, info := range Planners() {
		r, err := Solve(context.Background(), p, Options{Planner: info.Name, Timeout: 1})
		if errors.Is(err, ErrUnsupported) {
			t.Logf("%s: %v", info.Name, err)
			continue
		}
		if err != nil || !r.Status.HasPlan() || r.Height > 2*r.LowerBound {
			t.Errorf("%s: %+v, %v", info.Name, r.Status, err)
		}
	}
}

// heldUp holds up who asks for its deadline, as a loaded machine may hold up a process.
type heldUp struct{ context.Context }

func (c heldUp) Deadline() (time.Time, bool) {
	time.Sleep(50 * time.Millisecond)
	return c.Context.Deadline()
}

// TestPlanUntil sets aside what comes after the planner, more if there are gaps, and
// no more than half of what is left.
func TestPlanUntil(t *testing.T) {
	began := time.Now()
	for _, tc := range []struct {
		took, timeout time.Duration
		gaps          bool
		want          time.Duration
	}{
		{100 * time.Millisecond, 2 * time.Second, false, 1800 * time.Millisecond},
		{100 * time.Millisecond, 2 * time.Second, true, 1500 * time.Millisecond},
		{100 * time.Millisecond, 500 * time.Millisecond, true, 300 * time.Millisecond},
		{100 * time.Millisecond, 50 * time.Millisecond, true, 50 * time.Millisecond},
	} {
		if got := planUntil(began, began.Add(tc.took), tc.timeout, tc.gaps).Sub(began); got != tc.want {
			t.Errorf("prepared after %v of %v, gaps %v: until %v, want %v", tc.took, tc.timeout, tc.gaps, got, tc.want)
		}
	}
}

// TestManyWorkers asks for more than a machine has memory for.
func TestManyWorkers(t *testing.T) {
	p := wide(60)
	for i := range p.Buffers {
		p.Buffers[i].Upper += int64(i % 11)
		p.Buffers[i].Alignment = 1 + int64(i%3)
	}
	for _, name := range []string{"auto", "exact", "climb", "merge"} {
		if r, err := Solve(context.Background(), p,
			Options{Planner: name, Workers: 1 << 58, NodeLimit: 500, Minimize: true}); err != nil || !r.Status.HasPlan() &&
			name != "exact" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

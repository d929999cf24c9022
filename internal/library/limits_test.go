package library_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	_ "github.com/stowage-go/stowage/internal/planners/sweep" // fast
)

// wide returns n buffers, each live with the next ones.
func wide(n int) *stowage.Problem {
	p := &stowage.Problem{Buffers: make([]stowage.Buffer, n)}
	for i := range p.Buffers {
		p.Buffers[i] = stowage.Buffer{ID: strconv.Itoa(i), Lower: int64(i), Upper: int64(i + 3), Size: 1 + int64(i%7)}
	}
	return p
}

// TestLimitInPreparation has limits that come before planning begins. A timeout never prevents the cheapest plan. A
// context that ends leaves a large problem unknown, and a small one with a plan.
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
		status  stowage.Status
		stopped stowage.Stop
	}{
		{"timeout", 200_000, context.Background(), 1, stowage.Feasible, stowage.StopTimeout},
		{"deadline", 200_000, past, 0, stowage.Unknown, stowage.StopTimeout},
		{"signal", 200_000, gone, 0, stowage.Unknown, stowage.StopInterrupt},
		{"both", 200_000, gone, 1, stowage.Unknown, stowage.StopInterrupt},
		{"none", 200_000, context.Background(), 0, stowage.Optimal, stowage.Finished},
		{"small", 2000, context.Background(), 1, stowage.Feasible, stowage.StopTimeout},
		{"small, held up", 2000, heldUp{context.Background()}, 1, stowage.Feasible, stowage.StopTimeout},
		{"small, signal", 2000, gone, 0, stowage.Feasible, stowage.StopInterrupt},
		{"the longest", 2000, context.Background(), math.MaxInt64, stowage.Optimal, stowage.Finished},
	} {
		r, err := stowage.Solve(tc.ctx, wide(tc.buffers), stowage.Options{Planner: "sweep", Timeout: tc.timeout})
		if err != nil {
			t.Fatal(err)
		}
		// A small problem may have been swept by then, with a plan at the bound.
		got := r.Status
		if got != tc.status && !(tc.status == stowage.Feasible && got == stowage.Optimal) ||
			r.Stopped != tc.stopped && got != stowage.Optimal {
			t.Errorf("%s: %v, stopped %q", tc.name, r.Status, r.Stopped)
		}
		if r.Planner != "sweep" || (r.Offsets != nil) != r.Status.HasPlan() {
			t.Errorf("%s: planner %q, %d offsets", tc.name, r.Planner, len(r.Offsets))
		}
	}
}

// TestLatePlan gives every planner no time for many buffers, and demands a plan that is not far above the load. Solve
// verifies it.
func TestLatePlan(t *testing.T) {
	p := &stowage.Problem{}
	for i := range int64(100_000) {
		p.Buffers = append(p.Buffers,
			stowage.Buffer{ID: strconv.FormatInt(i, 10), Lower: i % 9973, Upper: i%9973 + 1 + i%31, Size: 1 + i%127})
	}
	for _, info := range stowage.Planners() {
		if strings.HasPrefix(info.Name, "test-") {
			continue // of another test
		}
		r, err := stowage.Solve(context.Background(), p, stowage.Options{Planner: info.Name, Timeout: 1})
		if errors.Is(err, stowage.ErrUnsupported) {
			t.Logf("%s: %v", info.Name, err)
			continue
		}
		if err != nil || !r.Status.HasPlan() || r.Height > 2*r.LowerBound {
			t.Errorf("%s: %+v, %v", info.Name, r.Status, err)
		}
	}
}

// heldUp delays the caller of Deadline, as a loaded machine may delay a process.
type heldUp struct{ context.Context }

func (c heldUp) Deadline() (time.Time, bool) {
	time.Sleep(50 * time.Millisecond)
	return c.Context.Deadline()
}

// TestManyWorkers asks for more than a machine has memory for.
func TestManyWorkers(t *testing.T) {
	p := wide(60)
	for i := range p.Buffers {
		p.Buffers[i].Upper += int64(i % 11)
		p.Buffers[i].Alignment = 1 + int64(i%3)
	}
	for _, name := range []string{"auto", "exact", "climb", "merge"} {
		if r, err := stowage.Solve(context.Background(), p,
			stowage.Options{Planner: name, Workers: 1 << 58, NodeLimit: 500, Minimize: true}); err != nil || !r.Status.HasPlan() &&
			name != "exact" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

package ruled_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// ending is a context that ends when a test says so, as if its deadline had come.
type ending struct {
	context.Context
	mu   sync.Mutex
	over bool
	done chan struct{}
}

func newEnding() *ending { return &ending{Context: context.Background(), done: make(chan struct{})} }

func (e *ending) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }
func (e *ending) Done() <-chan struct{}       { return e.done }

func (e *ending) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return context.DeadlineExceeded
	}
	return nil
}

func (e *ending) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.over = true
		close(e.done)
	}
}

// counting is a planner that does something at one of its calls.
type counting struct {
	run.Planner
	calls, at int
	do        func()
}

func (c *counting) Help() run.Help { return run.HelpOf(c.Planner) }

func (c *counting) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	if c.calls++; c.calls == c.at {
		c.do()
	}
	return c.Planner.Plan(ctx, tl, o)
}

// TestEnded: if the deadline or a cancel comes at any call of the planner, an open answer says so, with pools,
// penalties and evictions.
func TestEnded(t *testing.T) {
	exact := must.Get(plan.Find("exact"))(t)
	r := rand.New(rand.NewPCG(40, 12))
	open := map[plan.Stop]int{}
	for range 30 {
		p := drawn.BroadOf(r, 18, []string{"pools", "penalties", "choice", "objective", "capacity"}[r.IntN(5)], "pools")
		if p.Rules.Threads > 0 {
			continue
		}
		for at := 1; at < 12; at += 1 + r.IntN(3) {
			for _, cancelled := range []bool{false, true} {
				ctx, want := newEnding(), plan.StopTimeout
				under, cancel := context.WithCancel(ctx)
				planner := &counting{Planner: run.Prepared(exact), at: at, do: ctx.end}
				if cancelled {
					planner.do, want = cancel, plan.StopInterrupt
				}
				got, err := ruled.Solve(under, p, planner, plan.Options{Minimize: true})
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				answered := got.Status == model.Optimal || got.Status == model.Infeasible
				switch {
				case answered && got.Stopped != plan.Finished:
					t.Errorf("%v, ended by %q", got.Status, got.Stopped)
				case !answered && planner.calls >= at && got.Stopped != want:
					t.Errorf("call %d of %d: %v, ended by %q, want %q\n%s", at, planner.calls, got.Status, got.Stopped, want,
						drawn.DescribeRuled(p))
				case !answered:
					open[got.Stopped]++
				}
			}
		}
	}
	t.Log(open)
	if open[plan.StopTimeout] < 10 || open[plan.StopInterrupt] < 10 {
		t.Error("few of the answers are open")
	}
}

// TestEndedByNodes: an open answer under a limit of nodes that has been used up says so.
func TestEndedByNodes(t *testing.T) {
	auto := must.Get(plan.Find("auto"))(t)
	r := rand.New(rand.NewPCG(40, 13))
	open := 0
	for range 60 {
		p := drawn.BroadOf(r, 18, "pools", []string{"penalties", "choice", "objective", "capacity"}[r.IntN(4)])
		limit := 1 + r.Int64N(400)
		got, err := ruled.Solve(context.Background(), p, run.Prepared(auto), plan.Options{Minimize: true, NodeLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status == model.Optimal || got.Status == model.Infeasible {
			continue
		}
		open++
		if got.Stats.Nodes >= limit && got.Stopped != plan.StopNodes {
			t.Errorf("%d nodes of %d: %v, ended by %q", got.Stats.Nodes, limit, got.Status, got.Stopped)
		}
	}
	t.Log(open, "open")
	if open < 10 {
		t.Error("few of the answers are open")
	}
}

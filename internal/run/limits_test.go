package run

import (
	"context"
	"testing"
	"time"

	"github.com/stowage-go/stowage/plan"
)

// late is a context whose deadline is always now, while it has not ended: each share of it ends at once.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now(), true }

// passed is a context whose deadline has ended it.
type passed struct{ context.Context }

func (passed) Err() error { return context.DeadlineExceeded }

// TestWhy has each way in which a limit can cut off a search of several runs.
func TestWhy(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	looked := EndAtLook(context.Background(), 0)
	NewWatch(looked).Over()
	NewWatch(looked).Over()
	shared := Noting(late{context.Background()})
	_, cancel = Share(shared, 2)
	cancel()
	unshared := Noting(late{context.Background()})
	few := Noting(context.Background())
	Cut(few, plan.StopNodes)
	child, cancel := context.WithCancel(shared)
	defer cancel()
	for _, tc := range []struct {
		name         string
		ctx          context.Context
		nodes, limit int64
		want         plan.Stop
	}{
		{"nothing came", Noting(context.Background()), 9, 0, plan.StopEffort},
		{"without notes", context.Background(), 9, 10, plan.StopEffort},
		{"all nodes", context.Background(), 10, 10, plan.StopNodes},
		{"the deadline", passed{context.Background()}, 10, 10, plan.StopTimeout},
		{"an interrupt", ended, 10, 10, plan.StopInterrupt},
		{"a look", looked, 10, 10, plan.StopInterrupt},
		{"a share of the time", shared, 9, 10, plan.StopTimeout},
		{"of a context below", child, 9, 10, plan.StopTimeout},
		{"a share of the nodes", few, 9, 10, plan.StopNodes},
		{"no share was given", unshared, 9, 10, plan.StopEffort},
	} {
		if got := Why(tc.ctx, tc.nodes, tc.limit); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestShareInTime: a share that did not run out notes nothing.
func TestShareInTime(t *testing.T) {
	ctx, end := context.WithTimeout(Noting(context.Background()), time.Hour)
	defer end()
	for range 3 {
		short, cancel := Shares(ctx, 2, 3)
		if _, limited := short.Deadline(); !limited || short.Err() != nil {
			t.Error("no share")
		}
		cancel()
	}
	if got := Why(ctx, 0, 0); got != plan.StopEffort {
		t.Errorf("%q", got)
	}
	if same, cancel := Share(context.Background(), 2); same != context.Background() {
		cancel()
		t.Error("a share of no limit")
	}
}

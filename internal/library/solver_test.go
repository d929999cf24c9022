package library_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
)

// TestSolverIsSolve: a Solver that has planned other problems gives what a new one gives, whatever the sizes, gaps,
// alignments, fixed offsets, rules and faults of the problems before.
func TestSolverIsSolve(t *testing.T) {
	ctx := context.Background()
	problems := slices.Concat(shapes(t, 20), shapes(t, 150), []*stowage.Problem{nil, {}, {Buffers: make([]stowage.Buffer, 2)}})
	for seed := range uint64(300) {
		problems = append(problems, drawn.Tiny(seed))
	}
	for seed := range uint64(60) {
		problems = append(problems, drawn.Ruled(rand.New(rand.NewPCG(seed, 44))))
	}
	for _, planner := range []string{"", "first-fit"} {
		o := stowage.Options{NodeLimit: 50, Planner: planner}
		old := stowage.NewSolver(o)
		var r, before stowage.Result
		plans := 0
		for k := range problems {
			k = k * 101 % len(problems)
			p := problems[k]
			var want stowage.Result
			err, wantErr := old.Solve(ctx, p, &r), stowage.NewSolver(o).Solve(ctx, p, &want)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("problem %d: %v, want %v", k, err, wantErr)
			}
			if err != nil {
				if want = before; !reflect.DeepEqual(r, want) {
					t.Fatalf("problem %d: an error changed the result", k)
				}
				continue
			}
			r.Stats.Elapsed, want.Stats.Elapsed = 0, 0
			if !reflect.DeepEqual(r, want) {
				t.Fatalf("problem %d, %s: %+v, want %+v", k, p.Name, r, want)
			}
			if before = r; r.Status.HasPlan() {
				plans++
			}
		}
		if plans < len(problems)/2 {
			t.Errorf("%d plans of %d problems", plans, len(problems))
		}
	}
}

// TestSolverForgets: a Solver keeps memory, and not the problem.
func TestSolverForgets(t *testing.T) {
	s := stowage.NewSolver(stowage.Options{})
	var r stowage.Result
	made := func() weak.Pointer[stowage.Problem] {
		p := &stowage.Problem{Buffers: slices.Clone(shapes(t, 150)[0].Buffers)}
		if err := s.Solve(context.Background(), p, &r); err != nil {
			t.Fatal(err)
		}
		return weak.Make(p)
	}()
	for end := time.Now().Add(10 * time.Second); made.Value() != nil; runtime.GC() {
		if time.Now().After(end) {
			t.Fatal("the problem is still there")
		}
	}
	runtime.KeepAlive(s)
}

// TestSolveInsideProgress: a call within a call, and calls at the same time, have memories of their own.
func TestSolveInsideProgress(t *testing.T) {
	ctx := context.Background()
	outer, inner := shapes(t, 100)[0], shapes(t, 20)[1]
	o := stowage.Options{NodeLimit: 200}
	want, err := stowage.Solve(ctx, outer, o)
	if err != nil {
		t.Fatal(err)
	}
	done, calls := make(chan error), 0
	for range 4 {
		go func() {
			var err error
			for range 20 {
				if _, e := stowage.Solve(ctx, inner, stowage.Options{}); e != nil {
					err = e
				}
			}
			done <- err
		}()
	}
	o.Progress = func(stowage.Progress) {
		calls++
		if _, err := stowage.Solve(ctx, inner, stowage.Options{}); err != nil {
			t.Error(err)
		}
	}
	got, err := stowage.Solve(ctx, outer, o)
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err != nil || calls == 0 || !slices.Equal(got.Offsets, want.Offsets) {
		t.Errorf("%v after %d calls: %v, want %v", err, calls, got, want)
	}
}

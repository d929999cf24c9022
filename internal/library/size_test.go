package library_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/plan"
)

// TestSizeBruteForce asks Size about tiny problems, and holds its answer to every capacity, from
// 0 to more than any plan needs, against brute force. Half of the problems also have a limit or
// a heuristic planner, whose answers may be Unknown but never wrong.
func TestSizeBruteForce(t *testing.T) {
	seeds := uint64(5000)
	if testing.Short() {
		seeds = 500
	}
	seen := map[stowage.Status]int{}
	for seed := range seeds {
		p := drawn.Tiny(seed)
		rng := rand.New(rand.NewPCG(seed, 24))
		most := int64(0)
		for i := range p.Buffers {
			most += p.Buffers[i].Size + p.Buffers[i].Align()
		}
		p.Capacity = 1 + rng.Int64N(most) // does not count
		var fits []bool
		for capacity := range most + 1 {
			fits = append(fits, oracle.Fits(p, capacity))
		}
		asked := []stowage.Options{{Capacity: 1 + rng.Int64N(most)}}
		if rng.IntN(2) == 0 {
			asked = append(asked, stowage.Options{Planner: "exact", NodeLimit: 1 + rng.Int64N(8)},
				stowage.Options{Planner: "first-fit"})
		}
		var joint plan.Bounds
		for _, o := range asked {
			s, err := stowage.Size(context.Background(), p, o)
			if err != nil {
				t.Fatalf("seed %d, %+v: %v", seed, o, err)
			}
			if joint, err = joint.Join(s.Bounds); err != nil {
				t.Fatalf("seed %d, %+v: %v", seed, o, err)
			}
			for capacity, fit := range fits {
				got := s.Fits(int64(capacity))
				seen[got]++
				if got == stowage.Unknown && o.Planner != "" || (got == stowage.Feasible) == fit && got != stowage.Unknown {
					continue
				}
				t.Fatalf("seed %d, %+v: a capacity of %d is %v; brute force says %v", seed, o, capacity, got, fit)
			}
			if s.Bounds != plan.BoundsOf(s.Result) {
				t.Fatalf("seed %d, %+v: %+v, but the result is %+v", seed, o, s.Bounds, s.Result)
			}
		}
		if joint.Status != stowage.Optimal && joint.Status != stowage.Infeasible {
			t.Fatalf("seed %d: %+v of all runs", seed, joint)
		}
	}
	n := int(seeds)
	if seen[stowage.Infeasible] < n || seen[stowage.Feasible] < n || seen[stowage.Unknown] < n/100 {
		t.Errorf("one-sided: %v", seen)
	}
}

// TestSizeStep has sizes in steps of 64. The load, 320, is rounded up to what sizes and
// alignment allow, although first-fit proves only the load.
func TestSizeStep(t *testing.T) {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Upper: 2, Size: 128},
		{ID: "b", Upper: 2, Size: 192, Gaps: []stowage.Gap{{Lower: 0, Upper: 1}}},
	}}
	fixed := int64(256)
	p.Buffers = append(p.Buffers, stowage.Buffer{ID: "c", Lower: 5, Upper: 6, Size: 64, Fixed: &fixed})
	s, err := stowage.Size(context.Background(), p, stowage.Options{Planner: "first-fit"})
	if err != nil || s.Status != stowage.Optimal || s.Height != 320 || s.Result.ProvedBy != "bound" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestSizeRefuses asks for what cannot be sized.
func TestSizeRefuses(t *testing.T) {
	var input *stowage.InputError
	if _, err := stowage.Size(context.Background(), nil, stowage.Options{}); !errors.As(err, &input) {
		t.Errorf("without a problem: %v", err)
	}
	p := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Upper: 1, Size: 8}}}
	if _, err := stowage.Size(context.Background(), p, stowage.Options{Planner: "none"}); !errors.Is(err,
		stowage.ErrUnknownPlanner) {
		t.Errorf("with a planner that does not exist: %v", err)
	}
}

// TestSizeInterrupted asks with a context that has ended: nothing is proven that is not so.
func TestSizeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := drawn.Tiny(3)
	s := must.Get(stowage.Size(ctx, p, stowage.Options{}))(t)
	for capacity := range int64(60) {
		if got := s.Fits(capacity); got != stowage.Unknown && (got == stowage.Feasible) != oracle.Fits(p, capacity) {
			t.Errorf("a capacity of %d is %v", capacity, got)
		}
	}
}

package floor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// times multiplies numbers of bytes, except for those of one kind: 0 for none. The alignments stay if alignments is not
// set. All numbers are of a new problem.
func times(p *model.Problem, by int64, except int, alignments bool) *model.Problem {
	q, rules := *p, *p.Rules
	q.Buffers, q.Rules = append([]model.Buffer(nil), p.Buffers...), &rules
	q.Capacity *= by
	on := func(kind int, x *int64) {
		if kind != except {
			*x *= by
		}
	}
	for i := range q.Buffers {
		b := &q.Buffers[i]
		if on(1, &b.Size); b.Fixed != nil {
			fixed := *b.Fixed
			on(2, &fixed)
			b.Fixed = &fixed
		}
		if alignments && b.Alignment > 0 {
			on(9, &b.Alignment)
		}
		b.Gaps = append([]model.Gap(nil), b.Gaps...)
		for k := range b.Gaps {
			if w := b.Gaps[k].Window; w != nil {
				window := *w
				on(3, &window.Lower)
				on(3, &window.Upper)
				b.Gaps[k].Window = &window
			}
		}
	}
	rules.Pools = append([]model.Pool(nil), rules.Pools...)
	for k := range rules.Pools {
		x := &rules.Pools[k]
		x.Capacity *= by
		if on(4, &x.Granularity); alignments && x.Alignment > 0 {
			on(9, &x.Alignment)
		}
		x.Reserved = append([]model.Range(nil), x.Reserved...)
		for n := range x.Reserved {
			on(5, &x.Reserved[n].Lower)
			on(5, &x.Reserved[n].Upper)
		}
		x.Borders = append([]int64(nil), x.Borders...)
		for n := range x.Borders {
			on(6, &x.Borders[n])
		}
		x.Sizes = append([]model.Size(nil), x.Sizes...)
		for n := range x.Sizes {
			x.Sizes[n].Bytes *= by
		}
	}
	rules.Together = append([]model.Together(nil), rules.Together...)
	for k := range rules.Together {
		at := append([]int64(nil), rules.Together[k].At...)
		for n := range at {
			on(7, &at[n])
		}
		rules.Together[k].At = at
	}
	rules.Distances = append([]model.Distance(nil), rules.Distances...)
	for k := range rules.Distances {
		on(8, &rules.Distances[k].Distance)
	}
	return &q
}

// TestGrid: with all numbers multiplied, or all but those of one kind, no bound is above the best value. If all are
// multiplied, the rounding often makes a bound the best value.
func TestGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 7))
	met, fine := 0, make([]int, 10)
	for range plantest.Share(30_000, 3_000, 600) {
		except := r.IntN(len(fine))
		p := drawn.Banked(r)
		if r.IntN(2) == 0 {
			p = drawn.Bank(r, []string{"lockstep", "borders", "granularity", "sizes", "objects", "groups"}[r.IntN(6)])
		}
		p = times(p, 3, except, r.IntN(2) == 0)
		large := func(b model.Buffer) bool { return b.Alignment > 64 } // brute force takes very long for them
		if model.Validate(p) != nil || slices.ContainsFunc(p.Buffers, large) {
			continue
		}
		best, _, decided := oracle.Sets(p, 10_000)
		if best == nil || !decided {
			continue
		}
		f := New(p)
		if f.grid > 1 {
			fine[except]++
		}
		for k, m := range p.Objective() {
			least := f.Least(m)
			if least > best[k] {
				t.Fatalf("except %d: %s is at least %d; the best is %v\n%s", except, m, least, best, drawn.DescribeRuled(p))
			}
			grid := f.grid
			if f.grid = 1; least == best[k] && f.Least(m) < least {
				met++
			}
			f.grid = grid
			f.Hold(m, best[k])
		}
	}
	t.Log(met, "bounds are met by rounding; grids by what was left as it was:", fine)
	if met == 0 {
		t.Error("no bound is met by rounding")
	}
}

package tflm

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// permutations returns all orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, order := range permutations(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(order), at, n-1))
		}
	}
	return out
}

// TestTenancy: one model has the arena of its own. Several need at most the sum of theirs, at least the highest head and
// what each keeps, and no order of loading needs less than the one that is chosen, but for what alignment takes.
func TestTenancy(t *testing.T) {
	var plans []*Plan
	for seed := uint64(1); seed <= 12; seed++ {
		m := parse(t, tflitemade.Network(seed, 4+int(seed)*3))
		plans = append(plans, must.Get(Make(t.Context(), m, Options{Scratch: ReferenceSet.Scratch(m)}))(t))
	}
	moved := 0
	for k := range plans {
		for n := 1; n <= 4 && k+n <= len(plans); n++ {
			group := plans[k : k+n]
			x := NewTenancy(group, &Firmware32)
			for at, target := range tenancyTargets {
				apart, tails := int64(0), int64(0)
				for _, p := range group {
					f := p.footprintOn(target)
					own := target.arenaAllocator + target.planner + target.allocator
					apart, tails = apart+f.Smallest, tails+f.Tail-own
				}
				if got := x.Arenas[at].Smallest; got > apart || got < x.Head+tails-16*int64(n) || n == 1 && got != apart {
					t.Errorf("%d models from %d on %s: %d, head %d, tails %d, apart %d", n, k, target.Name, got, x.Head, tails, apart)
				}
			}
			least := x.Arenas[0].Smallest
			for _, order := range permutations(n) {
				least = min(least, together(group, order, &Firmware32).Smallest)
			}
			if got := x.Arenas[0].Smallest; got > least+16 || got > x.Given[0].Smallest {
				t.Errorf("%d models from %d: %d in the order %v, %d as given, %d in the best", n, k, got, x.Order,
					x.Given[0].Smallest, least)
			}
			if x.Given[0].Smallest > x.Arenas[0].Smallest {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no order was better than the given one")
	}
}

// TestAmong compares the plans that are taken with all there are: of each model the one as it is, and those of strips.
func TestAmong(t *testing.T) {
	var all [][]*Plan
	for _, p := range drawnSplittings(t, 40, Options{}) {
		s := must.Get(p.Split(t.Context(), Options{}, SplitOptions{Target: &Firmware32, MaxMACs: 1}))(t)
		all = append(all, append([]*Plan{p}, s.Plans()...))
		for c := range s.Front {
			taken := must.Get(s.Take(c))(t)
			m := parse(t, must.Get(taken.Plan.Written(p.Model))(t))
			if len(m.Operators) != taken.Choice.Operators || m.Offline == nil || len(taken.Added) == 0 {
				t.Errorf("choice %d: %d operators in the file, %d wanted, %v added", c, len(m.Operators),
					taken.Choice.Operators, taken.Added)
			}
		}
	}
	gained := 0
	for k, one := range all[1:] {
		models := [][]*Plan{all[k], one}
		of := func(i, j int) int64 {
			return NewTenancy([]*Plan{models[0][i], models[1][j]}, &Firmware32).Arenas[0].Smallest
		}
		least := of(0, 0)
		for i := range models[0] {
			for j := range models[1] {
				least = min(least, of(i, j))
			}
		}
		chosen := Among(models, &Firmware32)
		if got := of(chosen[0], chosen[1]); got > least {
			t.Errorf("pair %d: %d, the best choice has %d", k, got, least)
		} else if got < of(0, 0) {
			gained++
		}
	}
	if gained < 3 {
		t.Errorf("strips helped %d pairs", gained)
	}
}

package pairwise

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
)

// holds reports whether offsets in units satisfy the choices and all bounds.
func holds(e *Encoding, choices []Choice, at []int64, capacity int64) bool {
	for k := range at {
		low, high := e.Bounds(k, capacity)
		if at[k] < low || at[k] > high || at[k]%e.Align[k] != 0 {
			return false
		}
	}
	for p, q := range e.Pairs {
		d := at[q.J] - at[q.I]
		if choices[p] == Above && d < q.Up || choices[p] == Below && -d < q.Down {
			return false
		}
	}
	return true
}

// A lowest plan's choices give a plan that is as low, in whole units.
func TestLeastKeepsTheOptimum(t *testing.T) {
	for seed := range uint64(2000) {
		p := drawn.Tiny(seed)
		height, offsets, ok := oracle.MinHeight(p)
		if !ok {
			continue
		}
		e := encode(t, p)
		// The oracle's offsets need not be multiples of the unit; only orders
		// count, and those hold between the offsets in bytes.
		choices := make([]Choice, len(e.Pairs))
		for k, q := range e.Pairs {
			d := offsets[e.ID[q.J]] - offsets[e.ID[q.I]]
			switch {
			case d >= q.Up*e.Unit:
				choices[k] = Above
			case -d >= q.Down*e.Unit:
				choices[k] = Below
			default:
				t.Fatalf("seed %d: the oracle's plan breaks pair %+v", seed, q)
			}
		}
		at := e.Least(watch, choices, height/e.Unit)
		if at == nil {
			t.Fatalf("seed %d: no offsets for the choices of a plan of height %d", seed, height)
		}
		if again, ok := e.Choose(at); !ok || !holds(e, again, at, height/e.Unit) {
			t.Fatalf("seed %d: %v breaks a pair", seed, at)
		}
		for k, x := range e.Bytes(at) {
			offsets[e.ID[k]] = x
		}
		if report := verify.Check(p, offsets, height); !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations)
		}
	}
}

// leastOf returns by brute force the least offsets, in units, that satisfy the choices; nil if there are none.
func leastOf(e *Encoding, choices []Choice, capacity int64) (least []int64) {
	at := make([]int64, e.Len())
	var walk func(k int)
	walk = func(k int) {
		if k == len(at) {
			if holds(e, choices, at, capacity) {
				if least == nil {
					least = slices.Clone(at)
				}
				for i := range at {
					least[i] = min(least[i], at[i])
				}
			}
			return
		}
		for at[k] = 0; at[k] <= capacity; at[k] += e.Align[k] {
			walk(k + 1)
		}
	}
	walk(0)
	return least
}

// For random choices, cycles included, Least is the least of all offsets that
// satisfy them, or nil exactly if there are none.
func TestLeastIsLeast(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(1500) {
		p := drawn.Tiny(seed)
		if len(p.Buffers) > 4 {
			p.Buffers = p.Buffers[:4]
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		e := encode(t, p)
		choices := make([]Choice, len(e.Pairs))
		for k := range choices {
			choices[k] = Choice(rng.IntN(3) - 1)
		}
		capacity := 4 + rng.Int64N(8)
		got := e.Least(watch, choices, capacity)
		least := leastOf(e, choices, capacity)
		if !slices.Equal(got, least) {
			t.Fatalf("seed %d: %v, want %v", seed, got, least)
		}
		if least == nil {
			none++
		} else {
			found++
		}
	}
	if found < 300 || none < 300 {
		t.Errorf("one-sided: %d with a solution, %d without", found, none)
	}
}

// TestLeastIsSlow: cycles of choices whose distances add up to 0 or less may take more passes than there are buffers,
// as roundings lift the offsets, and then still end.
func TestLeastIsSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	slow := 0
	for range 2000 {
		up, down := 1+rng.Int64N(8), -rng.Int64N(9)
		e := &Encoding{
			Size: []int64{1, 1}, Align: []int64{1 + rng.Int64N(9), 1 + rng.Int64N(9)}, Fixed: []int64{-1, -1},
			Pairs: []Pair{{I: 0, J: 1, Up: up, Down: 100}, {I: 0, J: 1, Up: 100, Down: down}},
		}
		choices, capacity := []Choice{Above, Below}, 20+rng.Int64N(80)
		least := leastOf(e, choices, capacity)
		if got := e.Least(watch, choices, capacity); !slices.Equal(got, least) {
			t.Fatalf("%+v in %d: %v, want %v", e, capacity, got, least)
		}
		if least != nil && least[1] > 3*e.Align[1] {
			slow++
		}
	}
	if slow < 50 {
		t.Error("only", slow, "are slow")
	}
}

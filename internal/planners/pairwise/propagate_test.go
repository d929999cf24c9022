package pairwise

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
)

// naive keeps the decisions and works everything out anew from the timeline.
type naive struct {
	tl       *timeline.Timeline
	ids      []int32
	capacity int64
	placed   map[int32]int64
	ranges   []forbid
	decided  map[int32]int32 // pair → literal
}

type forbid struct {
	a, b int32
	f    timeline.Forbidden
}

func newNaive(tl *timeline.Timeline, e *Engine, capacity int64) *naive {
	x := &naive{tl: tl, capacity: capacity, placed: map[int32]int64{}, decided: map[int32]int32{}}
	for j := range e.Len() {
		x.ids = append(x.ids, e.ID(int32(j)))
	}
	// The engine's own numbering of pairs, with ranges taken from the timeline.
	next := map[[2]int32]int{}
	for p := range int32(e.Pairs()) {
		a, b := e.Pair(p)
		k := next[[2]int32{a, b}]
		x.ranges = append(x.ranges, forbid{a, b, tl.Forbid(int(x.ids[a]), int(x.ids[b]))[k]})
		next[[2]int32{a, b}]++
	}
	return x
}

// fixpoint returns the bounds and whether there is no contradiction.
func (x *naive) fixpoint() (lo, hi []int64, ok bool) {
	n := len(x.ids)
	lo, hi = make([]int64, n), make([]int64, n)
	for j := range int32(n) {
		b := &x.tl.Problem.Buffers[x.ids[j]]
		hi[j] = x.capacity - b.Size
		if b.Fixed != nil {
			lo[j], hi[j] = *b.Fixed, min(hi[j], *b.Fixed)
		}
		if at, ok := x.placed[j]; ok {
			lo[j], hi[j] = max(lo[j], at), min(hi[j], at)
		}
	}
	order := make([]int, len(x.ranges)) // -1 second below first, 1 above
	for p, l := range x.decided {
		order[p] = 1 - 2*int(l&1)
	}
	for {
		again := false
		for p, r := range x.ranges {
			above := hi[r.b]-lo[r.a] >= r.f.Below // b above a is possible
			below := lo[r.b]-hi[r.a] <= r.f.Above
			if !above && !below || !above && order[p] == 1 || !below && order[p] == -1 {
				return lo, hi, false
			}
			if order[p] == 0 && above != below {
				order[p] = 1
				if below {
					order[p] = -1
				}
				again = true
			}
			set := func(at *int64, to int64, up bool) {
				if up && to > *at || !up && to < *at {
					*at = to
					again = true
				}
			}
			switch order[p] {
			case 1:
				set(&lo[r.b], lo[r.a]+r.f.Below, true)
				set(&hi[r.a], hi[r.b]-r.f.Below, false)
			case -1:
				set(&lo[r.a], lo[r.b]-r.f.Above, true)
				set(&hi[r.b], hi[r.a]+r.f.Above, false)
			}
		}
		for j := range int32(n) {
			a := x.tl.Problem.Buffers[x.ids[j]].Align()
			for lo[j]%a != 0 {
				lo[j]++
				again = true
			}
			for hi[j] >= 0 && hi[j]%a != 0 {
				hi[j]--
				again = true
			}
			if lo[j] > hi[j] {
				return lo, hi, false
			}
		}
		if !again {
			return lo, hi, true
		}
	}
}

// A decision is a placement (literal -1) or an order.
type decision struct {
	buffer  int32
	offset  int64
	literal int32
}

func (x *naive) do(d decision) {
	if d.literal >= 0 {
		x.decided[d.literal>>1] = d.literal
	} else {
		x.placed[d.buffer] = d.offset
	}
}

// TestAgainstNaive runs random placements, orders and pops on random tiny problems with every feature, and compares
// bounds and failures with a fixpoint that shares nothing. Of each failure it checks that the decisions named by
// Conflict fail by themselves.
func TestAgainstNaive(t *testing.T) {
	failures, dropped, orders := 0, 0, 0
	for seed := range uint64(6000) {
		p := drawn.Tiny(seed)
		tl := timeline.New(p)
		rng := rand.New(rand.NewPCG(seed, 3))
		for k := range tl.Partitions {
			e := must.Get(New(watch, tl, &tl.Partitions[k], DefaultMaxPairs))(t)
			capacity := tl.LowerBound + rng.Int64N(6) - 1
			ok := e.Reset(capacity)
			x := newNaive(tl, e, capacity)
			var done []decision
			compare := func(ok bool) {
				t.Helper()
				x.placed, x.decided = map[int32]int64{}, map[int32]int32{}
				for _, d := range done {
					x.do(d)
				}
				lo, hi, want := x.fixpoint()
				if ok != want {
					t.Fatalf("seed %d: got %v, want %v after %v", seed, ok, want, done)
				}
				if !ok {
					return
				}
				for j := range int32(e.Len()) {
					if l, h := e.Range(j); l != lo[j] || h != hi[j] {
						t.Fatalf("seed %d: buffer %d: got [%d,%d], want [%d,%d] after %v", seed, j, l, h, lo[j], hi[j], done)
					}
				}
			}
			compare(ok)
			if !ok {
				if c := e.Conflict(nil); len(c) != 0 {
					t.Fatalf("seed %d: the root's conflict names levels %v", seed, c)
				}
				continue
			}
			for range 30 {
				if rng.IntN(5) == 0 && e.Level() > 0 {
					to := rng.IntN(e.Level())
					e.PopTo(to)
					done = done[:to]
					compare(true)
					continue
				}
				d, found := decide(e, rng)
				if !found {
					break
				}
				done = append(done, d)
				before := slices.Clone(e.value)
				if d.literal >= 0 {
					ok = e.Order(d.literal)
					orders++
				} else {
					ok = e.Place(d.buffer, d.offset)
				}
				compare(ok)
				if ok {
					moved := e.Touched(nil)
					for v := range e.value {
						if j := int32(v / 2); slices.Contains(moved, j) != (e.value[2*j] != before[2*j] ||
							e.value[2*j+1] != before[2*j+1]) {
							t.Fatalf("seed %d: buffer %d among those that moved: %v, after %v", seed, j, slices.Contains(moved, j), done)
						}
					}
				}
				if !ok {
					failures++
					conflict := e.Conflict(nil)
					if !slices.IsSorted(conflict) || len(slices.Compact(slices.Clone(conflict))) != len(conflict) {
						t.Fatalf("seed %d: conflict %v is not ascending", seed, conflict)
					}
					dropped += len(done) - len(conflict)
					x.placed, x.decided = map[int32]int64{}, map[int32]int32{}
					for _, level := range conflict {
						x.do(done[level-1])
					}
					if _, _, ok := x.fixpoint(); ok {
						t.Fatalf("seed %d: conflict %v of %v does not fail by itself", seed, conflict, done)
					}
					e.Pop()
					done = done[:len(done)-1]
					compare(true)
				}
			}
		}
	}
	if failures < 2000 || dropped < 1000 || orders < 2000 {
		t.Fatalf("the test is too weak: %d failures, %d decisions dropped, %d orders", failures, dropped, orders)
	}
}

// decide draws a placement inside a buffer's range or an order of an open pair.
func decide(e *Engine, rng *rand.Rand) (decision, bool) {
	if rng.IntN(3) == 0 && e.Pairs() > 0 {
		if p := int32(rng.IntN(e.Pairs())); e.Decided(p) < 0 {
			return decision{literal: 2*p + int32(rng.IntN(2))}, true
		}
	}
	var free []int32
	for j := range int32(e.Len()) {
		if !e.Placed(j) {
			free = append(free, j)
		}
	}
	if len(free) == 0 {
		return decision{}, false
	}
	j := free[rng.IntN(len(free))]
	ranges := e.Free(nil, j)
	r := ranges[rng.IntN(len(ranges))]
	steps := (r.Hi - r.Lo) / e.align[j]
	return decision{buffer: j, offset: r.Lo + e.align[j]*rng.Int64N(steps+1), literal: -1}, true
}

package conflictgraph

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: set a target below the height of the plan. Buffers that reach above the target are taken out, and go back in
// one by one. Buffer i goes to the offset p at which the conflicting buffers that it pushes out weigh least:
//
//	cost(p) = sum of weight(j) over placed j that conflict with i and have bytes in [p, p+size(i))
//
// A buffer that pushes others out weighs one more from then on. So buffers that are hard to place come to stay where
// they are, and easier ones move around them. If no buffer is out, the plan is as low as the target. The next target is
// a quarter of the way from there to the goal. If a target is not reached in time, half of that way is tried next.
//
// As p grows, the cost rises where p+size(i) passes the bottom of a conflicting buffer, and falls where p passes a top.
// So the least cost is at offset 0, at a top, or just before such a bottom. With bottoms and tops sorted, one pass
// finds all costs.
//
// Invariant: placed buffers that conflict share no byte and end at or below the target. byLow and byHigh have the same
// buffers.
//
// Complexity: O(n) a step, about two microseconds for 256 buffers.
//
// Source: this project; weights as in breakout local search (Morris 1993), moves as in ejection chains (Glover 1996).
//
// Trials: docs/lab/ruled.md (placing next what is largest by size times weight ends nearest to the bound).

// A target lies 1/leastParts of the way from the height to the goal, and half as far after each miss. The goal may be
// far below any plan, so a target is at most 1/farthest of the height below it.
const leastParts, farthest = 4, 16

// patience is the number of steps for each buffer after which a target counts as missed.
const patience = 100

// stays is the weight of a fixed buffer. It is more than any sum of weights of other buffers.
const stays = 1 << 40

// An ejection is the state of a run. Slices are kept from run to run.
type ejection struct {
	rng     *rand.Rand
	offsets []int64
	weight  []int64
	byLow   []int32 // placed, ascending by offset
	byHigh  []int32 // placed, ascending by top
	out     []int32 // not placed
	lows    []edge  // of one step: bottoms of the placed buffers that conflict
	highs   []edge  // and their tops
}

// An edge is the bottom or the top of a placed buffer.
type edge struct {
	at, weight int64
	buffer     int32
}

func (e *ejection) start(g *Graph, seed uint64) {
	e.rng = rand.New(rand.NewPCG(seed, 1))
	e.offsets, e.weight = make([]int64, len(g.Buffers)), make([]int64, len(g.Buffers))
}

// Eject lowers the plan until the goal is reached, the watch is over, or it has made so many steps. It needs a plan to
// start from. It also ends if it misses so many targets in a row; 0 means any number.
func (s *Search) Eject(watch *run.Watch, steps int64, misses int) {
	s.watch = watch
	parts, missed := int64(leastParts), 0
	for end := s.Steps + steps; s.Steps < end && s.Offsets != nil && !s.done() && (misses == 0 || missed < misses); {
		target := max(s.goal, s.Height-max(1, min(s.Height/farthest, (s.Height-s.goal)/parts)))
		if s.under(target, min(end, s.Steps+patience*int64(len(s.Offsets)))) {
			parts, missed = max(leastParts, parts/2), 0
			continue
		}
		if missed++; target < s.Height-1 {
			parts *= 2
		}
	}
}

// under looks for a plan up to the target, until Steps is at end.
func (s *Search) under(target, end int64) bool {
	e, g := &s.eject, s.graph
	copy(e.offsets, s.Offsets)
	e.byLow, e.byHigh, e.out = e.byLow[:0], e.byHigh[:0], e.out[:0]
	for i := range int32(len(g.Buffers)) {
		e.weight[i] = 1
		if g.Buffers[i].Fixed != nil {
			e.weight[i] = stays
		}
		if s.high(i) > target {
			e.out = append(e.out, i)
		} else {
			e.byLow = append(e.byLow, i)
		}
	}
	e.byHigh = append(e.byHigh, e.byLow...)
	slices.SortFunc(e.byLow, func(i, j int32) int { return cmp.Compare(s.low(i), s.low(j)) })
	slices.SortFunc(e.byHigh, func(i, j int32) int { return cmp.Compare(s.high(i), s.high(j)) })
	for len(e.out) > 0 {
		if s.Steps++; s.Steps > end || s.watch.Over() {
			return false
		}
		k := s.next()
		i := e.out[k]
		at, cost := s.cheapest(i, target)
		if cost >= stays {
			return false // it fits only above the target, or where a fixed buffer lies
		}
		e.out[k] = e.out[len(e.out)-1]
		e.out = e.out[:len(e.out)-1]
		if cost > 0 {
			s.push(i, at)
		}
		e.offsets[i] = at
		e.byLow = slices.Insert(e.byLow, place(e.byLow, at, s.low), i)
		e.byHigh = slices.Insert(e.byHigh, place(e.byHigh, s.high(i), s.high), i)
	}
	if order := slices.Clone(e.byLow); !s.keepLower(order) {
		s.keep(e.offsets)
	}
	return true
}

// keepLower places the buffers by first fit in the order of their offsets, which never gives a higher plan, and keeps
// that plan.
func (s *Search) keepLower(order []int32) bool {
	offsets := s.firstFit(order)
	return offsets != nil && s.keep(offsets)
}

func (s *Search) low(i int32) int64  { return s.eject.offsets[i] }
func (s *Search) high(i int32) int64 { return s.eject.offsets[i] + s.graph.Buffers[i].Size }

// place returns the index of the first buffer whose key is at least at.
func place(sorted []int32, at int64, key func(int32) int64) int {
	k, _ := slices.BinarySearchFunc(sorted, at, func(i int32, at int64) int { return cmp.Compare(key(i), at) })
	return k
}

// next draws the buffer of out that goes in next, by size and weight.
func (s *Search) next() (best int) {
	e, most := &s.eject, -1.0
	for k, i := range e.out {
		x := float64(s.graph.Buffers[i].Size) * float64(e.weight[i]) * (0.5 + e.rng.Float64())
		if x > most {
			best, most = k, x
		}
	}
	return best
}

// cheapest returns an offset of least cost at which buffer i ends at or below the target. It draws one if there are
// several. If there is none, the cost is at least stays.
func (s *Search) cheapest(i int32, target int64) (at, cost int64) {
	e, g := &s.eject, s.graph
	row, size, align := g.row(i), g.Buffers[i].Size, g.Buffers[i].Align()
	e.lows, e.highs = e.lows[:0], e.highs[:0]
	for _, j := range e.byLow {
		if has(row, j) {
			e.lows = append(e.lows, edge{e.offsets[j], e.weight[j], j})
		}
	}
	for _, j := range e.byHigh {
		if has(row, j) {
			e.highs = append(e.highs, edge{s.high(j), e.weight[j], j})
		}
	}
	lows, highs := e.lows, e.highs
	cost = math.MaxInt64
	now, ties := int64(0), 0
	for p := int64(0); p+size <= target; p = bound.Up(highs[0].at, align) {
		for len(highs) > 0 && highs[0].at <= p {
			now -= highs[0].weight
			highs = highs[1:]
		}
		for len(lows) > 0 && lows[0].at < p+size {
			now += lows[0].weight
			lows = lows[1:]
		}
		if now <= cost {
			if now < cost {
				cost, ties = now, 0
			}
			if ties++; e.rng.IntN(ties) == 0 {
				at = p
				// Go as far up as the cost stays the same and no top is passed.
				last := target
				if len(lows) > 0 {
					last = min(last, lows[0].at)
				}
				last = (last - size) / align * align
				if (len(highs) == 0 || last < highs[0].at) && last > p && e.rng.IntN(2) == 0 {
					at = last
				}
			}
		}
		if len(highs) == 0 {
			break
		}
	}
	return at, cost
}

// push takes out the buffers that buffer i would overlap at an offset.
func (s *Search) push(i int32, at int64) {
	e := &s.eject
	e.weight[i]++
	for _, x := range e.lows {
		if j := x.buffer; x.at < at+s.graph.Buffers[i].Size && s.high(j) > at {
			e.byLow, e.byHigh = without(e.byLow, j, s.low), without(e.byHigh, j, s.high)
			e.out = append(e.out, j)
		}
	}
}

// without takes buffer j out of a list.
func without(sorted []int32, j int32, key func(int32) int64) []int32 {
	k := place(sorted, key(j), key)
	for sorted[k] != j {
		k++
	}
	return slices.Delete(sorted, k, k+1)
}

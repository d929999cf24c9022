package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/model"
)

// Idea: a compiler decides about one buffer after the other, the most valuable first. A buffer goes into fast memory
// if it fits between the buffers there. If it does not, a repacker may move them (XLA's memory space assignment,
// section 2.3 of TelaMalloc's paper). A buffer in fast memory never leaves it for another.
//
// Invariant: the offsets of the buffers in fast memory do not overlap and keep to the capacity.
//
// Complexity: n² for n buffers without repacking, and n² for each repack by best fit.
//
// Source: the loop and XLA's order follow XLA's algorithm.cc. Its repacker is the planner xla-repacker.

// A question is which buffers go into fast memory.
type question struct {
	buffers  []model.Buffer
	value    []int64 // what is gained by having the buffer there
	capacity int64
}

// An order ranks buffers: those with a higher rank are decided first.
type order func(b *model.Buffer, value int64) float64

func byValue(_ *model.Buffer, value int64) float64 { return float64(value) }

// byDensity is value per byte and slot of time.
func byDensity(b *model.Buffer, value int64) float64 {
	return float64(value) / (float64(b.Size) * float64(b.Upper-b.Lower))
}

// byBoundedness is XLA's: value by the square root of the size.
func byBoundedness(b *model.Buffer, value int64) float64 {
	return float64(value) / math.Sqrt(float64(b.Size))
}

// A repacker finds new offsets for the buffers in fast memory, or returns nil. wanted is the buffer that has no room.
// It is not in the list in, and some repackers ignore it.
type repacker func(ctx context.Context, q *question, in []int, wanted int) map[int]int64

// mostRepacks is XLA's limit in TelaMalloc's paper.
const mostRepacks = 50

// loop decides about all buffers. It returns the value in fast memory, how often the repacker was called, and how
// often that made room.
func loop(ctx context.Context, q *question, rank order, repack repacker) (kept int64, asked, helped int) {
	all := make([]int, len(q.buffers))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(i, j int) int {
		return cmp.Compare(rank(&q.buffers[j], q.value[j]), rank(&q.buffers[i], q.value[i]))
	})
	at := map[int]int64{}
	var in []int
	for _, i := range all {
		if q.buffers[i].Size > q.capacity {
			continue
		}
		offset, fits := q.bestFit(at, in, i, q.capacity)
		if !fits && repack != nil && asked < mostRepacks && q.loadWith(in, i) <= q.capacity {
			asked++
			if moved := repack(ctx, q, in, i); moved != nil {
				at = moved
				offset, fits = q.bestFit(at, in, i, q.capacity)
				if told, ok := moved[i]; ok {
					offset, fits = told, true
				}
			}
			if fits {
				helped++
			}
		}
		if fits {
			at[i] = offset
			in = append(in, i)
			kept += q.value[i]
		}
	}
	return kept, asked, helped
}

// bestFit returns the start of the smallest gap between the buffers in the list that has room for another one, and
// whether that ends within most.
func (q *question) bestFit(at map[int]int64, in []int, i int, most int64) (int64, bool) {
	b := &q.buffers[i]
	var beside []int
	for _, j := range in {
		if x := &q.buffers[j]; j != i && x.Lower < b.Upper && b.Lower < x.Upper {
			beside = append(beside, j)
		}
	}
	slices.SortFunc(beside, func(i, j int) int { return cmp.Compare(at[i], at[j]) })
	top, best, gap := int64(0), int64(-1), int64(math.MaxInt64)
	for _, j := range beside {
		if room := at[j] - top; room >= b.Size && room < gap {
			best, gap = top, room
		}
		top = max(top, at[j]+q.buffers[j].Size)
	}
	if most-top >= b.Size && most-top < gap {
		best = top
	}
	return best, best >= 0
}

// loadWith returns the load of in and one buffer more while that one lives.
func (q *question) loadWith(in []int, i int) int64 {
	b := &q.buffers[i]
	load := int64(0)
	at := func(t int64) {
		sum := b.Size
		for _, j := range in {
			if x := &q.buffers[j]; x.Lower <= t && t < x.Upper {
				sum += x.Size
			}
		}
		load = max(load, sum)
	}
	at(b.Lower)
	for _, j := range in {
		if t := q.buffers[j].Lower; b.Lower < t && t < b.Upper {
			at(t)
		}
	}
	return load
}

// repackBy is a planner as the repacker. If told, it also plans the buffer that has no room. Otherwise it plans the
// buffers in fast memory as low as it can.
func repackBy(planner string, told bool, patience time.Duration) repacker {
	return func(ctx context.Context, q *question, in []int, wanted int) map[int]int64 {
		in = slices.Clone(in)
		p := &model.Problem{Capacity: q.capacity}
		if told {
			in = append(in, wanted)
		}
		for _, i := range in {
			p.Buffers = append(p.Buffers, q.buffers[i])
		}
		r, err := stowage.Solve(ctx, p, stowage.Options{Planner: planner, Minimize: !told, Timeout: patience})
		if err != nil || !r.Status.HasPlan() {
			return nil
		}
		at := map[int]int64{}
		for k, i := range in {
			at[i] = r.Offsets[k]
		}
		return at
	}
}

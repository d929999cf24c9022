package gen

import (
	"fmt"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a suite of small, hard problems after section 8.3 of the MiniMalloc paper (ASPLOS 2023): 25 instances of each
// even number of buffers from 20 to 60, most of which are live together. The paper's own instances are not public. It
// says that they stress an allocator, that their temporal overlap is high, and that all of them can be solved.
//
// So each instance is a rectangle, as high as the capacity and as long as the horizon, that is cut into pieces; each
// piece is a buffer. Most cuts divide the bytes, fewer divide the time, and a few make pinwheels. Then every piece is
// made a little smaller, starts a little later and ends a little earlier. So the edges of neighbours no longer match,
// and there is some room.
//
// Invariant: the pieces lie within the rectangle and do not overlap, so Offsets is a plan that fits the capacity. The
// lowest height is not known.
//
// Complexity: O(n).
//
// The load is close to the capacity and most pairs overlap, so that single heuristics solve few of the instances.
// synthetic_test.go checks both.
//
// Trials: docs/lab/tests.md (random sizes and lifespans at the load are nearly always easy or impossible).

// synthetic makes one problem of the suite, or of any other size.
func synthetic(o Options) (*Instance, error) {
	units, err := unitsOf(o)
	if err != nil {
		return nil, err
	}
	r := NewRNG(o.Seed, "synthetic-"+strconv.Itoa(o.Buffers))
	pieces, err := r.slabs(rect{0, o.Horizon, 0, units}, o.Buffers)
	if err != nil {
		return nil, err
	}
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	in := &Instance{
		Problem: &model.Problem{Capacity: o.Capacity, Name: fmt.Sprintf("synthetic-%d-seed-%d", o.Buffers, o.Seed)},
	}
	unit := max(o.Alignment, 1)
	for i, q := range pieces {
		q = r.trim(q)
		in.Problem.Buffers = append(in.Problem.Buffers, model.Buffer{
			ID: "b" + strconv.Itoa(i), Lower: q.lower, Upper: q.upper,
			Size: (q.end - q.start) * unit, Alignment: o.Alignment,
		})
		in.Offsets = append(in.Offsets, q.start*unit)
	}
	return in, nil
}

// slabs cuts a rectangle into n pieces, the largest of three random pieces next, so that most are long in time.
func (r *RNG) slabs(whole rect, n int) ([]rect, error) {
	open := []rect{whole}
	for len(open) < n {
		pick := r.Below(int64(len(open)))
		for range 2 {
			if other := r.Below(int64(len(open))); open[other].area() > open[pick].area() {
				pick = other
			}
		}
		q := open[pick]
		var parts []rect
		wide, high := q.upper-q.lower, q.end-q.start
		switch {
		case wide < 2 && high < 2:
			return nil, fmt.Errorf("%d slots and %d units of space are too few for %d buffers", whole.upper, whole.end, n)
		case n-len(open) >= 4 && wide >= 3 && high >= 3 && q != whole && r.Chance(syntheticPinwheels):
			parts = r.pinwheel(q)
		default:
			parts = r.guillotine(q, q == whole || wide < 2 || high >= 2 && r.Chance(syntheticSlabs))
		}
		open[pick] = open[len(open)-1]
		open = append(open[:len(open)-1], parts...)
	}
	return open, nil
}

const (
	syntheticSlabs     = 0.5  // of the cuts that would go either way are sure to go across space
	syntheticPinwheels = 0.15 // share of the cuts that make five pieces
	syntheticTrim      = 0.03 // of a size, and of a life at either end, is cut off at most
)

// trim makes a piece a little smaller, and keeps its start.
func (r *RNG) trim(q rect) rect {
	cut := func(length int64) int64 { return r.Below(int64(float64(length)*syntheticTrim) + 1) }
	life, size := q.upper-q.lower, q.end-q.start
	q.lower += cut(life)
	q.upper -= cut(life)
	q.end -= cut(size)
	return q
}

package gen

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/model"
)

// Idea: cut the rectangle horizon × capacity into n smaller ones and forget where they were. Every byte is in use at
// every time, so the load is the capacity at all times, and a plan of that height exists: the cut itself.
//
// With holes, some pieces are left out: then the load is the capacity only at some times, or never.
//
// A guillotine cut goes through a rectangle from edge to edge, across time or across space. A pinwheel cut makes five
// pieces at once, four around a fifth, and no edge goes through. Planners that stack, or that split time, cannot find
// it:
//
//	bytes ┌──────┬─────────────┐
//	      │      │      c      │
//	      │  d   ├──────┬──────┤
//	      │      │  e   │      │
//	      ├──────┴──────┤  b   │
//	      │      a      │      │
//	      └─────────────┴──────┘ time
//
// The first cut never goes across time from edge to edge, since it would make two problems of one.
//
// Invariant: the pieces tile the rectangle. The largest of three random pieces is cut next, so sizes differ, but not
// without bounds. Complexity: O(n).

// rect is a piece: times [lower, upper), units of space [start, end).
type rect struct{ lower, upper, start, end int64 }

func (r rect) area() float64 { return float64(r.upper-r.lower) * float64(r.end-r.start) }

func perfect(o Options) (*Instance, error)  { return tiling(o, "perfect", 0) }
func pinwheel(o Options) (*Instance, error) { return tiling(o, "pinwheel", 0.7) }

// tiling makes a perfect packing; share is how many of the cuts are pinwheels, if there is room for one.
func tiling(o Options, kind string, share float64) (*Instance, error) {
	units, err := unitsOf(o)
	if err != nil {
		return nil, err
	}
	return NewRNG(o.Seed, kind).perfect(o, units, share)
}

// Perfect cuts a rectangle of horizon slots and height bytes into n buffers, edge to edge, and
// returns them with the cut as their plan, whose height is the optimum. pinwheels is the share of
// cuts that are pinwheels, if there is room for one. It is an error if there is no room for n pieces.
func (r *RNG) Perfect(horizon, height int64, n int, pinwheels float64) (*Instance, error) {
	return r.perfect(Options{Horizon: horizon, Capacity: height, Buffers: n}, height, pinwheels)
}

// perfect is Perfect with holes and alignment; units is the capacity in units of the alignment.
func (r *RNG) perfect(o Options, units int64, pinwheels float64) (*Instance, error) {
	pieces, err := r.dissect(rect{0, o.Horizon, 0, units}, o.pieces(), pinwheels)
	if err != nil {
		return nil, err
	}
	return r.packing(o, pieces), nil
}

// pieces is the number of pieces of a packing, left-out pieces included.
func (o *Options) pieces() int { return int(float64(o.Buffers)/(1-o.Holes) + 0.5) }

// packing makes a problem of the pieces of a packing, and leaves some out.
func (r *RNG) packing(o Options, pieces []rect) *Instance {
	in := &Instance{Problem: &model.Problem{Capacity: o.Capacity}, Optimum: o.Capacity}
	unit := max(o.Alignment, 1)
	// The order of the cuts would tell where the pieces belong.
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for i, q := range pieces[:min(len(pieces), o.Buffers)] {
		in.Problem.Buffers = append(in.Problem.Buffers, model.Buffer{
			ID: "b" + strconv.Itoa(i), Lower: q.lower, Upper: q.upper,
			Size: (q.end - q.start) * unit, Alignment: o.Alignment,
		})
		in.Offsets = append(in.Offsets, q.start*unit)
	}
	if len(pieces) > o.Buffers && profile.New(in.Problem).Peak < in.Optimum { // a hole at every moment
		in.Optimum = 0
	}
	return in
}

// unitsOf returns the capacity in units of the alignment.
func unitsOf(o Options) (int64, error) {
	unit := max(o.Alignment, 1)
	if o.Capacity%unit != 0 {
		return 0, fmt.Errorf("capacity %d: must be a multiple of the alignment %d", o.Capacity, unit)
	}
	return o.Capacity / unit, nil
}

// dissect cuts a rectangle into n pieces.
func (r *RNG) dissect(whole rect, n int, pinwheels float64) ([]rect, error) {
	open := []rect{whole} // pieces that can still be cut
	var done []rect       // pieces of one slot and one unit
	for len(open)+len(done) < n {
		if len(open) == 0 {
			return nil, errors.New("there are more buffers than slots × units of space")
		}
		pick := r.Below(int64(len(open)))
		for range 2 {
			if other := r.Below(int64(len(open))); open[other].area() > open[pick].area() {
				pick = other
			}
		}
		q := open[pick]
		open[pick] = open[len(open)-1]
		open = open[:len(open)-1]
		var parts []rect
		if missing := n - len(open) - len(done); missing >= 5 && q.upper-q.lower >= 3 && q.end-q.start >= 3 &&
			r.Chance(pinwheels) {
			parts = r.pinwheel(q)
		} else {
			parts = r.guillotine(q, q == whole)
		}
		for _, part := range parts {
			if part.upper-part.lower > 1 || part.end-part.start > 1 {
				open = append(open, part)
			} else {
				done = append(done, part)
			}
		}
	}
	return append(done, open...), nil
}

// between returns a cut in (low, high), away from the ends if there is room.
func (r *RNG) between(low, high int64) int64 {
	margin := max(1, (high-low)/5)
	return r.Within(low+margin, high-margin)
}

func (r *RNG) guillotine(q rect, first bool) []rect {
	acrossSpace := q.upper-q.lower == 1 || q.end-q.start > 1 && (first || r.Chance(0.5))
	a, b := q, q
	if acrossSpace {
		a.end = r.between(q.start, q.end)
		b.start = a.end
	} else {
		a.upper = r.between(q.lower, q.upper)
		b.lower = a.upper
	}
	return []rect{a, b}
}

// twoBetween returns two cuts in (low, high), which are at least 3 apart: one
// in the second fifth and one in the fourth, if there is room.
func (r *RNG) twoBetween(low, high int64) (int64, int64) {
	d := high - low
	return low + r.Within(max(1, d/5), max(1, d*2/5)), low + r.Within(max(2, d*3/5), max(2, d*4/5))
}

func (r *RNG) pinwheel(q rect) []rect {
	t1, t2 := r.twoBetween(q.lower, q.upper)
	s1, s2 := r.twoBetween(q.start, q.end)
	parts := []rect{
		{q.lower, t2, q.start, s1},
		{t2, q.upper, q.start, s2},
		{t1, q.upper, s2, q.end},
		{q.lower, t1, s1, q.end},
		{t1, t2, s1, s2},
	}
	if r.Chance(0.5) { // turn it the other way
		for i := range parts {
			parts[i].lower, parts[i].upper = q.lower+q.upper-parts[i].upper, q.lower+q.upper-parts[i].lower
		}
	}
	return parts
}

package gen

import (
	"cmp"
	"errors"
	"slices"
)

// Idea: cracks in a rectangle. From each of n-1 random points a crack grows both ways, half of them along time and
// half along space, all at one speed, until it meets another crack or the border. That makes n rectangles, long ones
// and short ones. Half of them make a rectangle together with a neighbour. If these are merged, no cut and no
// pinwheel is left.
//
// Two cracks that cross: the one that comes to the crossing later ends there, unless the other has ended before.
//
// Source: Gilbert's tessellation of the plane, in its rectangular form (Mackisack and
// Miles, "Homogeneous rectangular tessellations", 1996).
//
// Invariant: no crack crosses another, and both ends of a crack are at another one or at the border. Complexity: O(n²
// log n): each pair of cracks is looked at.

// A crack is a segment: its place on one axis, and its two ends along the other. Places are ranks: there are as many
// as there are cracks in a direction.
type crack struct {
	at, seed  float64
	end       [2]float64
	still     [2]bool // has ended
	meets     [2]int  // the crack at which it ended, -1 for the border
	alongTime bool
}

// A crossing is where the cracks p, along time, and q, along space, would cross.
type crossing struct {
	when float64 // the later one comes
	p, q int32
}

// cracksMost is the number of buffers up to which each pair of cracks can be looked at.
const cracksMost = 1 << 13

func cracks(o Options) (*Instance, error) {
	units, err := unitsOf(o)
	if err != nil {
		return nil, err
	}
	if o.pieces() > cracksMost {
		return nil, errors.New("cracks make up to 8192 pieces")
	}
	if int64(o.pieces()) > min(units, o.Horizon) {
		return nil, errors.New("cracks need a slot and a unit of space for each piece")
	}
	r := NewRNG(o.Seed, "cracks")
	pieces := r.tessellate(o.pieces(), o.Horizon, units)
	return r.packing(o, pieces), nil
}

// tessellate grows the cracks.
func (r *RNG) tessellate(n int, horizon, units int64) []rect {
	all := make([]crack, n-1)
	unit := func() float64 { return float64(r.Next()>>11) / (1 << 53) }
	for k := range all {
		all[k] = crack{at: unit(), seed: unit(), end: [2]float64{0, 1}, meets: [2]int{-1, -1}, alongTime: r.Chance(0.5)}
	}
	var crossings []crossing
	for p := range all {
		for q := range all {
			if all[p].alongTime && !all[q].alongTime {
				crossings = append(crossings,
					crossing{max(abs(all[p].seed-all[q].at), abs(all[q].seed-all[p].at)), int32(p), int32(q)})
			}
		}
	}
	slices.SortFunc(crossings, func(a, b crossing) int { return cmp.Compare(a.when, b.when) })
	for _, c := range crossings {
		first, later := int(c.p), int(c.q)
		if abs(all[first].seed-all[later].at) > abs(all[later].seed-all[first].at) {
			first, later = later, first
		}
		a, b := &all[first], &all[later]
		if !a.covers(b.at) {
			continue
		}
		side := 0
		if a.at > b.seed {
			side = 1
		}
		if !b.still[side] {
			b.still[side], b.end[side], b.meets[side] = true, a.at, first
		}
	}
	return pieces(all, horizon, units, r)
}

// covers reports whether the crack reaches a place, or will if nothing stops it.
func (c *crack) covers(at float64) bool { return c.end[0] <= at && at <= c.end[1] }

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// pieces turns cracks into the rectangles between them. Cracks along space are walls, in order of time. At a wall, the
// part of the pile between its ends is replaced by new pieces, which are cut by the cracks along time that start there.
func pieces(all []crack, horizon, units int64, r *RNG) []rect {
	var times, places []int
	for k := range all {
		if all[k].alongTime {
			places = append(places, k)
		} else {
			times = append(times, k)
		}
	}
	place := make([]int64, len(all)) // in slots or units
	for _, axis := range []struct {
		of   []int
		size int64
	}{{times, horizon}, {places, units}} {
		slices.SortFunc(axis.of, func(i, j int) int { return cmp.Compare(all[i].at, all[j].at) })
		for k, at := range r.split(0, axis.size, len(axis.of)+1, 0)[:len(axis.of)] {
			place[axis.of[k]] = at.end
		}
	}
	starts := make([][]int64, len(all)+1) // where the cracks along time begin that start at a wall, the border last
	for _, k := range places {
		wall := all[k].meets[0]
		if wall < 0 {
			wall = len(all)
		}
		starts[wall] = append(starts[wall], place[k]) // in ascending order
	}
	begin := func(wall int, lower, start, end int64) (made []rect) {
		for _, cut := range append(starts[wall], end) {
			made = append(made, rect{lower: lower, start: start, end: cut})
			start = cut
		}
		return made
	}
	pile := begin(len(all), 0, 0, units)
	var done []rect
	for _, k := range times {
		low, high := int64(0), units
		if at := all[k].meets[0]; at >= 0 {
			low = place[at]
		}
		if at := all[k].meets[1]; at >= 0 {
			high = place[at]
		}
		from := slices.IndexFunc(pile, func(q rect) bool { return q.start >= low })
		to := from
		for to < len(pile) && pile[to].end <= high {
			q := pile[to]
			q.upper = place[k]
			done = append(done, q)
			to++
		}
		pile = slices.Replace(pile, from, to, begin(k, place[k], low, high)...)
	}
	for _, q := range pile {
		q.upper = horizon
		done = append(done, q)
	}
	return done
}

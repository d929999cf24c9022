package gen

import (
	"errors"
	"slices"
)

// Idea: grow a packing from the first moment to the last. The active pieces are a pile without holes. At a wall, one
// to three neighbours in the pile end, and others begin in the room that they leave, which is cut at random. The pile
// keeps its height. Every packing without a free byte whose walls do not meet can arise in this way: guillotine cuts,
// pinwheels, and packings in which no part is a rectangle, which are most.
//
// If there are fewer slots than walls, several walls stand at one moment. If there are few units of space, many
// buffers fit by accident.
//
// Invariant: the pile has no holes, and the room of a wall is that of the pieces that end there.
// Complexity: O(n × the height of the pile, about the square root of n).

func walls(o Options) (*Instance, error) {
	units, err := unitsOf(o)
	if err != nil {
		return nil, err
	}
	r := NewRNG(o.Seed, "walls")
	for range growths {
		var pieces []rect
		if pieces, err = r.grow(rect{0, o.Horizon, 0, units}, o.pieces()); err == nil {
			return r.packing(o, pieces), nil
		}
	}
	return nil, err
}

// growths is how often a packing is begun: on a coarse grid a wall may find no room.
const growths = 20

// grow makes a packing of n pieces.
func (r *RNG) grow(whole rect, n int) ([]rect, error) {
	high := 1
	for high*high < n {
		high++
	}
	pile := r.split(whole.start, whole.end, min(high, n), 0)
	if pile == nil {
		return nil, errNoRoom
	}
	var begins []int // how many begin at each wall
	for left := n - len(pile); left > 0; left -= begins[len(begins)-1] {
		begins = append(begins, min(left, int(r.Within(1, 3))))
	}
	if len(begins) > 0 && whole.upper < 2 {
		return nil, errNoRoom
	}
	times := make([]int64, len(begins))
	for k := range times {
		times[k] = r.Within(1, whole.upper-1)
	}
	slices.Sort(times)
	var done []rect
	for k, at := range times {
		from, to := r.wall(pile, at, begins[k], high)
		if from == to {
			return nil, errNoRoom
		}
		made := r.split(pile[from].start, pile[to-1].end, begins[k], at)
		for _, q := range pile[from:to] {
			q.upper = at
			done = append(done, q)
		}
		pile = slices.Replace(pile, from, to, made...)
	}
	for _, q := range pile {
		q.upper = whole.upper
		done = append(done, q)
	}
	return done, nil
}

var errNoRoom = errors.New("there are more buffers than the slots and units of space have room for")

// wall returns a range of the pile that ends so that so many pieces can begin; an empty range if there is no room.
// Its pieces are at least one slot old, and have at least as many units as pieces begin. A pile that is too high
// loses more.
func (r *RNG) wall(pile []rect, at int64, begin, high int) (from, to int) {
	for range 64 {
		end := int(r.Within(1, 3))
		if len(pile) > high {
			end = max(end, min(begin+1, 3))
		} else if end > begin {
			end = begin
		}
		if end == 1 && begin == 1 {
			end = 2 // otherwise the two would be one piece that is cut
		}
		from = int(r.Below(int64(len(pile))))
		to = min(from+end, len(pile))
		if pile[to-1].end-pile[from].start < int64(begin) ||
			slices.ContainsFunc(pile[from:to], func(q rect) bool { return q.lower >= at }) {
			continue
		}
		return from, to
	}
	return 0, 0
}

// split cuts [start, end) into so many pieces that begin at a time; nil if there are too few units.
func (r *RNG) split(start, end int64, count int, lower int64) []rect {
	if int64(count) > end-start {
		return nil
	}
	cuts := make([]int64, 0, count+1)
	for len(cuts) < count-1 {
		cut := r.Within(start+1, end-1)
		if at, known := slices.BinarySearch(cuts, cut); !known {
			cuts = slices.Insert(cuts, at, cut)
		}
	}
	cuts = append(cuts, end)
	pieces := make([]rect, count)
	for k, cut := range cuts {
		pieces[k] = rect{lower: lower, start: start, end: cut}
		start = cut
	}
	return pieces
}

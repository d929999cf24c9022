// Package places finds the places that each body of a problem with rules may have by itself, and beside bodies that
// have one place only. It searches nothing. If a body has no place, or two have none beside each other, there is no
// plan.
//
//	places.go   the places of each body in each pool, and those that fixed neighbours leave
//	beside.go   two bodies that may only be in the same pool
//	proof.go    a proof in words, with the fewest buffers that it needs
//	pairs.go    at which distances two buffers may lie
package places

import (
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/model"
)

// Idea: a body is one buffer, or buffers that are tied. Its place is a pool and an origin, which is the offset of its
// lowest byte. The possible origins in a pool are a grid, less open ranges:
//
//	alignments       first, first + step, and so on: those of all members and of the pool (lower.Grid)
//	capacity         origin <= capacity - end of the highest member
//	fixed            origin  = fixed offset - bytes below that member
//	reserved [r, s)  origin is not in (r - end of a member, s - begin of the member)
//	a neighbour      that conflicts and has one place only: origin is not in a range of pairs.go
//
// A body with one place left becomes such a neighbour of others. This is repeated until nothing changes.
//
// Invariant: a place that is taken away is in no plan. A limit only leaves places that could have been taken away.
//
// Complexity: O(members · pools · reserved ranges), and O(bodies) for each body that has one place; mostEffort of these
// in all.

// Proved names this package as the one that proved that there is no plan.
const Proved = "places"

// mostEffort bounds the pairs of bodies that are visited. To find out whether two conflict counts as lookEffort.
const mostEffort, lookEffort = 1 << 22, 16

// Sets are the places of all bodies.
type Sets struct {
	p      *model.Problem
	pools  []model.Pool
	pairs  *Pairs
	body   []int32 // as Bodies of model.Conflicts has them, and at too
	at     []int64
	index  []int32 // of each buffer, its body
	bodies []body
	effort int
	fault  *fault
}

// A body has members, at least one, and places.
type body struct {
	members []int32
	end     int64 // of the highest member, from the origin
	in      []set // its places in each pool
	causes  []int32
	done    bool // it has one place, and its neighbours know
}

// A set is the origins of a body in a pool.
type set struct {
	grid  lower.Grid
	spans []span // ascending; empty if there is no place
	open  bool   // its last span has no end, so the set is never empty
	alone bool   // it was not empty for the body alone, before neighbours took places
}

// A span is the origins of the grid from first to last. Both ends are on the grid.
type span struct{ first, last int64 }

// A fault is one body without a place, or two without places beside each other in a pool.
type fault struct {
	a, b int32 // bodies; b is -1 for one body
	pool int32
}

// Find finds the places of a valid problem with rules and without evictions.
func Find(p *model.Problem, c *model.Conflicts) *Sets {
	s := &Sets{p: p, pools: p.AllPools(), pairs: NewPairs(p, c), index: make([]int32, len(p.Buffers)), effort: mostEffort}
	s.body, s.at = c.Bodies()
	s.list()
	s.alone()
	if s.fault == nil {
		s.spread()
	}
	if s.fault == nil {
		s.beside()
	}
	return s
}

// None reports whether the places prove that there is no plan.
func (s *Sets) None() bool { return s.fault != nil }

// May reports whether the body of a buffer may be in a pool. If there is no plan, it answers for the body alone.
func (s *Sets) May(buffer, pool int32) bool {
	x := &s.bodies[s.index[buffer]].in[pool]
	return len(x.spans) > 0 || s.None() && x.alone
}

// list lists the bodies. Bodies of one buffer share their arrays.
func (s *Sets) list() {
	n := len(s.p.Buffers)
	s.bodies = make([]body, 0, n)
	each := make([]int32, n)
	known := make([]int32, n) // 1 + the body of the buffer that stands for one
	for i := range s.p.Buffers {
		each[i] = int32(i)
		root := int32(i)
		if s.body != nil {
			root = s.body[i]
		}
		if known[root] == 0 {
			s.bodies = append(s.bodies, body{})
			known[root] = int32(len(s.bodies))
		}
		k := known[root] - 1
		s.index[i] = k
		b := &s.bodies[k]
		if b.end = max(b.end, s.from(int32(i))+s.p.Buffers[i].Size); b.members == nil {
			b.members = each[i : i+1 : i+1]
		} else {
			b.members = append(b.members, int32(i))
		}
	}
}

// from returns how far a buffer begins above the origin of its body.
func (s *Sets) from(i int32) int64 {
	if s.at == nil {
		return 0
	}
	return s.at[i]
}

// alone finds the places of each body by itself.
func (s *Sets) alone() {
	free := make([][]span, len(s.pools))
	for q := range s.pools {
		free[q] = freeOf(&s.pools[q])
	}
	n := len(s.pools)
	sets, rooms := make([]set, n*len(s.bodies)), make([]span, n*len(s.bodies))
	for k := range s.bodies {
		b, some := &s.bodies[k], false
		b.in = sets[k*n : (k+1)*n]
		for q := range s.pools {
			b.in[q].spans = rooms[k*n+q : k*n+q : k*n+q+1]
			s.within(&b.in[q], b, int32(q), free[q])
			b.in[q].alone = len(b.in[q].spans) > 0
			some = some || b.in[q].alone
		}
		if !some && s.fault == nil {
			s.fault = &fault{int32(k), -1, -1}
		}
	}
}

// freeOf returns the stretches of bytes of a pool that are not reserved, half-open. If there is no capacity, the last
// one ends at model.MaxSum.
func freeOf(q *model.Pool) (free []span) {
	at := int64(0)
	for _, r := range lower.Merged(q.Reserved) {
		if at < r.Lower {
			free = append(free, span{at, r.Lower})
		}
		at = r.Upper
	}
	end := q.Capacity
	if end == 0 {
		end = model.MaxSum
	}
	if at < end {
		free = append(free, span{at, end})
	}
	return free
}

// longestOf returns the length of the longest of some stretches.
func longestOf(free []span) (longest int64) {
	for _, r := range free {
		longest = max(longest, r.last-r.first)
	}
	return longest
}

// mayUse reports whether each member of a body may be in a pool.
func (s *Sets) mayUse(b *body, pool int32) bool {
	return !slices.ContainsFunc(b.members, func(i int32) bool { return !s.p.Buffers[i].MayUse(pool) })
}

// within finds the places of a body in a pool with these free stretches. The set has no span yet.
func (s *Sets) within(x *set, b *body, pool int32, free []span) {
	q := &s.pools[pool]
	var ok bool
	if x.grid, ok = s.gridOf(b, q); !ok || !s.mayUse(b, pool) {
		return
	}
	room := span{x.grid.First, x.grid.Down(model.MaxSum)}
	if q.Capacity > 0 {
		room.last = x.grid.Down(q.Capacity - b.end)
	}
	x.open = q.Capacity == 0
	if origin, fixed := s.fixedAt(b); fixed {
		x.open = false
		if origin < room.first || origin > room.last || x.grid.Down(origin) != origin {
			return
		}
		room = span{origin, origin}
	}
	if room.first > room.last {
		return
	}
	x.spans = append(x.spans, room)
	if len(q.Reserved) == 0 {
		return
	}
	for _, i := range b.members {
		from, size := s.from(i), s.p.Buffers[i].Size
		var both []span
		for m, n := 0, 0; m < len(x.spans) && n < len(free); {
			old := x.spans[m]
			last := free[n].last - size - from // the highest origin in the stretch
			if r := (span{x.grid.Up(max(old.first, free[n].first-from)), x.grid.Down(min(old.last, last))}); r.first <= r.last {
				both = append(both, r)
			}
			if last < old.last {
				n++
			} else {
				m++
			}
		}
		x.spans = both
	}
}

// gridOf returns the origins of a body that suit all alignments. ok is false if there are none.
func (s *Sets) gridOf(b *body, q *model.Pool) (g lower.Grid, ok bool) {
	g, ok = lower.Grid{First: 0, Step: 1}, true
	for _, i := range b.members {
		for _, align := range [...]int64{s.p.Buffers[i].Align(), max(q.Alignment, 1)} {
			if ok && align > 1 {
				g, ok = g.And(s.from(i), align)
			}
		}
	}
	return g, ok
}

// fixedAt returns the origin that a fixed offset gives a body. fixed is false if no member has one.
func (s *Sets) fixedAt(b *body) (origin int64, fixed bool) {
	for _, i := range b.members {
		if at := s.p.Buffers[i].Fixed; at != nil {
			return *at - s.from(i), true
		}
	}
	return 0, false
}

// forbid removes the origins between low and high. It reports whether there were any.
func (x *set) forbid(low, high int64) (some bool) {
	low, high = x.grid.Down(low), x.grid.Up(high) // the nearest origins on the grid that stay
	if low+x.grid.Step >= high {
		return false
	}
	k := sort.Search(len(x.spans), func(k int) bool { return x.spans[k].last > low })
	for ; k < len(x.spans) && x.spans[k].first < high; k++ {
		some = true
		old, left := x.spans[k], make([]span, 0, 2)
		if old.first <= low {
			left = append(left, span{old.first, low})
		}
		if high <= old.last {
			left = append(left, span{high, old.last})
		}
		x.spans = slices.Replace(x.spans, k, k+1, left...)
		k += len(left) - 1
	}
	return some
}

// only returns the one place of a body. ok is false if it has another, or none.
func (b *body) only() (pool int32, origin int64, ok bool) {
	for q := range b.in {
		for _, x := range b.in[q].spans {
			if ok || x.first != x.last {
				return 0, 0, false
			}
			pool, origin, ok = int32(q), x.first, true
		}
	}
	return pool, origin, ok
}

// none reports whether a body has no place.
func (b *body) none() bool {
	return !slices.ContainsFunc(b.in, func(x set) bool { return len(x.spans) > 0 })
}

// spread removes places from the neighbours of bodies with one place, until no further body has only one.
func (s *Sets) spread() {
	var queue []int32
	for k := range s.bodies {
		if _, _, ok := s.bodies[k].only(); ok {
			queue = append(queue, int32(k))
		}
	}
	for len(queue) > 0 && s.fault == nil {
		k := queue[0]
		queue = queue[1:]
		f := &s.bodies[k]
		pool, origin, _ := f.only()
		f.done = true
		for m := range s.bodies {
			b := &s.bodies[m]
			x := &b.in[pool]
			if s.effort--; s.effort < 0 {
				return
			}
			if b.done || x.open || len(x.spans) == 0 {
				continue
			}
			if x.spans[0].first >= origin+f.end || x.spans[len(x.spans)-1].last+b.end <= origin {
				continue // they share no byte wherever b lies
			}
			if !s.exclude(b, x, f, origin) {
				continue
			}
			b.causes = append(b.causes, k)
			if b.none() {
				s.fault = &fault{int32(m), -1, pool}
				return
			}
			if _, _, ok := b.only(); ok && !slices.Contains(queue, int32(m)) {
				queue = append(queue, int32(m))
			}
		}
	}
}

// exclude removes the origins of b at which it would share bytes with f against the rules. f lies at origin. It reports
// whether there were any.
func (s *Sets) exclude(b *body, x *set, f *body, origin int64) (some bool) {
	for _, i := range b.members {
		for _, j := range f.members {
			s.effort -= lookEffort
			base := origin + s.from(j) - s.from(i)
			s.pairs.Between(i, j, func(low, high int64) {
				some = x.forbid(base+low, base+high) || some
			})
		}
	}
	return some
}

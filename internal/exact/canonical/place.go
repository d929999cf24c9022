package canonical

import "github.com/stowage-go/stowage/internal/exact/common"

// This file applies a placement, and trail.go takes it back. During search nothing else changes the state, except
// inference, which writes through set.
//
// Placing j at lb[j] does three things. It takes j out of the unplaced buffers and out of the sums of its sections.
// It lifts the floors of these sections to the top of j. It raises lb of each unplaced neighbour c:
//
//	lb(c) = max(lb(c), lb(j) + distance(j, c)), rounded up to the alignment of c and into a hole of c
//
// Neighbours are found through the sections, so this costs O(sections and neighbours of j), however many buffers
// there are. If there are windows, all buffers that begin before j ends are looked at.
//
// Invariant: lb of an unplaced buffer is the highest top of the placed buffers that it overlaps, aligned and in a
// hole. total, live, cuts and edges count what is unplaced.

// placement has the placed buffers.
type placement struct {
	path []common.Buffer // the placed buffers, in the order of their placement
	best []int64         // per placed buffer, and per buffer of a solved part: its offset
}

func (p *placement) add(a *arrays) {
	a.numbers.Add(a.n, &p.best)
	a.buffers.Add(a.n, &p.path)
}

func (p *placement) reset() { p.path = p.path[:0] }

// place puts j at its least offset. covered says whether some unplaced buffer may still lie on top of j. ok is false if
// a neighbour was raised above its highest offset; the caller then undoes the placement. If the run is over, place may
// stop midway and return false: try asks whether it is.
func (k *Kernel) place(j common.Buffer) (covered, ok bool) {
	k.best[j] = k.lb[j]
	k.path = append(k.path, j)
	k.tops.highest = 0
	k.take(j)
	k.liftFloors(j)
	k.runs.markAround(k.of[j].first, k.of[j].last, k.live[k.of[j].first] > 0)
	if k.Windowed {
		// With windows, the distance of two buffers is not the size of the lower one.
		for c := range k.begins[k.of[j].last] {
			if k.placed(c) {
				continue
			}
			if k.huge && k.late() {
				return true, false
			}
			if d, meet := k.distance(j, c); meet {
				covered = true
				if !k.raise(c, k.lb[j]+d) {
					return true, false
				}
			}
		}
		return covered, true
	}
	top := k.lb[j] + k.size[j]
	for x := Piece(j); x != none; x = k.next[x] {
		if k.huge && k.late() {
			return true, false
		}
		for _, y := range k.nearby(x) {
			covered = true
			if c := k.owner[y]; !k.raise(c, top) {
				return true, false
			}
		}
	}
	return covered, true
}

// raise raises lb of c to top, aligned, and reports whether c can lie there.
func (k *Kernel) raise(c common.Buffer, top int64) bool {
	if k.lb[c] >= top {
		return true
	}
	top = k.alignUp(c, top)
	if k.holes.any {
		top = k.holes.above(c, top)
	}
	if top > k.of[c].ub {
		return false
	}
	if k.inf[c] == k.lb[c] {
		k.setBoth(c, top)
		return true
	}
	k.set(int32(c), top)
	if k.inf[c] < top {
		k.setInf(c, top)
	}
	return true
}

// take removes j from what is unplaced.
func (k *Kernel) take(j common.Buffer) {
	k.unplaced[j>>6] &^= 1 << (j & 63)
	for s := k.of[j].first; s+1 < k.of[j].last; s++ {
		k.cuts[s]--
	}
	for x := Piece(j); x != none; x = k.next[x] {
		at, b := &k.span[x], &k.block[x]
		b.start = gone
		total, live := k.total[at.first:at.last], k.live[at.first:at.last]
		for s := range total {
			total[s] -= b.size
			live[s]--
		}
		k.runs.leave(at.first)
		k.runs.leave(at.last)
	}
}

// give puts j back into what is unplaced, with its pieces at its inferred bound.
func (k *Kernel) give(j common.Buffer) {
	k.unplaced[j>>6] |= 1 << (j & 63)
	for s := k.of[j].first; s+1 < k.of[j].last; s++ {
		k.cuts[s]++
	}
	for x := Piece(j); x != none; x = k.next[x] {
		at, b := &k.span[x], &k.block[x]
		b.start = k.inf[j] + at.lower
		total, live, top := k.total[at.first:at.last], k.live[at.first:at.last], k.tops.of[at.first:at.last]
		for s := range total {
			total[s] += b.size
			live[s]++
			top[s] = max(top[s], b.start)
		}
		k.runs.enter(at.first)
		k.runs.enter(at.last)
	}
}

package exact

// This file applies a placement; trail.go takes it back. Nothing else changes
// the state during search but inference, which writes through set.
//
// A placement of j at lb[j] marks j as placed, takes it out of the totals and
// cuts of its sections, lifts the floors of them to its top, and raises lb of
// each unplaced neighbour to its top (aligned). The list of unplaced buffers is
// kept in the order in which they are tried, so the child's list is the
// parent's without j, with the raised buffers merged back in: O(list), no
// sorting beyond the raised ones.
//
// Invariant: lb of an unplaced buffer is the highest top of the placed buffers
// that it overlaps, aligned; total and cuts count what is unplaced.

// place puts list[at] at its least offset and returns the child's list. It
// reports hat, whether any unplaced buffer overlaps the placed one, and ok =
// false where a neighbour was raised out of reach; the list is then not valid.
// The caller undoes the placement in either case.
func (k *kernel) place(list []Buffer, at int) (child []Buffer, hat, ok bool) {
	j := list[at]
	k.best[j] = k.lb[j]
	k.placed[j] = true
	k.addTotals(j, -1)
	k.liftFloors(j)
	for s := k.first[j]; s+1 < k.last[j]; s++ {
		k.cuts[s]--
	}
	if len(list) > shareAbove {
		child = list[:len(list)-1]
	} else {
		child = k.grab(len(list) - 1)
	}
	k.raised = k.raised[:0]
	var kept int
	if k.plain {
		kept, hat, ok = k.raiseNeighbours(child, list, at)
	} else {
		kept, hat, ok = k.raiseNeighboursGapped(child, list, at)
	}
	if !ok {
		return nil, hat, false
	}
	k.merge(child, kept, k.raised)
	return child, hat, true
}

// raiseNeighbours raises what overlaps list[at], collects it in raised, and puts
// the others into child, of which it returns the number.
func (k *kernel) raiseNeighbours(child, list []Buffer, at int) (kept int, hat, ok bool) {
	j := list[at]
	raised := k.raised
	first, last, top := k.first[j], k.last[j], k.lb[j]+k.size[j]
	for i, c := range list {
		if k.first[c] < last && first < k.last[c] && i != at {
			hat = true
			if k.lb[c] < top {
				if !k.raise(c, top) {
					return 0, true, false
				}
				raised = append(raised, c)
				continue
			}
		}
		if i != at {
			child[kept] = c
			kept++
		}
	}
	k.raised = raised
	return kept, hat, true
}

// raiseNeighboursGapped is raiseNeighbours where distances differ. In a huge
// partition it gives up, as if it had failed, where the run is over.
func (k *kernel) raiseNeighboursGapped(child, list []Buffer, at int) (kept int, hat, ok bool) {
	j := list[at]
	for i, c := range list {
		if i == at {
			continue
		}
		if k.huge && i&1023 == 1023 && k.late() {
			return 0, true, false
		}
		if d, meet := k.above(j, c); meet {
			hat = true
			if top := k.lb[j] + d; k.lb[c] < top {
				if !k.raise(c, top) {
					return 0, true, false
				}
				k.raised = append(k.raised, c)
				continue
			}
		}
		child[kept] = c
		kept++
	}
	return kept, hat, true
}

// shareAbove is the length of a list above which parent and child share one
// array, and the parent rebuilds its own when the child has failed. Separate
// arrays for every level of a deep dive would take n²/2 entries.
const shareAbove = 2048

// rebuild restores a component's list after a child has used its array.
func (k *kernel) rebuild(c component) {
	list := c.list[:0]
	for j := range k.n {
		if !k.placed[j] && k.first[j] >= c.first && k.last[j] <= c.last {
			list = append(list, j)
		}
	}
	k.sortList(list)
}

// raise lifts lb of c to top, aligned, and reports whether c can lie there.
func (k *kernel) raise(c Buffer, top int64) bool {
	top = k.alignUp(c, top)
	if top > k.ub[c] {
		return false
	}
	k.set(int32(c), top)
	if k.inf[c] < top {
		k.set(int32(k.n+c), top)
	}
	return true
}

// mergeMost is how many raised buffers are sorted by insertion.
const mergeMost = 64

// merge sorts the raised buffers and merges them into child[:kept], which is in
// order, from the back.
func (k *kernel) merge(child []Buffer, kept int, raised []Buffer) {
	if len(raised) > mergeMost {
		k.sortList(raised)
	} else {
		for i := 1; i < len(raised); i++ {
			c := raised[i]
			p := i
			for p > 0 && k.less(c, raised[p-1]) {
				raised[p] = raised[p-1]
				p--
			}
			raised[p] = c
		}
	}
	a, b := kept-1, len(raised)-1
	for to := len(child) - 1; b >= 0; to-- {
		if a >= 0 && k.less(raised[b], child[a]) {
			child[to] = child[a]
			a--
		} else {
			child[to] = raised[b]
			b--
		}
	}
}

// liftFloors raises the floors of buffer j's sections to its top. Only the
// inference of the paper reads floors; the suffix bound reads lb instead.
func (k *kernel) liftFloors(j Buffer) {
	if k.sw.suffixBound {
		return
	}
	base := Section(2 * k.n)
	if k.plain {
		for s := k.first[j]; s < k.last[j]; s++ {
			k.set(int32(base+s), k.lb[j]+k.size[j])
		}
		return
	}
	for _, span := range k.spansOf(j) {
		for s := span.first; s < span.last; s++ {
			k.set(int32(base+s), max(k.floor[s], k.lb[j]+span.upper))
		}
	}
}

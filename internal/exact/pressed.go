package exact

// Idea: the suffix bound and not-first can only find something in a section
// where a bound has changed since they last looked, or from which a buffer was
// taken (the section is dirty), and only where some bound plus the whole total
// exceeds the limit (it is pressed): anywhere else even the highest suffix fits
// and anything can be lowest. So the dirty and pressed sections are numbered,
// and both inferences work on these slots alone: slot[s] is the number of them
// before s, and buffer j is in the slots [slot[first[j]], slot[last[j]]).
//
// What has changed is on the trail.
//
// Invariant: all sections of a component are clean when it is searched.
//
// Complexity: O(changed spans + sections + the incidences of dirty sections).

// soil marks the sections of c that the trail from the given position on, and
// the placement of j where that is not negative, have made dirty.
func (k *kernel) soil(c component, from int, j int32) {
	dirty := k.dirty
	clear(dirty[c.first:c.last])
	mark := func(j int32) {
		first, last := max(k.first[j], c.first), min(k.last[j], c.last)
		for s := first; s < last; s++ {
			dirty[s] = 1
		}
	}
	if j >= 0 {
		mark(j)
	}
	n := int32(k.n)
	for _, e := range k.trail[from:] {
		if e.at >= n && e.at < 2*n {
			mark(e.at - n)
		}
	}
}

// soilAll marks all sections of c: a clamp raises bounds without a trace.
func (k *kernel) soilAll(c component) {
	for s := c.first; s < c.last; s++ {
		k.dirty[s] = 1
	}
}

// press numbers the sections of c that are dirty and pressed, collects the
// buffers that are in any of them as active, and reports whether there are any.
func (k *kernel) press(c component) bool {
	slot, top := k.slot, k.top
	count := int32(0)
	for s := c.first; s < c.last; s++ {
		slot[s] = count
		k.unslot[count] = s
		count += int32(k.dirty[s])
	}
	slot[c.last] = count
	top = top[:count]
	clear(top)
	for _, j := range c.list {
		a, b := slot[k.first[j]], slot[k.last[j]]
		if a == b {
			continue
		}
		h := k.bound(j)
		in := top[a:b]
		for s := range in {
			in[s] = max(in[s], h)
		}
	}
	// Renumber in place: the pressed ones among the dirty ones.
	pressed := int32(0)
	s := c.first
	for d := range count {
		at := k.unslot[d]
		if top[d]+k.total[at] <= k.limit {
			continue
		}
		for ; s <= at; s++ {
			slot[s] = pressed
		}
		k.unslot[pressed], k.slotTotal[pressed] = at, k.total[at]
		pressed++
	}
	for ; s <= c.last; s++ {
		slot[s] = pressed
	}
	k.slots = pressed
	if pressed == 0 {
		return false
	}
	k.active = k.active[:0]
	for _, j := range c.list {
		if slot[k.first[j]] < slot[k.last[j]] {
			k.active = append(k.active, j)
		}
	}
	return true
}

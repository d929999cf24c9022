package exact

// Idea: the suffix bound and not-first can only find something in a section
// where a bound has changed since they last looked, or from which a buffer was
// taken (the section is dirty), and only where some bound plus the whole total
// exceeds the limit (it is tight): anywhere else even the highest suffix fits
// and anything can be lowest. So the dirty and tight sections are selected and
// numbered, and both inferences work on these slots alone: slot[s] is the
// number of them before s, and buffer j is in the slots
// [slot[first[j]], slot[last[j]]).
//
// What has changed is on the trail.
//
// Complexity: O(changed spans + sections + the incidences of dirty sections).

// markDirty marks the sections of c that the trail from the given position on,
// and the placement of j where that is not nobody, have made dirty.
func (k *kernel) markDirty(c component, from int, j Buffer) {
	dirty := k.dirty
	if from == everything {
		for s := c.first; s < c.last; s++ {
			dirty[s] = 1
		}
		return
	}
	clear(dirty[c.first:c.last])
	mark := func(j Buffer) {
		first, last := max(k.first[j], c.first), min(k.last[j], c.last)
		for s := first; s < last; s++ {
			dirty[s] = 1
		}
	}
	if j != nobody {
		mark(j)
	}
	n := int32(k.n)
	for _, e := range k.since(from) {
		if e.at >= n && e.at < 2*n {
			if k.huge && k.late() {
				return
			}
			mark(Buffer(e.at - n))
		}
	}
}

// selectSections numbers the sections of c that are dirty and tight, collects
// the buffers that are in any of them as active, and reports whether there are
// any.
func (k *kernel) selectSections(c component) bool {
	slot, top := k.slot, k.top
	count := Slot(0)
	for s := c.first; s < c.last; s++ {
		slot[s] = count
		k.unslot[count] = s
		count += Slot(k.dirty[s])
	}
	slot[c.last] = count
	top = top[:count]
	clear(top)
	for _, j := range c.list {
		a, b := slot[k.first[j]], slot[k.last[j]]
		if a == b {
			continue
		}
		if k.huge && k.late() {
			return false
		}
		h := k.bound(j)
		in := top[a:b]
		for s := range in {
			in[s] = max(in[s], h)
		}
	}
	k.renumber(c, count)
	if k.slots == 0 {
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

// renumber keeps, of the first count slots, those of tight sections.
func (k *kernel) renumber(c component, count Slot) {
	slot := k.slot
	tight := Slot(0)
	s := c.first
	for d := range count {
		at := k.unslot[d]
		if k.top[d]+k.total[at] <= k.limit {
			continue
		}
		for ; s <= at; s++ {
			slot[s] = tight
		}
		k.unslot[tight], k.slotTotal[tight] = at, k.total[at]
		tight++
	}
	for ; s <= c.last; s++ {
		slot[s] = tight
	}
	k.slots = tight
}

package exact

// Idea: in a section, the unplaced buffers whose bound is h or more all lie
// above h, so h plus their sizes must not exceed the limit, for every h. For
// the smallest h this is the section inference of the paper. In the terms of
// one-machine scheduling (a section is a machine, a buffer a job, its offset
// the start time) it is the bound of the latest release dates.
//
// The buffers are visited in descending order of their bounds and added to a
// running sum in each of their sections, so one pass over all incidences checks
// every h of every section.
//
// Where windows differ from the sizes, the least start in the section stands in
// for h: the buffers visited so far all start at or above it.
//
// Complexity: O(sum over unplaced buffers of their sections), plus an insertion
// sort of a list that is nearly sorted.
// Source: Carlier 1982 for the machine bound; its use here is Stowage's.

// suffixesFit reports whether every suffix of every selected section of c fits.
func (k *kernel) suffixesFit(c component) bool {
	if !k.plain {
		return k.suffixesFitGapped(c, k.sortByInf(c.list))
	}
	order := k.sortByInf(k.active)
	clear(k.acc[:k.slots])
	for i := len(order) - 1; i >= 0; i-- {
		j := order[i]
		z := k.size[j]
		room := k.limit - k.bound(j) - z
		if k.huge && k.late() {
			return true
		}
		acc := k.acc[k.slot[k.first[j]]:k.slot[k.last[j]]]
		for s := range acc {
			if acc[s] > room {
				k.promote(k.unslot[k.slot[k.first[j]]+Slot(s)])
				return false
			}
			acc[s] += z
		}
	}
	return true
}

func (k *kernel) suffixesFitGapped(c component, order []Buffer) bool {
	for s := c.first; s < c.last; s++ {
		k.low[s], k.acc[s] = k.limit, 0
	}
	for i := len(order) - 1; i >= 0; i-- {
		j := order[i]
		if k.huge && k.late() {
			return true
		}
		h := k.bound(j)
		for _, span := range k.spansOf(j) {
			for s := span.first; s < span.last; s++ {
				k.low[s] = min(k.low[s], h+span.lower)
				k.acc[s] += span.upper - span.lower
				if k.low[s]+k.acc[s] > k.limit {
					return false
				}
			}
		}
	}
	return true
}

// sortByInf returns the buffers of a list in ascending order of their inferred
// bounds. The list is sorted by lb, which is close to it.
func (k *kernel) sortByInf(list []Buffer) []Buffer {
	order := append(k.byInf[:0], list...)
	k.byInf = order
	inf := k.inf
	if k.huge {
		k.sortBy(order, func(i, j Buffer) bool { return inf[i] < inf[j] })
		return order
	}
	for i := 1; i < len(order); i++ {
		j := order[i]
		h := inf[j]
		p := i
		for p > 0 && inf[order[p-1]] > h {
			order[p] = order[p-1]
			p--
		}
		order[p] = j
	}
	return order
}

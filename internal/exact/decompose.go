package exact

// Idea: where no unplaced buffer's extent crosses from one section to the next,
// what is unplaced on either side can be planned apart. A placement can open
// such cuts only within the placed buffer's own extent.
//
// Invariant: a component has no open cut inside, but for the first, which is the
// partition. The parts are ranked anew,
// because the key T has changed; offsets still ascend, so a part keeps the
// offset bound of its parent but not the rank. google/minimalloc restarts its
// parts at offset 0, which explores plans that are not canonical.
//
// All parts are inferred before any is searched, and the tightest is searched
// first: a part that fails ends the placement, whatever the others would give.
// A solved part keeps its offsets in best.
//
// Complexity: O(list · log parts) to split, plus sorting the parts.
// Source: MiniMalloc, section 7 (dynamic temporal decomposition).

// openCuts returns the sections at which the parts of c begin that placing j has
// opened; none where there is one part. They hold until the next call.
func (k *kernel) openCuts(c component, j Buffer) []Section {
	bounds := k.bounds[:0]
	for s := k.first[j]; s+1 < k.last[j]; s++ {
		if k.cuts[s] != 0 || s+1 <= c.first || s+1 >= c.last {
			continue
		}
		if len(bounds) == 0 {
			bounds = append(bounds, c.first)
		}
		bounds = append(bounds, s+1)
	}
	k.bounds = bounds
	return bounds
}

// searchParts splits c at the bounds and searches each part.
func (k *kernel) searchParts(c component, bounds []Section, j Buffer, from int) outcome {
	base := len(k.parts)
	k.split(c, bounds)
	end := len(k.parts)
	r := k.searchEach(base, end, j, from)
	k.parts = k.parts[:base]
	return r
}

// searchEach infers the parts [base, end) of the stack, then searches them,
// the tightest first.
func (k *kernel) searchEach(base, end int, j Buffer, from int) outcome {
	for i := base; i < end; i++ {
		p := &k.parts[i]
		if end-base > 1 {
			k.rankList(p.list)
			k.sortList(p.list)
			p.rank = -1
		}
		if !k.infer(*p, from, j) {
			return exhausted
		}
	}
	parts := k.parts[base:end]
	for i := range parts {
		// Slack is how far the next placement may lie above the lowest buffer.
		parts[i].slack = k.ceiling(parts[i]) - k.lb[parts[i].list[0]]
		for p := i; p > 0 && parts[p].slack < parts[p-1].slack; p-- {
			parts[p], parts[p-1] = parts[p-1], parts[p]
		}
	}
	for i := base; i < end; i++ {
		if r := k.search(k.parts[i]); r != solved {
			return r
		}
	}
	return solved
}

// split distributes the list over the parts that begin at the given sections,
// in order, and pushes those that have buffers onto the stack of parts. It
// permutes the list, of which each part keeps a piece.
func (k *kernel) split(c component, bounds []Section) {
	ends := k.ends[:0]
	for range len(bounds) + 1 {
		ends = append(ends, 0)
	}
	k.ends = ends
	for _, j := range c.list {
		ends[partOf(bounds, k.first[j])+1]++
	}
	for p := 1; p < len(ends); p++ {
		ends[p] += ends[p-1]
	}
	k.byInf = append(k.byInf[:0], c.list...)
	for _, j := range k.byInf {
		p := partOf(bounds, k.first[j])
		c.list[ends[p]] = j
		ends[p]++
	}
	begin := int32(0)
	for p := range bounds {
		list := c.list[begin:ends[p]:ends[p]]
		begin = ends[p]
		if len(list) == 0 {
			continue
		}
		last := c.last
		if p+1 < len(bounds) {
			last = bounds[p+1]
		}
		k.parts = append(k.parts, component{list: list, first: bounds[p], last: last, off: c.off, rank: c.rank})
	}
}

// partOf returns the last of the bounds that is not after the section.
func partOf(bounds []Section, s Section) int {
	low, high := 0, len(bounds)
	for high-low > 1 {
		if mid := (low + high) / 2; bounds[mid] <= s {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

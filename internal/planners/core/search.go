package core

// The search over canonical plans, depth first by a stack of frames.
//
// Splitting. Idea: if no unplaced body lives on both sides of a cut, the two sides are searched by themselves,
// and the second is not searched again for each plan of the first. New cuts are within the lifespan of what was placed.
//
// Twins. Idea: of two bodies that are just alike, the one with the lower number is placed first.
//
// Postponement. Idea: what failed waits until a neighbour has raised it, as if it had been placed and had gone: the next
// candidate comes after it in the order of offset and rank, and lifting infers from that.
//
// Invariant: frames[:depth] are the nodes from the root to here. A node is solved with its last part, and leaves the
// stack; undo takes it back by trail and path.
//
// Complexity: exponential; a node takes the unplaced bodies of its part and what infer takes.
//
// Source: core/stowage_core.c.

// rankBodies renews ranks: the order in which candidates with the same offset are tried. It begins with the load of what
// is unplaced.
func (k *kernel) rankBodies(c *part) {
	list := k.p.order[:0]
	for j := k.firstOf(c); j < k.endOf(c); j = k.nextOf(c, j) {
		x := &k.items[j]
		x.crowd = 0
		for s := x.first; s < x.last; s++ {
			x.crowd = max(x.crowd, k.sections[s].total)
		}
		if k.p.scored {
			x.crowd = int64(k.p.weight*log256(uint64(x.crowd))/256) + k.p.load[k.base+j]
		}
		list = append(list, j)
	}
	sort(list, func(i, j int32) bool {
		a, b := &k.items[i], &k.items[j]
		if a.crowd != b.crowd {
			return a.crowd > b.crowd
		}
		return a.tie < b.tie
	})
	for r, j := range list {
		if x := &k.items[j]; x.rank != int32(r) {
			k.logChange(^j, int64(x.rank), 0)
			x.rank = int32(r)
		}
	}
}

// ceiling returns the highest offset at which a body may still be placed: the rest of the fullest section is above it.
func (k *kernel) ceiling(c *part) int64 {
	var most int64
	for s := c.first; s < c.last; s++ {
		most = max(most, k.sections[s].total)
	}
	return k.limit - most
}

func (k *kernel) eligible(j int32) bool {
	x := &k.items[j]
	return x.inf <= x.lb && (x.twin < 0 || k.placed(x.twin))
}

func (k *kernel) triedBefore(i, j int32) bool {
	a, b := &k.items[i], &k.items[j]
	return a.lb < b.lb || a.lb == b.lb && a.rank < b.rank
}

func (k *kernel) pushPart(whole *part, first, last int32) {
	c := *whole
	c.first, c.last = first, last
	switch {
	case k.firstOf(&c) >= k.endOf(&c):
	case int(k.partCount) == len(k.parts):
		k.full = true
	default:
		k.parts[k.partCount] = c
		k.partCount++
	}
}

// splitPart splits what is left of f, and infers in all parts. It returns whether all may be completed.
func (k *kernel) splitPart(f *frame) bool {
	x, from := &k.items[f.body], f.c.first
	for s := x.first; s+1 < x.last; s++ {
		if k.sections[s].cuts != 0 || s+1 <= f.c.first || s+1 >= f.c.last {
			continue
		}
		k.pushPart(&f.c, from, s+1)
		from = s + 1
	}
	k.pushPart(&f.c, from, f.c.last)
	f.end = k.partCount
	parts := k.parts[f.base:f.end]
	for i := range parts {
		if len(parts) > 1 {
			k.rankBodies(&parts[i])
			parts[i].rank = -1
		}
		if !k.infer(&parts[i]) {
			return false
		}
	}
	return true
}

// openNode begins a node for part c, which is not empty. It returns tried if f now has a candidate to try.
func (k *kernel) openNode(c *part, f *frame) outcome {
	if k.nodes >= k.most || k.full {
		return cut
	}
	if k.nodes++; k.nodes&31 == 0 && k.r.over() {
		k.full = true
		return cut
	}
	j := int32(-1)
	for i := k.firstOf(c); i < k.endOf(c); i = k.nextOf(c, i) {
		if j >= 0 && !k.triedBefore(i, j) {
			continue
		}
		if !k.waits(c, i) && k.eligible(i) {
			j = i
		}
	}
	f.top = k.ceiling(c)
	if j < 0 || k.items[j].lb > f.top {
		return exhausted
	}
	f.c, f.body = *c, j
	return tried
}

// tryBody places the candidate of f and infers. It returns whether the rest may be completed.
func (k *kernel) tryBody(f *frame) bool {
	j := f.body
	f.trail, f.path, f.level = k.trailCount, k.pathCount, k.level
	f.base, f.next, f.end = k.partCount, k.partCount, k.partCount
	k.level = f.trail
	f.c.offset, f.c.rank = k.items[j].lb, k.items[j].rank
	return k.placeBody(j) && k.splitPart(f)
}

// nextBody finds the next candidate of f. It returns whether there is one.
func (k *kernel) nextBody(f *frame) bool {
	for {
		next, j := int32(-1), f.body
		for i := k.firstOf(&f.c); i < k.endOf(&f.c); i = k.nextOf(&f.c, i) {
			if k.items[i].lb > f.top || !k.triedBefore(j, i) || k.waits(&f.c, i) {
				continue
			}
			if next < 0 || k.triedBefore(i, next) {
				next = i
			}
		}
		if next < 0 {
			return false
		}
		f.body, j = next, next
		if !k.eligible(j) {
			continue
		}
		f.c.offset, f.c.rank = k.items[j].lb, k.items[j].rank
		if !k.infer(&f.c) {
			clear(k.dirty)
			return false
		}
		if k.eligible(j) {
			return true
		}
	}
}

// search searches part c.
func (k *kernel) search(c part) outcome {
	depth := 0
	result := k.openNode(&c, &k.frames[0])
	for {
		switch {
		case result == tried: // frames[depth] has a candidate
			result = exhausted
			if k.tryBody(&k.frames[depth]) {
				result = solved
			}
			depth++
		case result == cut:
			return cut
		case depth == 0:
			return result
		case result == solved:
			f := &k.frames[depth-1]
			if f.next < f.end {
				c = k.parts[f.next]
				f.next++
				result = k.openNode(&c, &k.frames[depth])
				continue
			}
			k.partCount = f.base
			depth--
		default:
			f := &k.frames[depth-1]
			if k.full {
				return cut
			}
			k.undo(f.trail, f.path)
			k.level, k.partCount = f.level, f.base
			if k.nextBody(f) {
				result = tried
			}
			if k.full {
				return cut
			}
			depth--
		}
	}
}

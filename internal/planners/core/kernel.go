package core

// Idea: a plan in which no body can be lowered is canonical, and if there is a plan, there is a canonical one at most
// as high. Its bodies are placed in the order of their offsets, and among equal ones in the order of their ranks. So
// each is placed at its bound lb, the lowest offset above all that is placed and meets it, and no later one is lower.
//
// State. An unplaced body has two bounds: lb, where it lies if it is placed now, and inf >= lb, which no plan below
// this node undercuts. It waits if its lb is below the last offset, so that it must be raised before it is placed.
// Blocks have inf and height of unplaced pieces, so that sections are checked without looking at bodies.
//
// Invariant: the trail has what undo needs. Bounds are logged once for each level, ranks at each change. If the trail
// is full the search ends as cut off, never as exhausted.
//
// Complexity: a placement takes the sections of the body and its neighbours.
//
// Source: core/stowage_core.c; Moffitt, MiniMalloc, ASPLOS 2023.

// A part is a stretch of sections that is searched by itself.
type part struct {
	first, last int32
	rank        int32 // the last placement: nothing is placed below it
	offset      int64
}

// An item is what the search knows of a body.
type item struct {
	first, last  int32 // sections
	piece, end   int32 // blocks [piece, end)
	twin         int32 // a body with a lower number that is just like it, or -1
	rank, tie    int32 // tie: the rank by the word alone
	seen, logged int32 // the epoch of lifting that saw it; the last log of its bounds in the trail
	by           int32 // the neighbour on whose end inf stands, if distance is added; or -1
	distance     int64
	align, tall  int64 // tall: the size, rounded up to unit
	lb, inf, ub  int64 // bounds of the offset
	best         int64 // the plan
	crowd        int64 // the largest load of its sections
}

// A block is a piece of an item.
type block struct {
	start, size        int64 // inf of the body, or gone; rounded up to unit
	first, last, owner int32
}

// A section is what the search knows of one.
type section struct {
	total  int64 // what is unplaced
	top    int64 // the highest start that was checked
	live   int32 // unplaced blocks
	cuts   int32 // unplaced bodies that go on behind it
	begins int32 // bodies [begins of s, begins of t) begin in sections [s, t)
	listAt int32 // its blocks are in list from here on, first those unplaced
	edges  int32 // how many unplaced blocks begin or end at its begin
}

// A change is an entry of the trail: both bounds of body at, or the rank of body ^at, in lb.
type change struct {
	at      int32
	lb, inf int64
}

// A frame is a node on the way from the root.
type frame struct {
	c                        part // what is searched; its last placement is that of the body tried
	body, trail, path, level int32
	base, end, next          int32 // the parts that it fell into, parts[base:end], and the next of them
	top                      int64 // no candidate is above
}

type outcome int8

const (
	exhausted outcome = iota
	solved
	cut
	tried // a frame has a candidate
)

const (
	trailEach = 48
)

type kernel struct {
	p *problem
	r *budget

	base, n, m, pieces, s0 int32 // bodies [base, base + n) of p; sections from s0
	composite              bool  // some body has several pieces
	unit, limit            int64 // the divisor of alignments; no top is above the limit

	items    []item    // the bodies
	blocks   []block   // their pieces
	sections []section // m + 2 of them, for begins, listAt and edges
	list     []int32

	unplaced      bitset // bodies
	starts, dirty bitset // sections with edges; which of these must be checked

	path, near, scratch, open []int32 // what is placed; and lists in the making
	ends                      []int64 // of what is open
	trail                     []change
	parts                     []part
	frames                    []frame

	trailCount, pathCount, partCount, level int32

	epoch   int32 // of seen
	highest int64 // the highest start that moved since the last undo

	nodes, most, raised int64
	full                bool // the trail or the parts are, or the context has ended
}

// endOf, firstOf and nextOf go through the unplaced bodies of a part.
func (k *kernel) endOf(c *part) int32 { return k.sections[c.last].begins }

func (k *kernel) firstOf(c *part) int32 {
	return k.unplaced.from(k.sections[c.first].begins, k.endOf(c))
}

func (k *kernel) nextOf(c *part, j int32) int32 { return k.unplaced.from(j+1, k.endOf(c)) }

func (k *kernel) placed(j int32) bool { return k.blocks[k.items[j].piece].start == gone }

func (k *kernel) waits(c *part, j int32) bool {
	x := &k.items[j]
	return x.lb < c.offset || x.lb == c.offset && x.rank < c.rank
}

func (k *kernel) above(i, j int32) int64 {
	if k.composite {
		return roundUp(k.p.reach(k.base+i, k.base+j), k.unit)
	}
	return k.items[i].tall
}

// neighbours lists the unplaced bodies that meet j in k.near, and returns how many.
func (k *kernel) neighbours(j int32) (n int32) {
	x := &k.items[j]
	high := k.sections[x.last].begins
	if k.composite { // in a gap it is not in the list of a section
		for c := k.unplaced.from(0, high); c < high; c = k.unplaced.from(c+1, high) {
			if c != j && k.p.reach(k.base+j, k.base+c) > 0 {
				k.near[n] = c
				n++
			}
		}
		return n
	}
	s := &k.sections[x.first]
	for rest, at := s.live, s.listAt; rest > 0; at++ {
		c := k.list[at]
		if k.blocks[c].start >= gone {
			continue
		}
		if rest--; c != j {
			k.near[n] = c
			n++
		}
	}
	for c := k.unplaced.from(k.sections[x.first+1].begins, high); c < high; c = k.unplaced.from(c+1, high) {
		k.near[n] = c
		n++
	}
	return n
}

func (k *kernel) logChange(at int32, lb, inf int64) {
	if int(k.trailCount) == len(k.trail) {
		k.full = true
		return
	}
	k.trail[k.trailCount] = change{at, lb, inf}
	k.trailCount++
}

func (k *kernel) logBounds(j int32) {
	x := &k.items[j]
	if at := x.logged; at >= k.level && at < k.trailCount && k.trail[at].at == j {
		return
	}
	x.logged = k.trailCount
	k.logChange(j, x.lb, x.inf)
}

func (k *kernel) markDirty(first, last int32) {
	for s := k.starts.from(first, last); s < last; s = k.starts.from(s+1, last) {
		k.dirty.set(s)
	}
}

// moved notes that the bound inf of j changed.
func (k *kernel) moved(j int32) {
	x := &k.items[j]
	k.highest = max(k.highest, x.inf)
	for e := x.piece; e < x.end; e++ {
		b := &k.blocks[e]
		b.start = x.inf
		k.markDirty(b.first, b.last)
	}
}

func (k *kernel) enter(s int32) {
	k.sections[s].edges++
	k.starts.set(s)
}

func (k *kernel) leave(s int32) {
	if k.sections[s].edges--; k.sections[s].edges == 0 {
		k.starts.clear(s)
	}
}

// removeBody takes j out of what is unplaced.
func (k *kernel) removeBody(j int32) {
	k.unplaced.clear(j)
	x := &k.items[j]
	for s := x.first; s+1 < x.last; s++ {
		k.sections[s].cuts--
	}
	for e := x.piece; e < x.end; e++ {
		b := &k.blocks[e]
		b.start = gone
		for s := b.first; s < b.last; s++ {
			k.sections[s].total -= b.size
			k.sections[s].live--
		}
		k.leave(b.first)
		k.leave(b.last)
	}
}

// returnBody undoes removeBody.
func (k *kernel) returnBody(j int32) {
	k.unplaced.set(j)
	x := &k.items[j]
	for s := x.first; s+1 < x.last; s++ {
		k.sections[s].cuts++
	}
	for e := x.piece; e < x.end; e++ {
		b := &k.blocks[e]
		b.start = x.inf
		for s := b.first; s < b.last; s++ {
			y := &k.sections[s]
			y.total, y.live, y.top = y.total+b.size, y.live+1, max(y.top, b.start)
		}
		k.enter(b.first)
		k.enter(b.last)
	}
}

// undo goes back to where the trail and the path had these lengths.
func (k *kernel) undo(trail, path int32) {
	for k.trailCount > trail {
		k.trailCount--
		c := &k.trail[k.trailCount]
		if c.at < 0 {
			k.items[^c.at].rank = int32(c.lb)
			continue
		}
		x := &k.items[c.at]
		x.lb, x.inf = c.lb, c.inf
		for e := x.piece; e < x.end; e++ {
			k.blocks[e].start = c.inf
		}
	}
	for k.pathCount > path {
		k.pathCount--
		k.returnBody(k.path[k.pathCount])
	}
	clear(k.dirty)
	k.highest = 0
}

// tighten raises inf: no plan has j lower. It returns whether that fits.
func (k *kernel) tighten(j int32, to int64) bool {
	k.logBounds(j)
	x := &k.items[j]
	x.inf = roundUp(to, x.align)
	k.moved(j)
	k.raised++
	return x.inf <= x.ub
}

// raise raises lb, since what is placed reaches up to top. It returns whether that fits.
func (k *kernel) raise(j int32, top int64) bool {
	x := &k.items[j]
	if x.lb >= top {
		return true
	}
	if top = roundUp(top, x.align); top > x.ub {
		return false
	}
	k.logBounds(j)
	if x.lb = top; x.inf < top {
		x.inf = top
		k.moved(j)
	}
	return true
}

// runOf returns the start of the run of section s: sections between two starts have the same pieces.
func (k *kernel) runOf(s int32) int32 { return max(k.starts.before(s+1, 0), 0) }

// placeBody places j at its bound. It returns whether all that meets it still fits.
func (k *kernel) placeBody(j int32) bool {
	x := &k.items[j]
	x.best = x.lb
	k.path[k.pathCount] = j
	k.pathCount++
	k.highest = 0
	k.removeBody(j)
	for e := x.piece; e < x.end; e++ {
		b := &k.blocks[e]
		k.markDirty(b.first, b.last)
		if k.sections[b.first].live > 0 {
			k.dirty.set(k.runOf(b.first))
		}
	}
	for _, c := range k.near[:k.neighbours(j)] {
		if !k.raise(c, x.lb+k.above(j, c)) {
			return false
		}
	}
	return true
}

package merge

import "github.com/stowage-go/stowage/internal/timeline"

// Idea: a composite is a rectangle of sections × bytes whose inside is fixed. It is a buffer, two composites one after
// the other in time, two composites stacked, or five composites in a pinwheel (pinwheel.go). A composite that is part
// of no other is a root. The roots are what is left to plan.
//
// Invariant: each buffer is in exactly one root, except those that are never active. And for each root c,
//
//	starts[c.first][c.at[0]] = ends[c.last][c.at[1]] = live[c.at[2]] = c
//
// Complexity: to merge composites or to take one apart is O(1) for each part.

// An id is the number of a composite. The composite of a single buffer has the buffer's index.
type id int32

// A shape is how a composite is made of its parts.
type shape uint8

const (
	single shape = iota // a buffer
	beside              // parts 0 and 1, the second after the first, at one offset
	stack               // parts 0 and 1, the second on top of the first
	wheel               // parts 0 to 4: a, b, d, e, c of pinwheel.go
)

// A composite is a node of the forest.
type composite struct {
	first, last int32 // sections [first, last)
	size        int64
	align       int64
	shape       shape
	root        bool
	tied        bool // one of its buffers is (aside.go)
	sealed      bool // never merged: a buffer with gaps in the base, or with a fixed offset
	part        [5]id
	visits      []visit  // in sections that are set aside, in order (aside.go)
	at          [3]int32 // place in starts[first], in ends[last], in live
}

// forest holds the composites of a problem.
type forest struct {
	base         *base
	all          []composite
	starts, ends [][]id // by boundary between sections: the roots that start or end there
	live         []id   // all roots
	free         []id   // numbers of composites that are no more
}

// init makes a root of each buffer that is ever active.
func (f *forest) init(tl *timeline.Timeline, b *base) {
	f.base = b
	f.all = make([]composite, len(tl.Problem.Buffers))
	n := tl.Sections()
	if f.base.aside != nil {
		n = len(f.base.sections)
	}
	f.starts, f.ends = make([][]id, n+1), make([][]id, n+1)
	for i := range f.all {
		b := &tl.Problem.Buffers[i]
		c := &f.all[i]
		c.size, c.align = b.Size, b.Align()
		c.sealed = !f.base.place(tl, i, c) || b.Fixed != nil
		if c.first < c.last {
			f.addRoot(id(i))
		}
	}
}

// list is the k-th of the three lists that c is in if it is a root.
func (f *forest) list(c *composite, k int) *[]id {
	switch k {
	case 0:
		return &f.starts[c.first]
	case 1:
		return &f.ends[c.last]
	}
	return &f.live
}

// addRoot makes p a root.
func (f *forest) addRoot(p id) {
	c := &f.all[p]
	c.root = true
	for k := range c.at {
		list := f.list(c, k)
		c.at[k] = int32(len(*list))
		*list = append(*list, p)
	}
}

// removeRoot makes p a root no more.
func (f *forest) removeRoot(p id) {
	c := &f.all[p]
	c.root = false
	for k, at := range c.at {
		list := f.list(c, k)
		end := len(*list) - 1
		moved := (*list)[end]
		(*list)[at] = moved
		f.all[moved].at[k] = at
		*list = (*list)[:end]
	}
}

// join adds a composite of roots, which replaces them as a root.
func (f *forest) join(made *composite) id {
	p := id(len(f.all))
	if k := len(f.free); k > 0 {
		p, f.free = f.free[k-1], f.free[:k-1]
		f.all[p] = *made
	} else {
		f.all = append(f.all, *made)
	}
	f.rejoin(p)
	return p
}

// split replaces a root by its parts. Its number stays in use until release.
func (f *forest) split(p id) {
	f.removeRoot(p)
	for k := range f.all[p].count() {
		f.addRoot(f.all[p].part[k])
	}
}

// rejoin undoes split.
func (f *forest) rejoin(p id) {
	for k := range f.all[p].count() {
		f.removeRoot(f.all[p].part[k])
	}
	f.addRoot(p)
}

// release makes the number of a composite free for another.
func (f *forest) release(p id) { f.free = append(f.free, p) }

// count is the number of parts of c.
func (c *composite) count() int { return [...]int{single: 0, beside: 2, stack: 2, wheel: 5}[c.shape] }

// pair is the composite of two roots: q after p, or q on top of p.
func (f *forest) pair(p, q id, s shape) composite {
	a, b := &f.all[p], &f.all[q]
	c := composite{
		first: a.first, last: b.last, size: a.size, align: a.align, shape: s, part: [5]id{p, q}, tied: a.tied || b.tied,
	}
	up := [5]int64{}
	if s == stack {
		c.size += b.size
		up[1] = a.size
	}
	if len(a.visits)+len(b.visits) > 0 {
		c.visits = f.visitsOf(c.part[:2], up[:2])
	}
	return c
}

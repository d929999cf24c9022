package merge

import "github.com/stowage-go/stowage/internal/timeline"

// Idea: a composite is a rectangle, in sections and space, whose inside is settled:
// a buffer, two composites side by side in time, two on top of one another, or five
// in a wheel (pinwheel.go). Composites that are in no other are roots; the roots
// are what is left to plan.
//
// Invariant: each buffer is in exactly one root. The lists of a boundary have the
// roots that start and end there, and at is where a root stands in both.
//
// Complexity: merging and taking apart is O(1) for each composite that changes.

// A piece is a composite, by its number. Buffers come first, under their own.
type piece int32

// A shape is how a composite is made of its parts.
type shape uint8

const (
	single shape = iota // a buffer
	beside              // parts 0 and 1, the second after the first, at one offset
	stack               // parts 0 and 1, the second on the first
	wheel               // parts 0 to 4: see pinwheel.go
)

// A composite is a node of the forest.
type composite struct {
	first, last int32 // sections [first, last)
	size        int64
	align       int64
	shape       shape
	root        bool
	sealed      bool // what has gaps or a fixed offset joins nothing
	part        [5]piece
	at          [3]int32 // place in starts[first], in ends[last], in live
}

// forest holds the composites of a problem.
type forest struct {
	all          []composite
	starts, ends [][]piece // by boundary: roots
	live         []piece   // all roots
	free         []piece   // numbers that can be given anew
}

// grow makes a root of each buffer.
func (f *forest) grow(tl *timeline.Timeline) {
	f.all = make([]composite, len(tl.Problem.Buffers))
	f.starts, f.ends = make([][]piece, tl.Sections()+1), make([][]piece, tl.Sections()+1)
	for i := range f.all {
		b := &tl.Problem.Buffers[i]
		c := &f.all[i]
		c.first, c.last = tl.Extent(i)
		c.size, c.align = b.Size, b.Align()
		spans := tl.Spans(i)
		c.sealed = b.Fixed != nil || len(spans) != 1 || spans[0].Lower != 0 || spans[0].Upper != b.Size
		if c.first < c.last {
			f.plant(piece(i))
		}
	}
}

// list is the k-th in which a root stands.
func (f *forest) list(c *composite, k int) *[]piece {
	switch k {
	case 0:
		return &f.starts[c.first]
	case 1:
		return &f.ends[c.last]
	}
	return &f.live
}

// plant makes p a root.
func (f *forest) plant(p piece) {
	c := &f.all[p]
	c.root = true
	for k := range c.at {
		list := f.list(c, k)
		c.at[k] = int32(len(*list))
		*list = append(*list, p)
	}
}

// fell makes p none any more.
func (f *forest) fell(p piece) {
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

// join makes a root of roots.
func (f *forest) join(made *composite) piece {
	p := piece(len(f.all))
	if k := len(f.free); k > 0 {
		p, f.free = f.free[k-1], f.free[:k-1]
		f.all[p] = *made
	} else {
		f.all = append(f.all, *made)
	}
	f.again(p)
	return p
}

// split makes roots of the parts of a root, whose number stays in use until drop.
func (f *forest) split(p piece) {
	f.fell(p)
	for k := range f.all[p].count() {
		f.plant(f.all[p].part[k])
	}
}

// again undoes split.
func (f *forest) again(p piece) {
	for k := range f.all[p].count() {
		f.fell(f.all[p].part[k])
	}
	f.plant(p)
}

// drop gives the number of a composite back.
func (f *forest) drop(p piece) { f.free = append(f.free, p) }

// count is of how many parts c is made.
func (c *composite) count() int { return [...]int{single: 0, beside: 2, stack: 2, wheel: 5}[c.shape] }

// pair is q after p, or on it.
func (f *forest) pair(p, q piece, s shape) composite {
	a, b := &f.all[p], &f.all[q]
	c := composite{first: a.first, last: b.last, size: a.size, align: a.align, shape: s, part: [5]piece{p, q}}
	if s == stack {
		c.size += b.size
	}
	return c
}

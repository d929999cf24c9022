package repack

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: no plan is lower than the bytes that are in use at one time. The order in which slices start does not change
// them, since each size keeps its starts. So the load refuses a hopeless call before anything else is looked at.
// XLA's times are numbers of instructions, and there are about as many as blocks. So a table of differences, indexed
// by time, gives the load in one pass over the blocks and one over the times.
//
// With an alignment, each block takes whole multiples of it, except for the highest one:
//
//	bound = max over times of (the sum of the rounded sizes - the most that rounding added to one block in use then)
//
// If the table has no room for the second number, the most that rounding added to any block stands for it. The
// formula holds only if all slices are multiples of the alignment, too; otherwise nothing is rounded.
//
// Complexity: O(blocks + times), or O(blocks log blocks) where times are far apart.

// loads has the memory for the load; it is kept from call to call.
type loads struct {
	steps  []int64 // change of the load at each time, from the first on
	sorted []step
	times  []int64
	// Lists of the members of each group.
	heads, next, members []int32
	others               map[int32]int // the lists of groups with large numbers
	odd                  []oddRange    // when blocks are in use whose sizes were rounded
	slack                []int64       // at each time, the most that rounding added to one of them
}

// An oddRange is a time [from, to) in which a block is in use whose size was rounded up by added bytes.
type oddRange struct{ from, to, added int64 }

// A step is a change of the load at a time.
type step struct{ time, bytes int64 }

// dense is how many times there may be for each block in the table of differences, with some more for few blocks.
const (
	dense     = 8
	denseMore = 2048
)

// bound returns a height that no plan of the blocks and the wanted one is below.
func (l *loads) bound(c *Call) int64 {
	align := max(c.Alignment, 1)
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for b := range c.each {
		first, last = min(first, b.Start), max(last, b.End)
		for _, s := range b.Slices {
			if s.Size%align != 0 {
				align = 1
			}
		}
	}
	if first > last {
		return 0
	}
	span := last - first + 2
	table := span <= dense*int64(len(c.Blocks))+denseMore
	if l.sorted = l.sorted[:0]; table {
		l.steps = slices.Grow(l.steps[:0], int(span))[:span]
		clear(l.steps)
	}
	add := func(from, to, bytes int64) { // [from, to)
		if table {
			l.steps[from-first] += bytes
			l.steps[to-first] -= bytes
			return
		}
		l.sorted = append(l.sorted, step{from, bytes}, step{to, -bytes})
	}
	l.odd = l.odd[:0]
	added := int64(0)
	round := func(from, to, size int64) {
		up := size
		if align > 1 {
			up = bound.Up(size, align)
		}
		if add(from, to, up); up > size {
			added = max(added, up-size)
			l.odd = append(l.odd, oddRange{from, to, up - size})
		}
	}
	whole := func(b *Block) {
		if b.Slices == nil {
			round(b.Start, b.End+1, b.Size)
			return
		}
		for _, s := range b.Slices {
			add(s.Start, b.End+1, s.Size)
		}
	}
	grouped := false
	for b := range c.each {
		if b.Group == 0 {
			whole(b)
		} else {
			grouped = true
		}
	}
	if grouped {
		l.shared(c, round)
	}
	if table && len(l.odd) > 0 && l.slacks(first, span) {
		added = 0
	}
	return l.peak(table) - added
}

// slacks takes from the table what rounding added at each time. It reports whether it did: not if that takes long.
func (l *loads) slacks(first, span int64) bool {
	work := int64(0)
	for _, x := range l.odd {
		work += x.to - x.from
	}
	if work > span+dense*int64(len(l.odd))+denseMore {
		return false
	}
	l.slack = slices.Grow(l.slack[:0], int(span))[:span]
	clear(l.slack)
	for _, x := range l.odd {
		for t := x.from - first; t < x.to-first; t++ {
			l.slack[t] = max(l.slack[t], x.added)
		}
	}
	before := int64(0)
	for t, now := range l.slack {
		l.steps[t] -= now - before
		before = now
	}
	return true
}

// shared adds what the members of each group use together: at each time, the most that one of them uses.
func (l *loads) shared(c *Call, round func(from, to, bytes int64)) {
	n := len(c.Blocks)
	l.next = slices.Grow(l.next[:0], n)[:n]
	l.heads = l.heads[:0]
	// The members of a group are a list, the latest start first. Groups are mostly numbered from 1.
	for i := range c.Blocks {
		g := c.Blocks[i].Group
		if g == 0 {
			continue
		}
		k := l.listOf(g, n)
		at := &l.heads[k]
		for *at >= 0 && c.Blocks[*at].Start > c.Blocks[i].Start {
			at = &l.next[*at]
		}
		l.next[i], *at = *at, int32(i)
	}
	if l.others != nil {
		clear(l.others)
	}
	for _, head := range l.heads {
		if head < 0 {
			continue
		}
		l.members = l.members[:0]
		apart := true // in time, and without slices
		for i := head; i >= 0; i = l.next[i] {
			b := &c.Blocks[i]
			if k := len(l.members); k > 0 && c.Blocks[l.members[k-1]].End >= b.Start {
				apart = false
			}
			apart = apart && b.Slices == nil
			l.members = append(l.members, i)
		}
		if apart {
			for _, i := range l.members {
				b := &c.Blocks[i]
				round(b.Start, b.End+1, b.Size)
			}
			continue
		}
		l.together(c, round)
	}
}

// listOf returns the index in heads of a group's list.
func (l *loads) listOf(g int32, n int) int {
	k := int(g)
	if g < 0 || k > 4*n { // groups with large numbers come after the others
		if l.others == nil {
			l.others = map[int32]int{}
		}
		there := false
		if k, there = l.others[g]; !there {
			k = max(len(l.heads), 4*n+1)
			l.others[g] = k
		}
	}
	for len(l.heads) <= k {
		l.heads = append(l.heads, -1)
	}
	return k
}

// together adds what members that meet in time use.
func (l *loads) together(c *Call, round func(from, to, bytes int64)) {
	l.times = l.times[:0]
	for _, i := range l.members {
		b := &c.Blocks[i]
		l.times = append(l.times, b.Start, b.End+1)
		for _, s := range b.Slices {
			l.times = append(l.times, s.Start)
		}
	}
	slices.Sort(l.times)
	l.times = slices.Compact(l.times)
	for k, from := range l.times[:len(l.times)-1] {
		most := int64(0)
		for _, i := range l.members {
			most = max(most, c.Blocks[i].usedAt(from))
		}
		if most > 0 {
			round(from, l.times[k+1], most)
		}
	}
}

// usedAt returns the bytes that the block uses at a time.
func (b *Block) usedAt(t int64) int64 {
	switch {
	case t < b.Start || t > b.End:
		return 0
	case b.Slices == nil:
		return b.Size
	}
	sum := int64(0)
	for _, s := range b.Slices {
		if s.Start <= t {
			sum += s.Size
		}
	}
	return sum
}

// peak returns the largest load.
func (l *loads) peak(table bool) int64 {
	load, most := int64(0), int64(0)
	if table {
		for _, change := range l.steps {
			load += change
			most = max(most, load)
		}
		return most
	}
	slices.SortFunc(l.sorted, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.bytes, b.bytes))
	})
	for _, s := range l.sorted {
		load += s.bytes
		most = max(most, load)
	}
	return most
}

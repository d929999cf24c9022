package repack

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: no plan is lower than the bytes that are in use at one time. The order in which slices start does not change
// them, since each size keeps its starts. So the load refuses a hopeless call before anything else is looked at. XLA's times
// number the instructions of a program: there are about as many as blocks, and a table of differences, indexed by time, has the load after
// one pass over the blocks and one over the times.
//
// Where blocks are aligned, each takes whole multiples of the alignment, but for the highest:
//
//	bound = max over times of the sum of the rounded sizes - the most that rounding added to one block
//
// That holds only if all slices are such multiples, too; otherwise nothing is rounded.
//
// Complexity: O(blocks + times), or O(blocks log blocks) where times are far apart.

// loads has the memory for the load; it is kept from call to call.
type loads struct {
	steps  []int64 // change of the load at each time, from the first on
	sorted []step
	groups map[int32][]int32 // members of the groups
	times  []int64
}

// A step is a change of the load at a time.
type step struct{ time, bytes int64 }

// dense is how many times there may be for each block in the table of differences, with some more for few blocks.
const (
	dense     = 8
	denseMore = 2048
)

// bound returns a height that no plan is below. with says whether the wanted block counts.
func (l *loads) bound(c *Call, with bool) int64 {
	align := max(c.Alignment, 1)
	if len(c.Blocks) == 0 && (c.Wanted == nil || !with) {
		return 0
	}
	first, last := int64(0), int64(0)
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if i == 0 || b.Start < first {
			first = b.Start
		}
		if i == 0 || b.End > last {
			last = b.End
		}
	}
	if with && c.Wanted != nil {
		if first = min(first, c.Wanted.Start); len(c.Blocks) == 0 {
			first = c.Wanted.Start
		}
		if last = max(last, c.Wanted.End); len(c.Blocks) == 0 {
			last = c.Wanted.End
		}
	}
	for i := range c.Blocks {
		for _, s := range c.Blocks[i].Slices {
			if s.Size%align != 0 {
				align = 1
			}
		}
	}
	if with && c.Wanted != nil {
		for _, s := range c.Wanted.Slices {
			if s.Size%align != 0 {
				align = 1
			}
		}
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
	added := int64(0)
	whole := func(b *Block) {
		if b.Slices == nil {
			size := b.Size
			if align > 1 {
				size = bound.Up(b.Size, align)
			}
			added = max(added, size-b.Size)
			add(b.Start, b.End+1, size)
			return
		}
		for _, s := range b.Slices {
			add(s.Start, b.End+1, s.Size)
		}
	}
	grouped := false
	for i := range c.Blocks {
		if b := &c.Blocks[i]; b.Group == 0 {
			whole(b)
		} else {
			grouped = true
		}
	}
	if with && c.Wanted != nil {
		whole(c.Wanted)
	}
	if grouped {
		added = max(added, l.shared(c, align, add))
	}
	return l.peak(table) - added
}

// shared adds what the members of each group use together: at each time, the most that one of them uses.
func (l *loads) shared(c *Call, align int64, add func(from, to, bytes int64)) (added int64) {
	if l.groups == nil {
		l.groups = map[int32][]int32{}
	}
	clear(l.groups)
	for i := range c.Blocks {
		if g := c.Blocks[i].Group; g != 0 {
			l.groups[g] = append(l.groups[g], int32(i))
		}
	}
	for _, members := range l.groups {
		l.times = l.times[:0]
		for _, i := range members {
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
			for _, i := range members {
				most = max(most, c.Blocks[i].usedAt(from))
			}
			size := bound.Up(most, align)
			added = max(added, size-most)
			add(from, l.times[k+1], size)
		}
	}
	return added
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
		switch {
		case a.time < b.time, a.time == b.time && a.bytes < b.bytes:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	for _, s := range l.sorted {
		load += s.bytes
		most = max(most, load)
	}
	return most
}

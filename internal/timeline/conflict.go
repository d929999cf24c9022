package timeline

import "slices"

// Two buffers conflict if they are active in a common section. In a common section s, buffer j lies above buffer i if
//
//	offset(j) + j.Lower(s) >= offset(i) + i.Upper(s)
//
// So j lies above i in all common sections if
//
//	offset(j) - offset(i) >= distance(i, j) = max over s of i.Upper(s) - j.Lower(s)
//
// MiniMalloc calls this distance the effective size. Without windows it is the size of i.

// Overlaps reports whether buffers i and j are ever active at once.
func (t *Timeline) Overlaps(i, j int) bool {
	c := common{t.Spans(i), t.Spans(j)}
	_, _, ok := c.next()
	return ok
}

// Distance returns the least offset(j) - offset(i) for which j lies above i in every section that they share. If they
// share none, ok is false. The distance can be zero or negative, because windows can interlock.
func (t *Timeline) Distance(i, j int) (distance int64, ok bool) {
	c := common{t.Spans(i), t.Spans(j)}
	for {
		a, b, more := c.next()
		if !more {
			return distance, ok
		}
		if d := a.Upper - b.Lower; !ok || d > distance {
			distance, ok = d, true
		}
	}
}

// common goes through the pairs of spans of two buffers that share a section.
type common struct{ as, bs []Span }

// next returns the next pair, if there is one.
func (c *common) next() (a, b *Span, ok bool) {
	for len(c.as) > 0 && len(c.bs) > 0 {
		a, b = &c.as[0], &c.bs[0]
		if a.Last <= b.Last {
			c.as = c.as[1:]
		} else {
			c.bs = c.bs[1:]
		}
		if a.First < b.Last && b.First < a.Last {
			return a, b, true
		}
	}
	return nil, nil, false
}

// A Forbidden range lists values, exclusive at both ends, that the difference
// offset(j) - offset(i) of two buffers must not take.
type Forbidden struct{ Above, Below int64 }

// Forbid returns the forbidden ranges of offset(j) - offset(i), ascending and merged.
//
//	no range                 i and j share no section
//	one range, 0 inside      neither can lie inside the other's gaps
//	anything else            their windows interlock
//
// Complexity: O(spans) if few ranges differ. Each range that is far below the highest costs O(ranges) more.
func (t *Timeline) Forbid(i, j int) []Forbidden {
	var all []Forbidden // so far, ascending and merged
	c := common{t.Spans(i), t.Spans(j)}
	for {
		a, b, more := c.next()
		if !more {
			return all
		}
		f := Forbidden{Above: a.Lower - b.Upper, Below: a.Upper - b.Lower}
		all = append(all, f)
		high := len(all) - 1
		for ; high > 0 && all[high-1].Above >= f.Below; high-- {
			all[high] = all[high-1]
		}
		// Two ranges merge if no integer lies between them.
		low := high
		for ; low > 0 && all[low-1].Below > f.Above; low-- {
			f.Above, f.Below = min(f.Above, all[low-1].Above), max(f.Below, all[low-1].Below)
		}
		all[low] = f
		all = append(all[:low+1], all[high+1:]...)
	}
}

// Interlocks reports whether any two buffers of the partition can lie inside one another's gaps. If so, "lower offset"
// does not mean "underneath", and a search over canonical orders alone is not complete. Buffers with many gaps take
// long, so Interlocks calls over at each pair. If over returns true, known is false.
func (t *Timeline) Interlocks(p Partition, over func() bool) (found, known bool) {
	var conflicts []int32
	for _, i := range p.Buffers {
		if !t.windowed(i) {
			continue
		}
		conflicts = t.AppendConflicts(conflicts[:0], int(i))
		for _, j := range conflicts {
			if over() {
				return false, false
			}
			f := t.Forbid(int(i), int(j))
			if len(f) != 1 || f[0].Above >= 0 || f[0].Below <= 0 {
				return true, true
			}
		}
	}
	return false, true
}

// windowed reports whether buffer i uses only a part of its bytes at some time.
func (t *Timeline) windowed(i int32) bool {
	for _, s := range t.Spans(int(i)) {
		if s.Lower != 0 || s.Upper != t.Problem.Buffers[i].Size {
			return true
		}
	}
	return false
}

// conflictIndex finds the buffers that conflict with a given one, in O(log n + answer). It
// has the buffers in the order of their first sections. An implicit binary tree over this
// order knows the latest last section of each block of buffers.
type conflictIndex struct {
	order []int32 // buffers by first section
	first []int32 // their first sections
	tree  []int32 // tree[1] is the root; leaf k is at size+k
	size  int
}

func (t *Timeline) buildIndex() {
	x := &t.index
	for _, p := range t.Partitions {
		x.order = append(x.order, p.Buffers...)
	}
	x.size = 1
	for x.size < len(x.order) {
		x.size *= 2
	}
	x.tree = make([]int32, 2*x.size)
	x.first = make([]int32, len(x.order))
	for k, i := range x.order {
		x.first[k], x.tree[x.size+k] = t.Extent(int(i))
	}
	for k := x.size - 1; k >= 1; k-- {
		x.tree[k] = max(x.tree[2*k], x.tree[2*k+1])
	}
}

// AppendConflicts appends to dst the buffers that overlap buffer i, other than
// i itself, in order of their first section.
func (t *Timeline) AppendConflicts(dst []int32, i int) []int32 {
	t.indexOnce.Do(t.buildIndex)
	x := &t.index
	first, last := t.Extent(i)
	if first == last {
		return dst
	}
	// Only the buffers order[:end] start before i ends.
	end, _ := slices.BinarySearch(x.first, last)
	return t.collect(dst, 1, 0, x.size, end, first, i)
}

// collect visits the subtree at node, which covers order[lo:hi].
func (t *Timeline) collect(dst []int32, node, lo, hi, end int, first int32, i int) []int32 {
	x := &t.index
	if lo >= end || x.tree[node] <= first {
		return dst
	}
	if hi-lo == 1 {
		if j := int(x.order[lo]); j != i && (t.spanAt == nil || t.Overlaps(i, j)) {
			dst = append(dst, int32(j))
		}
		return dst
	}
	mid := (lo + hi) / 2
	dst = t.collect(dst, 2*node, lo, mid, end, first, i)
	return t.collect(dst, 2*node+1, mid, hi, end, first, i)
}

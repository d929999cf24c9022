package timeline

import "slices"

// Two buffers conflict where they are active in a common section. With windows
// the question is not whether but how closely: in a common section s, buffer j
// lies above buffer i exactly where
//
//	offset(j) + j.Lower(s) >= offset(i) + i.Upper(s)
//
// so "j above i" means offset(j) - offset(i) >= max over s of i.Upper - j.Lower,
// the distance from i up to j (MiniMalloc's effective size). Without windows
// it is i's size.

// Overlaps reports whether buffers i and j are ever active at once.
func (t *Timeline) Overlaps(i, j int) bool {
	fi, li := t.Extent(i)
	fj, lj := t.Extent(j)
	if li <= fj || lj <= fi {
		return false
	}
	if t.spanAt == nil {
		return true
	}
	_, ok := t.Distance(i, j)
	return ok
}

// Distance returns the least offset(j) - offset(i) with which j lies above i
// in every section they share; ok is false where they share none. It can be
// zero or negative where windows interlock.
func (t *Timeline) Distance(i, j int) (distance int64, ok bool) {
	t.eachCommon(i, j, func(a, b Span) {
		if d := a.Upper - b.Lower; !ok || d > distance {
			distance, ok = d, true
		}
	})
	return distance, ok
}

// eachCommon calls f with each pair of spans of i and j that share a section.
func (t *Timeline) eachCommon(i, j int, f func(a, b Span)) {
	as, bs := t.Spans(i), t.Spans(j)
	for len(as) > 0 && len(bs) > 0 {
		a, b := as[0], bs[0]
		if a.First < b.Last && b.First < a.Last {
			f(a, b)
		}
		if a.Last <= b.Last {
			as = as[1:]
		} else {
			bs = bs[1:]
		}
	}
}

// A Forbidden range lists values, exclusive at both ends, that the difference
// offset(j) - offset(i) of two buffers must not take.
type Forbidden struct{ Above, Below int64 }

// Forbid returns the forbidden ranges of offset(j) - offset(i), ascending and
// merged. There is none where i and j share no section, one that contains 0
// where neither can lie inside the other's gaps, and anything else where
// their windows interlock.
func (t *Timeline) Forbid(i, j int) []Forbidden {
	var all []Forbidden
	t.eachCommon(i, j, func(a, b Span) {
		all = append(all, Forbidden{Above: a.Lower - b.Upper, Below: a.Upper - b.Lower})
	})
	// There are a few, mostly ascending already.
	for i := range all {
		for k := i; k > 0 && all[k].Above < all[k-1].Above; k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
	merged := all[:0]
	for _, f := range all {
		// Ranges merge where no integer lies between them.
		if k := len(merged) - 1; k >= 0 && f.Above < merged[k].Below {
			merged[k].Below = max(merged[k].Below, f.Below)
		} else {
			merged = append(merged, f)
		}
	}
	return merged
}

// Interlocks reports whether any two buffers of the partition can lie inside
// one another's gaps: then "lower offset" does not mean "underneath", and
// search over canonical orders alone is not complete. It asks over every few
// dozen pairs; where that says so, the answer is not known.
func (t *Timeline) Interlocks(p Partition, over func() bool) (found, known bool) {
	var conflicts []int32
	for _, i := range p.Buffers {
		if !t.windowed(i) {
			continue
		}
		conflicts = t.AppendConflicts(conflicts[:0], int(i))
		for k, j := range conflicts {
			if k&63 == 0 && over() {
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

// windowed reports whether buffer i uses a part of itself at any time.
func (t *Timeline) windowed(i int32) bool {
	for _, s := range t.Spans(int(i)) {
		if s.Lower != 0 || s.Upper != t.Problem.Buffers[i].Size {
			return true
		}
	}
	return false
}

// conflictIndex answers "who conflicts with this buffer" in O(log n + answer):
// the buffers by first section, with the latest last section of each block of
// them in an implicit binary tree.
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

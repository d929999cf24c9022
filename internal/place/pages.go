package place

// Idea: a set with more ranges than a block holds is a row of pages. A directory has an entry for
// each page, which points to a block of ranges:
//
//	from, to, hole │ from, to, hole │ …     the directory
//	       │               │
//	  ┌─┐┌──┐ ┌┐      ┌┐ ┌──┐ ┌─┐           up to pageMost ranges each
//
// An insertion moves the ranges of a page, not those of the set. A search for room skips a page
// that has no hole of the size it needs (probe.go).
//
// Invariant: no page is empty, and for each page
//
//	from = its first range's From    to = its last range's To    hole >= each hole between two ranges
//
// A search that has looked at all holes of a page and found none lowers hole. An insertion mostly makes holes smaller.
//
// Complexity: an insertion among f ranges takes O(log f + pageMost), and O(f/pageMost) more if a page is cut in two.
//
// Trials: docs/lab/place.md (a page moves 7 to 17 times fewer ranges than a whole list; its size matters little).

// A page is a part of a set.
type page struct {
	from, to int64 // where its ranges begin and end
	hole     int64 // no hole between two of them is larger
	at       uint32
	n        int32
}

// rangesOf returns the ranges of a page.
func (t *store) rangesOf(p *page) []Range { return t.block(p.at, int(p.n)) }

// measure computes from, to and hole of a page.
func (t *store) measure(p *page) {
	list := t.rangesOf(p)
	p.from, p.to, p.hole = list[0].From, list[len(list)-1].To, widest(list)
}

// cut gives a set of one full block a directory.
func (t *store) cut(s *set) {
	if k := len(t.pages); k < cap(t.pages) {
		t.pages = t.pages[:k+1] // a page of an earlier set, with its memory
	} else {
		t.pages = append(t.pages, nil)
	}
	k := len(t.pages) - 1
	t.pages[k] = append(t.pages[k][:0], page{at: s.at, n: pageMost})
	t.measure(&t.pages[k][0])
	s.at, s.n, s.size = uint32(k), 0, inPages
}

// addToPages is add for a set that has a directory.
func (t *store) addToPages(s *set, r Range) bool {
	all := t.pages[s.at]
	a := t.pageOf(all, r.From) // r belongs into this page, or before it
	if a == len(all) {
		t.insert(s, a-1, int(all[a-1].n), r)
		return true
	}
	p := &all[a]
	list := t.block(p.at, int(p.n))
	i, j := touching(list, r, t.tolerance)
	if i == j {
		t.insert(s, a, i, r)
		return true
	}
	if list[i].From <= r.From && r.To <= list[i].To {
		return false
	}
	r.From = min(list[i].From, r.From)
	b := a + 1
	if j == len(list) {
		b = t.swallow(all, a, &r)
	}
	r.To = max(list[j-1].To, r.To)
	list[i] = r
	if i+1 < j {
		p.n = int32(i + 1 + copy(list[i+1:], list[j:]))
	}
	p.from, p.to = list[0].From, list[p.n-1].To
	if b > a+1 {
		t.remove(s, a+1, b)
	}
	if i+1 < j || b > a+1 {
		t.join(s, a)
	}
	return true
}

// pageOf returns the first page that ends at or above a byte, or below it by no more than the tolerance.
func (t *store) pageOf(all []page, at int64) (a int) {
	n := len(all)
	for a < n {
		if mid := int(uint(a+n) >> 1); all[mid].to+t.tolerance < at {
			a = mid + 1
		} else {
			n = mid
		}
	}
	return a
}

// swallow removes the ranges that touch r from the pages after all[a], and extends r by them. It
// returns the first page that has ranges left.
func (t *store) swallow(all []page, a int, r *Range) (b int) {
	end := r.To + t.tolerance
	for b = a + 1; b < len(all) && all[b].from <= end; b++ {
		p := &all[b]
		list := t.rangesOf(p)
		if k := beginBelow(list, end); k < len(list) {
			r.To = max(r.To, list[k-1].To)
			p.n = int32(copy(list, list[k:]))
			p.from = list[0].From
			break
		}
		r.To = max(r.To, p.to)
		t.give(p.at, pageSize)
	}
	return b
}

// insert puts r, which touches nothing, before range i of page a.
func (t *store) insert(s *set, a, i int, r Range) {
	all := t.pages[s.at]
	if all[a].n == pageMost {
		// Ranges at the end mostly come in ascending order, so the last page stays nearly full.
		half := pageMost / 2
		if i == pageMost && a == len(all)-1 {
			half = pageMost - 1
		}
		at := t.take(pageSize)
		rest := page{at: at, n: int32(pageMost - half)}
		copy(t.rangesOf(&rest), t.rangesOf(&all[a])[half:])
		all = append(all, page{})
		copy(all[a+2:], all[a+1:])
		all[a].n, all[a+1] = int32(half), rest
		t.measure(&all[a])
		t.measure(&all[a+1])
		t.pages[s.at] = all
		if i > half {
			a, i = a+1, i-half
		}
	}
	p := &all[a]
	p.n++
	list := t.rangesOf(p)
	copy(list[i+1:], list[i:])
	list[i] = r
	// At an end of the page, the new hole was between two pages before.
	switch i {
	case 0:
		p.from = r.From
		p.hole = max(p.hole, list[1].From-r.To)
	case int(p.n) - 1:
		p.to = r.To
		p.hole = max(p.hole, r.From-list[i-1].To)
	}
}

// join makes page a and the page after it one page, if together they are at most half full.
func (t *store) join(s *set, a int) {
	all := t.pages[s.at]
	if a+1 == len(all) || all[a].n+all[a+1].n > pageMost/2 {
		return
	}
	p, q := &all[a], &all[a+1]
	n := p.n
	p.n += q.n
	copy(t.rangesOf(p)[n:], t.rangesOf(q))
	t.give(q.at, pageSize)
	p.hole, p.to = max(p.hole, q.hole, q.from-p.to), q.to
	t.remove(s, a+1, a+2)
}

// remove removes the pages from a to b.
func (t *store) remove(s *set, a, b int) {
	all := t.pages[s.at]
	t.pages[s.at] = append(all[:a], all[b:]...)
}

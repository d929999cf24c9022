package place

import "github.com/stowage-go/stowage/internal/invariants"

// Under the tag invariants every set is looked through after every change of it, and
// what is kept of its pages is computed anew. A difference is a panic.

// check checks a set.
func (t *store) check(s *set) {
	last := Range{From: -1, To: -1 - t.tolerance}
	ascends := func(list []Range, k int) {
		for _, r := range list {
			invariants.Must(r.From < r.To && last.To+t.tolerance < r.From, "ranges touch or are out of order: page", k)
			last = r
		}
	}
	if s.size < inPages {
		invariants.Must(int(s.n) <= 1<<s.size, "a set is larger than its block: page", 0)
		if s.size > 0 {
			ascends(t.block(s.at, int(s.n)), 0)
		}
		return
	}
	for k, p := range t.pages[s.at] {
		invariants.Must(p.n > 0 && p.n <= pageMost, "a page is empty or too large: page", k)
		list := t.block(p.at, int(p.n))
		ascends(list, k)
		invariants.Must(p.from == list[0].From && p.to == last.To, "a page has other ends: page", k)
		invariants.Must(p.hole >= widest(list), "a page has a hole that is not known: page", k)
	}
}

// Used returns what is in use, in ascending order, for the checks of those who have a FreeList.
func (f *FreeList) Used() (all []Range) {
	pages := f.all()
	for k := range pages {
		all = append(all, f.sets.rangesOf(&pages[k])...)
	}
	return all
}

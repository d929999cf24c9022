package merge

import (
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants the forest is looked through after each restart and round, and
// what is kept up to date is computed anew. A difference is a panic.

// recheck checks that each list has just the roots that belong there, that each buffer is in
// one root, and that each composite follows from its parts.
func (f *forest) recheck() {
	for b := range f.starts {
		for _, p := range f.starts[b] {
			invariants.Equal(b, int(f.all[p].first), "start of root", int(p))
		}
		for _, p := range f.ends[b] {
			invariants.Equal(b, int(f.all[p].last), "end of root", int(p))
		}
	}
	seen := make([]bool, len(f.all))
	roots := 0
	for p := range f.all {
		c := &f.all[p]
		if !c.root {
			continue
		}
		roots++
		for k, at := range c.at {
			list := *f.list(c, k)
			invariants.Must(int(at) < len(list) && list[at] == id(p), "not in its place is root", p)
		}
		f.checkParts(id(p), seen)
	}
	for _, p := range f.free {
		invariants.Must(!seen[p], "part of a root is the free number", int(p))
	}
	invariants.Equal(len(f.live), roots, "number of roots")
	starts, ends := 0, 0
	for b := range f.starts {
		starts, ends = starts+len(f.starts[b]), ends+len(f.ends[b])
	}
	invariants.Equal(starts, roots, "number of roots that start")
	invariants.Equal(ends, roots, "number of roots that end")
}

// checkParts checks composite p and all that it has.
func (f *forest) checkParts(p id, seen []bool) {
	c := &f.all[p]
	invariants.Must(!seen[p], "in two others is composite", int(p))
	seen[p] = true
	parts := c.part[:c.count()]
	for _, q := range parts {
		invariants.Must(!f.all[q].root, "both root and part is composite", int(q))
		invariants.Must(!f.all[q].sealed && f.all[q].align == c.align, "sealed or of another alignment is part", int(q))
		f.checkParts(q, seen)
	}
	if c.shape == single {
		return
	}
	invariants.Must(!clash(c.visits), "two parts share bytes in a section that is set aside of composite", int(p))
	a, b := &f.all[parts[0]], &f.all[parts[1]]
	size := a.size
	switch c.shape {
	case beside:
		invariants.Must(a.last == b.first && a.size == b.size, "of parts that do not meet is composite", int(p))
	case stack:
		invariants.Must(a.first == b.first && a.last == b.last, "of parts of other lifespans is stack", int(p))
		size += b.size
	case wheel:
		d, e, c := &f.all[parts[2]], &f.all[parts[3]], &f.all[parts[4]]
		invariants.Must(d.size == e.size+c.size && b.size == a.size+e.size, "not as drawn are the sizes of pinwheel", int(p))
		invariants.Must(a.first == d.first && d.last == e.first && e.first == c.first && a.last == e.last &&
			e.last == b.first && c.last == b.last,
			"not as drawn are the lifespans of pinwheel", int(p))
		size += d.size
	}
	invariants.Equal(c.size, size, "size of composite", int(p))
	invariants.Equal([2]int32{c.first, c.last}, [2]int32{a.first, b.last}, "sections of composite", int(p))
}

// recheck checks the heap and the forest.
func (m *merger) recheck() {
	for k := 1; k < len(m.heap); k++ {
		invariants.Must(m.heap[(k-1)/2].score >= m.heap[k].score, "better than the one above it is candidate", k)
	}
	m.forest.recheck()
}

// roots returns a copy of the roots, ascending.
func (f *forest) roots() []id {
	roots := slices.Clone(f.live)
	slices.Sort(roots)
	return roots
}

// restored checks that the roots are those of before.
func (f *forest) restored(before []id) {
	if !slices.Equal(f.roots(), before) {
		invariants.Fail("roots after undo are %v, before %v", f.roots(), before)
	}
	f.recheck()
}

// check checks that the lowest plan has the height that is said of it.
func (s *search) check() {
	invariants.Equal(s.height, model.HeightOf(s.tl.Problem, s.best), "height of the lowest plan")
	invariants.Must(s.o.NodeLimit == 0 || s.nodes <= s.o.NodeLimit, "above the limit is the number of nodes", int(s.nodes))
}

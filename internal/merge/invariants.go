//go:build invariants

package merge

import (
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Under the tag invariants the forest is looked through after each restart and round, and
// what is kept up to date is computed anew. A difference is a panic. Without the tag the
// calls are empty (invariants_off.go).

func must(ok bool, what string, k, got, want any) {
	if !ok {
		panic(fmt.Sprintf("merge: invariant broken: %s %v is %v, from scratch %v", what, k, got, want))
	}
}

// recheck checks that each list has just the roots that belong there, that each buffer is in
// one root, and that each composite follows from its parts.
func (f *forest) recheck() {
	for b := range f.starts {
		for _, p := range f.starts[b] {
			must(int(f.all[p].first) == b, "start of root", p, b, f.all[p].first)
		}
		for _, p := range f.ends[b] {
			must(int(f.all[p].last) == b, "end of root", p, b, f.all[p].last)
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
			must(int(at) < len(list) && list[at] == id(p), "place of root", p, at, slices.Index(list, id(p)))
		}
		f.checkParts(id(p), seen)
	}
	for _, p := range f.free {
		must(!seen[p], "free number", p, "in a root", "in none")
	}
	must(roots == len(f.live), "number of", "roots", len(f.live), roots)
	starts, ends := 0, 0
	for b := range f.starts {
		starts, ends = starts+len(f.starts[b]), ends+len(f.ends[b])
	}
	must(starts == roots, "roots that start", "anywhere", starts, roots)
	must(ends == roots, "roots that end", "anywhere", ends, roots)
}

// checkParts checks composite p and all that it has.
func (f *forest) checkParts(p id, seen []bool) {
	c := &f.all[p]
	must(!seen[p], "composite", p, "in two others", "in one")
	seen[p] = true
	parts := c.part[:c.count()]
	for _, q := range parts {
		must(!f.all[q].root, "part", q, "a root", "none")
		must(!f.all[q].sealed && f.all[q].align == c.align, "part", q, "sealed or of another alignment", "neither")
		f.checkParts(q, seen)
	}
	if c.shape == single {
		return
	}
	a, b := &f.all[parts[0]], &f.all[parts[1]]
	size := a.size
	switch c.shape {
	case beside:
		must(a.last == b.first && a.size == b.size, "composite", p, "of parts that do not meet", "beside")
	case stack:
		must(a.first == b.first && a.last == b.last, "composite", p, "of other lifespans", "a stack")
		size += b.size
	case wheel:
		d, e, c := &f.all[parts[2]], &f.all[parts[3]], &f.all[parts[4]]
		must(d.size == e.size+c.size && b.size == a.size+e.size, "sizes of pinwheel", p, [...]int64{a.size, b.size, d.size}, "d = e + c, b = a + e")
		must(a.first == d.first && d.last == e.first && e.first == c.first && a.last == e.last && e.last == b.first && c.last == b.last,
			"lifespans of pinwheel", p, "not as drawn", "as drawn")
		size += d.size
	}
	must(c.size == size, "size of composite", p, c.size, size)
	must(c.first == a.first && c.last == b.last, "sections of composite", p, [2]int32{c.first, c.last}, [2]int32{a.first, b.last})
}

// recheck checks the heap and the forest.
func (m *merger) recheck() {
	for k := 1; k < len(m.heap); k++ {
		must(m.heap[(k-1)/2].score >= m.heap[k].score, "candidate above number", k, m.heap[(k-1)/2].score, m.heap[k].score)
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
	must(slices.Equal(f.roots(), before), "roots after", "undo", f.roots(), before)
	f.recheck()
}

// check checks that the lowest plan has the height that is said of it.
func (s *search) check() {
	if h := model.HeightOf(s.tl.Problem, s.best); h != s.height {
		must(false, "height of the", "lowest plan", s.height, h)
	}
	must(s.o.NodeLimit == 0 || s.nodes <= s.o.NodeLimit, "number of", "nodes", s.nodes, s.o.NodeLimit)
}

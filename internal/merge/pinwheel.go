package merge

// Idea: five rectangles can form a larger one that no straight cut divides, a pinwheel:
//
//	bytes ┌──────┬─────────────┐
//	      │      │      c      │
//	      │  d   ├──────┬──────┤
//	      │      │  e   │      │
//	      ├──────┴──────┤  b   │
//	      │      a      │      │
//	      └─────────────┴──────┘ time
//
// Their sizes fulfil
//
//	d = e + c    b = a + e    so a + d = b + c
//
// and their lifespans fit as drawn. Five buffers hardly ever do so by chance. Merging two at a time does not find a
// pinwheel. Its mirror image needs no pattern of its own: flipped in space, that is the pattern above.
//
// Complexity: for each root as the centre e, all choices of c, d, a and b among the roots
// that begin and end where e does, up to wheelMost candidates.

// wheelMost is how many candidates are looked at for one centre.
const wheelMost = 1024

// wheels merges pinwheels. It reports whether there was any.
func (m *merger) wheels() bool {
	found := false
	for k := 0; k < len(m.live) && !m.over(); k++ {
		w := pinwheel{parts: [5]id{3: m.live[k]}, left: wheelMost}
		if e := w.parts[3]; m.stackable(e, e) && m.complete(&w) {
			found = true
		}
		m.spend(wheelMost - max(w.left, 0))
	}
	return found
}

// A pinwheel is one that is being put together.
type pinwheel struct {
	parts [5]id // a, b, d, e, c
	found int   // parts found besides e, in the order c, d, a, b
	left  int   // how many more candidates may be looked at
}

// complete looks for the parts that w lacks. If it finds them all, it merges the five and returns true.
func (m *merger) complete(w *pinwheel) bool {
	parts := &w.parts
	a, b, d, e, c := &m.all[parts[0]], &m.all[parts[1]], &m.all[parts[2]], &m.all[parts[3]], &m.all[parts[4]]
	var list []id
	switch w.found {
	case 0:
		list = m.starts[e.first]
	case 1:
		list = m.ends[e.first]
	case 2:
		list = m.ends[e.last]
	case 3:
		list = m.starts[e.last]
	case 4:
		made := composite{first: a.first, last: b.last, size: a.size + d.size, align: e.align, shape: wheel, part: *parts}
		if m.base.aside != nil {
			up := m.ups(&made)
			if made.visits = m.visitsOf(parts[:], up[:]); clash(made.visits) {
				return false
			}
			made.tied = a.tied || b.tied || c.tied || d.tied || e.tied
		}
		m.make(&made)
		return true
	}
	next := [...]int{4, 2, 0, 1}[w.found] // the place in parts of c, d, a, b
	for _, p := range list {
		if w.left--; w.left < 0 {
			break
		}
		x, fits := &m.all[p], false
		switch w.found {
		case 0:
			fits = x.last > e.last
		case 1:
			fits = x.size == e.size+c.size
		case 2:
			fits = x.first == d.first
		case 3:
			fits = x.last == c.last && x.size == a.size+e.size
		}
		if parts[next] = p; fits && m.stackable(parts[3], p) {
			w.found++
			if m.complete(w) {
				return true
			}
			w.found--
		}
	}
	return false
}

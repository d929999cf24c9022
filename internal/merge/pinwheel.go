package merge

// Idea: five rectangles in a wheel are a rectangle through which no cut goes,
//
//	bytes ┌──────┬─────────────┐
//	      │      │      c      │
//	      │  d   ├──────┬──────┤
//	      │      │  e   │      │
//	      ├──────┴──────┤  b   │
//	      │      a      │      │
//	      └─────────────┴──────┘ time
//
// and merging two at a time does not find it. That d = e + c and b = a + e, with five
// lifespans that fit, is hardly ever an accident. Turned the other way they are the
// same upside down, so one pattern is enough.
//
// Complexity: for each root, the products of what begins and ends at its two ends, up
// to wheelMost.

// wheelMost is how many roots are looked at around a centre.
const wheelMost = 1024

// wheels makes the wheels that there are, and offers what they may be one with.
func (m *merger) wheels() bool {
	found := false
	for k := 0; k < len(m.live) && !m.over(); k++ {
		// Parts are found in the order c, d, a, b around e.
		parts, left := [5]piece{3: m.live[k]}, wheelMost
		if m.stackable(parts[3], parts[3]) && m.wheel(&parts, 0, &left) {
			found = true
		}
		m.spend(wheelMost - max(left, 0))
	}
	return found
}

// wheel makes a wheel of which so many parts are found, if it can be completed before so
// many others are looked at.
func (m *merger) wheel(parts *[5]piece, found int, left *int) bool {
	a, b, d, e, c := &m.all[parts[0]], &m.all[parts[1]], &m.all[parts[2]], &m.all[parts[3]], &m.all[parts[4]]
	var list []piece
	switch found {
	case 0:
		list = m.starts[e.first]
	case 1:
		list = m.ends[e.first]
	case 2:
		list = m.ends[e.last]
	case 3:
		list = m.starts[e.last]
	case 4:
		m.make(&composite{first: a.first, last: b.last, size: a.size + d.size, align: e.align, shape: wheel, part: *parts})
		return true
	}
	to := [...]int{4, 2, 0, 1}[found]
	for _, p := range list {
		if *left--; *left < 0 {
			break
		}
		x, fits := &m.all[p], false
		switch found {
		case 0:
			fits = x.last > e.last
		case 1:
			fits = x.size == e.size+c.size
		case 2:
			fits = x.first == d.first
		case 3:
			fits = x.last == c.last && x.size == a.size+e.size
		}
		if parts[to] = p; fits && m.stackable(parts[3], p) && m.wheel(parts, found+1, left) {
			return true
		}
	}
	return false
}

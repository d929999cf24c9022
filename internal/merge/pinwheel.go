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
		if m.wheel(m.live[k]) {
			found = true
		}
	}
	return found
}

// wheel makes a wheel around e.
func (m *merger) wheel(e piece) bool {
	centre := &m.all[e]
	if !m.stackable(e, e) {
		return false
	}
	left := wheelMost
	defer func() { m.spend(wheelMost - left) }()
	for _, c := range m.starts[centre.first] {
		if left--; left < 0 {
			return false
		}
		if m.all[c].last <= centre.last || !m.stackable(e, c) {
			continue
		}
		for _, d := range m.ends[centre.first] {
			if left--; left < 0 {
				return false
			}
			if m.all[d].size != centre.size+m.all[c].size || !m.stackable(e, d) {
				continue
			}
			for _, a := range m.ends[centre.last] {
				if left--; left < 0 {
					return false
				}
				if m.all[a].first != m.all[d].first || !m.stackable(e, a) {
					continue
				}
				for _, b := range m.starts[centre.last] {
					if left--; left < 0 {
						return false
					}
					if m.all[b].last == m.all[c].last && m.all[b].size == m.all[a].size+centre.size && m.stackable(e, b) {
						m.make(&composite{
							first: m.all[a].first, last: m.all[c].last, size: m.all[a].size + m.all[d].size,
							align: centre.align, shape: wheel, part: [5]piece{a, b, d, e, c},
						})
						return true
					}
				}
			}
		}
	}
	return false
}

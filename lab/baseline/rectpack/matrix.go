package rectpack

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
)

// Idea: one matrix has all known differences between offsets: least[a][b] is the largest d for which offset(b) -
// offset(a) >= d follows. One more node, the floor, has offset 0, so its row holds the lower bounds and its column
// the upper ones. A new difference i→j is carried to every a that reaches i and every b that j reaches, which keeps
// the matrix closed. If it contradicts least[j][i], nothing satisfies both.
//
// Invariant: least[a][b] >= least[a][c] + least[c][b] for all a, b, c, except for rounding to alignments; least[a][b]
// + least[b][a] <= 0.
//
// Complexity: O(n²) for a difference, with n + n comparisons for one that
// changes little; memory is 8 bytes an entry, 12 with the pairs.
//
// Source: section 8 of the MiniMalloc paper (ASPLOS 2023): a single matrix of all shortest paths, kept incrementally,
// in place of two; Moffitt and Pollack, "Optimal Rectangle Packing: A Meta-CSP Approach", ICAPS 2006. The paper there
// has shortest paths, these are longest ones: the sign is the only difference.
//
// Alignments are additions: offset(b) - offset(a) is a multiple of the divisor
// that their alignments share, so entries are rounded up to it.

// matrix is the closed set of differences.
type matrix struct {
	n     int     // nodes; the last is the floor
	least []int64 // least[a*n+b]
	grain []int64 // offset(b) - offset(a) is a multiple of grain[a*n+b]; nil where all are 1
	trail []change
	moved []int32 // entries that the last add has raised

	watch *run.Watch
	work  int // entries looked at since the last look at the watch

	into, from []int32 // scratch of add
}

// change is an entry's value before it was raised.
type change struct {
	entry int32
	value int64
}

// newMatrix returns a matrix for the buffers of an encoding, without a height, or nil if a limit comes.
func newMatrix(e *pairwise.Encoding, w *run.Watch) *matrix {
	n := e.Len() + 1
	m := &matrix{n: n, watch: w, least: make([]int64, n*n)}
	for _, a := range e.Align {
		if a > 1 {
			m.grain = make([]int64, n*n)
			break
		}
	}
	for a := range m.grain {
		x, y := a/n, a%n
		if y == 0 && w.Over() {
			return nil
		}
		switch {
		case x == y:
			m.grain[a] = 1
		case x == n-1:
			m.grain[a] = e.Align[y]
		case y == n-1:
			m.grain[a] = e.Align[x]
		default:
			m.grain[a] = bound.GCD(e.Align[x], e.Align[y])
		}
	}
	return m
}

// reset sets the bounds that a height leaves, and reports whether each buffer has an offset.
func (m *matrix) reset(e *pairwise.Encoding, height int64) bool {
	m.trail, m.moved = m.trail[:0], m.moved[:0]
	floor := m.n - 1
	for k := range e.Len() {
		low, high := e.Bounds(k, height)
		if low > high {
			return false
		}
		m.least[floor*m.n+k], m.least[k*m.n+floor] = low, -high
	}
	m.least[floor*m.n+floor] = 0
	for a := range floor {
		if m.watch.Over() {
			return false
		}
		for b := range floor {
			if a == b {
				m.least[a*m.n+b] = 0
				continue
			}
			m.least[a*m.n+b] = m.round(a*m.n+b, m.least[a*m.n+floor]+m.least[floor*m.n+b])
		}
	}
	return true
}

// round rounds a value up to the grain of its entry.
func (m *matrix) round(entry int, value int64) int64 {
	if m.grain == nil {
		return value
	}
	return bound.Up(value, m.grain[entry])
}

// at returns the least offset(b) - offset(a).
func (m *matrix) at(a, b int32) int64 { return m.least[int(a)*m.n+int(b)] }

// add takes in offset(j) - offset(i) >= by. It returns false at a contradiction, or if the watch is over. It appends
// the entries that rise to moved.
func (m *matrix) add(i, j int32, by int64) bool {
	n := m.n
	if m.at(j, i)+by > 0 {
		return false
	}
	if by <= m.at(i, j) {
		return true
	}
	m.into, m.from = m.into[:0], m.from[:0]
	for a := range n {
		if m.least[a*n+int(i)]+by > m.least[a*n+int(j)] {
			m.into = append(m.into, int32(a))
		}
	}
	row := m.least[int(j)*n : int(j)*n+n]
	own := m.least[int(i)*n : int(i)*n+n]
	for b, x := range row {
		if x+by > own[b] {
			m.from = append(m.from, int32(b))
		}
	}
	for _, a := range m.into {
		if m.work += len(m.from); m.work >= 1<<15 {
			if m.work = 0; m.watch.Over() {
				return false
			}
		}
		head := m.least[int(a)*n+int(i)] + by
		line := m.least[int(a)*n : int(a)*n+n]
		for _, b := range m.from {
			x := head + m.least[int(j)*n+int(b)]
			if x <= line[b] {
				continue
			}
			entry := int(a)*n + int(b)
			x = m.round(entry, x)
			m.trail = append(m.trail, change{int32(entry), line[b]})
			m.moved = append(m.moved, int32(entry))
			line[b] = x
			if x+m.least[int(b)*n+int(a)] > 0 {
				return false
			}
		}
	}
	return true
}

// undo takes back what was raised after the trail had the given length.
func (m *matrix) undo(length int) {
	for k := len(m.trail) - 1; k >= length; k-- {
		m.least[m.trail[k].entry] = m.trail[k].value
	}
	m.trail = m.trail[:length]
}

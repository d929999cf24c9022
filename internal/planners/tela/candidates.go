package tela

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: each heuristic keeps the unplaced buffers in a list, phase by phase and best first, so the candidate of a
// heuristic in a phase is the head of a stretch of its list. Lists are doubly linked over dense arrays: a placed buffer
// is unlinked, and links itself in again when its placement is undone, last out first in (Knuth's dancing links).
//
// A point asks for its candidates one by one. The first come from the phase of the buffer placed last. If these have
// failed, the other phases follow in order, with at most one candidate for each heuristic and phase (section 5.3 of
// the paper). The number that may wait at a point is limited (takesMore). Failed candidates count only in a narrow
// tree (rounds.go). A strategy alone goes on through its whole list.
//
// Complexity: O(heuristics × phases) a point at most, O(1) to place.

// A shelf holds one heuristic's list. Nodes 0 to n-1 are buffers; node n+f heads
// phase f, and node n+phases ends the list.
type shelf struct{ next, prev []int32 }

func (s *shelf) remove(j int32) {
	s.next[s.prev[j]], s.prev[s.next[j]] = s.next[j], s.prev[j]
}

func (s *shelf) restore(j int32) {
	s.next[s.prev[j]], s.prev[s.next[j]] = j, j
}

// newShelf links the free buffers by phase, then by descending key, then by ascending index.
func newShelf(free []int32, n int, phase []int32, phases int32, key []uint64) shelf {
	order := slices.Clone(free)
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(phase[a], phase[b]), cmp.Compare(key[b], key[a]), cmp.Compare(a, b))
	})
	s := shelf{next: make([]int32, n+int(phases)+1), prev: make([]int32, n+int(phases)+1)}
	last := int32(-1)
	link := func(node int32) {
		if last >= 0 {
			s.next[last], s.prev[node] = node, last
		}
		last = node
	}
	k := 0
	for f := range phases + 1 {
		link(int32(n) + f)
		for k < len(order) && f < phases && phase[order[k]] == f {
			link(order[k])
			k++
		}
	}
	return s
}

// keysOf returns the heuristics' keys of the buffers: larger is tried earlier.
func keysOf(tl *timeline.Timeline, p *timeline.Partition, w switches) [][]uint64 {
	var keys [][]uint64
	add := func(f func(size, life uint64) uint64) {
		key := make([]uint64, len(p.Buffers))
		for j, i := range p.Buffers {
			b := &tl.Problem.Buffers[i]
			key[j] = f(uint64(b.Size), uint64(b.Upper-b.Lower))
		}
		keys = append(keys, key)
	}
	if w.lifetime {
		add(func(_, life uint64) uint64 { return life })
	}
	if w.size {
		add(func(size, _ uint64) uint64 { return size })
	}
	if w.area {
		add(func(size, life uint64) uint64 {
			high, low := bits.Mul64(size, life)
			if high > 0 {
				return ^uint64(0)
			}
			return low
		})
	}
	return keys
}

// twinsOf returns, for each buffer, the first one that is its twin: the same size, lifespan and alignment, no gaps,
// not fixed.
func twinsOf(tl *timeline.Timeline, p *timeline.Partition) []int32 {
	type shape struct{ first, last, size, align int64 }
	twin := make([]int32, len(p.Buffers))
	seen := make(map[shape]int32, len(p.Buffers))
	for j, i := range p.Buffers {
		b := &tl.Problem.Buffers[i]
		twin[j] = int32(j)
		if len(b.Gaps) > 0 || b.Fixed != nil {
			continue
		}
		first, last := tl.Extent(int(i))
		s := shape{int64(first), int64(last), b.Size, b.Align()}
		if k, ok := seen[s]; ok {
			twin[j] = k
		} else {
			seen[s] = int32(j)
		}
	}
	return twin
}

// candidate returns the next candidate of point d, -1 if none is left.
func (s *search) candidate(d int32) int32 {
	p := &s.points[d]
	for {
		if p.tried < int32(len(p.list)) {
			p.tried++
			return p.list[p.tried-1]
		}
		if !s.extend(p) {
			return -1
		}
	}
}

// extend adds at least one candidate to the list of the current point and reports whether there was one to add.
func (s *search) extend(p *point) bool {
	if p.wide {
		return s.extendWide(p)
	}
	if s.set.strategy != strategyAll {
		p.wide = true
		return s.extendWide(p)
	}
	for s.takesMore(p) && p.source <= s.phases {
		// Source 0 is the preferred phase, source f+1 is phase f.
		phase := p.source - 1
		if p.source == 0 {
			phase = p.phase
		}
		p.source++
		if phase < 0 || p.source > 1 && phase == p.phase {
			continue
		}
		before := len(p.list)
		for h := range s.shelves {
			shelf := &s.shelves[h]
			j := shelf.next[s.n+phase]
			if j >= s.n || !s.takesMore(p) || s.listed(p, j) {
				continue
			}
			p.list = append(p.list, j)
		}
		if len(p.list) > before {
			return true
		}
	}
	return false
}

// extendWide adds the next unplaced buffer that the list does not have. The cursor stays valid: whenever the point is
// the current one, the shelf is as it was when the point was opened.
func (s *search) extendWide(p *point) bool {
	if s.set.strategy == strategyLowest {
		if p.cursor >= 0 {
			return false
		}
		p.cursor = 0
		s.byLowest(p)
		return len(p.list) > 0
	}
	shelf := &s.shelves[0]
	if p.cursor < 0 {
		p.cursor = s.n
	}
	for end := s.n + s.phases; p.cursor != end; {
		p.cursor = shelf.next[p.cursor]
		if j := p.cursor; j < s.n && !s.listed(p, j) {
			p.list = append(p.list, j)
			return true
		}
	}
	return false
}

// byLowest lists the unplaced buffers by the lowest offset at which they fit, the larger first among equals.
func (s *search) byLowest(p *point) {
	for _, j := range s.free {
		if !s.engine.Placed(j) && !s.listed(p, j) {
			p.list = append(p.list, j)
		}
	}
	slices.SortFunc(p.list, func(a, b int32) int {
		x, _ := s.engine.Range(a)
		y, _ := s.engine.Range(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(s.size[b], s.size[a]), cmp.Compare(a, b))
	})
}

// listed reports whether the point's list has the buffer, or one like it.
func (s *search) listed(p *point, j int32) bool {
	for _, k := range p.list {
		if k == j || s.twin[k] == s.twin[j] {
			return true
		}
	}
	return false
}

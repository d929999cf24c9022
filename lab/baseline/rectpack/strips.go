package rectpack

import "slices"

// Idea: within a section the placed buffers leave free strips of space, and each unplaced buffer of the section must
// lie in one of them. This relaxation can be answered by sorting: buffers may be cut up, but only buffers that are no
// larger than a strip may go into it. The strips are filled from the smallest to the largest. Buffers that are left
// over are carried on, and space that nothing can fill is wasted. If the other free space is less than the unplaced
// buffers need, the branch is dead.
//
// Invariant: no real completion wastes less.
//
// Complexity: O(m log m) for a section of m buffers, of which few are placed.
//
// Source: the wasted-space bound of Korf, "Optimal Rectangle Packing: New Results", ICAPS 2004, for slices across
// time. Slices along time have no meaning here, because no buffer can be moved in time.
//
// Left out: exact bin packing of the strips. The bound is asked at every node, and the strips are few and large until
// late.

// fills reports whether the free strips of section x can hold the unplaced buffers of the section.
func (s *cspSolver) fills(x int32) bool {
	s.runs = s.runs[:0]
	below := int64(0)
	for _, k := range s.stack[x] {
		if gap := s.at[k] - below; gap > 0 {
			s.runs = append(s.runs, gap)
		}
		below = s.at[k] + s.e.Size[k]
	}
	if below < s.height {
		s.runs = append(s.runs, s.height-below)
	}
	slices.Sort(s.runs)
	members := s.bySize[x]
	var todo, filled, carried int64
	next := 0
	for _, run := range s.runs {
		for ; next < len(members) && s.e.Size[members[next]] <= run; next++ {
			if k := members[next]; s.at[k] < 0 {
				carried += s.e.Size[k]
				todo += s.e.Size[k]
			}
		}
		used := min(run, carried)
		filled += used
		carried -= used
	}
	for ; next < len(members); next++ {
		if k := members[next]; s.at[k] < 0 {
			todo += s.e.Size[k]
		}
	}
	return filled >= todo
}

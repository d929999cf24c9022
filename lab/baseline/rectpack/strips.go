package rectpack

import "slices"

// Idea: within a section the placed buffers leave free strips of space, and each
// buffer still to come there must lie in one of them whole. Relaxed to a
// question that sorting answers: a strip can only be filled with buffers that
// are no larger than it, cut up at will. From the smallest strip to the largest,
// what fits is poured in and what does not fit is carried on; space that nothing
// left can fill is wasted. Where the rest of the free space is less than what is
// to come, the branch is dead.
//
// Invariant: no real completion wastes less.
//
// Complexity: O(m log m) for a section of m buffers, of which few are placed.
//
// Source: the wasted-space bound of Korf, "Optimal Rectangle Packing: New
// Results", ICAPS 2004, for one dimension: slices across time. Slices along time
// have no meaning here, where no buffer can be moved in time.
//
// Tried and dropped: exact bin packing of the strips. The bound is asked at
// every node, and the strips are few and large until late.

// fills reports whether the free strips of section x can hold what is unplaced
// there.
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

package rectpack

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: of all plans within the height, take one whose offsets have the least sum. No buffer can slide down in it. So
// an offset need not be tried if the buffer could slide down in every completion:
//
//   - Nothing unplaced fits under the buffer, in the sections where both are active. Then it slides down to the placed
//     buffers under it, and that plan is found at a lower offset. (dominance)
//   - The offset is no sum of sizes. A buffer that does not slide rests on another, that one on a third, and so on down to
//     the floor. (subset-sums; only if no alignment or fixed offset holds a buffer up)
//
// Two symmetries remain. Identical buffers can change places, so they keep the order in which they are tried
// (symmetry). If nothing tells up from down, a plan turned upside down is a plan, so the first buffer stays in the
// lower half (mirror).
//
// All of these hold together. Turn a plan so that the first buffer is in the lower half, let buffers slide down until
// none can, then sort each kind of identical buffers. Sliding moves the first buffer only down, and sorting gives it
// the lowest offset of its kind, so no step undoes another.
//
// Complexity: O(d · sections) for a buffer with d conflicts; sums of sizes take a
// bit for each unit of the height, once.
//
// Source: dominance by a hole that is too small for the unplaced buffers, Korf 2003; subset sums for coordinates,
// Huang and Korf 2013, which are the normal patterns of Christofides and Whitlock 1977; the mirror image, Korf 2003.

// slides reports whether a buffer at a free offset could slide down in every completion. If it could, next is the
// next offset at which that may be false: something fits under it there, or it rests on a placed buffer.
func (s *cspSolver) slides(k int32, at int64) (next int64, slides bool) {
	if at == 0 {
		return 0, false
	}
	s.stamp++
	rest := int64(0) // the top of what is placed under it
	for _, x := range s.span[k] {
		s.shared[x] = s.stamp
		rest = max(rest, s.top(x, at))
	}
	if bound.Up(rest, s.e.Align[k]) >= at {
		return 0, false
	}
	next = math.MaxInt64 / 4
	for _, j := range s.conflict[s.from[k]:s.from[k+1]] {
		if low := s.at[j]; low >= 0 {
			if low > at {
				next = min(next, low-s.e.Size[k]+1) // from here on it is in the way
			}
			continue
		}
		// Below this one, j has room from the highest top in a shared section.
		floor := int64(0)
		for _, x := range s.span[j] {
			if s.shared[x] == s.stamp {
				floor = max(floor, s.top(x, at))
			}
		}
		if s.e.Size[j] <= at-floor {
			return 0, false
		}
		next = min(next, floor+s.e.Size[j])
	}
	return bound.Up(next, s.e.Align[k]), true
}

// top returns the top of the highest placed buffer in section x below an offset that is free there.
func (s *cspSolver) top(x int32, at int64) int64 {
	line := s.stack[x]
	p := len(line)
	for p > 0 && s.at[line[p-1]] >= at {
		p--
	}
	if p == 0 {
		return 0
	}
	return s.at[line[p-1]] + s.e.Size[line[p-1]]
}

// pairTwins links each buffer to the identical one before it in the order.
func (s *cspSolver) pairTwins(tl *timeline.Timeline) {
	for _, t := range twins(tl, s.e, s.order) {
		s.twin[t[1]] = t[0]
	}
}

// addUp sets sums to the sums of sizes.
func (s *cspSolver) addUp() {
	var total int64
	for _, size := range s.e.Size {
		total += size
	}
	s.sumsUpTo = min(total, largestGrid-1)
	if s.sumsUpTo < total {
		return // a grid too fine to have holes
	}
	s.sums = make([]uint64, s.sumsUpTo/64+1)
	s.sums[0] = 1
	for _, size := range s.e.Size {
		if s.budget.Ended() {
			return
		}
		shift, words := uint(size%64), int(size/64)
		for w := len(s.sums) - 1; w >= words; w-- {
			x := s.sums[w-words] << shift
			if shift > 0 && w > words {
				x |= s.sums[w-words-1] >> (64 - shift)
			}
			s.sums[w] |= x
		}
	}
}

// sum returns the first sum of sizes that is not below at, or -1. It returns at itself if sums are of no help.
func (s *cspSolver) sum(at int64) int64 {
	if s.sums == nil {
		return at
	}
	for ; at <= s.sumsUpTo; at++ {
		word := s.sums[at/64] >> (at % 64)
		if word == 0 {
			at |= 63
			continue
		}
		if word&1 == 1 {
			return at
		}
	}
	return -1
}

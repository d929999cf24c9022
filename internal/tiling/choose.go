package tiling

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Idea: which chains run in strips, if a chain in so many strips has three figures that depend on no other chain: its
// load, its tail and the work that it adds (Segment). Chains do not share operators, and the arena is the largest load
// plus the sum of tails. So for a limit T of the load the best choice is a path through the operators, from left to
// right:
//
//	from k to k + 1        operator k as it is, if its load is at most T
//	from first to last + 1 a segment, if its load is at most T; it adds to the tail and to the work
//
// Each place has a front: a path is on it if no other path there has less tail and less work. Of equal paths, the one
// with the fewest segments stays. T takes each load that occurs. The path with the least T + tail, within the limit of
// work, has the lowest arena, if the plan reaches its load. So the best paths are planned: by package tflm for TFLite
// models, by package graph for graphs.
//
// Invariant: with least in place of load, and whatever the work, the least T + tail is a bound: no choice of
// these segments has a smaller sum of head and tail.
//
// Complexity: O(loads · segments · front).
//
// Source: Stowage; the paths are those of Hu et al., "msf-CNN" (2025), there with one limit and without the tail.

// MostFront is how many paths a front keeps: those with the least tail. mostLimits is how many limits of the load are
// tried.
const (
	MostFront  = 12
	mostLimits = 400
)

// Counts are the numbers of strips that are looked at.
var Counts = []int{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56}

// NoPath is a tail of paths that do not exist: more than any.
const NoPath = int64(1) << 50

// A Segment is a chain in strips, with its figures.
type Segment struct {
	First, Last int   // operators, both included
	Load        int64 // the most bytes in use while it runs, which a plan reaches if all goes well
	Least       int64 // the same, but no plan is below it
	Tail        int64 // bytes beside the load that it adds
	Work        int64 // arithmetic that it adds
	// Shared is the part of Tail that a choice with another chain may not need.
	Shared int64
}

// Operators are the operators of a program before anything is split. Chains of them may run in strips.
type Operators struct {
	Load, Least []int64 // by operator: as of a segment
	Tail        int64   // bytes beside the load, without strips
	Most        int64   // work that may be added
}

// A Path is a choice of segments that share no operator.
type Path struct {
	Segments []int // by index, in the order of their operators
	Load     int64 // the largest of its segments and of the operators outside of them
	Tail     int64 // more than without strips
	Work     int64 // more than without strips
	Shared   int64 // the part of Tail that it may not need
}

// A step is a path up to a place.
type step struct {
	tail, work, shared int64
	segment            int // the last one; -1 at the beginning
	segments           int // how many
	before             *step
}

// Paths returns the best paths for each limit of the load, each once, in the order of load + tail, then of work.
func (s *Operators) Paths(all []Segment) []Path {
	limits := slices.Clone(s.Load)
	for k := range all {
		limits = append(limits, all[k].Load)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	ends := s.Endings(all)
	// Below some limit there is no path.
	first, _ := slices.BinarySearchFunc(limits, true, func(limit int64, _ bool) int {
		if s.front(all, ends, limit) == nil {
			return -1
		}
		return 1
	})
	limits = limits[first:]
	if n := len(limits); n > mostLimits { // the others in even steps, for chains of nearly equal loads
		few := make([]int64, mostLimits)
		for k := range few {
			few[k] = limits[k*(n-1)/(mostLimits-1)]
		}
		limits = few
	}
	var out []Path
	for _, limit := range limits {
		for _, p := range s.front(all, ends, limit) {
			out = append(out, s.path(p, all))
		}
	}
	slices.SortStableFunc(out, func(x, y Path) int {
		return cmp.Or(cmp.Compare(x.Load+x.Tail, y.Load+y.Tail), cmp.Compare(x.Work, y.Work))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(x Path) bool {
		var key []byte
		for _, i := range x.Segments {
			key = binary.AppendUvarint(key, uint64(i))
		}
		was := seen[string(key)]
		seen[string(key)] = true
		return was
	})
}

// Front returns the paths whose load keeps a limit. No path is left that has more tail and more work than another one.
func (s *Operators) Front(all []Segment, limit int64) (out []Path) {
	for _, p := range s.front(all, s.Endings(all), limit) {
		out = append(out, s.path(p, all))
	}
	return out
}

// path returns a path to the end.
func (s *Operators) path(p *step, all []Segment) Path {
	out := Path{Load: s.loadOf(p, all), Tail: p.tail, Work: p.work, Shared: p.shared}
	for ; p.segment >= 0; p = p.before {
		out.Segments = append(out.Segments, p.segment)
	}
	slices.Reverse(out.Segments)
	return out
}

// loadOf returns the largest load on a path.
func (s *Operators) loadOf(p *step, all []Segment) (load int64) {
	at := len(s.Load)
	for ; ; p = p.before {
		end := 0
		if p.segment >= 0 {
			end = all[p.segment].Last + 1
			load = max(load, all[p.segment].Load)
		}
		load = max(load, slices.Max(append([]int64{0}, s.Load[end:at]...)))
		if p.segment < 0 {
			return load
		}
		at = all[p.segment].First
	}
}

// Endings returns the segments by their last operator.
func (s *Operators) Endings(all []Segment) [][]int {
	ends := make([][]int, len(s.Load))
	for k := range all {
		ends[all[k].Last] = append(ends[all[k].Last], k)
	}
	return ends
}

// front returns the paths through all operators that keep a limit of the load; nil if there is none.
func (s *Operators) front(all []Segment, ends [][]int, limit int64) []*step {
	at := make([][]*step, len(s.Load)+1)
	at[0] = []*step{{segment: -1}}
	var next []step
	for k := range s.Load {
		if next = next[:0]; s.Load[k] <= limit {
			for _, p := range at[k] {
				next = onto(next, *p)
			}
		}
		for _, i := range ends[k] {
			x := &all[i]
			if x.Load > limit {
				continue
			}
			for _, p := range at[x.First] {
				if p.work+x.Work <= s.Most {
					shared := int64(0)
					if p.segment >= 0 {
						shared = p.shared + min(x.Tail, x.Shared)
					}
					next = onto(next, step{p.tail + x.Tail, p.work + x.Work, shared, i, p.segments + 1, p})
				}
			}
		}
		if n := len(next); n > MostFront { // the one with the least work stays
			next = append(next[:MostFront-1], next[n-1])
		}
		kept := slices.Clone(next)
		at[k+1] = make([]*step, len(kept))
		for i := range kept {
			at[k+1][i] = &kept[i]
		}
	}
	return at[len(s.Load)]
}

// onto puts a path onto a front, the least tail first, if no other one has as little tail and as little work. Of equal
// ones that with the fewest segments stays, and of these the first.
func onto(front []step, p step) []step {
	from, equal := slices.BinarySearchFunc(front, p.tail, func(q step, tail int64) int {
		return cmp.Compare(q.tail, tail)
	})
	switch {
	case equal && (front[from].work < p.work || front[from].work == p.work && front[from].segments <= p.segments):
		return front
	case !equal && from > 0 && front[from-1].work <= p.work:
		return front
	}
	to := from
	for to < len(front) && front[to].work >= p.work {
		to++
	}
	if from < to {
		front[from] = p
		return slices.Delete(front, from+1, to)
	}
	return slices.Insert(front, from, p)
}

// Bound returns the least sum of load and tail that any choice of the segments can have, with the tail of the model.
// The first chain has its whole tail, others only what they do not share.
func (s *Operators) Bound(all []Segment) int64 {
	limits := slices.Clone(s.Least)
	for k := range all {
		limits = append(limits, all[k].Least)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	ends, best := s.Endings(all), NoPath
	for _, limit := range limits {
		if limit+s.Tail >= best {
			break
		}
		least := slices.Repeat([][2]int64{{NoPath, NoPath}}, len(s.Load)+1) // without a chain so far, and with one
		least[0][0] = 0
		for k := range s.Load {
			if s.Least[k] <= limit {
				least[k+1] = least[k]
			}
			for _, i := range ends[k] {
				if x := &all[i]; x.Least <= limit {
					from := least[x.First]
					least[k+1][1] = min(least[k+1][1], from[0]+x.Tail, from[1]+max(0, x.Tail-x.Shared))
				}
			}
		}
		best = min(best, limit+s.Tail+min(least[len(s.Load)][0], least[len(s.Load)][1]))
	}
	return best
}

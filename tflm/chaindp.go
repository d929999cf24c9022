package tflm

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/strips"
)

// Idea: chains do not share operators, and the arena is the largest load plus the sum of tails. So for a limit T of the
// load the best choice is a path through the operators, from left to right:
//
//	from k to k + 1        operator k as it is, if its load is at most T
//	from first to last + 1 a segment, if its load is at most T; it adds to the tail and to the arithmetic
//
// For each place there is a front: the paths of which no other has less tail and less arithmetic. T takes each load
// that occurs. The path with the least T + tail, within the limit of arithmetic, has the lowest arena, if the plan
// reaches its load. So the best paths are planned (split.go).
//
// Invariant: with least in place of load, and whatever the arithmetic, the least T + tail is a bound: no choice of
// these segments has a smaller sum of head and tail.
//
// Complexity: O(loads · segments · front).
//
// Source: Stowage; the paths are those of Hu et al., "msf-CNN" (2025), there with one limit and without the tail.

// mostFront is how many paths a front keeps: those with the least tail. mostLimits is how many limits of the load are
// tried.
const (
	mostFront  = 12
	mostLimits = 400
)

// A path is a choice of chains up to a place.
type path struct {
	tail, macs int64
	shared     int64 // of the tail: see segment
	segment    int   // the last one; -1 at the beginning
	before     *path
}

// chains returns the chains of a path.
func (p *path) chains(all []segment) (out []strips.Chain) {
	for ; p.segment >= 0; p = p.before {
		out = append(out, all[p.segment].chain)
	}
	slices.Reverse(out)
	return out
}

// A choice is chains with figures that are not yet those of a plan.
type choice struct {
	chains []strips.Chain
	load   int64 // the limit that they keep
	tail   int64 // more than without strips
	macs   int64 // more than without strips
	shared int64 // the part of tail that it may not need
	front  bool  // it is planned for its arithmetic
}

// choices returns the best paths for each limit of the load, in the order of load + tail.
func (s *splitting) choices(all []segment) []choice {
	limits := slices.Clone(s.load)
	for k := range all {
		limits = append(limits, all[k].load)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	ends := s.endings(all)
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
	var out []choice
	for _, limit := range limits {
		for _, p := range s.front(all, ends, limit) {
			out = append(out, choice{
				chains: p.chains(all), load: s.loadOf(p, all), tail: p.tail, macs: p.macs, shared: p.shared,
			})
		}
	}
	slices.SortStableFunc(out, func(x, y choice) int {
		return cmp.Or(cmp.Compare(x.load+x.tail, y.load+y.tail), cmp.Compare(x.macs, y.macs))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(x choice) bool {
		key := nameOf(x.chains)
		was := seen[key]
		seen[key] = true
		return was
	})
}

// loadOf returns the largest load on a path.
func (s *splitting) loadOf(p *path, all []segment) (load int64) {
	at := len(s.load)
	for ; ; p = p.before {
		end := 0
		if p.segment >= 0 {
			end = all[p.segment].chain.Last + 1
			load = max(load, all[p.segment].load)
		}
		load = max(load, slices.Max(append([]int64{0}, s.load[end:at]...)))
		if p.segment < 0 {
			return load
		}
		at = all[p.segment].chain.First
	}
}

// endings returns the segments by their last operator.
func (s *splitting) endings(all []segment) [][]int {
	ends := make([][]int, len(s.load))
	for k := range all {
		ends[all[k].chain.Last] = append(ends[all[k].chain.Last], k)
	}
	return ends
}

// front returns the paths through all operators that keep a limit of the load; nil if there is none.
func (s *splitting) front(all []segment, ends [][]int, limit int64) []*path {
	at := make([][]*path, len(s.load)+1)
	at[0] = []*path{{segment: -1}}
	var next []path
	for k := range s.load {
		if next = next[:0]; s.load[k] <= limit {
			for _, p := range at[k] {
				next = append(next, *p)
			}
		}
		for _, i := range ends[k] {
			x := &all[i]
			if x.load > limit {
				continue
			}
			for _, p := range at[x.chain.First] {
				if p.macs+x.macs <= s.most {
					shared := int64(0)
					if p.segment >= 0 {
						shared = p.shared + min(x.tail, x.shared)
					}
					next = append(next, path{p.tail + x.tail, p.macs + x.macs, shared, i, p})
				}
			}
		}
		slices.SortStableFunc(next, func(p, q path) int {
			return cmp.Or(cmp.Compare(p.tail, q.tail), cmp.Compare(p.macs, q.macs))
		})
		for _, p := range next {
			if n := len(at[k+1]); n == 0 || p.macs < at[k+1][n-1].macs {
				at[k+1] = append(at[k+1], &p)
			}
		}
		if n := len(at[k+1]); n > mostFront { // the one with the least arithmetic stays
			at[k+1] = append(at[k+1][:mostFront-1], at[k+1][n-1])
		}
	}
	return at[len(s.load)]
}

// bound returns the least sum of load and tail that any choice of the segments can have, with the tail of the model.
// The first chain has its whole tail, others only what they do not share.
func (s *splitting) bound(all []segment) int64 {
	limits := slices.Clone(s.least)
	for k := range all {
		limits = append(limits, all[k].least)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	ends, best := s.endings(all), noPath
	for _, limit := range limits {
		if limit+s.tail >= best {
			break
		}
		least := slices.Repeat([][2]int64{{noPath, noPath}}, len(s.load)+1) // without a chain so far, and with one
		least[0][0] = 0
		for k := range s.load {
			if s.least[k] <= limit {
				least[k+1] = least[k]
			}
			for _, i := range ends[k] {
				if x := &all[i]; x.least <= limit {
					from := least[x.chain.First]
					least[k+1][1] = min(least[k+1][1], from[0]+x.tail, from[1]+max(0, x.tail-x.shared))
				}
			}
		}
		best = min(best, limit+s.tail+min(least[len(s.load)][0], least[len(s.load)][1]))
	}
	return best
}

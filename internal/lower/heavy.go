package lower

import (
	"cmp"
	"math/bits"
	"slices"
)

// Idea: without rules the load is the weight of the heaviest clique, since lifespans make an interval graph. With rules
// a clique may be heavier than the load. This file searches for the heaviest clique of the conflict graph and gives it
// a slot, so that the timeline's load is its weight. This bound proves most problems with rules. In a prototype it
// exceeded the load in 600 of PyPTO's 1,431 pools, and equalled the lowest peak in nearly all.
//
// The search takes vertices in order of size, and colours the candidates greedily. A colour class is an independent
// set, so a clique has at most one vertex of each class:
//
//	what a clique can add <= sum over the classes of the largest weight
//
// Invariant: if a limit ends the search, the clique found may not be the heaviest. The bound is then weaker, and still
// true.
//
// Complexity: exponential, at most heavyNodes nodes of O(n²/64) each.
//
// Source: branch and bound by colouring, after Tomita and Seki (2003), with weights as Kumlander (2004) has them.

// heavyNodes is the most nodes of a search. In a prototype 1,427 of PyPTO's 1,431 pools took fewer than 3,000.
const heavyNodes = 20_000

// heavy gives a slot to the heaviest clique that is found, if rules touch the strip and no section has it already.
func (c *cliqueCover) heavy(sections int) {
	if len(c.strip.Members) > mostJoined || c.lowering.apart == nil && c.extra == nil && c.lowering.free == nil &&
		c.lowering.dist == nil && c.lowering.body == nil {
		return
	}
	x := c.heaviest()
	if len(x) < 2 {
		return
	}
	of := c.elementsOf()
	if c.special == nil {
		// Is it the whole of what a section or a slot has?
		for _, at := range c.inserted {
			for _, y := range at {
				if !slices.ContainsFunc(x, func(v int32) bool { return !slices.Contains(y, v) }) {
					return
				}
			}
		}
		first, last := int32(0), int32(sections)
		for _, v := range x {
			if len(of[v]) != 1 {
				last = 0
				break
			}
			e := c.elements[of[v][0]]
			first, last = max(first, e.first), min(last, e.last)
		}
		if first < last {
			return
		}
	}
	c.place(x, of, sections)
}

// heaviest returns the heaviest clique that the search finds.
func (c *cliqueCover) heaviest() clique {
	n := len(c.strip.Members)
	order := make([]int32, n)
	for k := range order {
		order[k] = int32(k)
	}
	weight := func(v int32) int64 { return c.lowering.Problem.Buffers[c.strip.Members[v]].Size }
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weight(b), weight(a)) })
	words := (n + 63) / 64
	s := heavySearch{n: n, words: words, adjacent: make([]uint64, n*words), weight: make([]int64, n)}
	for k, v := range order {
		s.weight[k] = weight(v)
		for m := range k {
			if c.full(v, order[m]) {
				s.adjacent[k*words+m/64] |= 1 << (m % 64)
				s.adjacent[m*words+k/64] |= 1 << (k % 64)
			}
		}
	}
	s.run()
	x := make(clique, len(s.best))
	for k, v := range s.best {
		x[k] = order[v]
	}
	slices.Sort(x)
	return x
}

// A heavySearch looks for the heaviest clique of a graph whose vertices are in order of weight, heaviest first.
type heavySearch struct {
	n, words int
	adjacent []uint64
	weight   []int64
	now      []int
	best     []int
	most     int64
	nodes    int
}

func (s *heavySearch) run() {
	all := make([]uint64, s.words)
	for v := range s.n {
		all[v/64] |= 1 << (v % 64)
	}
	s.extend(all, 0)
}

// extend adds each of the candidates in turn to the clique of weight held.
func (s *heavySearch) extend(candidates []uint64, held int64) {
	if s.nodes++; s.nodes > heavyNodes {
		return
	}
	if held > s.most {
		s.most, s.best = held, slices.Clone(s.now)
	}
	order, bound := s.colour(candidates)
	left := slices.Clone(candidates)
	next := make([]uint64, s.words)
	for k := len(order) - 1; k >= 0; k-- {
		if held+bound[k] <= s.most || s.nodes > heavyNodes {
			return
		}
		v := order[k]
		for w := range next {
			next[w] = left[w] & s.adjacent[v*s.words+w]
		}
		s.now = append(s.now, v)
		s.extend(next, held+s.weight[v])
		s.now = s.now[:len(s.now)-1]
		left[v/64] &^= 1 << (v % 64)
	}
}

// colour puts the candidates into classes without edges. bound[k] is the most that a clique among the first k + 1
// of order can weigh.
func (s *heavySearch) colour(candidates []uint64) (order []int, bound []int64) {
	left, class := slices.Clone(candidates), make([]uint64, s.words)
	sum := int64(0)
	for {
		copy(class, left)
		heaviest := int64(0)
		for w := range class {
			for class[w] != 0 {
				v := w*64 + bits.TrailingZeros64(class[w])
				class[w] &^= 1 << (v % 64)
				left[w] &^= 1 << (v % 64)
				for u := range class {
					class[u] &^= s.adjacent[v*s.words+u]
				}
				heaviest = max(heaviest, s.weight[v])
				order, bound = append(order, v), append(bound, sum+heaviest)
			}
		}
		if heaviest == 0 {
			return order, bound
		}
		sum += heaviest
	}
}

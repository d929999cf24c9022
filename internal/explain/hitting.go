package explain

import (
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: find the smallest set of suspects that has four properties of every smallest infeasible set that is closed. It
// hits each correction set, since otherwise it would be part of a set that fits. It is closed under dominance. The
// neighbours of each member take all places of that member. And its members are too high to fit as one stack. The
// search branches on the correction set with the fewest free members. If all are hit, it branches on the neighbours of
// a member that has places left, then on any suspect. A member that failed is out for the later branches of its node.
//
// Invariant: the trail has every suspect that is in or out, in the order of the decisions. If a suspect is in, its
// dominators are in. If a suspect is out, those that it dominates are out.
//
// Bound: correction sets without a common free member need one member each.
//
// Complexity: exponential in the size of the set. A node reads each correction set.
//
// Source: Reiter, "A theory of diagnosis from first principles", 1987; Ignatiev, Previti, Liffiton, Marques-Silva,
// "Smallest MUS extraction with minimal hitting set dualization", CP 2015.

const (
	free = iota
	taken
	dropped
)

type hitter struct {
	*suspects
	capacity int64
	over     func() bool
	limit    int64 // nodes of one search; 0 for no limit

	sets   [][]int32 // correction sets, without members that another member dominates
	often  []int     // per suspect: the number of correction sets that have it
	order  []int32   // suspects, those that add most to a stack first
	state  []uint8
	trail  []int32
	size   int   // suspects taken
	nodes  int64 // nodes of this search
	ended  bool  // a limit has ended this search
	marked []int32
	stamp  int32
}

func newHitter(s *suspects, capacity int64, over func() bool, limit int64) *hitter {
	n := len(s.buffers)
	h := &hitter{
		suspects: s, capacity: capacity, over: over, limit: limit,
		often: make([]int, n), state: make([]uint8, n), marked: make([]int32, n),
	}
	for i := range n {
		h.order = append(h.order, int32(i))
	}
	sorting.By(h.order, func(a, b int32) bool { return s.stack[a] > s.stack[b] })
	return h
}

// add adds a correction set: every infeasible set has one of these suspects. If a closed set has one of them, it has
// the dominators of that one too. So it is enough to store the members that no other member dominates.
func (h *hitter) add(correction []int32) {
	h.stamp++
	for _, i := range correction {
		h.marked[i] = h.stamp
		h.often[i]++
	}
	h.sets = append(h.sets, slices.DeleteFunc(slices.Clone(correction), func(i int32) bool {
		return slices.ContainsFunc(h.above[i], func(j int32) bool { return h.marked[j] == h.stamp })
	}))
}

// rest returns the suspects that are not in a set.
func (h *hitter) rest(set []int32) []int32 {
	h.stamp++
	for _, i := range set {
		h.marked[i] = h.stamp
	}
	var rest []int32
	for i, m := range h.marked {
		if m != h.stamp {
			rest = append(rest, int32(i))
		}
	}
	return rest
}

// names returns the buffers of a set, ascending.
func (h *hitter) names(set []int32) []int {
	names := make([]int, len(set))
	for k, i := range set {
		names[k] = h.buffers[i]
	}
	return ascending(names)
}

// find returns a set of at most the given number of suspects that has the four properties,
// in ascending order. ok is false if there is none. known is false if a limit came first.
func (h *hitter) find(most int) (set []int32, ok, known bool) {
	clear(h.state)
	h.trail, h.size, h.nodes, h.ended = h.trail[:0], 0, 0, false
	if h.dropHopeless(most) {
		ok = h.search(most)
	}
	if h.ended {
		return nil, false, false
	}
	if ok {
		h.fill(most)
		for i, s := range h.state {
			if s == taken {
				set = append(set, int32(i))
			}
		}
	}
	return set, ok, true
}

// dropHopeless drops suspects that are in no closed set of at most that many members. It
// reports whether any suspects are left.
func (h *hitter) dropHopeless(most int) bool {
	for again := true; again; {
		again = false
		for i := range h.state {
			if h.state[i] == free && (len(h.above[i]) >= most || h.missing(int32(i), most-1)) {
				h.drop(int32(i))
				again = true
			}
			if i&63 == 0 && h.over() {
				h.ended = true
				return false
			}
		}
	}
	return slices.Contains(h.state, free)
}

// missing reports whether suspect i has a place left whatever is added: the taken neighbours
// and the next `more` free ones do not take all its places.
func (h *hitter) missing(i int32, more int) bool {
	rest := h.places[i]
	for _, n := range h.near[i] {
		switch h.state[n.buffer] {
		case taken:
			rest -= n.takes
		case free:
			if more--; more >= 0 {
				rest -= n.takes
			}
		}
		if rest <= 0 {
			return false
		}
	}
	return true
}

// search extends the taken suspects by at most the given number of others.
func (h *hitter) search(more int) bool {
	if h.nodes++; h.limit > 0 && h.nodes > h.limit || h.over() {
		h.ended = true
		return false
	}
	branch, ok := h.choose(more)
	if !ok {
		return false
	}
	if branch == nil {
		return true
	}
	mark := len(h.trail)
	for _, i := range branch {
		if h.state[i] != free {
			continue // dropped with one that dominates it
		}
		before, size := len(h.trail), h.size
		if h.take(i) && h.size-size <= more && h.search(more-(h.size-size)) {
			return true
		}
		h.undo(before)
		if h.ended {
			break
		}
		h.drop(i)
	}
	h.undo(mark)
	return false
}

// choose returns the suspects of the next branch: at least one of them must be taken. It returns nil if the set is
// complete. ok is false if the given number of further suspects is not enough.
func (h *hitter) choose(more int) (branch []int32, ok bool) {
	h.stamp++
	var best []int32
	fewest, apart := 0, 0
	for _, set := range h.sets {
		left, hit, disjoint := 0, false, true
		for _, i := range set {
			if s := h.state[i]; s == taken {
				hit = true
				break
			} else if s == free {
				left++
				disjoint = disjoint && h.marked[i] != h.stamp
			}
		}
		if hit {
			continue
		}
		if left == 0 {
			return nil, false
		}
		if best == nil || left < fewest {
			best, fewest = set, left
		}
		if disjoint {
			if apart++; apart > more {
				return nil, false
			}
			for _, i := range set {
				h.marked[i] = h.stamp
			}
		}
	}
	if !h.tooMuch(more) {
		return nil, false
	}
	var lonely int32 = -1
	for _, i := range h.trail {
		if h.state[i] == taken && h.missing(i, 0) {
			if h.missing(i, more) {
				return nil, false
			}
			if lonely < 0 {
				lonely = i
			}
		}
	}
	switch {
	case best != nil:
		branch = h.freeOf(best)
		sorting.By(branch, func(a, b int32) bool { return h.often[a] > h.often[b] })
	case lonely >= 0:
		for _, n := range h.near[lonely] {
			if h.state[n.buffer] == free {
				branch = append(branch, n.buffer)
			}
		}
	case h.size == 0 || !h.tooMuch(0):
		branch = h.freeOf(h.order)
	default:
		return nil, true
	}
	return branch, len(branch) > 0 && more > 0
}

func (h *hitter) freeOf(set []int32) []int32 {
	var left []int32
	for _, i := range set {
		if h.state[i] == free {
			left = append(left, i)
		}
	}
	return left
}

// tooMuch reports whether the taken suspects and the given number of others can exceed the capacity as one stack.
func (h *hitter) tooMuch(more int) bool {
	rest := h.capacity
	for _, i := range h.trail {
		if h.state[i] == taken {
			if rest -= h.stack[i]; rest < 0 {
				return true
			}
		}
	}
	for _, i := range h.order {
		if more == 0 {
			break
		}
		if h.state[i] == free {
			more--
			if rest -= h.stack[i]; rest < 0 {
				return true
			}
		}
	}
	return false
}

// take takes a suspect and its dominators. It fails if one of them is out.
func (h *hitter) take(i int32) bool {
	for _, j := range h.above[i] {
		if h.state[j] == dropped {
			return false
		}
	}
	for _, j := range h.above[i] {
		h.set(j, taken)
	}
	h.set(i, taken)
	return true
}

// drop drops a suspect and those that it dominates.
func (h *hitter) drop(i int32) {
	h.set(i, dropped)
	for _, j := range h.below[i] {
		h.set(j, dropped)
	}
}

func (h *hitter) set(i int32, state uint8) {
	if h.state[i] == free {
		h.state[i] = state
		h.trail = append(h.trail, i)
		if state == taken {
			h.size++
		}
	}
}

func (h *hitter) undo(mark int) {
	for _, i := range h.trail[mark:] {
		if h.state[i] == taken {
			h.size--
		}
		h.state[i] = free
	}
	h.trail = h.trail[:mark]
}

// fill takes more suspects, up to the given number, those next to taken ones first. A set that hits all correction sets
// still does with more members. And if the larger set fits, the correction set that it leaves is smaller.
func (h *hitter) fill(most int) {
	for h.size < most {
		var best int32 = -1
		var bestTakes float64
		for i := range h.state {
			if i&63 == 0 && h.over() {
				return
			}
			if h.state[i] == taken || slices.ContainsFunc(h.above[i], func(j int32) bool { return h.state[j] != taken }) {
				continue
			}
			var takes float64
			for _, n := range h.near[i] {
				if h.state[n.buffer] == taken {
					takes += float64(n.takes)
				}
			}
			if takes /= float64(h.places[i]); best < 0 || takes > bestTakes {
				best, bestTakes = int32(i), takes
			}
		}
		if best < 0 {
			return
		}
		h.state[best] = taken
		h.size++
	}
}

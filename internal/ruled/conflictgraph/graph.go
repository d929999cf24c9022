// Package conflictgraph plans buffers whose conflicts are given as a graph, without a line of time. Clocks make such
// graphs: their partial order is mostly no interval order (internal/lower calls that a knot).
//
// internal/lower turns any graph into a plain problem, so every planner can plan it. But that problem has far more
// slots than buffers, and lives have many gaps. So a placement takes long, and a search along time has no line to
// follow. Here each buffer has a row of bits that says which buffers it conflicts with.
//
//	graph.go    the graph, and first fit on it
//	eject.go    local search: buffers push others out of their places, under a target
package conflictgraph

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: first fit in an order. Buffers that are placed are a list by offset. A buffer walks along it, and looks only at
// those that it conflicts with, until a gap is large enough.
//
// Invariant: two buffers with an edge share no byte.
//
// Complexity: O(n²) for an order.
//
// Trials: docs/lab/ruled.md (on OmniMalloc's tilings the input's order is optimal at once, unless shuffled).

// A Graph is a list of buffers and the pairs of them that conflict. Sizes and offsets are in bytes.
type Graph struct {
	Buffers []model.Buffer // of which only size, alignment and fixed offset count
	Edges   []uint64       // Words words for each buffer: bit j of row i says that i and j conflict
	Words   int
}

// row returns who conflicts with i.
func (g *Graph) row(i int32) []uint64 { return g.Edges[int(i)*g.Words : int(i+1)*g.Words] }

func has(row []uint64, j int32) bool { return row[j>>6]>>(j&63)&1 != 0 }

// A Search has the lowest plan of a graph so far.
type Search struct {
	Offsets []int64 // the plan; nil until there is one
	Height  int64   // of Offsets
	Steps   int64   // buffers that were placed, by all techniques

	graph *Graph
	watch *run.Watch // of the call
	goal  int64      // a plan as low as this ends the search
	eject ejection
}

// New starts a search that ends at a plan as low as goal, or as the top of a fixed buffer, which no plan is below. The
// seed is for random choices.
func New(g *Graph, goal int64, seed uint64) *Search {
	for i := range g.Buffers {
		if b := &g.Buffers[i]; b.Fixed != nil {
			goal = max(goal, *b.Fixed+b.Size)
		}
	}
	s := &Search{graph: g, goal: goal}
	s.eject.start(g, seed)
	return s
}

// done reports whether the goal is reached or the watch is over.
func (s *Search) done() bool { return s.Offsets != nil && s.Height <= s.goal || s.watch.Over() }

// keep takes a plan if it is the lowest.
func (s *Search) keep(offsets []int64) bool {
	height := int64(0)
	for i, at := range offsets {
		height = max(height, at+s.graph.Buffers[i].Size)
	}
	if s.Offsets != nil && height >= s.Height {
		return false
	}
	s.Offsets, s.Height = slices.Clone(offsets), height
	return true
}

// Adopt adopts a plan of another search, if it is lower.
func (s *Search) Adopt(offsets []int64) { s.keep(offsets) }

// Orders makes plans by first fit, in a few orders, until the goal is reached or the watch is over.
func (s *Search) Orders(watch *run.Watch) {
	s.watch = watch
	n := len(s.graph.Buffers)
	beside := make([]int64, n) // for each buffer, the bytes of the buffers that conflict with it
	for i := range beside {
		for j := range s.graph.Buffers {
			if has(s.graph.row(int32(i)), int32(j)) {
				beside[i] += s.graph.Buffers[j].Size / int64(n)
			}
		}
	}
	size := func(i int32) float64 { return float64(s.graph.Buffers[i].Size) }
	for _, key := range []func(i int32) float64{
		func(i int32) float64 { return 0 }, // as the input has them
		size,
		func(i int32) float64 { return size(i) * float64(beside[i]) },
		func(i int32) float64 { return float64(beside[i]) },
	} {
		if s.done() {
			return
		}
		order := make([]int32, n)
		for k := range order {
			order[k] = int32(k)
		}
		slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(key(j), key(i)) })
		if offsets := s.firstFit(order); offsets != nil {
			s.keep(offsets)
		}
	}
}

// firstFit places the buffers in an order; fixed ones come first. It returns nil if the watch ends it, or if fixed
// buffers collide.
func (s *Search) firstFit(order []int32) []int64 {
	g := s.graph
	offsets := make([]int64, len(order))
	placed := make([]int32, 0, len(order)) // ascending by offset
	for _, fixed := range []bool{true, false} {
		for _, i := range order {
			b := &g.Buffers[i]
			if (b.Fixed != nil) != fixed {
				continue
			}
			if s.watch.Over() {
				return nil
			}
			row, least := g.row(i), int64(0)
			if fixed {
				least = *b.Fixed
			}
			at := least
			for _, j := range placed {
				if offsets[j]-at >= b.Size {
					break
				}
				if has(row, j) {
					at = max(at, bound.Up(offsets[j]+g.Buffers[j].Size, b.Align()))
				}
			}
			if fixed && at != least {
				return nil
			}
			offsets[i] = at
			k, _ := slices.BinarySearchFunc(placed, at, func(j int32, at int64) int { return cmp.Compare(offsets[j], at) })
			placed = slices.Insert(placed, k, i)
		}
	}
	s.Steps += int64(len(order))
	return offsets
}

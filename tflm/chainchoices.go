package tflm

import (
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: which segments run together is chosen in package tiling (internal/tiling/choose.go), where the work is
// multiply-accumulates. Here the model and its segments are handed over, and a path becomes chains.

// A choice is chains with figures that are not yet those of a plan.
type choice struct {
	chains []strips.Chain
	load   int64 // the limit that they keep
	tail   int64 // more than without strips
	macs   int64 // more than without strips
	shared int64 // the part of tail that it may not need
	front  bool  // it is planned for its arithmetic
}

// operators returns the operators as they are.
func (s *splitting) operators() *tiling.Operators {
	return &tiling.Operators{Load: s.load, Least: s.least, Tail: s.tail, Most: s.most}
}

// handed returns segments as package tiling takes them.
func handed(all []segment) []tiling.Segment {
	out := make([]tiling.Segment, len(all))
	for k := range all {
		x := &all[k]
		out[k] = tiling.Segment{
			First: x.chain.First, Last: x.chain.Last, Load: x.load, Least: x.least, Tail: x.tail, Work: x.macs, Shared: x.shared,
		}
	}
	return out
}

// choices returns the best paths for each limit of the load, in the order of load + tail.
func (s *splitting) choices(all []segment) (out []choice) {
	for _, p := range s.operators().Paths(handed(all)) {
		x := choice{load: p.Load, tail: p.Tail, macs: p.Work, shared: p.Shared}
		for _, k := range p.Segments {
			x.chains = append(x.chains, all[k].chain)
		}
		out = append(out, x)
	}
	return out
}

// endings returns the segments by their last operator.
func (s *splitting) endings(all []segment) [][]int { return s.operators().Endings(handed(all)) }

// bound returns the least sum of load and tail that any choice of the segments can have, with the tail of the model.
// The first chain has its whole tail, others only what they do not share.
func (s *splitting) bound(all []segment) int64 { return s.operators().Bound(handed(all)) }

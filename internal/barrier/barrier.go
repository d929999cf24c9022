// Package barrier lists what a plan makes a program wait for: which buffers take over whose bytes.
//
//	barrier.go   the uses of bytes in a plan, and the waits that are needed between them
//	strip.go     who used each byte of a pool last
package barrier

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a plan lets buffers share bytes because one ends before the other begins. A machine that runs ahead,
// such as a GPU or a DMA engine, does not know this. It must be told to wait, once for each take-over.
//
// Meaning. A use is a stretch of time in which a buffer uses one range of bytes: its life, or a piece of
// it between gaps, windows and evictions. With a period, each turn has uses of its own. For uses x and y:
//
//	before    x ends at or before the start of y; with clocks, by every clock
//	own       x is before y, and both are of one buffer; the program keeps its uses of one buffer in order
//	takeover  x is before y, they are of two buffers, in one pool, and share a byte
//	chain     uses x = u0, u1, …, uk = y, where each pair of neighbours is an own or a takeover
//	wait      a takeover from x to y without a chain from x to y by two or more steps
//
// Uses that meet in time are never before one another. So buffers of one body, pairs in may_overlap and pairs
// with a distance make no wait while both live: the program shares these bytes on purpose.
//
// Claim 1: the waits are enough. If each wait is kept, x has ended before y begins for each takeover.
// Proof: before is a strict partial order, so chains have no cycle, and between two uses there are
// finitely many. Take the longest chain from x to y. No step of it can be replaced by a longer chain, so
// each step is an own or a wait. A step that is kept says that the second use begins after the first one
// has ended, and a use ends after it has begun. So y begins after x has ended.
//
// Claim 2: no smaller set of takeovers is enough. Proof: let a wait from x to y be left out of a set S. Its steps and
// the own steps contain no chain from x to y, because in all takeovers there is only the one of a single step. So
// nothing stops a machine that keeps S from running y, and all that leads to it, before x has ended.
//
// So the waits are the transitive reduction of takeovers and owns, less the owns, and they are the only least set.
//
// Claim 3: with a period T, only takeovers with y.lower - x.upper < T can be waits. Proof: else the same use x in the
// next turn also ends before y and shares the same bytes, which makes a chain of two steps. The times of a chain
// lie between x.upper and y.lower. So all that decides about a use of turn 0 is in turns -2 to 1.
//
// Invariant: before use y is looked at, needs[x] has the waits and the latest own step into each earlier use x.
//
// Complexity: O(k log k + k·s) for k uses and s ranges of bytes with different last users that a use meets, and
// then, for each use, a walk over the uses since the oldest of its candidates. With clocks no user of a byte
// is forgotten, so that the walk may be O(k²) for each use.
//
// Source: A. Aho, M. Garey, J. Ullman, The transitive reduction of a directed graph, SIAM J. Comput. 1(2), 1972.
//
// Trials: docs/lab/graph.md (all pairs reduced by bit sets take n²/8 bytes).

// Of returns the waits of a valid plan, sorted by Buffer, At, For and Until.
func Of(p *model.Problem, made *model.Plan) []plan.Wait {
	g := &graph{uses: usesOf(p, made), clocks: p.Rules != nil && p.Rules.Threads > 0}
	if g.clocks {
		g.of = p.Buffers
	}
	strips := make([]strip, len(p.AllPools()))
	g.needs = make([][]int32, len(g.uses))
	g.seen = make([]int32, len(g.uses))
	last := make([]int32, len(p.Buffers))
	for i := range last {
		last[i] = -1
	}
	var waits []plan.Wait
	for k := range g.uses {
		y := &g.uses[k]
		found := strips[y.pool].take(g, int32(k))
		if own := last[y.buffer]; own >= 0 {
			found = append(found, own)
		}
		last[y.buffer] = int32(k)
		g.needs[k] = g.reduce(int32(k), found)
		if y.turn != 0 {
			continue
		}
		for _, x := range g.needs[k] {
			if x := &g.uses[x]; x.buffer != y.buffer {
				waits = append(waits, plan.Wait{
					Buffer: int(y.buffer), At: y.said[0], For: int(x.buffer), Until: x.said[1], Turn: int(x.turn),
				})
			}
		}
	}
	slices.SortFunc(waits, func(a, b plan.Wait) int {
		return cmp.Or(cmp.Compare(a.Buffer, b.Buffer), cmp.Compare(a.At, b.At), cmp.Compare(a.For, b.For),
			cmp.Compare(a.Until, b.Until))
	})
	return waits
}

// use is a stretch of time in which a buffer uses one range of bytes.
type use struct {
	lower, upper int64    // the time, moved by whole turns
	said         [2]int64 // the time as the problem has it
	from, to     int64    // bytes of the pool
	buffer, pool int32
	turn         int32
}

// continues reports whether y goes on where x ends, with the same bytes.
func (x *use) continues(y *use) bool {
	return x.buffer == y.buffer && x.upper == y.lower && x.from == y.from && x.to == y.to && x.pool == y.pool
}

// graph has the uses in the order of their starts, and what is known of those that were looked at.
type graph struct {
	uses   []use
	needs  [][]int32 // of each use: its waits and the own step into it, by index
	seen   []int32   // of each use: 1 + the last use whose chains were found to hold it
	walk   []int32   // scratch of reduce
	clocks bool
	of     []model.Buffer // the buffers, for their clocks
}

// before reports whether use x ends before use y starts.
func (g *graph) before(x, y int32) bool {
	a, b := &g.uses[x], &g.uses[y]
	if g.clocks && a.buffer != b.buffer {
		return g.of[a.buffer].Extra.Clocks.Before(g.of[b.buffer].Extra.Clocks)
	}
	return a.upper <= b.lower
}

// reduce returns those of found that no chain through another of found leads to use y from. All of found are before y.
func (g *graph) reduce(y int32, found []int32) []int32 {
	slices.SortFunc(found, func(a, b int32) int { return cmp.Compare(b, a) })
	found = slices.Compact(found)
	if len(found) < 2 {
		return found
	}
	oldest := g.uses[found[0]].upper
	for _, x := range found {
		oldest = min(oldest, g.uses[x].upper)
	}
	kept := found[:0]
	for _, x := range found { // the latest start first: a chain from x leads over later starts
		if g.seen[x] == y+1 {
			continue
		}
		kept = append(kept, x)
		g.seen[x] = y + 1
		g.walk = append(g.walk[:0], x)
		for len(g.walk) > 0 {
			z := g.walk[len(g.walk)-1]
			g.walk = g.walk[:len(g.walk)-1]
			if g.uses[z].lower < oldest { // no candidate is before z
				continue
			}
			for _, w := range g.needs[z] {
				if g.seen[w] != y+1 {
					g.seen[w] = y + 1
					g.walk = append(g.walk, w)
				}
			}
		}
	}
	return slices.Clone(kept)
}

// usesOf returns the uses of a plan in the order of their starts.
func usesOf(p *model.Problem, made *model.Plan) []use {
	var all []use
	stay := func(i int, lower, upper int64, pool int32, at int64) {
		for x := range p.Buffers[i].Pieces {
			if x.Lower, x.Upper = max(x.Lower, lower), min(x.Upper, upper); x.Lower >= x.Upper {
				continue
			}
			y := use{
				lower: x.Lower, upper: x.Upper, said: [2]int64{x.Lower, x.Upper},
				from: at + x.From, to: at + x.To, buffer: int32(i), pool: pool,
			}
			if n := len(all) - 1; n >= 0 && all[n].continues(&y) {
				all[n].upper, all[n].said[1] = y.upper, y.upper
			} else {
				all = append(all, y)
			}
		}
	}
	parts := made.Parts
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if len(parts) > 0 && int(parts[0].Buffer) == i {
			for _, x := range parts[0].Parts {
				stay(i, x.Lower, x.Upper, x.Pool, x.Offset)
			}
			parts = parts[1:]
			continue
		}
		stay(i, b.Lower, b.Upper, made.PoolOf(i), made.Offsets[i])
	}
	if p.Rules != nil && p.Rules.Period > 0 {
		once := len(all)
		for _, turn := range []int32{-2, -1, 1} {
			for _, x := range all[:once] {
				x.turn = turn
				x.lower += int64(turn) * p.Rules.Period
				x.upper += int64(turn) * p.Rules.Period
				all = append(all, x)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.lower, b.lower), cmp.Compare(a.upper, b.upper), cmp.Compare(a.buffer, b.buffer))
	})
	return all
}

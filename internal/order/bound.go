package order

import "context"

// Idea: some bytes are live during an operator in every order: the blocks that it touches, and the blocks that run past
// it. Block b runs past operator o if b begins before o and cannot end before o:
//
//	b filled, or a maker of b among the ancestors of o
//	b an output, or a user of b among the descendants of o
//
// No order has a peak below the greatest such sum, less the bytes that the best pairs of the operator save. A pair
// counts if its operand may die here (no user is a descendant) and its result may begin here (no maker is an ancestor).
//
// Complexity: O(operators × (edges / 64 + what the blocks touch)).
//
// In a graph with more than reachMost operators, the sum is computed for some operators (sampled). The others have a
// weaker sum (footprint): the blocks that the operator touches, and the inputs that are outputs, too. Of 20,000
// operators with a plan of 9,326 bytes the bound was 935 without both, and 3,589 with footprints alone.

// reach has the ancestors and descendants of each operator.
type reach struct {
	words                int
	ancestors, following []uint64
}

func (r *reach) above(o int32) bitset { return r.ancestors[int(o)*r.words : (int(o)+1)*r.words] }
func (r *reach) below(o int32) bitset { return r.following[int(o)*r.words : (int(o)+1)*r.words] }

// topological returns the operators in an order in which they can run.
func (g *graph) topological() []int32 {
	wait := make([]int32, g.operators())
	order := make([]int32, 0, len(wait))
	for o := range wait {
		if wait[o] = int32(len(g.prior.of(int32(o)))); wait[o] == 0 {
			order = append(order, int32(o))
		}
	}
	for k := 0; k < len(order); k++ {
		for _, q := range g.next.of(order[k]) {
			if wait[q]--; wait[q] == 0 {
				order = append(order, q)
			}
		}
	}
	return order
}

func newReach(g *graph) *reach {
	n := g.operators()
	r := &reach{words: (n + 63) / 64}
	r.ancestors, r.following = make([]uint64, n*r.words), make([]uint64, n*r.words)
	order := g.topological()
	union := func(to, from bitset) {
		for k, word := range from {
			to[k] |= word
		}
	}
	for _, o := range order {
		for _, q := range g.next.of(o) {
			r.above(q).add(o)
			union(r.above(q), r.above(o))
		}
	}
	for k := n - 1; k >= 0; k-- {
		for _, q := range g.prior.of(order[k]) {
			r.below(q).add(order[k])
			union(r.below(q), r.below(order[k]))
		}
	}
	return r
}

func (s bitset) any(list []int32) bool {
	for _, o := range list {
		if s.has(o) {
			return true
		}
	}
	return false
}

// constant returns the bytes that are live through all of the graph and that none of its operators touches.
func (g *graph) constant() int64 {
	sum := g.live
	for b, size := range g.size {
		if g.begun[b] > 0 && g.left[b] > 0 {
			sum -= size
		}
	}
	return sum
}

// reachMost is the most operators of a graph whose ancestors and descendants are kept: 64 MiB. Larger graphs are
// searched without these bounds and cuts.
const reachMost = 1 << 14

// samples is the number of operators of a larger graph whose ancestors and descendants are found.
const samples = 256

// footprint returns a bound of the bytes that are live during some operator in every order. It counts only the blocks
// that the operator touches, and the blocks that live from the beginning to the end.
func (g *graph) footprint() int64 {
	through := func(b int32) bool { return g.begun[b] > 0 && int(g.left[b]) > len(g.users.of(b)) }
	always, bound := g.constant(), int64(0)
	for b, size := range g.size {
		if through(int32(b)) {
			always += size
		}
	}
	var match matching
	match.init(g.mostOfPair)
	for o := range g.operators() {
		sum := always + g.scratch[o]
		for _, b := range g.uses.of(int32(o)) {
			if !through(b) {
				sum += g.size[b]
			}
		}
		bound = max(bound, sum-heaviest(&match, g.pairs[g.pairsFrom[o]:g.pairsFrom[o+1]], g.severally[o]))
	}
	return bound
}

// unavoidable returns the greatest number of bytes that are live during one operator in every order. If the context
// ends, it is that of the operators so far.
func (g *graph) unavoidable(ctx context.Context, r *reach) int64 {
	bound := int64(0)
	d := newDemand(g)
	for o := range int32(g.operators()) {
		if ctx.Err() != nil {
			break
		}
		bound = max(bound, d.of(o, r.above(o), r.below(o)))
	}
	return bound
}

// sampled is unavoidable for a few operators: of each stretch of an order the operator with the highest demand. It
// finds the ancestors and descendants of each separately, in O(operators + edges).
func (g *graph) sampled(ctx context.Context, order []int32) int64 {
	w, d := newWalk(g), newDemand(g)
	above, below := newBitset(g.operators()), newBitset(g.operators())
	bound, most, highest := int64(0), int64(-1), int32(0)
	stretch := (len(order) + samples - 1) / samples
	for place, o := range order {
		if during, _ := w.cost(o); during > most {
			most, highest = during, o
		}
		if w.run(o); (place+1)%stretch != 0 && place+1 < len(order) {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		g.closure(highest, &g.prior, above)
		g.closure(highest, &g.next, below)
		bound, most = max(bound, d.of(highest, above, below)), -1
	}
	return bound
}

// closure fills set with the operators that can be reached from an operator, without itself.
func (g *graph) closure(from int32, edges *lists, set bitset) {
	clear(set)
	for open := []int32{from}; len(open) > 0; {
		o := open[len(open)-1]
		open = open[:len(open)-1]
		for _, q := range edges.of(o) {
			if !set.has(q) {
				set.add(q)
				open = append(open, q)
			}
		}
	}
}

// demand computes the bytes that are live during an operator in every order.
type demand struct {
	g        *graph
	constant int64
	touched  []int32 // by block: the last operator that touched it, + 1
	match    matching
	pairs    []pair
}

func newDemand(g *graph) *demand {
	d := &demand{g: g, constant: g.constant(), touched: make([]int32, len(g.size))}
	d.match.init(g.mostOfPair)
	return d
}

// of returns the bytes that are live during operator o, which has these ancestors and descendants.
func (d *demand) of(o int32, above, below bitset) int64 {
	g := d.g
	sum := d.constant + g.scratch[o]
	for _, b := range g.uses.of(o) {
		d.touched[b] = o + 1
		sum += g.size[b]
	}
	for b, size := range g.size {
		if d.touched[b] != o+1 && g.starts(int32(b), above) && g.lasts(int32(b), below) {
			sum += size
		}
	}
	d.pairs = d.pairs[:0]
	for _, m := range g.pairs[g.pairsFrom[o]:g.pairsFrom[o+1]] {
		if !g.starts(m.result, above) && !g.lasts(m.operand, below) {
			d.pairs = append(d.pairs, m)
		}
	}
	return sum - heaviest(&d.match, d.pairs, g.severally[o])
}

// starts reports whether block b has begun before an operator with these ancestors.
func (g *graph) starts(b int32, above bitset) bool {
	return g.begun[b] > 0 || above.any(g.makers.of(b))
}

// lasts reports whether block b cannot end before an operator with these descendants has run.
func (g *graph) lasts(b int32, below bitset) bool {
	users := g.users.of(b)
	return int(g.left[b]) > len(users) || below.any(users)
}

// heaviest returns the most that all pairs can save.
func heaviest(match *matching, pairs []pair, severally bool) int64 {
	if severally {
		return match.best(pairs, nil, nil)
	}
	best, sum := int64(0), int64(0)
	for _, m := range pairs {
		if best = max(best, m.saving); m.adds {
			sum += m.saving
		}
	}
	return max(best, sum)
}

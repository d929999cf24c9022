package order

// Idea: an order read backwards is an order of the reversed graph with the same cost at each operator. There a block
// begins with the first of its users and ends with the last of its makers:
//
//	live(S) = sum of size × ([some maker in S] - [all users in S])
//	        = sum of size × ([some user in the rest] - [all makers in the rest])
//
// The result of a pair becomes its operand and the other way round. So the same search can begin at the end. Often
// few sets can be reached within a limit from one end and very many from the other.

// reversed returns the reversed graph. Its operators and blocks have the same numbers.
func (g *graph) reversed() *graph {
	n := g.operators()
	r := &graph{
		name: g.name, scratch: g.scratch, prior: g.next, makes: g.uses, uses: g.makes,
		pairs: make([]pair, len(g.pairs)), pairsFrom: g.pairsFrom,
		size: g.size, begun: make([]int32, len(g.size)), left: make([]int32, len(g.size)),
		start: g.start,
	}
	for k, m := range g.pairs {
		r.pairs[k] = pair{m.operand, m.result, m.saving, m.adds}
	}
	for b := range g.size {
		if int(g.left[b]) > len(g.users.of(int32(b))) {
			r.begun[b] = 1
		}
		if g.begun[b] > 0 {
			r.left[b] = 1
		}
	}
	r.close()
	w := newWalk(g)
	all := newBitset(n)
	for o := range n {
		all.add(int32(o))
	}
	w.set(all)
	r.live = w.live
	return r
}

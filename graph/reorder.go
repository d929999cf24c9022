package graph

import (
	"container/heap"
	"context"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/order"
)

// Idea: the bytes that are live at once in an order do not depend on offsets. So package order finds orders with a
// low peak, and the lowest of them are planned. Package order counts the savings of an operator by a matching: no
// value is in two overlaps. Here a result may lie over two operands at once. So the peak is a bound for these plans
// only if a matching saves as much as any plan does. If it may save less, the operator is loose. For the bound, a
// loose operator is cut in two:
//
//	o = (reads X and R, makes Y and S)        with permits between X and Y
//	    o1 reads X and R, makes S             then o2, after o1, reads R, makes Y
//
// o needs at least as much as o1 and as o2. An order of the graph is an order of the cut graph, with o1 and o2 side
// by side. So the least peak of the cut graph is at most that of any plan in any order. Readers of S wait for o2, so
// that an order of the cut graph, with each o at its o2, is an order of the graph.
//
// An operator is not loose in two cases.
//
//   - The pairs of its permits form stars: a centre of c bytes, and leaves that can share s1, s2, … bytes with it, where at
//     most one s is below c. Any plan shares at most min(c, s1 + s2 + …) bytes. With two or more leaves that is the largest
//     s. An addition is an example: both operands are as large as the result.
//   - All its permits are exact and share different bytes of one result, or of one operand. Package order counts their sum,
//     and no plan saves more.
//
// Two orders are enough to reach the bound on nearly all graphs of the tests; exhaust.go has the others.
//
// Complexity: that of order.Best, once, and a second time if an operator is loose.

// orders returns orders that may lead to lower plans than the given one, the best first, and a
// bound in bytes below which no plan in any order is. The error is that of order.Best.
func (m *maker) orders(ctx context.Context, given []int) (all [][]int, bound int64, err error) {
	whole := program(m.g, m.o.Permits, nil)
	whole.Given = narrow(given)
	best, err := order.Best(ctx, &whole.Program, order.Options{Given: whole.Given, States: m.o.States})
	if err != nil {
		return nil, 0, err
	}
	all, bound = append(all, wide(best.Order)), best.Bound
	loose := m.loose()
	if !slices.Contains(loose, true) {
		return all, bound, nil
	}
	cut := m.cut(loose, given)
	least, err := order.Best(ctx, &cut.Program, order.Options{Given: cut.Given, States: m.o.States})
	if err != nil {
		return nil, 0, err
	}
	other := slices.DeleteFunc(wide(least.Order), func(k int) bool { return k >= len(given) }) // o runs when o2 does
	if !slices.Equal(other, all[0]) {
		all = append(all, other)
	}
	return all, least.Bound, nil
}

// cut returns the graph with each loose operator cut in two, and an order.
func (m *maker) cut(loose []bool, order []int) *ordered {
	p := program(m.g, m.o.Permits, loose)
	for _, k := range order {
		if loose[k] {
			p.Given = append(p.Given, p.first[k])
		}
		p.Given = append(p.Given, int32(k))
	}
	return p
}

// least returns a bound in bytes below which no plan in an order is.
func (m *maker) least(order []int) (int64, error) {
	p := m.cut(m.loose(), order)
	return p.Peak(p.Given)
}

// loose says which operators are loose.
func (m *maker) loose() []bool {
	loose := make([]bool, len(m.g.Operators))
	for k := range m.g.Operators {
		loose[k] = isLoose(m.g, &m.g.Operators[k], m.o.Permits)
	}
	return loose
}

func narrow(list []int) []int32 {
	out := make([]int32, len(list))
	for k, v := range list {
		out[k] = int32(v)
	}
	return out
}

func wide(list []int32) []int {
	out := make([]int, len(list))
	for k, v := range list {
		out[k] = int(v)
	}
	return out
}

// An ordered is a graph as package order takes it.
type ordered struct {
	order.Program
	Given []int32
	first []int32 // of an operator that is cut in two: the number of o1
}

// program returns the graph for package order, with the operators of cut cut in two. The second
// half keeps the operator's number.
func program(g *Graph, permits Permits, cut []bool) *ordered {
	p := &ordered{first: make([]int32, len(g.Operators))}
	for i := range g.Values {
		p.Sizes = append(p.Sizes, g.Values[i].Size)
	}
	dynamic := func(list []int) (out []int32) {
		for _, v := range list {
			if !g.Values[v].Constant {
				out = append(out, int32(v))
			}
		}
		return out
	}
	once := func(list []int32) []int32 { slices.Sort(list); return slices.Compact(list) }
	p.Inputs, p.Outputs = once(dynamic(g.Inputs)), once(dynamic(g.Outputs))
	by := makers(g)
	var halves []order.Operator
	for k := range g.Operators {
		o := &g.Operators[k]
		q := order.Operator{
			Operands: dynamic(o.Operands), Results: dynamic(o.Results), Scratch: o.Scratch, After: narrow(o.After),
		}
		for _, x := range o.Operands {
			if b := by[x]; cut != nil && b >= 0 && cut[b] {
				q.After = append(q.After, int32(b)) // who reads what o1 makes waits for o2
			}
		}
		counted := slices.DeleteFunc(slices.Clone(o.Permits),
			func(x Permit) bool { return !permits.count(x) || g.Values[x.Operand].Constant })
		if cut != nil && cut[k] {
			half := q
			half.Results = without(q.Results, counted, func(x Permit) int { return x.Result })
			q.Operands = without(q.Operands, counted, func(x Permit) int { return x.Operand })
			q.Results = slices.DeleteFunc(slices.Clone(q.Results),
				func(v int32) bool { return slices.Contains(half.Results, v) })
			p.first[k] = int32(len(g.Operators) + len(halves))
			q.After = []int32{p.first[k]} // which has the rest
			halves = append(halves, half)
		} else {
			for _, x := range counted {
				q.Permits = append(q.Permits, narrowed(x))
			}
		}
		p.Operators = append(p.Operators, q)
	}
	p.Operators = append(p.Operators, halves...)
	return p
}

// without returns the values of a list that are no end of a permit.
func without(list []int32, permits []Permit, end func(Permit) int) []int32 {
	return slices.DeleteFunc(slices.Clone(list), func(v int32) bool {
		return slices.ContainsFunc(permits, func(x Permit) bool { return end(x) == int(v) })
	})
}

// isLoose reports whether plans may save more at an operator than package order counts.
func isLoose(g *Graph, o *Operator, permits Permits) bool {
	shared := map[[2]int]int64{} // by operand and result: the most bytes that the two can share
	operands, results := map[int][]int{}, map[int][]int{}
	for _, x := range o.Permits {
		if !permits.count(x) || !g.Values[x.Operand].planned() || !g.Values[x.Result].planned() {
			continue
		}
		from, to := sharing(g, x)
		if from == to {
			continue
		}
		pair := [2]int{x.Operand, x.Result}
		if _, there := shared[pair]; !there {
			operands[x.Result] = append(operands[x.Result], x.Operand)
			results[x.Operand] = append(results[x.Operand], x.Result)
		}
		shared[pair] = max(shared[pair], to-from)
	}
	for pair := range shared {
		x, y := pair[0], pair[1]
		if len(results[x]) > 1 && len(operands[y]) > 1 {
			return true // no star
		}
	}
	few := func(leaves []int, centre int, pair func(leaf int) [2]int) bool {
		return count(leaves, func(v int) bool { return shared[pair(v)] < g.Values[centre].Size }) <= 1
	}
	for y, leaves := range operands {
		if !few(leaves, y, func(x int) [2]int { return [2]int{x, y} }) && !parted(g, o, permits) {
			return true
		}
	}
	for x, leaves := range results {
		if !few(leaves, x, func(y int) [2]int { return [2]int{x, y} }) && !parted(g, o, permits) {
			return true
		}
	}
	return false
}

// sharing returns which bytes of the result a pair shares at most; from is to if there are none.
func sharing(g *Graph, p Permit) (from, to int64) {
	q := narrowed(p)
	return q.Shared(g.Values[p.Result].Size, g.Values[p.Operand].Size)
}

// narrowed returns a permit as package order has it.
func narrowed(p Permit) order.Permit {
	return order.Permit{Result: int32(p.Result), Operand: int32(p.Operand), Distance: p.Distance, Exactly: p.Exactly}
}

// parted reports whether the permits of an operator are all exact, with one result or one operand in common, and
// share different bytes of it. Then they are all in pairs of their own, and package order counts their sum.
func parted(g *Graph, o *Operator, permits Permits) bool {
	var all []Permit
	for _, p := range o.Permits {
		if from, to := sharing(g, p); permits.count(p) && g.Values[p.Operand].planned() && from < to {
			all = append(all, p)
		}
	}
	same := func(of func(Permit) int) bool {
		return !slices.ContainsFunc(all, func(p Permit) bool { return of(p) != of(all[0]) })
	}
	oneResult := same(func(p Permit) int { return p.Result })
	if !oneResult && !same(func(p Permit) int { return p.Operand }) {
		return false
	}
	for k, p := range all {
		if !p.Exactly {
			return false
		}
		for _, q := range all[:k] {
			a, b := sharing(g, p)
			c, e := sharing(g, q)
			if !oneResult { // counted from the start of the operand
				a, b, c, e = a-p.Distance, b-p.Distance, c-q.Distance, e-q.Distance
			}
			if a < e && c < b || p.Result == q.Result && p.Operand == q.Operand {
				return false
			}
		}
	}
	return true
}

func count(list []int, is func(int) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// Given returns the order in which the operators stand in a graph.
func Given(g *Graph) []int {
	all := make([]int, len(g.Operators))
	for k := range all {
		all[k] = k
	}
	return all
}

// Moved counts the operators that an order has at another place.
func Moved(order []int) (n int) {
	for at, k := range order {
		if at != k {
			n++
		}
	}
	return n
}

// runnable returns the order of the operators in the graph if they can run in it. If not, it
// returns the order that always takes the first that can run.
func runnable(g *Graph) []int {
	if all := Given(g); checkOrder(g, all) == nil {
		return all
	}
	return Runnable(g, Given(g))
}

// Runnable returns the order that always takes the first operator that can run. first has all operators, the first to
// take first. Operators that need one another in a circle are left out.
func Runnable(g *Graph, first []int) []int {
	n := len(g.Operators)
	by, rank, waits, then := makers(g), make([]int, n), make([]int, n), make([][]int, n)
	for at, k := range first {
		rank[k] = at
	}
	ready := &ranks{} // of the operators that can run
	for k := range n {
		needs(g, by, k, func(b int) { waits[k]++; then[b] = append(then[b], k) })
		if waits[k] == 0 {
			heap.Push(ready, rank[k])
		}
	}
	all := make([]int, 0, n)
	for ready.Len() > 0 {
		k := first[heap.Pop(ready).(int)]
		all = append(all, k)
		for _, next := range then[k] {
			if waits[next]--; waits[next] == 0 {
				heap.Push(ready, rank[next])
			}
		}
	}
	return all
}

// ranks is a heap.
type ranks struct{ sort.IntSlice }

func (r *ranks) Push(x any) { r.IntSlice = append(r.IntSlice, x.(int)) }

func (r *ranks) Pop() any {
	last := r.Len() - 1
	x := r.IntSlice[last]
	r.IntSlice = r.IntSlice[:last]
	return x
}

// forced reports whether no other order of the operators can run: each needs the one before it.
func forced(g *Graph, order []int) bool {
	by := makers(g)
	for place := 1; place < len(order); place++ {
		found := false
		needs(g, by, order[place], func(b int) { found = found || b == order[place-1] })
		if !found {
			return false
		}
	}
	return true
}

// Orders returns orders of the operators that may lead to the lowest plan, the best first, and a bound in bytes: no
// plan in any order is lower. It plans nothing. Of the options it takes Permits and States. If the context ends, the
// orders are the best so far, and the bound still holds. The error is a *model.InputError for a bad graph.
func Orders(ctx context.Context, g *Graph, o Options) (orders [][]int, bound int64, err error) {
	if err := Validate(g); err != nil {
		return nil, 0, err
	}
	m := maker{g: g, o: o}
	return m.orders(ctx, runnable(g))
}

package order

import (
	"math"
	"slices"
)

// The oracle: it tries every order, and counts what is live by the definition in the package comment. It shares
// no code with the package.

// oracle is a program with the operator of each value.
type oracle struct {
	p        *Program
	n        int
	before   [][]int // operators that have to run before
	readers  [][]int // by block: operators that read it
	makers   [][]int // by block: operators that produce it
	counted  []bool  // by block
	input    []bool
	output   []bool
	position []int // of an operator in the order
}

// home returns the value that v lies in.
func home(p *Program, v int32) int {
	for p.Alias != nil && p.Alias[v] != -1 {
		v = p.Alias[v]
	}
	return int(v)
}

func newOracle(p *Program) *oracle {
	n, values := len(p.Operators), len(p.Sizes)
	o := &oracle{
		p: p, n: n, before: make([][]int, n), readers: make([][]int, values), makers: make([][]int, values),
		counted: make([]bool, values), input: make([]bool, values), output: make([]bool, values),
		position: make([]int, n),
	}
	producer := map[int32]int{}
	for k, op := range p.Operators {
		for _, v := range op.Results {
			producer[v] = k
			o.counted[home(p, v)] = true
			o.makers[home(p, v)] = append(o.makers[home(p, v)], k)
		}
	}
	for _, v := range p.Inputs {
		o.counted[home(p, v)], o.input[home(p, v)] = true, true
	}
	for _, v := range p.Outputs {
		o.output[home(p, v)] = true
	}
	for k, op := range p.Operators {
		for _, v := range op.Operands {
			o.readers[home(p, v)] = append(o.readers[home(p, v)], k)
			if q, ok := producer[v]; ok {
				o.before[k] = append(o.before[k], q)
			}
		}
		for _, q := range op.After {
			o.before[k] = append(o.before[k], int(q))
		}
	}
	return o
}

// life returns the first and the last moment of a block. Operator k of the order has moment k; -1 is before the
// first. The last is below the first if the block is never live.
func (o *oracle) life(b int) (first, last int) {
	first, last = math.MaxInt, math.MinInt
	if o.input[b] && !o.p.LateInputs {
		first, last = -1, -1
	}
	for _, k := range o.makers[b] {
		first, last = min(first, o.position[k]), max(last, o.position[k])
	}
	for _, k := range o.readers[b] {
		if o.input[b] {
			first = min(first, o.position[k])
		}
		last = max(last, o.position[k])
	}
	if o.output[b] && first != math.MaxInt {
		last = o.n
	}
	return first, last
}

// saved returns the best sum over all choices of pairs of operator k.
func (o *oracle) saved(k int) int64 {
	return o.choose(o.p.Operators[k].Permits, func(r, x int) bool {
		begins, _ := o.life(r)
		_, dies := o.life(x)
		return begins == o.position[k] && dies == o.position[k]
	})
}

// choose returns the best sum over all choices of pairs among permits, of those that are free, with no block in two
// pairs. If all permits have a result in common, or an operand, it may also be the sum of all that are at exact
// distances and share bytes of it that no other exact one does.
func (o *oracle) choose(permits []Permit, free func(r, x int) bool) int64 {
	type chosen struct {
		r, x      int
		exact     bool
		distance  int64
		low, high int64 // the bytes that are shared, from the start of the result
	}
	var all []chosen
	for _, m := range permits {
		r, x := home(o.p, m.Result), home(o.p, m.Operand)
		if r == x || !o.counted[r] || !o.counted[x] {
			continue
		}
		c := chosen{r: r, x: x, distance: m.Distance}
		c.exact = m.Exactly && r == int(m.Result) && x == int(m.Operand)
		if !m.Exactly {
			c.distance = max(c.distance, 0)
		}
		c.low, c.high = max(0, c.distance), min(o.p.Sizes[r], min(c.distance, 1<<61)+o.p.Sizes[x])
		if c.low < c.high {
			all = append(all, c)
		}
	}
	var best func(at int, used []int) int64
	best = func(at int, used []int) int64 {
		if at == len(all) {
			return 0
		}
		most, c := best(at+1, used), all[at]
		if !free(c.r, c.x) || slices.Contains(used, c.r) || slices.Contains(used, ^c.x) {
			return most
		}
		return max(most, c.high-c.low+best(at+1, append(slices.Clone(used), c.r, ^c.x)))
	}
	oneResult := !slices.ContainsFunc(all, func(c chosen) bool { return c.r != all[0].r })
	if !oneResult && slices.ContainsFunc(all, func(c chosen) bool { return c.x != all[0].x }) {
		return best(0, nil)
	}
	sum := int64(0)
	for k, c := range all {
		shares := func(d chosen) bool { // different bytes
			if !oneResult { // count from the start of the operand
				return c.high-c.distance <= d.low-d.distance || d.high-d.distance <= c.low-c.distance
			}
			return c.high <= d.low || d.high <= c.low
		}
		lonely := c.exact && free(c.r, c.x)
		for n, d := range all {
			lonely = lonely && (n == k || !d.exact || c.r == d.r != (c.x == d.x) && shares(d))
		}
		if lonely {
			sum += c.high - c.low
		}
	}
	return max(sum, best(0, nil))
}

// peak returns the peak of an order.
func (o *oracle) peak(order []int32) int64 {
	for k, op := range order {
		o.position[op] = k
	}
	peak := int64(0)
	for moment := -1; moment <= o.n; moment++ {
		sum := int64(0)
		for b, size := range o.p.Sizes {
			if o.counted[b] {
				if first, last := o.life(b); first <= moment && moment <= last {
					sum += size
				}
			}
		}
		if moment >= 0 && moment < o.n {
			k := int(order[moment])
			sum += o.p.Operators[k].Scratch - o.saved(k)
		}
		peak = max(peak, sum)
	}
	return peak
}

// best returns the lowest peak of all orders, and how many orders there are. It gives up after most of them.
func (o *oracle) best(most int) (lowest int64, orders int) {
	lowest = math.MaxInt64
	order, ran := make([]int32, 0, o.n), make([]bool, o.n)
	var extend func()
	extend = func() {
		if orders > most {
			return
		}
		if len(order) == o.n {
			orders++
			lowest = min(lowest, o.peak(order))
			return
		}
		for k := range o.n {
			if ran[k] || slices.ContainsFunc(o.before[k], func(q int) bool { return !ran[q] }) {
				continue
			}
			ran[k] = true
			order = append(order, int32(k))
			extend()
			order = order[:len(order)-1]
			ran[k] = false
		}
	}
	extend()
	return lowest, orders
}

// bestBySets returns the lowest peak by trying every set of operators that can have run, from the definition of
// during in the package comment. It manages more operators than best.
func (o *oracle) bestBySets() int64 {
	known := map[uint32]int64{}
	has := func(set uint32, all []int) bool { // all of these are in the set
		return !slices.ContainsFunc(all, func(k int) bool { return set>>k&1 == 0 })
	}
	begun := func(set uint32, b int) bool {
		begins := o.makers[b]
		if o.input[b] {
			if !o.p.LateInputs {
				return true
			}
			begins = slices.Concat(begins, o.readers[b])
		}
		return slices.ContainsFunc(begins, func(k int) bool { return set>>k&1 != 0 })
	}
	over := func(set uint32, b int) bool {
		return !o.output[b] && has(set, o.makers[b]) && has(set, o.readers[b])
	}
	during := func(set uint32, k int) int64 {
		sum := o.p.Operators[k].Scratch
		for b, size := range o.p.Sizes {
			if o.counted[b] && begun(set|1<<k, b) && !over(set, b) {
				sum += size
			}
		}
		return sum - o.choose(o.p.Operators[k].Permits, func(r, x int) bool {
			return !begun(set, r) && !over(set, x) && over(set|1<<k, x)
		})
	}
	var lowest func(set uint32) int64
	lowest = func(set uint32) int64 {
		if set == 1<<o.n-1 {
			return 0
		}
		if peak, ok := known[set]; ok {
			return peak
		}
		best := int64(math.MaxInt64)
		for k := range o.n {
			if set>>k&1 == 0 && has(set, o.before[k]) {
				best = min(best, max(during(set, k), lowest(set|1<<k)))
			}
		}
		known[set] = best
		return best
	}
	edges := [2]int64{} // what is live before the first operator, with unread inputs, and after the last
	for b, size := range o.p.Sizes {
		if o.input[b] && !o.p.LateInputs {
			edges[0] += size
		}
		if o.output[b] && o.counted[b] && begun(1<<o.n-1, b) {
			edges[1] += size
		}
	}
	return max(edges[0], edges[1], lowest(0))
}

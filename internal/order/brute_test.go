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
	permits := o.p.Operators[k].Permits
	var choose func(at int, used []int) int64
	choose = func(at int, used []int) int64 {
		if at == len(permits) {
			return 0
		}
		best := choose(at+1, used)
		m := permits[at]
		r, x := home(o.p, m.Result), home(o.p, m.Operand)
		if r == x || slices.Contains(used, r) || slices.Contains(used, ^x) || !o.counted[r] || !o.counted[x] {
			return best
		}
		begins, _ := o.life(r)
		_, dies := o.life(x)
		if begins != o.position[k] || dies != o.position[k] {
			return best
		}
		distance := max(m.Distance, 0)
		if m.Equal {
			distance = 0
		}
		pair := max(o.p.Sizes[r], distance+o.p.Sizes[x])
		if saving := o.p.Sizes[r] + o.p.Sizes[x] - pair; saving > 0 {
			best = max(best, saving+choose(at+1, append(slices.Clone(used), r, ^x)))
		}
		return best
	}
	return choose(0, nil)
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
		var choose func(at int, used []int) int64
		choose = func(at int, used []int) int64 {
			if at == len(o.p.Operators[k].Permits) {
				return 0
			}
			m, most := o.p.Operators[k].Permits[at], choose(at+1, used)
			r, x := home(o.p, m.Result), home(o.p, m.Operand)
			if r != x && o.counted[r] && o.counted[x] && !begun(set, r) && !over(set, x) && over(set|1<<k, x) &&
				!slices.Contains(used, r) && !slices.Contains(used, ^x) {
				ahead := o.p.Sizes[x]
				if !m.Equal {
					ahead += max(0, m.Distance)
				}
				saving := o.p.Sizes[r] + o.p.Sizes[x] - max(o.p.Sizes[r], ahead)
				most = max(most, saving+choose(at+1, append(slices.Clone(used), r, ^x)))
			}
			return most
		}
		return sum - choose(0, nil)
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

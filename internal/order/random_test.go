package order

import (
	"math/rand/v2"
	"slices"
)

// drawn returns a program drawn widely: shapes, sizes, scratch, further edges, permits with distances, aliases,
// values never read, several outputs, zero sizes, constants. The numbering of operators is shuffled, so the order 0,
// 1, 2, … may not run. given is a topological order.
func drawn(seed uint64, operators int) (p *Program, given []int32) {
	r := rand.New(rand.NewPCG(seed, 23))
	chance := func(x float64) bool { return r.Float64() < x }
	p = &Program{LateInputs: chance(0.25)}
	unit := []int64{1, 4, 10, 100, 1 << 30}[r.IntN(5)]
	size := func() int64 {
		switch r.IntN(12) {
		case 0:
			return 0
		case 1:
			return unit * int64(20+r.IntN(20))
		}
		return unit * int64(1+r.IntN(12))
	}
	value := func() int32 {
		p.Sizes = append(p.Sizes, size())
		return int32(len(p.Sizes) - 1)
	}
	for range r.IntN(4) {
		p.Inputs = append(p.Inputs, value())
	}
	var constants []int32
	for range r.IntN(2) {
		constants = append(constants, value())
	}
	readable := append([]int32(nil), p.Inputs...)
	near := []int{2, 4, 8, 100}[r.IntN(4)] // how far back operands lie
	most := 1 + r.IntN(4)
	scratch, after, permits, aliases := chance(0.4), chance(0.3), chance(0.7), chance(0.2)
	several, exact := chance(0.4), []float64{0.2, 0.9}[r.IntN(2)]
	from := make([]int32, 0, operators)
	for k := range operators {
		op := Operator{}
		for range r.IntN(most + 1) {
			if len(readable) > 0 {
				back := min(len(readable), near)
				op.Operands = append(op.Operands, readable[len(readable)-1-r.IntN(back)])
			}
		}
		if len(constants) > 0 && chance(0.3) {
			op.Operands = append(op.Operands, constants[0])
		}
		results := 1
		if several {
			results = r.IntN(4)
		}
		for range results {
			op.Results = append(op.Results, value())
		}
		if scratch && chance(0.3) {
			op.Scratch = size()
		}
		if after && k > 0 && chance(0.3) {
			op.After = append(op.After, from[r.IntN(k)])
		}
		if permits {
			for _, x := range op.Operands {
				for _, y := range op.Results {
					if chance(0.6) {
						m := Permit{Result: y, Operand: x, Exactly: chance(exact)}
						if chance(0.5) || m.Exactly {
							m.Distance = unit * int64(r.IntN(8)-1)
						}
						op.Permits = append(op.Permits, m)
					}
				}
			}
		}
		readable = append(readable, op.Results...)
		p.Operators = append(p.Operators, op)
		from = append(from, int32(k))
	}
	for v := range p.Sizes {
		if chance(0.1) {
			p.Outputs = append(p.Outputs, int32(v))
		}
	}
	if aliases && len(p.Sizes) > 1 {
		p.Alias = make([]int32, len(p.Sizes))
		for v := range p.Alias {
			p.Alias[v] = -1
			if chance(0.2) && v > 0 && !slices.Contains(constants, int32(v)) {
				if w := int32(r.IntN(v)); !slices.Contains(constants, w) {
					p.Alias[v] = w
				}
			}
		}
		if chance(0.5) { // later values hold earlier ones, as a concatenation does
			last := int32(len(p.Sizes) - 1)
			if p.Alias[last] < 0 && last > 2 && p.Alias[last-2] < 0 && !slices.Contains(constants, last-2) {
				p.Alias[last-2] = last
			}
		}
	}
	return p.shuffled(r)
}

// shuffled numbers the operators anew. It returns the order that was 0, 1, 2, ….
func (p *Program) shuffled(r *rand.Rand) (*Program, []int32) {
	to := make([]int32, len(p.Operators)) // the new number of an operator
	for k, n := range r.Perm(len(to)) {
		to[k] = int32(n)
	}
	q := *p
	q.Operators = make([]Operator, len(p.Operators))
	for k, op := range p.Operators {
		after := make([]int32, len(op.After))
		for i, o := range op.After {
			after[i] = to[o]
		}
		op.After = after
		q.Operators[to[k]] = op
	}
	return &q, to
}

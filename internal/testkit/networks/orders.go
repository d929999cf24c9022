package networks

import (
	"slices"

	"github.com/stowage-go/stowage/internal/order"
)

// DepthFirst returns the operators in reverse post-order: from each operator a walk goes on to its readers, in
// their order, before it comes back. Compilers such as TVM visit graphs so, and HMCOS measures against it.
func DepthFirst(p *order.Program) []int32 {
	next, _ := successors(p)
	seen := make([]bool, len(next))
	var all []int32
	var visit func(k int32)
	visit = func(k int32) {
		seen[k] = true
		for _, q := range next[k] {
			if !seen[q] {
				visit(q)
			}
		}
		all = append(all, k)
	}
	for k := range next {
		if !seen[k] {
			visit(int32(k))
		}
	}
	slices.Reverse(all)
	return all
}

// BreadthFirst returns the operators level by level, as Kahn's algorithm with a queue does: first those that wait
// for none, then those that waited only for these.
func BreadthFirst(p *order.Program) []int32 {
	next, wait := successors(p)
	var all []int32
	for k := range next {
		if wait[k] == 0 {
			all = append(all, int32(k))
		}
	}
	for k := 0; k < len(all); k++ {
		for _, q := range next[all[k]] {
			if wait[q]--; wait[q] == 0 {
				all = append(all, q)
			}
		}
	}
	return all
}

// successors returns for each operator those that have to run after it, each once, and how many come before it.
func successors(p *order.Program) (next [][]int32, wait []int) {
	producer := make([]int32, len(p.Sizes))
	for v := range producer {
		producer[v] = -1
	}
	for k, op := range p.Operators {
		for _, v := range op.Results {
			producer[v] = int32(k)
		}
	}
	next, wait = make([][]int32, len(p.Operators)), make([]int, len(p.Operators))
	add := func(q, k int32) {
		if q >= 0 && !slices.Contains(next[q], k) {
			next[q] = append(next[q], k)
			wait[k]++
		}
	}
	for k, op := range p.Operators {
		for _, v := range op.Operands {
			add(producer[v], int32(k))
		}
		for _, q := range op.After {
			add(q, int32(k))
		}
	}
	return next, wait
}

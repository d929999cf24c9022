package graph_test

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/graph"
)

// drawn returns a small random graph whose operators are in an order in which they can run. It may have sizes to 4,
// alignments, a fixed offset, scratch, constants, operators that only wait for others, unread inputs, outputs that
// are read, permits of every kind, and several permits for one result, operand or pair.
func drawn(r *rand.Rand, operators int) *graph.Graph {
	g := &graph.Graph{}
	waits := 6 - r.IntN(2)*4 // one operator in so many waits for another
	value := func(size int64) int {
		v := graph.Value{Name: "v" + strconv.Itoa(len(g.Values)), Size: size}
		if r.IntN(3) == 0 {
			v.Alignment = 1 + r.Int64N(4)
		}
		g.Values = append(g.Values, v)
		return len(g.Values) - 1
	}
	for range 1 + r.IntN(2) {
		g.Inputs = append(g.Inputs, value(r.Int64N(5)))
	}
	if r.IntN(4) == 0 {
		g.Values[value(3)].Constant = true
	}
	for k := range operators {
		o := graph.Operator{Name: "o" + strconv.Itoa(k)}
		for range 1 + r.IntN(2) {
			o.Operands = append(o.Operands, r.IntN(len(g.Values)))
		}
		for range r.IntN(waits) / (waits - 1) * min(k, 1+r.IntN(2)) {
			o.After = append(o.After, r.IntN(k))
		}
		if r.IntN(5) == 0 {
			o.Scratch, o.ScratchAlignment = 1+r.Int64N(3), r.Int64N(3)
		}
		for range (3 + r.IntN(6)) / 4 {
			o.Results = append(o.Results, value(r.Int64N(5)))
		}
		for range min(len(o.Results), 1) * r.IntN(4) {
			p := graph.Permit{Result: pick(r, o.Results), Operand: pick(r, o.Operands)}
			if p.Distance = r.Int64N(9) - 4; r.IntN(3) == 0 {
				if p.Exactly = true; r.IntN(2) == 0 {
					p.Distance = 0
				}
			}
			o.Permits = append(o.Permits, p)
		}
		if len(o.Results) > 0 && r.IntN(8) == 0 {
			joined(r, g, &o)
		}
		g.Operators = append(g.Operators, o)
	}
	for v := range g.Values {
		read := slices.ContainsFunc(g.Operators, func(o graph.Operator) bool { return slices.Contains(o.Operands, v) })
		if !g.Values[v].Constant && r.IntN(10) < 2 || !read && r.IntN(2) == 0 && !g.Values[v].Constant {
			g.Outputs = append(g.Outputs, v)
		}
	}
	if v := r.IntN(len(g.Values)); r.IntN(12) == 0 && !g.Values[v].Constant {
		at := r.Int64N(3) * max(g.Values[v].Alignment, 1)
		g.Values[v].Fixed = &at
	}
	return g
}

// joined makes an operator one that joins its operands, or splits its first one, and copies nothing.
func joined(r *rand.Rand, g *graph.Graph, o *graph.Operator) {
	o.Permits = nil
	end := int64(0)
	if r.IntN(3) == 0 {
		x := o.Operands[0]
		for _, y := range o.Results {
			o.Permits = append(o.Permits, graph.Permit{Result: y, Operand: x, Distance: -end, Exactly: true})
			end += g.Values[y].Size
		}
		return
	}
	y := pick(r, o.Results)
	for _, x := range o.Operands {
		o.Permits = append(o.Permits, graph.Permit{Result: y, Operand: x, Distance: end, Exactly: true})
		end += g.Values[x].Size
	}
	if r.IntN(4) > 0 {
		g.Values[y].Size = end
	}
}

func pick(r *rand.Rand, list []int) int { return list[r.IntN(len(list))] }

// An oracle judges plans of a graph in one order by the definitions of the package comment, pair by pair. It shares
// no code with the package.
type oracle struct {
	g           *graph.Graph
	from, to    []int // by block: the places in the order at which it takes memory, both included
	size, align []int64
	value       []int // by block; -1 for scratch
	fixed       []*int64
	order       []int
}

func newOracle(g *graph.Graph, order []int) *oracle {
	x := &oracle{g: g, order: order}
	place := func(k int) int { return slices.Index(order, k) }
	for v := range g.Values {
		if g.Values[v].Constant || g.Values[v].Size == 0 {
			continue
		}
		from, to := -1, -1
		for k := range g.Operators {
			if slices.Contains(g.Operators[k].Results, v) {
				from, to = place(k), max(to, place(k))
			}
			if slices.Contains(g.Operators[k].Operands, v) {
				to = max(to, place(k))
			}
		}
		if slices.Contains(g.Outputs, v) {
			to = len(order)
		}
		x.add(v, from, to, g.Values[v].Size, g.Values[v].Alignment, g.Values[v].Fixed)
	}
	for k := range g.Operators {
		if o := &g.Operators[k]; o.Scratch > 0 {
			x.add(-1, place(k), place(k), o.Scratch, o.ScratchAlignment, nil)
		}
	}
	return x
}

func (x *oracle) add(v, from, to int, size, align int64, fixed *int64) {
	x.fixed = append(x.fixed, fixed)
	x.value, x.from, x.to = append(x.value, v), append(x.from, from), append(x.to, to)
	x.size, x.align = append(x.size, size), append(x.align, max(align, 1))
}

// may reports whether blocks a and b may lie at these offsets.
func (x *oracle) may(a, b int, at []int64, permits graph.Permits) bool {
	if x.to[a] < x.from[b] || x.to[b] < x.from[a] || at[a]+x.size[a] <= at[b] || at[b]+x.size[b] <= at[a] {
		return true
	}
	if x.from[b] < x.from[a] {
		a, b = b, a
	}
	// a is older. It dies where b begins, or nothing is permitted.
	if x.value[a] < 0 || x.value[b] < 0 || x.to[a] != x.from[b] || x.from[a] == x.from[b] {
		return false
	}
	for _, p := range x.g.Operators[x.order[x.from[b]]].Permits {
		counts := permits == graph.AllPermits || permits == graph.InPlace && (p.Exactly || p.Distance <= 0)
		if counts && p.Operand == x.value[a] && p.Result == x.value[b] {
			if d := at[a] - at[b]; p.Exactly && d == p.Distance || !p.Exactly && d >= p.Distance {
				return true
			}
		}
	}
	return false
}

// least returns the height of the lowest plan, by trying all offsets.
func (x *oracle) least(permits graph.Permits) int64 {
	for h := int64(0); ; h++ {
		if x.below(h+1, permits) {
			return h
		}
	}
}

// below reports whether there is a plan below a height.
func (x *oracle) below(height int64, permits graph.Permits) bool {
	n := len(x.size)
	may := make([][]bool, n*n) // by pair, then by distance + height
	at := make([]int64, n)
	turn := make([]int, n) // the blocks, those that meet the most bytes first
	meets := make([]int64, n)
	for a := range n {
		turn[a] = a
		for b := range n {
			if a == b {
				continue
			}
			table, all := make([]bool, 2*height+1), true
			for d := -height; d <= height; d++ {
				at[a], at[b] = max(d, 0), max(-d, 0)
				table[d+height] = x.may(min(a, b), max(a, b), at, permits)
				all = all && table[d+height]
			}
			may[a*n+b] = table
			if !all {
				meets[a] += x.size[a] * x.size[b]
			}
		}
	}
	slices.SortStableFunc(turn, func(a, b int) int { return int(meets[b] - meets[a]) })
	var fits func(k int) bool
	fits = func(k int) bool {
		if k == n {
			return true
		}
		b := turn[k]
		for at[b] = 0; at[b]+x.size[b] < height; at[b] += x.align[b] {
			good := x.fixed[b] == nil || *x.fixed[b] == at[b]
			for _, a := range turn[:k] {
				good = good && may[a*n+b][at[a]-at[b]+height]
			}
			if good && fits(k+1) {
				return true
			}
		}
		return false
	}
	return fits(0)
}

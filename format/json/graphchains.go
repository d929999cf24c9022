package json

import (
	"slices"

	"github.com/stowage-go/stowage/graph"
)

// Idea: a chain names its operators, which must stand one behind the other in the order of the plan. Whether its calls
// are right is not for the reader to say: graph.Verify does.

// A chainNames is a chain with its operators in place of places of the order.
type chainNames struct {
	graph.Chain
	operators []int
	at        int
}

var (
	chainKeys = []string{"operators", "strips", "work", "calls"}
	callKeys  = []string{"strip", "operator", "reads", "makes", "scratch"}
	pieceKeys = []string{"value", "lines", "offset"}
)

// chain reads a chain.
func (d *planDecoder) chain() {
	d.peek()
	c := chainNames{at: d.pos}
	d.object("chains", chainKeys, len(chainKeys), func(key int) {
		switch key {
		case 0:
			d.list("chains.operators", 16, func() {
				c.operators = append(c.operators, d.named("chains.operators", d.operators, "operator"))
			})
		case 1:
			c.Strips = d.count("chains.strips")
		case 2:
			c.Work, _ = d.integer("chains.work")
		case 3:
			d.list("chains.calls", 256, func() { c.Calls = append(c.Calls, d.call()) })
		}
	})
	d.chains = append(d.chains, c)
}

// call reads a call of a chain.
func (d *planDecoder) call() graph.Call {
	c := graph.Call{Scratch: -1}
	d.object("calls", callKeys, 4, func(key int) {
		switch key {
		case 0:
			c.Strip = d.count("calls.strip")
		case 1:
			c.Operator = d.named("calls.operator", d.operators, "operator")
		case 2:
			c.Reads = d.pieces("calls.reads")
		case 3:
			c.Makes = d.pieces("calls.makes")
		case 4:
			c.Scratch = d.amount("calls.scratch")
		}
	})
	return c
}

// pieces reads lines of values.
func (d *planDecoder) pieces(field string) (all []graph.Piece) {
	d.list(field, 96, func() {
		x := graph.Piece{Offset: -1}
		d.object(field, pieceKeys, 2, func(key int) {
			switch key {
			case 0:
				x.Value = d.named(field+".value", d.values, "value")
			case 1:
				lines := d.linesIn(field + ".lines")
				x.First, x.End = lines[0], lines[1]
			case 2:
				x.Offset = d.amount(field + ".offset")
			}
		})
		all = append(all, x)
	})
	return all
}

// place gives chains their places in the order. It returns which values lie nowhere as a whole, since a chain makes all
// that its own operators read, and which operators are in chains.
func (d *planDecoder) place() (inside, called []bool) {
	g, p := d.graph, d.plan
	inside, called = make([]bool, len(g.Values)), make([]bool, len(g.Operators))
	for i := range d.chains {
		c := &d.chains[i]
		n := len(c.operators)
		if n > 0 {
			c.First = slices.Index(p.Order, c.operators[0])
		}
		if c.Last = c.First + n - 1; n == 0 || c.First < 0 || c.Last >= len(p.Order) ||
			!slices.Equal(p.Order[c.First:c.Last+1], c.operators) {
			d.refuse(c.at, "chains.operators", "", "must be operators that stand one behind the other in the order")
			continue
		}
		for _, k := range c.operators {
			called[k] = true
		}
		p.Chains = append(p.Chains, c.Chain)
	}
	slices.SortStableFunc(p.Chains, func(x, y graph.Chain) int { return x.First - y.First })
	read := make([]bool, len(g.Values))
	outside := make([]bool, len(g.Values)) // an operator of another chain, or of none, reads it
	of := make([]int, len(g.Operators))
	for i := range p.Chains {
		for _, k := range p.Order[p.Chains[i].First : p.Chains[i].Last+1] {
			of[k] = i + 1
		}
	}
	maker := make([]int, len(g.Values))
	for k := range g.Operators {
		for _, y := range g.Operators[k].Results {
			maker[y], inside[y] = of[k], of[k] > 0
		}
	}
	for k := range g.Operators {
		for _, x := range g.Operators[k].Operands {
			read[x], outside[x] = true, outside[x] || of[k] != maker[x]
		}
	}
	for _, v := range g.Outputs {
		outside[v] = true
	}
	for v := range inside {
		inside[v] = inside[v] && read[v] && !outside[v]
	}
	return inside, called
}

package order

import "slices"

// Idea: the search works on flat arrays that are made of a Program once. A graph is a program, or the part of it
// between two sets of operators that have run (part). Operators and blocks are numbered from 0 without holes. A block
// is a value with all its aliases, if it has bytes. Blocks that no operator of the part touches are a constant sum,
// and lists are slices of one array.

// lists has a list for each number: list k is item[from[k]:from[k+1]].
type lists struct {
	from []int32
	item []int32
}

func (l *lists) of(k int32) []int32 { return l.item[l.from[k]:l.from[k+1]] }

// end closes the list of the next number.
func (l *lists) end() { l.from = append(l.from, int32(len(l.item))) }

func newLists(n int) lists { return lists{from: append(make([]int32, 0, n+1), 0)} }

// turned returns for each of n numbers which lists have it, ascending.
func (l *lists) turned(n int) lists {
	t := lists{make([]int32, n+1), make([]int32, len(l.item))}
	for _, v := range l.item {
		t.from[v+1]++
	}
	for k := range n {
		t.from[k+1] += t.from[k]
	}
	next := append([]int32(nil), t.from[:n]...)
	for k := range len(l.from) - 1 {
		for _, v := range l.of(int32(k)) {
			t.item[next[v]] = int32(k)
			next[v]++
		}
	}
	return t
}

// pair is a permit of an operator, between blocks.
type pair struct {
	result, operand int32
	saving          int64 // more than 0
	adds            bool  // the savings of such pairs add up: they share different bytes of one block
}

// graph is what the search runs on.
type graph struct {
	// By operator.
	name       []int32 // its number in the Program
	scratch    []int64
	prior      lists // operators that have to run before it, each once
	next       lists // operators that have to run after it
	makes      lists // blocks that begin with it if they have not begun
	uses       lists // blocks that it reads or produces, which cannot end before it has run
	pairs      []pair
	pairsFrom  []int32 // pairs of operator o: pairs[pairsFrom[o]:pairsFrom[o+1]]
	severally  []bool  // its pairs have neither one result nor one operand in common
	mostOfPair int     // the most operands or results that an operator has in pairs

	// By block.
	size   []int64
	begun  []int32 // how many of its makers have run before the part, or 1 if it is filled before the first
	left   []int32 // how many of its users run in the part or later, and 1 more if it is an output
	users  lists   // operators by uses turned
	makers lists

	live  int64 // bytes live before the first operator, with blocks that nobody here touches
	start int64 // no order has a peak below this: what is live before the first operator, with unread inputs
}

func (g *graph) operators() int { return len(g.scratch) }

// newGraph compiles a program that has passed Check.
func newGraph(p *Program) *graph {
	n := len(p.Operators)
	g := &graph{scratch: make([]int64, n), name: make([]int32, n), pairsFrom: make([]int32, 1, n+1)}
	g.prior, g.makes, g.uses = newLists(n), newLists(n), newLists(n)
	c := &compiler{graph: g, p: p}
	c.blocks()
	c.before, c.seen, c.made = make([]int32, n), make([]int32, len(g.size)), make([]int32, len(g.size))
	for o := range p.Operators {
		c.operator(int32(o))
	}
	c.ends()
	g.close()
	for b, count := range g.left {
		if g.begun[b] > 0 && count > 0 {
			g.live += g.size[b]
		}
	}
	return g
}

// A compiler is a graph while it is made.
type compiler struct {
	*graph
	p                  *Program
	producer           []int32 // of a value, the operator with it among its results, or -1
	block              []int32 // of a root, -1 if it has none
	filled, kept       []bool  // of a root: it is there from the start, or at the end
	late               []bool  // of a block: an input that begins with its first reader
	before, seen, made []int32 // by operator, and by block: the last operator whose list has it, + 1
}

// of returns the block of a value, or -1.
func (c *compiler) of(v int32) int32 { return c.block[c.p.root(v)] }

// blocks finds the blocks: roots with bytes, if they are inputs or produced.
func (c *compiler) blocks() {
	p, values := c.p, len(c.p.Sizes)
	counted := make([]bool, values)
	c.filled, c.kept, c.producer, c.block = make([]bool, values), make([]bool, values), make([]int32, values),
		make([]int32, values)
	for v := range c.producer {
		c.producer[v] = -1
	}
	for o := range p.Operators {
		for _, v := range p.Operators[o].Results {
			c.producer[v] = int32(o)
			counted[p.root(v)] = true
		}
	}
	for _, v := range p.Inputs {
		r := p.root(v)
		counted[r], c.filled[r] = true, !p.LateInputs
	}
	for _, v := range p.Outputs {
		c.kept[p.root(v)] = true
	}
	for v := range c.block {
		c.block[v] = -1
		if counted[v] && p.root(int32(v)) == int32(v) && p.Sizes[v] > 0 {
			c.block[v] = int32(len(c.size))
			c.size = append(c.size, p.Sizes[v])
		}
	}
	c.late = make([]bool, len(c.size))
	if p.LateInputs {
		for _, v := range p.Inputs {
			if b := c.of(v); b >= 0 {
				c.late[b] = true
			}
		}
	}
}

// operator adds an operator: what is before it, and the blocks that it uses and makes.
func (c *compiler) operator(o int32) {
	op, stamp := &c.p.Operators[o], o+1
	c.name[o], c.scratch[o] = o, op.Scratch
	list := func(to *lists, stamps []int32, x int32) {
		if stamps[x] != stamp {
			stamps[x] = stamp
			to.item = append(to.item, x)
		}
	}
	for _, v := range op.Operands {
		if q := c.producer[v]; q >= 0 {
			list(&c.prior, c.before, q)
		}
		if b := c.of(v); b >= 0 {
			list(&c.uses, c.seen, b)
			if c.late[b] {
				list(&c.makes, c.made, b)
			}
		}
	}
	for _, q := range op.After {
		list(&c.prior, c.before, q)
	}
	for _, v := range op.Results {
		if b := c.of(v); b >= 0 {
			list(&c.uses, c.seen, b)
			list(&c.makes, c.made, b)
		}
	}
	c.permits(o)
	c.prior.end()
	c.uses.end()
	c.makes.end()
	c.pairsFrom = append(c.pairsFrom, int32(len(c.pairs)))
}

// permits adds the pairs of an operator's permits that save bytes.
func (c *compiler) permits(o int32) {
	op := &c.p.Operators[o]
	var exact []*Permit // by pair, nil for those at other distances
	for k := range op.Permits {
		m := &op.Permits[k]
		r, x := c.of(m.Result), c.of(m.Operand)
		if r >= 0 && x >= 0 && r != x {
			if saving := m.saving(c.size[r], c.size[x]); saving > 0 {
				c.pairs = append(c.pairs, pair{result: r, operand: x, saving: saving})
				if !m.Exactly || c.p.root(m.Result) != m.Result || c.p.root(m.Operand) != m.Operand {
					m = nil
				}
				exact = append(exact, m)
			}
		}
	}
	c.add(c.pairs[c.pairsFrom[o]:], exact)
}

// ends fills in which blocks are there at the start and at the end.
func (c *compiler) ends() {
	c.begun, c.left = make([]int32, len(c.size)), make([]int32, len(c.size))
	for v, b := range c.block {
		if b < 0 {
			continue
		}
		if c.filled[v] {
			c.begun[b] = 1
			c.start += c.size[b]
		}
		if c.kept[v] {
			c.left[b] = 1
		}
	}
}

// close computes the remaining fields.
func (g *graph) close() {
	g.next = g.prior.turned(g.operators())
	g.users = g.uses.turned(len(g.size))
	g.makers = g.makes.turned(len(g.size))
	for b := range g.left {
		g.left[b] += int32(len(g.users.of(int32(b))))
	}
	g.severally = make([]bool, g.operators())
	for o := range g.operators() {
		g.describe(int32(o))
	}
}

// describe says whether the pairs of an operator need a matching, and how large it may become.
func (g *graph) describe(o int32) {
	pairs := g.pairs[g.pairsFrom[o]:g.pairsFrom[o+1]]
	if g.severally[o] = !oneResult(pairs) && !oneOperand(pairs); g.severally[o] {
		g.mostOfPair = max(g.mostOfPair, len(pairs))
	}
}

// add marks the pairs of an operator whose savings add up. All pairs have one block in common, the result or the
// operand. The marked pairs are at exact distances, and share bytes of that block with no other exact pair. exact has
// the permits.
func (g *graph) add(pairs []pair, exact []*Permit) {
	result := oneResult(pairs)
	if !result && !oneOperand(pairs) {
		return
	}
	type part struct{ from, to int64 } // of the block in common
	parts := make([]part, len(pairs))
	for k, p := range exact {
		if p == nil {
			continue
		}
		m, q := &pairs[k], &parts[k]
		if q.from, q.to = p.Shared(g.size[m.result], g.size[m.operand]); !result {
			q.from, q.to = q.from-p.Distance, q.to-p.Distance
		}
		m.adds = true
		for n := range k {
			if exact[n] == nil {
				continue
			}
			if other := &pairs[n]; other.result == m.result && other.operand == m.operand || parts[n].from < q.to &&
				q.from < parts[n].to {
				m.adds, other.adds = false, false
			}
		}
	}
}

func oneResult(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(m pair) bool { return m.result != pairs[0].result })
}

func oneOperand(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(m pair) bool { return m.operand != pairs[0].operand })
}

// part returns the graph of the operators that have run in upper but not in lower. Both sets are closed downwards,
// and lower is part of upper. The live bytes do not depend on the order inside lower.
func (g *graph) part(lower, upper bitset) *graph {
	w := newWalk(g)
	w.set(lower)
	n := 0
	local := make([]int32, g.operators())
	for o := range local {
		if local[o] = -1; upper.has(int32(o)) && !lower.has(int32(o)) {
			local[o] = int32(n)
			n++
		}
	}
	s := &graph{
		live: w.live, start: w.live, scratch: make([]int64, 0, n), name: make([]int32, 0, n),
		prior: newLists(n), makes: newLists(n), uses: newLists(n), pairsFrom: make([]int32, 1, n+1),
	}
	block := make([]int32, len(g.size))
	for b := range block {
		block[b] = -1
	}
	for o, k := range local {
		if k < 0 {
			continue
		}
		o := int32(o)
		s.name = append(s.name, g.name[o])
		s.scratch = append(s.scratch, g.scratch[o])
		for _, q := range g.prior.of(o) {
			if local[q] >= 0 {
				s.prior.item = append(s.prior.item, local[q])
			}
		}
		for _, b := range g.uses.of(o) {
			if block[b] < 0 {
				block[b] = int32(len(s.size))
				s.size = append(s.size, g.size[b])
				s.begun = append(s.begun, w.begun[b])
				s.left = append(s.left, w.left[b])
			}
			s.uses.item = append(s.uses.item, block[b])
		}
		for _, b := range g.makes.of(o) {
			s.makes.item = append(s.makes.item, block[b])
		}
		for _, m := range g.pairs[g.pairsFrom[o]:g.pairsFrom[o+1]] {
			s.pairs = append(s.pairs, pair{block[m.result], block[m.operand], m.saving, m.adds})
		}
		s.prior.end()
		s.uses.end()
		s.makes.end()
		s.pairsFrom = append(s.pairsFrom, int32(len(s.pairs)))
	}
	for _, b := range s.uses.item {
		s.left[b]-- // close counts the users of the part again
	}
	s.close()
	return s
}

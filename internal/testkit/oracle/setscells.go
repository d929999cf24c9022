package oracle

import "slices"

// Idea: the offsets of the pieces of one pool, as bits of words. See sets.go.
//
// Complexity: exponential in the pieces of the pool.

// fill lists what the rules say of the pieces. It returns false if one has no offset.
func (c *cells) fill(in uint64) bool {
	for k := range c.pieces {
		if in>>c.numbers[k]&1 == 1 {
			c.which = append(c.which, k)
		}
	}
	slices.SortFunc(c.which, func(a, b int) int { return c.numbers[a] - c.numbers[b] })
	n := len(c.which)
	c.domain, c.at = make([]word, n), make([]int64, n)
	c.pairs = make([]*couple, n*n)
	high := c.high[c.pool]
	for a, k := range c.which {
		x := &c.pieces[k]
		for at := range max(0, high-c.p.Buffers[x.buffer].Size+1) {
			if x.pool, x.at = c.pool, at; c.alone(k) {
				c.domain[a].put(at)
			}
		}
		x.pool, x.at = 0, 0
		if c.domain[a].count() == 0 {
			return false
		}
	}
	for a := range n {
		for b := range n {
			if a != b {
				c.pairs[a*n+b] = c.couple(c.which[a], c.which[b])
			}
		}
	}
	return true
}

// couple is the relation of two pieces a, b in a pool.
type couple struct {
	allowed []word // for each offset of a, those of b
	share   []word // likewise, those at which the two pay
	cost    int64
}

// couple tries every difference of the offsets of two pieces.
func (o *sets) couple(a, b int) *couple {
	key := [2]int{o.numbers[a], o.numbers[b]}
	if y := o.couples[key]; y != nil {
		return y
	}
	most := slices.Max(o.high)
	x, y := o.pieces[a], o.pieces[b]
	l := o.links[max(a, b)][min(a, b)]
	if a < b { // uses are of the later one first
		l.uses = slices.Clone(l.uses)
		for k, u := range l.uses {
			l.uses[k] = [4]int64{u[2], u[3], u[0], u[1]}
		}
	}
	two := &couple{make([]word, most), make([]word, most), l.cost}
	for by := -most + 1; by < most; by++ {
		x.at, y.at = max(0, -by), max(0, by)
		allowed := o.bound(&x, &y) && !o.clash(&x, &y, &l)
		share := l.cost > 0 && o.share(&x, &y)
		for at := x.at; at < most && at+by < most; at++ {
			if allowed {
				two.allowed[at].put(at + by)
			}
			if share {
				two.share[at].put(at + by)
			}
		}
	}
	o.couples[key] = two
	return two
}

// bound reports whether the ties of two pieces hold.
func (o *sets) bound(x, y *piece) bool {
	for _, t := range o.rules.Together {
		for m, i := range t.Buffers {
			for n, j := range t.Buffers {
				var by int64
				if t.At != nil {
					by = t.At[m] - t.At[n]
				}
				if int(i) == x.buffer && int(j) == y.buffer && x.buffer != y.buffer && x.at-y.at != by {
					return false
				}
			}
		}
	}
	return true
}

// lowest returns a height that no plan is under.
func (c *cells) lowest() (height int64) {
	for _, k := range c.which {
		height = max(height, c.p.Buffers[c.pieces[k].buffer].Size)
	}
	return height
}

// pays looks for the least penalty, of at most most, of a plan of at most this height.
func (c *cells) pays(height, most int64) bool {
	c.best, c.penalty = nil, most
	domain := make([]word, len(c.which))
	for a, k := range c.which {
		for at := range max(0, height-c.p.Buffers[c.pieces[k].buffer].Size+1) {
			if c.domain[a].has(at) {
				domain[a].put(at)
			}
		}
		if domain[a].count() == 0 {
			return false
		}
		c.at[a] = -1
	}
	c.place(domain, 0)
	return c.best != nil
}

// place places the pieces that are left.
func (c *cells) place(domain []word, paid int64) {
	if c.nodes++; c.over() || paid > c.penalty || c.best != nil && paid >= c.penalty {
		return
	}
	n, next, fewest := len(c.which), -1, 0
	for a := range n {
		if count := domain[a].count(); c.at[a] < 0 && (next < 0 || count < fewest) {
			next, fewest = a, count
		}
	}
	if next < 0 {
		c.best, c.penalty = slices.Clone(c.at), paid
		return
	}
	left := make([]word, n)
	for at := range int64(mostOffsets) {
		if !domain[next].has(at) {
			continue
		}
		c.at[next] = at
		more, fits := paid, true
		for b := range n {
			switch {
			case b == next:
			case c.at[b] < 0:
				left[b] = domain[b].and(c.pairs[next*n+b].allowed[at])
				fits = fits && left[b].count() > 0
			case c.pairs[next*n+b].share[at].has(c.at[b]):
				more += c.pairs[next*n+b].cost
			}
		}
		if fits {
			c.place(left, more)
		}
	}
	c.at[next] = -1
}

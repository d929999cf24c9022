package oracle

import (
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: brute force for problems of up to seven buffers in up to five pools, for which Ruled and Chains take too
// long. Pools meet only in the sums and maxima of the measures. So a table has, for each pool and set of pieces, the
// pairs of height and penalty of the set's plans in the pool that no other plan beats. Then every set of evictions
// and every choice of pools is tried.
//
// An entry of the table is found by trying heights in ascending order. At each height all offsets of all pieces are
// tried, as bits of a word. A placed piece removes offsets of the others that clash with it; clashes were found
// before by trying every difference. There are no candidates and no orders, so no argument about them can be wrong.
//
// If a pool has no capacity, offsets end as in Ruled, with what may be in this pool: its pieces, their alignments,
// its reserved ranges.
//
// Complexity: exponential; about a millisecond for seven buffers in four pools.

// mostOffsets is how high Sets looks.
const mostOffsets = 128

// Sets does what Ruled does, for heights of pools to 128, and without objects, alternatives, lockstep, groups and
// pages. decided is false if a pool is higher or it takes more than most nodes.
func Sets(p *model.Problem, most int) (best []int64, plan *model.Plan, decided bool) {
	o := &sets{
		ruled: &ruled{p: p, pools: p.AllPools(), most: most}, number: map[piece]int{}, table: map[entry][]pair{},
		couples: map[[2]int]*couple{},
	}
	if p.Rules != nil {
		o.rules = *p.Rules
	}
	o.absent = make([]bool, len(p.Buffers))
	o.joined()
	r := &o.rules
	if r.HasObjects() || r.HasAlternatives() || len(r.Lockstep) > 0 || r.HasPages() || len(r.Groups) > 0 || !o.bounded() {
		return nil, nil, false
	}
	o.search = func() {
		o.arrange()
		o.connect()
		none := make([][]pair, len(o.pools))
		for q := range none {
			none[q] = []pair{{}}
		}
		o.assign(0, make([]uint64, len(o.pools)), none, 0)
	}
	o.choose(0, nil, 0)
	return o.best, o.plan, !o.over()
}

// sets is the state of Sets.
type sets struct {
	*ruled
	high    []int64       // of each pool, the height that is looked at
	number  map[piece]int // of each piece of any set of evictions, without pool and offset
	table   map[entry][]pair
	couples map[[2]int]*couple
	numbers []int   // of each piece in hand
	groups  [][]int // the pieces of each body; a piece of an evicted buffer is a body by itself
}

// entry is a pool and pieces by their numbers.
type entry struct {
	pool int
	in   uint64
}

// pair is a height and a penalty, and offsets of the pieces in the order of their numbers.
type pair struct {
	height, penalty int64
	at              []int64
}

// word is a set of offsets.
type word [2]uint64

func (w word) has(at int64) bool { return w[at/64]>>(at%64)&1 == 1 }

func (w *word) put(at int64) { w[at/64] |= 1 << (at % 64) }

func (w word) and(v word) word { return word{w[0] & v[0], w[1] & v[1]} }

func (w word) count() int { return bits.OnesCount64(w[0]) + bits.OnesCount64(w[1]) }

func (o *sets) over() bool { return o.most > 0 && o.nodes > o.most }

// bounded computes how high each pool is looked at. It returns false if that is too high.
func (o *sets) bounded() bool {
	for q := range o.pools {
		pool := &o.pools[q]
		every, sum, extents, top := max(pool.Alignment, 1), int64(0), int64(0), int64(0)
		var parts int64
		for i := range o.p.Buffers {
			b := &o.p.Buffers[i]
			if b.Extra != nil && b.Extra.Pools != nil && !slices.Contains(b.Extra.Pools, int32(q)) {
				continue
			}
			every = multiple(every, b.Alignment)
			many := int64(1)
			if b.Extra != nil {
				many += int64(len(b.Extra.Evictions))
			}
			parts, sum, extents = parts+many, sum+many*b.Size, extents+b.Size
			if b.Fixed != nil {
				top = max(top, *b.Fixed+b.Size)
			}
		}
		for _, t := range o.rules.Together {
			for k := range t.At {
				by := t.At[k] - t.At[0]
				sum, extents = sum+max(by, -by), extents+max(by, -by)
			}
		}
		if top > 0 {
			top += extents
		}
		for _, at := range pool.Borders {
			top = max(top, at)
		}
		for _, r := range pool.Reserved {
			top = max(top, r.Upper)
		}
		high := top + sum + parts*(every-1)
		if pool.Capacity > 0 {
			high = min(high, pool.Capacity)
		}
		if high > mostOffsets {
			return false
		}
		o.high = append(o.high, high)
	}
	return true
}

// arrange numbers the pieces and groups them.
func (o *sets) arrange() {
	of := map[int]int{}
	o.groups, o.numbers = nil, nil
	slices.SortStableFunc(o.pieces,
		func(x, y piece) int { return int(o.p.Buffers[y.buffer].Size - o.p.Buffers[x.buffer].Size) })
	for k := range o.pieces {
		x := &o.pieces[k]
		x.pool, x.at = 0, 0
		if _, known := o.number[*x]; !known {
			o.number[*x] = len(o.number)
		}
		o.numbers = append(o.numbers, o.number[*x])
		b := o.p.Buffers[x.buffer].Extra
		g, known := of[o.body[x.buffer]]
		if !known || b != nil && len(b.Evictions) > 0 {
			g, of[o.body[x.buffer]] = len(o.groups), len(o.groups)
			o.groups = append(o.groups, nil)
		}
		o.groups[g] = append(o.groups[g], k)
	}
}

// assign tries every pool for the groups from g on. in has the pieces of each pool, fronts what plans of them there
// are, and cost is what they cost. Pools with the best measures so far come first.
func (o *sets) assign(g int, in []uint64, fronts [][]pair, cost int64) {
	if o.nodes++; o.over() {
		return
	}
	if g == len(o.groups) {
		o.pick(fronts, nil, in, cost)
		return
	}
	type way struct {
		pool   int
		in     uint64
		cost   int64
		front  []pair
		values []int64
	}
	var ways []way
	for q := range in {
		may, w := true, way{pool: q, in: in[q], cost: cost}
		for _, k := range o.groups[g] {
			b := &o.p.Buffers[o.pieces[k].buffer]
			may = may && (b.Extra == nil || b.Extra.Pools == nil || slices.Contains(b.Extra.Pools, int32(q)))
			w.in |= 1 << o.numbers[k]
			price := o.pools[q].Cost * b.Size
			if b.Extra != nil {
				for _, c := range b.Extra.Costs {
					if int(c.Pool) == q {
						price = c.Cost
					}
				}
			}
			w.cost += price
		}
		if !may {
			continue
		}
		if w.front = o.front(q, w.in); len(w.front) > 0 {
			had := fronts[q]
			fronts[q] = w.front
			w.values = o.with(fronts, nil, w.cost)
			fronts[q] = had
			ways = append(ways, w)
		}
	}
	slices.SortStableFunc(ways, func(a, b way) int { return slices.Compare(a.values, b.values) })
	for _, w := range ways {
		if o.best != nil && slices.Compare(w.values, o.best) >= 0 {
			return
		}
		was, had := in[w.pool], fronts[w.pool]
		in[w.pool], fronts[w.pool] = w.in, w.front
		o.assign(g+1, in, fronts, w.cost)
		in[w.pool], fronts[w.pool] = was, had
	}
}

// with returns the measures, with the chosen pairs of the first pools, and the least of the others.
func (o *sets) with(fronts [][]pair, chosen []*pair, cost int64) []int64 {
	heights, peaks, penalty := make([]int64, len(fronts)), make([]int64, len(fronts)), int64(0)
	for q, f := range fronts {
		height, paid := f[0].height, f[len(f)-1].penalty
		if q < len(chosen) {
			height, paid = chosen[q].height, chosen[q].penalty
		}
		heights[q], peaks[q], penalty = height, height, penalty+paid
		for _, r := range o.pools[q].Reserved {
			peaks[q] = max(peaks[q], r.Upper)
		}
	}
	return o.vector(heights, peaks, cost, penalty, 0)
}

// pick tries every pair of every pool.
func (o *sets) pick(fronts [][]pair, chosen []*pair, in []uint64, cost int64) {
	values := o.with(fronts, chosen, cost)
	if o.best != nil && slices.Compare(values, o.best) >= 0 {
		return
	}
	if len(chosen) < len(fronts) {
		for n := range fronts[len(chosen)] {
			o.pick(fronts, append(slices.Clip(chosen), &fronts[len(chosen)][n]), in, cost)
		}
		return
	}
	for k := range o.pieces {
		n := o.numbers[k]
		for q := range in {
			if in[q]>>n&1 == 1 {
				before := bits.OnesCount64(in[q] & (1<<n - 1))
				o.pieces[k].pool, o.pieces[k].at = q, chosen[q].at[before]
			}
		}
	}
	o.best = values
	o.keep()
	for k := range o.pieces {
		o.pieces[k].pool, o.pieces[k].at = 0, 0
	}
}

// front returns the pairs of a pool with some pieces, in ascending order of height.
func (o *sets) front(pool int, in uint64) []pair {
	if in == 0 {
		return []pair{{}}
	}
	if f, known := o.table[entry{pool, in}]; known {
		return f
	}
	c := &cells{sets: o, pool: pool}
	var f []pair
	if c.fill(in) {
		least := int64(-1) // no plan at any height pays less
		if c.pays(o.high[pool], 1<<62) {
			least = c.penalty
			for height := c.lowest(); !o.over(); height++ {
				most := int64(1 << 62)
				if len(f) > 0 {
					most = f[len(f)-1].penalty - 1
				}
				if c.pays(height, most) {
					f = append(f, pair{height, c.penalty, slices.Clone(c.best)})
					if c.penalty == least {
						break
					}
				}
			}
		}
	}
	o.table[entry{pool, in}] = f
	return f
}

// cells are the pieces of one pool.
type cells struct {
	*sets
	pool   int
	which  []int     // the pieces, in the order of their numbers
	domain []word    // of each, its offsets
	pairs  []*couple // of two pieces a, b at a·n + b

	at      []int64
	best    []int64
	penalty int64 // of best
}

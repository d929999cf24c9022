package evictbound

import (
	"cmp"
	"container/heap"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: loads alone, without a plan, give a cheap set of evictions that frees the excess. The first start has all
// evictions that the flow of the bound (flow.go) uses, even in part. Superfluous evictions are dropped, the dearest
// first. Smaller problems have two more starts: the evictions that the flow uses in full, and none. A greedy choice
// completes them: next is the eviction that frees the most useful bytes for its price, counted over all sections.
// Then ruin and recreate improves the cheapest: a few evictions that overlap in time are dropped at random, and the
// greedy choice fills the hole, with prices that are changed a little at random.
//
// Invariant: after each step the set frees enough in all families. Its price never rises.
//
// Complexity: O(sum of the lengths of the evictions) for the first set, and improveEffort steps for the rest.

// improveEffort is the most sections that ruin and recreate looks at: a few tenths of a second.
const improveEffort = 50_000_000

// roundsEach is the most rounds of ruin and recreate for each eviction.
const roundsEach = 50

// mostGreedy bounds the sum of the lengths of the evictions for which the greedy choice also starts from no eviction.
// With 5,000 evictions of a training step that took 14 s.
const mostGreedy = 2_000_000

// length adds up the lengths of the evictions, in sections.
func length(families []*family) (sum int) {
	for _, f := range families {
		for _, column := range f.columns {
			for _, r := range column {
				sum += int(r.to - r.from)
			}
		}
	}
	return sum
}

// A selection is a set of evictions, and the excess that it leaves.
type selection struct {
	all      []Eviction
	families []*family
	taken    []bool
	left     [][]int64 // of each family and section, the excess less the freed bytes
	steps    int
}

func newSelection(all []Eviction, families []*family) *selection {
	c := &selection{all: all, families: families, taken: make([]bool, len(all))}
	for _, f := range families {
		c.left = append(c.left, slices.Clone(f.excess))
	}
	return c
}

// set adds an eviction to the set or removes it.
func (c *selection) set(n int, taken bool) {
	if c.taken[n] == taken {
		return
	}
	c.taken[n] = taken
	for k, f := range c.families {
		for _, r := range f.columns[n] {
			by := r.bytes
			if taken {
				by = -by
			}
			left := c.left[k][r.from:r.to]
			for t := range left {
				left[t] += by
			}
			c.steps += len(left)
		}
	}
}

// gain returns the bytes of excess that an eviction would free, over all sections.
func (c *selection) gain(n int) (sum float64) {
	for k, f := range c.families {
		for _, r := range f.columns[n] {
			for _, x := range c.left[k][r.from:r.to] {
				if x > 0 {
					sum += float64(min(x, r.bytes))
				}
			}
			c.steps += int(r.to - r.from)
		}
	}
	return sum
}

// needed reports whether some section would have excess without an eviction of the set.
func (c *selection) needed(n int) bool {
	for k, f := range c.families {
		for _, r := range f.columns[n] {
			c.steps += int(r.to - r.from)
			for _, x := range c.left[k][r.from:r.to] {
				if x+r.bytes > 0 {
					return true
				}
			}
		}
	}
	return false
}

// A bid is an eviction and its worth: gain for its price. The gain may be out of date, and then is too high, since
// gains only fall.
type bid struct {
	n     int
	worth float64
}

type bids []bid

func (b bids) Len() int { return len(b) }
func (b bids) Less(i, j int) bool {
	return b[i].worth > b[j].worth || b[i].worth == b[j].worth && b[i].n < b[j].n
}
func (b bids) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *bids) Push(x any)   { *b = append(*b, x.(bid)) }
func (b *bids) Pop() any {
	old := *b
	x := old[len(old)-1]
	*b = old[:len(old)-1]
	return x
}

// fill adds offered evictions until none frees more, or over reports a limit. shake returns a factor for the worth of
// each bid.
func (c *selection) fill(offered []int, shake func() float64, over func() bool) {
	var q bids
	factor := make(map[int]float64, len(offered))
	worth := func(n int) float64 { return c.gain(n) / float64(c.all[n].Cost+1) * factor[n] }
	for _, n := range offered {
		if c.taken[n] {
			continue
		}
		factor[n] = shake()
		if w := worth(n); w > 0 {
			q = append(q, bid{n, w})
		}
	}
	heap.Init(&q)
	for len(q) > 0 && !over() {
		x := q[0]
		w := worth(x.n)
		switch {
		case w == 0:
			heap.Pop(&q)
		case w < x.worth:
			q[0].worth = w
			heap.Fix(&q, 0)
		default:
			c.set(x.n, true)
			heap.Pop(&q)
		}
	}
}

// drop removes evictions that are not needed, the dearest first.
func (c *selection) drop(offered []int) {
	order := slices.DeleteFunc(slices.Clone(offered), func(n int) bool { return !c.taken[n] })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.all[b].Cost, c.all[a].Cost) })
	for _, n := range order {
		if !c.needed(n) {
			c.set(n, false)
		}
	}
}

// even is the shake that changes nothing.
func even() float64 { return 1 }

// Cheap returns a cheap set that frees enough, or false if there is none. It ends early if a set costs no more than
// enough, or if over reports a limit.
func (l *Loads) Cheap(enough int64, r *rand.Rand, over func() bool) ([]bool, bool) {
	every := make([]int, len(l.all))
	for n := range every {
		every[n] = n
	}
	c := l.start(every, enough, over)
	if c == nil {
		return nil, false
	}
	return c.improve(every, enough, r, over), true
}

// start returns the cheapest set of the three starts, or nil if none frees enough.
func (l *Loads) start(every []int, enough int64, over func() bool) *selection {
	c, full := l.usedByFlow(every, over)
	if !c.enough() {
		return nil
	}
	if length(l.families) > mostGreedy {
		return c
	}
	price := Price(l.all, c.taken)
	for _, other := range []*selection{full, newSelection(l.all, l.families)} {
		if price > enough {
			other.fill(every, even, over)
			other.drop(every)
		}
		if p := Price(l.all, other.taken); other.enough() && p < price {
			c, price = other, p
		}
	}
	return c
}

// usedByFlow returns two sets. The evictions that the flow uses, even in part, free enough. Those that it uses in
// full may free too little.
func (l *Loads) usedByFlow(every []int, over func() bool) (c, full *selection) {
	c, full = newSelection(l.all, l.families), newSelection(l.all, l.families)
	used := make([]float64, len(l.all))
	for _, x := range l.flows {
		for n, part := range x.parts(len(l.all)) {
			used[n] = max(used[n], part)
		}
	}
	var partly []int
	for n, part := range used {
		if part > 0 {
			c.set(n, true)
		}
		if part > 0.999 {
			full.set(n, true)
		} else if part > 0 {
			partly = append(partly, n)
		}
	}
	c.fill(every, even, over)
	slices.SortStableFunc(partly, func(a, b int) int { return cmp.Compare(used[a], used[b]) })
	for _, n := range partly {
		if !c.needed(n) {
			c.set(n, false)
		}
	}
	c.drop(every)
	return c, full
}

// improve ruins and recreates a set, and returns the cheapest set that frees enough on the way.
func (c *selection) improve(every []int, enough int64, r *rand.Rand, over func() bool) []bool {
	best, price := slices.Clone(c.taken), Price(c.all, c.taken)
	shaken := func() float64 { return 0.5 + r.Float64() }
	c.steps = 0
	for range roundsEach * len(every) {
		if c.steps >= improveEffort || price <= enough || over() {
			break
		}
		c.steps += 4 * len(every)
		in := slices.DeleteFunc(slices.Clone(every), func(n int) bool { return !c.taken[n] })
		if len(in) == 0 {
			break
		}
		c.ruin(in, r)
		near := c.beside(every)
		c.fill(near, shaken, over)
		c.drop(near)
		if invariants.Enabled {
			c.check()
		}
		if p := Price(c.all, c.taken); p <= price && c.enough() {
			price, best = p, slices.Clone(c.taken)
			continue
		}
		for n := range best {
			c.set(n, best[n])
		}
	}
	return best
}

// enough reports whether no excess is left.
func (c *selection) enough() bool {
	for _, left := range c.left {
		if slices.ContainsFunc(left, func(x int64) bool { return x > 0 }) {
			return false
		}
	}
	return true
}

// ruin removes some evictions of the set that overlap one section.
func (c *selection) ruin(in []int, r *rand.Rand) {
	seed := in[r.IntN(len(in))]
	k := slices.IndexFunc(c.families, func(f *family) bool { return len(f.columns[seed]) > 0 })
	if k < 0 {
		c.set(seed, false)
		return
	}
	x := c.families[k].columns[seed][0]
	at := x.from + int32(r.IntN(int(x.to-x.from)))
	many := 1 + r.IntN(8)
	r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
	c.set(seed, false)
	for _, n := range in {
		if many == 0 {
			return
		}
		if slices.ContainsFunc(c.families[k].columns[n], func(r relief) bool { return r.from <= at && at < r.to }) {
			c.set(n, false)
			many--
		}
	}
}

// beside returns the evictions that free bytes between the first and the last section with excess.
func (c *selection) beside(every []int) (out []int) {
	for k, f := range c.families {
		first := slices.IndexFunc(c.left[k], func(x int64) bool { return x > 0 })
		if first < 0 {
			continue
		}
		last := len(c.left[k]) - 1
		for c.left[k][last] <= 0 {
			last--
		}
		for _, n := range every {
			if slices.ContainsFunc(f.columns[n], func(r relief) bool { return int(r.from) <= last && first < int(r.to) }) {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

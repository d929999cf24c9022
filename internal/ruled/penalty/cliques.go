package penalty

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: a clique is a set of bodies in which each pair conflicts or has a penalty. If its sizes add up to more than the
// bytes of the pool, some bodies share bytes, so some penalties are paid. If d bodies share a byte, d(d-1)/2 pairs
// share it:
//
//	sum over bytes of d(d-1)/2 <= sum over the pairs that are paid of min(size, size)
//
// The left side is least if all d are as equal as possible. On the right the heaviest pairs are taken, until their sum
// is large enough. If that takes k pairs, at least the k cheapest penalties of the clique are paid. The bounds of
// cliques that have no penalty in common add up. A clique is grown from each body: next comes the body with the most
// bytes for the penalties that it adds. Then cliques are taken in order of bound divided by penalties used up, until
// none is left.
//
// Invariant: no penalty is counted twice, so no plan within the capacity pays less than the sum.
//
// Complexity: O(n²) for a clique, 3n cliques a round, at most mostRounds rounds.
//
// Trials: docs/lab/ruled.md (the bounds are 2 to 40% of what the best plans pay; before, no bound was known).

// mostGrown is the largest number of bodies for which cliques are grown. mostRounds is the largest number of rounds.
const mostGrown, mostRounds = 1_500, 40

// pairPrices are the prices of a pair, with which cliques are grown. With all three the bounds of A to K are 8% higher
// in the mean than with the best of them.
var pairPrices = [...]int{1, 4, 20}

// overloads grows cliques in a field.
type overloads struct {
	field  *Field
	near   []uint8 // of each two bodies: pairApart, pairPays or pairFree
	price  []int64 // of each two bodies that pay
	clique []int32
	pairs  []pricedPair // scratch of least
}

const (
	pairFree uint8 = iota // may share bytes
	pairApart
	pairPays
)

// A pricedPair is two bodies of a clique that have a penalty. weight is the most bytes that they can share.
type pricedPair struct{ weight, cost int64 }

// An overload is a clique that has to pay.
type overload struct {
	bodies []int32
	least  int64
	pairs  int // with a penalty
}

// LeastByCliques returns a lower bound of the penalty of every plan of the field.
func (f *Field) LeastByCliques(ctx context.Context) (sum int64) {
	if f.n > mostGrown {
		return 0
	}
	watch := run.NewWatch(ctx)
	defer watch.Close()
	o := f.overloads()
	for range mostRounds {
		var found []overload
		for i := range f.n {
			if watch.Over() {
				return sum
			}
			for _, price := range pairPrices {
				if x := o.grow(int32(i), price); x.least > 0 {
					found = append(found, x)
				}
			}
		}
		if len(found) == 0 {
			return sum
		}
		sorting.Structs(found, func(x, y overload) int {
			return cmp.Or(cmp.Compare(y.least*int64(x.pairs), x.least*int64(y.pairs)), cmp.Compare(y.least, x.least))
		})
		for _, x := range found {
			if o.fresh(x) {
				sum += x.least
				o.use(x)
			}
		}
	}
	return sum
}

// overloads prepares the pairs that cannot share a byte, and those that pay if they do.
func (f *Field) overloads() *overloads {
	o := &overloads{field: f, near: make([]uint8, f.n*f.n), price: make([]int64, f.n*f.n)}
	whole := func(i int, x tie) bool {
		return f.plain[i] && f.plain[x.to] && x.below <= -f.size[i] && x.above >= f.size[x.to]
	}
	for i := range f.n {
		for _, x := range f.softOf(int32(i)) {
			if whole(i, x.tie) {
				o.near[i*f.n+int(x.to)] = pairPays
				o.price[i*f.n+int(x.to)] = x.cost
			}
		}
		for _, x := range f.hardOf(int32(i)) {
			if whole(i, x) {
				o.near[i*f.n+int(x.to)] = pairApart
			}
		}
	}
	return o
}

// grow grows a clique from a body, and returns the best clique on the way. A pair with a penalty costs price halves of
// what a body costs.
func (o *overloads) grow(first int32, price int) (best overload) {
	if !o.field.plain[first] {
		return overload{}
	}
	o.clique = append(o.clique[:0], first)
	load, pairs := o.field.size[first], 0
	type candidate struct {
		body  int32
		pairs int
	}
	var left []candidate
	add := func(i int32) {
		kept := left[:0]
		for _, x := range left {
			switch o.near[int(i)*o.field.n+int(x.body)] {
			case pairApart:
				kept = append(kept, x)
			case pairPays:
				kept = append(kept, candidate{x.body, x.pairs + 1})
			}
		}
		left = kept
	}
	for i := range o.field.n {
		left = append(left, candidate{int32(i), 0})
	}
	add(first)
	for len(left) > 0 {
		next := left[0]
		for _, x := range left[1:] {
			// Take the body with the most bytes for its price: a price for each penalised pair, and one for the body.
			if a, b := o.field.size[x.body]*int64(price*next.pairs+2), o.field.size[next.body]*int64(price*x.pairs+2); a > b {
				next = x
			}
		}
		o.clique = append(o.clique, next.body)
		load, pairs = load+o.field.size[next.body], pairs+next.pairs
		if load > o.field.space {
			least := o.least(load)
			if best.least == 0 || least*int64(best.pairs) >= best.least*int64(pairs) {
				best = overload{slices.Clone(o.clique), least, pairs}
			}
		}
		add(next.body)
	}
	return best
}

// least returns the least penalty of the clique, whose sizes add up to load.
func (o *overloads) least(load int64) (sum int64) {
	o.pairs = o.pairs[:0]
	for k, a := range o.clique {
		for _, b := range o.clique[:k] {
			if at := int(a)*o.field.n + int(b); o.near[at] == pairPays {
				o.pairs = append(o.pairs, pricedPair{min(o.field.size[a], o.field.size[b]), o.price[at]})
			}
		}
	}
	slices.SortFunc(o.pairs, func(x, y pricedPair) int { return cmp.Compare(y.weight, x.weight) })
	// deeper bytes have depth + 1 bodies, the others have depth.
	depth, deeper := load/o.field.space, load%o.field.space
	left, k := float64(o.field.space)*float64(depth*(depth-1)/2)+float64(deeper)*float64(depth), 0
	if left > 1<<52 {
		left = 0 // not exact
	}
	for ; k < len(o.pairs) && left > 0; k++ {
		left -= float64(o.pairs[k].weight)
	}
	slices.SortFunc(o.pairs, func(x, y pricedPair) int { return cmp.Compare(x.cost, y.cost) })
	for _, x := range o.pairs[:k] {
		sum += x.cost
	}
	return sum
}

// fresh reports whether no penalty of a clique is used up.
func (o *overloads) fresh(x overload) bool {
	for k, a := range x.bodies {
		for _, b := range x.bodies[:k] {
			if o.near[int(a)*o.field.n+int(b)] == pairFree {
				return false
			}
		}
	}
	return true
}

// use uses up the penalties of a clique.
func (o *overloads) use(x overload) {
	for k, a := range x.bodies {
		for _, b := range x.bodies[:k] {
			for _, at := range [2]int{int(a)*o.field.n + int(b), int(b)*o.field.n + int(a)} {
				if o.near[at] == pairPays {
					o.near[at] = pairFree
				}
			}
		}
	}
}

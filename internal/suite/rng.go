package suite

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/splitmix"
)

// rng draws from splitmix64: benchmark tables name problems by their seeds.
type rng struct{ state uint64 }

// newRNG returns a generator for a seed and a kind of problem, so that two
// kinds with one seed have nothing in common.
func newRNG(seed uint64, kind string) *rng {
	r := &rng{state: seed}
	for _, c := range []byte(kind) {
		r.state = r.next() ^ uint64(c)
	}
	return r
}

func (r *rng) next() uint64 {
	return splitmix.Next(&r.state)
}

// below returns a number in [0, n), n at least 1. The high word of the product
// favours some numbers by less than n parts in 2^64.
func (r *rng) below(n int64) int64 {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int64(high)
}

// within returns a number in [low, high].
func (r *rng) within(low, high int64) int64 { return low + r.below(high-low+1) }

// chance reports true in the given share of calls.
func (r *rng) chance(share float64) bool { return float64(r.next()>>11) < share*(1<<53) }

// shuffle calls swap until every order is equally likely.
func (r *rng) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(r.below(int64(i+1))))
	}
}

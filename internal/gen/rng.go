package gen

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/splitmix"
)

// An RNG draws the random choices of a generator, from splitmix64. Its numbers stay the same for
// good, on every machine and with every version of Go, because benchmark tables name problems by
// their seeds. The generators of tests (internal/testkit/drawn) draw from it too.
type RNG struct{ state uint64 }

// NewRNG returns a generator for a seed and a kind of problem, so that two kinds with one seed have nothing in common.
func NewRNG(seed uint64, kind string) *RNG {
	r := &RNG{state: seed}
	for _, c := range []byte(kind) {
		r.state = r.Next() ^ uint64(c)
	}
	return r
}

// Next returns 64 random bits.
func (r *RNG) Next() uint64 {
	return splitmix.Next(&r.state)
}

// Below returns a number in [0, n), n at least 1. The high word of the product
// favours some numbers by less than n parts in 2^64.
func (r *RNG) Below(n int64) int64 {
	high, _ := bits.Mul64(r.Next(), uint64(n))
	return int64(high)
}

// Within returns a number in [low, high].
func (r *RNG) Within(low, high int64) int64 { return low + r.Below(high-low+1) }

// Chance reports true in the given share of calls.
func (r *RNG) Chance(share float64) bool { return float64(r.Next()>>11) < share*(1<<53) }

// Shuffle calls swap until every order is equally likely.
func (r *RNG) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(r.Below(int64(i+1))))
	}
}

// Pick returns one of the values.
func (r *RNG) Pick(values ...int64) int64 { return values[r.Below(int64(len(values)))] }

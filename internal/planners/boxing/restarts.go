package boxing

import "math/rand/v2"

// Idea: a try is cheap and its outcome varies, so tries are repeated with new random points, and the lowest plan is
// kept. A try ends early if its plan reaches the height of the best one.
//
// Invariant: the points of try k are a function of seed and k alone, whichever worker runs it.
//
// Complexity: O(n log n) a try and level.
//
// Source: idealloc (a21f84d): the number of tries is its max_lives.

// A chooser makes the random choices of one try after another.
type chooser interface {
	// begin starts try number k.
	begin(k uint64)
	// choose returns a number in [0, n).
	choose(n int) int
	// end reports the height of the try's plan. If the try was cut off, it reports the height of the best plan.
	end(height int64)
}

// restarts draws each try's points on its own.
type restarts struct {
	seed uint64
	pcg  *rand.PCG
	rng  *rand.Rand
}

func newRestarts(seed uint64) *restarts {
	r := &restarts{seed: seed, pcg: rand.NewPCG(0, 0)}
	r.rng = rand.New(r.pcg)
	return r
}

func (r *restarts) begin(k uint64)   { r.pcg.Seed(r.seed, k) }
func (r *restarts) choose(n int) int { return r.rng.IntN(n) }
func (r *restarts) end(int64)        {}

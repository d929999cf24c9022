package order

import "context"

// Idea: the search from both ends is a proof first: it starts at a bound and finds an order only at the end. At a limit
// well above the lowest peak the same search goes straight to an order, for little is refused. So if the exact
// search does not finish, limits between the bound and the best known peak are tried, each with few states, by
// bisection. A dive that ends without an order and without having met its own limit of states raises the bound.
//
// Invariant: bound <= limit < peak. A dive begins above the bound, so its own limit is none.
//
// Complexity: states × log(peak - bound).
//
// Beams (beam.go) come before. Neither is better on all networks: go run ./lab/bench/order -limited.

// A first dive has this many states for each operator, and not fewer than these. Each further round of dives has
// four times as many.
const (
	diveEach  = 8
	diveLeast = 1 << 10
)

// dive looks for orders between the bound and the peak of f, with at most so many states a dive.
func (f *found) dive(ctx context.Context, g *graph, states, most int, off *Techniques) {
	for low := f.bound; low < f.peak && f.states < most && ctx.Err() == nil; {
		limit := low + (f.peak-low)/2
		e := newEnds(g, limit, limit+1, off)
		over := e.run(ctx, min(states, most-f.states))
		f.states += e.states()
		if e.found() != nil {
			f.keep(g, e.way())
			continue
		}
		if over {
			f.bound = limit + 1
		}
		low = limit + 1
	}
}

package walls

import (
	"math"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: beam search. All guesses are taken over one moment, then only the best
// Options.Width of them are kept. The score is
//
//	prior + ways - ln n! - freeCost × pieces of free space + noise
//
// for a pile of n items: prior is how likely the walls of the guess are, and ways is the logarithm of the number of
// orders that they leave. So a guess is good if its walls are likely and if they leave many of the n! orders.
//
// Invariant: no two guesses that are kept have the same pile, up to hash collisions.
//
// Complexity: O(guesses × Width) a moment, after a sort.

// A guess is a pile after some moment, and the walls that led to it. Except for its score,
// it does not change once it is among the next.
type guess struct {
	pile  *tree
	wall  *wall   // the last one
	free  []int32 // free space in the pile
	prior float64 // logarithm of how likely its walls are
	score float64
}

// A wall is where some items took the place of others.
type wall struct {
	previous *wall
	ended    []*tree // what ended, in order
	begun    *tree
	// ref is an item that stays, -1 for none. refBefore says whether it was before the wall
	// in the direction in which ended is in order.
	ref       int32
	refBefore bool
}

// replace returns the guess after one more wall, where the items of in take the place of
// those of out. It returns nil if the orders of the pile forbid the wall.
func (s *Search) replace(g *guess, out, in []int32) *guess {
	d := &s.demand
	for _, i := range out {
		d.mark[i] = true
	}
	d.want, d.made = int32(len(out)), s.anyOrder(in)
	pile := d.meet(g.pile)
	for _, i := range out {
		d.mark[i] = false
	}
	if pile == nil || !s.spend(0) {
		return nil
	}
	next := &guess{pile: pile, wall: &wall{g.wall, d.ended, d.made, d.ref, d.refBefore}, free: g.free, prior: g.prior}
	if invariants.Enabled {
		s.check(g, next)
	}
	return next
}

// keep adds a guess, if it is not nil, to the next.
func (s *Search) keep(g *guess) {
	if g != nil {
		s.next = append(s.next, g)
	}
}

// freeCost is what each piece of free space costs a guess.
const freeCost = 1

// prune keeps the best of the next guesses, and one of those with equal piles.
func (s *Search) prune() {
	for _, g := range s.next {
		n := float64(g.pile.leaves)
		all := (n+0.5)*math.Log(n) - n // ln n!, less a constant (Stirling)
		g.score = g.prior + g.pile.ways - all - freeCost*float64(len(g.free)) + s.o.Noise*s.random()
	}
	order := sorting.Order(len(s.next), func(i, j int32) bool { return s.next[i].score > s.next[j].score })
	s.now = s.now[:0]
	for _, k := range order {
		g, other := s.next[k], 0
		for other < len(s.now) && s.now[other].pile.hash != g.pile.hash {
			other++
		}
		if other == len(s.now) {
			if s.now = append(s.now, g); len(s.now) == s.o.Width {
				break
			}
		}
	}
}

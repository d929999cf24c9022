//go:build invariants

package walls

import (
	"fmt"
	"math"
)

// Under the tag invariants every pile is looked through when it is made, and its counts are
// computed anew. A difference is a panic.

// check checks that the pile of a guess is that before its last wall, less what ended and plus
// what began, with each item once, and that the counts of its tree are right.
func (s *Search) check(before, after *guess) {
	must := func(ok bool, what string, got, want any) {
		if !ok {
			panic(fmt.Sprintf("walls: invariant broken: %s is %v, from scratch %v", what, got, want))
		}
	}
	var look func(t *tree)
	look = func(t *tree) {
		if t.item >= 0 {
			must(t.leaves == 1 && t.ways == 0 && len(t.kids) == 0, "a leaf", t.leaves, 1)
			return
		}
		for _, kid := range t.kids {
			look(kid)
		}
		must(len(t.kids) > 1 && (!t.row || len(t.kids) > 2), "number of children", len(t.kids), "2 or more, 3 or more of a row")
		fresh := tree{kids: t.kids, row: t.row}
		fresh.count()
		must(t.leaves == fresh.leaves, "number of leaves", t.leaves, fresh.leaves)
		must(math.Abs(t.ways-fresh.ways) < 1e-9, "logarithm of the orders", t.ways, fresh.ways)
		must(t.hash == fresh.hash, "hash", t.hash, fresh.hash)
	}
	look(after.pile)
	items := after.pile.appendItems(nil)
	in := make([]bool, len(s.items))
	for _, i := range items {
		must(!in[i], "an item of the pile", i, "there already")
		in[i] = true
	}
	want := s.sum(before.pile.appendItems(nil)) + s.sum(after.wall.begun.appendItems(nil))
	for _, t := range after.wall.ended {
		want -= s.sum(t.appendItems(nil))
	}
	must(s.sum(items) == want, "size of the pile", s.sum(items), want)
}

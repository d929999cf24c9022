package walls

import (
	"math"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Under the tag invariants every pile is looked through when it is made, and its counts are
// computed anew. A difference is a panic.

// check checks the pile of a guess: the pile before its last wall, less what ended, plus what began, each item once.
// The counts of its tree are right.
func (s *Search) check(before, after *guess) {
	var look func(t *tree)
	look = func(t *tree) {
		if t.item >= 0 {
			invariants.Must(t.leaves == 1 && t.ways == 0 && len(t.kids) == 0, "not a leaf is item", int(t.item))
			return
		}
		for _, kid := range t.kids {
			look(kid)
		}
		invariants.Must(len(t.kids) > 1 && (!t.row || len(t.kids) > 2), "too small is the number of children", len(t.kids))
		fresh := tree{kids: t.kids, row: t.row}
		fresh.count()
		invariants.Equal(t.leaves, fresh.leaves, "number of leaves")
		if math.Abs(t.ways-fresh.ways) >= 1e-9 {
			invariants.Fail("logarithm of the orders is %v, from scratch %v", t.ways, fresh.ways)
		}
		invariants.Equal(t.hash, fresh.hash, "hash")
	}
	look(after.pile)
	items := after.pile.appendItems(nil)
	in := make([]bool, len(s.items))
	for _, i := range items {
		invariants.Must(!in[i], "twice in the pile is item", int(i))
		in[i] = true
	}
	want := s.sum(before.pile.appendItems(nil)) + s.sum(after.wall.begun.appendItems(nil))
	for _, t := range after.wall.ended {
		want -= s.sum(t.appendItems(nil))
	}
	invariants.Equal(s.sum(items), want, "size of the pile")
}

package walls

import (
	"math"
	"slices"
)

// Idea: a PQ-tree stands for a set of orders of the items in the pile: all orders in which certain sets are contiguous.
//
//	a bunch (P-node)  its children may be in any order:  k! orders of k children
//	a row (Q-node)    its children are in the given order, or in its reverse:  2 orders
//
// A demand says that the marked leaves must be contiguous, and that another tree takes their
// place. It makes a new tree, or shows that no order meets it.
//
// Invariant: a tree never changes, except for the count full. So trees that differ little
// share what they have in common, and going back costs nothing.
//
// Complexity: a demand looks at the whole tree, some hundred nodes.
//
// Source: Booth and Lueker, "Testing for the Consecutive Ones Property, Interval Graphs, and Graph Planarity Using
// PQ-Tree Algorithms", 1976. Their demand takes time linear in the marked leaves.

// A tree is a leaf, a bunch or a row.
type tree struct {
	kids   []*tree
	item   int32 // of a leaf; otherwise -1
	row    bool
	leaves int32
	full   int32   // marked leaves, as of the demand that was counted last
	ways   float64 // logarithm of the number of orders
	hash   uint64  // equal for trees that differ only in the order of bunches and the direction of rows
}

func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x7fb5d329728ea185
	x ^= x >> 27
	x *= 0x81dadef4bc2dd44d
	return x ^ x>>33
}

// treeOf makes a row or a bunch of trees. A single tree stays as it is.
func treeOf(kids []*tree, row bool) *tree {
	if len(kids) == 1 {
		return kids[0]
	}
	t := &tree{kids: kids, row: row && len(kids) > 2, item: -1} // a row of two is a bunch
	t.count()
	return t
}

// count sets leaves, ways and hash from the children.
func (t *tree) count() {
	var sum, up, down uint64
	for i, kid := range t.kids {
		t.leaves += kid.leaves
		t.ways += kid.ways
		if !t.row {
			t.ways += math.Log(float64(i + 1))
		}
		sum += mix(kid.hash + 1)
		up = mix(up) + kid.hash
		down = mix(down) + t.kids[len(t.kids)-1-i].hash
	}
	if t.row {
		t.ways += math.Ln2
		sum = mix(up) + mix(down) + 1
	}
	t.hash = mix(sum)
}

// leaf makes the tree of one item.
func (s *Search) leaf(i int32) *tree {
	it := &s.items[i]
	return &tree{item: i, leaves: 1, hash: mix(mix(uint64(it.Size)) + uint64(it.Last))}
}

// anyOrder makes the tree of items in any order: what begins at a wall.
func (s *Search) anyOrder(items []int32) *tree {
	kids := make([]*tree, len(items))
	for k, i := range items {
		kids[k] = s.leaf(i)
	}
	return treeOf(kids, false)
}

// A demand is that the marked leaves are contiguous, and that the tree made takes their place.
type demand struct {
	mark []bool // by item
	want int32  // how many items are marked
	made *tree
	// The answer: the old trees, in order. ref is an item that stays. refBefore says whether ref is before the trees,
	// rather than after, in the direction of that order. If ref is -1, nothing fixes the direction.
	ended     []*tree
	ref       int32
	refBefore bool

	work int64 // nodes looked at, of all demands
}

// tally counts the marked leaves of each tree in t.
func (d *demand) tally(t *tree) int32 {
	d.work++
	t.full = 0
	if t.item >= 0 {
		if d.mark[t.item] {
			t.full = 1
		}
		return t.full
	}
	for _, kid := range t.kids {
		t.full += d.tally(kid)
	}
	return t.full
}

// meet returns the tree of the orders of t that meet the demand, nil if there are none.
func (d *demand) meet(t *tree) *tree {
	d.tally(t)
	d.ref = -1
	return d.within(t)
}

// within is meet for a tree that has all marked leaves.
func (d *demand) within(t *tree) *tree {
	if t.full == t.leaves {
		d.ended = []*tree{t}
		return d.made
	}
	for i, kid := range t.kids {
		if kid.full == d.want {
			with := d.within(kid)
			if with == nil {
				return nil
			}
			kids := slices.Clone(t.kids)
			kids[i] = with
			return treeOf(kids, t.row)
		}
	}
	none, kids := t.gathered()
	before, marked, after := cut(kids, d.want)
	if marked == nil {
		return nil
	}
	d.ended = marked
	if d.refBefore = before != nil; d.refBefore {
		d.ref = before[0].someItem()
	} else if after != nil {
		d.ref = after[0].someItem()
	}
	return treeOf(append(none, treeOf(append(append(before, d.made), after...), true)), false)
}

// gathered returns the children of t in an order in which the marked ones are contiguous, if
// there is one. The unmarked children of a bunch are apart, as none.
func (t *tree) gathered() (none, kids []*tree) {
	if t.row {
		return nil, t.kids
	}
	var part []*tree
	for _, kid := range t.kids {
		switch kid.full {
		case 0:
			none = append(none, kid)
		case kid.leaves:
			kids = append(kids, kid)
		default:
			part = append(part, kid)
		}
	}
	if part != nil {
		kids = append(append(part[:1:1], kids...), part[1:]...)
	}
	return none, kids
}

// cut divides trees in a row into what is before the want marked leaves, these, and what is
// after them. A tree that is marked in part is itself cut, at either end of what is marked.
// It returns nil if the marked leaves cannot be contiguous.
func cut(row []*tree, want int32) (before, marked, after []*tree) {
	seen := int32(0)
	for _, kid := range row {
		was := seen
		seen += kid.full
		switch {
		case kid.full == kid.leaves:
			marked = append(marked, kid)
		case kid.full == 0 && was == 0:
			before = append(before, kid)
		case kid.full == 0 && was == want:
			after = append(after, kid)
		case kid.full > 0 && (was == 0 || seen == want):
			empty, full := markedLast(kid)
			if full == nil {
				return nil, nil, nil
			}
			if was == 0 {
				before, marked = append(before, empty...), append(marked, full...)
			} else {
				marked, after = backwards(marked, full), backwards(after, empty)
			}
		default:
			return nil, nil, nil
		}
	}
	return before, marked, after
}

// markedLast returns a tree that is marked in part as a row, with the marked leaves at its
// end. It returns nil if they cannot be there.
func markedLast(t *tree) (empty, full []*tree) {
	none, row := t.gathered()
	if none != nil {
		row = append([]*tree{treeOf(none, false)}, row...)
	} else if last := row[len(row)-1]; row[0].full > 0 && last.full < last.leaves {
		row = backwards(nil, row)
	}
	empty, full, after := cut(row, t.full)
	if after != nil {
		return nil, nil
	}
	return empty, full
}

// backwards appends a list in reverse.
func backwards(to, list []*tree) []*tree {
	for k := len(list) - 1; k >= 0; k-- {
		to = append(to, list[k])
	}
	return to
}

// someItem is an item of the tree.
func (t *tree) someItem() int32 {
	for t.item < 0 {
		t = t.kids[0]
	}
	return t.item
}

// appendItems appends the items of a tree in one of its orders.
func (t *tree) appendItems(to []int32) []int32 {
	if t.item >= 0 {
		return append(to, t.item)
	}
	for _, kid := range t.kids {
		to = kid.appendItems(to)
	}
	return to
}

package merge

import (
	"math"
	"slices"
)

// Idea: a tree that stands for many orders of what is active at a moment, all those in
// which certain sets are contiguous. The children of a bunch may be in any order, those
// of a row in the given one or its reverse. To demand that some leaves be next to one
// another turns a tree into another, or shows that no order has them so.
//
// Trees are never changed, so that many that differ little share what they have in
// common, and to go back costs nothing.
//
// Complexity: a demand looks at the whole tree, some hundred knots.
//
// Source: Booth and Lueker, "Testing for the Consecutive Ones Property, Interval Graphs,
// and Graph Planarity Using PQ-Tree Algorithms", 1976; there a demand takes time linear
// in the leaves that it names.

// A knot is a tree: a leaf, a bunch or a row.
type knot struct {
	kids   []*knot
	item   int32 // of a leaf
	rigid  bool  // a row
	leaves int32
	full   int32   // how many leaves are named by the demand that was tallied last
	ways   float64 // logarithm of the number of orders
	hash   uint64  // the same for trees that differ in the order of bunches or by reversal
}

func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x7fb5d329728ea185
	x ^= x >> 27
	x *= 0x81dadef4bc2dd44d
	return x ^ x>>33
}

// knotOf is a bunch or a row of some trees, or the only one.
func knotOf(kids []*knot, rigid bool) *knot {
	if len(kids) == 1 {
		return kids[0]
	}
	k := &knot{kids: kids, rigid: rigid && len(kids) > 2, item: -1}
	var sum, up, down uint64
	for i, kid := range kids {
		k.leaves += kid.leaves
		k.ways += kid.ways
		if !k.rigid {
			k.ways += math.Log(float64(i + 1))
		}
		sum += mix(kid.hash + 1)
		up = mix(up) + kid.hash
		down = mix(down) + kids[len(kids)-1-i].hash
	}
	if k.rigid {
		k.ways += math.Ln2
		sum = mix(up) + mix(down) + 1
	}
	k.hash = mix(sum)
	return k
}

// A demand is that the marked leaves be next to one another, and that another tree then
// be in their place.
type demand struct {
	mark []bool // by item
	want int32  // how many are marked
	made *knot
	// What was in its place, in order; and whether ref, an item that stays, is before
	// it in the direction in which this is the order, or after it. Without ref, -1, the
	// direction is free.
	run    []*knot
	ref    int32
	before bool
	work   int64 // knots looked at
}

// tally counts the marked leaves of all trees in k.
func (d *demand) tally(k *knot) int32 {
	d.work++
	k.full = 0
	if k.item >= 0 {
		if d.mark[k.item] {
			k.full = 1
		}
		return k.full
	}
	for _, kid := range k.kids {
		k.full += d.tally(kid)
	}
	return k.full
}

// met returns the tree as the demand has it, nil where it cannot be met.
func (d *demand) met(k *knot) *knot {
	d.tally(k)
	d.ref = -1
	return d.within(k)
}

// within meets the demand in a tree with all that is marked.
func (d *demand) within(k *knot) *knot {
	if k.full == k.leaves {
		d.run = []*knot{k}
		return d.made
	}
	for i, kid := range k.kids {
		if kid.full == d.want {
			with := d.within(kid)
			if with == nil {
				return nil
			}
			kids := slices.Clone(k.kids)
			kids[i] = with
			return knotOf(kids, k.rigid)
		}
	}
	none, kids := k.row()
	before, run, after := line(kids, d.want)
	if run == nil {
		return nil
	}
	d.run = run
	if d.before = before != nil; d.before {
		d.ref = before[0].any()
	} else if after != nil {
		d.ref = after[0].any()
	}
	return knotOf(append(none, knotOf(append(append(before, d.made), after...), true)), false)
}

// row returns the kids in an order in which the marked ones are next to one another, if
// there is one, and what need not be in it: of a bunch, those without a mark.
func (k *knot) row() (none, kids []*knot) {
	if k.rigid {
		return nil, k.kids
	}
	var part []*knot
	for _, kid := range k.kids {
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

// line tells what is marked in a row, so many leaves, from what is before and after it;
// nil where it is not next to one another. What is marked in part is where the run begins or ends.
func line(row []*knot, want int32) (before, run, after []*knot) {
	seen := int32(0)
	for _, kid := range row {
		was := seen
		seen += kid.full
		switch {
		case kid.full == kid.leaves:
			run = append(run, kid)
		case kid.full == 0 && was == 0:
			before = append(before, kid)
		case kid.full == 0 && was == want:
			after = append(after, kid)
		case kid.full > 0 && (was == 0 || seen == want):
			empty, full := parted(kid)
			if full == nil {
				return nil, nil, nil
			}
			if was == 0 {
				before, run = append(before, empty...), append(run, full...)
			} else {
				run, after = backwards(run, full), backwards(after, empty)
			}
		default:
			return nil, nil, nil
		}
	}
	return before, run, after
}

// parted returns a tree of which part is marked as a row, what is marked last; nil where it
// cannot be.
func parted(k *knot) (empty, full []*knot) {
	none, row := k.row()
	if none != nil {
		row = append([]*knot{knotOf(none, false)}, row...)
	} else if last := row[len(row)-1]; row[0].full > 0 && last.full < last.leaves {
		row = backwards(nil, row)
	}
	empty, full, after := line(row, k.full)
	if after != nil {
		return nil, nil
	}
	return empty, full
}

// backwards appends a list in reverse.
func backwards(to, list []*knot) []*knot {
	for k := len(list) - 1; k >= 0; k-- {
		to = append(to, list[k])
	}
	return to
}

// any is an item of the tree.
func (k *knot) any() int32 {
	for k.item < 0 {
		k = k.kids[0]
	}
	return k.item
}

// items appends those of a tree in an order that it has.
func (k *knot) items(to []int32) []int32 {
	if k.item >= 0 {
		return append(to, k.item)
	}
	for _, kid := range k.kids {
		to = kid.items(to)
	}
	return to
}

package boxing

import (
	"cmp"
	"slices"
)

// Idea: open the boxes from the outside in. Boxes of one height are stacked in rows, and the items of a row share its
// offset. The items of a box start at the box's offset:
//
//	if nothing overlaps     side by side
//	if sizes are equal      in rows
//	otherwise               one class of equal sizes above the other, in rows each
//
// This placement ignores the height, so only its order counts.
//
// Invariant: a level visits each item once.
//
// Complexity: O(n log n) a level.
//
// Source: idealloc (a21f84d), get_loose_placement, which takes classes in the random order of a hash map. Here each
// try takes them ascending or descending, by its seed.

// unbox returns the buffers in the order of their loose offsets, lowest first;
// of equal offsets the larger buffer comes first. items have one size.
func (t *try) unbox(items []id) []id {
	b := t.boxes
	n := b.buffers
	if b.dummy {
		n--
	}
	t.loose = slices.Grow(t.loose[:0], b.buffers)[:b.buffers]
	t.opened, t.rowOf = t.opened[:0], t.rowOf[:0]
	t.open(items, 0)
	order := slices.Grow(t.order[:0], n)[:n]
	for k := range order {
		order[k] = id(k)
	}
	b.sort(order, func(i, j id) int {
		if c := cmp.Compare(t.loose[i], t.loose[j]); c != 0 {
			return c
		}
		if c := cmp.Compare(b.size[j], b.size[i]); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
	t.order = order
	return order
}

// open gives the buffers within items loose offsets from base on.
func (t *try) open(items []id, base float64) {
	b := t.boxes
	if len(items) == 1 {
		t.enter(items[0], base)
		return
	}
	// A single class of equal sizes is the common case.
	at := len(t.opened)
	t.opened = append(t.opened, items...)
	items = t.opened[at:]
	least, most := b.heights(items)
	if least == most || b.disjoint(items) {
		if least == most {
			t.stack(items, base)
		} else {
			for _, i := range items {
				t.enter(i, base)
			}
		}
		t.opened = t.opened[:at]
		return
	}
	t.bySize(items)
	if t.descending {
		slices.Reverse(items)
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && b.size[items[to]] == b.size[items[from]] {
			to++
		}
		height := b.size[items[from]]
		base += float64(t.stack(items[from:to], base)) * float64(height)
		from = to
	}
	t.opened = t.opened[:at]
}

// stack gives items of one size rows from base on and returns how many.
func (t *try) stack(items []id, base float64) int {
	b := t.boxes
	b.sortByStart(items)
	row, rows := t.colours.colour(b, items)
	// enter colours again, so the rows are copied.
	at := len(t.rowOf)
	t.rowOf = append(t.rowOf, row...)
	height := float64(b.size[items[0]])
	for k, i := range items {
		t.enter(i, base+float64(t.rowOf[at+k])*height)
	}
	t.rowOf = t.rowOf[:at]
	return rows
}

// enter gives a buffer its offset, or opens a box there.
func (t *try) enter(i id, base float64) {
	if int(i) < t.boxes.buffers {
		t.loose[i] = base
		return
	}
	t.open(t.boxes.contents(i), base)
}

// disjoint reports whether no two items overlap. It sorts them by start.
func (b *boxes) disjoint(items []id) bool {
	b.sortByStart(items)
	for k := 1; k < len(items); k++ {
		if b.lower[items[k]] < b.upper[items[k-1]] {
			return false
		}
	}
	return true
}

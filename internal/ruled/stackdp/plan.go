package stackdp

import "slices"

// Idea: the records of a state have its items in order of time, with the place in the order where each came in. So
// the orders can be rebuilt in turn. They say which item lies above which. Offsets come last: from the floor up, each
// item lies as low as these pairs allow.
//
// Invariant: two items that live at once are in one order. So a chain of pairs leads from one to the other, and they
// share no byte.
//
// Complexity: O(items · live), and one pass over the records to drop those that no state needs.

// turned stands for an item in a record that turns the order upside down.
const turned = -1

// A record says that an item has come into the pool.
type record struct {
	before int32 // the record before it, or -1
	item   int32 // or turned
	place  uint8 // how many items lie below it, if it is not loose
}

// firstRoom is the number of records above which records that no state needs are dropped.
const firstRoom = 2_000_000

// note adds a record, and returns its number.
func (w *walk) note(before, item int32, place uint8) int32 {
	w.records = append(w.records, record{before, item, place})
	return int32(len(w.records) - 1)
}

// forget drops the records that no state needs, if there are many records.
func (w *walk) forget() {
	if len(w.records) <= w.room {
		return
	}
	moved := make([]int32, len(w.records))
	for _, x := range w.classes {
		for _, r := range x.record {
			for ; r >= 0 && moved[r] == 0; r = w.records[r].before {
				moved[r] = 1
			}
		}
	}
	left := int32(0)
	for r, x := range w.records {
		if moved[r] == 0 {
			continue
		}
		if x.before >= 0 {
			x.before = moved[x.before]
		}
		w.records[left], moved[r] = x, left
		left++
	}
	w.records = w.records[:left]
	for _, x := range w.classes {
		for k, r := range x.record {
			if r >= 0 {
				x.record[k] = moved[r]
			}
		}
	}
	w.room = max(firstRoom, 2*len(w.records))
}

// plan follows the records back from the last one. It returns which items are in the pool, and the lowest offsets that
// their orders allow.
func (w *walk) plan(last int32) (in []bool, offsets []int64) {
	var steps []record
	for r := last; r >= 0; r = w.records[r].before {
		steps = append(steps, w.records[r])
	}
	slices.Reverse(steps)
	in = make([]bool, len(w.question.Items))
	above, below := make([][]int32, len(w.question.Items)), make([]int, len(w.question.Items))
	on := func(i, j int32) {
		above[i] = append(above[i], j)
		below[j]++
	}
	var order []int32
	upside, loose := false, false
	for _, x := range steps {
		if x.item == turned {
			upside = !upside
			continue
		}
		in[x.item] = true
		if w.lane[x.item] < 0 {
			loose = true
			continue
		}
		order = slices.DeleteFunc(order,
			func(i int32) bool { return w.question.Items[i].Last <= w.question.Items[x.item].First })
		at := int(x.place)
		if upside {
			at = len(order) - at
		}
		if at > 0 {
			on(order[at-1], x.item)
		}
		if at < len(order) {
			on(x.item, order[at])
		}
		order = slices.Insert(order, at, x.item)
	}
	if loose {
		return in, nil
	}
	offsets = make([]int64, len(w.question.Items))
	var ready []int32
	for i, n := range below {
		if n == 0 {
			ready = append(ready, int32(i))
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range above[i] {
			offsets[j] = max(offsets[j], offsets[i]+w.question.Items[i].Size)
			if below[j]--; below[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return in, offsets
}

package boxing

// Idea: to colour an interval graph with as few colours as there are intervals at the busiest moment, take the
// intervals by start and give each the lowest colour that is free. A colour is a row: its intervals do not overlap, so
// they can share one offset.
//
// Invariant: the rows in use are those of the intervals live at the current
// start, so a new row opens only if all others are taken.
//
// Complexity: O(k log k): a heap of rows in use by their ends, a heap of free rows.
//
// Source: the greedy colouring of interval graphs; idealloc (a21f84d) colours
// in the same order: ends before starts, and of equal starts the longest first.

// colouring is the scratch of colour.
type colouring struct {
	row  []int32 // by position in items
	busy []busyRow
	free []int32 // a heap
}

type busyRow struct{ end, row int32 }

// colour gives each of items, which are sorted by start, a row. It returns the row of each, by position, valid until
// the next call, and how many rows there are.
func (c *colouring) colour(b *boxes, items []id) (row []int32, rows int) {
	c.row, c.busy, c.free = c.row[:0], c.busy[:0], c.free[:0]
	for k, i := range items {
		if k%1024 == 1023 {
			b.look()
		}
		for len(c.busy) > 0 && c.busy[0].end <= b.lower[i] {
			c.free = push(c.free, c.busy[0].row, lowerRow)
			c.busy = pop(c.busy, endsEarlier)
		}
		var r int32
		if len(c.free) > 0 {
			r = c.free[0]
			c.free = pop(c.free, lowerRow)
		} else {
			r = int32(rows)
			rows++
		}
		c.row = append(c.row, r)
		c.busy = push(c.busy, busyRow{end: b.upper[i], row: r}, endsEarlier)
	}
	return c.row, rows
}

// push adds an item to a heap with the least on top.
func push[T any](h []T, item T, less func(a, b *T) bool) []T {
	h = append(h, item)
	k := len(h) - 1
	for k > 0 && less(&item, &h[(k-1)/2]) {
		h[k] = h[(k-1)/2]
		k = (k - 1) / 2
	}
	h[k] = item
	return h
}

// pop takes the top off a heap.
func pop[T any](h []T, less func(a, b *T) bool) []T {
	last := h[len(h)-1]
	h = h[:len(h)-1]
	for k := 0; len(h) > 0; {
		child := 2*k + 1
		if child+1 < len(h) && less(&h[child+1], &h[child]) {
			child++
		}
		if child >= len(h) || !less(&h[child], &last) {
			h[k] = last
			break
		}
		h[k] = h[child]
		k = child
	}
	return h
}

func lowerRow(a, b *int32) bool      { return *a < *b }
func endsEarlier(a, b *busyRow) bool { return a.end < b.end }

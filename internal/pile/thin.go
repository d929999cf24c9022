package pile

import (
	"cmp"
	"slices"
)

// Idea: of two states with the same order, one with no distance above the other's makes the other superfluous: whatever completes the
// other completes it. If there are still too many, those are cut off whose room is in pieces, now and later:
//
//	pieces(state) = sum over sections from now on of (sum of the gaps - the largest gap)
//
// Gaps are those that the distances leave between the buffers that live now and still live then, and between them and the floor and the
// capacity. A small gap is of use only for small buffers. So long lives that lie together are good.
//
// Invariant: dropping superfluous states loses no plan. If states are cut off, the walk says so.
//
// Complexity: O(points²) for each comparison, at most pileRivals for a state; O(live²) for pieces.

// pileRivals is how many states a state is compared with.
const pileRivals = 64

// heavy is how many numbers the states of the whole width may have on average: if many buffers live at a time, there are fewer states.
const heavy = 150

// thin brings the states down to the width, from section t on.
func (w *walk) thin(t, width int) {
	width = max(1, min(width, width*heavy/pairs(w.points)))
	if w.n <= width {
		return
	}
	w.dominate()
	if w.n <= width {
		return
	}
	w.cut = true
	pieces, order := make([]int64, w.n), make([]int32, w.n)
	for k := range order {
		order[k], pieces[k] = int32(k), w.pieces(k, int32(t))
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Or(cmp.Compare(pieces[x], pieces[y]), cmp.Compare(x, y)) })
	out := slices.Repeat([]bool{true}, w.n)
	for _, k := range order[:width] {
		out[k] = false
	}
	w.drop(out)
}

// dominate drops states that others make superfluous.
func (w *walk) dominate() {
	sums, order := make([]int64, w.n), make([]int32, w.n)
	for k := range order {
		order[k] = int32(k)
		for _, x := range w.distancesOf(k) {
			sums[k] += int64(x)
		}
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Or(cmp.Compare(sums[x], sums[y]), cmp.Compare(x, y)) })
	out, front := make([]bool, w.n), make(map[string][]int32, w.n) // by order, the states that stay
	for _, k := range order {
		mine, key := w.distancesOf(int(k)), string(w.orderOf(int(k)))
		rivals := front[key]
		for _, other := range rivals[max(0, len(rivals)-pileRivals):] {
			its, x := w.distancesOf(int(other)), 0
			for x < len(mine) && its[x] <= mine[x] {
				x++
			}
			if out[k] = x == len(mine); out[k] {
				break
			}
		}
		if !out[k] {
			front[key] = append(rivals, k)
		}
	}
	w.drop(out)
}

// drop drops the states that are out.
func (w *walk) drop(out []bool) {
	lanes, each, left := w.points-2, pairs(w.points), 0
	for k := range w.n {
		if out[k] {
			continue
		}
		if left != k {
			copy(w.order[left*lanes:(left+1)*lanes], w.orderOf(k))
			copy(w.distance[left*each:(left+1)*each], w.distancesOf(k))
			w.record[left] = w.record[k]
			if len(w.place) > k {
				w.place[left] = w.place[k]
			}
		}
		left++
	}
	w.n, w.order, w.distance, w.record = left, w.order[:left*lanes], w.distance[:left*each], w.record[:left]
	w.place = w.place[:min(left, len(w.place))]
}

// pieces measures how much of a state's room from section t on is in pieces.
func (w *walk) pieces(k int, t int32) (sum int64) {
	order, distance := w.orderOf(k), w.distancesOf(k)
	for now := t; ; {
		next, point, under := int32(0), 0, int32(0) // the first end from now on; the last point that lives then, and its size
		total, most := int64(0), int64(0)
		for a := 1; a < w.points; a++ {
			size := int32(0)
			if a <= len(order) {
				i := w.live[order[a-1]]
				if w.last[i] <= now {
					continue
				}
				if size = w.size[i]; next == 0 || w.last[i] < next {
					next = w.last[i]
				}
			}
			gap := int64(distance[row(w.points, point)+a] - under)
			total, most = total+gap, max(most, gap)
			point, under = a, size
		}
		if next == 0 {
			return sum
		}
		sum += int64(next-now) * (total - most)
		now = next
	}
}

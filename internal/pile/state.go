package pile

import "slices"

// Idea: a state has points: the floor, the live buffers in their order, and the capacity. A new buffer x between the points b and a only
// adds offset(x) >= offset(b) + size(b) and offset(a) >= offset(x) + size(x), as all else follows from the order:
//
//	distance(u, x) = distance(u, b) + size(b)
//	distance(x, v) = size(x) + distance(a, v)
//	distance(u, v) = max(distance(u, v), distance(u, x) + distance(x, v))   for u below x and v above
//
// Invariant: distances are the longest chains, so they are complete: a point can be taken out without loss.
//
// Complexity: O(points²) for each place.

// states are many states with the same live buffers. Those of one state stand together.
type states struct {
	n        int
	points   int     // of each: the live buffers and 2
	order    []uint8 // of each, lanes from the floor up
	distance []int32 // of each, of points u < v: by u, then by v
	record   []int32 // of each, the last one
	place    []uint8 // of each that start has made, where it put the buffer
}

// pairs is the number of distances of a state.
func pairs(points int) int { return points * (points - 1) / 2 }

// row is where the distances of a point begin, less that point and 1: that of u and v is at row + v.
func row(points, u int) int { return u*(2*points-u-1)/2 - u - 1 }

func (s *states) orderOf(k int) []uint8 { return s.order[k*(s.points-2) : (k+1)*(s.points-2)] }
func (s *states) distancesOf(k int) []int32 {
	return s.distance[k*pairs(s.points) : (k+1)*pairs(s.points)]
}

// lane is that of a live buffer.
func (w *walk) lane(i int32) uint8 { return uint8(slices.Index(w.live, i)) }

// start puts a buffer at each place of each order that leaves the capacity enough. One that can change places with a twin lies above it.
func (w *walk) start(i, twin int32) {
	lane := slices.Index(w.live, -1)
	if lane < 0 {
		lane = len(w.live)
		w.live = append(w.live, -1)
	}
	w.live[lane] = i
	old, top := &w.states, w.points-1
	next := w.spare
	next.n, next.points = 0, w.points+1
	next.order, next.distance, next.record, next.place = next.order[:0], next.distance[:0], next.record[:0], next.place[:0]
	for k := range old.n {
		order, distance, least := old.orderOf(k), old.distancesOf(k), 1
		if twin >= 0 {
			least = slices.Index(order, w.lane(twin)) + 2
		}
		for a := least; a <= top; a++ { // x goes between the points a-1 and a
			under, over := int32(0), int32(0) // distance(floor, x), and that from the end of x to the capacity
			if a > 1 {
				under = distance[a-2] + w.size[w.live[order[a-2]]] // floor and a-1 are the pair a-2
			}
			if a < top {
				over = distance[row(w.points, a)+top]
			}
			w.made++
			if under+w.size[i]+over > w.capacity {
				continue
			}
			next.n++
			next.order = append(append(append(next.order, order[:a-1]...), uint8(lane)), order[a-1:]...)
			next.record = append(next.record, old.record[k])
			next.place = append(next.place, uint8(a))
			next.distance = w.between(next.distance, distance, order, a, w.size[i])
		}
	}
	w.spare, w.states = *old, next
}

// between appends the distances of a state after a buffer of this size has come between the points a-1 and a.
func (w *walk) between(to, old []int32, order []uint8, a int, size int32) []int32 {
	points := w.points
	var under, over [mostLive + 2]int32 // from a point to x, and from x to a point
	for u := range a {
		if u < a-1 {
			under[u] = old[row(points, u)+a-1]
		}
		if a > 1 {
			under[u] += w.size[w.live[order[a-2]]]
		}
	}
	for v := a; v < points; v++ {
		over[v] = size
		if v > a {
			over[v] += old[row(points, a)+v]
		}
	}
	for u := range a {
		from := row(points, u)
		to = append(to, old[from+u+1:from+a]...)
		to = append(to, under[u])
		for v := a; v < points; v++ {
			to = append(to, max(old[from+v], under[u]+over[v]))
		}
	}
	to = append(to, over[a:points]...)
	return append(to, old[row(points, a)+a+1:]...)
}

// end takes a buffer out of the orders.
func (w *walk) end(i int32) {
	lane := w.lane(i)
	w.live[lane] = -1
	left, points := 0, w.points
	for k := range w.n {
		order, distance := w.orderOf(k), w.distancesOf(k)
		x := slices.Index(order, lane) + 1
		copy(w.order[k*(points-3):], order[:x-1])
		copy(w.order[k*(points-3)+x-1:], order[x:])
		for u := range points {
			if u == x {
				continue
			}
			from := row(points, u)
			if u < x {
				left += copy(w.distance[left:], distance[from+u+1:from+x])
				left += copy(w.distance[left:], distance[from+x+1:from+points])
			} else {
				left += copy(w.distance[left:], distance[from+u+1:from+points])
			}
		}
	}
	w.points--
	w.order, w.distance = w.order[:w.n*(points-3)], w.distance[:left]
}

// note makes records of where start has put a buffer.
func (w *walk) note(i int32) {
	for k := range w.n {
		order, x := w.orderOf(k), record{w.record[k], i, -1, -1}
		a := int(w.place[k]) // the point that is the buffer now
		if a > 1 {
			x.below = w.live[order[a-2]]
		}
		if a < len(order) {
			x.above = w.live[order[a]]
		}
		w.record[k] = int32(len(w.records))
		w.records = append(w.records, x)
	}
}

package stackdp

import "slices"

// Idea: a state has points: the floor, the live buffers in their order, and the capacity. A new buffer x between the
// points b and a only adds offset(x) >= offset(b) + size(b) and offset(a) >= offset(x) + size(x), as all else follows
// from the order:
//
//	distance(u, x) = distance(u, b) + size(b)
//	distance(x, v) = size(x) + distance(a, v)
//	distance(u, v) = max(distance(u, v), distance(u, x) + distance(x, v))   for u below x and v above
//
// A state turned upside down is as good as the state: each plan that completes one, turned upside down, completes the
// other. Of the two, the walk keeps the state whose order begins with the lower lane:
//
//	distance(v, u) upside down = distance(u, v) + size(v) - size(u)
//
// Invariant: a distance is the length of the longest chain between two points. So a point can be taken out without
// loss.
//
// Complexity: O(points²) for each place.

// states holds many states with the same live buffers. The entries of one state stand together.
type states struct {
	n        int
	points   int     // of each: the live buffers and 2
	order    []uint8 // of each, lanes from the floor up
	distance []int32 // of each, of points u < v: by u, then by v
	record   []int32 // of each, the last one
	excess   []int64 // of each
}

// pairs is the number of distances of a state.
func pairs(points int) int { return points * (points - 1) / 2 }

// row returns r such that distance(u, v) is at index r + v.
func row(points, u int) int { return u*(2*points-u-1)/2 - u - 1 }

func (s *states) orderOf(k int) []uint8 { return s.order[k*(s.points-2) : (k+1)*(s.points-2)] }
func (s *states) distancesOf(k int) []int32 {
	return s.distance[k*pairs(s.points) : (k+1)*pairs(s.points)]
}

// clear drops all states.
func (s *states) clear(points int) {
	s.n, s.points = 0, points
	s.order, s.distance, s.record, s.excess = s.order[:0], s.distance[:0], s.record[:0], s.excess[:0]
}

// unite adds states with the same live buffers.
func (s *states) unite(other *states) {
	s.n += other.n
	s.order, s.distance = append(s.order, other.order...), append(s.distance, other.distance...)
	s.record, s.excess = append(s.record, other.record...), append(s.excess, other.excess...)
}

// put puts an item at each place of each order of a class at which the chains still fit the capacity. States above the
// limit are left out. An item always lies above its twin.
func (w *walk) put(x *class, i, twin int32, limit int64) *class {
	points := x.points + 1
	if w.lane[i] < 0 {
		points--
	}
	y := w.fresh(x.set|w.mark(i), points)
	if w.lane[i] < 0 {
		y.unite(&x.states)
		y.within(limit)
		for k := range y.record {
			y.record[k] = w.note(y.record[k], i, 0)
		}
		w.made += int64(y.n)
		return y
	}
	lane, top := uint8(w.lane[i]), x.points-1
	for k := range x.n {
		if x.excess[k] > limit {
			continue
		}
		order, distance, least := x.orderOf(k), x.distancesOf(k), 1
		if twin >= 0 {
			least = slices.Index(order, uint8(w.lane[twin])) + 2
		}
		for a := least; a <= top; a++ { // x goes between the points a-1 and a
			under, over := int32(0), int32(0) // distance(floor, x), and that from the end of x to the capacity
			if a > 1 {
				under = distance[a-2] + w.size[w.live[order[a-2]]] // floor and a-1 are the pair a-2
			}
			if a < top {
				over = distance[row(x.points, a)+top]
			}
			w.made++
			if under+w.size[i]+over > w.capacity {
				continue
			}
			y.n++
			y.order = append(append(append(y.order, order[:a-1]...), lane), order[a-1:]...)
			y.record = append(y.record, w.note(x.record[k], i, uint8(a-1)))
			y.excess = append(y.excess, x.excess[k])
			y.distance = w.between(y.distance, distance, order, a, w.size[i])
		}
	}
	return y
}

// between appends the distances of a state after a buffer of this size has been put between the points a-1 and a of its
// order.
func (w *walk) between(to, old []int32, order []uint8, a int, size int32) []int32 {
	points := len(order) + 2
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
func (s *states) end(lane uint8) {
	left, points := 0, s.points
	for k := range s.n {
		order, distance := s.orderOf(k), s.distancesOf(k)
		x := slices.Index(order, lane) + 1
		copy(s.order[k*(points-3):], order[:x-1])
		copy(s.order[k*(points-3)+x-1:], order[x:])
		for u := range points {
			if u == x {
				continue
			}
			from := row(points, u)
			if u < x {
				left += copy(s.distance[left:], distance[from+u+1:from+x])
				left += copy(s.distance[left:], distance[from+x+1:from+points])
			} else {
				left += copy(s.distance[left:], distance[from+u+1:from+points])
			}
		}
	}
	s.points--
	s.order, s.distance = s.order[:s.n*(points-3)], s.distance[:left]
}

// mirror turns states upside down if their orders begin with the higher lane.
func (w *walk) mirror(s *states) {
	top := s.points - 1
	var old [(mostLive + 2) * (mostLive + 1) / 2]int32
	var size [mostLive + 2]int32
	for k := range s.n {
		order, distance := s.orderOf(k), s.distancesOf(k)
		if len(order) < 2 || order[0] < order[len(order)-1] {
			continue
		}
		copy(old[:], distance)
		size[0], size[top] = 0, 0
		for a, lane := range order {
			size[a+1] = w.size[w.live[lane]]
		}
		for u := range top {
			for v := u + 1; v <= top; v++ {
				distance[row(s.points, top-v)+top-u] = old[row(s.points, u)+v] + size[v] - size[u]
			}
		}
		slices.Reverse(order)
		s.record[k] = w.note(s.record[k], turned, 0)
	}
}

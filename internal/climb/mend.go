package climb

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: on random problems the load comes near its peak at a few moments only. A plan is too high there, and a few
// buffers show it: those that end above a target. Each is taken out, and comes back at the offset at which it costs
// least. What is in its way there is taken out in turn, and comes back in the same way, the largest area first. A
// buffer costs more each time that it finds no free place, so no two displace each other for ever. All else stays as it
// is: this is a search of a neighbourhood that grows until the buffer has a place. Buffers of a large area, size times
// lifespan, cost more from the start, since they have many in their way when they come back. So a place goes from large
// buffers to smaller ones, until one is as small as a hole that nothing else could use.
//
// Each buffer above the target is mended by itself. What has come to rest is kept, and after a failure the others have
// their turn, so a moment that is too hard costs them nothing. The target is part of the way down to the goal: more
// after a success, less after a failure.
//
// Invariant: between two repairs, the spots are a valid plan. It is never higher than the plan to start from.
//
// Complexity: let d buffers be live together with one, and k of these have moved since it was placed last. To place it
// takes O(d + k log k). Lists of neighbours are made when they are asked for, up to listedMost entries in all.
//
// A buffer with gaps has neighbours where it is in use. If a gap has a window, or if there are fixed offsets, nothing
// is mended.
//
// Source: ejection with penalties, after Nagata and Bräysy, "A powerful route minimization heuristic for the vehicle
// routing problem with time windows" (2009). internal/beam does so for full memories, with all buffers above the target
// at once, since all moments are hard there.
//
// Trials: docs/lab/climb.md (repairs that start from small targets, or keep what buffers have cost, end higher).

const (
	// firstPatience is how many buffers a repair may place at first. It doubles if no target is in reach, however near.
	firstPatience = 4096
	// least is the least price of a buffer, and meanPrice what is added to it at first for an area as large as the mean.
	// The price grows faster than the area, by the exponent rising: two buffers that are half as large are easier to
	// place. A buffer that finds no free place costs least and half of its first price more. An area is at most n times
	// the mean, so the first price of one of ten million buffers is below 2^40.
	least, meanPrice, rising = 1, 32, 1.5
	// firstShare is how much of the way to the goal the first target is, and mostShare the most.
	firstShare, mostShare = 0.25, 0.5
	// leastMend is the part of the goal that no target is nearer to the height: one part in so many.
	leastMend = 1000
	// listedMost is how many entries the lists of neighbours have in all.
	listedMost = 1 << 24
	// block is how many buffers one look can rule out: none of them is live.
	block = 64
)

// mender is a worker's plan, and what mending it needs. Buffers are numbered by their starts, so those that are live at
// one time lie together in memory.
type mender struct {
	tl     *timeline.Timeline
	starts []int32 // the buffers of the problem in the order of their starts
	number []int32 // of each buffer of the problem: its place in starts
	bodies []body
	reach  []int32 // of each block of bodies, the section at which the last one ends
	lists  []neighbours
	listed int // entries of all lists

	spots  []spot // the plan
	clock  int64  // placements and returns so far
	height int64
	asked  []int64 // the first price of each buffer
	paid   []int64 // the price of each buffer when it is in the plan
	out    []int32 // the buffers without an offset
	undo   []undo  // of those that this repair has taken out
	seen   []int32 // the last repair that has taken out a buffer
	repair int32
	inside []int32 // the buffers around a peak (rebuild.go)

	low, top, moved []edge // memory for sorting

	begins   mendBegin // with a plan from elsewhere
	share    float64   // of the way from the height to the goal
	target   int64
	patience int64
}

// mendBegin is the share and the patience at first.
type mendBegin struct {
	share    float64
	patience int64
}

// body is what of a buffer never changes. Its sections are first to last, exclusive.
type body struct {
	size, align int64
	area        float64
	first, last int32
}

// spot is where a buffer lies, the price to take it out, and when it came there. A buffer that is out has its last
// offset, and no price.
type spot struct{ at, top, price, since int64 }

// neighbours are the buffers that are live together with one, as they were when it was placed: by offset, and by end.
type neighbours struct {
	low, top []int32
	when     int64
}

// edge is the offset or the end of a neighbour, with its price and its place in the list before.
type edge struct {
	v, price       int64
	buffer, before int32
}

type undo struct {
	buffer int32
	at     int64
}

// mending prepares the repairs. It returns false if there are windows or fixed offsets.
func (w *worker) mending() bool {
	buffers, tl, m := w.tl.Problem.Buffers, w.tl, &w.mender
	if slices.ContainsFunc(buffers, func(b model.Buffer) bool { return b.Fixed != nil || b.HasWindow() }) {
		return false
	}
	n := len(buffers)
	*m = mender{
		tl: tl, height: math.MaxInt64, starts: sorting.Count(n), number: make([]int32, n), bodies: make([]body, n),
		lists: make([]neighbours, n), spots: make([]spot, n), asked: make([]int64, n), paid: make([]int64, n),
		seen: make([]int32, n), begins: mendBegin{firstShare, firstPatience},
	}
	slices.SortStableFunc(m.starts, func(i, j int32) int {
		a, _ := tl.Extent(int(i))
		b, _ := tl.Extent(int(j))
		return cmp.Compare(a, b)
	})
	all := 0.0 // areas
	for k, i := range m.starts {
		b := &buffers[i]
		first, last := tl.Extent(int(i))
		m.number[i] = int32(k)
		sections := int32(0)
		for _, s := range tl.Spans(int(i)) {
			sections += s.Last - s.First
		}
		m.bodies[k] = body{b.Size, b.Align(), float64(b.Size) * float64(sections), first, last}
		all += m.bodies[k].area
	}
	for k := range m.bodies {
		m.asked[k] = least + int64(meanPrice*math.Pow(m.bodies[k].area*float64(n)/max(all, 1), rising))
	}
	for part := range slices.Chunk(m.bodies, block) {
		most := int32(0)
		for k := range part {
			most = max(most, part[k].last)
		}
		m.reach = append(m.reach, most)
	}
	return true
}

// mend lowers the plan until the steps are used up. It returns a lower plan, if any. It goes on from its own plan,
// unless another technique has found a lower one in the meantime.
func (w *worker) mend(from []int64, height, steps int64) []int64 {
	m, b := &w.mender, w.tl.Problem.Buffers
	if height < m.height {
		m.clock++
		for i := range b {
			k := m.number[i]
			m.spots[k] = spot{from[i], from[i] + b[i].Size, m.asked[k], m.clock}
		}
		m.height, m.share, m.patience = height, m.begins.share, m.begins.patience
	}
	var high []int32
	for w.taken < steps && w.taken < w.most && m.height > w.goal && !w.watch.Over() {
		w.taken += int64(len(b))
		m.target = max(w.goal, m.height-max(1, int64(m.share*float64(m.height-w.goal))))
		high = high[:0]
		for _, k := range m.number { // in the order of the problem
			if m.paid[k], m.spots[k].price = m.asked[k], m.asked[k]; m.spots[k].top > m.target {
				high = append(high, k)
			}
		}
		slices.SortStableFunc(high, func(i, j int32) int { return cmp.Compare(m.spots[j].top, m.spots[i].top) })
		reached := true
		for _, i := range high {
			if m.spots[i].top <= m.target || w.restore(i) || w.rebuild(i) {
				continue
			}
			if reached = false; w.taken >= steps || w.taken >= w.most || w.watch.Over() {
				break
			}
		}
		m.height = 0
		for k := range m.spots {
			m.height = max(m.height, m.spots[k].top)
		}
		if invariants.Enabled {
			m.check()
		}
		if reached {
			m.share = min(mostShare, 1.5*m.share)
		} else if m.share /= 2; m.share*float64(m.height-w.goal) < max(1, float64(w.goal)/leastMend) {
			m.share = firstShare
			m.patience *= 2
		}
	}
	if m.height >= height {
		return nil
	}
	offsets := make([]int64, len(b))
	for i := range b {
		offsets[i] = m.spots[m.number[i]].at
	}
	return offsets
}

// restore brings a buffer under the target. If that takes more than the patience, the plan is as before.
func (w *worker) restore(i int32) bool {
	w.mender.begin()
	w.mender.drop(i)
	return w.settle(w.mender.patience)
}

// begin begins a repair.
func (m *mender) begin() {
	m.repair++
	m.undo, m.out = m.undo[:0], m.out[:0]
}

// settle places what is out, and what that displaces. If it takes more than the patience, the plan is as before.
func (w *worker) settle(patience int64) bool {
	m := &w.mender
	for left := patience; len(m.out) > 0; left-- {
		if left == 0 || w.taken >= w.most || w.watch.Over() {
			for _, u := range m.undo {
				m.put(u.buffer, u.at)
			}
			return false
		}
		k := m.largest()
		list := m.neighbours(k)
		w.taken += 2 * int64(len(list.low)+1)
		at, price := w.cheapest(k, list)
		if price > 0 {
			m.paid[k] += least + m.asked[k]/2
			top := at + m.bodies[k].size
			for _, j := range list.low {
				s := &m.spots[j]
				if s.at >= top {
					break
				}
				if s.price > 0 && at < s.top {
					m.drop(j)
				}
			}
		}
		m.put(k, at)
	}
	return true
}

// put places a buffer.
func (m *mender) put(k int32, at int64) {
	m.clock++
	m.spots[k] = spot{at, at + m.bodies[k].size, m.paid[k], m.clock}
}

// drop takes a buffer out.
func (m *mender) drop(k int32) {
	m.note(k)
	m.spots[k].price = 0
	m.out = append(m.out, k)
}

// note notes where a buffer lies, for undo.
func (m *mender) note(k int32) {
	if m.seen[k] != m.repair {
		m.seen[k] = m.repair
		m.undo = append(m.undo, undo{k, m.spots[k].at})
	}
}

// largest returns the buffer with the largest area that is out, and removes it from the list.
func (m *mender) largest() int32 {
	best := 0
	for r, k := range m.out {
		if m.bodies[k].area > m.bodies[m.out[best]].area {
			best = r
		}
	}
	k, end := m.out[best], len(m.out)-1
	m.out[best] = m.out[end]
	m.out = m.out[:end]
	return k
}

// cheapest returns an offset under the target at which the prices of those in the way have the least sum, and that sum.
// Going up, the sum falls only where a neighbour ends. Of equal offsets chance chooses, and whether the buffer lies
// there or as high as possible with no others in its way.
func (w *worker) cheapest(k int32, list *neighbours) (at, price int64) {
	m, b := &w.mender, &w.mender.bodies[k]
	m.low = m.sort(m.low, list.low, list.when, false)
	m.top = m.sort(m.top, list.top, list.when, true)
	list.when = m.clock
	highest := (m.target - b.size) / b.align * b.align
	up, sum, ties := int64(0), int64(0), 0
	in, gone := m.low, m.top // a neighbour is in the way from at-size, exclusive, to top, exclusive
	price = math.MaxInt64
	for o := int64(0); o <= highest; {
		for ; len(in) > 0 && in[0].v-b.size < o; in = in[1:] {
			sum += in[0].price
		}
		for ; len(gone) > 0 && gone[0].v <= o; gone = gone[1:] {
			sum -= gone[0].price
		}
		if sum < price {
			ties = 0
		}
		if sum <= price {
			if ties++; ties == 1 || w.rng.IntN(ties) == 0 {
				at, price, up = o, sum, highest
				if len(in) > 0 {
					up = min(highest, (in[0].v-b.size)/b.align*b.align)
				}
			}
		}
		if len(gone) == 0 {
			break
		}
		o = (gone[0].v + b.align - 1) / b.align * b.align
	}
	if w.rng.IntN(2) == 0 {
		at = max(at, up)
	}
	return at, price
}

// sort sorts a list of neighbours by their ends, or by their offsets, and returns these. Only those that have moved
// since the time when it was sorted last have to find their places. Equal ones keep their order.
func (m *mender) sort(edges []edge, list []int32, when int64, ends bool) []edge {
	moved := m.moved[:0]
	edges = edges[:0]
	for r, j := range list {
		s := &m.spots[j]
		e := edge{s.at, s.price, j, int32(r)}
		if ends {
			e.v = s.top
		}
		if s.since > when {
			moved = append(moved, e)
		} else {
			edges = append(edges, e)
		}
	}
	m.moved = moved
	if len(moved) == 0 {
		return edges
	}
	slices.SortFunc(moved, func(a, b edge) int { return cmp.Or(cmp.Compare(a.v, b.v), cmp.Compare(a.before, b.before)) })
	rest := len(edges)
	edges = append(edges, moved...)
	for r := len(list) - 1; r >= 0; r-- {
		if k := len(moved); k > 0 && (rest == 0 || moved[k-1].after(&edges[rest-1])) {
			edges[r], moved = moved[k-1], moved[:k-1]
		} else {
			rest--
			edges[r] = edges[rest]
		}
		list[r] = edges[r].buffer
	}
	return edges
}

// after reports whether an edge comes after another one.
func (e *edge) after(f *edge) bool { return e.v > f.v || e.v == f.v && e.before > f.before }

// meet reports whether two buffers are live together whose extents overlap.
func (m *mender) meet(j, k int32) bool {
	return !m.tl.HasGaps() || m.tl.Overlaps(int(m.starts[j]), int(m.starts[k]))
}

// neighbours returns the buffers that are live together with one.
func (m *mender) neighbours(k int32) *neighbours {
	list := &m.lists[k]
	if list.low != nil {
		return list
	}
	if m.listed > listedMost {
		clear(m.lists)
		m.listed = 0
	}
	first, last := m.bodies[k].first, m.bodies[k].last
	low := []int32{}
	for s, most := range m.reach {
		from, to := s*block, min(len(m.bodies), s*block+block)
		if m.bodies[from].first >= last {
			break
		}
		if most <= first {
			continue
		}
		for j := from; j < to; j++ {
			if b := &m.bodies[j]; b.first < last && first < b.last && int32(j) != k && m.meet(int32(j), k) {
				low = append(low, int32(j))
			}
		}
	}
	slices.SortFunc(low, func(i, j int32) int { return cmp.Compare(m.spots[i].at, m.spots[j].at) })
	top := slices.Clone(low)
	slices.SortFunc(top, func(i, j int32) int { return cmp.Compare(m.spots[i].top, m.spots[j].top) })
	*list = neighbours{low, top, m.clock}
	m.listed += len(low)
	return list
}

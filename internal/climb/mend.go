package climb

import (
	"cmp"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
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
// Complexity: a repair places buffers in O(d), for d buffers that are live with one. Their lists are made when they are
// asked for, up to listedMost entries in all.
//
// If there are gaps or fixed offsets, nothing is mended.
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

// mender is a worker's plan, and what mending it needs. Buffers have the indices of the problem.
type mender struct {
	tl     *timeline.Timeline
	starts []int32 // the buffers in the order of their starts
	reach  []int32 // of each block of starts, the section at which the last one ends
	lists  []neighbours
	listed int // entries of all lists

	spots  []spot // the plan
	height int64
	area   []float64
	asked  []int64 // the first price of each buffer
	paid   []int64 // the price of each buffer when it is in the plan
	out    []int32 // the buffers without an offset
	undo   []undo  // of those that this repair has taken out
	seen   []int32 // the last repair that has taken out a buffer
	repair int32

	share    float64 // of the way from the height to the goal
	target   int64
	patience int64
}

// spot is where a buffer lies, and the price to take it out. A buffer that is out has its last offset, and no price.
type spot struct{ at, top, price int64 }

// neighbours are the buffers that are live together with one, as they were when it was placed: by offset, and by end.
type neighbours struct{ low, top []int32 }

type undo struct {
	buffer int32
	at     int64
}

// mending prepares the repairs. It returns false if there are gaps or fixed offsets.
func (w *worker) mending() bool {
	buffers, tl, m := w.tl.Problem.Buffers, w.tl, &w.mender
	if tl.HasGaps() || slices.ContainsFunc(buffers, func(b model.Buffer) bool { return b.Fixed != nil }) {
		return false
	}
	n := len(buffers)
	*m = mender{
		tl: tl, height: math.MaxInt64, starts: make([]int32, n), lists: make([]neighbours, n), spots: make([]spot, n),
		area: make([]float64, n), asked: make([]int64, n), paid: make([]int64, n), seen: make([]int32, n),
	}
	all := 0.0 // areas
	for i := range buffers {
		first, last := tl.Extent(i)
		m.area[i], m.starts[i] = float64(buffers[i].Size)*float64(last-first), int32(i)
		all += m.area[i]
	}
	for i, area := range m.area {
		m.asked[i] = least + int64(meanPrice*math.Pow(area*float64(n)/max(all, 1), rising))
	}
	slices.SortStableFunc(m.starts, func(i, j int32) int {
		a, _ := tl.Extent(int(i))
		b, _ := tl.Extent(int(j))
		return cmp.Compare(a, b)
	})
	for part := range slices.Chunk(m.starts, block) {
		most := int32(0)
		for _, i := range part {
			_, last := tl.Extent(int(i))
			most = max(most, last)
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
		for i := range b {
			m.spots[i] = spot{from[i], from[i] + b[i].Size, m.asked[i]}
		}
		m.height, m.share, m.patience = height, firstShare, firstPatience
	}
	var high []int32
	for w.taken < steps && w.taken < w.most && m.height > w.goal && !w.watch.Over() {
		w.taken += int64(len(b))
		m.target = max(w.goal, m.height-max(1, int64(m.share*float64(m.height-w.goal))))
		high = high[:0]
		for i := range b {
			if m.paid[i], m.spots[i].price = m.asked[i], m.asked[i]; m.spots[i].top > m.target {
				high = append(high, int32(i))
			}
		}
		slices.SortStableFunc(high, func(i, j int32) int { return cmp.Compare(m.spots[j].top, m.spots[i].top) })
		reached := true
		for _, i := range high {
			if m.spots[i].top <= m.target || w.restore(i) {
				continue
			}
			if reached = false; w.taken >= steps || w.taken >= w.most || w.watch.Over() {
				break
			}
		}
		m.height = 0
		for i := range b {
			m.height = max(m.height, m.spots[i].top)
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
		offsets[i] = m.spots[i].at
	}
	return offsets
}

// restore brings a buffer under the target. If that takes more than the patience, the plan is as before.
func (w *worker) restore(i int32) bool {
	m, b := &w.mender, w.tl.Problem.Buffers
	m.repair++
	m.undo, m.out = m.undo[:0], m.out[:0]
	m.drop(i)
	for left := m.patience; len(m.out) > 0; left-- {
		if left == 0 || w.taken >= w.most || w.watch.Over() {
			for _, u := range m.undo {
				m.spots[u.buffer] = spot{u.at, u.at + b[u.buffer].Size, m.paid[u.buffer]}
			}
			return false
		}
		k := m.largest()
		list := m.neighbours(k)
		w.taken += 2 * int64(len(list.low)+1)
		at, price := w.cheapest(k, list)
		top := at + b[k].Size
		if price > 0 {
			m.paid[k] += least + m.asked[k]/2
			for _, j := range list.low {
				if s := &m.spots[j]; s.price > 0 && s.at < top && at < s.top {
					m.drop(j)
				}
			}
		}
		m.spots[k] = spot{at, top, m.paid[k]}
	}
	return true
}

// drop takes a buffer out.
func (m *mender) drop(k int32) {
	s := &m.spots[k]
	if m.seen[k] != m.repair {
		m.seen[k] = m.repair
		m.undo = append(m.undo, undo{k, s.at})
	}
	s.price = 0
	m.out = append(m.out, k)
}

// largest returns the buffer with the largest area that is out, and removes it from the list.
func (m *mender) largest() int32 {
	best := 0
	for r, k := range m.out {
		if m.area[k] > m.area[m.out[best]] {
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
func (w *worker) cheapest(k int32, list neighbours) (at, price int64) {
	m, b := &w.mender, &w.tl.Problem.Buffers[k]
	m.sort(list.low, false)
	m.sort(list.top, true)
	size, align := b.Size, b.Align()
	highest := (m.target - size) / align * align
	up, sum, ties := int64(0), int64(0), 0
	in, gone := list.low, list.top // a neighbour is in the way from at-size, exclusive, to top, exclusive
	price = math.MaxInt64
	for o := int64(0); o <= highest; {
		for ; len(in) > 0 && m.spots[in[0]].at-size < o; in = in[1:] {
			sum += m.spots[in[0]].price
		}
		for ; len(gone) > 0 && m.spots[gone[0]].top <= o; gone = gone[1:] {
			sum -= m.spots[gone[0]].price
		}
		if sum < price {
			ties = 0
		}
		if sum <= price {
			if ties++; ties == 1 || w.rng.IntN(ties) == 0 {
				at, price, up = o, sum, highest
				if len(in) > 0 {
					up = min(highest, (m.spots[in[0]].at-size)/align*align)
				}
			}
		}
		if len(gone) == 0 {
			break
		}
		o = (m.spots[gone[0]].top + align - 1) / align * align
	}
	if w.rng.IntN(2) == 0 {
		at = max(at, up)
	}
	return at, price
}

// sort sorts a list of neighbours by their ends, or by their offsets. Few have moved since the last time, so little
// more than a look at each is needed.
func (m *mender) sort(list []int32, ends bool) {
	most := int64(math.MinInt64)
	for r, j := range list {
		v := m.spots[j].bound(ends)
		if v >= most {
			most = v
			continue
		}
		for ; r > 0 && m.spots[list[r-1]].bound(ends) > v; r-- {
			list[r] = list[r-1]
		}
		list[r] = j
	}
}

// bound returns the end, or the offset.
func (s *spot) bound(end bool) int64 {
	if end {
		return s.top
	}
	return s.at
}

// neighbours returns the buffers that are live together with one.
func (m *mender) neighbours(k int32) neighbours {
	if m.lists[k].low != nil {
		return m.lists[k]
	}
	if m.listed > listedMost {
		clear(m.lists)
		m.listed = 0
	}
	first, last := m.tl.Extent(int(k))
	low := []int32{}
	for s, most := range m.reach {
		part := m.starts[s*block : min(len(m.starts), s*block+block)]
		if start, _ := m.tl.Extent(int(part[0])); start >= last {
			break
		}
		if most <= first {
			continue
		}
		for _, j := range part {
			if from, to := m.tl.Extent(int(j)); from < last && first < to && j != k {
				low = append(low, j)
			}
		}
	}
	slices.SortFunc(low, func(i, j int32) int { return cmp.Compare(m.spots[i].at, m.spots[j].at) })
	top := slices.Clone(low)
	slices.SortFunc(top, func(i, j int32) int { return cmp.Compare(m.spots[i].top, m.spots[j].top) })
	m.lists[k] = neighbours{low, top}
	m.listed += len(low)
	return m.lists[k]
}

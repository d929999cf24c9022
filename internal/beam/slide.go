package beam

import "slices"

// Idea: at fixed offsets the free bytes of a full memory lie scattered, and a buffer fits only if a single hole is
// large enough. But what lies around the holes can move. So an ejection keeps, for each placed buffer, the lowest and
// the highest offset that it can have while the others move as far as they can and none passes another. A buffer is in
// the way of a new one at offset o only if it can neither sink below o nor rise above the new one's end. Small holes on
// top of each other are one hole then.
//
// Invariant: for two placed buffers that are live together, the lowest offsets and the highest ones have the same
// order, and each upper one begins at or above the end of the lower one, in both. So all lowest offsets are a plan
// below the ceiling, and all highest ones are another. While lowest offsets change, the order of the highest ones says
// which buffer is looked at next, and the other way round.
//
// A buffer that comes makes the bounds around it narrower, and one that leaves makes them wider (links.go). So they are
// exact after each node.
//
// Complexity: a placement takes a step for each moment of each buffer whose bound changes (see moments). relax takes
// O(n log n) and a step for each moment of each buffer. It runs only where an attempt begins or its ceiling goes up.
//
// Source: this project. Heads and tails of operations, and where one can be inserted between them, are known from job
// shops: Mastrolilli and Gambardella, "Effective neighbourhood functions for the flexible job shop problem" (2000).

// A spot is where a buffer lies: its lowest offset, the end there, and its highest offset. Without slide the two
// offsets are the same. Of a buffer that is out it is the last spot.
type spot struct {
	at, top, high int64
	placed        bool
}

// slides is what the technique needs beside the spots.
type slides struct {
	roof    int64 // the ceiling, in granules
	agenda  agenda
	below   []int32 // the neighbours below one buffer, in the order of their offsets
	keys    []int64 // lowest offset and buffer in one number, ascending
	skyline []int64 // by moment
	links   links
}

// between places buffer k around offset at. All placed neighbours can be below at or above its end there. Those that
// can be both stay on the side where the middle of their range is.
func (e *ejection) between(k int32, at int64) {
	size, align := e.size[k], e.align[k]
	e.below = e.below[:0]
	low, high := int64(0), e.roof
	for _, j := range e.neighbours(k) {
		s := &e.spots[j]
		switch {
		case !s.placed:
		case s.high < at+size || s.top <= at && s.at+s.high < 2*at:
			e.below = append(e.below, j)
			low = max(low, s.top)
		default:
			high = min(high, s.high)
		}
	}
	low, high = roundUp(low, align), roundDown(high-size, align)
	e.spots[k] = spot{at: low, top: low + size, high: high, placed: true}
	e.link(k, e.below)
	a := &e.agenda
	for e.lift(k); !a.empty(); {
		e.lift(a.pop())
	}
	for e.press(k); !a.empty(); {
		e.press(a.pop())
	}
}

// lift makes the lowest offsets of the buffers next above one no less than its end. Who lies above these comes later.
func (e *ejection) lift(k int32) {
	spots, bound, last := e.spots, e.spots[k].top, none
	for _, j := range e.ups(k) {
		if j == last || j == none {
			continue
		}
		last = j
		if s := &spots[j]; s.at < bound {
			s.at = roundUp(bound, e.align[j])
			s.top = s.at + e.size[j]
			e.agenda.push(j, s.high)
		}
	}
}

// press makes the ends of the buffers next below one, at their highest offsets, no more than its highest offset. Who
// lies below these comes later.
func (e *ejection) press(k int32) {
	spots, bound, last := e.spots, e.spots[k].high, none
	for _, j := range e.downs(k) {
		if j == last || j == none {
			continue
		}
		last = j
		if s := &spots[j]; s.high > bound-e.size[j] {
			s.high = roundDown(bound-e.size[j], e.align[j])
			e.agenda.push(j, -s.at)
		}
	}
}

// relax makes all bounds exact. The order of placed buffers stays.
func (e *ejection) relax() {
	e.keys = e.keys[:0]
	for k := range e.spots {
		if e.spots[k].placed {
			e.keys = append(e.keys, e.spots[k].at<<costBits|int64(k))
		}
	}
	slices.Sort(e.keys)
	e.chain()
	clear(e.skyline)
	for _, key := range e.keys {
		k := key & costMost
		bound := int64(0)
		for q := e.of[k]; q < e.of[k+1]; q++ {
			for _, step := range e.skyline[e.began[q]:e.done[q]] {
				bound = max(bound, step)
			}
		}
		at := roundUp(bound, e.align[k])
		top := at + e.size[k]
		e.spots[k].at, e.spots[k].top = at, top
		e.cover(int32(k), top)
	}
	for i := range e.skyline {
		e.skyline[i] = e.roof
	}
	for i := len(e.keys) - 1; i >= 0; i-- {
		k := e.keys[i] & costMost
		bound := e.roof
		for q := e.of[k]; q < e.of[k+1]; q++ {
			for _, step := range e.skyline[e.began[q]:e.done[q]] {
				bound = min(bound, step)
			}
		}
		high := roundDown(bound-e.size[k], e.align[k])
		e.spots[k].high = high
		e.cover(int32(k), high)
	}
}

// cover sets the skyline at all moments of a buffer.
func (e *ejection) cover(k int32, to int64) {
	for q := e.of[k]; q < e.of[k+1]; q++ {
		steps := e.skyline[e.began[q]:e.done[q]]
		for i := range steps {
			steps[i] = to
		}
	}
}

// newSlides makes room for what slides need.
func (e *ejection) newSlides() {
	moments := e.moments()
	e.skyline = make([]int64, moments)
	e.newLinks(int(moments))
}

// roundUp and roundDown round to a multiple. Most alignments are 1, and a division takes long.
func roundUp(v, align int64) int64 {
	if align == 1 {
		return v
	}
	return (v + align - 1) / align * align
}

func roundDown(v, align int64) int64 {
	if align == 1 {
		return v
	}
	return v / align * align
}

// agenda is the buffers whose neighbours must be looked at, ascending by key. None is there twice. Most of those that
// come have a larger key than the others, so finding their place takes few steps.
type agenda struct {
	items  []int64 // key and buffer in one number; the ones before next are done
	next   int
	queued []bool // by buffer
}

// push adds a buffer, unless it is there. While it is there its key does not change.
func (a *agenda) push(k int32, key int64) {
	if a.queued[k] {
		return
	}
	a.queued[k] = true
	v := key<<costBits | int64(k)
	items := append(a.items, v)
	i := len(items) - 1
	for ; i > a.next && items[i-1] > v; i-- {
		items[i] = items[i-1]
	}
	items[i] = v
	a.items = items
}

// empty reports whether no buffer is there.
func (a *agenda) empty() bool { return a.next == len(a.items) }

// pop takes out the buffer with the least key.
func (a *agenda) pop() int32 {
	k := int32(a.items[a.next] & costMost)
	a.queued[k] = false
	if a.next++; a.next == len(a.items) {
		a.items, a.next = a.items[:0], 0
	}
	return k
}

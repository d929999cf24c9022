package exact

import "math"

// Idea: if buffer j's bound plus everything unplaced in one of its sections
// exceeds the limit, j cannot be the lowest there: some other buffer c of the
// section lies under it, so j starts no lower than the least bound + size of
// the others.
//
// The least and the second least end of each section are collected in one pass
// over the incidences; a second pass raises.
//
// Tried and dropped, on the challenging suite: the rule for the sets of buffers
// that end highest (4% fewer nodes on A, 7% on K, under 1% elsewhere, at twice the
// time); and all of disjunctive propagation with latest as well as earliest
// offsets (overload check, detectable precedences, not-first and not-last for
// sets), which left the nodes within 2% of the former's.
//
// Complexity: O(sum over unplaced buffers of their sections) for each round.
// Source: the not-first rule of disjunctive scheduling (Carlier and Pinson
// 1990), for whole sections; its use here is Stowage's.

// notFirst raises bounds and reports whether any changed; ok is false where a
// buffer was raised out of reach.
func (k *kernel) notFirst(c component) (changed, ok bool) {
	if !k.plain {
		return k.notFirstGapped(c)
	}
	least := k.least[:k.slots]
	for s := range least {
		least[s] = twoEnds{math.MaxInt64, math.MaxInt64}
	}
	for _, j := range k.active {
		if k.huge && k.late() {
			return false, true
		}
		end := k.bound(j) + k.size[j]
		in := least[k.slot[k.first[j]]:k.slot[k.last[j]]]
		for s := range in {
			e := &in[s]
			e.second = min(e.second, max(e.first, end))
			e.first = min(e.first, end)
		}
	}
	for _, j := range k.active {
		if k.huge && k.late() {
			return false, true
		}
		h := k.bound(j)
		end := h + k.size[j]
		room := k.limit - h
		to := h
		a, b := k.slot[k.first[j]], k.slot[k.last[j]]
		in := least[a:b]
		for s, t := range k.slotTotal[a:b] {
			if t <= room {
				continue
			}
			// The least end of the others: another buffer may end there too.
			other := in[s].first
			if other == end {
				other = in[s].second
			}
			to = max(to, other)
		}
		if to > h {
			if to == math.MaxInt64 || !k.tighten(j, to) {
				return true, false
			}
			changed = true
		}
	}
	return changed, true
}

// twoEnds are the least and the second least end of a section's buffers; they
// are equal where two buffers end alike.
type twoEnds struct{ first, second int64 }

// notFirstGapped is notFirst where the bytes in use differ from section to
// section: ends and starts are those of the spans.
func (k *kernel) notFirstGapped(c component) (changed, ok bool) {
	low1, low2, arg := k.low1, k.low2, k.arg
	for s := c.first; s < c.last; s++ {
		low1[s], low2[s], arg[s] = math.MaxInt64, math.MaxInt64, nobody
	}
	for _, j := range c.list {
		if k.huge && k.late() {
			return false, true
		}
		h := k.bound(j)
		for _, span := range k.spansOf(j) {
			end := h + span.upper
			for s := span.first; s < span.last; s++ {
				if end < low1[s] {
					low1[s], low2[s], arg[s] = end, low1[s], j
				} else if end < low2[s] {
					low2[s] = end
				}
			}
		}
	}
	for _, j := range c.list {
		if k.huge && k.late() {
			return false, true
		}
		h := k.bound(j)
		to := h
		for _, span := range k.spansOf(j) {
			for s := span.first; s < span.last; s++ {
				if h+span.lower+k.total[s] <= k.limit {
					continue
				}
				end := low1[s]
				if arg[s] == j {
					end = low2[s]
				}
				if end == math.MaxInt64 {
					return true, false
				}
				to = max(to, end-span.lower)
			}
		}
		if to > h {
			if !k.tighten(j, to) {
				return true, false
			}
			changed = true
		}
	}
	return changed, true
}

package place

import "github.com/stowage-go/stowage/internal/bound"

// Idea: several sets have the ranges that are in a buffer's way. They are walked upwards together. Each set checks the
// offset at which the sets before it have room. If it has none there, the offset moves up to the next hole that is as
// large as the buffer's window. The set that has moved the offset furthest is checked first.
//
// Invariant: no offset below the current one has room in all sets.
//
// Complexity: O(log f) for each set that has room at once. Otherwise a step for each hole on the
// way, or for each page whose holes are too small (pages.go).

// A probe asks one set for room for the bytes [lower, upper) of a buffer, relative to its offset. All ranges before
// list[0] end at or below these bytes. list is empty only if no range is above them.
type probe struct {
	list         []Range // the ranges of a page that are left
	rest         []page  // the pages after it
	end          int64   // where list ends; used only if rest is not empty
	lower, upper int64
	moved        int64 // sum of the moves of the answer that are due to this probe
}

// probe returns the probe of a set that is not empty.
func (t *store) probe(s set, lower, upper int64) probe {
	if s.size < inPages {
		return probe{list: t.block(s.at, int(s.n)), lower: lower, upper: upper}
	}
	p := probe{rest: t.pages[s.at], lower: lower, upper: upper}
	t.open(&p)
	return p
}

// open moves the probe to the first page of rest.
func (t *store) open(p *probe) {
	first := &p.rest[0]
	p.list, p.end, p.rest = t.block(first.at, int(first.n)), first.to, p.rest[1:]
}

// lowest returns the lowest multiple of align, at least offset, at which every probe has room.
// It moves the probes to the ranges above, and may change their order.
func (t *store) lowest(probes []probe, offset, align int64) int64 {
	offset = bound.Up(offset, align)
	// Invariant: the probes before k have room at offset.
	for k := 0; k < len(probes); k++ {
		p := &probes[k]
		if t.free(p, offset) {
			continue
		}
		was := offset
		for {
			offset = t.hole(p, p.upper-p.lower) - p.lower
			if at := bound.Up(offset, align); at > offset {
				if offset = at; !t.free(p, offset) {
					continue
				}
			}
			break
		}
		p.moved += offset - was
		if k > 0 && p.moved > probes[k-1].moved {
			probes[k-1], probes[k] = probes[k], probes[k-1]
		}
		k = -1
	}
	return offset
}

// free reports whether the probe has room at offset. It drops the ranges that end below.
func (t *store) free(p *probe, offset int64) bool {
	at := offset + p.lower
	if len(p.list) > 0 && p.list[0].To <= at {
		if len(p.rest) > 0 && p.end <= at {
			t.leave(p, at)
		}
		p.list = skip(p.list, at)
	}
	return len(p.list) == 0 || p.list[0].From >= offset+p.upper
}

// leave moves the probe to the first page that ends above the byte at. Its current page ends at or below it.
func (t *store) leave(p *probe, at int64) {
	low, high := 0, len(p.rest)
	// It is mostly among the next few pages, so the stride doubles before it halves.
	for stride := 1; low < high; stride *= 2 {
		k := min(low+stride, high) - 1
		if p.rest[k].to > at {
			high = k
			break
		}
		low = k + 1
	}
	for low < high {
		if mid := int(uint(low+high) >> 1); p.rest[mid].to <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if p.rest = p.rest[low:]; len(p.rest) == 0 {
		p.list = nil
		return
	}
	t.open(p)
}

// hole moves the probe past the next hole of at least need bytes above list[0]. It returns the first byte of that hole.
func (t *store) hole(p *probe, need int64) int64 {
	list := p.list
	if k := above(list, need); k < len(list) {
		p.list = list[k:]
		return list[k-1].To
	}
	end := list[len(list)-1].To
	for k := range p.rest {
		q := &p.rest[k]
		if q.from-end >= need {
			p.rest = p.rest[k:]
			t.open(p)
			return end
		}
		if q.hole >= need {
			list := t.rangesOf(q)
			if i := above(list, need); i < len(list) {
				p.list, p.end, p.rest = list[i:], q.to, p.rest[k+1:]
				return list[i-1].To
			}
			q.hole = need - 1
		}
		end = q.to
	}
	p.list, p.rest = nil, nil
	return end
}

// above returns the index of the first range that has a hole of at least need bytes below it, or
// len(list) if there is none.
func above(list []Range, need int64) int {
	for k := 1; k < len(list); k++ {
		if list[k].From-list[k-1].To >= need {
			return k
		}
	}
	return len(list)
}

// skip drops the ranges that end at or below the byte at. These are mostly none or a few, so
// skip doubles its stride before it halves it.
func skip(list []Range, at int64) []Range {
	if len(list) == 0 || list[0].To > at {
		return list
	}
	stride := 1
	for stride < len(list) && list[stride].To <= at {
		stride *= 2
	}
	// list[stride/2] ends at or below at; list[stride], if any, does not.
	low, high := stride/2+1, min(stride, len(list))
	for low < high {
		mid := (low + high) / 2
		if list[mid].To <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return list[low:]
}

// room returns by how many bytes the buffer at offset could rise before it meets a range above
// it. If no range is above it, ok is false. offset must be what lowest has just returned.
func room(probes []probe, offset int64) (free int64, ok bool) {
	for i := range probes {
		p := &probes[i]
		if len(p.list) == 0 {
			continue
		}
		if d := p.list[0].From - (offset + p.upper); !ok || d < free {
			free, ok = d, true
		}
	}
	return free, ok
}

// tightest returns the offset, from offset on, with the least room above the buffer, and of several the lowest.
func (t *store) tightest(probes []probe, offset, align int64) int64 {
	best, least, found := int64(0), int64(0), false
	for {
		free, ok := room(probes, offset)
		if !ok {
			break
		}
		if !found || free < least {
			best, least, found = offset, free, true
			if free == 0 {
				break
			}
		}
		offset = t.lowest(probes, offset+free+1, align)
	}
	if found {
		return best
	}
	return offset
}

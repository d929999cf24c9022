package framework

import (
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: BFC with two ends. One range of memory serves two kinds of requests, each from its own end, with a gap in the
// middle. Holes of one end never go to the other, so the offsets of a kind depend on that kind alone. A request takes
// the smallest hole of its end that holds it, on a tie the lowest. The rest of the hole is split off if the hole is
// at least twice the request, or 128 MiB larger. Without a hole, the request goes into the gap. Memory that is freed
// beside the gap joins the gap.
//
//	 0                                                R
//	|[a][ hole ][b] ->           gap          <- [c][d]|
//
// Both ends count depths from their own side. Neither knows of the other, so they run one after the other, and the
// range is the largest sum of their depths at one time.
//
// The caller says which requests go to the upper end. XLA's flag sends the buffers of collectives there, which a
// problem does not mark. Here long lives stand in: buffers that live for at least the parameter upper, in percent of
// the whole. With 101 there are none, and the plans are those of bfc with round=1.
//
// At equal times what ends comes first, then what starts, both in the input's order.
//
// Invariant: the chunks of an end tile it up to its depth, no two free ones touch, and the deepest is in use.
//
// Complexity: O(n · chunks); the source keeps chunks in trees.
//
// Source: XLA, xla/tsl/framework/bfc_allocator.cc, with enable_spatial_partitioning
// (00df9ee), its default policies for holes.

// tslWaste is the rest of a chunk that is split off in any case, in bytes.
const tslWaste = 128 << 20

func init() {
	register(planner{
		name:    "tsl-bfc",
		summary: "online allocator from two ends: best fit with coalescing; long-lived buffers from above",
		source:  "XLA, tsl/framework/bfc_allocator.cc, spatial partitioning (00df9ee)",
		round:   256,
		params: []param{
			{name: "upper", otherwise: 50, least: 0, most: 101, summary: "buffers that live at least this percentage of the whole time are placed from above"},
		},
		place: tslBFC,
	})
}

// A tslChunk is a stretch of an end, by depth.
type tslChunk struct {
	from, to int64
	used     bool
}

// A tslEnd is one end of the range.
type tslEnd struct {
	chunks []tslChunk // by depth
	upper  bool
}

func tslBFC(t *task) error {
	unit := int64(1)
	begin, end := t.buffers[0].Lower, t.buffers[0].Upper
	for i := range t.buffers {
		b := &t.buffers[i]
		begin, end = min(begin, b.Lower), max(end, b.Upper)
		var ok bool
		if unit, ok = common(unit, b.Align()); !ok {
			return errAlignments
		}
	}
	share := float64(t.number("upper")) / 100 * float64(end-begin)
	ends := [2]tslEnd{{}, {upper: true}}
	side := make([]int, len(t.buffers))
	depths := make([]int64, len(t.buffers)) // of the start below, of the end above
	var size int64                          // of the range
	byEnd := t.sorted(t.endsEarlier)
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		for ; t.buffers[byEnd[0]].Upper <= b.Lower; byEnd = byEnd[1:] {
			ends[side[byEnd[0]]].give(depths[byEnd[0]])
		}
		if float64(b.Upper-b.Lower) >= share {
			side[i] = 1
		}
		depths[i] = ends[side[i]].take(b.Size, b.Align())
		if size = max(size, ends[0].depth()+ends[1].depth()); size > model.MaxSum-unit {
			return errAlignments
		}
	}
	size = bound.Up(size, unit)
	t.offsets = depths
	for i := range depths {
		if side[i] == 1 {
			depths[i] = size - depths[i]
		}
	}
	return nil
}

// depth is how deep the end is in use.
func (e *tslEnd) depth() int64 {
	if len(e.chunks) == 0 {
		return 0
	}
	return e.chunks[len(e.chunks)-1].to
}

// tslSplits reports whether what a request leaves of a chunk is split off.
func tslSplits(chunk, size int64) bool { return chunk >= 2*size || chunk-size >= tslWaste }

// take returns where a request goes: the depth of its lowest address.
func (e *tslEnd) take(size, align int64) int64 {
	best := -1
	for k, c := range e.chunks {
		fits := bound.Up(c.from, align)+size <= c.to
		if e.upper {
			fits = bound.Up(c.from+size, align) <= c.to
		}
		// On a tie take the lowest address, which is the deepest at the upper end.
		if !c.used && fits && (best < 0 || c.to-c.from < e.chunks[best].to-e.chunks[best].from ||
			e.upper && c.to-c.from == e.chunks[best].to-e.chunks[best].from) {
			best = k
		}
	}
	if !e.upper {
		return e.takeLow(best, size, align)
	}
	return e.takeHigh(best, size, align)
}

func (e *tslEnd) takeLow(hole int, size, align int64) int64 {
	if hole < 0 {
		from := e.depth()
		at := bound.Up(from, align)
		e.replace(len(e.chunks), 0, tslChunk{from, at, false}, tslChunk{at, at + size, true})
		return at
	}
	c := e.chunks[hole]
	at, to := bound.Up(c.from, align), c.to
	if tslSplits(to-at, size) {
		to = at + size
	}
	e.replace(hole, 1, tslChunk{c.from, at, false}, tslChunk{at, to, true}, tslChunk{to, c.to, false})
	return at
}

func (e *tslEnd) takeHigh(hole int, size, align int64) int64 {
	if hole < 0 {
		from := e.depth()
		to := bound.Up(from+size, align)
		e.replace(len(e.chunks), 0, tslChunk{from, to - size, false}, tslChunk{to - size, to, true})
		return to
	}
	c := e.chunks[hole]
	to := c.to - c.to%align
	if tslSplits(to-c.from, size) {
		to = bound.Up(c.from+size, align)
	}
	from := c.from
	if tslSplits(to-from, size) {
		from = to - size
	}
	e.replace(hole, 1, tslChunk{c.from, from, false}, tslChunk{from, to, true}, tslChunk{to, c.to, false})
	return to
}

// replace puts chunks, without the empty ones, in the place of count others.
func (e *tslEnd) replace(at, count int, chunks ...tslChunk) {
	chunks = slices.DeleteFunc(chunks, func(c tslChunk) bool { return c.from == c.to })
	e.chunks = slices.Replace(e.chunks, at, at+count, chunks...)
}

// give frees what take returned a depth for.
func (e *tslEnd) give(depth int64) {
	k := sort.Search(len(e.chunks), func(k int) bool {
		if e.upper {
			return e.chunks[k].to >= depth
		}
		return e.chunks[k].from >= depth
	})
	from, to := k, k+1
	if from > 0 && !e.chunks[from-1].used {
		from--
	}
	if to < len(e.chunks) && !e.chunks[to].used {
		to++
	}
	if to == len(e.chunks) {
		e.chunks = e.chunks[:from] // the gap's
		return
	}
	e.replace(from, to-from, tslChunk{e.chunks[from].from, e.chunks[to-1].to, false})
}

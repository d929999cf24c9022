package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Everything that a placement and its inferences change is taken back here and nowhere else. Bounds and floors
// come from the trail, ranks from their log. Sets and sums are restored by adding what was taken out.
//
// A dive among n buffers that all overlap raises n²/2 bounds. A trail that keeps them all takes 1.6 GB for 10,000
// buffers. So the trail is cut: once it has Limits.TrailMost entries, the older half is dropped. The search goes on
// below as before and finds its plan. It gives up, undecided, only if it would have to back up over what was dropped.
// What it has refuted until then is in the memo.
//
// The trail is kept in chunks, each twice as long as the one before, up to chunkMost. So growing it copies nothing.
//
// Invariant: after undo(mark) the state is what it was at the mark.

// bounds are the lowest offsets of the buffers, which the trail restores.
type bounds struct {
	cells []int64 // lb, inf and the floors, one after the other: change.at is an index of it
	lb    []int64 // per buffer: the least offset above everything placed; for a placed buffer, where it lies
	inf   []int64 // per buffer: an inferred lower bound of its offset, at least lb; it prunes, and places nothing
	// block has the same by piece, for the inferences: where the piece starts if its buffer lies at inf, and how much
	// space it takes. A piece of a placed buffer starts at gone.
	block []block
}

// block is the space of a piece.
type block struct{ start, size int64 }

// gone is where the pieces of placed buffers start: above all others, so that
// they are last among the members of a section.
const gone = math.MaxInt64 / 8 * 7

func (b *bounds) add(a *arrays) {
	a.numbers.Add(2*a.n+a.m, &b.cells)
	b.block = make([]block, a.pieces)
}

// resetBounds puts each buffer at its fixed offset or at the ground, or else into its lowest hole.
func (k *Kernel) resetBounds() {
	for j := range k.of {
		at := k.of[j].start
		if k.holes.any {
			at = k.holes.above(common.Buffer(j), at)
		}
		k.lb[j], k.inf[j] = at, at
	}
	for x := range k.span {
		k.block[x].start = k.inf[k.owner[x]] + k.span[x].lower
	}
}

// change is an entry of the trail. If at >= 0, cells[at] was old. If at is ^j, both bounds of buffer j were old:
// usually they rise together.
type change struct {
	at  int64
	old int64
}

// chunkMost is how many entries a chunk has at most: 256 KiB.
const chunkMost = 1 << 14

// history is the trail: the full chunks, the oldest first, and the chunk that is being filled. Positions count from
// the start of the search and include dropped entries.
type history struct {
	full    [][]change
	latest  []change
	free    [][]change // chunks that were emptied or dropped
	base    int        // the position of the first entry of latest
	dropped int        // the position of the first entry that is kept
	most    int        // how many entries are kept
}

// rewind empties the trail before a search among n buffers.
func (h *history) rewind(n common.Buffer) {
	if h.latest == nil {
		h.latest = make([]change, 0, min(8*int(n), chunkMost, h.most))
	}
	h.free = append(h.free, h.full...)
	h.full, h.latest, h.base, h.dropped = h.full[:0], h.latest[:0], 0, 0
}

// add records a change.
func (h *history) add(c change) {
	if len(h.latest) == cap(h.latest) {
		h.extend()
	}
	h.latest = append(h.latest, c)
}

// extend begins another chunk.
func (h *history) extend() {
	h.full = append(h.full, h.latest)
	h.base += len(h.latest)
	if h.base-h.dropped >= h.most {
		old := (len(h.full) + 1) / 2
		for _, chunk := range h.full[:old] {
			h.dropped += len(chunk)
		}
		h.free = append(h.free, h.full[:old]...)
		h.full = h.full[:copy(h.full, h.full[old:])]
	}
	if last := len(h.free) - 1; last >= 0 {
		h.latest, h.free = h.free[last][:0], h.free[:last]
	} else {
		h.latest = make([]change, 0, min(2*len(h.latest), chunkMost, h.most))
	}
}

// retreat goes back to the chunk before, if there is one.
func (h *history) retreat() bool {
	last := len(h.full) - 1
	if last < 0 {
		return false
	}
	h.free = append(h.free, h.latest)
	h.latest, h.full = h.full[last], h.full[:last]
	h.base -= len(h.latest)
	return true
}

// set writes cells[at] and records the old value on the trail.
func (k *Kernel) set(at int32, value int64) {
	k.trail.add(change{int64(at), k.cells[at]})
	k.cells[at] = value
}

// setInf writes inf[j].
func (k *Kernel) setInf(j common.Buffer, value int64) {
	k.set(int32(k.n+j), value)
	k.moved(j)
}

// setBoth writes lb[j] and inf[j], which were equal.
func (k *Kernel) setBoth(j common.Buffer, value int64) {
	k.trail.add(change{^int64(j), k.lb[j]})
	k.lb[j], k.inf[j] = value, value
	k.moved(j)
}

// moved updates where the pieces of buffer j start after inf[j] has risen, and makes its sections dirty.
func (k *Kernel) moved(j common.Buffer) {
	for x := Piece(j); x != none; x = k.next[x] {
		start := k.inf[j] + k.span[x].lower
		k.block[x].start = start
		k.tops.highest = max(k.tops.highest, start)
	}
	k.runs.mark(k.of[j].first, k.of[j].last)
}

// mark is a point to undo to. Positions on the trail count what was dropped.
type mark struct {
	trail, ranks, path int
}

func (k *Kernel) now() mark {
	return mark{k.trail.base + len(k.trail.latest), len(k.ranks.log), len(k.path)}
}

// lost reports whether the way back to the mark has been dropped.
func (k *Kernel) lost(m mark) bool { return m.trail < k.trail.dropped }

// undo takes back the placements since the mark and all that they changed. If entries since the mark were dropped,
// bounds and floors stay as they are, and the search ends.
func (k *Kernel) undo(m mark) {
	h := &k.trail
	for {
		to := max(0, m.trail-h.base)
		for i := len(h.latest) - 1; i >= to; i-- {
			k.revert(h.latest[i])
		}
		h.latest = h.latest[:to]
		if h.base <= m.trail || !h.retreat() {
			break
		}
	}
	k.ranks.undo(m.ranks)
	for i := len(k.path) - 1; i >= m.path; i-- {
		k.give(k.path[i])
	}
	k.path = k.path[:m.path]
	k.runs.clean()
	k.tops.highest = 0
}

// revert takes back one change.
func (k *Kernel) revert(c change) {
	b := common.Buffer(c.at) - k.n // the buffer whose inf changes, if the number is one of a buffer
	if c.at < 0 {
		b = common.Buffer(^c.at)
		k.lb[b], k.inf[b] = c.old, c.old
	} else if k.cells[c.at] = c.old; b < 0 || b >= k.n {
		return
	}
	for x := Piece(b); x != none; x = k.next[x] {
		k.block[x].start = c.old + k.span[x].lower
	}
}

package engine

// Everything that a placement and the inferences after it change is taken back
// here and nowhere else: bounds and floors from the trail, ranks from their log,
// sets and sums by adding again what was taken out.
//
// A dive among n buffers that all overlap raises n²/2 bounds, so a trail that
// keeps them all takes 1.6 GB for 10,000 buffers. The trail is therefore cut: where it
// has grown to trailMost, the older half is dropped. The search goes on below as
// before and finds its plan; only where it would have to back up over what is
// lost it gives up, undecided. What it has refuted until then is in the memo.
//
// It is kept in chunks, each twice as long as the one before up to chunkMost, so
// that to grow is not to copy.
//
// Invariant: undone to a mark, the state is what it was at the mark.

// change is an entry of the trail: cells[at] was old, or, where at is ^j, both
// bounds of buffer j were: mostly they rise together.
type change struct {
	at  int64
	old int64
}

// trailMost is how many entries the trail keeps: 64 MiB. Tests set it lower.
var trailMost = 1 << 22

// chunkMost is how many entries a chunk has at most: 256 KiB.
const chunkMost = 1 << 14

// history is the trail: chunks that are full, the oldest first, and the one that
// is being filled. Positions count from the start of the search, dropped entries
// included.
type history struct {
	full    [][]change
	latest  []change
	free    [][]change // chunks that were emptied or dropped
	base    int        // the position of the first entry of latest
	dropped int        // the position of the first entry that is kept
}

// rewind empties the trail before a search among n buffers.
func (h *history) rewind(n Buffer) {
	if h.latest == nil {
		h.latest = make([]change, 0, min(8*int(n), chunkMost, trailMost))
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
	if h.base-h.dropped >= trailMost {
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
		h.latest = make([]change, 0, min(2*len(h.latest), chunkMost, trailMost))
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
func (k *kernel) set(at int32, value int64) {
	k.trail.add(change{int64(at), k.cells[at]})
	k.cells[at] = value
}

// setInf writes inf[j].
func (k *kernel) setInf(j Buffer, value int64) {
	k.set(int32(k.n+j), value)
	k.moved(j)
}

// setBoth writes lb[j] and inf[j], which were equal.
func (k *kernel) setBoth(j Buffer, value int64) {
	k.trail.add(change{^int64(j), k.lb[j]})
	k.lb[j], k.inf[j] = value, value
	k.moved(j)
}

// moved says of buffer j, of which inf has risen, where its pieces start, and makes
// its sections dirty.
func (k *kernel) moved(j Buffer) {
	for x := Piece(j); x != none; x = k.next[x] {
		start := k.inf[j] + k.span[x].lower
		k.block[x].start = start
		k.highest = max(k.highest, start)
	}
	k.mark(k.of[j].first, k.of[j].last)
}

// mark is a point to undo to. Positions on the trail count what was dropped.
type mark struct {
	trail, rankLog, path int
}

func (k *kernel) now() mark {
	return mark{k.trail.base + len(k.trail.latest), len(k.rankLog), len(k.path)}
}

// lost reports whether the way back to the mark has been dropped.
func (k *kernel) lost(m mark) bool { return m.trail < k.trail.dropped }

// undo takes back the placements since the mark and all that they changed. Where
// the way back is lost, bounds and floors stay as they are; the search ends then.
func (k *kernel) undo(m mark) {
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
	for i := len(k.rankLog) - 1; i >= m.rankLog; i-- {
		k.rank[k.rankLog[i].j] = k.rankLog[i].old
	}
	k.rankLog = k.rankLog[:m.rankLog]
	for i := len(k.path) - 1; i >= m.path; i-- {
		k.give(k.path[i])
	}
	k.path = k.path[:m.path]
	clear(k.dirty)
	k.highest = 0
}

// revert takes back one change.
func (k *kernel) revert(c change) {
	b := Buffer(c.at) - k.n // the buffer of which inf is to change, if any
	if c.at < 0 {
		b = Buffer(^c.at)
		k.lb[b], k.inf[b] = c.old, c.old
	} else if k.cells[c.at] = c.old; b < 0 || b >= k.n {
		return
	}
	for x := Piece(b); x != none; x = k.next[x] {
		k.block[x].start = c.old + k.span[x].lower
	}
}

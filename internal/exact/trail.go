package exact

// Everything that a placement and the inferences after it change is taken back
// here and nowhere else: bounds and floors from the trail, ranks from their log,
// sets and sums by adding again what was taken out.
//
// A dive among n buffers that all overlap raises n²/2 bounds, so a trail that
// keeps them all takes 1.6 GB for 10,000 buffers. The trail is therefore cut: where it
// has grown to trailMost, search drops the older half. The search goes on below
// as before and finds its plan; only where it would have to back up over what is
// lost it gives up, undecided. What it has refuted until then is in the memo.
//
// Invariant: undone to a mark, the state is what it was at the mark.

// change is an entry of the trail: cells[at] was old.
type change struct {
	at  int32
	old int64
}

// trailMost is how many entries the trail keeps: 64 MiB. Tests set it lower.
var trailMost = 1 << 22

// set writes cells[at] and records the old value on the trail.
func (k *kernel) set(at int32, value int64) {
	k.trail = append(k.trail, change{at, k.cells[at]})
	k.cells[at] = value
}

// setInf writes inf[j], and where its pieces start, and makes its sections dirty.
func (k *kernel) setInf(j Buffer, value int64) {
	k.set(int32(k.n+j), value)
	for x := Piece(j); x != none; x = k.next[x] {
		at := &k.span[x]
		k.block[x].start = value + at.lower
		k.highest = max(k.highest, value+at.lower)
		k.mark(at.first, at.last)
	}
}

// mark is a point to undo to. Positions on the trail count what was dropped.
type mark struct {
	trail, rankLog int
}

func (k *kernel) now() mark { return mark{k.dropped + len(k.trail), len(k.rankLog)} }

// lost reports whether the way back to the mark has been dropped.
func (k *kernel) lost(m mark) bool { return m.trail < k.dropped }

// trim drops the older half of a trail that has become too long. Search calls it
// where nobody is about to ask what has changed since an earlier position. It
// also makes room ahead: append alone leaves five times as much behind.
func (k *kernel) trim() {
	if len(k.trail) < trailMost {
		if room := min(4*len(k.trail), trailMost) + 4*int(k.n); 2*len(k.trail) > cap(k.trail) && room > cap(k.trail) {
			k.trail = append(make([]change, 0, room), k.trail...)
		}
		return
	}
	half := len(k.trail) / 2
	k.dropped += half
	k.trail = k.trail[:copy(k.trail, k.trail[half:])]
}

// undo takes back the placement of j and everything since the mark. Where the
// way back is lost, bounds and floors stay as they are; the search ends then.
func (k *kernel) undo(m mark, j Buffer) {
	to := max(0, m.trail-k.dropped)
	n := int32(k.n)
	for i := len(k.trail) - 1; i >= to; i-- {
		c := k.trail[i]
		k.cells[c.at] = c.old
		if c.at >= n && c.at < 2*n {
			for x := Piece(c.at - n); x != none; x = k.next[x] {
				k.block[x].start = c.old + k.span[x].lower
			}
		}
	}
	k.trail = k.trail[:to]
	for i := len(k.rankLog) - 1; i >= m.rankLog; i-- {
		k.rank[k.rankLog[i].j] = k.rankLog[i].old
	}
	k.rankLog = k.rankLog[:m.rankLog]
	k.give(j)
	clear(k.dirty)
	k.highest = 0
}

package exact

// Everything that a placement and the inferences after it change is taken back
// here and nowhere else: bounds and floors from the trail, ranks from their log,
// totals and cuts by adding again what was subtracted.
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

// mark is a point to undo to. Positions on the trail count what was dropped.
type mark struct {
	trail, rankLog, used int
}

func (k *kernel) mark() mark { return mark{k.dropped + len(k.trail), len(k.rankLog), k.used} }

// since returns the entries of the trail from a position on.
func (k *kernel) since(position int) []change { return k.trail[position-k.dropped:] }

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
	for i := len(k.trail) - 1; i >= to; i-- {
		c := k.trail[i]
		k.cells[c.at] = c.old
	}
	k.trail = k.trail[:to]
	for i := len(k.rankLog) - 1; i >= m.rankLog; i-- {
		k.rank[k.rankLog[i].j] = k.rankLog[i].old
	}
	k.rankLog = k.rankLog[:m.rankLog]
	k.used = m.used
	k.placed[j] = false
	k.addTotals(j, 1)
	for s := k.first[j]; s+1 < k.last[j]; s++ {
		k.cuts[s]++
	}
}

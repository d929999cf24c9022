package lower

import (
	"cmp"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: the step repeats, so slots count modulo the period, and any slot may be the first. Time is cut where the
// fewest bytes are live from one slot to the next. A buffer that crosses the cut is live at both ends and has a
// gap between. Any other buffer has an ordinary lifespan. A problem without rules says the same by gaps (seam.go).
//
// Complexity: O(n log n).

// cut returns the time at which a problem with a period is cut.
func (l *Lowering) cut() int64 {
	at, _ := quietest(l.Problem.Rules.Period, func(yield func(lower, upper, size int64)) {
		for i := range l.Problem.Buffers {
			b := &l.Problem.Buffers[i]
			yield(b.Lower, b.Upper, b.Size)
		}
	})
	return at
}

// quietest returns the time t in [0, period) that the fewest bytes cross, the earliest of several, and how many
// fewer they are than at time 0. A life [lower, upper) crosses t if it is live in slots t - 1 and t, modulo the
// period. It begins in [0, period) and is at most one period long. One that lasts for the whole period has no gap
// wherever time is cut, so it does not count.
func quietest(period int64, lives func(yield func(lower, upper, size int64))) (at, saved int64) {
	type event struct{ at, bytes int64 }
	events := []event{{0, 0}}
	add := func(from, to, size int64) {
		if from < to {
			events = append(events, event{from, size}, event{to, -size})
		}
	}
	lives(func(lower, upper, size int64) {
		if upper-lower < period { // it crosses the times from lower + 1 to upper - 1
			add(lower+1, min(upper, period), size)
			add(max(lower+1-period, 0), upper-period, size)
		}
	})
	sorting.Structs(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	first, least, crossing := int64(-1), int64(-1), int64(0)
	for k, e := range events {
		crossing += e.bytes
		last := k == len(events)-1 || events[k+1].at > e.at
		if last && e.at < period && (least < 0 || crossing < least) {
			if first < 0 {
				first = crossing // the bytes that cross time 0, the first event
			}
			at, least = e.at, crossing
		}
	}
	return at, first - least
}

// pieces yields the pieces of a buffer on the line of time that the sweep uses.
func (l *Lowering) pieces(i int32, yield func(model.Piece)) {
	b := &l.Problem.Buffers[i]
	if l.lives != nil {
		yield(model.Piece{Lower: l.lives[i].lower, Upper: l.lives[i].upper, To: b.Size})
		return
	}
	if l.Problem.Rules == nil || l.Problem.Rules.Period == 0 {
		for x := range b.Pieces {
			yield(x)
		}
		return
	}
	turned(b, 0, l.Problem.Rules.Period, l.turn, yield)
}

// turned yields the pieces of a buffer if the slots from base to base + period are cut at base + turn. Time then
// begins at base again.
func turned(b *model.Buffer, base, period, turn int64, yield func(model.Piece)) {
	for x := range b.Pieces {
		length := x.Upper - x.Lower
		x.Lower = base + mod(x.Lower-base-turn, period)
		if x.Upper = x.Lower + length; x.Upper <= base+period {
			yield(x)
			continue
		}
		yield(model.Piece{Lower: x.Lower, Upper: base + period, From: x.From, To: x.To})
		yield(model.Piece{Lower: base, Upper: x.Upper - period, From: x.From, To: x.To})
	}
}

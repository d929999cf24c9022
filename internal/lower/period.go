package lower

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: the step repeats, so slots count modulo the period, and any slot may be the first. Time is cut where the
// fewest bytes are live from one slot to the next. A buffer that crosses the cut is live at both ends and has a gap between. Any other buffer
// has an ordinary lifespan.
//
// Complexity: O(n log n).

// cut returns the time t in [0, period) that the fewest bytes cross. A buffer crosses t if it is live in slots t - 1 and t.
func (l *Lowering) cut() int64 {
	period := l.Problem.Rules.Period
	type event struct{ at, bytes int64 }
	events := []event{{0, 0}}
	add := func(from, to, size int64) {
		if from < to {
			events = append(events, event{from, size}, event{to, -size})
		}
	}
	for i := range l.Problem.Buffers {
		b := &l.Problem.Buffers[i]
		// It crosses the times from lower + 1 to upper - 1.
		add(b.Lower+1, min(b.Upper, period), b.Size)
		add(max(b.Lower+1-period, 0), b.Upper-period, b.Size)
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	best, least, crossing := int64(0), int64(-1), int64(0)
	for k, e := range events {
		crossing += e.bytes
		last := k == len(events)-1 || events[k+1].at > e.at
		if last && e.at < period && (least < 0 || crossing < least) {
			best, least = e.at, crossing
		}
	}
	return best
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
	period := l.Problem.Rules.Period
	for x := range b.Pieces {
		length := x.Upper - x.Lower
		x.Lower = mod(x.Lower-l.turn, period)
		if x.Upper = x.Lower + length; x.Upper <= period {
			yield(x)
			continue
		}
		yield(model.Piece{Lower: x.Lower, Upper: period, From: x.From, To: x.To})
		yield(model.Piece{Lower: 0, Upper: x.Upper - period, From: x.From, To: x.To})
	}
}

// Turned returns a valid problem, whose only rule is its period, as a problem without rules: time begins at
// the cut, and what crosses it has a gap. Buffers and their order stay, so the plans of the two are the same.
func Turned(p *model.Problem) *model.Problem {
	l := &Lowering{Problem: p}
	l.turn = l.cut()
	plain := *p
	plain.Rules, plain.Buffers = nil, slices.Clone(p.Buffers)
	for i := range plain.Buffers {
		b := &plain.Buffers[i]
		b.Gaps = nil
		var all []model.Piece
		l.pieces(int32(i), func(x model.Piece) { all = append(all, x) })
		slices.SortFunc(all, func(x, y model.Piece) int { return cmp.Compare(x.Lower, y.Lower) })
		b.Lower, b.Upper = all[0].Lower, all[len(all)-1].Upper
		for k := 1; k < len(all); k++ {
			if x, y := all[k-1], all[k]; x.Upper < y.Lower {
				b.Gaps = append(b.Gaps, model.Gap{Lower: x.Upper, Upper: y.Lower})
			}
		}
	}
	return &plain
}

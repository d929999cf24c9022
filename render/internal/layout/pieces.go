package layout

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer is one or more pieces, each a stretch of time in which one
// range of its bytes is in use. Cut at its gaps, a buffer is drawn, and adds to
// the load, piece by piece.
//
// The sweep of internal/timeline prepares the same for planners. It is not used
// here: render sees only the model, so that a picture shows what the input says
// and not what a planner made of it.
//
// Complexity: O(p log p) for p pieces, by sorting their ends.

// A piece is a rectangle of time and bytes, the latter relative to the
// buffer's offset.
type piece struct {
	buffer       int32
	windowed     bool // only a part of the buffer, during a gap
	lower, upper int64
	from, to     int64
}

// cut returns the pieces of all buffers, those of one buffer together and in
// ascending time.
func cut(p *model.Problem) []piece {
	pieces := make([]piece, 0, len(p.Buffers))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		for x := range b.Pieces {
			part := x.From > 0 || x.To < b.Size
			pieces = append(pieces, piece{int32(i), part, x.Lower, x.Upper, x.From, x.To})
		}
	}
	return pieces
}

// A profile is the load over time: loads[k] holds from times[k] up to
// times[k+1]. The last load is 0.
type profile struct {
	times, loads []int64
	peak         int64
	at           int // index of the first peak
}

func newProfile(pieces []piece) profile {
	type change struct{ time, by int64 }
	changes := make([]change, 0, 2*len(pieces))
	for _, c := range pieces {
		changes = append(changes, change{c.lower, c.to - c.from}, change{c.upper, c.from - c.to})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.time, b.time) })
	var f profile
	var load int64
	for i, c := range changes {
		load += c.by
		if i+1 < len(changes) && changes[i+1].time == c.time {
			continue // ends and starts at one time are one step
		}
		if load > f.peak {
			f.peak, f.at = load, len(f.times)
		}
		f.times = append(f.times, c.time)
		f.loads = append(f.loads, load)
	}
	return f
}

// timeRange returns the first and last time of any lifespan, [0, 1] for none.
func timeRange(p *model.Problem) (lower, upper int64) {
	if len(p.Buffers) == 0 {
		return 0, 1
	}
	lower, upper = p.Buffers[0].Lower, p.Buffers[0].Upper
	for i := range p.Buffers {
		lower = min(lower, p.Buffers[i].Lower)
		upper = max(upper, p.Buffers[i].Upper)
	}
	return lower, upper
}

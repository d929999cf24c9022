package layout

import (
	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer is one or more pieces, each a stretch of time in which one
// range of its bytes is in use. Cut at its gaps, a buffer is drawn piece by piece.
//
// The sweep of internal/timeline prepares the same for planners. It is not used here: render sees only the model, so
// that a picture shows what the input says and not what a planner made of it.
//
// Complexity: O(p) for p pieces.

// A piece is a rectangle of time and bytes, the latter relative to the buffer's offset.
type piece struct {
	buffer       int32
	windowed     bool // only a part of the buffer, during a gap
	lower, upper int64
	from, to     int64
}

// cut returns the pieces of all buffers, those of one buffer together and in ascending time.
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

// timeRange returns the first and last time of any lifespan, [0, 1] for none.
func timeRange(p *model.Problem) (lower, upper int64) {
	if len(p.Buffers) == 0 {
		return 0, 1
	}
	return profile.Horizon(p)
}

package model

// Idea: at each moment of its life a buffer uses one range of its bytes, or none. Pieces has these ranges over time.
// This is the only place that interprets gaps and windows: conflicts, loads and pictures all use Pieces.
//
// Complexity: O(gaps of the buffer).

// A Piece is a stretch of a buffer's life during which it uses one range of its bytes.
type Piece struct {
	Lower, Upper int64 // the logical time, half-open
	From, To     int64 // the bytes in use, half-open, counted from the buffer's offset
}

// Pieces is an iterator over the pieces of a valid buffer in the order of time:
// for piece := range b.Pieces. Outside of gaps a piece has all bytes of the buffer. During a gap it has the bytes of
// the window; a gap without a window has no piece. Neighbouring pieces may have the same bytes.
func (b *Buffer) Pieces(yield func(Piece) bool) {
	at := b.Lower
	for k := range b.Gaps {
		g := &b.Gaps[k]
		if at < g.Lower && !yield(Piece{at, g.Lower, 0, b.Size}) {
			return
		}
		if g.Window != nil && !yield(Piece{g.Lower, g.Upper, g.Window.Lower, g.Window.Upper}) {
			return
		}
		at = g.Upper
	}
	if at < b.Upper {
		yield(Piece{at, b.Upper, 0, b.Size})
	}
}

// HasWindow reports whether any gap of the buffer has a window.
func (b *Buffer) HasWindow() bool {
	for k := range b.Gaps {
		if b.Gaps[k].Window != nil {
			return true
		}
	}
	return false
}

package model

// Idea: what a gap and its window mean is said here and nowhere else: at each moment of
// its life a buffer uses one range of its bytes, or none. Pieces has these ranges over
// time, and whoever asks who meets whom, how high the load is, or what to draw, asks it.
//
// Complexity: O(gaps) for a buffer.

// A Piece is a stretch of a buffer's life during which it uses one range of its bytes.
type Piece struct {
	Lower, Upper int64 // when, half-open
	From, To     int64 // which of its bytes, half-open, counted from its offset
}

// Pieces calls yield with the pieces of a valid buffer in ascending order, until that
// returns false: all of its bytes outside of gaps, a gap's window during the gap, and
// nothing where the gap has none. Of two pieces that meet in time both may be of the same
// bytes. It is for range: for piece := range b.Pieces.
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

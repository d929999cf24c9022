package heuristic

import "sort"

// Idea: free chunks are one list, sorted by size, then by address, and cut into pieces. So an insertion moves only a
// piece.
//
// Invariant: no piece is empty, and none is longer than pieceLimit.
//
// Complexity: O(log f + pieceLimit) a step for f free chunks, and f/pieceLimit moves where a piece is cut in two.

// pieceLimit is the length of a piece at which it is cut in two.
const pieceLimit = 256

// holes is a set of free chunks.
type holes struct{ pieces [][]hole }

// find returns the place of the first hole that is not less than h; the piece is len(s.pieces) if there is none.
func (s *holes) find(h hole) (piece, at int) {
	piece = sort.Search(len(s.pieces), func(k int) bool {
		return s.pieces[k][len(s.pieces[k])-1].compare(h) >= 0
	})
	if piece < len(s.pieces) {
		p := s.pieces[piece]
		at = sort.Search(len(p), func(k int) bool { return p[k].compare(h) >= 0 })
	}
	return piece, at
}

// next returns the place after another.
func (s *holes) next(piece, at int) (int, int) {
	if at+1 < len(s.pieces[piece]) {
		return piece, at + 1
	}
	return piece + 1, 0
}

func (s *holes) insert(h hole) {
	k, at := s.find(h)
	if k == len(s.pieces) {
		if k == 0 {
			s.pieces = append(s.pieces, []hole{h})
			return
		}
		k--
		at = len(s.pieces[k])
	}
	piece := append(s.pieces[k], hole{})
	copy(piece[at+1:], piece[at:])
	piece[at] = h
	if half := pieceLimit / 2; len(piece) > pieceLimit {
		s.pieces = append(s.pieces, nil)
		copy(s.pieces[k+2:], s.pieces[k+1:])
		s.pieces[k+1] = append([]hole(nil), piece[half:]...)
		piece = piece[:half]
	}
	s.pieces[k] = piece
}

// remove takes out the hole at a place.
func (s *holes) remove(piece, at int) {
	p := s.pieces[piece]
	s.pieces[piece] = append(p[:at], p[at+1:]...)
	if len(p) == 1 {
		s.pieces = append(s.pieces[:piece], s.pieces[piece+1:]...)
	}
}

package plan

// A Move is one step of a search that places buffers one after the other: it places a buffer, or takes a placement
// back. A search undoes its latest placements first, so the placements form a stack. A search may also find plans in
// other ways, for example by ordering pairs of buffers. These steps are not reported as moves.
type Move struct {
	// Kind says what happens.
	Kind MoveKind
	// Buffer is an index into Problem.Buffers. For MoveBegin, MoveDone and MovePlan it identifies the part of the
	// problem that is searched: one of its buffers, always the same.
	Buffer int
	// Offset in bytes is the place of the buffer for MovePlace, the capacity that is asked
	// about for MoveBegin, and the height found for MovePlan. It is 0 for other kinds.
	Offset int64
}

// A MoveKind says what happens in a Move.
type MoveKind uint8

// The kinds of moves.
const (
	// MoveBegin: a search of a part of the problem begins. It discards the placements
	// that an earlier search of that part left.
	MoveBegin MoveKind = iota
	// MovePlace: the buffer is placed, or moved if it was placed already.
	MovePlace
	// MoveBack: the placement of the buffer, and every later one, is taken back.
	MoveBack
	// MoveDone: the unplaced buffers have split into independent groups, and one of the groups is placed.
	MoveDone
	// MovePlan: every buffer of the part is placed. The height is Offset.
	MovePlan
)

package plan

// A Move is a step of a search that places buffers one after the other: a placement that it
// tries, or one that it takes back. A search goes back the way it came, so the current
// placements are a stack. There are no moves for what a search finds in other ways: by
// ordering pairs of buffers, or by planning composites or stretches of time.
type Move struct {
	// Kind is what happens.
	Kind MoveKind
	// Buffer is an index into Problem.Buffers. For MoveBegin, MoveDone and MovePlan it
	// stands for the part that is searched: always the same one of its buffers.
	Buffer int
	// Offset is where the buffer is placed. For MoveBegin it is the capacity that is asked
	// about, for MovePlan the height that was found, and otherwise 0.
	Offset int64
}

// A MoveKind is what happens in a Move.
type MoveKind uint8

// The kinds.
const (
	// MoveBegin: a search of a part of the problem begins. Everything that an earlier
	// search of that part placed is gone.
	MoveBegin MoveKind = iota
	// MovePlace: the buffer is placed. If it is placed already, it moves.
	MovePlace
	// MoveBack: the placement of the buffer is taken back, with all that came after it.
	MoveBack
	// MoveDone: the unplaced buffers fall into pieces that are independent of one another,
	// and one of these is placed.
	MoveDone
	// MovePlan: the whole part is placed, up to the height Offset.
	MovePlan
)

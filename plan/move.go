package plan

// A Move is a step of a search that places buffers one after the other: what it tries,
// and what it takes back. A search goes back the way it came, so the placements that
// stand are a stack. What a search finds in other ways, by ordering pairs of buffers, by
// planning composites or stretches of time, is no move.
type Move struct {
	// Kind is what happens.
	Kind MoveKind
	// Buffer is an index into Problem.Buffers. Of MoveBegin, MoveDone and MovePlan it is
	// one of the buffers of the part that is searched, always the same, as its name.
	Buffer int
	// Offset is where the buffer is placed; of MoveBegin the capacity that is asked
	// about, of MovePlan the height that was found; else 0.
	Offset int64
}

// A MoveKind is what happens in a Move.
type MoveKind uint8

// The kinds.
const (
	// MoveBegin: a search of a part of the problem begins. All that an earlier search of
	// that part had placed is gone.
	MoveBegin MoveKind = iota
	// MovePlace: the buffer is placed. One that is placed already goes elsewhere.
	MovePlace
	// MoveBack: the placement of the buffer is taken back, and all that came after it.
	MoveBack
	// MoveDone: what is left has fallen into pieces that have nothing to do with one
	// another, and one of them is placed.
	MoveDone
	// MovePlan: all of the part is placed, up to the height Offset.
	MovePlan
)

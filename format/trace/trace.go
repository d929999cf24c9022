// Package trace reads and writes traces of sessions: the changes of a problem, one a line. A compiler or
// `stowage gen edit` makes a trace, and a session plays it (package session).
//
//	{"op":"open","format":"stowage-trace/1","capacity":1048576,"alignment":64,"source":"gen edit seed=1"}
//	{"op":"add","id":"t1","lower":0,"upper":4,"size":4096,"offset":0}
//	{"op":"mark","id":"m1"}
//	{"op":"resize","id":"t1","size":8192}
//	{"op":"rollback","id":"m1"}
//
// The first line is open. Times are half-open, and sizes are bytes. A key that an operation does not have is refused.
// An ID may return after its buffer was removed. After a rollback the buffers are those of the mark.
//
//	trace.go  the types, and which keys each operation has
//	read.go   the reader
//	write.go  the writer
package trace

import "github.com/stowage-go/stowage/model"

// Format is what the first line of a trace calls its format.
const Format = "stowage-trace/1"

// A Trace is a sequence of changes.
type Trace struct {
	Capacity  int64  // bytes; 0 for no limit
	Alignment int64  // the least alignment of each buffer; 0 and 1 both mean no constraint
	Source    string // says where the trace comes from; it may be empty
	Ops       []Op   // without open
}

// A Kind is the name of an operation.
type Kind string

// The operations. Open is only the first line.
const (
	Open     Kind = "open"
	Add      Kind = "add"      // a buffer comes
	Remove   Kind = "remove"   // a buffer leaves
	Resize   Kind = "resize"   // a buffer has another size
	Retime   Kind = "retime"   // a buffer has another lifespan
	Pin      Kind = "pin"      // a buffer must lie at an offset; without one, where it lies
	Unpin    Kind = "unpin"    // a pinned buffer may move again
	Fits     Kind = "fits"     // asks whether a buffer could be added
	Replan   Kind = "replan"   // asks for a plan of at most a height; without one, for the lowest
	Mark     Kind = "mark"     // a state to return to
	Rollback Kind = "rollback" // returns to a mark; it and later ones are gone then
	Commit   Kind = "commit"   // forgets a mark and later ones
	Request  Kind = "request"  // what the recorder wanted to place: segments of one buffer, or one of them
	Result   Kind = "result"   // how the recorder's request ended
)

// An Op is one operation. Which fields count depends on its kind.
type Op struct {
	Kind         Kind      // which call it is
	Line         int       // in the file; 0 if the trace was made otherwise
	ID           string    // of a buffer, a mark or a request
	Lower, Upper int64     // the lifespan [Lower, Upper), in logical time
	Size         int64     // in bytes
	Alignment    int64     // 0 if the line has none
	Value        *int64    // what the buffer is worth in fast memory; nil if the line has none
	Group        string    // buffers of a group must have one offset; empty for none
	Offset       *int64    // where the recorder placed it; a session may choose another place
	Expect       string    // of fits: yes, no or empty
	Reason       string    // of replan
	Height       int64     // of replan; 0 if the line has none
	Outcome      string    // of result: the key "value"
	Segments     []Segment // of request
	Slices       []Slice   // of add: parts from low to high that start at times of their own; nil for none
	Moved        []Move    // of replan: where the recorder placed buffers then; nil if it moved none
}

// A Slice is a part of a buffer that comes in parts: all end with the buffer. Their sizes add up to the buffer's, and the
// earliest starts with it.
type Slice struct {
	Size  int64 // in bytes
	Lower int64 // its first slot
}

// A Move is what a recorder's replan did with a buffer.
type Move struct {
	ID     string  // of the buffer
	Offset int64   // its new one
	Slices []Slice // in their new order; nil if the buffer has none, or they stay
}

// A Segment is a part of a request.
type Segment struct {
	ID           string // of the buffer that it would be
	Lower, Upper int64  // its lifespan [Lower, Upper), in logical time
	Size         int64  // in bytes
}

// Buffer returns the buffer of an operation add or fits.
func (o *Op) Buffer() model.Buffer {
	return model.Buffer{ID: o.ID, Lower: o.Lower, Upper: o.Upper, Size: o.Size, Alignment: o.Alignment}
}

// keys has the keys of each operation: those that it must have, then those that it may have.
var keys = map[Kind][2][]string{
	Open:     {{"format"}, {"capacity", "alignment", "source"}},
	Add:      {{"id", "lower", "upper", "size"}, {"alignment", "value", "group", "offset", "slices"}},
	Fits:     {{"id", "lower", "upper", "size"}, {"alignment", "value", "group", "expect"}},
	Remove:   {{"id"}, nil},
	Resize:   {{"id", "size"}, nil},
	Retime:   {{"id", "lower", "upper"}, nil},
	Pin:      {{"id"}, {"offset"}},
	Unpin:    {{"id"}, nil},
	Replan:   {nil, {"reason", "height", "moved"}},
	Mark:     {{"id"}, nil},
	Rollback: {{"id"}, nil},
	Commit:   {{"id"}, nil},
	Request:  {{"id"}, {"value", "segments", "lower", "upper", "size"}},
	Result:   {{"value"}, nil},
}

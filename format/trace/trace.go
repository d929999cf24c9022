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
// Rules have the keys and values of a problem in JSON (format/json, version 2). The first line has pools, threads, the
// period, and rules about the buffers that come first; other rules come with buffers, or by themselves:
//
//	{"op":"open","format":"stowage-trace/1","pools":[{"id":"sram","capacity":4096},{"id":"dram"}],"apart":[["a","b"]]}
//	{"op":"add","id":"a","lower":0,"upper":4,"size":512,"offset":0,"pool":"sram"}
//	{"op":"add","id":"b","lower":0,"upper":4,"size":512,"offset":0,"pool":"dram"}
//	{"op":"place","buffers":[{"id":"c","lower":2,"upper":6,"size":64}],"together":[{"buffers":["a","c"],"at":[0,64]}]}
//	{"op":"bind","may_overlap":[["b","c"]]}
//	{"op":"limit","capacity":2048,"pool":"sram"}
//
//	trace.go  the types, and which keys each operation has
//	read.go   the reader
//	rules.go  what format/json reads and writes of a line
//	write.go  the writer
package trace

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Format is the name of the format in the first line of a trace.
const Format = "stowage-trace/1"

// A Trace is a sequence of changes.
type Trace struct {
	Capacity  int64        // bytes; 0 for no limit
	Alignment int64        // the least alignment of each buffer; 0 and 1 both mean no constraint
	Source    string       // says where the trace comes from; it may be empty
	Pools     []model.Pool // with capacities of their own; empty for one, which has Capacity
	Threads   int          // clocks of each lifespan; 0 for one line of time
	Period    int64        // slots of a period; 0 for none
	Rules     Rules        // about the buffers that come first, with offsets
	Ops       []Op         // without open
}

// Rules are rules about buffers, by their IDs. The zero value says nothing.
type Rules struct {
	Together   []Tie       // buffers in one pool, at fixed distances
	Apart      [][2]string // pairs that share no byte of a pool, whatever their lifespans
	MayOverlap [][2]string // pairs that may share bytes although they are live together
	Distances  []Distance  // pairs that meet in one slot, and share bytes in it if they are far enough apart
}

// A Tie is model.Together by IDs.
type Tie struct {
	Buffers []string // IDs
	At      []int64  // distances in the order of Buffers; nil for zeros
}

// A Distance is model.Distance by IDs: First dies in the slot in which Second is born, and they may share bytes in it
// if the offset of First is at least that of Second plus Bytes.
type Distance struct {
	First, Second string // IDs
	Bytes         int64  // it may be negative
}

// None reports whether there are no rules.
func (r *Rules) None() bool {
	return len(r.Together)+len(r.Apart)+len(r.MayOverlap)+len(r.Distances) == 0
}

// Join appends other rules.
func (r *Rules) Join(o Rules) {
	r.Together, r.Apart = append(r.Together, o.Together...), append(r.Apart, o.Apart...)
	r.MayOverlap, r.Distances = append(r.MayOverlap, o.MayOverlap...), append(r.Distances, o.Distances...)
}

// Names returns the IDs in the rules, each once.
func (r *Rules) Names() (ids []string) {
	seen := map[string]bool{}
	add := func(all ...string) {
		for _, id := range all {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	for _, t := range r.Together {
		add(t.Buffers...)
	}
	for _, pair := range slices.Concat(r.Apart, r.MayOverlap) {
		add(pair[:]...)
	}
	for _, d := range r.Distances {
		add(d.First, d.Second)
	}
	return ids
}

// Ruled reports whether the trace has rules. Then the session that plays it has rules too.
func (t *Trace) Ruled() bool {
	if len(t.Pools) > 0 || t.Threads != 0 || t.Period != 0 || !t.Rules.None() {
		return true
	}
	return slices.ContainsFunc(t.Ops, func(o Op) bool {
		extra := func(b model.Buffer) bool { return b.Extra != nil }
		return o.Group != "" || o.Extra != nil || !o.Rules.None() || slices.ContainsFunc(o.Buffers, extra)
	})
}

// A Kind is the name of an operation.
type Kind string

// The operations. Open is only the first line.
const (
	Open     Kind = "open"
	Add      Kind = "add"      // a buffer comes
	Place    Kind = "place"    // buffers come, all of them or none
	Remove   Kind = "remove"   // a buffer leaves
	Resize   Kind = "resize"   // a buffer has another size
	Retime   Kind = "retime"   // a buffer has another lifespan
	Pin      Kind = "pin"      // a buffer must lie at an offset; without one, where it lies
	Unpin    Kind = "unpin"    // a pinned buffer may move again
	Fits     Kind = "fits"     // asks whether a buffer could be added
	Bind     Kind = "bind"     // rules come
	Unbind   Kind = "unbind"   // rules go
	Limit    Kind = "limit"    // the capacity is another one, or that of a pool
	Replan   Kind = "replan"   // asks for a plan of at most a height; without one, for the lowest
	Mark     Kind = "mark"     // a state to return to
	Rollback Kind = "rollback" // returns to a mark; it and later ones are gone then
	Commit   Kind = "commit"   // forgets a mark and later ones
	Request  Kind = "request"  // the recorder wanted to place segments of one buffer, or one of them
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

	Rules    Rules          // of add, fits, place, bind and unbind
	Pool     *int32         // of limit, pin, and add beside its offset: an index into Pools; nil if the line has none
	Capacity int64          // of limit; 0 for none
	Buffers  []model.Buffer // of place
	Gaps     []model.Gap    // of add and fits
	Fixed    *int64         // of add and fits: the offset that the buffer must have; nil for any
	Hint     *int64         // of add and fits: an offset to prefer; nil for none
	Extra    *model.Extra   // of add, fits and retime: the buffer's pools, and clocks, whose sums are Lower and Upper
}

// A Slice is a part of a buffer that is allocated in parts. All slices end with the buffer. Their sizes add up to the
// buffer's size, and the earliest starts with the buffer.
type Slice struct {
	Size  int64 // in bytes
	Lower int64 // its first slot
}

// A Move is a buffer's place after a replan of the recorder.
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

// Buffer returns the buffer of an operation add or fits. It shares gaps and rules with the operation.
func (o *Op) Buffer() model.Buffer {
	return model.Buffer{
		ID: o.ID, Lower: o.Lower, Upper: o.Upper, Size: o.Size, Alignment: o.Alignment, Gaps: o.Gaps, Fixed: o.Fixed,
		Hint: o.Hint, Extra: o.Extra,
	}
}

// ruleKeys are the keys of rules about buffers. bufferKeys are the other keys that a buffer may have.
var (
	ruleKeys   = []string{"together", "apart", "may_overlap", "distances"}
	bufferKeys = []string{"gaps", "fixed", "hint", "pools"}
)

// keys has the keys of each operation: first the required keys, then the optional keys.
var keys = map[Kind][2][]string{
	Open: {
		{"format"}, slices.Concat([]string{"capacity", "alignment", "source", "pools", "threads", "period"}, ruleKeys),
	},
	Add: {
		{"id", "lower", "upper", "size"},
		slices.Concat([]string{"alignment", "value", "group", "offset", "slices", "pool"}, bufferKeys, ruleKeys),
	},
	Fits: {
		{"id", "lower", "upper", "size"},
		slices.Concat([]string{"alignment", "value", "group", "expect"}, bufferKeys, ruleKeys),
	},
	Place:    {{"buffers"}, ruleKeys},
	Remove:   {{"id"}, nil},
	Resize:   {{"id", "size"}, nil},
	Retime:   {{"id", "lower", "upper"}, nil},
	Pin:      {{"id"}, {"offset", "pool"}},
	Unpin:    {{"id"}, nil},
	Bind:     {nil, ruleKeys},
	Unbind:   {nil, ruleKeys},
	Limit:    {{"capacity"}, {"pool"}},
	Replan:   {nil, {"reason", "height", "moved"}},
	Mark:     {{"id"}, nil},
	Rollback: {{"id"}, nil},
	Commit:   {{"id"}, nil},
	Request:  {{"id"}, {"value", "segments", "lower", "upper", "size"}},
	Result:   {{"value"}, nil},
}

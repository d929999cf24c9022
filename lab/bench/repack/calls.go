package main

import (
	"fmt"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/session/repack"
)

// Idea: a trace of requests says what is in fast memory when a repacker is called. Each call has the plan at hand,
// the plan of the recorder's repacker, and the request that found no room.

// A call is one call of the recorder's repacker.
type call struct {
	repack.Call
	theirs int64 // the height of the recorder's repacker; 0 if the trace does not say it
	wanted *repack.Block
}

// callsOf returns the calls of a trace.
func callsOf(t *trace.Trace) (calls []call, err error) {
	f := follower{live: map[string]repack.Block{}, groups: map[string]int32{}}
	var wanted *repack.Block
	for i := range t.Ops {
		op := &t.Ops[i]
		switch op.Kind {
		case trace.Request:
			if op.Size > 0 {
				wanted = &repack.Block{Start: op.Lower, End: op.Upper - 1, Size: op.Size}
			}
		case trace.Replan:
			c := call{theirs: op.Height, wanted: wanted}
			c.Capacity, c.Alignment = t.Capacity, t.Alignment
			for _, id := range f.order {
				c.Blocks = append(c.Blocks, f.live[id])
			}
			calls, wanted = append(calls, c), nil
		}
		if err := f.follow(op); err != nil {
			return nil, fmt.Errorf("line %d: %w", op.Line, err)
		}
	}
	return calls, nil
}

// A follower knows what is in fast memory.
type follower struct {
	live   map[string]repack.Block
	order  []string // in the order of arrival
	groups map[string]int32
	marks  []saved
}

// A saved is a state to return to.
type saved struct {
	id    string
	live  map[string]repack.Block
	order []string
}

func (f *follower) follow(op *trace.Op) error {
	switch op.Kind {
	case trace.Add:
		if op.Offset == nil {
			return fmt.Errorf("%s has no offset: the plan of the recorder is not known", op.ID)
		}
		b := repack.Block{Start: op.Lower, End: op.Upper - 1, Size: op.Size, Offset: *op.Offset, Slices: slicesOf(op.Slices)}
		if op.Group != "" {
			if f.groups[op.Group] == 0 {
				f.groups[op.Group] = int32(len(f.groups) + 1)
			}
			b.Group = f.groups[op.Group]
		}
		f.live[op.ID] = b
		f.order = append(f.order[:len(f.order):len(f.order)], op.ID)
	case trace.Remove:
		delete(f.live, op.ID)
		kept := make([]string, 0, len(f.order))
		for _, id := range f.order {
			if id != op.ID {
				kept = append(kept, id)
			}
		}
		f.order = kept
	case trace.Replan:
		for _, m := range op.Moved {
			b := f.live[m.ID]
			if b.Offset = m.Offset; m.Slices != nil {
				b.Slices = slicesOf(m.Slices)
			}
			f.live[m.ID] = b
		}
	case trace.Mark:
		s := saved{op.ID, map[string]repack.Block{}, f.order}
		for id, b := range f.live {
			s.live[id] = b
		}
		f.marks = append(f.marks, s)
	case trace.Rollback, trace.Commit:
		for k := len(f.marks) - 1; k >= 0; k-- {
			if s := f.marks[k]; s.id == op.ID {
				if f.marks = f.marks[:k]; op.Kind == trace.Rollback {
					f.live, f.order = s.live, s.order
				}
				break
			}
		}
	case trace.Resize, trace.Retime:
		return fmt.Errorf("%s: a trace of requests has none", op.Kind)
	}
	return nil
}

func slicesOf(list []trace.Slice) (out []repack.Slice) {
	for _, s := range list {
		out = append(out, repack.Slice{Size: s.Size, Start: s.Lower})
	}
	return out
}

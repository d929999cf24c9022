package xla

import (
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Idea: a trace is followed event by event: ALLOC begins a value, SHARE_WITH begins a value in the place of another
// one, and FREE ends one. The number of the event is the time.
//
// A trace may name its allocation by the number that it had before the allocations were sorted (jaxlib 0.10.2). So
// the allocation is taken from the values. If the values of a trace are in several allocations, the heap was cut, and
// each is a heap by itself.
//
// Tuples have allocations of their own, after that of the heap. They are no part of the trace.
//
// Invariant: a buffer is live at most once in a trace, and leads to the first buffer of its place.
//
// Complexity: O(n log n) for the n values.

// What an event does.
const (
	alloc uint64 = iota
	free
	shareWith
)

// A tracing is one trace as it is followed.
type tracing struct {
	*reader
	number  int32 // of the trace, from 1
	now     int64 // the event
	members []int32
}

func (t *tracing) where() string {
	return "buffer_assignment, heap_simulator_trace " + strconv.Itoa(int(t.number-1)) + ", event " +
		strconv.FormatInt(t.now, 10)
}

// trace follows a trace and returns the values of its heaps.
func (p *reader) trace(b []byte, at int) [][]value {
	t := tracing{reader: p, number: int32(at + 1)}
	p.each(b, "buffer_assignment, heap_simulator_trace "+strconv.Itoa(at),
		func(number protowire.Number, _ uint64, body []byte) {
			if number == traceEvents && body != nil {
				t.event(body)
				t.now++
			}
		})
	fresh := false
	for _, k := range t.members {
		l := &p.buffers[k]
		if l.end < 0 {
			l.end = t.now // live to the end
		}
		fresh = fresh || !l.planned
		l.planned = true
	}
	// The trace of a heap that was cut is there once for each of its parts.
	if p.fault != nil || !fresh {
		return nil
	}
	slices.SortFunc(t.members, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.buffers[a].allocation, p.buffers[b].allocation),
			cmp.Compare(p.buffers[a].id, p.buffers[b].id))
	})
	var heaps [][]value
	for from := 0; from < len(t.members); {
		to := from + 1
		for to < len(t.members) && p.buffers[t.members[to]].allocation == p.buffers[t.members[from]].allocation {
			to++
		}
		if values := t.values(t.members[from:to]); len(values) > 0 {
			heaps = append(heaps, values)
		}
		from = to
	}
	return heaps
}

// event follows one event.
func (t *tracing) event(b []byte) {
	var kind uint64
	var id, other int64
	var name []byte
	t.each(b, "buffer_assignment, heap_simulator_trace", func(number protowire.Number, value uint64, body []byte) {
		switch number {
		case eventKind:
			kind = value
		case eventBuffer:
			id = int64(value)
		case eventInstruction:
			name = body
		case eventSharesWith:
			other = int64(value)
		}
	})
	if t.fault != nil {
		return
	}
	k, ok := t.byID[id]
	if !ok {
		t.fail(t.where()+", buffer_id", strconv.FormatInt(id, 10), "there is no such buffer")
		return
	}
	l := &t.buffers[k]
	if kind == free {
		switch {
		case l.trace != t.number:
			t.fail(t.where()+", buffer_id", strconv.FormatInt(id, 10), "is freed before it is allocated")
		case l.end >= 0:
			t.fail(t.where()+", buffer_id", strconv.FormatInt(id, 10), "is freed twice")
		default:
			l.end = t.now
		}
		return
	}
	if kind > shareWith {
		t.fail(t.where()+", kind", strconv.FormatUint(kind, 10), "is not a known kind")
		return
	}
	if l.trace == t.number {
		t.fail(t.where()+", buffer_id", strconv.FormatInt(id, 10), "is allocated twice")
		return
	}
	if !t.spend(t.where(), 4) {
		return
	}
	l.trace, l.start, l.end, l.leader = t.number, t.now, -1, k
	if l.name == nil && l.instruction < 0 {
		l.name = name
	}
	if kind == shareWith {
		m, ok := t.byID[other]
		if !ok || t.buffers[m].trace != t.number {
			t.fail(t.where()+", share_with_canonical_id", strconv.FormatInt(other, 10), "no such buffer is allocated before")
			return
		}
		l.leader = t.buffers[m].leader
	}
	t.members = append(t.members, k)
}

// values returns the buffers of one allocation as values, those of no bytes left out. They are in order of their id.
func (t *tracing) values(members []int32) []value {
	const valueBytes = 96 + 2*32 + 48 + 100 + 64 // with its piece, its buffer and its name
	if !t.spend(t.where(), len(members)*valueBytes) {
		return nil
	}
	values := make([]value, 0, len(members))
	first := make(map[int32]int32, len(members)) // the first value of each leader
	for _, k := range members {
		l := &t.buffers[k]
		if l.size == 0 {
			continue
		}
		at := int32(len(values))
		lead, ok := first[l.leader]
		if !ok {
			lead = at
			first[l.leader] = at
		}
		values = append(values, value{
			id: l.id, size: l.size, offset: l.offset, placed: l.allocation >= 0, lower: l.start, upper: l.end, leader: lead,
		})
		if l.instruction >= 0 {
			t.used[l.instruction] = true
		}
	}
	return values
}

package xla

import (
	"bytes"
	"encoding/binary"
	"io"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: the reader decodes only two parts of an HloProto: the buffer assignment, and the names of the instructions that
// define a buffer of a heap. trace.go follows the traces.
//
// Invariant: everything that is kept comes out of the budget.
//
// Complexity: O(bytes), and the traces'.
//
// Source: openxla/xla xla/service/hlo.proto and xla/xla_data.proto; the numbers of the fields are from the descriptor
// in jaxlib 0.10.2.

// The fields that are read, by message.
const (
	hloModule           protowire.Number = 1 // HloProto
	hloBufferAssignment protowire.Number = 3

	moduleName         protowire.Number = 1 // HloModuleProto
	moduleComputations protowire.Number = 3

	computationInstructions protowire.Number = 2 // HloComputationProto

	instructionName protowire.Number = 1 // HloInstructionProto
	instructionID   protowire.Number = 35

	assignmentBuffers     protowire.Number = 1 // BufferAssignmentProto
	assignmentAllocations protowire.Number = 3
	assignmentTraces      protowire.Number = 4

	bufferID        protowire.Number = 1 // LogicalBufferProto
	bufferSize      protowire.Number = 2
	bufferDefinedAt protowire.Number = 3
	bufferColor     protowire.Number = 4

	locationName  protowire.Number = 2 // LogicalBufferProto.Location
	locationIndex protowire.Number = 3
	locationID    protowire.Number = 4 // of the instruction; before, the name was there

	allocationIndex    protowire.Number = 1 // BufferAllocationProto
	allocationAssigned protowire.Number = 9

	assignedBuffer protowire.Number = 1 // BufferAllocationProto.Assigned
	assignedOffset protowire.Number = 2

	traceEvents protowire.Number = 1 // HeapSimulatorTrace

	eventKind        protowire.Number = 1 // HeapSimulatorTrace.Event
	eventBuffer      protowire.Number = 2
	eventInstruction protowire.Number = 4
	eventSharesWith  protowire.Number = 5
)

// Read reads an HloProto from r; file is its name in messages. The error is r's, or a *model.InputError that names the
// fault by its place in the message, such as "buffer_assignment, heap_simulator_trace 0, event 12".
func Read(r io.Reader, file string) (*Dump, error) {
	data, budget, err := source.Binary(r, file)
	if err != nil {
		return nil, err
	}
	return parseWithin(data, file, budget)
}

// Parse is Read for the content of a file.
func Parse(data []byte, file string) (*Dump, error) {
	return parseWithin(data, file, source.BudgetOf(len(data)))
}

func parseWithin(data []byte, file string, budget source.Budget) (*Dump, error) {
	p := reader{file: file, Budget: budget}
	if len(data) > source.MaxBinary {
		p.fail("", "", "is larger than 2 GiB")
		return nil, p.fault
	}
	d := p.proto(data)
	if p.fault != nil {
		return nil, p.fault
	}
	return d, nil
}

// IsProto reports whether a file that begins with head may be an HloProto: a message whose first field is a message
// whose first field is a name.
func IsProto(head []byte) bool {
	number, kind, n := protowire.ConsumeTag(head)
	if n < 0 || number != hloModule || kind != protowire.BytesType {
		return false
	}
	length, k := protowire.ConsumeVarint(head[n:])
	if k < 0 {
		return false
	}
	head = head[n+k:]
	number, kind, n = protowire.ConsumeTag(head)
	if n < 0 || number != moduleName || kind != protowire.BytesType {
		return false
	}
	name, k := protowire.ConsumeVarint(head[n:])
	if k < 0 || name == 0 || name > 1<<16 || name+2 > length {
		return false
	}
	head = head[n+k:]
	head = head[:min(uint64(len(head)), name)]
	return len(head) > 0 && !bytes.ContainsFunc(head, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// A reader decodes one file. The first fault ends it.
type reader struct {
	source.Budget
	file  string
	fault error

	buffers []logical
	byID    map[int64]int32 // index into buffers
	// allocations has the numbers of the allocations.
	allocations []int64
	used        map[int64]bool   // instructions whose name is wanted
	names       map[int64][]byte // the names of these instructions
}

// logical is a buffer as XLA defines it, with the place that it was given.
type logical struct {
	id, size    int64
	color       int64
	instruction int64 // -1 if the file has a name
	name        []byte
	index       []byte // packed
	allocation  int32  // index into the file's; -1 for none
	offset      int64

	// The fields below are of the trace that the buffer was last seen in.
	trace      int32 // its number, from 1; 0 for none
	start, end int64 // events; end is -1 while it is live
	leader     int32 // the buffer that it shares with, or itself
	planned    bool  // a trace has made a value of it
}

const logicalBytes = 160 + 24 // and an entry of byID

func (p *reader) fail(field, value, message string) {
	if p.fault == nil {
		p.fault = refuse(model.Issue{File: p.file, Field: field, Value: value, Message: message})
	}
}

// spend takes n from the budget for a part of the message.
func (p *reader) spend(where string, n int) bool {
	if !p.Spend(n) {
		p.fail(where, "", p.Excess())
	}
	return p.fault == nil
}

// each calls do for each field of a message. value is the value of a number, and body that of a field with a length.
func (p *reader) each(b []byte, where string, do func(number protowire.Number, value uint64, body []byte)) {
	for len(b) > 0 && p.fault == nil {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			p.fail(where, "", "is truncated or damaged, or this is not an HloProto")
			return
		}
		var value uint64
		var body []byte
		k := 0
		switch kind {
		case protowire.VarintType:
			value, k = protowire.ConsumeVarint(b[n:])
		case protowire.BytesType:
			body, k = protowire.ConsumeBytes(b[n:])
			if body == nil {
				body = []byte{}
			}
		default:
			k = protowire.ConsumeFieldValue(number, kind, b[n:])
			number = 0 // no field that is read has this form
		}
		if k < 0 {
			p.fail(where, "", "is truncated or damaged, or this is not an HloProto")
			return
		}
		b = b[n+k:]
		do(number, value, body)
	}
}

func (p *reader) proto(data []byte) *Dump {
	var module, assignment []byte
	p.each(data, "", func(number protowire.Number, _ uint64, body []byte) {
		switch number {
		case hloModule:
			module = body
		case hloBufferAssignment:
			assignment = body
		}
	})
	if p.fault == nil && len(assignment) == 0 {
		p.fail("", "", "has no buffer assignment: XLA writes one to the dump after its optimizations, "+
			"NAME.after_optimizations.hlo.pb")
	}
	if p.fault != nil {
		return nil
	}
	d := &Dump{File: p.file}
	traces := p.assignment(assignment)
	if p.fault == nil && len(traces) == 0 {
		p.fail("buffer_assignment", "", "has no heap_simulator_trace: XLA places no temporaries in this module")
	}
	var heaps [][]value
	for k, body := range traces {
		heaps = append(heaps, p.trace(body, k)...)
		if p.fault != nil {
			return nil
		}
	}
	if p.fault == nil && len(heaps) == 0 {
		p.fail("buffer_assignment", "", "its heaps are empty: XLA places no temporaries in this module")
	}
	if p.fault != nil {
		return nil
	}
	d.Module = p.module(module)
	for _, values := range heaps {
		h := p.heap(values)
		if p.fault != nil {
			return nil
		}
		h.Problem.Name = d.Module
		d.Heaps = append(d.Heaps, h)
	}
	return d
}

// assignment reads the buffers and where they went, and returns the traces.
func (p *reader) assignment(b []byte) (traces [][]byte) {
	count := 0
	p.each(b, "buffer_assignment", func(number protowire.Number, _ uint64, body []byte) {
		if number == assignmentBuffers && body != nil {
			count++
		}
	})
	if p.fault != nil || !p.spend("buffer_assignment, logical_buffers", count*logicalBytes) {
		return nil
	}
	p.buffers = make([]logical, 0, count)
	p.byID = make(map[int64]int32, count)
	p.used = map[int64]bool{}
	p.names = map[int64][]byte{}
	p.each(b, "buffer_assignment", func(number protowire.Number, _ uint64, body []byte) {
		if number == assignmentBuffers && body != nil {
			p.buffer(body)
		}
	})
	p.each(b, "buffer_assignment", func(number protowire.Number, _ uint64, body []byte) {
		switch {
		case body == nil:
		case number == assignmentAllocations:
			p.allocation(body)
		case number == assignmentTraces:
			if p.spend("buffer_assignment, heap_simulator_traces", 24) {
				traces = append(traces, body)
			}
		}
	})
	return traces
}

func (p *reader) buffer(b []byte) {
	l := logical{instruction: -1, allocation: -1}
	const message = "buffer_assignment, logical_buffer"
	p.each(b, message, func(number protowire.Number, value uint64, body []byte) {
		switch number {
		case bufferID:
			l.id = int64(value)
		case bufferSize:
			l.size = int64(value)
		case bufferColor:
			l.color = int64(value)
		case bufferDefinedAt:
			p.each(body, message, func(number protowire.Number, value uint64, body []byte) {
				switch number {
				case locationName:
					l.name = body
				case locationIndex:
					if body == nil { // not packed, of which one number is enough
						body = binary.AppendUvarint(nil, value)
					}
					l.index = body
				case locationID:
					l.instruction = int64(value)
				}
			})
		}
	})
	where := func() string { return message + " " + strconv.Itoa(len(p.buffers)) }
	if l.size < 0 || l.size > model.MaxSum {
		p.fail(where()+", size", strconv.FormatInt(l.size, 10), "must be from 0 to "+strconv.FormatInt(model.MaxSum, 10))
	}
	if _, ok := p.byID[l.id]; ok {
		p.fail(where()+", id", strconv.FormatInt(l.id, 10), "is a duplicate")
	}
	p.byID[l.id] = int32(len(p.buffers))
	p.buffers = append(p.buffers, l)
}

// allocation notes which buffers are in the allocation, and where.
func (p *reader) allocation(b []byte) {
	at := int32(len(p.allocations))
	const message = "buffer_assignment, buffer_allocation"
	where := func() string { return message + " " + strconv.Itoa(int(at)) }
	if !p.spend(where(), 16) {
		return
	}
	p.allocations = append(p.allocations, 0)
	p.each(b, message, func(number protowire.Number, value uint64, body []byte) {
		if number == allocationIndex && body == nil {
			p.allocations[at] = int64(value)
		}
		if number != allocationAssigned || body == nil {
			return
		}
		var id, offset int64
		p.each(body, message, func(number protowire.Number, value uint64, _ []byte) {
			switch number {
			case assignedBuffer:
				id = int64(value)
			case assignedOffset:
				offset = int64(value)
			}
		})
		k, ok := p.byID[id]
		switch {
		case p.fault != nil:
		case !ok:
			p.fail(where()+", logical_buffer_id", strconv.FormatInt(id, 10), "there is no such buffer")
		case offset < 0 || offset > model.MaxSum:
			p.fail(where()+", offset", strconv.FormatInt(offset, 10), "must be from 0 to "+strconv.FormatInt(model.MaxSum, 10))
		default:
			p.buffers[k].allocation, p.buffers[k].offset = at, offset
		}
	})
}

// module reads the name of the module, and the names of the instructions in use.
func (p *reader) module(b []byte) (name string) {
	p.each(b, "hlo_module", func(number protowire.Number, _ uint64, body []byte) {
		switch {
		case body == nil:
		case number == moduleName && p.spend("hlo_module, name", len(body)):
			name = text(body)
		case number == moduleComputations:
			p.each(body, "hlo_module, computation", func(number protowire.Number, _ uint64, body []byte) {
				if number == computationInstructions && body != nil {
					p.instruction(body)
				}
			})
		}
	})
	return name
}

func (p *reader) instruction(b []byte) {
	var id int64
	var name []byte
	p.each(b, "hlo_module, computation, instruction", func(number protowire.Number, value uint64, body []byte) {
		switch number {
		case instructionName:
			name = body
		case instructionID:
			id = int64(value)
		}
	})
	if p.used[id] && p.names[id] == nil && p.spend("hlo_module, computation, instruction", 64) {
		p.names[id] = name
	}
}

// heap joins the values, and notes their allocation.
func (p *reader) heap(values []value) Heap {
	l := &p.buffers[p.byID[values[0].id]]
	for k := range values {
		v := &values[k]
		if v.name = p.name(&p.buffers[p.byID[v.id]]); !p.spend("hlo_module, computation, instruction", len(v.name)) {
			return Heap{}
		}
	}
	h := join(values, Alignment)
	h.Color = l.color
	if l.allocation >= 0 {
		h.Allocation = p.allocations[l.allocation]
	}
	p.fault = model.ValidateAs(h.Problem, model.Terms{Where: func(int) model.Issue { return model.Issue{File: p.file} }})
	return h
}

// name returns the name of a buffer as XLA prints it: the instruction's name, with the index of a part.
func (p *reader) name(l *logical) string {
	name := l.name
	if l.instruction >= 0 && p.names[l.instruction] != nil {
		name = p.names[l.instruction]
	}
	s := text(name)
	if s == "" {
		s = "buffer " + strconv.FormatInt(l.id, 10)
	}
	for k, b := 0, l.index; len(b) > 0; k++ {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 || k == 16 {
			break
		}
		b = b[n:]
		if k == 0 {
			s += "{"
		} else {
			s += ","
		}
		s += strconv.FormatUint(v, 10)
		if len(b) == 0 {
			s += "}"
		}
	}
	return s
}

// text turns bytes into a name. Protobuf promises that they are UTF-8.
func text(b []byte) string { return string(bytes.ToValidUTF8(b[:min(len(b), maxName)], []byte("?"))) }

// maxName is how much of a name is kept.
const maxName = 256

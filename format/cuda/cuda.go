// Package cuda reads snapshots of PyTorch's allocator for CUDA as problems of memory planning.
//
// torch.cuda.memory._dump_snapshot(FILE) writes a snapshot, after torch.cuda.memory._record_memory_history(). It is a
// pickle with every allocation and every free, in order. So a plan that knows the future can be compared with the
// memory that the allocator reserved.
//
// The allocator never gives a block of one stream to another, so each stream of each device is a problem by itself.
// Time is the number of the event in the device's trace. A block that existed before the trace is live from its start;
// a block that is never freed is live to its end. A block is live until free_completed, when another tensor may use its
// memory.
//
// The reader of pickles (pickle.go) makes only data and runs no code. It trusts no length or number of a file.
//
// Source: pytorch 016a041, torch/csrc/cuda/memory_snapshot.cpp for the layout of the pickle and
// c10/cuda/CUDACachingAllocator.cpp for the meaning of the events. The package was tested on snapshots that Python's
// own pickler wrote in that layout, not on one from a GPU.
package cuda

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Alignment is the alignment of blocks, in bytes.
const Alignment = 512

// A key of a dictionary that the reader wants.
type key uint8

const (
	keyAction key = iota
	keyAddr
	keySize
	keyStream
	keyDevice
	keyAddress
	keyTotalSize
	keyRequestedSize
	keyState
	keyBlocks
	keySegments
	keyTraces
)

var keys = sync.OnceValue(func() map[string]key {
	return map[string]key{
		"action": keyAction, "addr": keyAddr, "size": keySize, "stream": keyStream, "device": keyDevice,
		"address":    keyAddress,
		"total_size": keyTotalSize, "requested_size": keyRequestedSize, "state": keyState, "blocks": keyBlocks,
		"segments": keySegments, "device_traces": keyTraces,
	}
})

// A Heap is the memory that one stream of one device used.
type Heap struct {
	Device, Stream int64 // numbers in the snapshot
	// Problem has a buffer for each block. Its ID is the number of its event in the
	// device's trace, or its address if it existed before the trace.
	Problem *model.Problem
	// Reserved is the most memory in bytes that the allocator had reserved for the stream.
	Reserved int64
}

// Name returns the name of the heap: device:stream.
func (h *Heap) Name() string {
	return strconv.FormatInt(h.Device, 10) + ":" + strconv.FormatInt(h.Stream, 10)
}

// IsSnapshot reports whether head, the beginning of a file, may be that of a pickled dictionary.
func IsSnapshot(head []byte) bool {
	if len(head) < 3 || head[0] != 0x80 || head[1] < 2 || head[1] > 5 {
		return false
	}
	rest := head[2:]
	if rest[0] == 0x95 { // a frame
		rest = rest[min(len(rest), 9):]
	}
	return len(rest) > 0 && rest[0] == '}'
}

// Read reads a snapshot from r; file is its name in messages. It returns at least one heap, ordered by device and
// stream. The error is r's, or a *model.InputError that lists the faults.
func Read(r io.Reader, file string) ([]Heap, error) {
	data, budget, err := source.Binary(r, file)
	if err != nil {
		return nil, err
	}
	return parseWithin(data, file, budget)
}

// Parse is Read for the content of a file.
func Parse(data []byte, file string) ([]Heap, error) {
	return parseWithin(data, file, source.BudgetOf(len(data)))
}

func parseWithin(data []byte, file string, budget source.Budget) ([]Heap, error) {
	s := snapshot{machine: machine{data: data, Budget: budget}, file: file, heaps: map[[2]int64]*heap{}}
	if len(data) > source.MaxBinary {
		s.refuse("", "", "is larger than 2 GiB")
		return nil, s.issues.Err()
	}
	root := s.run()
	if s.fault != "" {
		s.refuse("byte "+strconv.Itoa(s.at), "", s.fault)
		return nil, s.issues.Err()
	}
	traces, ok := s.field(root, keyTraces)
	if !ok || traces.kind != list {
		s.refuse("device_traces", "", "is missing: this is not a snapshot of PyTorch's allocator")
		return nil, s.issues.Err()
	}
	for device, trace := range *s.lists.at(traces.n) {
		if trace.kind != list {
			s.refuse("device_traces "+strconv.Itoa(device), "", "is not a list")
			break
		}
		s.device(int64(device), *s.lists.at(trace.n))
	}
	if segments, ok := s.field(root, keySegments); ok && segments.kind == list {
		s.segments(*s.lists.at(segments.n))
	}
	return s.finish()
}

// A snapshot is a file as it is read.
type snapshot struct {
	machine
	file   string
	issues model.Issues
	heaps  map[[2]int64]*heap // by device and stream
	own    []*heap            // the heaps of the current device
}

// heap is a Heap as it grows.
type heap struct {
	Heap
	live  map[int64]int32 // the buffer at this address
	known map[int64]bool  // addresses that the trace names
	// held is the bytes of the segments, less those at the start of the trace. most is the largest value of held.
	held, most int64
	total      int64 // of the segments at the end
	events     int64 // of the device
}

func (s *snapshot) refuse(field, value, message string) {
	s.issues.Add(model.Issue{File: s.file, Field: field, Value: value, Message: message})
}

// field returns an entry of a dictionary: the last, as in Python.
func (s *snapshot) field(d datum, k key) (datum, bool) {
	if d.kind != dictionary {
		return datum{}, false
	}
	entries := *s.dicts.at(d.n)
	for i := len(entries) - 1; i >= 0 && i >= len(entries)-64; i-- {
		if entries[i].key == k {
			return entries[i].value, true
		}
	}
	return datum{}, false
}

func (s *snapshot) number(d datum, k key) int64 {
	if v, ok := s.field(d, k); ok && v.kind == integer {
		return v.n
	}
	return 0
}

func (s *snapshot) word(d datum, k key) string {
	v, _ := s.field(d, k)
	return string(s.machine.string(v))
}

// heap returns the heap of a stream.
func (s *snapshot) heap(device, stream int64) *heap {
	at := [2]int64{device, stream}
	h := s.heaps[at]
	if h == nil {
		if !s.spend(600) {
			return nil
		}
		h = &heap{
			Heap: Heap{Device: device, Stream: stream, Problem: &model.Problem{}}, live: map[int64]int32{},
			known: map[int64]bool{},
		}
		s.heaps[at] = h
		s.own = append(s.own, h)
	}
	return h
}

// blockBytes is the memory of a block: its buffer, its name and its entries in the tables.
const blockBytes = 200

// add makes a buffer of a block.
func (s *snapshot) add(h *heap, name string, lower, size int64) int32 {
	if !s.spend(blockBytes) {
		return -1
	}
	h.Problem.Buffers = append(h.Problem.Buffers,
		model.Buffer{ID: name, Lower: lower, Upper: -1, Size: size, Alignment: Alignment})
	return int32(len(h.Problem.Buffers) - 1)
}

// device follows the trace of a device.
func (s *snapshot) device(device int64, events []datum) {
	for k, e := range events {
		where := func() string {
			return "device_traces " + strconv.FormatInt(device, 10) + ", event " + strconv.Itoa(k)
		}
		action := s.word(e, keyAction)
		switch action {
		case "alloc", "free_completed", "segment_alloc", "segment_map", "segment_free", "segment_unmap":
		default:
			continue
		}
		h := s.heap(device, s.number(e, keyStream))
		if !s.spend(40) || h == nil { // its place in the tables, and a list may be there many times
			s.refuse("", "", s.fault)
			return
		}
		for _, f := range []struct {
			key  key
			name string
		}{{keyAddr, "addr"}, {keySize, "size"}, {keyStream, "stream"}} {
			if d, ok := s.field(e, f.key); !ok || d.kind != integer {
				s.refuse(where()+", "+f.name, "", "is not a 64-bit number")
				return
			}
		}
		now, addr, size := int64(k), s.number(e, keyAddr), s.number(e, keySize)
		if size < 0 || size > model.MaxSum {
			s.refuse(where()+", size", strconv.FormatInt(size, 10), "must be from 0 to "+strconv.FormatInt(model.MaxSum, 10))
			return
		}
		s.event(h, action, now, addr, size)
		if s.fault != "" {
			s.refuse("", "", s.fault)
			return
		}
		if h.held > model.MaxSum || h.held < -model.MaxSum {
			s.refuse(where()+", size", strconv.FormatInt(size, 10),
				"makes the segments exceed "+strconv.FormatInt(model.MaxSum, 10))
			return
		}
	}
	for _, h := range s.own {
		h.events = int64(len(events))
	}
	s.own = s.own[:0]
}

// event follows one event of a heap.
func (s *snapshot) event(h *heap, action string, now, addr, size int64) {
	switch action {
	case "alloc":
		if b, ok := h.live[addr]; ok { // its free is not in the trace
			h.Problem.Buffers[b].Upper = now
			delete(h.live, addr)
		}
		h.known[addr] = true
		if size > 0 {
			h.live[addr] = s.add(h, "alloc "+strconv.FormatInt(now, 10), now, size)
		}
	case "free_completed":
		b, ok := h.live[addr]
		if !ok && !h.known[addr] && size > 0 && now > 0 {
			b = s.add(h, before(addr), 0, size)
			ok = true
		}
		h.known[addr] = true
		if ok && b >= 0 {
			h.Problem.Buffers[b].Upper = now
			delete(h.live, addr)
		}
	case "segment_alloc", "segment_map":
		h.held += size
		h.most = max(h.most, h.held)
	default:
		h.held -= size
	}
}

// before names a block that existed when the trace began.
func before(addr int64) string { return "before 0x" + strconv.FormatUint(uint64(addr), 16) }

// segments adds the blocks that existed all the time, and the reserved bytes.
func (s *snapshot) segments(segments []datum) {
	for _, g := range segments {
		device := s.number(g, keyDevice)
		h := s.heaps[[2]int64{device, s.number(g, keyStream)}]
		if h == nil { // no trace says anything of it
			continue
		}
		total := s.number(g, keyTotalSize)
		if total < 0 || total > model.MaxSum || h.total+total > model.MaxSum {
			s.refuse("segments, total_size", strconv.FormatInt(total, 10),
				"must be from 0 to "+strconv.FormatInt(model.MaxSum, 10))
			return
		}
		h.total += total
		blocks, ok := s.field(g, keyBlocks)
		if !ok || blocks.kind != list {
			continue
		}
		addr := s.number(g, keyAddress)
		for _, b := range *s.lists.at(blocks.n) {
			if !s.spend(40) {
				s.refuse("", "", s.fault)
				return
			}
			if at, ok := s.field(b, keyAddress); ok && at.kind == integer {
				addr = at.n
			}
			size := s.number(b, keyRequestedSize)
			if size == 0 {
				size = s.number(b, keySize)
			}
			state := s.word(b, keyState)
			if !h.known[addr] && size > 0 && size <= model.MaxSum &&
				(state == "active_allocated" || state == "active_pending_free") {
				h.known[addr] = true
				s.add(h, before(addr), 0, size)
			}
			addr += s.number(b, keySize)
		}
	}
}

// finish ends the blocks that are live to the end, and returns the heaps that have a buffer.
func (s *snapshot) finish() ([]Heap, error) {
	var out []Heap
	for _, h := range s.heaps {
		if s.fault != "" || len(h.Problem.Buffers) == 0 {
			continue
		}
		for k := range h.Problem.Buffers {
			if b := &h.Problem.Buffers[k]; b.Upper < 0 {
				b.Upper = max(h.events, 1)
			}
		}
		// The bytes reserved before the trace are the bytes reserved at the end, less the bytes added in between.
		h.Reserved = max(0, h.total-h.held) + h.most
		h.Problem.Name = "device " + strconv.FormatInt(h.Device, 10) + ", stream " + strconv.FormatInt(h.Stream, 10)
		s.issues.Join(model.ValidateAs(h.Problem,
			model.Terms{Where: func(int) model.Issue { return model.Issue{File: s.file} }}))
		out = append(out, h.Heap)
	}
	if err := s.issues.Err(); err != nil {
		return nil, err
	}
	if s.fault != "" {
		s.refuse("", "", s.fault)
		return nil, s.issues.Err()
	}
	if len(out) == 0 {
		s.refuse("device_traces", "", "has no allocation: was torch.cuda.memory._record_memory_history() called?")
		return nil, s.issues.Err()
	}
	slices.SortFunc(out, func(a, b Heap) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Stream, b.Stream))
	})
	return out, nil
}

package framework

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: tinygrad replays the opening and closing of its buffers through a run-time allocator, TLSF (two-level
// segregated fit; Masmano and others, ECRTS 2004). Free blocks are kept in classes: by the highest bit of their size,
// then by the five bits below it. A request is rounded up to the next class, so that any block of that class or a
// higher one holds it. It takes the lowest class that has a block, and in it the block that has been free longest.
// The rest of the block stays free, and a released block joins its free neighbours.
//
// Events at equal times: releases come before requests, both in the input's order.
//
// Invariant: the blocks tile the memory, and no two free ones touch once a buffer has been given back.
//
// Complexity: O(classes) to find a block, and a walk over its class to take it out.
//
// Source: tinygrad 0.14.0, schedule/memory.py and TLSFAllocator in runtime/support/memory.py. Its memory is twice the
// sum of the sizes; a request that finds no block there is an error, as it is in tinygrad. Copies, which live longer
// and in a lane of their own, have no mark in a problem. Its block is 256 bytes, here the parameter round; below 32 a
// class is one size.

const tlsfBits = 6 // of a size that tell its class

func init() {
	register(planner{
		name:    "tinygrad",
		summary: "online allocator: TLSF, in the order of start; does not know when buffers end",
		source:  "tinygrad 0.14.0, schedule/memory.py",
		round:   256,
		place:   tinygrad,
	})
}

// A tlsfBlock is a stretch of memory, known by its start.
type tlsfBlock struct {
	size, previous int64 // bytes; start of the block below, -1 for none
	free           bool
}

// tlsf is the allocator.
type tlsf struct {
	least   int64 // bytes, of a block
	blocks  map[int64]tlsfBlock
	classes [65][1 << tlsfBits][]int64 // starts of free blocks, the one free longest first
	count   [65]int                    // of a row
}

func tinygrad(t *task) error {
	total := int64(0)
	for i := range t.buffers {
		if total += 2 * (t.buffers[i].Size + t.buffers[i].Align() - 1); total > model.MaxSum {
			return errors.New("twice the sum of the sizes is out of range")
		}
	}
	least := t.number("round")
	total = max(total, 2*least)
	m := &tlsf{least: least, blocks: map[int64]tlsfBlock{0: {total, -1, true}}}
	m.insert(0, total, -1)
	t.offsets = make([]int64, len(t.buffers))
	ends := t.sorted(t.endsEarlier)
	for _, i := range t.sorted(t.earlier) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		for ; t.buffers[ends[0]].Upper <= b.Lower; ends = ends[1:] {
			m.give(t.offsets[ends[0]])
		}
		at, ok := m.take(b.Size, b.Align())
		if !ok {
			return errors.New("its allocator has no block for buffer " + b.ID)
		}
		t.offsets[i] = at
	}
	return nil
}

// class returns the row and column of a size.
func class(size int64) (row, column int) {
	row = bits.Len64(uint64(size))
	return row, int((size - 1<<(row-1)) >> max(0, row-tlsfBits))
}

func (m *tlsf) insert(start, size, previous int64) {
	row, column := class(size)
	m.classes[row][column] = append(m.classes[row][column], start)
	m.count[row]++
	m.blocks[start] = tlsfBlock{size, previous, true}
}

func (m *tlsf) remove(start int64) {
	b := m.blocks[start]
	row, column := class(b.size)
	c := &m.classes[row][column]
	k := slices.Index(*c, start)
	*c = slices.Delete(*c, k, k+1)
	m.count[row]--
	b.free = false
	m.blocks[start] = b
}

// split cuts a free block in two.
func (m *tlsf) split(start, size int64) {
	b := m.blocks[start]
	m.remove(start)
	m.insert(start, size, b.previous)
	m.insert(start+size, b.size-size, start)
	if next, ok := m.blocks[start+b.size]; ok {
		next.previous = start + size
		m.blocks[start+b.size] = next
	}
}

// take returns the start of a block for a request; false if there is none.
func (m *tlsf) take(size, align int64) (int64, bool) {
	size = max(size, m.least)
	need := max(m.least, size+align-1)
	need = bound.Up(need, 1<<max(0, bits.Len64(uint64(need))-tlsfBits))
	first, column := class(need)
	for row := first; row < len(m.classes); row, column = row+1, 0 {
		if m.count[row] == 0 {
			continue
		}
		for ; column < 1<<tlsfBits; column++ {
			if len(m.classes[row][column]) == 0 {
				continue
			}
			start := m.classes[row][column][0]
			if at := bound.Up(start, align); at != start {
				m.split(start, at-start)
				start = at
			}
			if m.blocks[start].size > size {
				m.split(start, size)
			}
			m.remove(start)
			return start, true
		}
	}
	return 0, false
}

// give frees a block and joins it with its free neighbours.
func (m *tlsf) give(start int64) {
	b := m.blocks[start]
	m.insert(start, b.size, b.previous)
	for b.previous >= 0 && m.blocks[b.previous].free {
		start = b.previous
		b = m.blocks[start]
	}
	next, ok := m.blocks[start+b.size]
	for ok && next.free {
		end := start + b.size
		m.remove(start)
		m.remove(end)
		b.size += next.size
		m.insert(start, b.size, b.previous)
		delete(m.blocks, end)
		next, ok = m.blocks[start+b.size]
	}
	if ok {
		next.previous = start
		m.blocks[start+b.size] = next
	}
}

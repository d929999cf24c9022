package arena

import (
	"slices"

	trace "github.com/stowage-go/stowage/format/arena"
)

// Idea: what PyTorch's allocator for CUDA would hold for the same allocations. It is the default allocator on GPUs, and
// the one whose waste users ask about. On a CPU, where PyTorch calls malloc, it is a comparison and no measurement.
//
// Rules of the source, at default settings and without expandable segments: a request is rounded up to 512 bytes. Up to
// 1 MiB it comes from small segments of 2 MiB, else from segments of 20 MiB if it is below 10 MiB, else from a segment
// of its size rounded up to 2 MiB. The smallest free block that is large enough is taken, the lowest of those. What is
// left is split off if it is at least 512 bytes in a small segment, or above 1 MiB in a large one. Free neighbours are
// joined. Segments are never given back: that happens only if the device has no memory left.
//
// This is a simulation by these rules. PyTorch's own compiled code takes the same bytes on the twelve programs
// of lab/bench/torch, which compares the two. Neither was compared with a GPU.
//
// Complexity: O(n f) for f free blocks.
//
// Source: pytorch, c10/cuda/CUDACachingAllocator.cpp (2.15).

const (
	cachingRound  = 512
	cachingSmall  = 1 << 20  // the largest request of the small pool
	smallSegment  = 2 << 20  // and its segments
	largeSegment  = 20 << 20 // for requests below
	ownSegment    = 10 << 20 // this
	segmentRound  = 2 << 20
	cachingCycles = 3 // after the second nothing changes, except for what the first leaves in pieces
)

// CachingName is the name of the simulation in a plan's baselines.
const CachingName = "cuda-caching"

// A block of the simulation is part of a segment.
type block struct {
	size        int64
	prev, next  *block // neighbours in its segment
	number      int    // order of segments and, within one, of addresses
	at          int64
	free, small bool
}

// pool is the free blocks of a stream, of one kind.
type pool struct{ free []*block }

// caching is the simulation for one stream.
type caching struct {
	pools    [2]pool // large, small
	reserved int64
	segments int
}

// take returns a block for a request of some bytes.
func (c *caching) take(bytes int64) *block {
	bytes = max(cachingRound, up(bytes, cachingRound))
	small := bytes <= cachingSmall
	p := &c.pools[0]
	if small {
		p = &c.pools[1]
	}
	best := -1
	for k, b := range p.free {
		if b.size >= bytes && (best < 0 || before(b, p.free[best])) {
			best = k
		}
	}
	var b *block
	if best >= 0 {
		b = p.free[best]
		p.free = slices.Delete(p.free, best, best+1)
	} else {
		size := up(bytes, segmentRound)
		if small {
			size = smallSegment
		} else if bytes < ownSegment {
			size = largeSegment
		}
		c.segments++
		c.reserved += size
		b = &block{size: size, small: small, number: c.segments}
	}
	b.free = false
	rest := b.size - bytes
	if small && rest >= cachingRound || !small && rest > cachingSmall {
		r := &block{size: rest, prev: b, next: b.next, number: b.number, at: b.at + bytes, free: true, small: small}
		if b.next != nil {
			b.next.prev = r
		}
		b.next, b.size = r, bytes
		p.free = append(p.free, r)
	}
	return b
}

func before(a, b *block) bool {
	if a.size != b.size {
		return a.size < b.size
	}
	if a.number != b.number {
		return a.number < b.number
	}
	return a.at < b.at
}

// give takes a block back and joins it with its free neighbours.
func (c *caching) give(b *block) {
	p := &c.pools[0]
	if b.small {
		p = &c.pools[1]
	}
	drop := func(x *block) {
		k := slices.Index(p.free, x)
		p.free = slices.Delete(p.free, k, k+1)
	}
	b.free = true
	if n := b.next; n != nil && n.free {
		drop(n)
		b.size += n.size
		b.next = n.next
		if n.next != nil {
			n.next.prev = b
		}
	}
	if q := b.prev; q != nil && q.free {
		q.size += b.size
		q.next = b.next
		if b.next != nil {
			b.next.prev = q
		}
		return // q is in the list already
	}
	p.free = append(p.free, b)
}

// cachingOf returns what the allocator reserves for the allocations of a stream over some cycles.
func cachingOf(h *trace.Heap) int64 {
	var c caching
	of := map[int]*block{}
	for _, e := range replay(h, cachingCycles) {
		if e.ends {
			c.give(of[e.buffer])
		} else {
			of[e.buffer] = c.take(h.Problem.Buffers[e.buffer%len(h.Problem.Buffers)].Size)
		}
	}
	return c.reserved
}

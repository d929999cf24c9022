package greedy

import (
	"math"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the row of chunks of deferred.go, by an allocator that knows how long each buffer lives. Neighbours that end
// together free one large chunk, those that do not leave small ones. So a request looks at all free chunks, and takes
// the end of one where its neighbour ends at about the same time. A chunk that is too small has to grow, which costs as
// much as a difference of growth mean lifespans for each mean size. What remains of a chunk costs nothing: it grows,
// too, when it is needed.
//
// Invariant: that of the row.
//
// Complexity: O(n · free chunks), at most mostLooks.
//
// Source: this project; the score of a place is what internal/beam says of a layout, for one layout.

const (
	// growth is how many mean lifespans a mean size of growth is worth: from 20 to 200 plans end about as low.
	growth = 50
	// mostLooks is how many looks at free chunks a plan may take: a fraction of a second.
	mostLooks = 1 << 27
)

// matedRow is a row whose chunks in use know when they end.
type matedRow struct {
	grownRow
	end   []int64 // by chunk
	looks int
	// a difference of 1 between ends, and a byte of growth, in the same unit
	tick, byte float64
}

// mated places the buffers by the row, in the order of a word, which begins with b, or with E to go back in time. It
// returns nil if a limit comes first.
func mated(w *run.Watch, tl *timeline.Timeline, word string) []int64 {
	sizes := unitSizes(tl)
	if sizes == nil {
		return nil
	}
	buffers, back := tl.Problem.Buffers, word[0] == 'E'
	span := func(i int32) (from, to int64) {
		b := &buffers[i]
		if back {
			return -b.Upper, -b.Lower
		}
		return b.Lower, b.Upper
	}
	starts, ends := Sorted(w, tl, word), Sorted(w, tl, "e")
	if back {
		ends = Sorted(w, tl, "B")
	}
	n := len(buffers)
	if len(starts) < n || len(ends) < n {
		return nil
	}
	r, of := &matedRow{grownRow: grownRow{tail: -1}}, make([]int32, n)
	lives, bytes := 0.0, 0.0
	for i := range buffers {
		lives += float64(buffers[i].Upper - buffers[i].Lower)
		bytes += float64(sizes[i])
	}
	r.tick, r.byte = bytes, growth*lives
	for _, i := range starts {
		if w != nil && w.Over() || r.looks > mostLooks {
			return nil
		}
		from, to := span(i)
		for ; ; ends = ends[1:] {
			if _, ended := span(ends[0]); ended > from {
				break
			}
			r.release(of[ends[0]])
		}
		of[i] = r.take(sizes[i], to)
	}
	for _, i := range ends {
		r.release(of[i])
	}
	return r.offsets(of)
}

// take returns a chunk of a size for a buffer that ends at a time.
func (r *matedRow) take(size, to int64) int32 {
	k := int32(-1)
	best, right := math.Inf(1), false
	r.looks += len(r.free)
	for _, f := range r.free {
		c := &r.chunks[f]
		low, high := r.apart(c.left, to), r.apart(c.right, to)
		cost := min(low, high)
		if c.size <= size {
			cost = float64(float64(low+high)/2) + float64(float64(size-c.size)*r.byte)
		}
		if cost < best {
			k, best, right = f, cost, c.size > size && high < low
		}
	}
	switch {
	case k < 0:
		k = r.put(size, r.tail)
	case right:
		r.leave(k)
		r.chunks[k].size -= size
		rest := k
		k = r.put(size, k)
		r.enter(rest)
	default:
		r.use(k, size)
	}
	for len(r.end) < len(r.chunks) {
		r.end = append(r.end, 0)
	}
	r.end[k] = to
	return k
}

// apart returns how far from a time a neighbour ends, which is used if there is one.
func (r *matedRow) apart(neighbour int32, to int64) float64 {
	if neighbour < 0 {
		return 0
	}
	return float64(math.Abs(float64(r.end[neighbour]-to)) * r.tick)
}

package greedy

import (
	"cmp"
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: what a program does that plans nothing. Buffers are requested from a
// conventional allocator at their start and given back at their end; when one
// is requested, the allocator does not know its end, nor any later request. It
// takes the smallest free chunk that is large enough, the lowest of those,
// splits off the rest where that is worth it, and joins neighbours that are
// free when a chunk comes back (best fit with coalescing).
//
// Invariant: chunks tile the space from 0 to the top, no two neighbours are
// free, and the chunk below the top is in use. Above the top there is always
// room, taken only where no free chunk will do.
//
// Complexity: O(n log n), and a move of up to some hundred free chunks for each
// buffer (holes.go).
//
// Source: TensorFlow's BFC allocator (common_runtime/bfc_allocator.cc):
// requests are rounded up to 256 bytes; a chunk is split where it is at least
// twice the request, or where the rest is at least 128 MiB; otherwise it is
// handed out whole. Its bins, one for each power of two, with the smallest
// chunk first, are one sorted list cut in pieces, so here they are that list.
// Its regions, which grow by doubling, are one region without an end: a plan is
// judged by the highest byte in use.
//
// The parameter round is 256 by default, as in the source. With round=1 the
// comparison is of policies rather than of rounding.
//
// Gaps are ignored, as the allocator would: a buffer keeps its chunk from its
// start to its end. An alignment that does not divide round is had as malloc's
// callers have it, by asking for alignment - 1 more. Fixed offsets are refused.

func init() { run.Register(bfc{}) }

type bfc struct{}

const (
	bfcRound = 256       // default of the parameter round, in bytes
	bfcWaste = 128 << 20 // the rest of a chunk that is split off in any case, in bytes
	maxRound = 1 << 30   // largest value of the parameter round
)

// Info describes the planner.
func (bfc) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    "bfc",
		Summary: "an online allocator: best fit with coalescing, in start order, the ends unknown",
		Source:  "TensorFlow's BFC allocator; Maas et al., TelaMalloc, ASPLOS 2023, section 3.1",
	}, func() run.Settings { return new(bfcSettings) })
}

type bfcSettings struct{ round int64 }

// Declare lists the parameter.
func (s *bfcSettings) Declare(d *run.Declaration) {
	d.Int64(&s.round, "round", bfcRound, 1, maxRound, "round each request up to a multiple of so many bytes")
}

// Plan runs the allocator once. It has no use for NodeLimit, Seed and Workers.
// A plan above the capacity proves nothing, so the status is then Unknown.
func (bfc) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	var s bfcSettings
	if err := run.Bind("bfc", &o, &s); err != nil {
		return plan.Result{}, err
	}
	if err := movable(tl, "bfc"); err != nil {
		return plan.Result{}, err
	}
	return judge(tl, o, allocate(ctx, tl.Problem, s.round)), nil
}

// A chunk is a stretch of the space, in use or free. Neighbours are linked by
// address.
type chunk struct {
	at, size   int64
	prev, next int32 // chunks beside it, -1 for none
	inUse      bool
}

// A hole is the entry of a free chunk: by size, then by address.
type hole struct {
	size, at int64
	chunk    int32
}

func (h hole) compare(g hole) int {
	return cmp.Or(cmp.Compare(h.size, g.size), cmp.Compare(h.at, g.at))
}

// arena is the state of the allocator.
type arena struct {
	chunks []chunk
	spare  []int32 // indices in chunks that are not in use
	holes  holes   // free chunks
	last   int32   // the chunk that ends at top, -1 for none
	top    int64
}

// allocate runs the buffers of p through an arena, in time order; ends come
// before starts at one time, and what starts at once comes in input order. It
// returns nil if the context ends.
func allocate(ctx context.Context, p *model.Problem, round int64) []int64 {
	n := len(p.Buffers)
	type event struct {
		time   int64
		start  bool
		buffer int32
	}
	events := make([]event, 0, 2*n)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		events = append(events, event{b.Lower, true, int32(i)}, event{b.Upper, false, int32(i)})
	}
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.time, b.time); c != 0 {
			return c
		}
		if a.start != b.start {
			if b.start {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.buffer, b.buffer)
	})
	a := arena{last: -1}
	offsets := make([]int64, n)
	of := make([]int32, n)
	for k, e := range events {
		if k%pollEvery == pollEvery-1 && ctx.Err() != nil {
			return nil
		}
		if !e.start {
			a.free(of[e.buffer])
			continue
		}
		b := &p.Buffers[e.buffer]
		size := b.Size
		if round%b.Align() != 0 {
			size += b.Align() - 1
		}
		of[e.buffer] = a.take(bound.Up(size, round))
		offsets[e.buffer] = bound.Up(a.chunks[of[e.buffer]].at, b.Align())
	}
	return offsets
}

// take returns a chunk of at least size bytes.
func (a *arena) take(size int64) int32 {
	k, at := a.holes.find(hole{size: size, at: -1})
	if k == len(a.holes.pieces) {
		return a.grow(size)
	}
	c := a.holes.pieces[k][at].chunk
	a.holes.remove(k, at)
	a.chunks[c].inUse = true
	if rest := a.chunks[c].size - size; rest >= size || rest >= bfcWaste {
		a.split(c, size)
	}
	return c
}

// grow puts a chunk on top.
func (a *arena) grow(size int64) int32 {
	c := a.add(chunk{at: a.top, size: size, prev: a.last, next: -1, inUse: true})
	if a.last >= 0 {
		a.chunks[a.last].next = c
	}
	a.last = c
	a.top += size
	return c
}

// split cuts chunk c after size bytes and frees the rest.
func (a *arena) split(c int32, size int64) {
	old := a.chunks[c]
	rest := a.add(chunk{at: old.at + size, size: old.size - size, prev: c, next: old.next})
	a.chunks[c].size, a.chunks[c].next = size, rest
	a.chunks[old.next].prev = rest // what was free had something in use above it
	a.remember(rest)
}

// free gives chunk c back and joins it with what is free beside it.
func (a *arena) free(c int32) {
	a.chunks[c].inUse = false
	if next := a.chunks[c].next; next >= 0 && !a.chunks[next].inUse {
		a.forget(next)
		a.join(c, next)
	}
	if prev := a.chunks[c].prev; prev >= 0 && !a.chunks[prev].inUse {
		a.forget(prev)
		a.join(prev, c)
		c = prev
	}
	if c == a.last {
		// It becomes part of the room above the top.
		a.last, a.top = a.chunks[c].prev, a.chunks[c].at
		if a.last >= 0 {
			a.chunks[a.last].next = -1
		}
		a.spare = append(a.spare, c)
		return
	}
	a.remember(c)
}

// join adds chunk d to chunk c, which is just below it.
func (a *arena) join(c, d int32) {
	a.chunks[c].size += a.chunks[d].size
	next := a.chunks[d].next
	a.chunks[c].next = next
	if next >= 0 {
		a.chunks[next].prev = c
	} else {
		a.last = c
	}
	a.spare = append(a.spare, d)
}

func (a *arena) add(c chunk) int32 {
	if k := len(a.spare) - 1; k >= 0 {
		i := a.spare[k]
		a.spare = a.spare[:k]
		a.chunks[i] = c
		return i
	}
	a.chunks = append(a.chunks, c)
	return int32(len(a.chunks) - 1)
}

func (a *arena) remember(c int32) {
	a.holes.insert(hole{a.chunks[c].size, a.chunks[c].at, c})
}

func (a *arena) forget(c int32) {
	a.holes.remove(a.holes.find(hole{a.chunks[c].size, a.chunks[c].at, c}))
}

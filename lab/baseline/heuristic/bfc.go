package heuristic

import (
	"context"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
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
// Invariant: that of the arena.
//
// Complexity: O(n log n), and a move of up to some hundred free chunks for each
// buffer.
//
// Source: TensorFlow's BFC allocator (TSL's framework/bfc_allocator.cc, 0d7247f):
// requests are rounded up to 256 bytes; the bytes of a chunk before its first aligned
// one are split off; what is left is split where it is at least twice the request, or
// where the rest is at least 128 MiB; otherwise it is handed out whole. Its bins, one
// for each power of two, with the smallest chunk first, are one sorted list cut in
// pieces, so here they are that list. Its regions, which grow by doubling, are one
// region without an end: a plan is judged by the highest byte in use. It can also
// allocate from both ends, where the caller says from which; a problem does not.
//
// The parameter round is 256 by default, as in the source. With round=1 the
// comparison is of policies rather than of rounding.
//
// Gaps are ignored, as the allocator would: a buffer keeps its chunk from its
// start to its end. Fixed offsets are refused.

func init() { run.Register(bfc{}) }

type bfc struct{}

const (
	bfcRound = 256       // default of the parameter round, in bytes
	bfcWaste = 128 << 20 // the rest of a chunk that is split off in any case, in bytes
	maxRound = 1 << 30   // largest value of the parameter round
)

// Name returns the planner's name.
func (bfc) Name() string { return "bfc" }

// Info describes the planner.
func (p bfc) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "online allocator: best fit with coalescing, in the order of start; does not know when buffers end",
		Source:  "TensorFlow's BFC allocator; Maas et al., TelaMalloc, ASPLOS 2023, section 3.1",
	}, func() run.Settings { return new(bfcSettings) })
}

type bfcSettings struct{ round int64 }

// Declare lists the parameter.
func (s *bfcSettings) Declare(d *run.Declaration) {
	d.Int64(&s.round, "round", bfcRound, 1, maxRound, "round each request up to a multiple of this many bytes")
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
	w := run.NewWatch(ctx)
	defer w.Close()
	offsets, whole := allocate(w, tl.Problem, s.round)
	return judge(tl, o, offsets, whole), nil
}

// allocate runs the buffers of p through an arena, in time order; ends come
// before starts at one time, and what starts at once comes in input order. Where a
// limit comes, whole is false and those that have not come yet have the offset -1.
func allocate(w *run.Watch, p *model.Problem, round int64) (offsets []int64, whole bool) {
	n := len(p.Buffers)
	offsets = make([]int64, n)
	for i := range offsets {
		offsets[i] = -1
	}
	// Event k < n is the end of buffer k, event n+k its start: so ends come first.
	at := func(k int32) int64 {
		if int(k) < n {
			return p.Buffers[k].Upper
		}
		return p.Buffers[int(k)-n].Lower
	}
	events := sorting.Count(2 * n)
	if !sorting.Within(events, make([]int32, 2*n), func(a, b int32) bool { return at(a) < at(b) }, w.Over) {
		return offsets, false
	}
	a := newArena()
	of := make([]int32, n)
	for _, k := range events {
		if w.Over() {
			return offsets, false
		}
		if int(k) < n {
			a.free(of[k])
			continue
		}
		i := int(k) - n
		b := &p.Buffers[i]
		of[i] = a.take(bound.Up(b.Size, round), b.Align(), bfcWaste)
		offsets[i] = a.chunks[of[i]].at
	}
	return offsets, true
}

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

// Idea: this is what a program does without a plan. Buffers are requested from a conventional allocator at their
// start and given back at their end. The allocator knows neither their ends nor later requests. It takes the smallest
// free chunk that is large enough, on a tie the lowest, and splits off the rest if that is worth it. When a chunk
// comes back, free neighbours are joined (best fit with coalescing).
//
// Invariant: that of the arena.
//
// Complexity: O(n log n), and a move of up to some hundred free chunks for each buffer.
//
// Source: TensorFlow's BFC allocator (TSL's framework/bfc_allocator.cc, 0d7247f). Requests are rounded up to 256
// bytes. The bytes of a chunk before its first aligned byte are split off. The rest of a chunk is split off if the
// chunk is at least twice the request, or the rest at least 128 MiB. Three things differ. TensorFlow's bins, one for
// each power of two, are one sorted list here, which is the same. Its regions, which grow by doubling, are one region
// without an end. It can also allocate from both ends if the caller says from which; a problem does not.
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

// allocate runs the buffers of p through an arena, in time order. Ends come before starts at one time, and buffers
// that start at once come in input order. If a limit comes, whole is false, and the buffers that have not come yet
// have offset -1.
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

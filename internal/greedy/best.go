package greedy

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: no order is best everywhere, and each costs little. So many orders are tried, and the lowest
// plan is kept. An order is dropped at the first buffer that ends as high as the best plan does, so
// most orders cost a fraction of a plan.
//
// The table also covers the planners of lab/baseline. If such a planner was ever alone lowest on
// random problems, a row makes its plan or a lower one. For planners on a skyline this is certain:
// place the buffers by first fit in ascending order of the skyline's offsets. By induction each
// buffer's old place is still free, so it ends no higher. (Windows that interlock are the exception.)
//
// Above thresholds.LargeAbove buffers the sweep runs first. If its plan is within 1/1000 of the bound
// (thresholds.CloseBy), no other row runs.
//
// After the cheapest rows the lowest plan is turned upside down, and all buffers fall again (justify.go).
//
// Invariant: the result is never higher than first-fit's plan, since that order runs in any case
// unless a limit comes first.
//
// Rows that cost too much wait. Each call of More runs as many of them as moreBy times the budget of the round before
// allows, in the order of the table, so a longer run tries more and never other rows.
//
// Complexity: that of a plan times the table, up to maxCost; with More, times the table.
//
// Trials: docs/lab/greedy.md (each row of the table is needed somewhere; 3,000 problems gain nothing from more).

// A method turns an order into a plan.
type method uint8

const (
	first    method = iota // first fit in the order
	tight                  // best fit in the order
	stacked                // first fit in the order of stacking, ties by the order
	onTop                  // first fit in the order of the offsets of a skyline, filled in the order
	swept                  // the passes of the planner sweep; takes no order
	shared                 // first fit in the order of the offsets of slots, filled in the order (shared.go)
	outwards               // sweeps from the peaks (outward.go); takes no order
	grown                  // first fit in the order of the offsets of chunks that grow, filled in the order (deferred.go)
)

// cost is what a method takes per buffer, in units of a first-fit placement, roughly, as measured on pangu_2.6B.
var cost = [...]int64{
	first: 1, tight: 4, stacked: 16, onTop: 2, swept: 2, shared: 8, outwards: 4, grown: 2,
}

// maxCost bounds the work of a portfolio beyond first-fit: about half a second. Up to
// 1,500 buffers the whole table runs. More has moreBy times as much, each time.
const (
	maxCost = 1 << 18
	moreBy  = 4
)

// A worth says on which problems a trial is worth its time.
type worth uint8

const (
	quickest worth = iota // on any problem; these trials take a tenth of the time of the quick ones
	quick                 // on any problem
	thorough              // on a problem whose height no short search proves
)

// turnAfter is the worth of the trials that run before plans are turned: the cheap ones often prove the height.
const turnAfter = quickest

// A trial is one line of the portfolio.
type trial struct {
	worth worth
	name  string // as Portfolio.Name has it
	how   method
	order string // its sort keys, a letter each, as orders.go has them; a small letter is the key in reverse
}

// trials is the portfolio, in the order in which it runs. A comment names the planners of
// lab/baseline that a row stands for.
var trials = [...]trial{
	{quickest, "width", first, "WZ"},
	{quickest, "area", first, "A"},
	{quickest, "outward", outwards, ""},
	{quick, "stack-load", stacked, "TWA"},
	{quick, "start", tight, "bEZ"},
	{quick, "stack-late", stacked, "uz"},
	{thorough, "grown", grown, "b"}, // mnn-defer
	{thorough, "grown-large", grown, "bZ"},
	{thorough, "grown-long", grown, "bEZ"},
	{thorough, "grown-short", grown, "beZ"},
	{thorough, "by-start", first, "b"}, // glow
	{thorough, "stack-early-load", stacked, "LTA"},
	{thorough, "contention", stacked, "TGQW"},
	{thorough, "sweep", swept, ""},
	{thorough, "shared-size", shared, "Z"},   // executorch-greedy, tflite-objects-by-size
	{thorough, "shared-start", shared, "bZ"}, // interval-coloring
	{thorough, "tight-overlaps", tight, "O"},
	{thorough, "stack-late-area", stacked, "uA"},
	{thorough, "stack-late-crowd", stacked, "uC"},
	{thorough, "stack-late-size", stacked, "uZ"},
	{thorough, "stack-early-size", stacked, "LZ"},
	{thorough, "stack-early-load-width", stacked, "LTW"},
	{thorough, "stack-load-width", stacked, "TW"},
	{thorough, "trace", tight, "b"},             // ort-mempattern
	{thorough, "slices", tight, "be"},           // iree-layout-slices
	{thorough, "start-small", tight, "bEz"},     // vela-greedy
	{thorough, "tight-size", tight, "Z"},        // tflite-greedy-by-size, somas
	{thorough, "tight-size-ticks", tight, "ZD"}, // xla-heap
	{thorough, "tight-ticks", tight, "DZ"},      // xla-heap
	{thorough, "tight-width", tight, "WZ"},      // xla-repacker
	{thorough, "tight-area", tight, "X"},        // xla-packing-search
	{thorough, "size-ticks", first, "ZD"},       // xla-packing-search
	{thorough, "ticks", first, "DZ"},            // xla-packing-search
	{thorough, "size-last", first, "ZR"},        // tflm-greedy
	{thorough, "size-start", first, "Zbe"},      // openvino
	{thorough, "whole-first", tight, "HZb"},     // tflite-arena
	{thorough, "peak-first", first, "PZ"},       // somas
	{thorough, "tight-peak-first", tight, "PZ"},
	{thorough, "tick-area", first, "X"},     // xla-packing-search
	{thorough, "top-size", onTop, "ZO"},     // tvm-greedy-by-size
	{thorough, "top-overlaps", onTop, "OZ"}, // tvm-greedy-by-conflicts
	{thorough, "top-contention", onTop, "TGQW"},
	{thorough, "outward", outwards, ""}, // of few buffers
}

// until returns the number of trials up to the last one of a worth.
func until(most worth) int {
	n := 0
	for n < len(trials) && trials[n].worth <= most {
		n++
	}
	return n
}

// A Portfolio is the table at work on one problem.
type Portfolio struct {
	tl   *timeline.Timeline
	ctx  context.Context
	goal int64 // no trial begins once a plan is as low

	// Offsets is the lowest plan so far, Height its height in bytes, which may be above any
	// capacity, and Name the row that made it. There is a plan from the start, unless buffers
	// with fixed offsets collide, or a limit comes before it is known whether thousands do.
	Offsets []int64
	Height  int64
	Name    string
	// Collided says that two buffers with fixed offsets use the same bytes at the same time. Then there is no plan.
	Collided bool

	memory place.Memory
	orders scratch
	spares [2][]int64 // plans that are no longer the lowest
	sweeps Sweeper    // has no timeline before the first

	lowest  int64 // the height of the lowest plan as an order placed it, before it was turned (justify.go)
	turning bool  // plans are turned from now on
	turns   int64 // that are left in this round

	next   int   // the first trial that has not had its turn
	waits  []int // earlier trials that cost too much so far
	factor int64 // of maxCost and of the effort of stacking
	work   int64 // of the trials so far, in this round
	long   bool  // stacking takes too long here, in this round
}

// NewPortfolio makes the first plans, in this order: by hints ("hint"), if most buffers have one; by
// the sweep, above thresholds.LargeAbove buffers; by first-fit. If a limit has already come, buffers are
// stacked (place.Finish). A plan of the height capacity is low enough; 0 stands for the bound.
func NewPortfolio(ctx context.Context, tl *timeline.Timeline, capacity int64) *Portfolio {
	p := new(Portfolio)
	p.Begin(ctx, tl, capacity)
	return p
}

// Begin makes p what NewPortfolio returns, in the memory that p has. All plans of the portfolio before it are void.
func (p *Portfolio) Begin(ctx context.Context, tl *timeline.Timeline, capacity int64) {
	p.Forget()
	p.tl, p.ctx, p.Height, p.lowest, p.factor = tl, ctx, math.MaxInt64, math.MaxInt64, 1
	p.orders.back()
	p.Aim(capacity)
	p.ration()
	if order, most := hinted(tl); most {
		p.place("hint", order, place.FirstFit)
	}
	if p.Large() && !p.Collided && p.Height > p.goal {
		// One pass may be enough. If not, the sweeps from the peaks run before the other
		// passes, because a pass ends early once it is above the lowest plan.
		passes := Thresholds(tl.Sections())
		p.sweep("sweep", passes[:1])
		if p.Height > p.goal && (len(tl.Problem.Buffers) <= thresholds.HugeAbove || !p.near(capacity)) {
			p.sweep("outward", nil)
		}
		if !p.near(capacity) {
			p.sweep("sweep", passes[1:])
		}
		if p.near(capacity) {
			p.next = len(trials)
			return
		}
	}
	if !p.Collided && p.Height > tl.LowerBound && (p.Offsets == nil || !p.Large() || !p.over()) {
		w := place.Watch(ctx, tl)
		defer w.Close()
		p.place("first-fit", p.orders.sorted(w, tl, "Z"), place.FirstFit)
	}
}

// Forget lets go of the problem, and keeps the memory.
func (p *Portfolio) Forget() {
	p.discard(p.Offsets)
	p.sweeps.tl, p.sweeps.watch = nil, nil
	*p = Portfolio{memory: p.memory, orders: p.orders, sweeps: p.sweeps, spares: p.spares, waits: p.waits[:0]}
}

// Aim sets a height that is low enough, 0 for the bound.
func (p *Portfolio) Aim(capacity int64) {
	p.goal = max(capacity, p.tl.LowerBound)
	if len(p.tl.Problem.Buffers) > thresholds.CloseAbove {
		p.goal = max(p.goal, thresholds.Within(p.tl.LowerBound, thresholds.EqualBy))
	}
}

// near reports whether the plan is within a thousandth of the bound, and fits.
func (p *Portfolio) near(capacity int64) bool {
	return p.Height <= thresholds.Within(p.tl.LowerBound, thresholds.CloseBy) && (capacity == 0 || p.Height <= capacity)
}

// Large reports whether the problem is one that begins with the sweep.
func (p *Portfolio) Large() bool { return len(p.tl.Problem.Buffers) > thresholds.LargeAbove }

// over reports whether the context has ended.
func (p *Portfolio) over() bool {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	return w.Over()
}

// place places the buffers in an order, and takes the plan if it is the lowest so far.
func (p *Portfolio) place(name string, order []int32, fit place.Fit) {
	w := place.Watch(p.ctx, p.tl)
	defer w.Close()
	offsets, height, end := p.memory.Below(w, p.tl, order, fit, p.lowest)
	p.Collided = p.Collided || end == place.Collided
	if offsets != nil { // then it is lower
		p.memory.Keep(p.spare())
		p.adopt(name, offsets, height)
	}
}

// adopt turns the lowest plan that was placed, if plans are turned, and keeps it if it is the lowest then.
func (p *Portfolio) adopt(name string, offsets []int64, height int64) {
	if p.lowest = height; p.turning {
		offsets, height = p.turned(offsets, height)
	}
	p.keep(name, offsets, height)
}

// begun begins to turn plans, with the lowest.
func (p *Portfolio) begun() {
	if !p.turning && p.turnable() {
		p.turning = true
		p.Offsets, p.Height = p.turned(p.Offsets, p.Height)
	}
}

// ration sets how many turns this round has: none if a placement takes seconds.
func (p *Portfolio) ration() {
	if n := int64(len(p.tl.Problem.Buffers)); n <= thresholds.HugeAbove {
		p.turns = p.factor * maxCost / max(n, 1)
	}
}

// keep takes a plan if it is the lowest so far.
func (p *Portfolio) keep(name string, offsets []int64, height int64) {
	if height >= p.Height {
		p.discard(offsets)
		return
	}
	p.discard(p.Offsets)
	p.Offsets, p.Height, p.Name = offsets, height, name
}

// discard takes the memory of a plan that nobody needs any more.
func (p *Portfolio) discard(plan []int64) {
	if plan != nil {
		p.spares = [2][]int64{plan, p.spares[0]}
	}
}

// spare returns memory for a plan, or nil.
func (p *Portfolio) spare() (plan []int64) {
	plan, p.spares = p.spares[0], [2][]int64{p.spares[1]}
	return plan
}

// sweep runs the given passes until a plan is low enough. If passes is nil, it sweeps from the peaks.
func (p *Portfolio) sweep(name string, passes []int32) {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	s := &p.sweeps
	if s.tl == nil {
		if end := s.Begin(w, p.tl); end != place.Whole {
			s.tl = nil
			p.Collided = end == place.Collided
			return
		}
	}
	s.watch = w
	if p.Offsets != nil {
		if w.Over() {
			return // to compare plans of a million buffers takes as long as to make one
		}
		s.Than(p.Offsets)
	}
	if passes == nil {
		s.FromPeaks(p.goal)
	} else {
		s.Passes(passes, p.tl.LowerBound, max(p.goal, thresholds.Within(p.tl.LowerBound, thresholds.CloseBy)), nil)
	}
	if s.Height() < p.Height {
		plan := s.Last()
		if w.Over() {
			s.offsets = nil // there is no time to copy it
		} else {
			plan = append(p.spare()[:0], plan...)
		}
		p.adopt(name, plan, s.Height())
	}
}

// Lend returns the sweeper, with its orders, if the portfolio makes no more sweeps of the problem; else nil. Whoever
// has it calls Anew, and makes no more use of it once the portfolio has another problem.
func (p *Portfolio) Lend() *Sweeper {
	if p.next < len(trials) || len(p.waits) > 0 || p.sweeps.tl == nil || p.sweeps.offsets == nil {
		return nil
	}
	return &p.sweeps
}

// Quick runs the rows marked quickest, and those marked quick unless few is set. It stops at the
// goal, at a limit, or after maxCost work, which is counted and not timed.
func (p *Portfolio) Quick(few bool) {
	if few {
		p.run(until(quickest))
		return
	}
	p.run(until(quick))
}

// Rest runs all rows that are left, and stops as Quick does.
func (p *Portfolio) Rest() { p.run(len(trials)) }

// More runs rows that cost too much before. It reports whether some still wait, and stops as Quick does.
func (p *Portfolio) More() bool {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	p.factor, p.work, p.long = p.factor*moreBy, 0, false
	p.ration()
	again := p.waits
	p.waits = nil
	for k, t := range again {
		if p.Offsets == nil || p.Height <= p.goal || w.Over() {
			p.waits = append(p.waits, again[k:]...)
			break
		}
		p.try(w, t)
	}
	return len(p.waits) > 0
}

// Waiting returns how many rows wait for More.
func (p *Portfolio) Waiting() int { return len(p.waits) }

// run runs what is left of the first n trials.
func (p *Portfolio) run(n int) {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	for ; p.next < n && p.Offsets != nil && p.Height > p.goal && !w.Over(); p.next++ {
		if p.next == until(turnAfter) {
			if p.begun(); p.Height <= p.goal {
				return
			}
		}
		p.try(w, p.next)
	}
}

// try runs a trial, or lets it wait if it costs too much.
func (p *Portfolio) try(w *run.Watch, k int) {
	p.orders.back()
	t, unit := &trials[k], int64(len(p.tl.Problem.Buffers))
	if p.skips(t) {
		return
	}
	work := p.work + cost[t.how]*unit
	if work > maxCost*p.factor || p.factor == 1 && unit > thresholds.HugeAbove || t.how == stacked && p.long {
		p.waits = append(p.waits, k)
		return
	}
	p.work = work
	switch t.how {
	case first:
		p.place(t.name, p.orders.sorted(w, p.tl, t.order), place.FirstFit)
	case tight:
		p.place(t.name, p.orders.sorted(w, p.tl, t.order), place.BestFit)
	case stacked:
		if order := p.orders.skyline(w, p.tl, t.order, p.factor); order == nil {
			p.long = true
			p.waits = append(p.waits, k)
		} else {
			p.place(t.name, order, place.FirstFit)
		}
	case onTop:
		if offsets, whole := Stack(w, p.tl, p.orders.sorted(w, p.tl, t.order)); whole {
			p.place(t.name, ByOffset(offsets), place.FirstFit)
		}
	case shared:
		if MovableAll(p.tl) {
			if offsets := share(w, p.tl, p.orders.sorted(w, p.tl, t.order)); offsets != nil {
				p.place(t.name, ByOffset(offsets), place.FirstFit)
			}
		}
	case outwards:
		p.sweep(t.name, nil)
	case grown:
		if MovableAll(p.tl) {
			if offsets := deferred(w, p.tl, t.order); offsets != nil {
				p.place(t.name, ByOffset(offsets), place.FirstFit)
			}
		}
	case swept:
		p.sweep(t.name, Thresholds(p.tl.Sections()))
	}
}

// skips reports whether a trial does not run on this problem.
func (p *Portfolio) skips(t *trial) bool {
	switch t.how {
	case swept:
		return p.Large() // the sweeps have run
	case outwards: // the table has it twice: among the quick trials, and at the end for few buffers
		many := len(p.tl.Problem.Buffers) >= thresholds.OutwardLeast
		return p.Large() || many != (t.worth <= quick)
	}
	return false
}

// ByOffset returns the buffers in the order of their offsets, ties by index.
func ByOffset(offsets []int64) []int32 {
	key := make([]uint64, len(offsets))
	for i, at := range offsets {
		key[i] = ^uint64(at)
	}
	return new(scratch).byColumns(nil, len(offsets), [][]uint64{key})
}

// Start returns the plan that a search begins with: the caller's, or the lowest of a whole portfolio, which ends at the
// goal. There is none if fixed buffers collide, or if a limit came before that was known.
func Start(ctx context.Context, tl *timeline.Timeline, given []int64, goal int64) (offsets []int64, collided bool) {
	if given != nil {
		return given, false
	}
	p := NewPortfolio(ctx, tl, goal)
	p.Rest()
	return p.Offsets, p.Collided
}

// Best returns the lowest plan of a whole portfolio: the offset of each buffer, the height in bytes, and the name of
// the row. It stops at the capacity (0 for none) or the bound. The height may exceed the capacity.
//
// offsets is nil if two fixed buffers collide, or if a limit came before that was known.
func Best(ctx context.Context, tl *timeline.Timeline, capacity int64) (offsets []int64, height int64, name string) {
	p := NewPortfolio(ctx, tl, capacity)
	p.Rest()
	if p.Offsets == nil {
		return nil, 0, ""
	}
	return p.Offsets, model.HeightOf(tl.Problem, p.Offsets), p.Name
}

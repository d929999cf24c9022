package greedy

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/tune"
	"github.com/stowage-go/stowage/model"
)

// Idea: no order is best everywhere, and each costs little; so try many and
// keep the lowest plan. An order is dropped at the first buffer that ends as
// high as the best plan does, so most of them cost a fraction of a plan.
//
// The table stands for the heuristics of the box as well: for each of them that
// was ever lower than all others on problems drawn widely, it has an order and a
// fit that make the same plan or a lower one. What a heuristic on a skyline
// makes, first fit in the order of its offsets never ends higher: what lies
// below a buffer is placed before it and no higher than there, so the buffer's
// own place is free. (Windows that interlock are the exception.)
//
// Invariant: the result is never higher than first-fit's, since that order runs
// in any case unless a limit comes first.
//
// Above tune.LargeAbove buffers the sweep comes first, and where it ends within a
// thousandth of the bound it is enough for the whole table.
//
// Complexity: that of a plan times the table, up to maxCost.
//
// Measured: height over load on the challenging suite as the table grows is printed by
// TestBestOnPublicData.
//
// The orders without a stack pay elsewhere: area takes idealloc's G_1 and width
// TFLite's hand_landmark to the load, tight-overlaps S_1 near it, and the orders by
// start tile what was cut by time.
//
// Tried and dropped: all words of one or two keys of MiniMalloc's, in both
// directions, under all three ways to place. Glow's order by the fullest moment that is
// left, and slots that are chosen by size: with outward and grown there, of 3,000 problems
// (internal/auto's test of the box) they change none.

// The ways to turn a word into a plan: the digits of the table.
const (
	first    = iota // first fit in the word's order
	tight           // best fit in the word's order
	stacked         // first fit in the order of stacking, ties by the word
	onTop           // first fit in the order of the offsets of a skyline, filled in the word's order
	swept           // the passes of the planner sweep; no word
	shared          // first fit in the order of the offsets of slots, filled in the word's order (shared.go)
	outwards        // sweeps from the peaks (outward.go); no word
	grown           // first fit in the order of the offsets of chunks that grow (deferred.go), asked for in the word's order
)

// cost is what a way takes per buffer, in units of a first-fit placement, roughly, as
// measured on pangu_2.6B.
var cost = [...]uint8{first: 1, tight: 4, stacked: 16, onTop: 2, swept: 2, shared: 8, outwards: 4, grown: 2}

// maxCost bounds the work of a portfolio beyond first-fit: about half a second. Up to
// 1,500 buffers the whole table runs.
const maxCost = 1 << 18

// The table. Of a line there is its name, as Portfolio.Name has it, then the way, as a digit,
// and the sort keys (orders.go). As one text it takes a third of what structs of strings do
// in a program. The quick lines are worth their time on any problem, and the first of them,
// quickest, take a tenth of it; the others are for problems that no search proves at once.
const (
	quickest = "" +
		"width 0WZ " +
		"area 0A " +
		"outward 6 "
	quick = quickest +
		"stack-load 2TWA " +
		"start 1bEZ " +
		"stack-late 2uz "
	table = quick +
		"grown 7b " + // mnn-defer
		"grown-large 7bZ " +
		"grown-long 7bEZ " +
		"grown-short 7beZ " +
		"by-start 0b " + // glow
		"stack-early-load 2LTA " +
		"contention 2TGQW " +
		"sweep 4 " +
		"shared-size 5Z " + // executorch-greedy, tflite-objects-by-size
		"shared-start 5bZ " + // interval-coloring
		"tight-overlaps 1O " +
		"stack-late-area 2uA " +
		"stack-late-crowd 2uC " +
		"stack-late-size 2uZ " +
		"stack-early-size 2LZ " +
		"stack-early-load-width 2LTW " +
		"stack-load-width 2TW " +
		"trace 1b " + // ort-mempattern
		"slices 1be " + // iree-layout-slices
		"start-small 1bEz " + // vela-greedy
		"tight-size 1Z " + // tflite-greedy-by-size, somas
		"tight-size-ticks 1ZD " + // xla-heap
		"tight-ticks 1DZ " + // xla-heap
		"tight-width 1WZ " + // xla-repacker
		"tight-area 1X " + // xla-packing-search
		"size-ticks 0ZD " + // xla-packing-search
		"ticks 0DZ " + // xla-packing-search
		"size-last 0ZR " + // tflm-greedy
		"size-start 0Zbe " + // openvino
		"whole-first 1HZb " + // tflite-arena
		"peak-first 0PZ " + // somas
		"tight-peak-first 1PZ " +
		"tick-area 0X " + // xla-packing-search
		"top-size 3ZO " + // tvm-greedy-by-size
		"top-overlaps 3OZ " + // tvm-greedy-by-conflicts
		"top-contention 3TGQW " +
		"outward 6 " // of few buffers
)

// field returns what is in the table from there to the next space, and where the next one is.
func field(from int) (text string, next int) {
	for next = from; table[next] != ' '; next++ {
	}
	return table[from:next], next + 1
}

// A Portfolio is the table at work on one problem.
type Portfolio struct {
	tl   *timeline.Timeline
	ctx  context.Context
	goal int64 // no trial begins once a plan is as low

	// Offsets is the lowest plan so far and Height its height, which may be above any
	// capacity; Name is the line that made it. There is one from the
	// start, unless buffers with fixed offsets collide, or a limit comes before
	// it is known whether thousands of them do.
	Offsets []int64
	Height  int64
	Name    string
	// Collided says that two buffers with fixed offsets use the same bytes at
	// once, so that there is no plan.
	Collided bool

	memory place.Memory
	sweeps *Sweeper // nil before the first

	next int   // the first line of the table that has not had its turn
	work int64 // of the lines so far
	long bool  // stacking takes too long here
}

// NewPortfolio makes the first plans: where most buffers have hints, in their
// order ("hint"), above tune.LargeAbove buffers by the sweep, and by first-fit. Where a limit is
// over already these are stacked. Capacity is a height that is low enough, 0 for none.
func NewPortfolio(ctx context.Context, tl *timeline.Timeline, capacity int64) *Portfolio {
	p := &Portfolio{tl: tl, ctx: ctx, Height: math.MaxInt64}
	p.Aim(capacity)
	if order, most := hinted(tl); most {
		p.place("hint", order, place.FirstFit)
	}
	if p.Large() && !p.Collided && p.Height > p.goal {
		// A pass that is good at once is enough; the others end early above what
		// sweeps from the peaks have.
		passes := Thresholds(tl.Sections())
		p.sweep("sweep", passes[:1])
		if p.Height > p.goal && (len(tl.Problem.Buffers) <= tune.HugeAbove || !p.near(capacity)) {
			p.sweep("outward", nil)
		}
		if !p.near(capacity) {
			p.sweep("sweep", passes[1:])
		}
		if p.near(capacity) {
			p.next = len(table)
			return p
		}
	}
	if !p.Collided && p.Height > tl.LowerBound && (p.Offsets == nil || !p.Large() || !p.over()) {
		w := place.Watch(ctx, tl)
		defer w.Close()
		p.place("first-fit", Sorted(w, tl, "Z"), place.FirstFit)
	}
	return p
}

// Aim sets a height that is low enough, 0 for the bound.
func (p *Portfolio) Aim(capacity int64) {
	p.goal = max(capacity, p.tl.LowerBound)
	if len(p.tl.Problem.Buffers) > tune.CloseAbove {
		p.goal = max(p.goal, p.tl.LowerBound+p.tl.LowerBound/100_000)
	}
}

// near reports whether the plan is within a thousandth of the bound, and fits.
func (p *Portfolio) near(capacity int64) bool {
	return p.Height <= p.tl.LowerBound+p.tl.LowerBound/1000 && (capacity == 0 || p.Height <= capacity)
}

// Large reports whether the problem is one that begins with the sweep.
func (p *Portfolio) Large() bool { return len(p.tl.Problem.Buffers) > tune.LargeAbove }

// over reports whether the context has ended.
func (p *Portfolio) over() bool {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	return w.Over()
}

// place takes the plan of an order where it is the lowest so far.
func (p *Portfolio) place(name string, order []int32, fit place.Fit) {
	w := place.Watch(p.ctx, p.tl)
	defer w.Close()
	offsets, height, end := p.memory.Below(w, p.tl, order, fit, p.Height)
	p.Collided = p.Collided || end == place.Collided
	if offsets != nil { // then it is lower
		p.memory.Keep()
		p.keep(name, offsets, height)
	}
}

// keep takes a plan where it is the lowest so far.
func (p *Portfolio) keep(name string, offsets []int64, height int64) {
	if offsets != nil && height < p.Height {
		p.Offsets, p.Height, p.Name = offsets, height, name
	}
}

// sweep runs passes of the planner sweep until one is enough, or sweeps from the peaks
// where there are none.
func (p *Portfolio) sweep(name string, passes []int32) {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	s := p.sweeps
	if s == nil {
		var end place.Ending
		if s, end = NewSweeper(w, p.tl); s == nil {
			p.Collided = end == place.Collided
			return
		}
		p.sweeps = s
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
		s.Passes(passes, p.tl.LowerBound, max(p.goal, p.tl.LowerBound+p.tl.LowerBound/1000), nil)
	}
	if s.Height() < p.Height {
		lowest := s.Last
		if !w.Over() {
			lowest = s.Plan
		}
		p.keep(name, lowest(), s.Height())
	}
}

// Quick runs the lines that are worth their time on any problem, or the few that take
// a tenth of it, Rest all that are left. They end at the goal, at a limit, and where the work exceeds a bound
// that does not depend on the clock.
func (p *Portfolio) Quick(few bool) {
	if few {
		p.run(len(quickest))
		return
	}
	p.run(len(quick))
}

// Rest runs all lines that are left; see Quick.
func (p *Portfolio) Rest() { p.run(len(table)) }

// run runs the lines that are left of so much of the table.
func (p *Portfolio) run(until int) {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	unit := int64(len(p.tl.Problem.Buffers))
	if unit > tune.HugeAbove {
		p.next = until
	}
	for p.next < until && p.Offsets != nil && p.Height > p.goal && !w.Over() {
		soon := p.next < len(quick)
		name, at := field(p.next)
		word, next := field(at)
		how, word := word[0]-'0', word[1:]
		p.next = next
		work := p.work + int64(cost[how])*unit
		if how == stacked && p.long || work > maxCost || (how == swept || how == outwards) && p.Large() || how == outwards && soon != (unit >= tune.OutwardLeast) {
			continue
		}
		p.work = work
		switch how {
		case first:
			p.place(name, Sorted(w, p.tl, word), place.FirstFit)
		case tight:
			p.place(name, Sorted(w, p.tl, word), place.BestFit)
		case stacked:
			if order := skyline(w, p.tl, word); order == nil {
				p.long = true
			} else {
				p.place(name, order, place.FirstFit)
			}
		case onTop:
			if offsets, whole := Stack(w, p.tl, Sorted(w, p.tl, word)); whole {
				p.place(name, ByOffset(offsets), place.FirstFit)
			}
		case shared:
			if movableAll(p.tl) {
				if offsets := share(w, p.tl, Sorted(w, p.tl, word)); offsets != nil {
					p.place(name, ByOffset(offsets), place.FirstFit)
				}
			}
		case outwards:
			p.sweep(name, nil)
		case grown:
			if movableAll(p.tl) {
				if offsets := deferred(w, p.tl, word); offsets != nil {
					p.place(name, ByOffset(offsets), place.FirstFit)
				}
			}
		case swept:
			p.sweep(name, Thresholds(p.tl.Sections()))
		}
	}
}

// ByOffset returns the buffers in the order of their offsets, ties by index.
func ByOffset(offsets []int64) []int32 {
	key := make([]uint64, len(offsets))
	for i, at := range offsets {
		key[i] = ^uint64(at)
	}
	return byColumns(nil, len(offsets), [][]uint64{key})
}

// Best returns the lowest plan of a whole portfolio: the offset of each buffer,
// their height, and the name of the line. It stops at the capacity (0 for none)
// or the bound. The height may exceed the capacity.
//
// The offsets are nil where two fixed buffers collide, so that no plan exists
// at all; or, where fixed buffers are many, where a limit comes before that is known.
func Best(ctx context.Context, tl *timeline.Timeline, capacity int64) (offsets []int64, height int64, name string) {
	p := NewPortfolio(ctx, tl, capacity)
	p.Rest()
	if p.Offsets == nil {
		return nil, 0, ""
	}
	return p.Offsets, model.HeightOf(tl.Problem, p.Offsets), p.Name
}

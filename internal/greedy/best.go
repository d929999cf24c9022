package greedy

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
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
// Above large buffers the sweep comes first, and where it ends within a
// thousandth of the bound it is enough for the whole table.
//
// Complexity: that of a plan times the table, up to maxCost.
//
// Measured: height over load on the challenging suite as the table grows is printed by
// TestBestOnPublicData: from 1.338 to 1.086 in the geometric mean, in 0.3 to 14 ms an instance.
// The lines that grow take F from 1.108 to 1.044, and are the lowest on six of 56 problems
// of 200 buffers on which the table ends above the bound.
//
// The orders without a stack pay elsewhere: area takes idealloc's G_1 and width
// TFLite's hand_landmark to the load, tight-overlaps S_1 from 4.2% to 0.25%
// over it, and the orders by start tile what was cut by time.
//
// Tried and dropped: all words of one or two keys of MiniMalloc's, in both
// directions, under all three ways to place. Glow's order by the fullest moment that is
// left, and slots that are chosen by size: with outward and grown there, of 3,000 problems
// (internal/auto's test of the box) they change none.

// A trial is a line of the table.
type trial struct {
	name string // as Portfolio.Name has it
	word string // sort keys, see orders.go
	how  way
}

// A way to turn a word into a plan.
type way uint8

const (
	first    way = iota // first fit in the word's order
	tight               // best fit in the word's order
	stacked             // first fit in the order of stacking, ties by the word
	onTop               // first fit in the order of the offsets of a skyline, filled in the word's order
	swept               // the passes of the planner sweep; no word
	shared              // first fit in the order of the offsets of slots, filled in the word's order (shared.go)
	outwards            // sweeps from the peaks (outward.go); no word
	grown               // first fit in the order of the offsets of chunks that grow (deferred.go), asked for in the word's order
)

// cost is what a way takes per buffer, in units of a first-fit placement of
// about 1.5 µs; measured on pangu_2.6B.
var cost = [...]int64{first: 1, tight: 4, stacked: 16, onTop: 2, swept: 2, shared: 8, outwards: 4, grown: 2}

// many is the number of buffers above which a hundred-thousandth over the bound
// is close enough for further trials to stop.
const many = 1 << 14

// large is the number of buffers above which the sweep comes first and may be
// enough.
const large = 1 << 13

// largest is the number of buffers above which first-fit is the last line: each
// more takes seconds.
const largest = 1 << 17

// outwardLeast is the number of buffers under which sweeps outward are the last line: exact
// search is through as soon.
const outwardLeast = 128

// maxCost bounds the work of a portfolio beyond first-fit: about half a second. Up to
// 1,500 buffers the whole table runs.
const maxCost = 1 << 18

// quick is the number of lines that are worth their time on any problem; the
// others are for problems that no search proves at once. The first quickest take a tenth
// of the time.
const quick, quickest = 6, 3

var trials = []trial{
	{"width", "WZ", first},
	{"area", "A", first},
	{"outward", "", outwards},
	{"stack-load", "TWA", stacked},
	{"start", "bEZ", tight},
	{"stack-late", "uz", stacked},
	// From here on: not quick.
	{"grown", "b", grown}, // mnn-defer
	{"grown-large", "bZ", grown},
	{"grown-long", "bEZ", grown},
	{"grown-short", "beZ", grown},
	{"by-start", "b", first}, // glow
	{"stack-early-load", "LTA", stacked},
	{"contention", "TGQW", stacked},
	{"sweep", "", swept},
	{"shared-size", "Z", shared},   // executorch-greedy, tflite-objects-by-size
	{"shared-start", "bZ", shared}, // interval-coloring
	{"tight-overlaps", "O", tight},
	{"stack-late-area", "uA", stacked},
	{"stack-late-crowd", "uC", stacked},
	{"stack-late-size", "uZ", stacked},
	{"stack-early-size", "LZ", stacked},
	{"stack-early-load-width", "LTW", stacked},
	{"stack-load-width", "TW", stacked},
	{"trace", "b", tight},             // ort-mempattern
	{"slices", "be", tight},           // iree-layout-slices
	{"start-small", "bEz", tight},     // vela-greedy
	{"tight-size", "Z", tight},        // tflite-greedy-by-size, somas
	{"tight-size-ticks", "ZD", tight}, // xla-heap
	{"tight-ticks", "DZ", tight},      // xla-heap
	{"tight-width", "WZ", tight},      // xla-repacker
	{"tight-area", "X", tight},        // xla-packing-search
	{"size-ticks", "ZD", first},       // xla-packing-search
	{"ticks", "DZ", first},            // xla-packing-search
	{"size-last", "ZR", first},        // tflm-greedy
	{"size-start", "Zbe", first},      // openvino
	{"whole-first", "HZb", tight},     // tflite-arena
	{"peak-first", "PZ", first},       // somas
	{"tight-peak-first", "PZ", tight},
	{"tick-area", "X", first},     // xla-packing-search
	{"top-size", "ZO", onTop},     // tvm-greedy-by-size
	{"top-overlaps", "OZ", onTop}, // tvm-greedy-by-conflicts
	{"top-contention", "TGQW", onTop},
	{"outward", "", outwards}, // of few buffers
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

	sweeps *Sweeper // nil before the first

	next int   // first line that has not had its turn
	work int64 // of the lines so far
	long bool  // stacking takes too long here
}

// NewPortfolio makes the first plans: where most buffers have hints, in their
// order ("hint"), above large buffers by the sweep, and by first-fit. Where a limit is
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
		if p.Height > p.goal && (len(tl.Problem.Buffers) <= largest || !p.near(capacity)) {
			p.sweep("outward", nil)
		}
		if !p.near(capacity) {
			p.sweep("sweep", passes[1:])
		}
		if p.near(capacity) {
			p.next = len(trials)
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
	if len(p.tl.Problem.Buffers) > many {
		p.goal = max(p.goal, p.tl.LowerBound+p.tl.LowerBound/100_000)
	}
}

// near reports whether the plan is within a thousandth of the bound, and fits.
func (p *Portfolio) near(capacity int64) bool {
	return p.Height <= p.tl.LowerBound+p.tl.LowerBound/1000 && (capacity == 0 || p.Height <= capacity)
}

// Large reports whether the problem is one that begins with the sweep.
func (p *Portfolio) Large() bool { return len(p.tl.Problem.Buffers) > large }

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
	offsets, height, end := place.Below(w, p.tl, order, fit, p.Height)
	p.Collided = p.Collided || end == place.Collided
	p.keep(name, offsets, height)
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
		s.Than(p.Offsets)
	}
	if passes == nil {
		s.FromPeaks(p.goal)
	} else {
		s.Passes(passes, p.tl.LowerBound, max(p.goal, p.tl.LowerBound+p.tl.LowerBound/1000), nil)
	}
	if s.Height() < p.Height {
		p.keep(name, s.Plan(), s.Height())
	}
}

// Quick runs the lines that are worth their time on any problem, or the few that take
// a tenth of it, Rest all that are left. They end at the goal, at a limit, and where the work exceeds a bound
// that does not depend on the clock.
func (p *Portfolio) Quick(few bool) {
	if few {
		p.run(quickest)
		return
	}
	p.run(quick)
}

// Rest runs all lines that are left; see Quick.
func (p *Portfolio) Rest() { p.run(len(trials)) }

func (p *Portfolio) run(until int) {
	w := run.NewWatch(p.ctx)
	defer w.Close()
	unit := int64(len(p.tl.Problem.Buffers))
	if unit > largest {
		p.next = until
	}
	for ; p.next < until && p.Offsets != nil && p.Height > p.goal && !p.over(); p.next++ {
		t := trials[p.next]
		if t.how == stacked && p.long || p.work+cost[t.how]*unit > maxCost || (t.how == swept || t.how == outwards) && p.Large() || t.how == outwards && (p.next < quick) != (unit >= outwardLeast) {
			continue
		}
		p.work += cost[t.how] * unit
		switch t.how {
		case first:
			p.place(t.name, Sorted(w, p.tl, t.word), place.FirstFit)
		case tight:
			p.place(t.name, Sorted(w, p.tl, t.word), place.BestFit)
		case stacked:
			if order := skyline(w, p.tl, t.word); order == nil {
				p.long = true
			} else {
				p.place(t.name, order, place.FirstFit)
			}
		case onTop:
			if offsets, whole := Stack(w, p.tl, Sorted(w, p.tl, t.word)); whole {
				p.place(t.name, ByOffset(offsets), place.FirstFit)
			}
		case shared:
			if movableAll(p.tl) {
				if offsets := share(w, p.tl, Sorted(w, p.tl, t.word)); offsets != nil {
					p.place(t.name, ByOffset(offsets), place.FirstFit)
				}
			}
		case outwards:
			p.sweep(t.name, nil)
		case grown:
			if movableAll(p.tl) {
				if offsets := deferred(w, p.tl, t.word); offsets != nil {
					p.place(t.name, ByOffset(offsets), place.FirstFit)
				}
			}
		case swept:
			p.sweep(t.name, Thresholds(p.tl.Sections()))
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

// BySize returns the buffers in the order of their sizes, the largest first,
// ties in the order of the offsets.
func BySize(tl *timeline.Timeline, offsets []int64) []int32 {
	at := make([]uint64, len(offsets))
	for i := range at {
		at[i] = ^uint64(offsets[i])
	}
	return byColumns(nil, len(at), [][]uint64{own('Z', tl), at})
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

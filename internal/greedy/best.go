package greedy

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: no order is best everywhere, and each costs little; so try a handful
// and keep the lowest plan. An order is dropped at the first buffer that ends
// as high as the best plan does, so most of them cost a fraction of a plan.
//
// Invariant: the result is never higher than first-fit's, since that order runs
// in any case, up to large buffers.
//
// Above large buffers the sweep comes first, and where it ends within a
// thousandth of the bound it is enough: first-fit may take minutes for a
// million buffers, and has no more than that thousandth to win.
//
// Complexity: that of a plan times the table, up to maxCost; a problem of a
// million buffers gets the sweep, and first-fit where that is not enough.
//
// Measured: height over load on the challenging suite, geometric mean, as the
// table grows line by line, in 0.3 to 14 ms an instance:
//
//	first-fit 1.338 · area 1.337 · stack-load 1.198 · stack-late 1.148 ·
//	stack-early-load 1.121 · stack-late-area 1.111 · stack-late-crowd 1.107 ·
//	stack-late-size 1.103 · stack-early-size 1.100 ·
//	stack-early-load-width 1.098 · stack-load-width 1.096
//
// The orders without a stack pay elsewhere: area takes idealloc's G_1 and width
// TFLite's hand_landmark to the load, tight-overlaps S_1 from 4.2% to 0.25%
// over it.
//
// Tried and dropped: all words of one or two keys of MiniMalloc's, in both
// directions, under all three ways to place. The table is a greedy cover: each
// line is the one that lowers the mean most, given those above it.

// A trial is a line of the table.
type trial struct {
	name string // as Best returns it
	word string // sort keys, see orders.go
	how  way
}

// A way to turn a word into a plan.
type way uint8

const (
	first   way = iota // first fit in the word's order
	tight              // best fit in the word's order
	stacked            // first fit in the order of stacking, ties by the word
)

// cost is what a way takes per buffer, in units of a first-fit placement of
// about 1.5 µs; measured on pangu_2.6B.
var cost = [...]int64{first: 1, tight: 4, stacked: 16}

// many is the number of buffers above which a hundred-thousandth over the bound
// is close enough for further trials to stop.
const many = 1 << 14

// large is the number of buffers above which the sweep may be enough.
const large = 1 << 17

// maxCost bounds the work of Best beyond first-fit: about half a second. Up to
// 1,700 buffers the whole table runs.
const maxCost = 1 << 18

var trials = []trial{
	{"width", "WZ", first},
	{"area", "A", first},
	{"stack-load", "TWA", stacked},
	{"stack-late", "uz", stacked},
	{"stack-early-load", "LTA", stacked},
	{"tight-overlaps", "O", tight},
	{"stack-late-area", "uA", stacked},
	{"stack-late-crowd", "uC", stacked},
	{"stack-late-size", "uZ", stacked},
	{"stack-early-size", "LZ", stacked},
	{"stack-early-load-width", "LTW", stacked},
	{"stack-load-width", "TW", stacked},
}

// Best returns the lowest plan that a portfolio of orders finds: the offset of
// each buffer, their height, and the name of the order. Where most buffers have
// hints, their order comes first ("hint"); the order of the planner first-fit
// comes next, whatever ctx says. The others follow until the height is
// tl.LowerBound, or capacity (0 for none) is reached, or ctx ends, or the work
// exceeds a bound that does not depend on the clock.
//
// The height may exceed the capacity. The offsets are nil only where two fixed
// buffers collide, so that no plan exists at all.
func Best(ctx context.Context, tl *timeline.Timeline, capacity int64) (offsets []int64, height int64, name string) {
	height = math.MaxInt64
	try := func(ctx context.Context, as string, order []int32, fit place.Fit) {
		w := run.NewWatch(ctx)
		defer w.Close()
		if lower, h, _ := place.Below(w, tl, order, fit, height); lower != nil {
			offsets, height, name = lower, h, as
		}
	}
	goal := max(capacity, tl.LowerBound)
	if len(tl.Problem.Buffers) > many {
		goal = max(goal, tl.LowerBound+tl.LowerBound/100_000)
	}
	if order, most := hinted(tl); most {
		try(ctx, "hint", order, place.FirstFit)
	}
	if len(tl.Problem.Buffers) > large {
		if r, err := (sweep{}).Plan(ctx, tl, plan.Options{}); err == nil && r.Offsets != nil {
			if h := model.HeightOf(tl.Problem, r.Offsets); h < height {
				offsets, height, name = r.Offsets, h, "sweep"
			}
			if height <= tl.LowerBound+tl.LowerBound/1000 && (capacity == 0 || height <= capacity) {
				return offsets, height, name
			}
		}
	}
	if height > tl.LowerBound {
		try(context.WithoutCancel(ctx), "first-fit", sorted(tl, "Z"), place.FirstFit)
	}
	if offsets == nil {
		return nil, 0, ""
	}
	work, unit := int64(0), int64(len(tl.Problem.Buffers))
	long := false // stacking takes too long here
	for _, t := range trials {
		if height <= goal || ctx.Err() != nil {
			break
		}
		if t.how == stacked && long || work+cost[t.how]*unit > maxCost {
			continue
		}
		work += cost[t.how] * unit
		switch t.how {
		case first:
			try(ctx, t.name, sorted(tl, t.word), place.FirstFit)
		case tight:
			try(ctx, t.name, sorted(tl, t.word), place.BestFit)
		case stacked:
			if order := skyline(tl, t.word); order == nil {
				long = true
			} else {
				try(ctx, t.name, order, place.FirstFit)
			}
		}
	}
	return offsets, height, name
}

// Package canonical is the exact planner: depth-first search over canonical
// plans, after MiniMalloc (Moffitt, ASPLOS 2023), with stronger inference.
//
// # Algorithm
//
// A plan is canonical where it can be built from the ground up: buffers are
// placed in ascending order of offset (ties by rank), each at the lowest offset
// above the placed buffers that it overlaps. Any plan can be pushed down into a
// canonical one that is no higher, so only those are explored:
//
//	search(component):
//	  for each unplaced buffer j, by least offset lb[j], then rank:
//	    skip it if (lb[j], rank[j]) is under the bound,    (canonical)
//	      if a gap would be left that another could fill,  (dominance)
//	      or if a section could not take it                (cheap reject)
//	    place j at lb[j]; raise lb of its neighbours       (place)
//	    split what is left where no buffer crosses         (decompose)
//	    for each part: tighten bounds, or fail             (infer)
//	    search each part
//
//	offset
//	  ^      +-----------------+
//	  |      |   b4, lb = 8    |          Unplaced b4 sits on b2; it waits
//	8 +------+--------+--------+--+       if the bound has passed 8, and then
//	  |  b1  |   b2   |           |       something must come under it.
//	4 +------+--------+           |
//	  |      b3       |           |
//	  +---------------+-----------+--> time
//
// # Completeness
//
// Of all plans that fit, take one with the least sum of offsets. Each of its
// buffers rests on one with a lower offset (or on its own fixed offset, or on
// zero), so it is canonical, under any rank. No technique removes a prefix of
// it: dominance removes plans that could be lowered, inference only plans that
// do not fit. This needs "above" to follow from "at a higher offset", which
// holds for all pairs unless windows interlock; interlock.go plans those.
//
// # Legend
//
//	n, m    buffers and sections of the partition
//	lb      least offset: the highest top of the placed buffers it overlaps
//	inf     inferred lower bound, at least lb; prunes, never places
//	ub      highest offset that fits the capacity
//	total   space of the unplaced buffers of a section
//	cuts    unplaced buffers that cross from a section to the next
//	rank    position in the static preordering
//	off     the offset placed last; together with a rank, the canonical bound
package exact

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func init() { run.Register(Planner{}) }

// Planner is the exact planner. Its zero value is ready to use.
type Planner struct{}

// Info describes the planner.
func (Planner) Info() plan.Info { return info() }

// Plan searches for a plan that fits the capacity, or for the lowest.
func (Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	set, err := settingsOf(&o)
	if err != nil {
		return plan.Result{}, err
	}
	e := newEngine(ctx, tl, o, set)
	defer e.close()
	if o.Minimizing() {
		return e.minimize(o), nil
	}
	return e.solve(o.Capacity), nil
}

// engine runs the kernels of all partitions against one capacity after another.
type engine struct {
	tl       *timeline.Timeline
	orders   []string
	workers  int
	kernels  []*kernel
	state    []partitionState
	ctx      context.Context // for the watches of a race
	watch    *run.Watch
	budget   int64 // 0 for none
	began    time.Time
	progress func(plan.Progress)
	height   int64 // of the incumbent, 0 for none
	bound    int64
}

// partitionState is what is known of one partition across runs.
type partitionState struct {
	offsets []int64 // the lowest plan found, in the kernel's numbering; nil for none
	height  int64
	bound   int64 // no plan of the partition is lower
	// interlock is the complete search for a partition whose windows
	// interlock; nil for all others.
	interlock *interlock
	// team holds a kernel for each order, where orders run side by side.
	team []*kernel
}

func newEngine(ctx context.Context, tl *timeline.Timeline, o plan.Options, set settings) *engine {
	e := &engine{ctx: ctx, watch: run.NewWatch(ctx), tl: tl, orders: set.orders, workers: o.Workers, budget: o.NodeLimit, began: time.Now(), progress: o.Progress, bound: tl.LowerBound}
	for _, p := range tl.Partitions {
		k := newKernel(tl, p, set.switches, e.watch)
		k.tick = e.tick
		var s partitionState
		if k.windowed && tl.Interlocks(p) {
			s.interlock = newInterlock(tl, p, e.watch)
			s.interlock.tick = e.tick
		}
		e.kernels = append(e.kernels, k)
		e.state = append(e.state, s)
	}
	return e
}

func (e *engine) close() { e.watch.Close() }

// tick reports progress; the kernels call it every few thousand nodes.
func (e *engine) tick() { e.report(e.spent()) }

func (e *engine) report(nodes int64) {
	if e.progress != nil {
		e.progress(plan.Progress{Height: e.height, LowerBound: e.bound, Nodes: nodes, Elapsed: time.Since(e.began)})
	}
}

// spent returns the nodes searched so far.
func (e *engine) spent() int64 { return e.stats().Nodes }

func (e *engine) stats() plan.Stats {
	var s plan.Stats
	for p, k := range e.kernels {
		s.Nodes += k.nodes
		s.Backtracks += k.backtracks
		for _, other := range e.state[p].team[min(1, len(e.state[p].team)):] {
			s.Nodes += other.nodes
			s.Backtracks += other.backtracks
		}
		if x := e.state[p].interlock; x != nil {
			s.Nodes += x.nodes
			s.Backtracks += x.backtracks
		}
	}
	return s
}

// solve decides whether the problem fits the capacity.
func (e *engine) solve(capacity int64) plan.Result {
	r := plan.Result{LowerBound: e.tl.LowerBound}
	switch e.fit(capacity) {
	case fits:
		r.Status, r.Offsets = model.Feasible, e.offsets()
	case refuted:
		r.Status, r.LowerBound = model.Infeasible, capacity+1
	case undecided:
		r.Status = model.Unknown
	}
	r.Stats = e.stats()
	return r
}

// offsets assembles the plans of the partitions. Buffers that are never active
// lie at their fixed offset or at zero.
func (e *engine) offsets() []int64 {
	buffers := e.tl.Problem.Buffers
	offsets := make([]int64, len(buffers))
	for i := range buffers {
		if buffers[i].Fixed != nil {
			offsets[i] = *buffers[i].Fixed
		}
	}
	for p, k := range e.kernels {
		for j, i := range k.id {
			offsets[i] = e.state[p].offsets[j]
		}
	}
	return offsets
}

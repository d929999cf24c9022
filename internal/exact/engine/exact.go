// Package engine is exact search: it decides whether a problem fits a capacity, and finds the lowest height. Package
// exact builds the planner from it.
//
// # Who searches
//
// The engine asks; other packages search one partition at one capacity:
//
//	canonical   plans from the ground up in ascending order of offset, by one static order at a time
//	ladder      small partitions that stay undecided, from the highest buffer to the lowest
//	pairs       partitions whose windows interlock, for which a canonical plan need not exist
//
// # How the engine asks
//
// A question is a capacity. Rounds of growing node limits try it on each partition:
//
//	minimize       moves the two ends of the interval bound <= lowest height <= height of the best plan    minimize.go
//	fit, round     a capacity, with each partition in turn and twice the nodes in each round              roundrobin.go
//	attempt        a partition: the ladder, then the orders, then the pairs                               roundrobin.go
//	inStretches    if that decides nothing: shorter stretches of its time                                 stretch.go
//	composites     between two rounds: plans of package merge                                             composites.go
//
// Other packages use the engine for parts of their problems: Fit and Flaw (this file), Diver (dive.go) and Refute
// (refute.go).
//
// # What an answer proves
//
// A plan is verified by its height. A refutation needs a search that is complete and has ended by itself: the canonical
// search if no windows interlock, else the ladder or the clauses. A search that comes to a limit proves nothing. attempt
// is the only place that decides this.
package engine

import (
	"context"
	"time"

	"github.com/stowage-go/stowage/internal/exact/canonical"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Planner is exact search. Its zero value is ready to use.
type Planner struct {
	// Composites, if set, is called after each round, unless the technique "merging" is switched off (composites.go).
	Composites run.Planner
	// Limits are the usual ones if they are not set. Tests set them.
	Limits common.Limits
}

// Name returns the planner's name.
func (*Planner) Name() string { return Name }

// Name is the name of the registered planner. Messages use it.
const Name = "exact"

// Plan searches for a plan that fits the capacity, or for the lowest plan.
func (p *Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	e, err := newEngine(ctx, tl, &o, p.Limits)
	if err != nil {
		return r, err
	}
	defer e.watch.Close()
	if e.merging {
		e.composer = p.Composites
	}
	if o.Moves != nil {
		e.initTelling(o.Moves)
	}
	if o.Minimizing() {
		e.minimize(&o, &r)
	} else {
		e.solve(o.Capacity, &r)
	}
	r.Stats = e.stats
	return r, nil
}

// Fit looks for a plan of p that fits the capacity, within a node limit. Other searches call
// it for a part of their problem; w is their watch on ctx. It returns nil if there is no
// plan or a limit came first, and the number of nodes that it took.
func Fit(ctx context.Context, w *run.Watch, p *model.Problem, capacity, nodes int64, workers int) (offsets []int64,
	taken int64,
) {
	tl := timeline.NewUnless(p, w.Over)
	if tl == nil {
		return nil, 0
	}
	r, err := run.Run(ctx, &Planner{}, tl, plan.Options{Capacity: capacity, NodeLimit: nodes, Workers: workers})
	if err == nil && r.Status.HasPlan() {
		offsets = r.Offsets
	}
	return offsets, r.Stats.Nodes
}

// Flaw returns buffers that do not fit the capacity: those of a partition, or of a stretch of
// its time. It returns nil if a search of that many nodes does not prove it.
func Flaw(ctx context.Context, tl *timeline.Timeline, capacity, nodes int64) []int32 {
	e, err := newEngine(ctx, tl, &plan.Options{Capacity: capacity, NodeLimit: nodes}, common.Limits{})
	if err != nil {
		return nil
	}
	defer e.watch.Close()
	if e.fit(capacity) != common.Refuted {
		return nil
	}
	return e.flaw
}

// engine runs the kernels of all partitions against one capacity after another.
type engine struct {
	settings
	ctx      context.Context // for the composer, and for the watches of a race
	watch    *run.Watch
	tl       *timeline.Timeline
	limits   common.Limits
	workers  int
	seed     uint64 // of the next call of composer
	budget   int64  // node limit of the run; unlimited if there is none
	began    time.Time
	progress func(plan.Progress)
	// tell is called for each move of a search of partition p, with the partition's number of the
	// buffer and the offset in the plan (tell.go). It is nil if nobody asks.
	tell func(p int, kind plan.MoveKind, j common.Buffer, at int64)
	// composer plans composites between rounds (composites.go). It is nil if there is none.
	composer run.Planner

	parts  []part
	byPeak []int32 // partitions, the one with the highest load first
	stats  plan.Stats
	flaw   []int32 // buffers that do not fit, once a round has refuted a capacity
	// stuck is set once some partition can be neither planned nor refuted.
	stuck bool
	// refuting says that the question is about a capacity near the bound (clauses.go).
	refuting bool
	interval
}

// part is what is known of one partition. It is kept across rounds and capacities.
type part struct {
	offsets []int64 // of the lowest plan found, in the partition's numbering; nil if there is none
	by      string  // the name of the composer, if it has found that plan
	height  int64
	bound   int64 // no plan of the partition is lower

	kernel    *canonical.Kernel // nil until the partition is first tried
	turn      int               // number of calls of canonical; it picks the order if only one has a turn
	spent     int64             // nodes
	stretches []int64           // per stretch of time: the lowest capacity that it is known to fit (stretch.go)
	// stretchCapacity is the capacity of the last questions about stretches. stretchLimits has, per size of
	// stretch, the length of the round in which they were asked, in halves of the number of buffers.
	stretchCapacity int64
	stretchLimits   [10]int64
	team            []*canonical.Kernel // a kernel for each order, if the orders run side by side
	windows         windows
	laddered        bool // whether it has a ladder
	learning        bool // whether it has a search that learns, in place of the canonical one
	completion      completion
}

func newEngine(ctx context.Context, tl *timeline.Timeline, o *plan.Options, limits common.Limits) (*engine, error) {
	e := &engine{
		ctx: ctx, tl: tl, workers: o.Workers, seed: o.Seed, budget: o.NodeLimit, began: time.Now(), progress: o.Progress,
		limits: limits.OrUsual(),
	}
	if err := e.settings.bind(o); err != nil {
		return nil, err
	}
	e.watch = run.NewWatch(ctx)
	if e.budget == 0 {
		e.budget = common.Unlimited
	}
	e.prepare()
	return e, nil
}

// prepare sets the first bound and sorts the partitions by their peak load.
func (e *engine) prepare() {
	tl := e.tl
	e.parts, e.byPeak = make([]part, len(tl.Partitions)), make([]int32, len(tl.Partitions))
	e.bound = tl.LowerBound
	peaks := make([]int64, len(tl.Partitions))
	for p, at := range tl.Partitions {
		e.byPeak[p] = int32(p)
		for _, load := range tl.Load[at.First:at.Last] {
			peaks[p] = max(peaks[p], load)
		}
	}
	// The partition with the highest load is the likeliest to be refuted.
	sorting.Within(e.byPeak, make([]int32, len(peaks)), func(p, q int32) bool { return peaks[p] > peaks[q] }, e.watch.Over)
}

// kernel returns the kernel of partition p, or nil if the run is over.
func (e *engine) kernel(p int) *canonical.Kernel {
	s := &e.parts[p]
	if s.kernel == nil {
		k := canonical.New(e.tl, &e.tl.Partitions[p], e.Switches, e.limits, e.watch)
		if e.watch.Over() {
			return nil
		}
		k.Tick = func() { e.report(k.Nodes) }
		k.Tell, k.Part = e.tell, p
		s.kernel = k
	}
	return s.kernel
}

// report sends the caller the present bound and plan. nodes are those not yet counted in e.stats.
func (e *engine) report(nodes int64) {
	if e.progress == nil {
		return
	}
	q := plan.Progress{LowerBound: e.bound, Nodes: e.stats.Nodes + nodes, Elapsed: time.Since(e.began)}
	if e.best != nil {
		q.Height, q.Offsets = e.height, e.best
	}
	e.progress(q)
}

// solve decides whether the problem fits the capacity.
func (e *engine) solve(capacity int64, r *plan.Result) {
	r.LowerBound = e.tl.LowerBound
	switch e.fit(capacity) {
	case common.Fits:
		r.Status, r.Offsets, r.Member = model.Feasible, e.offsets(), e.member()
	case common.Refuted:
		r.Status, r.LowerBound = model.Infeasible, capacity+1
	case common.Undecided:
		r.Status = model.Unknown
	}
}

// member returns the name of the composer if it has found the plan of some partition, else "".
func (e *engine) member() string {
	for p := range e.parts {
		if by := e.parts[p].by; by != "" {
			return by
		}
	}
	return ""
}

// offsets assembles the plans of the partitions. Buffers that are never active lie at their fixed offset or at zero.
func (e *engine) offsets() []int64 {
	buffers := e.tl.Problem.Buffers
	offsets := make([]int64, len(buffers))
	for i := range buffers {
		if buffers[i].Fixed != nil {
			offsets[i] = *buffers[i].Fixed
		}
	}
	for p := range e.parts {
		for j, i := range e.tl.Partitions[p].Buffers {
			offsets[i] = e.parts[p].offsets[j]
		}
	}
	return offsets
}

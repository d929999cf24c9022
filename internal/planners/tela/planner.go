package tela

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func init() { run.Register(Planner{}) }

// Planner is the planner `tela`. The zero value is ready to use.
//
// It takes alignment, gaps, windows and fixed offsets; hints and Workers have no effect. Options.NodeLimit counts
// steps and, in the completion, orders. Only the caller's limits end the search for a capacity. The root's
// propagation or the completion proves infeasible. Minimising is a heuristic: it ends by itself without a limit, and
// its plan is optimal only if a bound says so.
type Planner struct {
	// Counters receives the effort of each run. It may be nil.
	Counters *Counters
}

// Info describes the planner.
func (p Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Moves:   true,
		Summary: "heuristic search guided by a constraint engine, with conflict-driven backtracking",
		Source: "Maas, Beaunon, Chauhan, Ilbeyi, TelaMalloc, ASPLOS 2023; starved, sections, twins, widening, restarts and " +
			"completion are Stowage's",
	}, func() run.Settings { return new(settings) })
}

// Name returns its name.
func (Planner) Name() string { return "tela" }

// Plan plans. The error names a parameter that is out of range, or says that a partition has too many pairs.
func (p Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	name := p.Name()
	var set settings
	if err := run.Bind(name, &o, &set); err != nil {
		return plan.Result{}, err
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	r := newRun(tl, set, &o, w)
	err := pairwise.Admit(tl, r.parts, set.maxPairs)
	var result plan.Result
	if err != nil {
		// refused before anything is tried
	} else if o.Minimizing() {
		result, err = r.minimize(&o)
	} else {
		result, err = r.solve(o.Capacity)
	}
	if many := (*pairwise.TooManyPairsError)(nil); errors.As(err, &many) {
		err = plan.Unsupported(name, "cannot take this problem: "+err.Error()+" (parameter max-pairs)")
	}
	if p.Counters != nil {
		*p.Counters = r.limits.counters
	}
	c := &r.limits.counters
	result.Stats = plan.Stats{
		Nodes: c.Steps + c.Nodes, Backtracks: c.Backtracks(), Minor: c.Minor, Major: c.Major,
	}
	return result, err
}

// job is one call of Plan.
type job struct {
	tl       *timeline.Timeline
	set      settings
	parts    []timeline.Partition
	searches []*search // by partition, made when first needed
	offsets  []int64   // the best plan so far, partition by partition
	heights  []int64   // of each partition in offsets; 0 for none
	limits   limits
	began    time.Time
	report   func(plan.Progress)
	moves    func(plan.Move)
	bound    int64
}

func newRun(tl *timeline.Timeline, set settings, o *plan.Options, w *run.Watch) *job {
	r := &job{
		tl: tl, set: set, parts: tl.Partitions, began: time.Now(), report: o.Progress, moves: o.Moves,
		bound: tl.LowerBound,
	}
	if !set.partitions && len(r.parts) > 1 {
		whole := timeline.Partition{First: 0, Last: int32(tl.Sections())}
		for _, part := range tl.Partitions {
			whole.Buffers = append(whole.Buffers, part.Buffers...)
		}
		r.parts = []timeline.Partition{whole}
	}
	r.searches, r.heights = make([]*search, len(r.parts)), make([]int64, len(r.parts))
	r.offsets = make([]int64, len(tl.Problem.Buffers))
	for i := range r.offsets {
		if at := tl.Problem.Buffers[i].Fixed; at != nil {
			r.offsets[i] = *at // one that is never active is in no partition
		}
	}
	r.limits = limits{watch: w, steps: math.MaxInt64, tick: r.tick}
	if o.NodeLimit > 0 {
		r.limits.steps = o.NodeLimit
	}
	return r
}

// tick reports progress.
func (r *job) tick() {
	if c := &r.limits.counters; r.report != nil && (c.Steps+c.Nodes)%(64*tickEvery) < tickEvery {
		r.report(plan.Progress{
			Height: r.height(), LowerBound: r.bound, Nodes: c.Steps + c.Nodes, Elapsed: time.Since(r.began),
		})
	}
}

// height returns the height of the plan so far, 0 if a partition has none.
func (r *job) height() int64 {
	var height int64
	for _, h := range r.heights {
		if h == 0 {
			return 0
		}
		height = max(height, h)
	}
	return height
}

// solve decides whether the problem fits the capacity.
func (r *job) solve(capacity int64) (plan.Result, error) {
	if capacity < r.tl.LowerBound {
		return plan.Result{Status: model.Infeasible, LowerBound: r.tl.LowerBound}, nil
	}
	result := plan.Result{Status: model.Feasible, LowerBound: r.tl.LowerBound}
	for k := range r.parts {
		end, err := r.fit(k, capacity)
		if err != nil {
			return plan.Result{}, err
		}
		switch end {
		case refuted:
			return plan.Result{Status: model.Infeasible, LowerBound: capacity + 1}, nil
		case exhausted, limited:
			// Another part may still prove that nothing fits.
			result.Status = model.Unknown
			if r.limits.ended {
				return result, nil
			}
		}
	}
	if result.Status == model.Feasible {
		result.Offsets = r.offsets
	}
	return result, nil
}

// fit looks for a plan of a partition within the capacity and keeps it.
func (r *job) fit(k int, capacity int64) (outcome, error) {
	part := &r.parts[k]
	if len(part.Buffers) == 1 {
		return r.alone(k, capacity), nil
	}
	if r.searches[k] == nil {
		s, err := newSearch(r.tl, part, r.set, &r.limits)
		if errors.Is(err, pairwise.ErrLimit) {
			r.limits.over()
			return limited, nil
		}
		if err != nil {
			return limited, err
		}
		s.story.tell = r.moves
		r.searches[k] = s
	}
	s := r.searches[k]
	end := s.insist(capacity)
	if end == found {
		r.heights[k] = 0
		for j, i := range part.Buffers {
			r.offsets[i], _ = s.engine.Range(int32(j))
			r.heights[k] = max(r.heights[k], r.offsets[i]+s.size[j])
		}
		s.finds(r.heights[k])
	}
	return end, nil
}

// alone places the only buffer of a partition.
func (r *job) alone(k int, capacity int64) outcome {
	i := r.parts[k].Buffers[0]
	b := &r.tl.Problem.Buffers[i]
	if !r.limits.spend() {
		return limited
	}
	r.limits.counters.Steps++
	end := r.offsets[i] + b.Size
	if b.Fixed == nil {
		r.offsets[i], end = 0, b.Size
	}
	if end > capacity {
		return refuted
	}
	r.heights[k] = end
	if r.moves != nil {
		r.moves(plan.Move{Kind: plan.MoveBegin, Buffer: int(i), Offset: capacity})
		r.moves(plan.Move{Kind: plan.MovePlace, Buffer: int(i), Offset: end - b.Size})
		r.moves(plan.Move{Kind: plan.MovePlan, Buffer: int(i), Offset: end})
	}
	return found
}

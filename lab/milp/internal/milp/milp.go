// Package milp is the planner milp: the mixed integer program that the
// TelaMalloc paper compares itself with, solved by HiGHS.
//
//	milp.go     the planner: options, partitions, what may be concluded
//	options.go  techniques and parameters
//	model.go    the program, in two formulations
//	rules.go    one program for a problem with rules
//	highs.go    HiGHS in this process
//	wasm.go     what the module of HiGHS imports and exports
//	native.go   a highs or cbc command instead
//	lp.go       the program as an LP file
//
// A program that imports it contains HiGHS and a WebAssembly runtime. Import lab/milp to register it.
package milp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the solver works in floating point, so only the orders in its answers are used. The exact least offsets
// follow from the orders (pairwise.Least), and only their plan counts. Refutations and bounds cannot be checked in
// that way. They count only if the numbers are so small that the solver's tolerance cannot hide a unit of space.
//
// Invariant: offsets, if the run has any, are a plan; no plan is under the bound.
//
// Complexity: exponential, in the solver. Each partition is a program of its own, the highest first. Partitions that
// are then below the bound keep their plans.
//
// Source: Maas et al., "TelaMalloc", ASPLOS 2023, section 3.2. The paper's solver is not named; HiGHS is the strongest
// of the free ones that run everywhere Go does.

const (
	// gap is the distance between solution and bound at which a solver may stop:
	// heights are whole numbers of units, so the bound rounds up to the solution.
	gap = 0.99
	// The feasibility tolerance for HiGHS lies between fine and coarse. coarse is its default; its least is 1e-10.
	coarse, fine = 1e-6, 1e-9
	// blur is the part of a unit that M times the tolerance may be.
	blur = 0.25
	// largest is the memory size in units up to which a program is handed to a
	// solver: HiGHS refuses coefficients of 1e15, and doubles skip numbers soon after.
	largest = 1 << 48
	// slack is taken off a bound before it is rounded up.
	slack = 1e-3
)

// tolerance returns the feasibility tolerance for a memory size in units, and
// whether refutations and bounds at that size are to be believed.
func tolerance(capacity int64) (t float64, sharp bool) {
	t = min(coarse, max(fine, blur/float64(max(capacity, 1))))
	return t, t*float64(capacity) <= blur
}

func init() { run.Register(planner{}) }

type planner struct{}

// Plan solves until it has an answer or a limit comes. Nodes are counted by HiGHS. The error is for too many pairs, a
// bad parameter, a missing engine, or an LP file that cannot be written.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	s, err := settingsOf(&o)
	if err != nil {
		return plan.Result{}, err
	}
	// Counting comes before the heuristics, which may take seconds for nothing.
	if err := refusal(pairwise.Admit(tl, tl.Partitions, s.maxPairs)); err != nil {
		return plan.Result{}, err
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	r := &job{
		tl: tl, o: o, s: s, watch: w, began: time.Now(), bound: tl.LowerBound,
		offsets: make([]int64, len(tl.Problem.Buffers)),
	}
	for i := range r.offsets {
		if at := tl.Problem.Buffers[i].Fixed; at != nil {
			r.offsets[i] = *at
		}
	}
	if s.lp != "" {
		if err := r.export(ctx); err != nil {
			return plan.Result{}, err
		}
	}
	var result plan.Result
	if o.Minimizing() {
		result, err = r.minimize(ctx)
	} else {
		result, err = r.fit(ctx)
	}
	result.Stats.Nodes = r.nodes
	if r.cut {
		result.Stopped = plan.StopTimeout
	}
	return result, err
}

// job is the state of one call of Plan.
type job struct {
	tl      *timeline.Timeline
	o       plan.Options
	s       settings
	watch   *run.Watch
	began   time.Time
	offsets []int64
	bound   int64 // no plan is lower
	nodes   int64
	cut     bool // a solve has ended shortly before the deadline
}

// fit looks for any plan within the capacity.
func (r *job) fit(ctx context.Context) (plan.Result, error) {
	if start := r.o.Start; start != nil && r.o.Fits(model.HeightOf(r.tl.Problem, start)) {
		return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: start}}, nil
	}
	if r.height(nil) > r.o.Capacity {
		return plan.Result{Status: model.Infeasible}, nil
	}
	result := plan.Result{Status: model.Feasible}
	for _, group := range r.groups() {
		found, proven, err := r.ask(ctx, group, r.o.Capacity, false, nil)
		switch {
		case err != nil:
			return plan.Result{}, err
		case found:
		case proven:
			return plan.Result{Status: model.Infeasible, LowerBound: r.o.Capacity + 1}, nil
		default:
			result.Status = model.Unknown
		}
		if r.watch.Over() && result.Status == model.Unknown {
			break
		}
	}
	if result.Status == model.Feasible {
		result.Offsets = r.offsets
	}
	return result, nil
}

// minimize looks for the lowest plan within the capacity, if one is set.
func (r *job) minimize(ctx context.Context) (plan.Result, error) {
	if done := r.begin(ctx); done != nil {
		return *done, nil
	}
	missing := false // a group has no plan within the capacity yet
	for _, p := range r.byHeight() {
		if p.height <= r.bound && r.o.Fits(p.height) {
			continue
		}
		capacity, start := p.height, r.offsets
		if !r.o.Fits(p.height) {
			capacity, start = r.o.Capacity, nil
		}
		if !r.s.start {
			start = nil
		}
		found, proven, err := r.ask(ctx, p.group, capacity, true, start)
		switch {
		case err != nil:
			return plan.Result{}, err
		case !found && proven && !r.o.Fits(p.height):
			return plan.Result{Status: model.Infeasible, LowerBound: r.o.Capacity + 1}, nil
		case !found && !r.o.Fits(p.height):
			missing = true
		}
		r.report(missing)
	}
	height := model.HeightOf(r.tl.Problem, r.offsets)
	result := plan.Result{LowerBound: min(r.bound, height)}
	if missing || !r.o.Fits(height) {
		result.LowerBound = r.bound
		return result, nil
	}
	result.Status, result.Offsets, result.Height = model.Feasible, r.offsets, height
	if height <= r.bound {
		result.Status = model.Optimal
	}
	return result, nil
}

// begin puts a plan into offsets: the plan to start from, else the heuristics'. Its height is enough memory, the M of
// the program. If there is no such plan, or no time is left, begin returns the result of the run.
func (r *job) begin(ctx context.Context) *plan.Result {
	if r.o.Start != nil {
		// A buffer that is never active keeps its place, since it costs nothing.
		for k := range r.tl.Partitions {
			for _, i := range r.tl.Partitions[k].Buffers {
				r.offsets[i] = r.o.Start[i]
			}
		}
		return nil
	}
	offsets, _, _ := greedy.Best(ctx, r.tl, r.o.Capacity)
	if offsets == nil {
		// Either fixed offsets collide, or a limit came first.
		if place.Collide(r.watch, r.tl) == place.Collided {
			return &plan.Result{Status: model.Infeasible}
		}
		return &plan.Result{}
	}
	if height := model.HeightOf(r.tl.Problem, offsets); r.watch.Over() && r.o.Fits(height) {
		// Looking at its groups takes long if there are many buffers.
		return &plan.Result{
			Status: model.Feasible, Plan: model.Plan{Offsets: offsets, Height: height}, LowerBound: min(r.bound, height),
		}
	}
	copy(r.offsets, offsets)
	return nil
}

// A peak is a group with its height in the plan at the beginning.
type peak struct {
	group  []int32
	height int64
}

// byHeight returns the groups, the highest first. It computes each height once, since there may be many.
func (r *job) byHeight() (peaks []peak) {
	for _, group := range r.groups() {
		peaks = append(peaks, peak{group, r.height(group)})
	}
	slices.SortStableFunc(peaks, func(a, b peak) int { return cmp.Compare(b.height, a.height) })
	return peaks
}

// ask solves the program of some buffers. It puts a plan into offsets and a proven lower bound into bound. start is a
// plan for the solver to begin with, or nil. proven says that no plan fits the capacity.
func (r *job) ask(ctx context.Context, group []int32, capacity int64, minimize bool, start []int64) (found, proven bool,
	err error,
) {
	e, err := pairwise.Encode(r.watch, r.tl, group, r.s.maxPairs)
	if errors.Is(err, pairwise.ErrLimit) {
		return false, false, nil
	}
	if err != nil {
		return false, false, refusal(err)
	}
	units := capacity / e.Unit
	for k := range e.Len() {
		if low, high := e.Bounds(k, units); low > high {
			return false, true, nil
		}
	}
	if len(e.Pairs) == 0 {
		r.keep(e, e.Least(r.watch, nil, units))
		return true, false, nil
	}
	if r.watch.Over() || units > largest {
		return false, false, nil
	}
	floor := min(bound.Up(r.bound, e.Unit)/e.Unit, units)
	f := build(e, units, floor, minimize, r.s.tight())
	l := limits{seed: r.o.Seed, cache: r.s.cache, first: !minimize}
	var sharp bool
	l.tolerance, sharp = tolerance(units)
	if r.o.NodeLimit > 0 {
		if l.nodes = r.o.NodeLimit - r.nodes; l.nodes < 1 {
			return false, false, nil
		}
	}
	if start != nil {
		l.start = r.startPoint(f, start)
	}
	if r.watch.Over() {
		return false, false, nil
	}
	a, err := r.s.solve(ctx, f, l)
	if err != nil {
		return false, false, err
	}
	r.nodes += a.nodes
	r.cut = r.cut || a.cut
	if minimize && sharp && a.verdict != infeasible && !math.IsInf(a.bound, 0) {
		// A bound at or below the floor only repeats the floor that the program was given.
		if least := int64(math.Ceil(a.bound - slack)); least > floor {
			r.bound = max(r.bound, least*e.Unit)
		}
	}
	if a.values != nil {
		if at := e.Least(r.watch, f.choices(a.values), units); at != nil {
			r.keep(e, at)
			return true, false, nil
		}
	}
	return false, a.verdict == infeasible && sharp, nil
}

// refusal returns the error for a problem that is too dense, or nil.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return plan.Unsupported("milp", "cannot take this problem: "+err.Error()+"; the parameter max-pairs allows more")
}

// keep takes offsets in units for the buffers of an encoding. They are no higher than the offsets in hand, whose
// height was the capacity.
func (r *job) keep(e *pairwise.Encoding, units []int64) {
	for k, x := range e.Bytes(units) {
		r.offsets[e.ID[k]] = x
	}
}

// startPoint returns the solution that stands for a plan in bytes. It returns nil if the program has no such
// solution, for example if an offset is not a multiple of the unit.
func (r *job) startPoint(f *formulation, offsets []int64) []float64 {
	at := make([]int64, f.e.Len())
	for k, i := range f.e.ID {
		at[k] = offsets[i] / f.e.Unit
	}
	choices, ok := f.e.Choose(at)
	if !ok {
		return nil
	}
	if at = f.e.Least(r.watch, choices, f.capacity); at == nil {
		return nil
	}
	values, ok := f.point(at)
	if !ok {
		return nil
	}
	return values
}

// groups returns the buffers of each program.
func (r *job) groups() [][]int32 {
	var groups [][]int32
	for _, p := range r.tl.Partitions {
		groups = append(groups, p.Buffers)
	}
	if !r.s.partitions && len(groups) > 1 {
		return [][]int32{slices.Concat(groups...)}
	}
	return groups
}

// height returns the height of a group; nil stands for the buffers that are never active.
func (r *job) height(group []int32) int64 {
	var h int64
	if group == nil {
		for i := range r.offsets {
			if first, last := r.tl.Extent(i); first == last {
				h = max(h, r.offsets[i]+r.tl.Problem.Buffers[i].Size)
			}
		}
		return h
	}
	for _, i := range group {
		h = max(h, r.offsets[i]+r.tl.Problem.Buffers[i].Size)
	}
	return h
}

func (r *job) report(missing bool) {
	if r.o.Progress == nil {
		return
	}
	p := plan.Progress{LowerBound: r.bound, Nodes: r.nodes, Elapsed: time.Since(r.began)}
	if !missing {
		p.Height, p.Offsets = model.HeightOf(r.tl.Problem, r.offsets), r.offsets
	}
	r.o.Progress(p)
}

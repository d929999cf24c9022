// Package auto holds `auto`, the planner that runs where no other is
// named: heuristics for a plan at once, exact search for a better one or a
// proof, local search where exact search does not end.
package auto

import (
	"context"
	"math"
	"time"

	"github.com/stowage-go/stowage/internal/climb"
	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func init() {
	exact.Finish = place.Finish
	run.RegisterWith(&Auto{}, true, fresh)
}

// Auto is the planner `auto`.
//
// Idea: heuristics come first, a portfolio that stands for all of the box
// (internal/greedy/best.go), so that there is a plan whatever the limits. Where
// that is not enough (it does not fit the capacity, or is above the proven
// bound), exact search and local search take turns from the best plan so far,
// each with four times the effort of its turn before: exact search ends small
// problems with a proof, local search lowers what exact search cannot end.
//
// Full problems of more than some dozens of buffers, cut from rectangles by a
// compiler's tiling, have buffers that fit together hardly by accident: planning the
// composites that these make (internal/merge) comes before all other searches, and has
// turns of its own.
//
// Most problems of some dozens of buffers need neither the whole portfolio nor a
// turn: exact search looks at them for a few milliseconds after the first lines.
// Where a problem is too large for exact search to dive a few times in its first
// turn, local search has the first turn alone; where it is too large for exact
// search's memory, all turns.
//
// To minimise without a limit each has one turn, some seconds: the last
// percent of a hard problem may take forever. The largest problems get a repair
// of what sticks out of a plan that is close to the bound, and no more (see
// climbMost). To decide whether a capacity fits, or with a limit, the turns go
// on until there is an answer or the limit comes. Local search alone has no
// answer to wait for, so it has one turn as well.
//
// A node is a node of exact search or a placement of all buffers by local search:
// n of its steps. The portfolio takes none: a node limit is for searches.
type Auto struct{}

// Name returns the planner's name.
func (*Auto) Name() string { return "auto" }

// Info describes the planner.
func (p *Auto) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "heuristics for a plan at once, then exact and local search in turns for a better one or a proof",
		Source:  "Stowage",
		Exact:   true,
		Moves:   exact.Tells(),
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

// settings are the techniques of a run.
type settings struct{ heuristics, merge, exact, climb bool }

// Declare lists the techniques.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.heuristics, "heuristics", "start from the best of several first-fit orders; without it, from first-fit alone")
	d.Technique(&s.merge, "merge", "exact search of composites takes turns")
	d.Technique(&s.exact, "exact", "exact search takes turns")
	d.Technique(&s.climb, "climb", "local search takes turns")
}

const (
	// exactEffort is the first turn of exact search: nodes times the incidences
	// of all buffers and sections. With its rounds of inference, a node costs
	// about ten nanoseconds for each.
	exactEffort = 1e8
	// glance is the part of that which exact search has before most of the
	// portfolio: some ten milliseconds.
	glance = 100
	// glanceMost is the number of buffers up to which that lasts until exact search has
	// asked about short stretches of time: they may show that nothing fits.
	glanceMost = 512
	// climbEffort is the first turn of local search, in its steps, of which it
	// takes three to eight million in a second on problems of hundreds.
	climbEffort = 1e7
	// Merging is for mergeLeast buffers, under which exact search is through as soon,
	// up to mergeMost, above which the composites are too many for it.
	mergeLeast, mergeMost = 48, 1 << 14
	// packedNodes is how many nodes a buffer merging has at first where no byte is ever
	// unused. Of packings of 5,000 a quarter take it 4 to 10.
	packedNodes = 16
	// exactMost is the number of buffers up to which exact search takes turns. Its
	// trail takes 16 bytes for each conflict on the way down: 900 MB on a
	// training graph of 10,000.
	exactMost = 4096
	// Without a limit, local search is for up to climbMost buffers and, above
	// closeAbove, for plans more than a thousandth over the bound: what it could
	// win there takes longer than its first turn.
	climbMost, closeAbove = 1 << 17, 1 << 13
	// Of a plan of coresLeast buffers or more that is within one coresNear-th of the
	// bound, local search looks at the peak before all else.
	coresLeast, coresNear = 1024, 50
	// grow is how much longer each turn is than the one before.
	grow = 4
	// shares is the part of a node limit that the first turns have each, so that
	// each search has its turns.
	shares = 8
)

// Plan plans.
func (*Auto) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	a := auto{tl: tl, o: &o, r: &r, began: time.Now()}
	if err := run.Bind("auto", &o, &a.settings); err != nil {
		return r, err
	}
	a.watch = run.NewWatch(ctx)
	defer a.watch.Close()
	n := len(tl.Problem.Buffers)
	a.merge = a.merge && n >= mergeLeast && (n <= mergeMost || n <= climbMost && a.packed())
	a.r.LowerBound = tl.LowerBound
	if err := a.begin(ctx); err != nil || a.settled {
		return r, err
	}
	if err := a.turns(ctx); err != nil {
		return plan.Result{}, err
	}
	a.judge()
	return r, nil
}

// packed reports whether no byte is ever unused: the walls of such a problem are soon gone
// over, however many they are.
func (a *auto) packed() bool {
	for _, load := range a.tl.Load {
		if load != a.tl.LowerBound {
			return false
		}
	}
	return true
}

// turns lets exact search and local search take turns.
func (a *auto) turns(ctx context.Context) error {
	if a.over() {
		return nil
	}
	n := len(a.tl.Problem.Buffers)
	if a.exact && a.climb && n > exactMost {
		a.exact = false
	}
	unlimited := a.o.Timeout == 0 && a.o.NodeLimit == 0
	once := unlimited && (a.o.Minimizing() || !a.exact)
	nodes, steps := a.affordable(), int64(climbEffort)
	if a.o.NodeLimit > 0 {
		nodes = min(nodes, max(a.o.NodeLimit/shares, 1))
		steps = min(steps, max(a.o.NodeLimit/shares, 1)*int64(n))
	}
	exactFirst := a.affordable() >= int64(4*n) || !a.climb
	if once && n > closeAbove && a.climb && (n > climbMost || a.close()) {
		return a.repair(ctx)
	}
	for !a.over() && (a.exact || a.climb) {
		for lowered := a.merge; lowered && !a.over(); {
			a.merges++
			// Composites are fewer than buffers, and so are the incidences of a node.
			// As long as they lower the plan, they have another turn.
			before, share := a.height, int64(4)
			if a.learned.Dives() && a.o.NodeLimit == 0 && !once {
				share *= grow
			}
			if err := a.turn(ctx, &merge.Planner{Learned: &a.learned}, budget{seed: a.merges, nodes: share * min(nodes, math.MaxInt64/share), limited: true}); err != nil {
				return err
			}
			lowered = a.height < before && !once
		}
		if a.over() {
			break
		}
		if a.exact && exactFirst {
			turn := budget{nodes: nodes, limited: a.climb || once}
			if err := a.turn(ctx, &exact.Planner{Alone: true}, turn); err != nil {
				return err
			}
		}
		if a.climb && !a.over() {
			if err := a.turn(ctx, &climb.Planner{}, budget{nodes: steps, limited: true, each: int64(n)}); err != nil {
				return err
			}
		}
		if once {
			break
		}
		exactFirst = true
		nodes, steps = max(min(nodes, math.MaxInt64/grow)*grow, 1), min(steps, math.MaxInt64/grow)*grow
	}
	return nil
}

// close reports whether the plan is within a thousandth of the bound.
func (a *auto) close() bool { return a.height <= a.tl.LowerBound+a.tl.LowerBound/1000 }

// repair has local search put back what sticks out of a plan that is close to
// the bound, and no more than that.
func (a *auto) repair(ctx context.Context) error {
	if a.over() || !a.close() {
		return nil
	}
	return a.turn(ctx, &climb.Planner{}, budget{without: repairs, nodes: climbEffort, limited: true, each: int64(len(a.tl.Problem.Buffers))})
}

// repairs is what local search goes without where it repairs, cores where it looks at peaks.
var (
	repairs = []string{"critical"}
	cores   = []string{"critical", "window"}
)

// auto is a run.
type auto struct {
	tl    *timeline.Timeline
	o     *plan.Options
	watch *run.Watch
	began time.Time
	settings
	merges     uint64 // turns of merging
	learned    merge.Learned
	r          *plan.Result // with the lowest plan so far, whether it fits or not
	height     int64        // of r.Offsets
	infeasible bool
	settled    bool // r is the outcome: there can be no plan, or none was found in time
}

// begin finds the first plans: the best of several, or first-fit's alone.
func (a *auto) begin(ctx context.Context) error {
	if !a.heuristics {
		first, err := run.Lookup("first-fit")
		if err != nil {
			return err
		}
		only, err := first.Plan(ctx, a.tl, plan.Options{})
		if err != nil {
			return err
		}
		a.first(only.Offsets, "first-fit", only.Status == model.Infeasible)
		return nil
	}
	enough := a.o.Capacity // the height at which the heuristics may stop
	if a.o.Minimizing() {
		enough = 0
	}
	p := greedy.NewPortfolio(ctx, a.tl, enough)
	a.first(p.Offsets, p.Name, p.Collided)
	if a.settled || a.over() {
		return nil
	}
	n := len(a.tl.Problem.Buffers)
	soon := !a.merge || !a.full(enough)
	if soon {
		p.Quick(n >= coresLeast)
		a.keep(p.Offsets, p.Height, p.Name)
	}
	if a.climb && n >= coresLeast && n <= climbMost && a.height <= a.tl.LowerBound+a.tl.LowerBound/coresNear && !a.over() {
		if err := a.turn(ctx, &climb.Planner{}, budget{without: cores, nodes: climbEffort, limited: true, each: int64(n)}); err != nil {
			return err
		}
	}
	if soon && !a.over() {
		p.Quick(false)
		a.keep(p.Offsets, p.Height, p.Name)
	}
	if a.merge && !a.over() {
		nodes := max(a.affordable()/glance, int64(4*n))
		if n <= mergeMost && a.packed() {
			nodes = max(nodes, int64(packedNodes*n))
		}
		if a.o.NodeLimit > 0 {
			nodes = min(nodes, max(a.o.NodeLimit/shares, 1))
		}
		if err := a.turn(ctx, &merge.Planner{Learned: &a.learned}, budget{nodes: nodes, limited: true}); err != nil {
			return err
		}
	}
	nodes := a.affordable() / glance
	if n <= glanceMost {
		nodes = max(nodes, int64(16*n))
	}
	if n <= exact.Small {
		nodes = max(nodes, a.affordable()/4)
	}
	if a.exact && !a.over() && n <= exactMost && nodes >= int64(4*n) {
		if a.o.NodeLimit > 0 {
			nodes = min(nodes, max(a.o.NodeLimit/shares, 1))
		}
		if err := a.turn(ctx, &exact.Planner{Alone: true}, budget{nodes: nodes, limited: true}); err != nil {
			return err
		}
	}
	if !a.done() {
		p.Rest()
		a.keep(p.Offsets, p.Height, p.Name)
	}
	if !a.o.Fits(a.height) && enough == 0 && !a.infeasible {
		// The lowest in reach does not fit; whatever fits will do.
		p.Aim(a.o.Capacity)
		p.Rest()
		a.keep(p.Offsets, p.Height, p.Name)
	}
	return nil
}

// full reports whether a capacity is so full that no heuristic is likely to get there:
// two thirds of it are in use on average, and first-fit, which some line or other is an
// eighth lower than at best, ends more than that above it. The lines then wait until
// exact search has had its look. Of 135 problems of 20 and 100 buffers at their bound, and
// of A–K at their capacity, none of 48 buffers or more that are full was solved by them.
func (a *auto) full(capacity int64) bool {
	if capacity == 0 || a.height-capacity <= capacity/8 {
		return false
	}
	sum := 0.0
	for _, load := range a.tl.Load {
		sum += float64(load)
	}
	return 3*sum >= 2*float64(capacity)*float64(len(a.tl.Load))
}

// first takes the first plan, or the plan to start from where that is lower.
func (a *auto) first(offsets []int64, name string, collided bool) {
	switch {
	case collided:
		a.settled = true
		a.r.Status, a.r.LowerBound = model.Infeasible, a.o.Capacity+1
		return
	case offsets == nil && a.o.Start == nil:
		a.settled = true // a limit came before it was known whether fixed buffers collide
		return
	}
	a.height = math.MaxInt64
	if offsets != nil {
		a.r.Offsets, a.height, a.r.Member = offsets, model.HeightOf(a.tl.Problem, offsets), name
	}
	if a.o.Start != nil {
		if h := model.HeightOf(a.tl.Problem, a.o.Start); h < a.height {
			a.r.Offsets, a.height, a.r.Member = a.o.Start, h, "start"
		}
	}
	a.report()
}

// keep takes a plan where it is the lowest so far.
func (a *auto) keep(offsets []int64, height int64, member string) {
	if offsets != nil && height < a.height {
		a.r.Offsets, a.height, a.r.Member = offsets, height, member
		a.report()
	}
}

// done reports whether there is nothing left to look for.
func (a *auto) done() bool {
	return a.infeasible || a.o.Fits(a.height) && (!a.o.Minimizing() || a.height <= a.r.LowerBound)
}

// over reports whether the run is to end: it is done, or a limit has come.
func (a *auto) over() bool {
	return a.done() || a.o.NodeLimit > 0 && a.r.Stats.Nodes >= a.o.NodeLimit || a.watch.Over()
}

// A budget is what a turn may take.
type budget struct {
	nodes   int64 // of the planner's own
	limited bool  // whether nodes counts; the caller's limit does in any case
	each    int64 // so many of them are a node of auto's; 0 for one

	seed    uint64   // is added to that of the run: other restarts in each turn
	without []string // what local search is to go without, in one turn
}

// turn runs a planner from the best plan, and takes what it finds.
func (a *auto) turn(ctx context.Context, p run.Planner, b budget) error {
	b.each = max(b.each, 1)
	if a.o.NodeLimit > 0 {
		left := a.o.NodeLimit - a.r.Stats.Nodes
		if left > math.MaxInt64/b.each {
			left = math.MaxInt64 / b.each
		}
		if left *= b.each; !b.limited || b.nodes > left {
			b.nodes, b.limited = left, true
		}
	}
	o := *a.o
	o.Without, o.NodeLimit, o.Start = nil, 0, a.r.Offsets
	if b.limited {
		o.NodeLimit = max(b.nodes, 1)
	}
	o.Seed += b.seed
	if b.without != nil {
		o.Without, o.Params = b.without, map[string]string{"patience": "2"}
	}
	o.Progress = nil
	if a.o.Progress != nil {
		before := a.r.Stats.Nodes
		o.Progress = func(q plan.Progress) {
			if a.o.Fits(a.height) && (q.Height == 0 || q.Height >= a.height) {
				q.Height, q.Offsets = a.height, a.r.Offsets
			}
			q.LowerBound = max(q.LowerBound, a.r.LowerBound)
			q.Nodes = before + (q.Nodes+b.each-1)/b.each
			q.Elapsed = time.Since(a.began)
			a.o.Progress(q)
		}
	}
	r, err := p.Plan(ctx, a.tl, o)
	if err != nil {
		return err
	}
	a.r.Stats.Nodes += (r.Stats.Nodes + b.each - 1) / b.each
	a.r.Stats.Backtracks += r.Stats.Backtracks
	a.r.LowerBound = max(a.r.LowerBound, r.LowerBound)
	if r.Status == model.Infeasible {
		a.infeasible = true
	}
	if r.Status == model.Optimal {
		a.r.LowerBound = max(a.r.LowerBound, model.HeightOf(a.tl.Problem, r.Offsets))
	}
	if r.Status.HasPlan() {
		a.keep(r.Offsets, model.HeightOf(a.tl.Problem, r.Offsets), p.Name())
	}
	a.report()
	return nil
}

// report tells the caller what stands.
func (a *auto) report() {
	if a.o.Progress == nil {
		return
	}
	q := plan.Progress{LowerBound: a.r.LowerBound, Nodes: a.r.Stats.Nodes, Elapsed: time.Since(a.began)}
	if a.o.Fits(a.height) {
		q.Height, q.Offsets = a.height, a.r.Offsets
	}
	a.o.Progress(q)
}

// judge makes of what stands the outcome. A plan that does not fit is dropped.
func (a *auto) judge() {
	switch {
	case a.infeasible:
		a.r.Status, a.r.Plan = model.Infeasible, model.Plan{}
	case !a.o.Fits(a.height):
		if a.r.Offsets != nil {
			a.r.Enough = a.height
		}
		a.r.Status, a.r.Plan = model.Unknown, model.Plan{}
	case a.height <= a.r.LowerBound:
		a.r.Status = model.Optimal
	default:
		a.r.Status = model.Feasible
	}
}

// affordable returns how many nodes the first turn of exact search has.
func (a *auto) affordable() int64 {
	var incidences int64
	for i := range a.tl.Problem.Buffers {
		for _, s := range a.tl.Spans(i) {
			incidences += int64(s.Last - s.First)
		}
	}
	return exactEffort / max(1, incidences)
}

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
	"github.com/stowage-go/stowage/internal/tune"
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
// percent of a hard problem may take forever. The largest problems get a look at
// the peak of a plan that is close to the bound, and no more (see tune.HugeAbove). To decide whether a capacity fits, or with a limit, the turns go
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
		Summary: "heuristics make a first plan; then exact search and local search alternate, for a lower plan or a proof",
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
	d.Technique(&s.heuristics, "heuristics", "")
	d.Technique(&s.merge, "merge", "")
	d.Technique(&s.exact, "exact", "")
	d.Technique(&s.climb, "climb", "")
}

// Words says in words what each is, by name.
func (*settings) Words() map[string]string {
	return map[string]string{
		"heuristics": "start from the best of several first-fit orders; without it, use only the first order",
		"merge":      "include merge in the alternation: exact search over groups of buffers",
		"exact":      "include exact search in the alternation",
		"climb":      "include local search (climb) in the alternation",
	}
}

const (
	// exactEffort is the first turn of exact search: nodes times the incidences
	// of all buffers and sections. With its rounds of inference, a node costs
	// about ten nanoseconds for each.
	exactEffort = 1e8
	// glance is the part of that which exact search has before most of the
	// portfolio: some ten milliseconds.
	glance = 100
	// climbEffort is the first turn of local search, in its steps, of which it
	// takes three to eight million in a second on problems of hundreds. Where there are
	// gaps a placement takes twice as long, and the turn is half of that.
	climbEffort = 1e7
	// packedNodes is how many nodes a buffer merging has at first where no byte is ever
	// unused. Of packings of 5,000 a quarter take it 4 to 10.
	packedNodes = 16
	// Of a plan that is within one coresNear-th of the bound, local search looks at the
	// peak before all else.
	coresNear = 50
	// grow is how much longer each turn is than the one before.
	grow = 4
	// shares is the part of a limit that the first turns have each, so that
	// each search has its turns.
	shares = 8
)

// Plan plans.
func (*Auto) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	a := &auto{ctx: ctx, tl: tl, load: tl.Load, o: &o, r: &r, n: int64(len(tl.Problem.Buffers)), height: math.MaxInt64}
	if err := run.Bind("auto", &o, &a.settings); err != nil {
		return r, err
	}
	a.watch = run.NewWatch(ctx)
	defer a.watch.Close()
	a.merge = a.merge && a.n >= tune.MergeLeast && (a.n <= tune.MergeMost || a.n <= tune.HugeAbove && a.packed())
	r.LowerBound = tl.LowerBound
	a.affordable = affordable(tl)
	a.begin()
	a.turns()
	a.judge()
	return r, a.err
}

// auto is a run.
type auto struct {
	settings   // what has turns
	ctx        context.Context
	watch      *run.Watch
	tl         *timeline.Timeline
	o          *plan.Options
	n          int64 // buffers
	load       []int64
	affordable int64 // nodes that the first turn of exact search has
	merges     uint64
	learned    merge.Learned
	r          *plan.Result // with the lowest plan so far, whether it fits or not
	height     int64        // of r.Offsets
	infeasible bool
	err        error // of a turn
}

// begin finds the first plans: the best of several, or the first heuristic's alone.
func (a *auto) begin() {
	enough := a.o.Capacity // the height at which the heuristics may stop
	if a.o.Minimizing() {
		enough = 0
	}
	p := greedy.NewPortfolio(a.ctx, a.tl, enough)
	a.infeasible = p.Collided
	a.keep(p.Offsets, p.Name)
	a.keep(a.o.Start, "start")
	if !a.heuristics || a.over() {
		return
	}
	soon := !a.merge || !a.full(enough)
	if soon {
		p.Quick(a.n >= tune.CoresLeast)
		a.keep(p.Offsets, p.Name)
	}
	if a.climb && a.n >= tune.CoresLeast && a.n <= tune.HugeAbove && a.height <= a.tl.LowerBound+a.tl.LowerBound/coresNear {
		a.turn(&climb.Planner{Cores: true}, climbEffort, a.n)
	}
	if soon && !a.over() {
		p.Quick(false)
		a.keep(p.Offsets, p.Name)
	}
	// The looks take a share of a time limit, too: where 10 ms are all that there is, and
	// half of them go to other programs, most of the portfolio would never run.
	ctx := a.ctx
	if end, ok := ctx.Deadline(); ok {
		short, cancel := context.WithTimeout(ctx, 2*time.Until(end)/shares)
		a.ctx = short
		defer cancel()
	}
	if a.merge {
		nodes := max(a.affordable/glance, 4*a.n)
		if a.n <= tune.MergeMost && a.packed() {
			nodes = max(nodes, packedNodes*a.n)
		}
		a.together(a.share(nodes))
	}
	nodes := a.affordable / glance
	if a.n <= tune.GlanceMost {
		nodes = max(nodes, 16*a.n)
	}
	if a.n <= tune.LadderMost {
		nodes = max(nodes, a.affordable/4)
	}
	if a.exact && a.n <= tune.ExactMost && nodes >= 4*a.n {
		a.turn(&exact.Planner{Alone: true}, a.share(nodes), 1)
	}
	a.ctx = ctx
	if !a.done() {
		p.Rest()
		a.keep(p.Offsets, p.Name)
	}
	if !a.o.Fits(a.height) && enough == 0 && !a.infeasible {
		// The lowest in reach does not fit; whatever fits will do.
		p.Aim(a.o.Capacity)
		p.Rest()
		a.keep(p.Offsets, p.Name)
	}
}

// packed reports whether no byte is ever unused: the walls of such a problem are soon gone
// over, however many they are.
func (a *auto) packed() bool {
	for _, load := range a.load {
		if load != a.tl.LowerBound {
			return false
		}
	}
	return true
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
	for _, load := range a.load {
		sum += float64(load)
	}
	return 3*sum >= 2*float64(capacity)*float64(len(a.load))
}

// turns lets exact search and local search take turns.
func (a *auto) turns() {
	if a.climb && a.n > tune.ExactMost {
		a.exact = false
	}
	unlimited := a.o.Timeout == 0 && a.o.NodeLimit == 0
	once := unlimited && (a.o.Minimizing() || !a.exact)
	exactFirst := a.affordable >= 4*a.n || !a.climb
	near := a.height <= a.tl.LowerBound+a.tl.LowerBound/1000
	if once && a.n > tune.LargeAbove && a.climb && (a.n > tune.HugeAbove || near) {
		if near {
			// A look at the peak, and no more.
			a.turn(&climb.Planner{Cores: true}, climbEffort, a.n)
		}
		return
	}
	nodes, steps := a.share(a.affordable), min(climbEffort, a.share(climbEffort)*a.n)
	if a.tl.HasGaps() {
		steps /= 2
	}
	for !a.over() && (a.exact || a.climb) {
		for lowered := a.merge; lowered && !a.over(); {
			// Composites are fewer than buffers, and so are the incidences of a node.
			// As long as they lower the plan, they have another turn.
			before, share := a.height, int64(4)
			if a.learned.Dives() && a.o.NodeLimit == 0 && !once {
				share *= grow
			}
			a.together(share * min(nodes, math.MaxInt64/share))
			lowered = a.height < before && !once
		}
		if a.exact && exactFirst {
			limit := nodes
			if !a.climb && !once {
				limit = 0
			}
			a.turn(&exact.Planner{Alone: true}, limit, 1)
		}
		if a.climb {
			a.turn(&climb.Planner{}, steps, a.n)
		}
		if once {
			return
		}
		exactFirst = true
		nodes, steps = min(nodes, math.MaxInt64/grow)*grow, min(steps, math.MaxInt64/grow)*grow
	}
}

// keep takes a plan where it is the lowest so far.
func (a *auto) keep(offsets []int64, member string) {
	if offsets == nil {
		return
	}
	if height := model.HeightOf(a.tl.Problem, offsets); height < a.height {
		a.r.Offsets, a.height, a.r.Member = offsets, height, member
		a.report(plan.Progress{}, 1)
	}
}

// done reports whether there is nothing left to look for.
func (a *auto) done() bool {
	return a.infeasible || a.r.Offsets == nil || a.err != nil || a.o.Fits(a.height) && (!a.o.Minimizing() || a.height <= a.r.LowerBound)
}

// over reports whether the run is to end: it is done, or a limit has come.
func (a *auto) over() bool {
	return a.done() || a.o.NodeLimit > 0 && a.r.Stats.Nodes >= a.o.NodeLimit || a.watch.Over()
}

// share is what a first turn may take of nodes, so that each has one.
func (a *auto) share(nodes int64) int64 {
	if a.o.NodeLimit > 0 {
		nodes = min(nodes, max(a.o.NodeLimit/shares, 1))
	}
	return nodes
}

// together has merging make a turn, with other restarts than before.
func (a *auto) together(nodes int64) {
	seed := a.o.Seed
	a.o.Seed += a.merges
	a.turn(&merge.Planner{Learned: &a.learned}, nodes, 1)
	a.o.Seed = seed
	a.merges++
}

// turn runs a planner from the best plan, and takes what it finds. It may take so many nodes
// of its own, 0 for no limit but the caller's, each so many of which are one of auto's.
func (a *auto) turn(p run.Planner, nodes, each int64) {
	if a.over() {
		return
	}
	o := *a.o
	o.NodeLimit = nodes
	if a.o.NodeLimit > 0 {
		if left := min(a.o.NodeLimit-a.r.Stats.Nodes, math.MaxInt64/each) * each; nodes == 0 || nodes > left {
			o.NodeLimit = left
		}
	}
	o.Start, o.Without = a.r.Offsets, nil
	if a.o.Progress != nil {
		o.Progress = func(q plan.Progress) { a.report(q, each) }
	}
	r, err := p.Plan(a.ctx, a.tl, o)
	a.err = err
	a.r.Stats.Nodes += (r.Stats.Nodes + each - 1) / each
	a.r.Stats.Backtracks += r.Stats.Backtracks
	a.r.LowerBound = max(a.r.LowerBound, r.LowerBound)
	a.infeasible = r.Status == model.Infeasible
	if r.Status.HasPlan() {
		if r.Status == model.Optimal {
			a.r.LowerBound = max(a.r.LowerBound, model.HeightOf(a.tl.Problem, r.Offsets))
		}
		a.keep(r.Offsets, p.Name())
	}
	a.report(plan.Progress{}, 1)
}

// report tells the caller what stands, with what a turn says, each so many nodes of which
// are one.
func (a *auto) report(q plan.Progress, each int64) {
	if a.o.Progress == nil {
		return
	}
	if a.o.Fits(a.height) && (q.Height == 0 || q.Height >= a.height) {
		q.Height, q.Offsets = a.height, a.r.Offsets
	}
	q.LowerBound = max(q.LowerBound, a.r.LowerBound)
	q.Nodes = a.r.Stats.Nodes + (q.Nodes+each-1)/each
	a.o.Progress(q)
}

// judge makes of what stands the outcome. A plan that does not fit is dropped.
func (a *auto) judge() {
	r := a.r
	switch {
	case a.infeasible:
		r.Status, r.Plan = model.Infeasible, model.Plan{}
	case r.Offsets == nil: // a limit came before it was known whether fixed buffers collide
	case !a.o.Fits(a.height):
		r.Enough, r.Plan = a.height, model.Plan{}
	case a.height <= r.LowerBound:
		r.Status = model.Optimal
	default:
		r.Status = model.Feasible
	}
}

// affordable returns how many nodes the first turn of exact search has.
func affordable(tl *timeline.Timeline) int64 {
	incidences := int64(1)
	for i := range tl.Problem.Buffers {
		for _, s := range tl.Spans(i) {
			incidences += int64(s.Last - s.First)
		}
	}
	return max(1, exactEffort/incidences)
}

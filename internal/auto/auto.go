// Package auto holds `auto`, the planner that runs if no other is named. Heuristics make a
// plan at once. Exact search and local search then take turns, for a lower plan or a proof.
//
//	auto.go      the planner, its techniques and what a run knows
//	policy.go    who has a turn, in which order, with how much effort: a table
//	turns.go     the parts of a run, and one turn
//	judge.go     when a run is over, and what its result is
//
// To see why a member had a turn, run stowage solve --why. Its column by names the member that last
// lowered the plan (keep). A line with - is of no round. The words of its column why are in policy.go and turns.go.
package auto

import (
	"context"
	"math"
	"time"

	"github.com/stowage-go/stowage/internal/beam"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/merge"
	"github.com/stowage-go/stowage/internal/rows"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

func init() {
	run.RegisterWith(&Auto{}, true, fresh)
}

// Auto is the planner `auto`.
//
// Idea: heuristics come first, so there is a plan whatever the limits. If the plan does not fit the capacity, or is
// above the proven bound, searches take turns. Each starts from the best plan so far. Exact search ends small
// problems with a proof. Local search (climb) lowers plans that exact search cannot finish. merge treats buffers that
// fit together too well for chance as one; it solves full problems of hundreds of buffers in milliseconds. policy.go
// has the table of planners and their turns.
//
// A node of auto is a node of exact search or of merge, or one placement of all buffers by
// climb, which is n of its steps. The heuristics take none: a node limit is for searches.
type Auto struct{}

// Name returns the planner's name.
func (*Auto) Name() string { return "auto" }

// Help is all that there is for problems with rules.
func (*Auto) Help() run.Help { return run.HelpEnumerate | run.HelpStack | run.HelpGraph }

// Info describes the planner.
func (p *Auto) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "heuristics make a first plan; then exact search and local search alternate, for a lower plan or a proof",
		Source:  "Stowage",
		Exact:   true,
		Moves:   true,
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

// settings are the techniques of a run.
type settings struct{ heuristics, merge, tela, exact, rows, beam, climb bool }

// Declare lists the techniques.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.heuristics, "heuristics",
		"start from the best of several first-fit orders; without it, use only the first order")
	d.Technique(&s.merge, "merge", "include merge in the alternation: exact search over groups of buffers")
	d.Technique(&s.tela, "tela", "include tela in the alternation, if gaps have windows")
	d.Technique(&s.exact, "exact", "include exact search in the alternation")
	d.Technique(&s.rows, "rows", "include the beam of rows in the alternation, if there are many buffers")
	d.Technique(&s.beam, "beam", "include the beam over time in the alternation, if memory is nearly always full")
	d.Technique(&s.climb, "climb", "include local search (climb) in the alternation")
}

// Plan plans.
func (*Auto) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return new(kept).plan(ctx, tl, o)
}

// Keep returns the planner with a memory.
func (*Auto) Keep() run.Kept { return new(kept) }

// kept is the planner with the memory of what is first in each run: the heuristics. Searches have their own.
type kept struct {
	Auto
	a         auto
	settings  settings
	options   plan.Options
	result    plan.Result
	portfolio greedy.Portfolio
}

// Forget lets go of the problem, and keeps the memory.
func (k *kept) Forget() {
	k.a, k.options, k.result = auto{}, plan.Options{}, plan.Result{}
	k.portfolio.Forget()
}

// Plan plans.
func (k *kept) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	return k.plan(ctx, tl, o)
}

func (k *kept) plan(ctx context.Context, tl *timeline.Timeline, options plan.Options) (plan.Result, error) {
	a, o, r, s := &k.a, &k.options, &k.result, &k.settings
	*o, *r = options, plan.Result{}
	*a = auto{tl: tl, o: o, r: r, n: int64(len(tl.Problem.Buffers)), height: math.MaxInt64, portfolio: &k.portfolio}
	if err := run.Bind("auto", o, s); err != nil {
		return *r, err
	}
	a.heuristics = s.heuristics
	a.watch = run.NewWatch(ctx)
	defer a.watch.Close()
	a.class = s.policy(a.n, a.packed)
	r.LowerBound = tl.LowerBound
	if o.Turns != nil {
		a.told.at = time.Now()
	}
	a.affordable = affordable(tl)
	a.carryOut(ctx)
	a.judge()
	return *r, a.err
}

// auto is what a run knows.
type auto struct {
	class           // the row of the policy
	heuristics bool // all of them, not the first alone
	watch      *run.Watch
	portfolio  *greedy.Portfolio
	tl         *timeline.Timeline
	o          *plan.Options
	n          int64  // buffers
	affordable int64  // nodes of the first turn of exact search
	restarts   uint64 // turns of merge so far: each has another seed
	learned    merge.Learned
	beams      beam.Reached // so far
	rows       rows.Reached
	r          *plan.Result // with the lowest plan so far, whether it fits or not
	height     int64        // of r.Offsets
	infeasible bool
	count      int // rounds so far, for Turns
	told       struct {
		at    time.Time // the end of the turn before
		nodes int64     // until then
	}
	err error // of a turn
}

// affordable returns how many nodes the first turn of exact search has.
func affordable(tl *timeline.Timeline) int64 {
	incidences := int64(1)
	for i := range tl.Problem.Buffers {
		if !tl.HasGaps() {
			first, last := tl.Extent(i)
			incidences += int64(last - first)
			continue
		}
		for _, s := range tl.Spans(i) {
			incidences += int64(s.Last - s.First)
		}
	}
	return max(1, exactEffort/incidences)
}

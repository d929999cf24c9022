package agree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: problems of up to seven buffers in three to five pools (drawn.Banked) must be decided if nothing limits the
// search: each answer is optimal, with the best value of every measure of the objective, or infeasible. oracle.Sets has
// the truth.

// mostBanked is how many nodes the enumeration may take: one in sixty problems takes more.
const mostBanked = 60_000

// A BankedTally counts answers.
type BankedTally struct {
	Problems, Plans, None, Undecided int // undecided by the enumeration
}

// Add adds another tally.
func (t *BankedTally) Add(u BankedTally) {
	t.Problems, t.Plans, t.None, t.Undecided = t.Problems+u.Problems, t.Plans+u.Plans, t.None+u.None,
		t.Undecided+u.Undecided
}

func (t BankedTally) String() string {
	return fmt.Sprintf("%d problems: %d with a plan, %d without, %d left undecided by brute force", t.Problems, t.Plans,
		t.None, t.Undecided)
}

// Banked asks a planner about the problem of a seed, without a limit, and returns what is false or open in its answer;
// "" for nothing.
func (t *BankedTally) Banked(seed uint64, planner string) (p *model.Problem, fault string) {
	p = drawn.Banked(rand.New(rand.NewPCG(seed, 0x62616e6b)))
	t.Problems++
	r, err := stowage.Solve(context.Background(), p, plan.Options{Planner: planner})
	if err != nil {
		return p, "error: " + err.Error()
	}
	var values []int64
	if r.Status.HasPlan() {
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
			return p, "invalid plan: " + report.Violations[0].Message
		}
		if !oracle.Legal(p, &r.Plan) {
			return p, "a plan that the enumeration calls illegal"
		}
		for k, m := range p.Objective() {
			values = append(values, model.ValueOf(r.Measures, m))
			if len(r.Bounds) <= k || r.Bounds[k].Measure != m || r.Bounds[k].Value != values[k] {
				return p, fmt.Sprintf("%v: bounds %v of %v", r.Status, r.Bounds, values)
			}
		}
	}
	best, _, decided := oracle.Sets(p, mostBanked)
	switch {
	case !decided:
		t.Undecided++
	case best != nil:
		t.Plans++
	default:
		t.None++
	}
	switch {
	case r.Status != model.Optimal && r.Status != model.Infeasible || r.Stopped != plan.Finished:
		return p, fmt.Sprintf("%v, ended by %q", r.Status, r.Stopped)
	case decided && !slices.Equal(values, best), decided && (best == nil) != (values == nil):
		return p, fmt.Sprintf("%v %v; the best is %v", r.Status, values, best)
	}
	return p, ""
}

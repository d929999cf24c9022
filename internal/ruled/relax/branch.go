package relax

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the frame of a branch and bound, which is the same for all rules:
//
//	ask the problem of a branch      no plan of it, or none that may be better than the best: the branch ends
//	see what its plan breaks or pays  the branches that follow are searched one after the other
//
// A branch may have the problem of the one before, and say more of what its plans pay. Its answer is then known.
//
// Invariant: the branches that Split returns have all plans of their branch that keep the rule and are not offered, unless
// Cut is set.
//
// Complexity: at most MostQuestions problems.

// A Rule is what a search branches on. S is a branch.
type Rule[S any] interface {
	// Question returns the problem of a branch, or the answer if it is known. Both are nil if the branch has no plan.
	Question(s *S) (q *model.Problem, known *plan.Result)
	// Paid returns what each plan of the branch has of a measure, besides what the answer to its problem says.
	Paid(s *S) (m model.Measure, paid int64)
	// Split returns the branches of a branch. r is the answer with Paid in its bounds; asked is the answer itself, which a
	// branch with the same problem keeps.
	Split(ctx context.Context, s *S, r, asked *plan.Result) ([]S, error)
}

// Branch searches the plans of a branch.
func Branch[S any](ctx context.Context, x *Search, rule Rule[S], s S) error {
	if x.Over(ctx) {
		return nil
	}
	q, known := rule.Question(&s)
	switch {
	case known != nil:
	case q == nil:
		return nil
	default:
		r, err := x.Ask(ctx, q)
		if err != nil {
			return err
		}
		known = &r
	}
	if known.Status == model.Infeasible {
		return nil
	}
	r := *known
	r.Bounds = slices.Clone(r.Bounds)
	m, paid := rule.Paid(&s)
	for k := range r.Bounds {
		if r.Bounds[k].Measure == m {
			r.Bounds[k].Value += paid
		}
	}
	if x.O.Least && !x.Hopes(&r) {
		return nil
	}
	next, err := rule.Split(ctx, &s, &r, known)
	for k := 0; err == nil && k < len(next); k++ {
		err = Branch(ctx, x, rule, next[k])
	}
	return err
}

// Take offers the plan of an answer, with its measures in the whole problem. It returns false if there is none, and leaves
// the branch open.
func (x *Search) Take(r *plan.Result) bool {
	if !r.Status.HasPlan() {
		x.Cut = true
		return false
	}
	r.Measures = model.MeasuresOf(x.P, &r.Plan)
	x.Offer(r)
	return true
}

// Close ends a branch whose plan was offered. If it is not proven to be the best of the branch, the branch is left open.
func (x *Search) Close(r *plan.Result) { x.Cut = x.Cut || x.O.Least && r.Status != model.Optimal }

package ruled_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestEachFeatureCounts shows for each feature of rules that a planner which ignored it would answer falsely: brute
// force has another optimum without it, or has a plan in one case alone. exact must have both answers.
func TestEachFeatureCounts(t *testing.T) {
	known := must.Get(plan.Find("exact"))(t)
	solve := func(p *model.Problem) []int64 {
		got := must.Get(ruled.Solve(context.Background(), p, run.Prepared(known), plan.Options{Minimize: true}))(t)
		if got.Status != model.Optimal && got.Status != model.Infeasible {
			t.Fatalf("%v\n%s", got.Status, drawn.DescribeRuled(p))
		}
		var values []int64
		for _, m := range p.Objective() {
			if got.Status.HasPlan() {
				values = append(values, model.ValueOf(got.Measures, m))
			}
		}
		return values
	}
	for k, feature := range drawn.RuledFeatures {
		r := rand.New(rand.NewPCG(25, uint64(k)))
		better, worse := 0, 0
		for tries := 0; better+worse < plantest.Share(40, 10, 5); tries++ {
			if tries == 20_000 {
				t.Errorf("%s: only %d and %d of %d problems have another answer without it", feature, better, worse, tries)
				break
			}
			p := drawn.Broad(r, feature)
			with, without, ok := answers(p, feature)
			if !ok {
				continue
			}
			if slices.Compare(without, with) < 0 && without != nil || with == nil {
				better++
			} else {
				worse++
			}
			if got := solve(p); !slices.Equal(got, with[:min(len(with), len(got))]) || (got == nil) != (with == nil) {
				t.Errorf("%s: exact has %v, brute force %v\n%s", feature, got, with, drawn.DescribeRuled(p))
			}
			if q := drawn.Without(p, feature); feature != "objective" {
				if got := solve(q); !slices.Equal(got, without) {
					t.Errorf("without %s: exact has %v, brute force %v\n%s", feature, got, without, drawn.DescribeRuled(q))
				}
			}
		}
		t.Logf("%s: %d are better without it, %d worse", feature, better, worse)
		// Most features only restrain plans, or only permit more of them. Without pools, the places and costs of
		// buffers in pools go, too. Without an objective another measure is compared.
		if both := feature == "pools" || feature == "together" || feature == "objective"; better > 0 && worse > 0 && !both {
			t.Errorf("%s: %d are better without it, and %d worse", feature, better, worse)
		}
	}
}

// answers returns what brute force has for a problem with and without a feature. ok is false if these are equal, or
// not to be compared. For objectives, the values of the default objective are compared, among the plans that are best
// by the problem's own.
func answers(p *model.Problem, feature string) (with, without []int64, ok bool) {
	q := drawn.Without(p, feature)
	if model.Validate(q) != nil {
		return nil, nil, false
	}
	asked := *p
	if feature == "objective" {
		rules := *p.Rules
		for _, m := range q.Objective() {
			if !slices.Contains(rules.Objective, m) {
				rules.Objective = append(slices.Clone(rules.Objective), m)
			}
		}
		asked.Rules = &rules
	}
	with, _, decided := oracle.Chains(&asked, 20_000)
	without, _, also := oracle.Chains(q, 20_000)
	if !decided || !also {
		return nil, nil, false
	}
	if feature != "objective" {
		return with, without, !slices.Equal(with, without)
	}
	if with == nil {
		return nil, nil, false
	}
	var values []int64
	for _, m := range q.Objective() {
		values = append(values, with[slices.Index(asked.Rules.Objective, m)])
	}
	return with, without, !slices.Equal(values, without)
}

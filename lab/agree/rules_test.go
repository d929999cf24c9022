package agree

import (
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	_ "github.com/stowage-go/stowage/lab/milp"
)

// TestRuled asks every planner about problems with every feature and every pair of features.
// go run ./lab/bench/agree -rules asks about more.
func TestRuled(t *testing.T) {
	t.Parallel()
	tally := NewRuledTally(func(q RuledQuestion, fault, problem string) { t.Errorf("%s: %s\n%s", q, fault, problem) })
	planners := run.All()
	seeds := plantest.Share(200_000, 5*uint64(len(RuledPairs)), 3*uint64(len(RuledPairs)))
	for seed := range seeds {
		tally.Seed(seed, planners, 16)
	}
	t.Log(tally)
	if len(planners) < 68 || len(tally.Answers) < len(planners) {
		t.Errorf("%d planners, %d were asked", len(planners), len(tally.Answers))
	}
	if tally.Plans < tally.None/2 || tally.None < tally.Plans/2 || tally.Undecided*20 > int(seeds) {
		t.Errorf("lopsided")
	}
	if len(tally.Features) != len(drawn.RuledFeatures) || len(tally.Pairs)+len(tally.Features) != len(RuledPairs) {
		t.Errorf("%d features and %d pairs were drawn", len(tally.Features), len(tally.Pairs))
	}
	for name, answers := range tally.Answers {
		if claims := answers["optimal"] + answers["infeasible"]; (name == "auto" || name == "exact") &&
			claims < int(seeds)*3/4 {
			t.Errorf("%s has proven %d of %d", name, claims, seeds)
		}
	}
}

// TestRuledFound asks again about questions whose answers were once false.
func TestRuledFound(t *testing.T) {
	for _, x := range []struct {
		seed    uint64
		planner string
	}{
		// the bound of the cost was 4,000 and the least cost 0, if the context was over before the call
		{116553, "minimalloc"},
	} {
		p := must.Get(run.Lookup(x.planner))(t)
		if q := RuledQuestionOf(x.seed, p); !q.Ended {
			t.Errorf("seed %d, %s: the question has changed: %s", x.seed, x.planner, q)
		} else if out := AskRuled(RuledCaseOf(x.seed), q); out.Fault != "" {
			t.Errorf("%s: %s", q, out.Fault)
		}
	}
}

// TestBanks asks about problems with rules of banks, in every pair with another feature.
// go run ./lab/bench/agree -banks asks about more.
func TestBanks(t *testing.T) {
	t.Parallel()
	tally := NewRuledTally(func(q RuledQuestion, fault, problem string) { t.Errorf("%s: %s\n%s", q, fault, problem) })
	tally.CaseOf = BankCaseOf
	seeds := plantest.Share(100_000, 5*uint64(len(BankPairs)), 3*uint64(len(BankPairs)))
	for seed := range seeds {
		tally.Seed(seed, run.All(), 64)
	}
	t.Log(tally)
	if tally.Plans < tally.None/5 || tally.None < tally.Plans/5 || tally.Undecided*20 > int(seeds) {
		t.Errorf("lopsided")
	}
	for _, feature := range drawn.BankRules { // each in its own pairs at least
		if tally.Features[feature] < int(seeds)/len(drawn.BankRules) {
			t.Errorf("%s is in %d problems", feature, tally.Features[feature])
		}
	}
}

// TestEven draws problems until each pair is in two of them, without asking anybody: far fewer than two for each pair.
func TestEven(t *testing.T) {
	t.Parallel()
	even, tally, drawings := NewEven(0, 2), NewRuledTally(nil), 0
	tally.CaseOf = BankCaseOf
	for seed, ok := even.Next(); ok; seed, ok = even.Next() {
		drawings++
		even.Had(tally.Seed(seed, nil, 1))
	}
	for k, pair := range BankPairs {
		if pair[0] != pair[1] && even.had[k] < 2 && even.tried[k] < 40 {
			t.Errorf("%v is in %d problems", pair, even.had[k])
		}
	}
	if t.Logf("%d pairs, %d problems", len(BankPairs), drawings); drawings > 3*len(BankPairs)/2 {
		t.Errorf("%d problems for %d pairs", drawings, len(BankPairs))
	}
}

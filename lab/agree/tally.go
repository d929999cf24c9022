package agree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// A RuledTally counts what planners answer about problems with rules.
type RuledTally struct {
	// OnFault is called for each false answer, with its problem.
	OnFault func(q RuledQuestion, fault, problem string)
	// CaseOf returns the case of a seed; NewRuledTally sets it to RuledCaseOf.
	CaseOf func(seed uint64) *RuledCase

	Plans, None, Undecided int                       // problems, by brute force's answer
	Features               map[string]int            // problems that brute force has decided, by their features
	Pairs                  map[string]int            // and by pairs of these
	NoPlan                 map[string]int            // as Features and Pairs, those without a plan
	Limited                int                       // questions to auto and exact under a limit
	Answers                map[string]map[string]int // by planner: statuses, refused, false
	Refusals               map[string]int            // by message, without the planner's name
	Took                   map[string]time.Duration
}

// NewRuledTally returns an empty tally.
func NewRuledTally(onFault func(q RuledQuestion, fault, problem string)) *RuledTally {
	return &RuledTally{
		OnFault: onFault, CaseOf: RuledCaseOf, Features: map[string]int{}, Pairs: map[string]int{}, Answers: map[string]map[string]int{},
		NoPlan: map[string]int{}, Refusals: map[string]int{}, Took: map[string]time.Duration{},
	}
}

// heavyShare is for planners that take much longer than the others: they are asked about one problem in so many.
var heavyShare = map[string]uint64{"milp": 8}

// Seed asks about the problem of a seed: auto and exact, and each other planner about one in share problems. It returns
// the features of the problem; none if brute force has not decided it.
func (t *RuledTally) Seed(seed uint64, planners []run.Planner, share uint64) (has []string) {
	c := t.CaseOf(seed)
	if c.Decided {
		has = drawn.FeaturesOf(c.Problem)
	}
	count := func(m map[string]int, key string) {
		if m[key]++; c.Best == nil {
			t.NoPlan[key]++
		}
	}
	for k, a := range has {
		count(t.Features, a)
		for _, b := range has[k+1:] {
			count(t.Pairs, a+" and "+b)
		}
	}
	switch {
	case !c.Decided:
		t.Undecided++
	case c.Best == nil:
		t.None++
	default:
		t.Plans++
	}
	for k, p := range planners {
		name := p.Info().Name
		every := share * max(heavyShare[name], 1)
		if name == "auto" || name == "exact" {
			every = 1
		}
		if (seed+uint64(k))%every != 0 {
			continue
		}
		q := RuledQuestionOf(seed, p)
		if every == 1 && q.Limited() {
			t.Limited++
		}
		began := time.Now()
		out := AskRuled(c, q)
		t.Took[name] += time.Since(began)
		word := out.Status.String()
		switch {
		case out.Fault != "":
			word = "false"
			t.OnFault(q, out.Fault, drawn.DescribeRuled(c.Problem))
		case out.Refused != "":
			word = "refused"
			t.Refusals[strings.TrimPrefix(out.Refused, "planner "+name+" ")]++
		}
		if t.Answers[name] == nil {
			t.Answers[name] = map[string]int{}
		}
		t.Answers[name][word]++
	}
	return has
}

// Add adds the counts of another tally.
func (t *RuledTally) Add(o *RuledTally) {
	t.Plans, t.None, t.Undecided = t.Plans+o.Plans, t.None+o.None, t.Undecided+o.Undecided
	t.Limited += o.Limited
	for _, m := range []struct{ to, from map[string]int }{
		{t.Features, o.Features}, {t.Pairs, o.Pairs}, {t.NoPlan, o.NoPlan}, {t.Refusals, o.Refusals},
	} {
		for k, v := range m.from {
			m.to[k] += v
		}
	}
	for name, answers := range o.Answers {
		if t.Answers[name] == nil {
			t.Answers[name] = map[string]int{}
		}
		for k, v := range answers {
			t.Answers[name][k] += v
		}
	}
	for k, v := range o.Took {
		t.Took[k] += v
	}
}

// rarest says how many pairs of features came up, and which of them least.
func (t *RuledTally) rarest() string {
	least := slices.MinFunc(slices.Sorted(maps.Keys(t.Pairs)), func(a, b string) int { return t.Pairs[a] - t.Pairs[b] })
	return fmt.Sprintf("%d pairs of features, each in %d problems or more (%s)", len(t.Pairs), t.Pairs[least], least)
}

// String is a table by planner.
func (t *RuledTally) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d problems with a plan, %d without, %d that brute force left undecided\n", t.Plans, t.None,
		t.Undecided)
	if len(t.Pairs) > 0 {
		s.WriteString(t.rarest() + "\n")
	}
	words := []string{
		model.Optimal.String(), model.Infeasible.String(), model.Feasible.String(), model.Unknown.String(),
		"refused", "false",
	}
	fmt.Fprintf(&s, "%-29s", "")
	for _, w := range words {
		fmt.Fprintf(&s, "%11s", w)
	}
	s.WriteString("   ms a call\n")
	for _, name := range slices.Sorted(maps.Keys(t.Answers)) {
		calls := 0
		fmt.Fprintf(&s, "%-29s", name)
		for _, w := range words {
			fmt.Fprintf(&s, "%11d", t.Answers[name][w])
			calls += t.Answers[name][w]
		}
		fmt.Fprintf(&s, "%12.2f\n", t.Took[name].Seconds()*1000/float64(calls))
	}
	for _, why := range slices.Sorted(maps.Keys(t.Refusals)) {
		fmt.Fprintf(&s, "%6d refused: %s\n", t.Refusals[why], why)
	}
	return s.String()
}

package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/baseline/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Hard is the number of backtracks above which an input counts as hard, as in
// section 7.3 of the paper.
const Hard = 1000

// A Comparison is an input searched by tela's own rules and with a model.
type Comparison struct {
	Input          string
	Rules, Learned Outcome
}

// An Outcome is the end of one search.
type Outcome struct {
	Status     model.Status
	Steps      int64
	Backtracks int64
	Seconds    float64
}

// solved reports whether there is a plan.
func (o *Outcome) solved() bool { return o.Status.HasPlan() }

// A Tally sums up comparisons. Hard inputs are those that took the rules more
// than Hard backtracks, whether solved or not.
type Tally struct {
	Inputs, Hard   int
	Improved       int // hard inputs with fewer backtracks, or newly solved
	NewlySolved    int
	TenTimesFewer  int // solved by both, with a tenth of the backtracks at most
	Open           int // hard inputs that neither solves
	Worse          int // hard inputs with more backtracks, or lost
	Lost           int // solved by the rules alone, hard or not
	TenTimesMore   int // solved by both, with ten times the backtracks, hard or not
	SolvedByRules  int // of all inputs
	SolvedByModel  int
	RulesSeconds   float64
	LearnedSeconds float64
}

// Add counts one comparison.
func (t *Tally) Add(c *Comparison) {
	t.Inputs++
	r, l := &c.Rules, &c.Learned
	t.RulesSeconds += r.Seconds
	t.LearnedSeconds += l.Seconds
	if r.solved() {
		t.SolvedByRules++
	}
	if l.solved() {
		t.SolvedByModel++
	}
	both := r.solved() && l.solved()
	if r.solved() && !l.solved() {
		t.Lost++
	}
	if both && l.Backtracks > 10*max(r.Backtracks, 1) {
		t.TenTimesMore++
	}
	if r.Backtracks <= Hard {
		return
	}
	t.Hard++
	switch {
	case l.solved() && !r.solved():
		t.NewlySolved++
		t.Improved++
	case both && l.Backtracks < r.Backtracks:
		t.Improved++
		if 10*l.Backtracks <= r.Backtracks {
			t.TenTimesFewer++
		}
	case r.solved() && (!l.solved() || l.Backtracks > r.Backtracks):
		t.Worse++
	case !r.solved() && !l.solved():
		t.Open++
	}
}

// Compare searches an input by the rules and with a policy, with so many steps
// each. The completion is off: it does not backtrack to points. The search by the
// rules is also without the techniques named.
func Compare(ctx context.Context, in *Input, policy tela.Policy, steps int64, without []string) (Comparison, error) {
	c := Comparison{Input: in.Name}
	for _, side := range []struct {
		to      *Outcome
		policy  tela.Policy
		without []string
	}{{&c.Rules, nil, without}, {&c.Learned, policy, nil}} {
		r, err := run.Run(ctx, tela.Planner{Policy: side.policy}, in.Timeline, plan.Options{
			Capacity: in.Capacity, NodeLimit: steps, Without: append([]string{"completion"}, side.without...),
		})
		if err != nil {
			return c, err
		}
		*side.to = Outcome{r.Status, r.Stats.Nodes, r.Stats.Backtracks, r.Stats.Elapsed.Seconds()}
	}
	return c, nil
}

// An Evaluation is a comparison over many inputs.
type Evaluation struct {
	Scorer  Scorer
	Oracle  int64    // asks the exact planner in place of the scorer, with so many nodes; 0 means the scorer
	Steps   int64    // of a search
	Without []string // techniques that the rules are without
}

// Check refuses a technique that tela does not have.
func (e *Evaluation) Check() error {
	for _, name := range e.Without {
		if !slices.ContainsFunc(tela.Planner{}.Info().Techniques, func(t plan.Technique) bool { return t.Name == name }) {
			return fmt.Errorf("tela has no technique named %q", name)
		}
	}
	return nil
}

// Run compares on each input. A context that ends is an error: half a tally
// says nothing.
func (e *Evaluation) Run(ctx context.Context, inputs []Input) (tally Tally, rows []Comparison, err error) {
	for k := range inputs {
		var policy tela.Policy = &e.Scorer
		if e.Oracle > 0 {
			policy = NewGuide(ctx, inputs[k].Timeline, e.Oracle)
		}
		one, err := Compare(ctx, &inputs[k], policy, e.Steps, e.Without)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return tally, rows, err
		}
		tally.Add(&one)
		rows = append(rows, one)
	}
	return tally, rows, nil
}

// A Line is a count of a tally by name.
type Line struct {
	Name  string
	Count int
}

// Lines returns the counts in the order in which they are read.
func (t *Tally) Lines() []Line {
	return []Line{
		{"all", t.Inputs},
		{"solved by the rules", t.SolvedByRules},
		{"solved with the model", t.SolvedByModel},
		{"hard: over 1,000 backtracks by the rules", t.Hard},
		{"  improved", t.Improved},
		{"    newly solved", t.NewlySolved},
		{"    a tenth of the backtracks or fewer", t.TenTimesFewer},
		{"  worse", t.Worse},
		{"  solved by neither", t.Open},
		{"lost: solved by the rules only", t.Lost},
		{"ten times the backtracks or more", t.TenTimesMore},
	}
}

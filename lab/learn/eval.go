package learn

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Hard is the number of backtracks above which an input counts as hard, as in
// section 7.3 of the paper.
const Hard = 1000

// A Comparison is an input searched by tela's own rules and by a contender.
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
	SolvedByModel  int // and of the contender
	RulesSeconds   float64
	LearnedSeconds float64
	RulesSteps     int64
	LearnedSteps   int64
}

// Add counts one comparison.
func (t *Tally) Add(c *Comparison) {
	t.Inputs++
	r, l := &c.Rules, &c.Learned
	t.RulesSeconds += r.Seconds
	t.LearnedSeconds += l.Seconds
	t.RulesSteps += r.Steps
	t.LearnedSteps += l.Steps
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

// A Contender is a way to decide where major backtracks go.
type Contender struct {
	Name string
	// Policy returns what decides for one input; it is used for no other. Without one, the
	// exact planner alone searches, for so many Nodes.
	Policy func(context.Context, *Input) tela.Policy
	Nodes  int64
}

// search searches an input.
func (c *Contender) search(ctx context.Context, in *Input, steps int64, without []string) (Outcome, error) {
	if c.Policy != nil {
		return search(ctx, in, c.Policy(ctx, in), steps, without)
	}
	r, err := run.Run(ctx, &engine.Planner{}, in.Timeline, plan.Options{Capacity: in.Capacity, NodeLimit: c.Nodes})
	return Outcome{r.Status, r.Stats.Nodes, r.Stats.Backtracks, r.Stats.Elapsed.Seconds()}, err
}

// search searches an input with a policy, nil for tela's rules, for so many steps.
// The completion is off: it does not backtrack to points.
func search(ctx context.Context, in *Input, policy tela.Policy, steps int64, without []string) (Outcome, error) {
	r, err := run.Run(ctx, tela.Planner{Policy: policy}, in.Timeline, plan.Options{
		Capacity: in.Capacity, NodeLimit: steps, Without: append([]string{"completion"}, without...),
	})
	return Outcome{r.Status, r.Stats.Nodes, r.Stats.Backtracks, r.Stats.Elapsed.Seconds()}, err
}

// An Evaluation compares contenders with tela's rules on the same inputs.
type Evaluation struct {
	Contenders []Contender
	Steps      int64    // of a search
	Without    []string // techniques that the contenders are without
	// RulesWithout are techniques that the rules are without; where they are other
	// ones than the contenders', it is no longer the policy alone that is measured.
	RulesWithout []string
	// Each, where set, is called with each comparison.
	Each func(contender int, c *Comparison)
}

// Check refuses a technique that tela does not have.
func (e *Evaluation) Check() error { return CheckTechniques(slices.Concat(e.Without, e.RulesWithout)) }

// CheckTechniques refuses one that tela does not have.
func CheckTechniques(names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(tela.Planner{}.Info().Techniques, func(t plan.Technique) bool { return t.Name == name }) {
			return fmt.Errorf("tela has no technique named %q", name)
		}
	}
	return nil
}

// Run compares on each input and returns a tally for each contender. A context that
// ends is an error: half a tally says nothing.
func (e *Evaluation) Run(ctx context.Context, inputs []Input) ([]Tally, error) {
	tallies := make([]Tally, len(e.Contenders))
	for k := range inputs {
		rules, err := search(ctx, &inputs[k], nil, e.Steps, e.RulesWithout)
		if err != nil {
			return nil, err
		}
		for n := range e.Contenders {
			learned, err := e.Contenders[n].search(ctx, &inputs[k], e.Steps, e.Without)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			one := Comparison{inputs[k].Name, rules, learned}
			tallies[n].Add(&one)
			if e.Each != nil {
				e.Each(n, &one)
			}
		}
	}
	return tallies, nil
}

// Join adds the counts of another tally.
func (t *Tally) Join(u *Tally) {
	t.Inputs += u.Inputs
	t.Hard += u.Hard
	t.Improved += u.Improved
	t.NewlySolved += u.NewlySolved
	t.TenTimesFewer += u.TenTimesFewer
	t.Open += u.Open
	t.Worse += u.Worse
	t.Lost += u.Lost
	t.TenTimesMore += u.TenTimesMore
	t.SolvedByRules += u.SolvedByRules
	t.SolvedByModel += u.SolvedByModel
	t.RulesSeconds += u.RulesSeconds
	t.LearnedSeconds += u.LearnedSeconds
	t.RulesSteps += u.RulesSteps
	t.LearnedSteps += u.LearnedSteps
}

// A Line is a count of a tally, or what follows from counts, by name.
type Line struct{ Name, Value string }

// Lines returns them in the order in which they are read.
func (t *Tally) Lines() []Line {
	share := func(n int) string {
		if t.Hard == 0 {
			return "-"
		}
		return fmt.Sprintf("%d (%.0f%%)", n, 100*float64(n)/float64(t.Hard))
	}
	ratio := func(x, y float64) string {
		if y == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", x/y)
	}
	return []Line{
		{"all", strconv.Itoa(t.Inputs)},
		{"solved by the rules", strconv.Itoa(t.SolvedByRules)},
		{"solved", strconv.Itoa(t.SolvedByModel)},
		{"hard: over 1,000 backtracks by the rules", strconv.Itoa(t.Hard)},
		{"  improved", share(t.Improved)},
		{"    newly solved", strconv.Itoa(t.NewlySolved)},
		{"    a tenth of the backtracks or fewer", strconv.Itoa(t.TenTimesFewer)},
		{"  worse", share(t.Worse)},
		{"  solved by neither", strconv.Itoa(t.Open)},
		{"lost: solved by the rules only", strconv.Itoa(t.Lost)},
		{"ten times the backtracks or more", strconv.Itoa(t.TenTimesMore)},
		{"steps, those of the rules being 1", ratio(float64(t.LearnedSteps), float64(t.RulesSteps))},
		{"time, that of the rules being 1", ratio(t.LearnedSeconds, t.RulesSeconds)},
	}
}

// A Coin stays at the failed point, to try all unplaced buffers there, in a share of
// the major backtracks, and follows the rules in the others: what chance is worth.
type Coin struct {
	Turn
	Stay float64 // the share
}

// Choose tosses it. Which way it falls depends on the backtrack's number alone.
func (c *Coin) Choose(m *tela.Major) int {
	if otherwise, theirs := c.of(m); !theirs || toss(m) >= c.Stay {
		return otherwise
	}
	return tela.Spread
}

// Solved does nothing.
func (*Coin) Solved(int, []tela.Placement) {}

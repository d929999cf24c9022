package learn

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/stowage-go/stowage/internal/baseline/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: at a major backtrack every target is scored, the score is weighed down
// for targets that are far up, and the best goes if it is good enough. If none
// is, the search stays and tries all unplaced buffers: a backtrack too far does
// more harm than one too near.
//
// The weight of target t at failed point d is ((t+1)/(d+1))^w. The paper has a
// weight and a threshold without numbers; the defaults were chosen on generated
// problems that are neither in the training data nor in the measurement of
// docs/planners/tela.md.
//
// The first few hundred backtracks are left to tela's rules, which solve most
// inputs sooner, and after them a share of the others. A search comes by the same
// points again and again, and a model that is wrong about one is wrong about it
// every time; the other share gets it out of there. The paper suggests to fall
// back to the rules in another way, by running both.
//
// Complexity: targets × trees × depth a major backtrack; no allocation.
//
// Measured on the 360 inputs that the parameters were chosen on, 132 of them hard:
// asked at 0.6 of the backtracks the model improves 68 and worsens 26, asked
// at all of them 51 and 35 (with another model of the same kind).
//
// Tried and dropped: labels that are 10 for every target that can be completed, or
// for the deepest one (the paper's label solves more); four times the samples,
// deeper trees (no better); offering a target beyond its three candidates all
// unplaced buffers (worse). What chance is worth, on 120 inputs at 100% to 112% of
// the load, 50,000 steps: the rules solve 89, staying at a tenth to a third of the
// points without a model 98 to 105, models of this kind 93 to 104. As a technique of
// tela it was dropped: on the 391 inputs of docs/planners/tela.md with more seeds it
// solves 325 to 338, and 334 are solved without it.

// A Scorer chooses backtrack targets by the score of a forest.
type Scorer struct {
	Forest *Forest
	// Weight is the exponent of the depth weight; 0 means none.
	Weight float64
	// Threshold is the least weighted score to follow; scores are from 0 to 10.
	Threshold float64
	// After is the number of backtracks up to which tela's rules are followed:
	// most inputs are easy, and need no model.
	After int64
	// Share is the part of the major backtracks after that at which the model is
	// asked, from 0 to 1. Which ones they are depends on the input alone.
	Share float64
	// Spread has all unplaced buffers tried where no score is above the
	// threshold; otherwise tela's own rules are followed there.
	Spread bool
}

// DefaultScorer has the defaults, and no forest.
var DefaultScorer = Scorer{Weight: 1, Threshold: 2, After: 300, Share: 0.6}

// Choose returns the best target, or what to do where none is good enough.
func (s *Scorer) Choose(m *tela.Major) int {
	if m.Backtracks < s.After || coin(uint64(m.Backtracks)) >= s.Share {
		return tela.Rules
	}
	best, most := tela.Rules, s.Threshold
	if s.Spread {
		best = tela.Spread
	}
	for k := range m.Targets {
		t := &m.Targets[k]
		score := float64(s.Forest.Score(&t.Features))
		if s.Weight != 0 {
			score *= math.Pow(float64(t.Point+1)/float64(m.Point+1), s.Weight)
		}
		if score >= most {
			best, most = k, score
		}
	}
	return best
}

// coin returns a number from 0 to 1, always the same one for the same x.
func coin(x uint64) float64 { return float64(splitmix.Next(&x)>>11) / (1 << 53) }

// Solved does nothing.
func (*Scorer) Solved(int, []tela.Placement) {}

//go:embed model.json.gz
var shipped embed.FS

// Shipped returns the forest that comes with the program.
var Shipped = sync.OnceValues(func() (*Forest, error) {
	f, err := shipped.Open("model.json.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadForest(f)
})

func init() { run.Register(Planner{}) }

// Planner is the planner `tela-learned`: tela, with the forest deciding where
// major backtracks go.
type Planner struct{}

// Name returns the planner's name.
func (Planner) Name() string { return name }

// Info describes the planner.
func (Planner) Info() plan.Info {
	i := tela.Planner{As: name}.Info()
	own := run.Describe(plan.Info{Name: name}, func() run.Settings { return new(settings) })
	i.Summary = "tela with learned backtracks: trees trained on the exact planner's answers say where to go"
	i.Params = append(i.Params, own.Params...)
	telas := i.Check
	i.Check = func(o plan.Options) error { return errors.Join(telas(o), own.Check(o)) }
	return i
}

const name = "tela-learned"

// settings are the planner's own parameters.
type settings struct {
	model, below             string
	after                    int64
	share, weight, threshold float64
}

// Declare lists the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Text(&s.model, "model", "", "a file", nil, "a file that XGBoost saved as JSON, gzipped or not; empty for the one that comes with the program")
	d.Int64(&s.after, "model-after", DefaultScorer.After, 0, math.MaxInt64, "backtracks of a partition after which the model is asked; before, tela's rules decide")
	d.Float(&s.share, "model-share", DefaultScorer.Share, 0, 1, "part of the major backtracks after that at which it is asked; at the others tela's rules decide")
	d.Float(&s.weight, "depth-weight", DefaultScorer.Weight, 0, 100, "exponent of the weight that keeps backtracks near, 0 for none")
	words := []string{"spread", "rules"}
	if !DefaultScorer.Spread {
		slices.Reverse(words)
	}
	d.Choice(&s.below, "below-threshold", "what to do where no score reaches the threshold: spread, try all unplaced buffers; or rules, go where tela would", words...)
	d.Float(&s.threshold, "score-threshold", DefaultScorer.Threshold, 0, 100, "weighted score under which no target is followed")
}

// Plan plans as tela does. The error is also for a model that cannot be read.
func (Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	s, err := scorer(&o)
	if err != nil {
		return plan.Result{}, err
	}
	return tela.Planner{As: name, Policy: s}.Plan(ctx, tl, o)
}

// scorer binds the planner's own parameters and reads the model.
func scorer(o *plan.Options) (*Scorer, error) {
	var set settings
	if err := run.Bind(name, o, &set); err != nil {
		return nil, err
	}
	s := DefaultScorer
	s.After, s.Share, s.Weight, s.Threshold, s.Spread = set.after, set.share, set.weight, set.threshold, set.below == "spread"
	var err error
	if set.model == "" {
		s.Forest, err = Shipped()
	} else {
		s.Forest, err = ReadForestFile(set.model)
	}
	if err != nil {
		return nil, fmt.Errorf("planner %s: %w", name, err)
	}
	return &s, nil
}

// ReadForestFile reads a model from a file. The error names it.
func ReadForestFile(path string) (*Forest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	forest, err := ReadForest(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return forest, nil
}

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

	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/plan"
)

// Idea: at each major backtrack every target is scored: can the placements above it
// still be completed? The search goes to the deepest target that is likely to, unless it
// has been gone to before. A search comes by the same points again and again, and a model
// that is wrong about one is wrong about it every time: so it is followed to a target once.
//
// What tells most is a look-ahead (lookahead.go), one feature among the others. With it
// a tree is soon through or hopeless. So it is left at half of its budget, and narrow
// trees, which are many and quick as long as nobody stays in them, are left to the rules.
//
// Scores are 10 times a probability, since the labels are 10 and 0 (train.go). The
// paper's way is there too: weigh the scores of its label down for targets that are far
// up, by ((t+1)/(d+1))^w for target t at failed point d, and go to the best if it is
// good enough; if none is, stay and try all unplaced buffers. A model without a
// look-ahead does best where it is asked at a fifth of the backtracks, and where the rules
// are followed unless it doubts them.
//
// Complexity: targets × trees × depth a major backtrack, no allocation; and that of the
// look-ahead.
//
// Measured on the hard inputs of the seeds 6000 to 6006 that the parameters were chosen on:
// docs/planners/tela.md.
//
// Tried and dropped: the tree begun anew every 500 or 1,000 backtracks (coins and models
// get worse); a model that does not look ahead in the first tree alone, the rules in the
// others as if it were not there (8 of 57 worse, but only 17 improved). Staying
// at one point in ten as a technique of tela's, before it had narrow trees: it solved as
// many of 391 inputs as without.

// A Turn says in which trees something else than tela's rules decides, and for how long.
type Turn struct {
	// After is the number of backtracks of a tree up to which tela's rules are followed.
	After int64
	// Narrow has it decide in narrow trees, too.
	Narrow bool
	// Patience is the part of its budget after which such a tree is left for the next; 0
	// means all of it.
	Patience float64
}

// of reports whether it is somebody else's turn, and what to do where it is not.
func (t *Turn) of(m *tela.Major) (otherwise int, theirs bool) {
	if m.Narrow && !t.Narrow {
		return tela.Rules, false
	}
	if t.Patience > 0 && float64(m.Backtracks) > t.Patience*float64(m.Budget) {
		return tela.Leave, false
	}
	return tela.Rules, m.Backtracks >= t.After
}

// A Scorer chooses backtrack targets by the score of a forest.
type Scorer struct {
	// Forest is the model. Without one a target has the score 10, and 0 where the look-ahead
	// refutes it.
	Forest *Forest
	// Best goes to the best weighted score, as the paper does, rather than to the
	// deepest target over the threshold.
	Best bool
	// Weight is the exponent of the depth weight; 0 means none.
	Weight float64
	// Threshold is the least weighted score to follow; scores are from 0 to 10.
	Threshold float64
	// Doubt is the score of the rules' own target from which on they are followed,
	// where Best is not set.
	Doubt float64
	Turn
	// Share is the part of the major backtracks after that at which the model is
	// asked, from 0 to 1. Which ones they are depends on the input alone.
	Share float64
	// Spread has all unplaced buffers tried where no score is above the
	// threshold; otherwise tela's own rules are followed there.
	Spread bool
	// Nodes of the exact planner for a question of the look-ahead; 0 means none.
	Nodes int64

	look *Lookahead // of one timeline
}

// DefaultScorer has the defaults, and no forest.
var DefaultScorer = Scorer{Threshold: 5, Doubt: 11, Share: 1, Nodes: 1000, Turn: Turn{Patience: 0.5}}

// For returns the scorer for a timeline.
func (s Scorer) For(ctx context.Context, tl *timeline.Timeline) *Scorer {
	if s.Nodes > 0 {
		s.look = NewLookahead(ctx, tl, s.Nodes)
	}
	return &s
}

// Choose returns a target, or what to do where none is good enough.
func (s *Scorer) Choose(m *tela.Major) int {
	if otherwise, theirs := s.of(m); !theirs || toss(m) >= s.Share {
		return otherwise
	}
	if s.look != nil {
		s.look.Describe(m)
	}
	best, most := tela.Rules, s.Threshold
	if s.Spread {
		best = tela.Spread
	}
	for k := range m.Targets {
		t := &m.Targets[k]
		if !s.Best && t.Features[tela.Jumps] > 0 {
			continue
		}
		score := s.score(&t.Features)
		if s.Weight != 0 {
			score *= math.Pow(float64(t.Point+1)/float64(m.Point+1), s.Weight)
		}
		if !s.Best && t.Point == m.Default && score >= s.Doubt {
			return tela.Rules
		}
		if score < most {
			continue
		}
		best = k
		if s.Best {
			most = score
		}
	}
	return best
}

// score returns the score of a target, before it is weighed.
func (s *Scorer) score(x *tela.Features) float64 {
	switch {
	case s.Forest != nil:
		return float64(s.Forest.Score(x))
	case x[tela.Beyond] > 0:
		return 0
	}
	return 10
}

// toss returns a number from 0 to 1. Which one depends on the number of the backtrack
// and of the tree, and on nothing else.
func toss(m *tela.Major) float64 {
	x := uint64(m.Tree)<<32 ^ uint64(m.Backtracks)
	return float64(splitmix.Next(&x)>>11) / (1 << 53)
}

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
	i.Summary = "tela with learned backtracking: decision trees, trained on answers of the exact planner, choose the target"
	i.Params = append(i.Params, own.Params...)
	telas := i.Check
	i.Check = func(o plan.Options) error { return errors.Join(telas(o), own.Check(o)) }
	return i
}

const name = "tela-learned"

// settings are the planner's own parameters.
type settings struct {
	model, below, choice                      string
	after, nodes                              int64
	share, weight, threshold, doubt, patience float64
	trees                                     string
}

// Declare lists the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Text(&s.model, "model", "", "a file", nil, "model file that XGBoost saved as JSON, gzipped or not; empty: the built-in model")
	d.Int64(&s.after, "model-after", DefaultScorer.After, 0, math.MaxInt64, "number of backtracks in a partition after which the model is asked; before, tela's rules decide")
	d.Int64(&s.nodes, "look-ahead", DefaultScorer.Nodes, 0, 1<<40, "node limit of exact search for each check whether a target is refuted, an input of the model; 0: no checks, for a model trained without them")
	d.Float(&s.share, "model-share", DefaultScorer.Share, 0, 1, "share of the major backtracks at which the model is asked; at the others tela's rules decide")
	d.Choice(&s.trees, "model-trees", "trees in which the model is asked; full: all but the narrow trees of restarts; all: every tree", "full", "all")
	d.Float(&s.patience, "model-patience", DefaultScorer.Patience, 0, 1, "share of its backtracks after which a tree with the model is left for the next; 0: all of them")
	d.Float(&s.weight, "depth-weight", DefaultScorer.Weight, 0, 100, "exponent of the weight that favours near targets; 0: no weight")
	d.Choice(&s.choice, "model-choice", "the target; deepest: the deepest one above the threshold, once; best: the one with the best score, as in the paper", "deepest", "best")
	d.Float(&s.doubt, "score-doubt", DefaultScorer.Doubt, 0, 100, "if the choice is deepest: follow tela's rules if their target scores at least this; over 10: never")
	words := []string{"spread", "rules"}
	if !DefaultScorer.Spread {
		slices.Reverse(words)
	}
	d.Choice(&s.below, "below-threshold", "if no score reaches the threshold; spread: try all unplaced buffers; rules: follow tela's rules", words...)
	d.Float(&s.threshold, "score-threshold", DefaultScorer.Threshold, 0, 100, "lowest weighted score at which a target is chosen")
}

// Plan plans as tela does. The error is also for a model that cannot be read.
func (Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	s, err := scorer(&o)
	if err != nil {
		return plan.Result{}, err
	}
	return tela.Planner{As: name, Policy: s.For(ctx, tl)}.Plan(ctx, tl, o)
}

// scorer binds the planner's own parameters and reads the model.
func scorer(o *plan.Options) (*Scorer, error) {
	var set settings
	if err := run.BindSome(name, o, &set); err != nil {
		return nil, err
	}
	s := DefaultScorer
	s.After, s.Share, s.Weight, s.Threshold, s.Spread = set.after, set.share, set.weight, set.threshold, set.below == "spread"
	s.Best, s.Doubt, s.Nodes = set.choice == "best", set.doubt, set.nodes
	s.Narrow, s.Patience = set.trees == "all", set.patience
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

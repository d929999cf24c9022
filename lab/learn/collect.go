package learn

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/plan"
)

// Idea: imitation. Tela searches as it does when a model is asked, with sections and
// restarts. Its own rules decide a number of major backtracks, at some of which a coin
// has it stay; how many is drawn anew for each of several draws, the logarithm evenly,
// so that samples come from all of a search, early and late, from the first tree and
// from others. From there on the oracle says at each major backtrack how deep the path
// still stands, which is the minimum target. A coin decides whether the search goes
// there or where its own rules say, so that paths are seen that the oracle alone would
// never take. What the best target was is known only at the end: the deepest point that
// the path shares with the plan found.
//
// Once so many backtracks have been looked at, the oracle leads on to a plan. Where
// the search still ends without one, or in another tree, there is no best target, and
// its samples are dropped.
//
// Complexity: that of the exact planner, O(log depth) times a major backtrack.
//
// Source: sections 6.3 and 6.5 of the paper, with the exact planner in place of
// its ILP solver.
//
// Tried and dropped: a model in place of tela's rules for the other half (DAgger,
// Ross, Gordon, Bagnell, 2011). A model trained on both kinds of samples lost as
// many inputs as it won.

// CollectOptions bound the collection from one input.
type CollectOptions struct {
	Steps  int64   // of a search; 0 means 50,000
	Draws  int     // searches of an input; 0 means 4
	Latest int     // most major backtracks before the oracle is asked; 0 means 6,000
	Stay   float64 // how often the search stays at a point before that; 0 means one time in 20
	Events int     // major backtracks that are looked at in a search; 0 means 60
	Nodes  int64   // of the exact planner for one question; 0 means 3,000
	Look   int64   // nodes of the look-ahead whose answers are features; 0 means none
	Mix    float64 // how often the oracle decides; 0 means half of the time
	Seed   uint64
	// Without are techniques of tela's that are off.
	Without []string
}

func (o *CollectOptions) complete() {
	o.Steps = cmp.Or(o.Steps, 50000)
	o.Draws = cmp.Or(o.Draws, 4)
	o.Latest = cmp.Or(o.Latest, 6000)
	o.Stay = cmp.Or(o.Stay, 0.05)
	o.Events = cmp.Or(o.Events, 60)
	o.Nodes = cmp.Or(o.Nodes, 3000)
	o.Mix = cmp.Or(o.Mix, 0.5)
}

// Collect searches an input and returns the samples of its major backtracks;
// none where it has no plan or is solved without any. The same input and options
// give the same samples.
func Collect(ctx context.Context, in *Input, o CollectOptions) ([]Sample, error) {
	o.complete()
	name := fnv.New64a()
	name.Write([]byte(in.Name))
	c := &collector{look: NewLookahead(ctx, in.Timeline, o.Look), guide: NewGuide(ctx, in.Timeline, o.Nodes), o: o, input: in.Name, coin: rand.New(rand.NewPCG(o.Seed, name.Sum64()))}
	for draw := range o.Draws {
		c.open, c.seen, c.tree = c.open[:0], 0, 0
		c.first, c.events = draw*o.Events, 0
		c.wait = int(math.Exp(c.coin.Float64()*math.Log(float64(o.Latest+1)))) - 1
		if draw == 0 {
			c.wait = 0
		}
		_, err := run.Run(ctx, tela.Planner{Policy: c}, in.Timeline, plan.Options{
			Capacity: in.Capacity, NodeLimit: o.Steps, Without: append([]string{"completion"}, o.Without...),
		})
		if err != nil {
			return nil, err
		}
		if c.seen <= c.wait { // solved, and a search that waits longer is, too
			o.Latest = max(1, c.seen-1)
		}
	}
	return c.samples, nil
}

// CollectAll collects from each input and counts those that gave samples. Where
// the context ends it returns what there is by then.
func CollectAll(ctx context.Context, inputs []Input, o CollectOptions) (samples []Sample, with int, err error) {
	for k := range inputs {
		if ctx.Err() != nil {
			break
		}
		some, err := Collect(ctx, &inputs[k], o)
		if err != nil {
			return nil, 0, err
		}
		if len(some) > 0 {
			with++
		}
		samples = append(samples, some...)
	}
	return samples, with, nil
}

// collector is the policy of a search that leaves samples behind.
type collector struct {
	guide   *Guide
	look    *Lookahead
	o       CollectOptions
	input   string
	coin    *rand.Rand
	wait    int // major backtracks before the oracle is asked
	seen    int // major backtracks so far
	tree    int64
	open    []event
	first   int // number of the first event of this draw
	events  int
	samples []Sample
}

// An event is a major backtrack whose best target is not yet known.
type event struct {
	partition, number int
	path              []tela.Placement
	targets           []tela.Target
	minimum           int32
}

// Choose asks the oracle, notes the event, and goes where the coin says.
func (c *collector) Choose(m *tela.Major) int {
	if m.Tree != c.tree { // what was seen of another tree has no plan
		c.open, c.tree = c.open[:0], m.Tree
	}
	c.seen++
	if c.seen <= c.wait {
		if c.coin.Float64() < c.o.Stay {
			return tela.Spread
		}
		return tela.Rules
	}
	full := c.events >= c.o.Events
	oracleTurn := c.coin.Float64() < c.o.Mix || full
	path := m.Path(nil)
	minimum, ok := c.guide.deepest(m, path)
	if !ok {
		return tela.Rules
	}
	if !full {
		if c.o.Look > 0 {
			c.look.Describe(m)
			m.Cost = 0 // the search is the same with features of a look-ahead and without
		}
		c.open = append(c.open, event{m.Partition, c.first + c.events, path, append([]tela.Target(nil), m.Targets...), minimum})
		c.events++
	}
	if !oracleTurn {
		return tela.Rules
	}
	// The oracle's backtracks must not show in the features: a model would learn
	// to go where the oracle has just been.
	m.Uncounted = true
	return nearest(m, minimum)
}

// Solved labels the events of a partition.
func (c *collector) Solved(partition int, path []tela.Placement) {
	for _, e := range c.open {
		if e.partition != partition {
			continue // of a partition that was given up
		}
		best := int32(0)
		for best < int32(min(len(path), len(e.path))) && path[best] == e.path[best] {
			best++
		}
		for _, t := range e.targets {
			c.samples = append(c.samples, Sample{
				Input: c.input, Event: e.number, Point: t.Point, Best: best, Minimum: e.minimum,
				Features: t.Features, Score: Score(t.Point, best, e.minimum),
			})
		}
	}
	c.open = c.open[:0]
}

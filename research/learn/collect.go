package learn

import (
	"context"
	"hash/fnv"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/baseline/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: imitation. Tela searches; at each major backtrack the oracle says how
// deep the path still stands, which is the minimum target. A coin decides
// whether the search goes there or where its own rules say, so that paths are
// seen that the oracle alone would never take. What the best target was is known
// only at the end: the deepest point that the path shares with the plan found.
//
// Once so many backtracks have been looked at, the oracle leads on to a plan. Where
// the search still ends without one there is no best target, and its samples are
// dropped.
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
	Steps  int64   // of the search; 0 means 20,000
	Events int     // major backtracks that are looked at; 0 means 200
	Nodes  int64   // of the exact planner for one question; 0 means 10,000
	Mix    float64 // how often the oracle decides; 0 means half of the time
	Seed   uint64
}

func (o *CollectOptions) complete() {
	if o.Steps == 0 {
		o.Steps = 20000
	}
	if o.Events == 0 {
		o.Events = 200
	}
	if o.Nodes == 0 {
		o.Nodes = 10000
	}
	if o.Mix == 0 {
		o.Mix = 0.5
	}
}

// Collect searches an input and returns the samples of its major backtracks;
// none where it has no plan or is solved without any. The same input and options
// give the same samples.
func Collect(ctx context.Context, in *Input, o CollectOptions) ([]Sample, error) {
	o.complete()
	name := fnv.New64a()
	name.Write([]byte(in.Name))
	c := &collector{guide: NewGuide(ctx, in.Timeline, o.Nodes), o: o, input: in.Name, coin: rand.New(rand.NewPCG(o.Seed, name.Sum64()))}
	r, err := run.Run(ctx, tela.Planner{Policy: c}, in.Timeline, plan.Options{
		Capacity: in.Capacity, NodeLimit: o.Steps, Without: []string{"completion", "restarts"},
		Params: map[string]string{"sections-after": "0"}, // as they are when a model is asked
	})
	if err != nil || r.Status == model.Unknown && len(c.samples) == 0 {
		return nil, err
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
	o       CollectOptions
	input   string
	coin    *rand.Rand
	open    []event
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
	full := c.events >= c.o.Events
	oracleTurn := c.coin.Float64() < c.o.Mix || full
	path := m.Path(nil)
	minimum, ok := c.guide.deepest(m, path)
	if !ok {
		return tela.Rules
	}
	if !full {
		c.open = append(c.open, event{m.Partition, c.events, path, append([]tela.Target(nil), m.Targets...), minimum})
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

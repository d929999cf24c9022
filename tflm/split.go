package tflm

import (
	"context"
	"fmt"
	"time"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
)

// Idea: no plan is below the largest tensors of one operator. A chain of operators that runs in strips never holds its
// large tensors, so its arena can be smaller by a lot. Strips are written into the model (internal/strips), which then
// is an ordinary model of the same outputs.
//
//	segments (chains.go, chainlook.go)   each chain in some numbers of strips, by itself: load, tail, arithmetic
//	choices (chainchoices.go)            the sets of chains with the least load + tail
//	heads (splitprobe.go)                of the chains in the best choices, each planned alone, in place of their loads
//	plans (splittry.go, rowplan.go)      of the best choices, with rows in place (bandplan.go): exact arenas
//
// This is done three times: with few numbers of strips, then with the most promising of all others that can be better
// than
// the best plan so far, and then with the rest of them that still can. Then the numbers of strips of the best choice
// are
// varied by themselves. At last the choices that may still be better are planned again with more steps (splitvary.go).
//
// Invariant: the arena is larger on no target than without strips. If the kernels are not named, it is larger with none
// that are known. If there is no such choice, only the largest arena of all known kernels does not grow, and the
// kernels whose arena does are listed.
//
// Complexity: that of its parts; Planned plans with a limit of steps, and one without (splitfinish.go).
//
// Source: Stowage.

// SplitOptions say how a model is split.
type SplitOptions struct {
	// Target is the target whose arena is made small.
	Target *Target
	// MaxMACs limits the multiply-accumulates that are added, as a share of those of the model: 0.1 is 10%.
	MaxMACs float64
	// Capacity is that of the arena, in bytes. If it is not 0, Split looks for the least arithmetic with which it fits.
	Capacity int64
	// NoScratch says that the kernels ask for no scratch, whatever is known of them.
	NoScratch bool
	// NoLoops leaves out loops, so that a firmware's resolver needs no operators for them.
	NoLoops bool
	// Progress is told how far the search is, by several goroutines; it may be nil.
	Progress func(SplitProgress)
}

// A SplitProgress says how far the search for strips is.
type SplitProgress struct {
	Doing     string // what is done now: chains are looked at, or choices of them are planned
	Done, All int    // of it
	Arena     int64  // of the best choice so far, in bytes; 0 if there is none
}

// A Split is a model whose chains run in strips.
type Split struct {
	// Plan is the plan of the split model; nil if none is smaller.
	Plan *Plan
	// Why says why there is no plan; empty if there is one.
	Why string
	// Stopped says what ended the search for strips early: the timeout or an interrupt. It is empty if nothing did.
	Stopped string
	// Choice is what was chosen.
	Choice Choice
	// Front are the choices of which none is better in arena and in arithmetic, the smallest arena first.
	Front []Choice
	// Bound: no choice of the considered strips has a smaller arena on the target, in bytes. It is 0 if the search
	// ended before all of them were looked at.
	Bound int64
	// Considered counts the chains in strips that were looked at in the last round, Planned those sets of them that
	// were planned.
	Considered, Planned int
	// MACs are the multiply-accumulates of the model as it was.
	MACs int64
	// Added are the kinds of operators that the model has only in strips, for the firmware's resolver.
	Added []string
	// Larger are the known kernels with which the arena is larger than without strips. There are none if kernels are
	// named, or if a choice has a smaller arena that is larger with none.
	Larger []Growth

	scratch []tflite.Scratch // of the split model
}

// A Growth is an arena that is larger in strips, with kernels that were not named.
type Growth struct {
	Set     Set   // the kernels
	Arena   int64 // in strips, on the target
	Without int64 // without strips
}

// A Choice is chains in strips, with the figures of their plan.
type Choice struct {
	Chains    []Chain // in the order of their operators
	Arena     int64   // the smallest that works, on the target
	Head      int64   // of it
	Tail      int64   // of it
	MACs      int64   // multiply-accumulates that are added
	Operators int     // of the split model

	chains []strips.Chain
	plan   *Plan
	larger []Growth
	deep   bool // deepen has planned it
}

// A Chain is successive operators that run in strips.
type Chain struct {
	First, Last int    // operators of the model as it was, both included
	Strips      int    // how many
	Lines       string // what strips have: rows or columns
	Kept        bool   // lines that several strips read are kept, not computed again
	Cropped     bool   // convolutions pad each strip, and what they then have too much is cut off
	Looped      int    // strips that a loop computes; 0 for none
}

// chainsOf returns chains for a choice.
func chainsOf(all []strips.Chain, loops []strips.Loop) (out []Chain) {
	for _, c := range all {
		out = append(out, Chain{c.First, c.Last, c.Strips, c.Axis.String(), c.Ring, c.Crop, 0})
	}
	for i := range loops {
		out[loops[i].Chain].Looped = loops[i].Runs()
	}
	return out
}

// Written returns the file of a model in these strips, with its plan.
func (x *Choice) Written() ([]byte, error) { return x.plan.Model.WithOffsets(x.plan.Offsets) }

// The limits of the search for a split.
const (
	splitSteps      = 10_000 // of each question of a plan that chooses
	splitNoes       = 3      // such questions without a plan
	splitFirst      = 6      // choices that are planned first
	splitChoices    = 60     // choices that are planned then
	splitFront      = 6      // more with less arithmetic
	splitRounds     = 4      // rounds of choices, if what is found out of chains changes them
	splitVariants   = 48     // choices that are planned in a round in which numbers of strips are varied
	splitMost       = 300    // after so many choices there is no further round
	splitLighter    = 12     // choices with a smaller tail, if other kernels need that
	splitAgain      = 3      // choices that are planned again
	splitAgainSteps = 20_000 // of each question of a plan that is made again
)

// splitShares are the parts of the promises that are looked at, the best ones first.
var splitShares = []float64{0.2, 1}

// Split splits the model of a plan. o are the options that the plan was made with. A timeout in them is for all of
// Split.
// At the timeout, and if the context ends, the result is the best split so far.
func (p *Plan) Split(ctx context.Context, o Options, x SplitOptions) (*Split, error) {
	switch {
	case p.NPU() || p.Kept:
		return &Split{Why: "the model has a plan that is kept"}, nil
	case p.Offsets == nil:
		return &Split{Why: "no plan of the model was found"}, nil
	case len(p.Model.Subgraphs) > 1:
		return &Split{Why: "the model has several subgraphs"}, nil
	}
	c, err := newChooser(p, o, x)
	if err != nil {
		return nil, err
	}
	searching, end := c.limited(ctx)
	defer end()
	if err := c.chooseAll(searching); err != nil {
		return nil, err
	}
	if c.x.Capacity > 0 && (c.best == nil || c.best.Arena > c.x.Capacity) { // nothing fits: the smallest arena
		c.x.Capacity = 0
		bound := c.out.Bound
		if err := c.chooseAll(searching); err != nil {
			return nil, err
		}
		c.out.Bound = max(c.out.Bound, bound)
	}
	if err := c.again(searching); err != nil {
		return nil, err
	}
	c.note(searching)
	if err := c.finish(ctx); err != nil {
		return nil, err
	}
	return &c.out, nil
}

// A chooser looks for the best choice of a splitting.
type chooser struct {
	*splitting
	whole    *Plan
	options  Options
	x        SplitOptions
	splitter *strips.Splitter
	known    map[string]*Choice // by nameOf; nil for choices that have no plan
	best     *Choice
	heads    map[strips.Chain]int64 // of chains alone (splitprobe.go)
	missed   map[string]missed      // by nameOf
	grown    []*Choice              // choices that are larger with some kernels
	may      bool                   // such choices may be the best
	began    time.Time
	out      Split
}

func newChooser(p *Plan, o Options, x SplitOptions) (*chooser, error) {
	s, err := newSplitting(p.Model, &o, x.Target, !x.NoScratch)
	if err != nil {
		return nil, err
	}
	s.most = int64(x.MaxMACs * float64(s.macs))
	c := &chooser{
		splitting: s, whole: p, options: o, x: x, splitter: strips.Of(p.Model), known: map[string]*Choice{},
		missed: map[string]missed{},
		began:  time.Now(),
	}
	c.out.MACs = s.macs
	c.options.Rows, c.options.rowsAlone, c.options.Reorder, c.options.Replace = true, true, false, false
	c.options.bars, c.options.alone = p.bars(), c.named()
	return c, nil
}

// progress returns a function that says how far a part of the search is.
func (c *chooser) progress(doing string) func(done, all int) {
	return func(done, all int) {
		if c.x.Progress == nil {
			return
		}
		x := SplitProgress{Doing: doing, Done: done, All: all}
		if c.best != nil {
			x.Arena = c.best.Arena
		}
		c.x.Progress(x)
	}
}

// nameOf names chains in strips.
func nameOf(chains []strips.Chain) string { return fmt.Sprint(chains) }

// chooseAll looks for the best choice without loops, and then for one with them, each by itself: so loops make none
// worse.
func (c *chooser) chooseAll(ctx context.Context) error {
	c.loops = false
	if err := c.choose(ctx); err != nil || c.x.NoLoops {
		return err
	}
	best, known, bound := c.best, c.known, c.out.Bound
	c.loops, c.best, c.known = true, nil, map[string]*Choice{}
	if err := c.choose(ctx); err != nil {
		return err
	}
	for name, x := range known {
		if c.known[name] == nil {
			c.known[name] = x
		}
	}
	if best != nil && (c.best == nil || c.better(best, c.best)) {
		c.best = best
	}
	c.out.Bound = min(c.out.Bound, bound)
	return nil
}

// choose looks for the best choice.
func (c *chooser) choose(ctx context.Context) error {
	c.heads = map[strips.Chain]int64{}
	within := c.arena(c.whole) // a load with which the arena is smaller than that of the plan as it is
	if c.x.Capacity > 0 {
		within = min(within, c.x.Capacity+1)
	}
	looking, end := c.part(ctx)
	looked := c.look(looking, fewCounts, within-c.tail, c.progress("chains in strips"))
	c.note(looking)
	end()
	all := useful(looked, within-c.tail)
	if _, err := c.tryBest(ctx, all, splitFirst, 0); err != nil {
		return err
	}
	if c.best != nil && c.x.Capacity == 0 {
		within = min(within, c.best.Arena)
	}
	var choices []choice
	for _, share := range splitShares {
		looking, end = c.part(ctx)
		more := c.more(looking, looked, within-c.tail, share, c.progress("chains in strips"))
		c.note(looking)
		end()
		all = c.probed(useful(looked, within-c.tail))
		var err error
		if choices, err = c.tryBest(ctx, all, splitChoices, splitFront); err != nil {
			return err
		}
		if !more {
			break
		}
		if c.best != nil && c.x.Capacity == 0 {
			within = min(within, c.best.Arena)
		}
	}
	if c.out.Considered = len(all); c.out.Stopped == "" {
		c.out.Bound = min(c.bound(all), within) // chains that are of no use below it were dropped
	}
	if c.best == nil {
		c.may = true
		for _, x := range c.grown {
			c.keep(x)
		}
		if err := c.lighten(ctx, choices); err != nil {
			return err
		}
	}
	for more := true; more && c.best != nil && len(c.known) < splitMost && ctx.Err() == nil; {
		var err error
		if more, err = c.vary(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

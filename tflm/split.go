package tflm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
)

// Idea: no plan is below the largest tensors of one operator. A chain of operators that runs in strips never holds its
// large tensors, so its arena can be smaller by a lot. Strips are written into the model (internal/strips), which then
// is an ordinary model of the same outputs.
//
//	segments (chains.go, chainlook.go)   each chain in some numbers of strips, by itself: load, tail, arithmetic
//	choices (chainchoices.go)            the sets of chains with the least load + tail
//	plans                                of the best choices, with rows in place (bandplan.go): exact arenas
//
// This is done twice: with few numbers of strips, and then with all that can be better than the best plan so far. Then
// the numbers of strips of the best choice are varied by themselves. At last the choices that may still be better are
// planned again with more nodes.
//
// Invariant: the arena is larger on no target than without strips. If the kernels are not named, it is larger with none
// that are known. If there is no such choice, only the largest arena of all known kernels does not grow, and the
// kernels whose arena does are listed.
//
// Complexity: that of its parts; Planned plans with a limit of nodes, and one without.
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
	// Progress is told how far the search is, by several goroutines; it may be nil.
	Progress func(done, all int)
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
	// Bound: no choice of the considered strips has a smaller arena on the target, in bytes. It is 0 if the search ended
	// before all of them were looked at.
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
}

// A Chain is successive operators that run in strips.
type Chain struct {
	First, Last int    // operators of the model as it was, both included
	Strips      int    // how many
	Lines       string // what strips have: rows or columns
	Kept        bool   // lines that several strips read are kept, not computed again
	Cropped     bool   // convolutions pad each strip, and what they then have too much is cut off
}

// chainsOf returns chains for a choice.
func chainsOf(all []strips.Chain) (out []Chain) {
	for _, c := range all {
		out = append(out, Chain{c.First, c.Last, c.Strips, c.Axis.String(), c.Ring, c.Crop})
	}
	return out
}

// Written returns the file of a model in these strips, with its plan.
func (x *Choice) Written() ([]byte, error) { return x.plan.Model.WithOffsets(x.plan.Offsets) }

// The limits of the search for a split.
const (
	splitSteps      = 5_000  // of each question of a plan that chooses
	splitNoes       = 3      // such questions without a plan
	splitFirst      = 6      // choices that are planned first
	splitChoices    = 20     // choices that are planned then
	splitFront      = 6      // more with less arithmetic
	splitVariants   = 24     // choices that are planned in a round in which numbers of strips are varied
	splitMost       = 120    // after so many choices there is no further round
	splitLighter    = 12     // choices with a smaller tail, if other kernels need that
	splitAgain      = 4      // choices that are planned again
	splitAgainSteps = 20_000 // of each of their questions
	splitAgainNoes  = 5      // such questions without a plan
)

// Split splits the model of a plan. o are the options that the plan was made with. A timeout in them is for all of Split.
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
	if err := c.choose(searching); err != nil {
		return nil, err
	}
	if c.x.Capacity > 0 && (c.best == nil || c.best.Arena > c.x.Capacity) { // nothing fits: the smallest arena
		c.x.Capacity = 0
		if err := c.choose(searching); err != nil {
			return nil, err
		}
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
	grown    []*Choice // choices that are larger with some kernels
	may      bool      // such choices may be the best
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
		began: time.Now(),
	}
	c.out.MACs = s.macs
	c.options.Rows, c.options.rowsAlone, c.options.Reorder, c.options.Replace = true, true, false, false
	c.options.bars, c.options.alone = p.bars(), c.named()
	return c, nil
}

// nameOf names chains in strips.
func nameOf(chains []strips.Chain) string { return fmt.Sprint(chains) }

// choose looks for the best choice.
func (c *chooser) choose(ctx context.Context) error {
	within := c.arena(c.whole) // a load with which the arena is smaller than that of the plan as it is
	if c.x.Capacity > 0 {
		within = min(within, c.x.Capacity+1)
	}
	looking, end := c.part(ctx)
	looked := c.look(looking, fewCounts, within-c.tail, c.x.Progress)
	c.note(looking)
	end()
	all := useful(looked, within-c.tail)
	if err := c.tryAll(ctx, c.some(c.choices(all), splitFirst, 0)); err != nil {
		return err
	}
	if c.best != nil && c.x.Capacity == 0 {
		within = min(within, c.best.Arena)
	}
	looking, end = c.part(ctx)
	c.more(looking, looked, within-c.tail, c.x.Progress)
	c.note(looking)
	end()
	all = useful(looked, within-c.tail)
	choices := c.choices(all)
	if err := c.tryAll(ctx, c.some(choices, splitChoices, splitFront)); err != nil {
		return err
	}
	if c.out.Considered = len(all); c.out.Stopped == "" {
		c.out.Bound = c.bound(all)
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

// lighten plans further choices, if with some kernels the plans took too much: choices that split the operator with the
// largest load of all kernels, and those whose tail is no longer than the runtime's own plan is above that load.
func (c *chooser) lighten(ctx context.Context, all []choice) error {
	own, least, operator := int64(0), int64(0), -1
	for k := range c.whole.rivals {
		r := &c.whole.rivals[k]
		own = max(own, r.Set.Predict(c.m, r.arena, nil, r.Own, c.target).Smallest)
		for o := range c.load {
			now, load := int64(c.whole.Life.Operators[o].First)+1, int64(0)
			for _, b := range r.arena.Problem.Buffers {
				if b.Lower <= now && now < b.Upper {
					load += b.Size
				}
			}
			if n := r.Set.Predict(c.m, r.arena, nil, load, c.target).Smallest; n > least {
				least, operator = n, o
			}
		}
	}
	for range splitLighter {
		at := slices.IndexFunc(all, func(x choice) bool {
			_, done := c.known[nameOf(x.chains)]
			return !done && len(x.chains) > 0 && (x.tail <= own-least || slices.ContainsFunc(x.chains,
				func(y strips.Chain) bool { return y.First <= operator && operator <= y.Last }))
		})
		if at < 0 || c.best != nil {
			break
		}
		if err := c.try(ctx, all[at].chains); err != nil {
			return err
		}
	}
	return nil
}

// some returns the choices to plan. Without a capacity these are the ones with the least load and tail, and front more
// with less arithmetic. With a capacity they are those that may fit, the least arithmetic first.
func (c *chooser) some(all []choice, most, front int) (out []choice) {
	if c.x.Capacity > 0 {
		out = slices.DeleteFunc(slices.Clone(all), func(x choice) bool {
			return x.load+x.tail-x.shared+c.tail > c.x.Capacity
		})
		slices.SortStableFunc(out, func(x, y choice) int {
			return cmp.Or(cmp.Compare(x.macs, y.macs), cmp.Compare(x.load+x.tail, y.load+y.tail))
		})
		return out[:min(len(out), most)]
	}
	out = slices.Clone(all[:min(len(all), most)])
	least := int64(-1)
	for _, x := range all {
		if least < 0 || x.macs < least { // in the order of load and tail
			least = x.macs
			if x.front = true; front > 0 && !slices.ContainsFunc(out, func(y choice) bool {
				return nameOf(x.chains) == nameOf(y.chains)
			}) {
				front--
				out = append(out, x)
			}
		}
	}
	return out
}

// tryAll plans choices.
func (c *chooser) tryAll(ctx context.Context, all []choice) error {
	for k := range all {
		if x := &all[k]; c.x.Capacity == 0 && c.best != nil && !x.front &&
			x.load+x.tail-x.shared+c.tail >= c.best.Arena {
			continue // no plan of it is smaller
		}
		if err := c.try(ctx, all[k].chains); err != nil {
			return err
		}
		if c.x.Progress != nil {
			c.x.Progress(k+1, len(all))
		}
		if c.x.Capacity > 0 && c.best != nil && c.best.Arena <= c.x.Capacity && c.best.MACs <= all[k].macs {
			return nil // the others have no less arithmetic
		}
	}
	return nil
}

// try plans a choice, and keeps it if it is the best.
func (c *chooser) try(ctx context.Context, chains []strips.Chain) error {
	name := nameOf(chains)
	if _, done := c.known[name]; done || len(chains) == 0 || ctx.Err() != nil {
		return nil
	}
	c.known[name] = nil
	x, err := c.plan(ctx, chains, stowage.Options{Seed: c.options.Solve.Seed},
		rowSearch{steps: splitSteps, noes: splitNoes, only: true})
	if err != nil || x == nil {
		return err
	}
	if len(x.larger) > 0 && !c.may {
		c.grown = append(c.grown, x)
		return nil
	}
	c.keep(x)
	return nil
}

// keep keeps a choice if it is the best, and for the front.
func (c *chooser) keep(x *Choice) {
	c.known[nameOf(x.chains)] = x
	if c.best == nil || c.better(x, c.best) {
		c.best = x
	}
}

// better compares two choices: what fits is better than what does not, then the smaller arena, or with a capacity less
// arithmetic.
func (c *chooser) better(x, y *Choice) bool {
	n := cmp.Compare(x.Arena, y.Arena)
	if c.x.Capacity > 0 {
		fits := func(x *Choice) int { return number(x.Arena > c.x.Capacity) }
		if n = cmp.Compare(fits(x), fits(y)); n == 0 && fits(x) == 0 {
			n = cmp.Compare(x.MACs, y.MACs)
		}
		n = cmp.Or(n, cmp.Compare(x.Arena, y.Arena))
	}
	return cmp.Or(n, cmp.Compare(x.MACs, y.MACs), cmp.Compare(x.Operators, y.Operators)) < 0
}

// vary plans the best choice with other numbers of strips in one of its chains, and without the chain: those with the
// least load and tail. It returns false if all have been planned.
func (c *chooser) vary(ctx context.Context, all []segment) (bool, error) {
	type variant struct {
		chains []strips.Chain
		arena  int64 // no plan is smaller
	}
	var variants []variant
	add := func(chains []strips.Chain) {
		x := variant{chains, c.estimate(chains, all)}
		if _, done := c.known[nameOf(chains)]; !done && (c.x.Capacity > 0 || x.arena < c.best.Arena) {
			variants = append(variants, x)
		}
	}
	for k, old := range c.best.chains {
		for i := range all {
			if x := &all[i].chain; x.First == old.First && x.Last == old.Last && *x != old {
				next := slices.Clone(c.best.chains)
				next[k] = *x
				add(next)
			}
		}
		if len(c.best.chains) > 1 {
			add(slices.Delete(slices.Clone(c.best.chains), k, k+1))
		}
	}
	slices.SortStableFunc(variants, func(x, y variant) int { return cmp.Compare(x.arena, y.arena) })
	for _, x := range variants[:min(len(variants), splitVariants)] {
		if c.x.Capacity > 0 || x.arena < c.best.Arena {
			if err := c.try(ctx, x.chains); err != nil {
				return false, err
			}
		}
	}
	return len(variants) > 0, nil
}

// estimate returns what the arena of chains is at least: their loads, those of the operators between them, and tails.
func (c *chooser) estimate(chains []strips.Chain, all []segment) int64 {
	var load int64
	tail, next := c.tail, 0
	for _, chain := range chains {
		at := slices.IndexFunc(all, func(x segment) bool { return x.chain == chain })
		if at < 0 {
			return 0 // it is of the first round
		}
		x := &all[at]
		load = max(load, x.load, slices.Max(append([]int64{0}, c.load[next:chain.First]...)))
		tail, next = tail+x.tail, chain.Last+1
	}
	return max(load, slices.Max(append([]int64{0}, c.load[next:]...))) + tail
}

// plan plans a choice. It returns nil if there is no plan that is smaller everywhere.
func (c *chooser) plan(ctx context.Context, chains []strips.Chain, run stowage.Options, rows rowSearch,
) (*Choice, error) {
	m, _, err := sketch(c.splitter, chains)
	if err != nil {
		return nil, nil //nolint:nilerr // these chains cannot be split together
	}
	x := &Choice{Chains: chainsOf(chains), chains: chains, Operators: len(m.Operators), MACs: MACs(m) - c.macs}
	if x.MACs > c.most {
		return nil, nil
	}
	o := c.options
	o.Scratch, o.Solve, o.rows = c.scratchOf(m), run, rows
	if o.rows.start == nil {
		if o.rows.within, err = c.within(m, x, o.Scratch); err != nil || o.rows.within < 0 {
			return nil, err
		}
	}
	made, err := inOrder(ctx, m, o)
	if err != nil && ctx.Err() != nil {
		return nil, nil // it ended too early for a plan
	}
	if err != nil || made.Offsets == nil {
		return nil, err
	}
	made.was, made.Before, made.Greedy = c.whole.original(), c.whole.Before, c.whole.Greedy
	made.Order, made.OrderBound = c.whole.Order, c.whole.OrderBound
	f := made.Set.Predict(made.Model, made.Arena, made.Offsets, made.Head, c.target)
	x.Arena, x.Head, x.Tail, x.plan = f.Smallest, made.Head, f.Tail, made
	if c.best != nil && x.Arena > c.best.Arena && x.MACs >= c.best.MACs {
		return nil, nil // nobody wants it
	}
	was := c.whole.Sizes()
	for k, s := range made.Sizes() {
		if s.After.Smallest > was[k].After.Smallest {
			return nil, nil
		}
	}
	if !c.named() {
		var ok bool
		if x.larger, ok, err = c.elsewhere(made); err != nil || !ok {
			return nil, err
		}
	}
	return x, nil
}

// within returns the largest head with which a choice would be of use, given what is known of it before it is planned:
// 0 if each head is, and a negative number if none is.
func (c *chooser) within(m *tflite.Model, x *Choice, scratch []tflite.Scratch) (int64, error) {
	if c.best == nil || x.MACs < c.best.MACs {
		return 0, nil
	}
	l, err := m.Lifetimes()
	if err != nil {
		return 0, err
	}
	a, err := m.Arena(l, scratch)
	if err != nil {
		return 0, err
	}
	head := c.best.Arena - c.set.Predict(m, a, nil, 0, c.target).Tail
	if x.MACs > c.best.MACs || x.Operators >= c.best.Operators {
		head-- // it has to be smaller
	}
	return cmp.Or(max(head, -1), -1), nil
}

// named reports whether the kernels are named, so that no others count.
func (c *chooser) named() bool { return c.whole.named || len(c.whole.Overlays) > 0 }

// original returns the plan of the model as it was given.
func (p *Plan) original() *Plan {
	if p.was != nil {
		return p.was
	}
	return p
}

// arena returns the smallest arena of a plan on the target.
func (c *chooser) arena(p *Plan) int64 {
	for _, s := range p.Sizes() {
		if s.Target == c.target {
			return s.After.Smallest
		}
	}
	return 0
}

// elsewhere returns the known kernels with which an arena is larger than without strips. ok is false if the largest
// arena of all known kernels is.
func (c *chooser) elsewhere(made *Plan) (larger []Growth, ok bool, err error) {
	most, mostWithout := int64(0), int64(0)
	for _, s := range made.Standings() {
		a, err := c.m.Arena(c.whole.Life, s.Set.Scratch(c.m))
		if err != nil {
			return nil, false, err
		}
		g := Growth{s.Set, made.With(s, c.target).Smallest, s.Set.Predict(c.m, a, nil, s.Own, c.target).Smallest}
		most, mostWithout = max(most, g.Arena), max(mostWithout, g.Without)
		if g.Arena > g.Without {
			larger = append(larger, g)
		}
	}
	if most > mostWithout {
		c.out.Why = fmt.Sprintf("with some kernels it would take %d, and at most %d without strips; --kernels NAME splits "+
			"for one set of kernels", most, mostWithout)
	}
	return larger, most <= mostWithout, nil
}

// again plans those choices with more nodes that may then be better than the best.
func (c *chooser) again(ctx context.Context) error {
	if c.x.Capacity > 0 || c.best == nil {
		return nil
	}
	lowest := func(x *Choice) int64 { return x.plan.Result.LowerBound + x.Tail }
	var all []*Choice
	for _, x := range c.known {
		if x != nil && x != c.best && lowest(x) < c.best.Arena {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(x, y *Choice) int {
		return cmp.Or(cmp.Compare(lowest(x), lowest(y)), strings.Compare(nameOf(x.chains), nameOf(y.chains)))
	})
	run := stowage.Options{Seed: c.options.Solve.Seed}
	for _, x := range append([]*Choice{c.best}, all[:min(len(all), splitAgain)]...) {
		if lowest(x) >= c.best.Arena || ctx.Err() != nil {
			continue
		}
		y, err := c.plan(ctx, x.chains, run, rowSearch{steps: splitAgainSteps, noes: splitAgainNoes, only: true})
		if err != nil {
			return err
		}
		if y != nil && c.better(y, c.best) {
			c.best = y
		}
	}
	return nil
}

// finish plans the best choice with the time of the options, and fills in out.
func (c *chooser) finish(ctx context.Context) error {
	c.out.Planned = len(c.known)
	if c.best == nil {
		if c.out.Why == "" {
			c.out.Why = "no choice of strips has a smaller arena"
		}
		if c.out.Stopped != "" {
			c.out.Why = "no strips with a smaller arena were found in time"
		}
		return nil
	}
	c.out.Why = ""
	if x, err := c.plan(ctx, c.best.chains, c.rest(), rowSearch{start: c.best.plan.planned}); err != nil {
		return err
	} else if x != nil && c.better(x, c.best) {
		c.best = x
	}
	c.known[nameOf(c.best.chains)], c.out.Larger = c.best, c.best.larger
	c.out.scratch = c.scratchOf(c.best.plan.Model)
	if err := c.best.plan.compare(context.WithoutCancel(ctx), c.options.bars); err != nil {
		return err
	}
	m, err := c.best.plan.Model.Written()
	if err != nil {
		return err
	}
	c.best.plan.Model = m
	c.out.Plan, c.out.Choice = c.best.plan, *c.best
	c.out.Plan.InStrips = &c.out
	for _, x := range c.known {
		if x != nil {
			c.out.Front = append(c.out.Front, *x)
		}
	}
	slices.SortFunc(c.out.Front, func(x, y Choice) int {
		return cmp.Or(cmp.Compare(x.Arena, y.Arena), cmp.Compare(x.MACs, y.MACs),
			strings.Compare(nameOf(x.chains), nameOf(y.chains)))
	})
	least := int64(-1)
	c.out.Front = slices.DeleteFunc(c.out.Front, func(x Choice) bool {
		worse := least >= 0 && x.MACs >= least
		if !worse {
			least = x.MACs
		}
		return worse
	})
	c.out.Added = added(c.m, m)
	return nil
}

// added returns the kinds of operators that a model has only in strips.
func added(was, m *tflite.Model) (out []string) {
	for k := range m.Operators {
		name := m.Operators[k].Name()
		has := func(o tflite.Operator) bool { return o.Name() == name }
		if !slices.ContainsFunc(was.Operators, has) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

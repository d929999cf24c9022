package climb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stowage-go/stowage/internal/exact"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the techniques take turns. A turn that lowers the plan is followed by
// another of its kind; one that does not, by one of the next. All start from the
// best plan, but critical, which goes on from where it was unless the best plan
// has become lower in the meantime.
//
// Workers search side by side, with seeds of their own, and take over the best
// plan between turns.
//
// Invariant: the height never rises; the first plan is a heuristic's.
//
// Complexity: a turn is turn steps, a placement each, or a node of the exact
// planner times the size of its problem.
//
// Source: this project.

func init() {
	run.Register(&Planner{})
	exact.Whole()
}

// Planner is the planner `climb`. Its zero value is ready to use.
type Planner struct{}

// Name returns the planner's name.
func (*Planner) Name() string { return "climb" }

// Info describes the planner.
func (p *Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "local search: the peak exactly, moves on the critical chain, exact re-planning of windows",
		Source:  "this project; chains and blocks after Nowicki and Smutnicki (1996), windows after Shaw (1998)",
	}, func() run.Settings { return new(settings) })
}

// defaultPatience ends a run that has no other limit.
const defaultPatience = 40

// settings are the techniques and parameters of a run.
type settings struct {
	core, critical, blocks, resume, window bool

	random, width   int
	nodes, patience int64
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.core, "core", "plan the sections around the peak exactly, and the rest around them")
	d.Technique(&s.critical, "critical", "change the order where blocks of the critical chain meet")
	d.Technique(&s.blocks, "blocks", "moves of whole blocks of the chain")
	d.Technique(&s.resume, "resume", "decode from the last checkpoint before a change")
	d.Technique(&s.window, "window", "lift out what is too high and plan its neighbourhood anew, exactly")
	d.Int(&s.random, "random", 20, 0, 100, "percent of order moves that ignore the chain")
	d.Int(&s.width, "width", 30, 1, 1<<16, "free buffers in a window at first")
	d.Int64(&s.nodes, "window-nodes", 1000, 1, 1<<30, "nodes of the exact planner for a window")
	patience := int64(0)
	if d.Endless() {
		patience = defaultPatience
	}
	d.Int64OrAuto(&s.patience, "patience", patience, 0, 1<<30, "end after this many turns without a lower plan, 0 for never; auto is 40, or 0 where a timeout or node limit is set")
}

// turnSteps is how many steps a turn takes, a buffer; leastTurn how many at
// least.
const (
	turnSteps = 500
	leastTurn = 1 << 16
)

// orderLimit is the number of buffers up to which whole orders are changed and
// placed again. Above it that takes seconds each, and what is around the peak is
// all that moves.
const orderLimit = 1 << 18

// coresFirst is the number of buffers up to which cores come before repair: sweeps around
// them take less than a second.
const coresFirst = 1 << 17

// search is what the workers of a run share.
type search struct {
	tl   *timeline.Timeline
	o    *plan.Options
	sw   settings
	goal int64 // stop at this height

	steps  atomic.Int64
	height atomic.Int64
	mu     sync.Mutex
	best   []int64
}

// Plan climbs from o.Start or a heuristic's plan until that is as low as the
// bound, fits the capacity where that is all that is asked, or a limit comes.
// A node is a step. Gaps, windows, alignment and fixed offsets are honoured.
// The error is for a parameter with a bad value.
func (*Planner) Plan(c context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var sw settings
	if err := run.Bind("climb", &o, &sw); err != nil {
		return r, err
	}
	ctx := limit{c, run.NewWatch(c)}
	defer ctx.Close()
	s := &search{tl: tl, o: &o, sw: sw, goal: tl.LowerBound}
	if !o.Minimizing() {
		s.goal = max(s.goal, o.Capacity)
	}
	offsets := slices.Clone(o.Start)
	if offsets == nil {
		first := greedy.NewPortfolio(c, tl, s.goal)
		first.Rest()
		if first.Collided {
			r.Status = model.Infeasible
			return r, nil
		}
		if offsets = first.Offsets; offsets == nil {
			return r, nil // a limit, before it is known whether fixed buffers collide
		}
	}
	height := model.HeightOf(tl.Problem, offsets)
	s.steps.Add(int64(len(offsets)))
	s.best = offsets
	s.height.Store(height)
	s.report()
	if sw.window && len(offsets) > coresFirst {
		s.repair(ctx)
	}
	if !s.done(ctx) {
		workers := max(o.Workers, 1)
		ended := make(chan bool)
		for w := range workers {
			go func() {
				s.climb(ctx, rand.New(rand.NewPCG(o.Seed, uint64(w))))
				ended <- true
			}()
		}
		for range workers {
			<-ended
		}
	}
	r.Stats.Nodes = s.steps.Load()
	if o.NodeLimit > 0 {
		// A placement that the limit meets is ended, and counts up to it.
		r.Stats.Nodes = min(r.Stats.Nodes, o.NodeLimit)
	}
	if o.Fits(s.height.Load()) {
		r.Status = model.Feasible
		r.Offsets = s.best
		r.Height = s.height.Load()
	}
	return r, nil
}

// A limit is the context of a run, for the planners that it calls, and the one
// watch on it, for all else.
type limit struct {
	context.Context
	*run.Watch
}

// Of large problems, a plan that is within one nearness-th of the goal is
// repaired before all else: what sticks out is then a few buffers at the peak.
// patches is how many targets may fail.
const nearness, patches = 100, 4

// repair lifts out what is too high in a plan that is close to the goal, and
// puts it back lower. A training graph of a million buffers, which the sweep
// leaves 0.0016% above the load, so comes down to it in 0.2 s.
func (s *search) repair(ctx limit) {
	w := newWindow(s.tl, rand.New(rand.NewPCG(s.o.Seed, 0)), s.sw)
	w.share = 1 // the goal itself comes first
	for failed := 0; failed < patches && !s.done(ctx); {
		height := s.height.Load()
		if height > s.goal+s.goal/nearness {
			return
		}
		before := w.steps
		w.most = before + s.left()
		if w.run(ctx, s.best, height, s.goal, turnSteps*int64(len(s.best))) {
			s.keep(slices.Clone(w.offsets), model.HeightOf(s.tl.Problem, w.offsets))
		} else {
			failed++
		}
		s.steps.Add(w.steps - before)
	}
}

// A turn searches for some steps from the best plan, and returns a lower one,
// if any, and the steps it took.
type turn func(steps int64) (offsets []int64, height, taken int64)

// turns returns what takes turns in this run.
func (s *search) turns(ctx limit, rng *rand.Rand) []turn {
	var all []turn
	var c *cores
	if s.sw.core {
		c = newCores(ctx, s.tl, s.sw.nodes, s.plan())
	}
	if c != nil {
		all = append(all, func(int64) ([]int64, int64, int64) {
			before := c.taken()
			c.most = before + s.left()
			offsets, height := c.run(ctx, rng, s.plan(), s.height.Load(), s.goal)
			return offsets, height, c.taken() - before
		})
	}
	if s.sw.critical && len(s.tl.Problem.Buffers) <= orderLimit {
		c := newCritical(s.tl, rng, s.sw)
		all = append(all, func(steps int64) ([]int64, int64, int64) {
			before, height := c.decode.steps, s.height.Load()
			if (c.order == nil || height < c.height) && !c.begin(ctx, s.plan()) {
				return nil, 0, c.decode.steps - before
			}
			if c.height < height || c.run(ctx, height, steps) {
				return slices.Clone(c.offsets), c.height, c.decode.steps - before
			}
			return nil, 0, c.decode.steps - before
		})
	}
	if s.sw.window {
		w := newWindow(s.tl, rng, s.sw)
		all = append(all, func(steps int64) ([]int64, int64, int64) {
			before, from, height := w.steps, s.plan(), s.height.Load()
			w.most = before + s.left()
			for w.steps-before < steps && !ctx.Over() {
				if w.run(ctx, from, height, s.goal, steps) {
					return slices.Clone(w.offsets), model.HeightOf(s.tl.Problem, w.offsets), w.steps - before
				}
			}
			return nil, 0, w.steps - before
		})
	}
	return all
}

// climb is one worker.
func (s *search) climb(ctx limit, rng *rand.Rand) {
	n := int64(len(s.tl.Problem.Buffers))
	steps := max(turnSteps*n, leastTurn)
	if n > place.ListLimit {
		// A decoding is slow, so look around more often.
		steps = 20 * n
	}
	all := s.turns(ctx, rng)
	if len(all) == 0 {
		return
	}
	for k, idle := 0, int64(0); !s.done(ctx) && (s.sw.patience == 0 || idle < s.sw.patience); idle++ {
		turn := steps
		if s.o.NodeLimit > 0 {
			turn = min(turn, s.left())
		}
		offsets, height, taken := all[k%len(all)](turn)
		s.steps.Add(max(taken, 1))
		if s.keep(offsets, height) {
			idle = -1
		} else {
			k++
		}
	}
}

// plan returns the best plan, which nobody changes.
func (s *search) plan() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best
}

// keep takes a plan where it is the lowest so far, and reports whether it is.
func (s *search) keep(offsets []int64, height int64) bool {
	if offsets == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if height >= s.height.Load() {
		return false
	}
	s.best = offsets
	s.height.Store(height)
	s.report()
	return true
}

func (s *search) report() {
	if s.o.Progress != nil {
		p := plan.Progress{LowerBound: s.tl.LowerBound, Nodes: s.steps.Load()}
		if h := s.height.Load(); s.o.Fits(h) {
			p.Height, p.Offsets = h, s.best
		}
		s.o.Progress(p)
	}
}

// left returns how many steps the node limit leaves.
//
//go:noinline
func (s *search) left() int64 {
	if s.o.NodeLimit == 0 {
		return math.MaxInt64 / 2
	}
	return max(s.o.NodeLimit-s.steps.Load(), 0)
}

// affordable returns how many nodes of the exact planner, at most so many, there are
// for a part of size buffers in the steps that are left. A node counts size steps.
func affordable(nodes, left, size int64) int64 { return min(nodes, left/max(size, 1)) }

// done reports whether the goal is met or a limit has come.
func (s *search) done(ctx limit) bool {
	return s.height.Load() <= s.goal || ctx.Over() || s.o.NodeLimit > 0 && s.steps.Load() >= s.o.NodeLimit
}

package climb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: three techniques take turns. After a turn that lowers the plan, the same technique has
// another; after one that does not, it is the next one's turn. Core always starts from the
// lowest plan. The others go on from their own, unless the lowest plan has become lower
// in the meantime. If there are few buffers, all their orders are tried instead (orders.go).
//
// Workers search side by side, each with its own seed, and take over the lowest plan between turns.
//
// Invariant: the height of the lowest plan never rises. The first plan is a heuristic's.
//
// Complexity: a turn of critical is turnSteps × n steps, where each placement takes n. A turn of mend is as many, where
// a placement takes two for each neighbour. A turn of core is a few sweeps
// and exact searches, where a node takes as many steps as its problem has buffers.
//
// Source: this project.

func init() {
	run.RegisterWith(&Planner{}, false, fresh)
}

// Planner is the planner `climb`. Its zero value is ready to use.
type Planner struct {
	// Cores runs only the technique core, until coreTurns turns in a row have not lowered the plan.
	Cores bool
	// Crests runs only the technique crests, a turn for each of its passes.
	Crests bool
	// Sweeps is a sweeper for the same timeline, which has its orders, for the first worker; nil for a new one.
	Sweeps *greedy.Sweeper
}

// coreTurns is the patience of a planner that runs only core.
const coreTurns = 2

// Name returns the planner's name.
func (*Planner) Name() string { return "climb" }

// Info describes the planner.
func (p *Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    p.Name(),
		Summary: "local search: exact plans of the sections around the peak, repairs of what is too high, moves of what sets the height",
		Source:  "Stowage; chains after Nowicki and Smutnicki (1996)",
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

// defaultPatience ends a run that has no other limit.
const defaultPatience = 40

// settings are the techniques and parameters of a run.
type settings struct {
	core, mend, rebuild, crests, critical bool

	random          int
	nodes, patience int64
}

// Declare lists the techniques and the parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.core, "core", "plan the sections around the peak exactly, then the other buffers around them")
	d.Technique(&s.mend, "mend", "take out the buffers that end too high, and let them displace others at a growing price")
	d.Technique(&s.rebuild, "rebuild", "plan the time around a peak anew if mend finds no place for a buffer there")
	d.Technique(&s.crests, "crests",
		"plan the buffers that live where the load is highest, then more and more of the others")
	d.Technique(&s.critical, "critical", "change the order of buffers on the critical chain, which sets the height")
	d.Int(&s.random, "random", 20, 0, 100, "percentage of order moves that ignore the critical chain")
	d.Int64(&s.nodes, "core-nodes", 1000, 1, 1<<30,
		"node limit of exact search for the sections around the peak, in addition to two nodes for each of their buffers")
	patience := int64(0)
	if d.Endless() {
		patience = defaultPatience
	}
	d.Int64OrAuto(&s.patience, "patience", patience, 0, 1<<30,
		"end after this many rounds without a lower plan; 0: never; auto: 40, or 0 if a timeout or node limit is set")
}

// A turn of critical or mend takes turnSteps steps for each buffer, and at least leastTurn.
const (
	turnSteps = 500
	leastTurn = 1 << 16
)

// search is the state that the workers of a run share.
type search struct {
	ctx   context.Context // for the planners that are called; all else uses watch
	watch *run.Watch
	tl    *timeline.Timeline
	o     *plan.Options
	sw    settings
	goal  int64 // stop at this height
	once  bool  // crests has all its passes, and nobody else has a turn

	steps  atomic.Int64
	height atomic.Int64
	mu     sync.Mutex
	best   []int64
}

// Plan climbs from o.Start or a heuristic's plan, until a plan meets the bound, or fits the capacity if only that is
// asked, or until a limit comes. A node is a step. Gaps, windows, alignment and fixed offsets are honoured. The error
// is for a parameter with a bad value.
func (p *Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	s := &search{ctx: ctx, tl: tl, o: &o, goal: tl.LowerBound}
	if err := run.Bind("climb", &o, &s.sw); err != nil {
		return r, err
	}
	if p.Cores {
		s.sw.mend, s.sw.critical, s.sw.patience = false, false, coreTurns
	}
	s.once = p.Crests
	s.watch = run.NewWatch(ctx)
	defer s.watch.Close()
	if !o.Minimizing() {
		s.goal = max(s.goal, o.Capacity)
	}
	offsets, collided := greedy.Start(ctx, tl, o.Start, s.goal)
	if collided {
		r.Status = model.Infeasible
	}
	if offsets == nil {
		return r, nil
	}
	s.steps.Add(int64(len(offsets)))
	s.height.Store(math.MaxInt64)
	s.keep(offsets)
	switch {
	case s.done():
	case len(offsets) <= allOrders && s.sw.critical:
		s.worker(0).orders()
	default:
		workers := max(o.Workers, 1)
		ended := make(chan bool)
		for w := range workers {
			go func() {
				worker := s.worker(uint64(w))
				if w == 0 {
					worker.lent = p.Sweeps
				}
				s.climb(worker)
				ended <- true
			}()
		}
		for range workers {
			<-ended
		}
	}
	r.Stats.Nodes = s.steps.Load()
	if o.NodeLimit > 0 {
		// The limit ends a placement midway, which counts only up to the limit.
		r.Stats.Nodes = min(r.Stats.Nodes, o.NodeLimit)
	}
	if height := s.height.Load(); o.Fits(height) {
		r.Status, r.Offsets, r.Height = model.Feasible, s.best, height
		if len(o.Start) > 0 && &s.best[0] == &o.Start[0] {
			r.Offsets = slices.Clone(s.best)
		}
	}
	return r, nil
}

// worker is one goroutine, with the state that its techniques keep from turn to turn.
type worker struct {
	*search
	rng         *rand.Rand
	taken, most int64 // steps of this turn, and the most that the node limit allows it
	critical    critical
	mender      mender
	turns       int // of crests

	// Of cores (core.go):
	lent  *greedy.Sweeper // or nil
	out   *greedy.Sweeper
	tries int
	share float64 // the next core aims this share of the way from the height to the goal
}

func (s *search) worker(number uint64) *worker {
	return &worker{search: s, share: 0.5, rng: rand.New(rand.NewPCG(s.o.Seed, number))}
}

// climb lets the techniques take turns.
func (s *search) climb(w *worker) {
	n := int64(len(s.tl.Problem.Buffers))
	steps := max(turnSteps*n, leastTurn)
	repairs := steps
	if n > thresholds.ListMost {
		// A placement is slow, so turns are shorter.
		steps = 20 * n
	}
	var turns []func(from []int64, height int64) []int64
	if s.sw.core && !s.once && w.coring() {
		turns = append(turns, w.core)
	}
	mends := s.sw.mend && w.mending()
	crests := mends && s.sw.crests && w.cresting()
	if s.once {
		for k := 0; crests && k < len(passes) && !s.done(); k++ {
			w.turn(w.crests)
		}
		return
	}
	if mends {
		turns = append(turns, func(from []int64, height int64) []int64 { return w.mend(from, height, min(repairs, w.most)) })
	}
	if crests {
		turns = append(turns, w.crests)
	}
	if s.sw.critical && n <= thresholds.OrdersMost && !(mends && n > thresholds.LargeAbove) {
		turns = append(turns, func(from []int64, height int64) []int64 { return w.reorder(from, height, min(steps, w.most)) })
	}
	now := 0 // who has this turn
	for idle := int64(0); len(turns) > 0 && !s.done() && (s.sw.patience == 0 || idle < s.sw.patience); idle++ {
		if w.turn(turns[now]) {
			idle = -1
		} else {
			now = (now + 1) % len(turns)
		}
	}
}

// turn has a technique make a turn, and reports whether the plan is lower now.
func (w *worker) turn(technique func(from []int64, height int64) []int64) bool {
	w.taken, w.most = 0, math.MaxInt64/2
	if w.o.NodeLimit > 0 {
		w.most = max(w.o.NodeLimit-w.steps.Load(), 0)
	}
	lower := technique(w.lowest())
	w.steps.Add(max(w.taken, 1))
	return lower != nil && w.keep(lower)
}

// keep takes a plan if it is the lowest so far, and reports whether it is. From then on nobody changes it.
func (s *search) keep(offsets []int64) bool {
	height := s.tl.HeightOf(offsets)
	s.mu.Lock()
	lower := height < s.height.Load()
	if lower {
		s.best = offsets
		s.height.Store(height)
		if s.o.Progress != nil {
			p := plan.Progress{LowerBound: s.tl.LowerBound, Nodes: s.steps.Load()}
			if s.o.Fits(height) {
				p.Height, p.Offsets = height, offsets
			}
			s.o.Progress(p)
		}
	}
	s.mu.Unlock()
	return lower
}

// lowest returns the best plan and its height. Nobody changes that plan.
func (s *search) lowest() ([]int64, int64) {
	s.mu.Lock()
	best, height := s.best, s.height.Load()
	s.mu.Unlock()
	return best, height
}

// done reports whether the goal is met or a limit has come.
func (s *search) done() bool {
	return s.height.Load() <= s.goal || s.watch.Over() || s.o.NodeLimit > 0 && s.steps.Load() >= s.o.NodeLimit
}

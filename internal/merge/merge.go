package merge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/engine"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/merge/walls"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: problems that are hard because they are full were usually cut from full rectangles, by a generator or by a
// compiler that tiles, slices and concatenates. A cut leaves a trace. Two halves in time have equal sizes and meet; two
// halves in space have equal lifespans. Putting such halves together again, the most certain ones first, turns hundreds
// of buffers into dozens of composites. Exact search takes seconds or years for the hundreds, and a millisecond for the
// dozens.
//
// Which halves belong together is a guess. So there are restarts, each with other noise and with another weight of
// lifespans against sizes. Each restart takes composites apart and merges them again (rounds.go). After merging and
// after these rounds, exact search has an attempt of a few nodes for each composite. The first attempts ask for the
// goal. After an attempt has failed there, half of the attempts aim one step below the lowest plan. The other half
// aim lower, by up to a quarter of the way to the goal.
//
// Invariant: an attempt that fails proves nothing. One that succeeds is a plan, which Solve verifies like any other.
//
// Complexity: O(n k log n) for a restart, where k <= 256 buffers begin or end where a
// buffer does. An attempt is exact search on the composites.
//
// Source: Stowage. The idea of merging what ends beside what starts is from a
// prototype for guillotine packings that ranked merges at boundaries of full sections.
//
// Trials: docs/lab/merge.md (waiting for full sections is not needed).

func init() {
	run.RegisterWith(&Planner{}, false, fresh)
}

// Planner is the planner merge. Its zero value is ready to use.
type Planner struct {
	// Learned, if set, is what runs on one problem learn from the runs before them. The runs come one after the other.
	Learned *Learned
}

// Name returns the planner's name.
func (*Planner) Name() string { return "merge" }

// Info describes the planner.
func (p *Planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name: p.Name(),
		Summary: "find buffers that fit together too well for chance, treat each group as one buffer, and plan the " +
			"groups by exact search",
		Source: "Stowage",
	}, fresh)
}

func fresh() run.Settings { return new(settings) }

type settings struct {
	stacks, wheels, rounds, parts, aside, settling, loosening, halving, dives, ejections bool
	persistence, scarcity, untying, lone, walls                                          bool

	width           int
	nodes, patience int64
}

// Declare lists the techniques and parameters.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.stacks, "stacks",
		"stack buffers of equal lifespans; without it, only join buffers of equal size one after the other in time")
	d.Technique(&s.wheels, "wheels", "join five buffers that form a pinwheel: no straight cut separates them")
	d.Technique(&s.rounds, "rounds", "split groups and merge them again with other random choices")
	d.Technique(&s.parts, "parts", "in a packing: split only some of the groups, each to another depth, for thousands of rounds")
	d.Technique(&s.aside, "aside", "merge buffers whose gaps come from rules such as pairs apart")
	d.Technique(&s.settling, "settling",
		"plan groups without such rules, and arrange what is in them so that the rules hold")
	d.Technique(&s.loosening, "loosening", "split the groups that such rules are about, level by level")
	d.Technique(&s.halving, "halving", "if little fits together, plan the groups at a few heights")
	d.Technique(&s.dives, "dives", "plan the groups by short searches, in random orders near the last one that worked")
	d.Technique(&s.ejections, "ejections",
		"mend the lowest plan: groups that are too high come out, and displace others at a growing price")
	d.Technique(&s.persistence, "persistence", "ejections that begin with no group placed, at the bound, with more patience")
	d.Technique(&s.scarcity, "scarcity",
		"in ejections, groups come back by what they take of the fullest moments; without it, by area")
	d.Technique(&s.untying, "untying",
		"ejections also with rules such as pairs apart: without these, and then what is in the groups is arranged")
	d.Technique(&s.lone, "lone", "if little fits together and there are gaps, ejections of the buffers as they are")
	d.Technique(&s.walls, "walls",
		"if (almost) every byte is in use: derive plans from the moments at which buffers end and begin, with every "+
			"order that these allow")
	d.Int(&s.width, "width", 64, 1, 1<<16, "number of candidates that the technique walls keeps at the same time")
	d.Int64(&s.nodes, "nodes", 10, 1, 1<<30, "node limit of exact search, for each group of an attempt")
	d.Int64(&s.patience, "patience", 100, 1, 1<<30,
		"without a timeout or node limit: end after this many restarts without a lower plan")
}

// The weight of lifespans and the noise of the restarts, in turn.
var (
	weights = [...]float64{1, 0.5, 2, 4}
	noises  = [...]float64{1, 0.3, 2}
)

// Plan merges and plans until a plan meets the bound, or fits the capacity if only that is asked, or until a limit
// comes or patience ends. A node is a node of exact search, or 256 composites looked at. Windows, gaps and fixed
// offsets are honoured: such buffers are never merged. The error is for a bad parameter.
func (m *Planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var set settings
	if err := run.Bind("merge", &o, &set); err != nil {
		return r, err
	}
	s := &search{ctx: ctx, tl: tl, o: &o, set: set, goal: tl.LowerBound, step: bound.Step(tl.Problem)}
	if !o.Minimizing() {
		s.goal = max(s.goal, o.Capacity)
	}
	if s.best = slices.Clone(o.Start); s.best == nil {
		first := greedy.NewPortfolio(ctx, tl, s.goal)
		if first.Collided {
			r.Status = model.Infeasible
			return r, nil
		}
		if s.best = first.Offsets; s.best == nil {
			return r, nil // a limit came before it was known whether fixed buffers collide
		}
	}
	s.height = model.HeightOf(tl.Problem, s.best)
	if set.walls {
		s.walled = walledness(tl)
	}
	s.watch = run.NewWatch(ctx)
	defer s.watch.Close()
	s.report()
	if m.Learned != nil {
		m.Learned.recall(s)
	}
	s.restarts()
	if invariants.Enabled {
		s.check()
	}
	if m.Learned != nil {
		m.Learned.note(s)
	}
	r.Stats.Nodes = s.nodes
	if o.Fits(s.height) {
		r.Status, r.Offsets, r.Height = model.Feasible, s.best, s.height
	}
	return r, nil
}

// search is a run.
type search struct {
	ctx       context.Context // for exact search
	watch     *run.Watch
	tl        *timeline.Timeline
	o         *plan.Options
	set       settings
	goal      int64 // stop at this height
	step      int64 // divides every height
	best      []int64
	height    int64
	nodes     int64
	failed    bool // an attempt at the goal has failed
	diving    diving
	halving   halving
	ejecting  ejecting
	alone     alone
	attempted int64   // nodes of attempts
	base      *base   // nil before the first restart
	begun     int     // restarts, earlier runs included
	joined    bool    // see Learned
	walled    float64 // the share of bytes in use, if walls are used; otherwise 0
	parts     bool    // rounds take only parts of the roots apart
}

// restarts makes restarts until the run is done, nothing can be merged, or patience ends.
func (s *search) restarts() {
	rng := rand.New(rand.NewPCG(s.o.Seed, 0x6d65726765))
	for idle := int64(0); !s.done() && (idle < s.set.patience || s.limited()); {
		before := s.height
		if again := s.restart(rng, s.begun); !again {
			return
		}
		idle = s.idle(idle, s.height < before)
	}
}

// idle counts restarts that have not lowered the plan, for patience. With walls a restart takes
// about four times as long, and counts as four.
func (s *search) idle(idle int64, lowered bool) int64 {
	switch {
	case lowered:
		return 0
	case s.walled > 0:
		return idle + 4
	}
	return idle + 1
}

// restart merges from the buffers up, and plans what is left. k is its number. It returns false
// if further restarts are of no use.
func (s *search) restart(rng *rand.Rand, k int) (again bool) {
	m := s.newMerger(rng, k)
	s.begun++
	if s.walls(m, rng, k); s.done() {
		return false
	}
	if k > 0 {
		m.noise = noises[k%len(noises)]
	}
	buffers := len(m.live)
	m.begin()
	s.charge(m)
	merged := len(m.live) < buffers
	if m.stacks {
		s.parts = s.inParts(len(m.live), buffers)
	}
	if s.hopeless(len(m.live), buffers) {
		s.halve(m)
		s.lone(rng)
		return false
	}
	if merged {
		s.walls(m, rng, k)
	}
	s.attempt(m, rng)
	if !merged && s.walled == 0 { // the next restart would merge nothing either
		s.diving.only = true
		s.dives(m, rng)
		return false
	}
	s.joined = 2*len(m.live) < buffers
	if s.parts && !m.stacks {
		return true // the restart was for its passes over walls: too many roots are left
	}
	s.rounds(m, rng, k)
	s.ejections(m, rng)
	s.tied(m, rng)
	s.dives(m, rng)
	return true
}

// newMerger returns the merger of restart k, with a root for each buffer.
func (s *search) newMerger(rng *rand.Rand, k int) *merger {
	m := &merger{
		watch: s.watch, rng: rng, unit: float64(s.step),
		stacking: weights[k%len(weights)], stacks: s.set.stacks, wheeling: s.set.wheels,
	}
	if s.walled >= whole && k%2 == 1 {
		m.stacks = false // equal lifespans are the least certain trace of a packing
	}
	if s.base == nil {
		s.base = new(base)
		if s.set.aside {
			s.base = newBase(s.tl)
		}
	}
	b := s.base
	if k%4 == 3 {
		b = new(base) // buffers with gaps stay as they are: other groups, and dives for more of them
	}
	m.init(s.tl, b)
	s.grant(m)
	return m
}

// hopeless reports whether so little fits together that the planner of o.Start does better.
func (s *search) hopeless(roots, buffers int) bool {
	return s.o.Start != nil && s.walled == 0 && roots > thresholds.MergeHopelessAbove && roots > buffers-buffers/16
}

// attempt plans the roots by exact search with a few nodes.
func (s *search) attempt(m *merger, rng *rand.Rand) { s.attemptWithin(m, rng, s.set.nodes) }

// attemptWithin is attempt with so many nodes for each root.
func (s *search) attemptWithin(m *merger, rng *rand.Rand, each int64) {
	if s.done() || len(m.live) > thresholds.MergeAttemptsMost || s.walled > 0 && len(m.live) > thresholds.MergeWalledMost {
		return
	}
	if s.ejecting.won && s.attempted+each*int64(len(m.live)) > s.nodes/rivals {
		return
	}
	target := s.target(rng)
	if !s.reach(m, target, each) {
		s.failed = s.failed || target == s.goal
	}
}

// reach plans the roots as low as a target. It reports whether there is a plan.
func (s *search) reach(m *merger, target, each int64) bool {
	nodes := each * int64(len(m.live))
	if s.o.NodeLimit > 0 {
		nodes = min(nodes, s.o.NodeLimit-s.nodes)
	}
	p := m.problem(s.tl)
	composites, taken := engine.Fit(s.ctx, s.watch, p, target, nodes, s.o.Workers)
	s.nodes += taken
	s.attempted += taken
	if composites == nil {
		return false
	}
	s.keep(m.expand(s.tl.Problem, composites))
	return true
}

// target returns the height of an attempt.
func (s *search) target(rng *rand.Rand) int64 {
	target := s.goal
	if s.o.Minimizing() && s.failed {
		target = s.height - s.step
		if rng.IntN(2) == 0 {
			target -= rng.Int64N((s.height-s.goal)/4 + 1)
		}
		target = max(target, s.goal)
		if s.o.Capacity > 0 {
			target = min(target, s.o.Capacity)
		}
	}
	return target
}

// keep keeps a plan if it is lower than the lowest so far.
func (s *search) keep(offsets []int64) {
	if height := model.HeightOf(s.tl.Problem, offsets); height < s.height {
		s.best, s.height, s.diving.won = offsets, height, false
		s.report()
	}
}

// fullness is the least share of bytes in use at which walls may help; whole means that all are in use.
const fullness, whole = 0.88, 1

// walledness returns the share of bytes in use,
//
//	sum of the loads / (lower bound × sections)
//
// It returns 0 if the share is below fullness, or if a buffer has gaps or a fixed offset.
func walledness(tl *timeline.Timeline) float64 {
	load := 0.0
	for _, l := range tl.Load {
		load += float64(l) / float64(tl.LowerBound)
	}
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil {
			return 0
		}
	}
	if share := load / float64(tl.Sections()); share >= fullness && !tl.HasGaps() {
		return share
	}
	return 0
}

// walls looks for a plan of the roots at the lower bound by the package walls, if walls are used.
// The k-th restart keeps 2^k guesses, up to the parameter width.
func (s *search) walls(m *merger, rng *rand.Rand, k int) {
	if s.walled == 0 || s.done() {
		return
	}
	n := s.tl.Sections()
	o := walls.Options{
		Rand: rng, Watch: s.watch, Work: m.most - m.work, Width: min(1<<min(k, 16), s.set.width), Unit: float64(s.step),
		Rare: min(0, math.Log(float64(n+1)/duration(s.tl.Problem))),
	}
	if k > 0 {
		o.Noise = 0.5
	}
	w := walls.New(n, o)
	for _, r := range m.live {
		c := &m.all[r]
		w.Add(walls.Item{First: c.first, Last: c.last, Size: bound.Up(c.size, c.align)})
	}
	offsets := w.Offsets(s.tl.LowerBound)
	m.work += w.Work()
	s.charge(m)
	for k, r := range m.live {
		if offsets == nil || offsets[k]%m.all[r].align != 0 {
			return
		}
	}
	s.keep(m.expand(s.tl.Problem, offsets[:len(m.live)]))
}

// duration is how long the problem lasts.
func duration(p *model.Problem) float64 {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range p.Buffers {
		low, high = min(low, p.Buffers[i].Lower), max(high, p.Buffers[i].Upper)
	}
	return float64(high) - float64(low)
}

// workPerNode is how many roots are looked at in the time of a node.
const workPerNode = 256

// charge counts the work since the last charge as nodes: 1 + work / workPerNode.
func (s *search) charge(m *merger) {
	s.nodes += 1 + m.work/workPerNode
	if s.o.NodeLimit > 0 {
		s.nodes = min(s.nodes, s.o.NodeLimit)
	}
	s.grant(m)
}

// grant allows the work that is left of the node limit.
func (s *search) grant(m *merger) {
	m.work, m.most = 0, math.MaxInt64
	if left := s.o.NodeLimit - s.nodes; s.o.NodeLimit > 0 && left < math.MaxInt64/workPerNode {
		m.most = left * workPerNode
	}
}

// limited reports whether a limit ends the run.
func (s *search) limited() bool { return s.o.Timeout > 0 || s.o.NodeLimit > 0 }

// done reports whether the goal is met or a limit has come.
func (s *search) done() bool {
	return s.height <= s.goal || s.o.NodeLimit > 0 && s.nodes >= s.o.NodeLimit || s.watch.Over()
}

func (s *search) report() {
	if s.o.Progress != nil {
		p := plan.Progress{LowerBound: s.tl.LowerBound, Nodes: s.nodes}
		if s.o.Fits(s.height) {
			p.Height, p.Offsets = s.height, s.best
		}
		s.o.Progress(p)
	}
}

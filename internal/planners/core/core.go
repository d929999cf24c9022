// Package core is the planner `core`: the twin, in Go, of the C file core/stowage_core.c. Both make the same decisions,
// so both give the same offsets and count the same nodes; a test compares them. A change here is a change there.
//
//	core.go        the planner, and the order of its techniques
//	problem.go     bodies, pieces, sections, loads
//	heuristics.go  first fit, best fit and stacking, in several orders
//	kernel.go      the state of the search over canonical plans, and what undoes it
//	infer.go       lifting, the suffix bound, not-first
//	search.go      depth first; postponement, splitting, dominance
//	ask.go         does a partition fit a capacity?
//	forest.go      bodies that fit together are joined
//	merge.go       the roots are planned
package core

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

func init() { run.Register(planner{}) }

type planner struct{}

const name = "core"

// Name returns the planner's name.
func (planner) Name() string { return name }

// Info describes the planner.
func (planner) Info() plan.Info {
	return run.Describe(plan.Info{
		Name:    name,
		Summary: "the planner of stowage_core.c, decision by decision: heuristics, canonical search, merge",
		Source:  "Moffitt, MiniMalloc, ASPLOS 2023; the rest is Stowage's",
	}, func() run.Settings { return new(settings) })
}

// settings are the levels of the C file: what is compiled, or what has room in the workspace.
type settings struct{ search, merge bool }

// Declare lists the techniques.
func (s *settings) Declare(d *run.Declaration) {
	d.Technique(&s.search, "search", "search over canonical plans if the heuristics do not reach the goal")
	d.Technique(&s.merge, "merge", "also plan bodies as one that fit together; it takes search")
}

// Plan plans as stowage_core_plan does. Without a limit it ends only with a proof, or, of a capacity, with a plan. If a
// buffer has a window that begins above 0, only the load proves anything. The error is for sums that are too large.
func (planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (r plan.Result, err error) {
	var set settings
	if err := run.Bind(name, &o, &set); err != nil {
		return r, err
	}
	if len(tl.Problem.Buffers) > 1<<24 {
		return r, plan.Unsupported(name, "takes at most 16777216 buffers")
	}
	p, ok := gather(tl.Problem)
	if !ok {
		return r, plan.Unsupported(name, "takes sizes, alignments and fixed offsets whose sum is at most 2^61")
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	c := call{p: p, r: budget{watch: w, left: o.NodeLimit}, level: 1, report: func() {}}
	if o.NodeLimit == 0 {
		c.r.left = math.MaxInt64 / 4
	}
	if !o.Minimizing() {
		c.capacity = o.Capacity
	}
	if set.search {
		if c.level = 2; set.merge {
			c.level = 3
		}
	}
	if o.Progress != nil {
		c.report = func() {
			if h := p.heightOf(0, p.n); o.Fits(h) {
				o.Progress(plan.Progress{Height: h, LowerBound: c.bound, Nodes: c.r.spent, Offsets: p.offsets(tl.Problem)})
			}
		}
	}
	r.Status = c.plan()
	r.Stats.Nodes, r.LowerBound = c.r.spent, c.bound
	if len(p.bodies) == 0 && r.Status.HasPlan() || c.height > 0 && (r.Status != model.Unknown || o.Fits(c.height)) {
		if r.Offsets = p.offsets(tl.Problem); !o.Fits(c.height) {
			r.Offsets, r.Status = nil, model.Unknown
			if c.bound > o.Capacity {
				r.Status = model.Infeasible
			}
		}
	}
	return r, nil
}

// offsets returns the best plan. A buffer that is never live lies as low as it may.
func (p *problem) offsets(q *model.Problem) []int64 {
	at := make([]int64, len(q.Buffers))
	for i := range q.Buffers {
		if q.Buffers[i].Fixed != nil {
			at[i] = *q.Buffers[i].Fixed
		}
	}
	for i := range p.bodies {
		at[p.bodies[i].id] = p.at[i]
	}
	return at
}

// A call is one call of stowage_core_plan.
type call struct {
	p        *problem
	r        budget
	level    int
	capacity int64 // 0: the lowest plan
	report   func()

	height, bound int64
}

// improve runs rows [row, end) on each partition that is above goal. It returns the height, or collision.
func (p *problem) improve(goal int64, row, end int) (height int64) {
	var low, high int32
	for ; low < p.n; low = high {
		high = p.partitionEnd(low)
		h := p.heuristics(low, high, goal, p.heightOf(low, high), row, end)
		if h == collision {
			return h
		}
		height = max(height, h)
	}
	return height
}

// deepen searches until the plan is at most goal, or the nodes are spent. Merge and questions have turns, and the
// shares of both grow. Without a capacity, a round of questions is about the bound, the middle, and one step below the
// plan; refutations raise the bound, which is the goal. It returns the bound that follows, or -1 if nothing fits the
// capacity.
func (c *call) deepen(goal int64) int64 {
	p, r := c.p, &c.r
	merging := c.level >= 3 && p.n >= small
	height := p.heightOf(0, p.n)
	span := height - goal
	halves, share := int64(3), 16*int64(p.n)
	begun, turns := 0, 3
	scores := make([]int16, 2*(p.n+3))
	if c.capacity > 0 {
		turns = 1
	}
	q := asker{r: r, p: p, built: -1}
	for r.left > 0 && height > goal && (merging || !q.stuck) {
		c.report()
		if merging {
			q.built = -1
			merge(r, p, goal, c.capacity == 0, share, &begun, scores)
			height = p.heightOf(0, p.n)
		}
		for turn := 0; turn < turns && r.left > 0 && height > goal; turn++ {
			at := goal
			switch turn {
			case 1:
				at = goal + (height-goal)/2/p.step*p.step
			case 2:
				at = height - p.step
			}
			if q.askAll(at, halves) == never {
				if c.capacity > 0 {
					return -1
				}
				goal = at + p.step
			}
			height = p.heightOf(0, p.n)
		}
		if height-goal >= span-span/8 && halves < math.MaxInt32 {
			halves *= 2
		}
		span = height - goal
		if share < math.MaxInt64/8 {
			share *= 4
		}
	}
	if c.capacity > 0 {
		return p.bound
	}
	return min(goal, height)
}

// plan calls the techniques in turn. Without a search these are all rows of heuristics. Otherwise one row comes first. Then
// come more rows, if the problem is large, where they take less time than the search, and not so full that they seldom
// fit it. The search follows. If it ends without an answer, the rows that were left out are last.
func (c *call) plan() model.Status {
	p := c.p
	if p.n == 0 {
		return model.Optimal
	}
	p.arrays()
	p.cutSections()
	c.bound = p.bound
	goal := max(c.capacity, p.bound)
	if c.capacity > 0 && p.bound > c.capacity {
		return model.Infeasible
	}
	large := p.sparse || p.n > 256
	searching := c.level >= 2
	full := searching && p.n >= small && p.full > uint64(goal)/3*2
	row, end := 0, len(rows)
	if searching {
		if !full && !large {
			row = 1
		}
		end = row + 1
	}
	height := p.improve(goal, row, end)
	if height == collision {
		if p.loose {
			return model.Unknown
		}
		return model.Infeasible
	}
	if height > goal && searching {
		done := 0
		if p.n < small || full && height <= goal+goal/8 || !full && large {
			done = few
			height = p.improve(goal, 0, done)
		}
		if height > goal {
			bound := c.deepen(goal)
			if bound < 0 && !p.loose {
				c.bound = roundUp(c.capacity+1, p.step)
				return model.Infeasible
			}
			if !p.loose && bound > c.bound {
				c.bound = bound
			}
			height = p.improve(max(c.capacity, c.bound), done, len(rows))
		}
	}
	switch c.height = height; {
	case c.capacity > 0 && height > c.capacity:
		return model.Unknown
	case height <= c.bound:
		return model.Optimal
	}
	return model.Feasible
}

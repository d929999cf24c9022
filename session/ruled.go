package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	rules "github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a session whose problem has rules is another engine behind the same calls. Its state is a problem with rules and a whole
// plan, and never changes (draft.go). Its steps are those of every session, over bodies in place of buffers and over pools (ruledsteps.go).
// What a plan is asked of planners goes through internal/ruled, which knows all rules.
//
// Invariant: each state's plan passes internal/verify, which reads the rules by itself.
//
// Complexity: O(n + rules) for a change that moves nothing; else that of the steps.

// A ruled is a session with rules.
type ruled struct {
	*state
	s      *Session // options and planners
	marks  []kept
	marked int64
	groups map[string]string // of a trace that opened it: the group of each buffer that has one
}

// A kept is a mark with its state.
type kept struct {
	name Mark
	*state
}

// openRuled is Open for a problem with rules. Without a plan it plans by itself.
func openRuled(ctx context.Context, p *model.Problem, given *model.Plan, o Options) (*Session, error) {
	s, issues, err := newPlanners(&o)
	if err != nil {
		return nil, err
	}
	if p != nil && o.Capacity != 0 && len(p.Rules.Pools) > 0 {
		issues.Say("capacity", strconv.FormatInt(o.Capacity, 10), "is for one pool without a name; the problem has pools with capacities of their own")
	}
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return nil, err
	}
	n := len(p.Buffers)
	empty := &state{p: &model.Problem{Name: p.Name, Capacity: p.CapacityOr(o.Capacity), Rules: ownRules(p.Rules)}}
	d := empty.draft(&s.o)
	for i := range p.Buffers {
		d.p.Buffers = append(d.p.Buffers, aligned(copied(p.Buffers[i]), &s.o))
		d.at, d.pool, d.mine = append(d.at, away), append(d.pool, 0), append(d.mine, int32(i))
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	s.ruled = &ruled{state: &d.state, s: s}
	if given != nil {
		if len(given.Parts) > 0 || len(given.Offsets) != n || len(given.Pools) != n && (given.Pools != nil || len(p.Rules.Pools) > 1) {
			issues.Say("plan", "", fmt.Sprintf("must have an offset for each of the %d buffers, and a pool for each if there are several pools", n))
			return nil, issues.Err()
		}
		copy(d.at, given.Offsets)
		copy(d.pool, given.Pools)
		if wrong := verify.FirstOf(d.p, d.plan()); wrong != "" {
			issues.Say("offsets", "", wrong)
			return nil, issues.Err()
		}
		return s, nil
	}
	c, done := s.ruled.begin(ctx, d)
	defer done()
	a, err := c.lowest(true, s.o.NodeLimit)
	if err == nil && a.Status == model.Feasible {
		err = c.verified(Fresh)
	}
	if err != nil {
		return nil, err
	}
	if a.Status != model.Feasible {
		return nil, &NoPlanError{a}
	}
	d.at, d.pool = c.at, c.pool
	return s, nil
}

// ownRules returns a copy of rules.
func ownRules(r *model.Rules) *model.Rules {
	c := *r
	c.Pools = slices.Clone(r.Pools)
	for k := range c.Pools {
		c.Pools[k].Reserved = slices.Clone(c.Pools[k].Reserved)
	}
	c.Together = slices.Clone(r.Together)
	for k := range c.Together {
		t := &c.Together[k]
		t.Buffers, t.At = slices.Clone(t.Buffers), slices.Clone(t.At)
	}
	c.Apart, c.MayOverlap, c.Distances, c.Objective = slices.Clone(r.Apart), slices.Clone(r.MayOverlap), slices.Clone(r.Distances), slices.Clone(r.Objective)
	return &c
}

// plan returns the plan of a state. It shares the lists.
func (s *state) plan() *model.Plan {
	p := &model.Plan{Offsets: s.at, Height: -1}
	if len(s.p.Rules.Pools) > 1 {
		p.Pools = s.pool
	}
	return p
}

// height returns the height of the plan, the sum over pools.
func (s *state) height() int64 {
	return model.ValueOf(model.MeasuresOf(s.p, s.plan()), model.MeasureHeight)
}

// capacity returns the capacity of the only pool, or 0 if there are several or it has none.
func (s *state) capacity() int64 {
	if pools := s.p.AllPools(); len(pools) == 1 {
		return pools[0].Capacity
	}
	return 0
}

// snapshot is Session.Snapshot.
func (s *state) snapshot() (*model.Problem, *model.Plan) {
	p := *s.p
	p.Rules = ownRules(p.Rules)
	p.Buffers = nil
	for i := range s.p.Buffers {
		p.Buffers = append(p.Buffers, copied(s.p.Buffers[i]))
	}
	out := *s.plan()
	out.Offsets, out.Pools, out.Height = slices.Clone(out.Offsets), slices.Clone(out.Pools), s.height()
	return &p, &out
}

// peak returns the largest load of all buffers, and a time of it.
func (s *state) peak() (bytes, time int64) {
	var l load
	for i := range s.p.Buffers {
		l.add(&s.p.Buffers[i])
	}
	return l.peak()
}

// do is one call: a draft, its places, and its turn as the state. after edits what the call needed only for placing.
func (r *ruled) do(ctx context.Context, effort Step, keep bool, edit func(*draft) error, after ...func(*draft)) (Answer, error) {
	if effort == None {
		effort = r.s.o.Effort
	}
	d := r.draft(&r.s.o)
	if err := edit(d); err != nil {
		return Answer{}, err
	}
	if err := d.check(); err != nil {
		return Answer{}, err
	}
	c, done := r.begin(ctx, d)
	a, err := c.place(effort)
	done()
	if err != nil || a.Status != model.Feasible {
		return a, err
	}
	a.Offsets = make([]int64, len(d.mine))
	for k, i := range d.mine {
		a.Offsets[k] = c.at[i]
	}
	if len(d.p.Rules.Pools) > 1 {
		a.Pools = make([]int32, len(d.mine))
		for k, i := range d.mine {
			a.Pools[k] = c.pool[i]
		}
	}
	if keep {
		for _, f := range after {
			f(d)
		}
		d.at, d.pool = c.at, c.pool
		r.state = &d.state
	}
	return a, nil
}

// edit makes a change that no place depends on.
func (r *ruled) edit(edit func(*draft) error) error {
	d := r.draft(&r.s.o)
	if err := edit(d); err != nil {
		return err
	}
	r.state = &d.state
	return nil
}

// replan is Replan.
func (r *ruled) replan(ctx context.Context, height int64, effort Step) (Answer, error) {
	if effort == None {
		effort = r.s.o.Effort
	}
	if height == 0 {
		return r.lower(ctx, effort)
	}
	if len(r.p.AllPools()) > 1 {
		return Answer{}, fault("", "height", height, "is for one pool; here each pool has a capacity of its own: limit a pool, or replan to height 0")
	}
	if height >= r.height() {
		return Answer{Status: model.Feasible, Step: Keep, Least: true}, nil
	}
	capacity := r.capacity()
	return r.do(ctx, effort, true, func(d *draft) error { return d.limit(0, height) }, func(d *draft) { _ = d.limit(0, capacity) })
}

// lower is Replan for the lowest plan that the steps hints and fresh find.
func (r *ruled) lower(ctx context.Context, effort Step) (Answer, error) {
	d := r.draft(&r.s.o)
	total := Answer{Status: model.Feasible, Step: Keep}
	c, done := r.begin(ctx, d)
	defer done()
	for step := Hints; step <= effort && !c.watch.Over(); step++ {
		if r.s.skip[step] {
			continue
		}
		at, pool := c.at, c.pool
		a, err := c.lowest(step == Hints, r.s.o.NodeLimit/2)
		if err != nil {
			return Answer{}, err
		}
		now := state{p: d.p, at: c.at, pool: c.pool}
		if a.Status != model.Feasible || c.watch.Over() || now.height() >= d.height() {
			c.at, c.pool = at, pool
			continue
		}
		if err := c.verified(step); err != nil {
			return Answer{}, err
		}
		d.at, d.pool, total.Step = c.at, c.pool, step
	}
	if total.Step == Keep {
		total.Nodes = c.nodes
		return total, nil
	}
	total.Moved, total.Nodes = c.movement(c.at, c.pool), c.nodes
	r.state = &d.state
	return total, nil
}

// mark, rollback and commit are those of Session.
func (r *ruled) mark() Mark {
	r.marked++
	r.marks = append(r.marks, kept{Mark(r.marked), r.state})
	return Mark(r.marked)
}

func (r *ruled) drop(m Mark, back bool) error {
	k := slices.IndexFunc(r.marks, func(x kept) bool { return x.name == m })
	if k < 0 {
		return gone(m, len(r.marks))
	}
	if back {
		r.state = r.marks[k].state
	}
	clear(r.marks[k:])
	r.marks = r.marks[:k]
	return nil
}

// ask asks a planner about some buffers. All questions of a session with rules go through here.
func (c *ruling) ask(p *model.Problem, planner run.Planner, minimise bool, nodes int64) (plan.Result, error) {
	r, err := rules.Solve(c.ctx, p, planner, plan.Options{
		Capacity: p.Capacity, Minimize: minimise, Seed: c.s.o.Seed, NodeLimit: max(1, nodes), Workers: 1,
	})
	c.nodes += r.Stats.Nodes
	if isUnsupported(err) { // a planner that does not take a rule finds nothing
		c.refusal = err
		return plan.Result{Status: model.Unknown}, nil
	}
	return r, err
}

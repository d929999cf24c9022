package framework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a framework planner is a function from a prepared problem to offsets. All else is the same for each: its name
// and parameters, the features that it refuses, how sizes are rounded and gaps filled, and what its outcome means.
//
// Invariant: the function sees only features that it can honour. Its plan is valid for the given problem, because
// rounding sizes and filling gaps only takes space away.

// A planner is one framework planner.
type planner struct {
	name, summary, source string
	// round is the multiple to which the framework rounds sizes up, or 0 if it does not round. The default of the
	// parameter round is 1 in either case.
	round int64
	// params are the parameters beside round.
	params []param
	// gaps says that place uses gaps; they are filled for it otherwise.
	gaps bool
	// fixed says that place honours fixed offsets; they are refused otherwise.
	fixed bool
	// place sets t.offsets, one for each buffer, and t.bound if it has one. It returns errStopped if a limit comes
	// before it has a plan. Other errors are about the input.
	place func(t *task) error
}

// errStopped means that a limit came.
var errStopped = errors.New("stopped")

// errAlignments means that no offset suits all of the alignments.
var errAlignments = errors.New("cannot honour the alignments: their least common multiple is too large")

// A task is a problem prepared for one run of one planner.
type task struct {
	tl      *timeline.Timeline // with sizes rounded and gaps filled
	buffers []model.Buffer     // of tl
	given   []model.Buffer     // the same before rounding and filling
	opts    plan.Options
	watch   *run.Watch
	set     settings
	offsets []int64 // the plan, set by place
	best    []int64 // a plan that stands if a limit comes before the next; nil for none
	nodes   int64   // effort, for the statistics; buffers placed where place leaves it 0
}

func register(p planner) { run.Register(&p) }

// all returns the parameters, the one that every planner has last.
func (p *planner) all() []param {
	own := "the framework does not round"
	if p.round > 0 {
		own = "the framework rounds to " + strconv.FormatInt(p.round, 10)
	}
	return append(slices.Clone(p.params),
		param{
			name: "round", otherwise: 1, least: 1, most: 1 << 40,
			summary: "round sizes up to a multiple of this many bytes; " + own,
		})
}

// Name returns the planner's name.
func (p *planner) Name() string { return p.name }

// Info describes the planner.
func (p *planner) Info() plan.Info {
	return run.Describe(plan.Info{Name: p.name, Summary: p.summary, Source: p.source},
		func() run.Settings { return p.settings() })
}

// Plan runs the planner. The error is for parameters that make no sense and for features that the planner refuses. A
// plan above the capacity proves nothing, so the status is then Unknown. If a limit comes before there is a plan,
// buffers without a place are stacked (place.Finish).
func (p *planner) Plan(ctx context.Context, tl *timeline.Timeline, o plan.Options) (plan.Result, error) {
	t, err := p.prepare(tl, o)
	if err != nil {
		return plan.Result{}, err
	}
	if len(t.buffers) == 0 {
		return plan.Result{Status: model.Feasible, Plan: model.Plan{Offsets: []int64{}}}, nil
	}
	t.watch = run.NewWatch(ctx)
	defer t.watch.Close()
	if p.fixed {
		if end := place.Collide(t.watch, tl); end == place.Collided {
			return plan.Result{Status: model.Infeasible}, nil
		} else if end == place.Cut {
			return plan.Result{}, nil
		}
	}
	switch err := p.attempt(t); {
	case errors.Is(err, errStopped):
		t.finish()
	case err != nil:
		return plan.Result{}, plan.Unsupported(p.name, "cannot take this problem: "+err.Error())
	}
	if t.nodes == 0 {
		t.nodes = int64(len(t.buffers))
	}
	r := plan.Result{Stats: plan.Stats{Nodes: t.nodes}}
	if o.Capacity == 0 || o.Fits(model.HeightOf(tl.Problem, t.offsets)) {
		r.Status, r.Offsets = model.Feasible, t.offsets
	}
	return r, nil
}

// prepare reads the parameters, refuses what the planner cannot honour, and makes the problem that it works on.
func (p *planner) prepare(tl *timeline.Timeline, o plan.Options) (*task, error) {
	t := &task{tl: tl, buffers: tl.Problem.Buffers, given: tl.Problem.Buffers, opts: o, set: p.settings()}
	if err := run.Bind(p.name, &o, t.set); err != nil {
		return nil, err
	}
	round, pad := t.number("round"), t.padding()
	var sum int64
	for i := range t.buffers {
		b := &t.buffers[i]
		if b.Fixed != nil && !p.fixed {
			return nil, plan.Unsupported(p.name, "cannot honour fixed offsets: buffer "+b.ID+" has one")
		}
		if sum += bound.Up(b.Size+pad, round) + min(b.Align()-1, model.MaxSum); sum > model.MaxSum {
			return nil, plan.Unsupported(p.name,
				fmt.Sprintf("cannot take these sizes: their sum, rounded to %d, exceeds %d", round, int64(model.MaxSum)))
		}
	}
	fill := tl.HasGaps() && !p.gaps
	if round > 1 || pad > 0 || fill {
		t.remake(round, pad, fill)
	}
	return t, nil
}

// remake replaces the task's problem by one with sizes padded and rounded up and, if fill is set, without gaps.
// Buffers with fixed offsets stay as they are, since two of them may touch, or one may lie in a gap of the other.
func (t *task) remake(round, pad int64, fill bool) {
	q := *t.tl.Problem
	q.Buffers = make([]model.Buffer, len(t.buffers))
	for i := range t.buffers {
		b := t.buffers[i]
		if b.Fixed == nil {
			b.Size = bound.Up(b.Size+pad, round)
			if fill {
				b.Gaps = nil
			}
		}
		q.Buffers[i] = b
	}
	t.tl, t.buffers = timeline.New(&q), q.Buffers
}

// A param is a parameter of a planner: one of some words, the first by default, or else a whole number.
type param struct {
	name, summary          string
	words                  []string
	otherwise, least, most int64
}

// settings are the values of the parameters.
type settings []value

type value struct {
	param
	number int64
	word   string
}

func (p *planner) settings() settings {
	params := p.all()
	s := make(settings, len(params))
	for k := range s {
		s[k].param = params[k]
	}
	return s
}

// Declare lists the parameters.
func (s settings) Declare(d *run.Declaration) {
	for k := range s {
		v := &s[k]
		if v.words != nil {
			d.Choice(&v.word, v.name, v.summary, v.words...)
		} else {
			d.Int64(&v.number, v.name, v.otherwise, v.least, v.most, v.summary)
		}
	}
}

// of returns the value of a parameter, which the planner has.
func (s settings) of(name string) *value {
	return &s[slices.IndexFunc(s, func(v value) bool { return v.name == name })]
}

// number returns a parameter that is a number.
func (t *task) number(name string) int64 { return t.set.of(name).number }

// padding returns the parameter pad, 0 for a planner that has none.
func (t *task) padding() int64 {
	if k := slices.IndexFunc(t.set, func(v value) bool { return v.name == "pad" }); k >= 0 {
		return t.set[k].number
	}
	return 0
}

// choice returns the index of a parameter's word in the list of its words.
func (t *task) choice(name string) int {
	v := t.set.of(name)
	return slices.Index(v.words, v.word)
}

// attempt calls place. If a limit cuts a sort, attempt ends place by a panic, since no order is left to go on with.
func (p *planner) attempt(t *task) (err error) {
	defer func() {
		if what := recover(); what == errStopped {
			err = errStopped
		} else if what != nil {
			panic(what)
		}
	}()
	return p.place(t)
}

// finish sets the offsets if a limit came before there was a plan.
func (t *task) finish() {
	if t.best != nil {
		t.offsets = t.best
		return
	}
	if t.offsets == nil || len(t.offsets) != len(t.buffers) {
		t.offsets = make([]int64, len(t.buffers))
	}
	for i := range t.offsets {
		t.offsets[i] = -1
	}
	place.Finish(t.tl, t.offsets)
}

// enough reports whether a planner that has a plan must stop: the context has ended, or the node limit is reached. A
// node is a placed buffer.
func (t *task) enough() bool {
	return t.opts.NodeLimit > 0 && t.nodes >= t.opts.NodeLimit || t.stopped()
}

// stopped reports whether a limit has come.
func (t *task) stopped() bool { return t.watch != nil && t.watch.Over() }

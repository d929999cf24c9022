// Package agree asks planners about problems whose answer brute force knows, and reports false answers: a plan that
// breaks a rule, infeasible although a plan fits, optimal although a lower plan exists, a bound above the lowest
// height, and no answer from an exact planner without limits.
//
// An exact planner that ends at its timeout, and in time, has said nothing false. It is undecided, which is counted
// apart from the faults.
//
// Idea: a seed decides all: the problem (drawn.Wide, some with the offsets of one of their own plans pinned, a few
// drawn.Cut), the capacities at the boundary, the switches, the start, and the places where limits fall. So a fault is
// reproduced by its seed, and shrunk (shrink.go) by asking the same question again.
//
// A limit may fall at any node (Options.NodeLimit) and at any look at the context (run.EndAtLook). Then a planner may
// know less, but its answer must be true and its plan valid.
//
// Used by go run ./lab/bench/agree, and by the tests of this package on fewer seeds.
package agree

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Case is a problem with its answer.
type Case struct {
	Problem *model.Problem
	// Height is the lowest height; it counts only if Fits, which means that some plan exists.
	Height int64
	Fits   bool
	// Hard problems are of middle size: nobody need answer them.
	Hard bool

	offsets []int64 // a plan of that height
	tl      *timeline.Timeline
}

// One in cutEvery problems is of middle size. One in pinnedEvery has some offsets of its own plan fixed.
const cutEvery, pinnedEvery = 100, 8

// CaseOf returns the case of a seed.
func CaseOf(seed uint64, judge *oracle.Orders) *Case {
	state := seed ^ 0x61677265
	if splitmix.Next(&state)%cutEvery == 0 {
		in := drawn.Cut(seed)
		return &Case{
			Problem: in.Problem, Height: in.Optimum, Fits: true, Hard: true, offsets: in.Offsets, tl: timeline.New(in.Problem),
		}
	}
	p := drawn.Wide(seed)
	if splitmix.Next(&state)%pinnedEvery == 0 {
		if offsets := stacked(p); offsets != nil {
			if _, lowest, ok := judge.Lowest(p); ok && splitmix.Next(&state)%2 == 0 {
				offsets = lowest
			}
			p = drawn.Pinned(p, offsets, seed)
		}
	}
	return answered(p, judge)
}

// answered asks the oracle.
func answered(p *model.Problem, judge *oracle.Orders) *Case {
	c := &Case{Problem: p, tl: timeline.New(p)}
	height, offsets, ok := judge.Lowest(p)
	c.Height, c.Fits, c.offsets = height, ok, append([]int64(nil), offsets...)
	return c
}

// stacked returns a plan with each buffer on the one before, from high up. It returns nil if buffers are fixed, since
// the stack might meet them.
func stacked(p *model.Problem) []int64 {
	var at int64
	offsets := make([]int64, len(p.Buffers))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Fixed != nil {
			return nil
		}
		if r := at % b.Align(); r != 0 {
			at += b.Align() - r
		}
		offsets[i] = at
		at += b.Size
	}
	return offsets
}

// A Question is one call of a planner.
type Question struct {
	Planner string
	// If Limited, Capacity counts from the lowest height. If the problem has no plan, it counts from a height that is
	// enough for any problem of this size.
	Limited  bool
	Capacity int64
	Minimize bool
	Nodes    int64 // Options.NodeLimit
	Look     int64 // the look at which the context ends, less one; -1 for none
	Start    bool  // from a plan that stacks the buffers
	Without  []string
	Seed     uint64
}

// String is the question in the words of the command.
func (q Question) String() string {
	s := "--planner " + q.Planner
	if q.Limited {
		s += fmt.Sprintf(" --capacity optimum%+d", q.Capacity)
	}
	if q.Minimize {
		s += " --minimize"
	}
	if q.Nodes > 0 {
		s += fmt.Sprintf(" --nodes %d", q.Nodes)
	}
	if q.Look >= 0 {
		s += fmt.Sprintf(" (the context ends at look %d)", q.Look+1)
	}
	if q.Start {
		s += " (from a start)"
	}
	if len(q.Without) > 0 {
		s += " --without " + strings.Join(q.Without, ",")
	}
	return s + fmt.Sprintf(" --seed %d", q.Seed)
}

// unlimited reports whether nothing keeps the planner from an answer.
func (q *Question) unlimited() bool { return q.Nodes == 0 && q.Look < 0 }

// options turns the question into options; ok is false if the question makes no sense for the case.
func (q *Question) options(c *Case, patience time.Duration) (o plan.Options, ok bool) {
	o = plan.Options{Minimize: q.Minimize, NodeLimit: q.Nodes, Without: q.Without, Seed: q.Seed}
	if q.Limited {
		base := c.Height
		if !c.Fits {
			base = reach(c.Problem)
		}
		o.Capacity = base + q.Capacity
		if o.Capacity < 1 || o.Capacity > model.MaxSum {
			return o, false
		}
	}
	if q.Start {
		o.Start = stacked(c.Problem)
	}
	o.Timeout = patience
	return o, true
}

// reach is a height at which a problem has a plan if it has one at all.
func reach(p *model.Problem) int64 {
	var sum, top int64
	for i := range p.Buffers {
		b := &p.Buffers[i]
		sum += b.Size + b.Align() - 1
		if b.Fixed != nil {
			top = max(top, *b.Fixed+b.Size)
		}
	}
	return min(sum+top, model.MaxSum)
}

// Patience is how long a planner has for an answer if an Asker does not say. Some
// of the papers' planners try every offset, of which there may be 1e12.
const Patience = 10 * time.Second

// late is how long after its timeout a planner may end. It should take a tenth of
// a second, but the machine may be busy.
const late = 2 * time.Second

// undecided stands for no answer within the patience. It is no fault.
const undecided = "undecided"

// refused stands for a planner's word that it does not take such problems. It is no fault.
const refused = "refused"

// ask puts the question and returns what is false in the answer, or "". The caller says whether the planner is exact,
// because to ask the planner takes long.
func ask(p run.Planner, exact bool, c *Case, q Question, patience time.Duration) (r plan.Result, fault string) {
	if !exact {
		patience /= 10 // if nothing fits it may search on without an answer
	}
	o, ok := q.options(c, patience)
	if !ok {
		return r, ""
	}
	defer func() {
		if x := recover(); x != nil {
			fault = fmt.Sprintf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	ctx := context.Background()
	if q.Look >= 0 {
		ctx = run.EndAtLook(ctx, q.Look)
	}
	began := time.Now()
	r, err := run.Run(ctx, p, c.tl, o)
	if over := time.Since(began) - patience; over > late {
		return r, fmt.Sprintf("ended %v after its timeout", over.Round(time.Millisecond))
	}
	// Shared objects need a common multiple of two alignments within range. Without one, a heuristic refuses the
	// problem. An exact planner must take all problems that brute force can answer.
	unsupported := errors.Is(err, plan.ErrUnsupported) && !exact
	if err != nil && (unsupported || strings.Contains(err.Error(), "cannot honour") ||
		strings.Contains(err.Error(), "all off")) {
		return r, refused
	}
	if err != nil {
		return r, "error: " + err.Error()
	}
	return r, falsehood(exact, c, &q, &o, &r)
}

// mayFail has the searches, other than exact planners, that may end without a plan at a limit although any height
// will do.
var mayFail = map[string]bool{"tela": true}

// falsehood says what is false in an answer.
func falsehood(exact bool, c *Case, q *Question, o *plan.Options, r *plan.Result) string {
	fits := c.Fits && o.Fits(c.Height)
	answer := r.Status == model.Optimal || r.Status == model.Infeasible || r.Status == model.Feasible && !o.Minimizing()
	if r.Status.HasPlan() {
		if report := verify.CheckHeight(c.Problem, r.Offsets, o.Capacity, r.Height); !report.OK() {
			return "invalid plan: " + report.Violations[0].Message
		}
	} else if r.Offsets != nil {
		return fmt.Sprintf("%s, with offsets", r.Status)
	}
	switch {
	case r.Status.HasPlan() && !fits:
		return fmt.Sprintf("height %d; the oracle says that %s", r.Height, c.answer())
	case r.Status.HasPlan() && r.Height < c.Height:
		return fmt.Sprintf("height %d is under the oracle's %d", r.Height, c.Height)
	case r.Status == model.Infeasible && fits:
		return fmt.Sprintf("infeasible; it fits at %d", c.Height)
	case r.Status == model.Optimal && (r.Height != c.Height || r.LowerBound != r.Height):
		return fmt.Sprintf("optimal at %d, bound %d; the lowest is %d", r.Height, r.LowerBound, c.Height)
	case c.Fits && r.LowerBound > c.Height:
		return fmt.Sprintf("bound %d is above the lowest height, %d", r.LowerBound, c.Height)
	case r.Status == model.Infeasible && r.LowerBound <= o.Capacity:
		return fmt.Sprintf("infeasible, with a bound of %d at capacity %d", r.LowerBound, o.Capacity)
	case answer && r.Stopped != plan.Finished:
		return fmt.Sprintf("%s, but stopped by %q", r.Status, r.Stopped)
	case !answer && exact && r.Stopped == plan.Finished:
		return fmt.Sprintf("%s, but not stopped by anything", r.Status)
	case !answer && exact && q.unlimited() && !c.Hard &&
		(r.Stopped == plan.StopTimeout || q.Planner == "milp" && r.Stopped == plan.StopEffort):
		return undecided // milp counts in floating point, so it may have no proof
	case !answer && exact && q.unlimited() && !c.Hard:
		return fmt.Sprintf("no answer (%s, stopped by %q), without a limit", r.Status, r.Stopped)
	case r.Status == model.Unknown && fits && !q.Limited && (!exact && !mayFail[q.Planner] || q.Planner == "auto"):
		return "no plan, though nothing bounds the height"
	case r.Status == model.Unknown && q.Planner == "auto" && o.Start != nil && o.Fits(model.HeightOf(c.Problem, o.Start)):
		return "no plan, though the start is one"
	}
	return ""
}

func (c *Case) answer() string {
	if !c.Fits {
		return "fixed offsets collide"
	}
	return fmt.Sprintf("the lowest is %d", c.Height)
}

package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	// The planners that auto runs, and auto.
	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/beam"
	_ "github.com/stowage-go/stowage/internal/climb"
	_ "github.com/stowage-go/stowage/internal/exact"
	_ "github.com/stowage-go/stowage/internal/greedy"
	_ "github.com/stowage-go/stowage/internal/merge"
)

// Options say how a session plans. The zero value is usable.
type Options struct {
	// Capacity is the number of bytes that each plan must fit into; 0 means the problem's. If that is 0
	// too, there is none.
	Capacity int64
	// Alignment is the least alignment of each buffer, in bytes; 0 and 1 both mean no constraint.
	Alignment int64
	// Effort is the last step that a call may take. None, the zero value, means Fresh.
	Effort Step
	// Without has steps to leave out, so that their effect can be measured. Without keep, the buffers of a
	// call are placed anew even if they could stay.
	Without []Step
	// Weight returns what a byte of a buffer costs if it moves, from 0 to MaxWeight. It must always return the same for
	// the same buffer. nil means 1 for every buffer.
	Weight func(*model.Buffer) int64
	// Planner is the name of the planner of the steps window, hints and fresh; empty means auto. If it is auto, exact
	// search plans the windows.
	Planner string
	// Seed seeds the planner.
	Seed uint64
	// NodeLimit limits the planner of the steps hints and fresh in each call, in its nodes; exact search has four times as
	// many for each window. 0 means DefaultNodeLimit. The step repair has limits of its own.
	NodeLimit int64
	// Timeout limits each call; 0 means never. With a timeout the clock decides what a call finds, so
	// the same calls may give other offsets.
	Timeout time.Duration
}

// DefaultNodeLimit is Options.NodeLimit of a session without one.
const DefaultNodeLimit = 500

// MaxWeight is the largest weight of a byte.
const MaxWeight = 1 << 16

// ErrUnsupported means that a session does not take the problem: its rules have a price, or the call is about rules and
// the session has none.
var ErrUnsupported = plan.ErrUnsupported

// ErrInvalidPlan means that a step made a plan that the verifier refuses. The fault is in this package
// or in the planner. The call has changed nothing.
var ErrInvalidPlan = plan.ErrInvalidPlan

// A NoPlanError says that Open found no plan.
type NoPlanError struct {
	Answer Answer // Infeasible or Unknown
}

// Error says why there is no plan.
func (e *NoPlanError) Error() string {
	if e.Answer.Proof != nil {
		return "no plan exists: " + e.Answer.Proof.String()
	}
	return "no plan was found before the limit"
}

// A Session is a problem with a valid plan, which changes step by step. It must not be used from
// several goroutines at once.
type Session struct {
	o       Options
	planner run.Planner // of the steps hints and fresh
	windows run.Planner // of the step window

	// The buffers lie at indices without gaps. If one leaves, the last one takes its index, or with rules each later one
	// the index before.
	p        model.Problem      // the buffers and the rules, nil for none; the capacities are the session's
	at       []int64            // offset of each buffer; away during a call if it has none
	pool     []int32            // pool of each buffer; nil if there is one
	life     []life             // lifespan of each buffer, for quick scans
	number   []int64            // each buffer's number in the order of arrival
	index    map[string]int32   // index by ID
	load     load               // load over time
	bytes    int64              // sum of the sizes with alignment, which must not overflow
	next     int64              // number of the next buffer
	unpinned map[string][]int32 // with several pools: the pools that each pinned buffer may be in once it is unpinned
	named    []int32            // buffers whose rules the call changes, which it need not be about

	journal []entry // what undoes the changes since the first mark, or since the call began
	marks   []mark
	marked  int64 // marks made so far

	scratch scratch
	skip    [Fresh + 1]bool   // Options.Without
	groups  map[string]string // of a trace that opened it: the group of each buffer that has one
}

// away is the offset of a buffer that has none at the moment.
const away = -1

type life struct{ lower, upper int64 }

// never is before any life is added to it.
var never = life{math.MaxInt64, math.MinInt64}

func (l life) meets(m life) bool { return l.lower < m.upper && m.lower < l.upper }

// with returns the shortest life that has both.
func (l life) with(m life) life { return life{min(l.lower, m.lower), max(l.upper, m.upper)} }

// Open begins a session with the buffers of p. offsets is a valid plan in the order of p.Buffers; if it is
// nil, Open plans by itself: the lowest plan that the planner finds within the node limit. p is copied.
// If p has several pools, OpenPlan takes their plan.
//
// The error is a *model.InputError for bad input, ErrUnsupported for a problem whose rules have a price (rules.go), or
// a *NoPlanError.
func Open(ctx context.Context, p *model.Problem, offsets []int64, o Options) (*Session, error) {
	if offsets == nil {
		return open(ctx, p, nil, o)
	}
	return open(ctx, p, &model.Plan{Offsets: offsets}, o)
}

// open opens a session with a plan, or plans by itself if that is nil.
func open(ctx context.Context, p *model.Problem, given *model.Plan, o Options) (*Session, error) {
	s, err := newSession(p, &o)
	if err != nil {
		return nil, err
	}
	if given != nil {
		if err := s.adopt(given); err != nil {
			return nil, err
		}
	} else {
		c, done := s.begin(ctx, s.everything())
		defer done()
		a, err := c.open()
		if err != nil {
			return nil, err
		}
		if a.Status != model.Feasible {
			return nil, &NoPlanError{a}
		}
	}
	s.journal = s.journal[:0]
	return s, nil
}

// everything returns all indices.
func (s *Session) everything() []int32 {
	for r := &s.scratch; len(r.alone) < len(s.at); {
		r.alone = append(r.alone, int32(len(r.alone)))
	}
	return s.scratch.alone[:len(s.at)]
}

// adopt begins with a plan that is given.
func (s *Session) adopt(given *model.Plan) error {
	var issues model.Issues
	n := len(s.at)
	whole := len(given.Parts) == 0 && len(given.Offsets) == n
	whole = whole && (len(given.Pools) == n || given.Pools == nil && s.pool == nil)
	if s.p.Rules != nil && !whole {
		issues.Say("plan", "",
			fmt.Sprintf("must have an offset for each of the %d buffers, and a pool for each if there are several pools", n))
		return issues.Err()
	}
	p := placing{at: given.Offsets}
	if s.pool != nil {
		p.pool = given.Pools
	}
	if wrong := s.wrong(Fresh, p, nil); wrong != "" {
		issues.Say("offsets", "", wrong)
		return issues.Err()
	}
	copy(s.at, p.at)
	copy(s.pool, p.pool)
	return nil
}

// newPlanners checks the options, and returns a session without a problem. issues has what is wrong so far.
func newPlanners(o *Options) (s *Session, issues *model.Issues, err error) {
	if o.NodeLimit == 0 {
		o.NodeLimit = DefaultNodeLimit
	}
	if o.Planner == "" {
		o.Planner = "auto"
	}
	if o.Effort == None {
		o.Effort = Fresh
	}
	planner, err := run.Lookup(o.Planner)
	if err != nil {
		return nil, nil, err
	}
	issues = &model.Issues{}
	limits := plan.Options{Capacity: o.Capacity, NodeLimit: o.NodeLimit, Timeout: o.Timeout}
	issues.Join(plan.CheckOptions(planner.Info(), limits))
	if o.Alignment < 0 || o.Alignment > model.MaxSum {
		issues.Say("alignment", strconv.FormatInt(o.Alignment, 10), mustBe("none"))
	}
	s = &Session{o: *o, planner: planner, windows: planner}
	for _, step := range append([]Step{o.Effort}, o.Without...) {
		if step > Fresh {
			issues.Say("step", strconv.Itoa(int(step)), "is no step")
		}
	}
	for _, step := range o.Without {
		if step <= Fresh {
			s.skip[step] = true
		}
	}
	if o.Planner == "auto" {
		s.windows, err = run.Lookup("exact")
	}
	return s, issues, err
}

// newSession checks problem and options, and returns a session whose buffers have no offsets.
func newSession(p *model.Problem, o *Options) (*Session, error) {
	s, issues, err := newPlanners(o)
	if err != nil {
		return nil, err
	}
	if p != nil && p.Ruled() && o.Capacity != 0 && len(p.Rules.Pools) > 0 {
		issues.Say("capacity", strconv.FormatInt(o.Capacity, 10),
			"is for one pool without a name; the problem has pools with capacities of their own")
	}
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return nil, err
	}
	s.index = map[string]int32{}
	s.p = model.Problem{Name: p.Name, Capacity: p.CapacityOr(o.Capacity), Rules: ownRules(p.Rules)}
	if len(p.AllPools()) > 1 {
		s.pool = []int32{}
	}
	for i := range p.Buffers {
		b := aligned(copied(p.Buffers[i]), o)
		issues.Join(s.checkOne(&b))
		if err := s.checkSum(&b, 0); err != nil {
			issues.Join(err)
			break
		}
		s.insert(b)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return s, s.checkRules()
}

// mostBytes is the largest sum of the sizes of a session, each with its alignment. It is also the
// largest end of a pinned buffer. So nothing overflows.
const mostBytes = model.MaxSum / 2

const tooMuch = "makes the sum of the aligned sizes too large for a session"

// need is what a buffer adds to the sum of the aligned sizes.
func need(b *model.Buffer) int64 { return b.Size + min(b.Align()-1, mostBytes) }

// aligned returns b with the alignment of the session. It leaves an alignment that is none, or that has no common
// multiple with the session's: suits refuses it.
func aligned(b model.Buffer, o *Options) model.Buffer {
	if o.Alignment > 1 && b.Alignment >= 0 {
		if both := bound.LCM(b.Align(), o.Alignment, model.MaxSum); both > 0 {
			b.Alignment = both
		}
	}
	return b
}

// checkOne returns what is wrong with a buffer by itself. With rules the whole problem is checked once it is edited:
// checkRules.
func (s *Session) checkOne(b *model.Buffer) error {
	if s.p.Rules != nil {
		return nil
	}
	if b.Extra != nil {
		return fmt.Errorf("%w: buffer %s has rules, and the session was opened without", ErrUnsupported, strconv.Quote(b.ID))
	}
	if err := model.Validate(&model.Problem{Buffers: []model.Buffer{*b}}); err != nil {
		return err
	}
	return s.o.suits(b)
}

// checkSum returns that a buffer makes the sum of the aligned sizes too large, if it takes the place of one that adds
// less to it.
func (s *Session) checkSum(b *model.Buffer, less int64) error {
	if s.p.Rules == nil && s.bytes-less+need(b) > mostBytes {
		return fault(b.ID, "size", b.Size, tooMuch)
	}
	return nil
}

// suits returns what is wrong with a valid buffer for a session of these options: its pin, its alignment or its weight.
func (o *Options) suits(b *model.Buffer) error {
	if b.Fixed != nil && *b.Fixed > mostBytes-b.Size {
		return fault(b.ID, "offset", *b.Fixed, "is too large for a session")
	}
	if o.Alignment > 1 && b.Align()%o.Alignment != 0 {
		return fault(b.ID, "alignment", b.Alignment, fmt.Sprintf(
			"the least common multiple with the alignment %d of the session exceeds %d", o.Alignment, int64(model.MaxSum)))
	}
	if o.Weight != nil {
		if w := o.Weight(b); w < 0 || w > MaxWeight {
			return fault(b.ID, "weight", w, fmt.Sprintf("must be from 0 to %d", MaxWeight))
		}
	}
	return nil
}

// fault returns an input error about one buffer.
func fault(id, field string, value int64, message string) error {
	return model.Issue{Buffer: id, Field: field, Value: strconv.FormatInt(value, 10), Message: message}.Err()
}

// mustBe says what a capacity or a height may be, and what 0 is for.
func mustBe(zero string) string {
	return fmt.Sprintf("must be from 1 to %d, or 0 for %s", int64(model.MaxSum), zero)
}

// unknown returns the error for a buffer that the session does not have.
func unknown(id string) error {
	return model.Issue{Field: "id", Value: id, Message: "is not in the session"}.Err()
}

// Snapshot returns the problem and its plan, in the order in which the buffers arrived. Both are copies.
func (s *Session) Snapshot() (*model.Problem, *model.Plan) {
	order := slices.Clone(s.everything())
	slices.SortFunc(order, func(i, j int32) int { return int(s.number[i] - s.number[j]) })
	p := &model.Problem{Name: s.p.Name, Capacity: s.p.Capacity, Rules: ownRules(s.p.Rules)}
	plan := &model.Plan{Offsets: make([]int64, len(order)), Height: s.Height()}
	if s.pool != nil {
		plan.Pools = make([]int32, len(order))
	}
	for k, i := range order {
		p.Buffers = append(p.Buffers, copied(s.p.Buffers[i]))
		plan.Offsets[k] = s.at[i]
		if s.pool != nil {
			plan.Pools[k] = s.pool[i]
		}
	}
	return p, plan
}

// Len returns the number of buffers.
func (s *Session) Len() int { return len(s.at) }

// Capacity returns the number of bytes that each plan fits into, or 0 if there is no limit or there are several pools.
func (s *Session) Capacity() int64 {
	if s.pool != nil {
		return 0
	}
	return *s.capacityOf(0)
}

// Height returns the height of the plan: the largest offset + size, or the sum of these over pools. It takes O(n).
func (s *Session) Height() int64 { return s.heightOf(placing{s.at, s.pool}) }

func (s *Session) heightOf(p placing) int64 {
	if p.pool == nil {
		return model.HeightOf(&s.p, p.at)
	}
	return model.ValueOf(model.MeasuresOf(&s.p, p.plan()), model.MeasureHeight)
}

// Peak returns the largest load, and a time at which it is reached. It takes O(log n). No plan is lower than the load
// of all buffers, but rules may let one stay below it.
func (s *Session) Peak() (bytes, time int64) { return s.load.peak() }

// Buffer returns a buffer and its offset by its ID. ok is false if the session has no such buffer.
func (s *Session) Buffer(id string) (b model.Buffer, offset int64, ok bool) {
	i, ok := s.index[id]
	if !ok {
		return model.Buffer{}, 0, false
	}
	return copied(s.p.Buffers[i]), s.at[i], true
}

// poolOf returns the pool of a buffer.
func (s *Session) poolOf(i int32) int32 { return placing{pool: s.pool}.in(i) }

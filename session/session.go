package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"

	// The planners that auto runs, and auto.
	_ "github.com/stowage-go/stowage/internal/auto"
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
	// Weight returns what a byte of a buffer costs if it moves, from 0 to MaxWeight. It must always return the same for the
	// same buffer. nil means 1 for every buffer.
	Weight func(*model.Buffer) int64
	// Planner is the name of the planner of the steps window, hints and fresh; empty means auto. If it is auto, exact search
	// plans the windows.
	Planner string
	// Seed seeds the planner.
	Seed uint64
	// NodeLimit limits the planner of the steps hints and fresh in each call, in its nodes; exact search has four times as many
	// for each window. 0 means DefaultNodeLimit. The step repair has limits of its own.
	NodeLimit int64
	// Timeout limits each call; 0 means never. With a timeout the clock decides what a call finds, so
	// the same calls may give other offsets.
	Timeout time.Duration
}

// DefaultNodeLimit is Options.NodeLimit of a session without one.
const DefaultNodeLimit = 500

// MaxWeight is the largest weight of a byte.
const MaxWeight = 1 << 16

// ErrUnsupported means that a session does not take the problem: its rules have a price, or the call is about rules and the session has
// none.
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

	// The buffers lie at indices without gaps. If one leaves, the last one takes its index.
	p      model.Problem    // the buffers; Capacity is the session's
	at     []int64          // offset of each buffer; away during a call if it has none
	life   []life           // lifespan of each buffer, for quick scans
	number []int64          // each buffer's number in the order of arrival
	index  map[string]int32 // index by ID
	load   load             // load over time
	bytes  int64            // sum of the sizes with alignment, which must not overflow
	next   int64            // number of the next buffer

	journal []entry // what undoes the changes since the first mark, or since the call began
	marks   []mark
	marked  int64 // marks made so far

	scratch scratch
	skip    [Fresh + 1]bool // Options.Without

	ruled *ruled // of a problem with rules; all of the above but options, planners and skip is then unused
}

// away is the offset of a buffer that has none at the moment.
const away = -1

type life struct{ lower, upper int64 }

// Open begins a session with the buffers of p. offsets is a valid plan in the order of p.Buffers; if it is
// nil, Open plans by itself: the lowest plan that the planner finds within the node limit. p is copied.
// If p has several pools, OpenPlan takes their plan.
//
// The error is a *model.InputError for bad input, ErrUnsupported for a problem whose rules have a price (rules.go), or a
// *NoPlanError.
func Open(ctx context.Context, p *model.Problem, offsets []int64, o Options) (*Session, error) {
	if p != nil && p.Ruled() {
		if offsets == nil {
			return openRuled(ctx, p, nil, o)
		}
		return openRuled(ctx, p, &model.Plan{Offsets: offsets}, o)
	}
	s, err := newSession(p, &o)
	if err != nil {
		return nil, err
	}
	all := make([]int32, len(p.Buffers))
	for i := range p.Buffers {
		b := p.Buffers[i]
		b.Gaps = slices.Clone(b.Gaps)
		s.insert(s.aligned(b))
		all[i] = int32(i)
	}
	if offsets != nil {
		if fault := verify.First(&s.p, offsets, s.p.Capacity, -1); fault != "" {
			var issues model.Issues
			issues.Say("offsets", "", fault)
			return nil, issues.Err()
		}
		copy(s.at, offsets)
	} else {
		c, done := s.begin(ctx, all)
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
	issues.Join(plan.CheckOptions(planner.Info(), plan.Options{Capacity: o.Capacity, NodeLimit: o.NodeLimit, Timeout: o.Timeout}))
	if o.Alignment < 0 || o.Alignment > model.MaxSum {
		issues.Say("alignment", strconv.FormatInt(o.Alignment, 10), "must be from 1 to "+strconv.FormatInt(model.MaxSum, 10)+", or 0 for none")
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

// newSession checks problem and options, and returns a session without buffers.
func newSession(p *model.Problem, o *Options) (*Session, error) {
	s, issues, err := newPlanners(o)
	if err != nil {
		return nil, err
	}
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return nil, err
	}
	s.index = map[string]int32{}
	s.p = model.Problem{Name: p.Name, Capacity: p.CapacityOr(o.Capacity)}
	var room int64
	for i := range p.Buffers {
		b := s.aligned(p.Buffers[i])
		if err := s.check(&b); err != nil {
			issues.Join(err)
		}
		if room += need(&b); room > mostBytes {
			issues.Add(model.Issue{Buffer: b.ID, Field: "size", Value: strconv.FormatInt(b.Size, 10), Message: tooMuch})
			break
		}
	}
	return s, issues.Err()
}

// mostBytes is the largest sum of the sizes of a session, each with its alignment. It is also the
// largest end of a pinned buffer. So nothing overflows.
const mostBytes = model.MaxSum / 2

const tooMuch = "makes the sum of the aligned sizes too large for a session"

// need is what a buffer adds to the sum of the aligned sizes.
func need(b *model.Buffer) int64 { return b.Size + min(b.Align()-1, mostBytes) }

// aligned returns b with the alignment of the session.
func (s *Session) aligned(b model.Buffer) model.Buffer { return aligned(b, &s.o) }

// aligned leaves an alignment that is none, or that has no common multiple with the session's: suits refuses it.
func aligned(b model.Buffer, o *Options) model.Buffer {
	if o.Alignment > 1 && b.Alignment >= 0 {
		if both := bound.LCM(b.Align(), o.Alignment, model.MaxSum); both > 0 {
			b.Alignment = both
		}
	}
	return b
}

// check returns what is wrong with a buffer by itself.
func (s *Session) check(b *model.Buffer) error {
	if b.Extra != nil {
		return fmt.Errorf("%w: buffer %s has rules, and the session was opened without", ErrUnsupported, strconv.Quote(b.ID))
	}
	if err := model.Validate(&model.Problem{Buffers: []model.Buffer{*b}}); err != nil {
		return err
	}
	if b.Fixed != nil && *b.Fixed > mostBytes-b.Size {
		return fault(b.ID, "offset", *b.Fixed, "is too large for a session")
	}
	return s.o.suits(b)
}

// suits returns what is wrong with a valid buffer for these options: its alignment or its weight.
func (o *Options) suits(b *model.Buffer) error {
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
	var issues model.Issues
	issues.Add(model.Issue{Buffer: id, Field: field, Value: strconv.FormatInt(value, 10), Message: message})
	return issues.Err()
}

// unknown returns the error for a buffer that the session does not have.
func unknown(id string) error {
	var issues model.Issues
	issues.Add(model.Issue{Field: "id", Value: id, Message: "is not in the session"})
	return issues.Err()
}

// Snapshot returns the problem and its plan, in the order in which the buffers arrived. Both are copies.
func (s *Session) Snapshot() (*model.Problem, *model.Plan) {
	if s.ruled != nil {
		return s.ruled.snapshot()
	}
	order := make([]int32, len(s.at))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return int(s.number[i] - s.number[j]) })
	p := &model.Problem{Name: s.p.Name, Capacity: s.p.Capacity}
	offsets := make([]int64, len(order))
	for k, i := range order {
		b := s.p.Buffers[i]
		b.Gaps = slices.Clone(b.Gaps)
		p.Buffers = append(p.Buffers, b)
		offsets[k] = s.at[i]
	}
	return p, &model.Plan{Offsets: offsets, Height: model.HeightOf(p, offsets)}
}

// Len returns the number of buffers.
func (s *Session) Len() int {
	if s.ruled != nil {
		return len(s.ruled.at)
	}
	return len(s.at)
}

// Capacity returns the number of bytes that each plan fits into, or 0 if there is no limit or there are several pools.
func (s *Session) Capacity() int64 {
	if s.ruled != nil {
		return s.ruled.capacity()
	}
	return s.p.Capacity
}

// Height returns the height of the plan: the largest offset + size, or the sum of these over pools. It takes O(n).
func (s *Session) Height() int64 {
	if s.ruled != nil {
		return s.ruled.height()
	}
	return model.HeightOf(&s.p, s.at)
}

// Peak returns the largest load, and a time at which it is reached. No plan is lower than the load. It takes
// O(log n). With rules it is the load of all buffers, below which rules may let a plan stay, and takes O(n log n).
func (s *Session) Peak() (bytes, time int64) {
	if s.ruled != nil {
		return s.ruled.peak()
	}
	return s.load.peak()
}

// Buffer returns a buffer and its offset by its ID. ok is false if the session has no such buffer.
func (s *Session) Buffer(id string) (b model.Buffer, offset int64, ok bool) {
	if s.ruled != nil {
		i := s.ruled.find(id)
		if i < 0 {
			return model.Buffer{}, 0, false
		}
		return copied(s.ruled.p.Buffers[i]), s.ruled.at[i], true
	}
	i, ok := s.index[id]
	if !ok {
		return model.Buffer{}, 0, false
	}
	b = s.p.Buffers[i]
	b.Gaps = slices.Clone(b.Gaps)
	return b, s.at[i], true
}

// isInvalid says that a plan was refused by the verifier.
func isInvalid(err error) bool { return errors.Is(err, ErrInvalidPlan) }

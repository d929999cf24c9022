package stowage

// This file has the questions other than "what is a plan?": which capacities are enough (Size), why nothing fits
// (Explain), a proof of that (Certify), and which buffers must wait for others (Barriers).

import (
	"context"
	"fmt"
	"io"

	"github.com/stowage-go/stowage/internal/barrier"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/certify"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Sizing says which capacities are enough for a problem.
type Sizing struct {
	// Bounds has the lower bound and the height of the plan, in bytes. Its method Fits answers every capacity.
	plan.Bounds
	// Result is the run that found this out, with the same Status, LowerBound and Height. If it
	// has a plan, that plan fits every capacity from Height up.
	Result *Result
}

// Size finds which capacities are enough for p: the least one, with a proof, if no limit comes first. It takes as long
// as Minimize. The capacities of p and o do not count. A problem with rules is refused (ErrUnsupported).
//
//	s, err := stowage.Size(ctx, p, stowage.Options{Timeout: time.Second})
//	switch s.Fits(512 << 10) {
//	case stowage.Feasible:   // s.Result.Offsets fit
//	case stowage.Infeasible: // proven: no plan fits
//	default:                 // a limit came first; s.LowerBound <= the least capacity <= s.Height
//	}
//
// LowerBound may be above Minimize's, because Size rounds it up to a height that sums of sizes can reach: if all
// sizes are multiples of 64, so is the least height. A heuristic, such as first-fit, proves little more than the
// load; plan.Bounds.Join adds up what several planners have shown, and plan.CurveAt counts many problems.
//
// The error is an *InputError or one of those that Solve has.
func Size(ctx context.Context, p *Problem, o Options) (*Sizing, error) {
	o.Capacity = 0
	if p != nil {
		free := *p
		free.Capacity = 0
		p = &free
	}
	if p != nil && p.Ruled() {
		return nil, noRules("Size does not take")
	}
	r, err := Minimize(ctx, p, o)
	if err != nil {
		return nil, err
	}
	known, err := plan.BoundsOf(r).Join(plan.Bounds{LowerBound: bound.Up(r.LowerBound, bound.Step(p))})
	if err != nil {
		return nil, plan.Invalid(r.Planner, err.Error())
	}
	r.LowerBound = known.LowerBound
	if known.Status == Optimal && r.Status != Optimal {
		r.Status, r.ProvedBy, r.Stopped = Optimal, run.Bound, Finished
	}
	return &Sizing{Bounds: known, Result: r}, nil
}

// Explain finds an irreducible set of buffers that cannot fit the capacity: without any
// one of them, the others fit. The capacity is o.Capacity, or p.Capacity if that is 0.
// Another irreducible set may have fewer buffers (see ExplainSmallest). If the problem is
// feasible, or a limit comes before an answer, the Status of the explanation says so.
//
// o.Timeout limits the whole call; o.NodeLimit limits each run of the planner. Without a capacity, a problem is
// infeasible only if two fixed offsets collide. If none do, the error is ErrNoCapacity.
//
// A problem with rules needs no capacity: its pools have theirs. Explanation.Reason then names the pools and the rules.
func Explain(ctx context.Context, p *Problem, o Options) (*Explanation, error) {
	planner, err := prepare(ctx, p, &o, &run.Clock{})
	if err != nil {
		return nil, err
	}
	if p.Ruled() {
		return explain.Ruled(ctx, within(p, &o), o, func(ctx context.Context, p *Problem, o Options) (Result, error) {
			return ruled.Solve(ctx, p, planner, o)
		})
	}
	return explain.Irreducible(ctx, p, planner, o)
}

// ExplainSmallest is Explain for the smallest set: the fewest buffers that cannot fit the capacity together. This takes
// longer, exponentially so in the worst case. If a limit comes first, Explanation.Smallest is false, Buffers is the
// smallest set found so far, and every such set has at least AtLeast buffers. o.NodeLimit limits each run of the
// planner.
func ExplainSmallest(ctx context.Context, p *Problem, o Options) (*Explanation, error) {
	planner, err := prepare(ctx, p, &o, &run.Clock{})
	if err != nil {
		return nil, err
	}
	if p.Ruled() {
		return nil, noRules("ExplainSmallest does not take")
	}
	return explain.Smallest(ctx, p, planner, o)
}

// A Certificate proves that no plan of a problem fits a capacity. VerifyCertificate checks
// it and uses no code of the planners. docs/certificates.md describes the file format.
type Certificate struct {
	// Capacity is a number of bytes: no plan of the problem fits into it.
	Capacity int64
	// Buffers has the buffers that the proof uses, as indices into Problem.Buffers: they alone cannot fit the capacity.
	Buffers []int
	// Cases is the number of cases that the proof distinguishes. It is 1 if the sizes of
	// the buffers of one moment already add up to more than the capacity.
	Cases int

	made *certify.Certificate
}

// Write writes the certificate to w in the format of docs/certificates.md. The error is w's.
func (c *Certificate) Write(w io.Writer) error { return c.made.Write(w) }

// Certify makes a certificate that no plan of p fits the capacity, which is o.Capacity,
// or p.Capacity if that is 0. To prove that a plan is the lowest, certify the capacity
// one below its height. To prove a lower bound, certify the capacity one below the bound.
//
// The error is ErrNoCapacity without a capacity. It is ErrNoCertificate if a plan fits, if a limit of o or ctx came
// first, or if the proof needs the windows of gaps, which the format cannot express.
//
// Certify uses only Capacity, Timeout, NodeLimit and Seed of o. Timeout covers only the search.
func Certify(ctx context.Context, p *Problem, o Options) (*Certificate, error) {
	o = Options{Planner: "exact", Capacity: o.Capacity, NodeLimit: o.NodeLimit, Timeout: o.Timeout, Seed: o.Seed}
	if _, err := prepare(ctx, p, &o, &run.Clock{}); err != nil {
		return nil, err
	}
	if p.Ruled() {
		return nil, noRules("Certify does not take")
	}
	if o.Capacity == 0 {
		return nil, ErrNoCapacity
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	c, err := certify.Make(ctx, p, o.Capacity, o)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf("%w for a capacity of %d: a plan fits, a limit came first, or the proof needs the "+
			"windows of gaps", ErrNoCertificate, o.Capacity)
	}
	made := &Certificate{Capacity: c.Capacity, Cases: c.Cases(), made: c}
	for _, i := range c.Buffers {
		made.Buffers = append(made.Buffers, int(i))
	}
	return made, nil
}

// VerifyCertificate reads a certificate from r and checks it against p. It returns the capacity in bytes that the
// certificate is about: no plan of p fits it, so every plan is at least one byte higher. The error is an *InputError if
// the problem is nil or bad, or r is nil. Any other error says what is wrong with the certificate, or is r's.
//
// VerifyCertificate uses no code of the planners.
func VerifyCertificate(p *Problem, r io.Reader) (capacity int64, err error) {
	var issues model.Issues
	if r == nil {
		issues.Say("", "", "there is no certificate: its reader is nil")
	}
	issues.Join(model.Validate(p))
	if err := issues.Err(); err != nil {
		return 0, err
	}
	if p.Ruled() {
		return 0, noRules("VerifyCertificate does not take")
	}
	return verify.Certificate(p, r)
}

// Barriers lists what a plan makes a program wait for: for each buffer those whose bytes it takes over. It is the least
// such list: if a chain of other waits, or of uses of one buffer, already makes a buffer wait for another, the pair is
// left out. The waits are sorted by Buffer, At and For. docs/barriers.md has an example.
//
//	for _, w := range waits {
//		// p.Buffers[w.Buffer] must not begin before p.Buffers[w.For] has ended.
//	}
//
// plan.Height does not count. The error is an *InputError if the problem is nil or bad, or the plan breaks
// one of its rules. A capacity of the problem counts.
func Barriers(p *Problem, plan *Plan) ([]Wait, error) {
	var issues model.Issues
	issues.Join(model.Validate(p))
	if plan == nil {
		issues.Say("plan", "", "there is no plan: it is nil")
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	made := *plan
	made.Height = -1
	var report *model.Report
	if p.Ruled() {
		report = verify.CheckPlan(p, &made)
	} else {
		report = verify.Check(p, plan.Offsets, p.Capacity)
	}
	if !report.OK() {
		more := ""
		if n := report.Total - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more faults)", n)
		}
		issues.Say("plan", "", report.Violations[0].Message+more)
		return nil, issues.Err()
	}
	return barrier.Of(p, &made), nil
}

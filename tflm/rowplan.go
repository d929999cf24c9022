package tflm

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: tela finds plans of bodies (bandplan.go) that auto does not find. A window moves through its body while others
// are in use beside it, and the constraint engine of tela sees at once what a place forbids. It answers the question
// whether a capacity is enough, and an answer "yes" mostly takes a few placements for each buffer. So the head is found
// by questions:
//
//	high   the head of the lowest plan so far
//	floor  no plan was found, or none is, below
//
//	first  is the most that is of use enough? A choice of strips that is not better than the best one ends here.
//	then   is floor + (high - floor)/2 enough? A "yes" lowers high, a "no" or a limit of steps raises floor.
//
// The last plan of a splitting has another try by auto, which starts from it and can prove that it is the lowest.
//
// Invariant: high never rises. The bound of the result is proven, floor is not.
//
// Complexity: O(log(height)) questions, of at most so many steps each.
//
// Trials: docs/lab/tflm.md.

// A rowSearch says how the plan of bodies is looked for. The zero value is for a plan that nobody chooses among others.
type rowSearch struct {
	steps  int64           // of each question; 0 means rowSteps
	noes   int             // so many questions without a plan end the search; 0 means rowNoes
	within int64           // a larger head is of no use; 0 if each is
	start  *stowage.Result // a plan of the same problem; nil for none
	only   bool            // auto does not run if there is a plan, or if none is of use
}

// The defaults of a rowSearch.
const (
	rowSteps = 50_000
	rowNoes  = 8
)

// search plans the bodies. Without a plan within the limit the result has none.
func (r *rowProblem) search(ctx context.Context, run stowage.Options, s rowSearch) (*stowage.Result, error) {
	began := time.Now()
	best, err := r.descend(ctx, run, s)
	switch many := errors.Is(err, stowage.ErrUnsupported); {
	case err != nil && !many:
		return nil, err
	case !many && (best.Status == stowage.Optimal || s.only && (best.Status.HasPlan() || s.within > 0)):
		return best, nil
	}
	run.Planner, run.Start, run.Minimize, run.Capacity = "", nil, true, s.within
	if best.Status.HasPlan() {
		run.Start = best.Offsets
	}
	if run.Timeout > 0 {
		run.Timeout = max(run.Timeout-time.Since(began), 20*time.Millisecond)
	}
	made, err := stowage.Solve(ctx, r.problem, run)
	if err != nil || !made.Status.HasPlan() || best.Status.HasPlan() && made.Height > best.Height {
		return best, err
	}
	if made.LowerBound = max(made.LowerBound, best.LowerBound); made.Height <= made.LowerBound {
		made.Status = stowage.Optimal
	}
	return made, nil
}

// descend asks for lower and lower heads. The error is ErrUnsupported if there are too many pairs of buffers for tela;
// the result may have a plan even then.
func (r *rowProblem) descend(ctx context.Context, run stowage.Options, s rowSearch) (*stowage.Result, error) {
	best := &stowage.Result{Status: stowage.Unknown}
	s.steps, s.noes = cmp.Or(s.steps, rowSteps), cmp.Or(s.noes, rowNoes)
	if run.NodeLimit > 0 {
		s.steps = min(s.steps, run.NodeLimit)
	}
	ask := stowage.Options{Planner: "tela", NodeLimit: s.steps, Seed: run.Seed, Capacity: s.within}
	if run.Timeout > 0 { // auto has the rest
		limited, end := context.WithTimeout(ctx, run.Timeout/2)
		defer end()
		ctx = limited
	}
	bound, floor := int64(0), int64(0)
	switch {
	case s.start != nil:
		best, bound = s.start, s.start.LowerBound
		ask.Capacity = bound + (best.Height-bound)/2
	case s.within == 0:
		for k := range r.problem.Buffers { // all on top of one another
			ask.Capacity += tflite.RoundUp(r.problem.Buffers[k].Size)
		}
	}
	for no := 0; no < s.noes && best.Status != stowage.Optimal && ctx.Err() == nil; {
		made, err := stowage.Solve(ctx, r.problem, ask)
		if err != nil {
			return best, err
		}
		if bound = max(bound, made.LowerBound); made.Status.HasPlan() {
			best = made
		} else if no++; best.Offsets == nil {
			break
		} else {
			floor = ask.Capacity + 1
		}
		if floor = max(floor, bound); best.Height <= floor {
			break
		}
		ask.Capacity = floor + (best.Height-floor)/2
	}
	out := *best
	if out.LowerBound = bound; out.Offsets != nil && out.Height <= bound {
		out.Status = stowage.Optimal
	}
	return &out, nil
}

// inRows replaces the plan by one in which blocks lie in place, if its head is smaller.
func (p *Plan) inRows(ctx context.Context, o *Options, began time.Time) error {
	var permits []permit
	switch {
	case o.Kernels != "":
		permits, _ = ordered(p.Model, p.Life, o.Kernels)
	case o.InPlace:
		permits = inPlacePermits(p.Model)
	}
	if !hasCopies(p.Model) {
		return nil
	}
	r := rows(p.Model, p.Life, p.Arena, permits)
	if r == nil {
		return nil
	}
	run := o.Solve
	if run.Timeout > 0 {
		run.Timeout = max(run.Timeout-time.Since(began), 20*time.Millisecond)
	}
	made, err := r.search(ctx, run, o.rows)
	if err != nil || !made.Status.HasPlan() {
		return err
	}
	offsets := slices.Repeat([]int32{tflite.Online}, len(p.Model.Tensors))
	for k, t := range p.Arena.Tensor {
		at := made.Offsets[r.buffer[k]] + r.at[k]
		if t >= 0 && at > maxOffset {
			return nil
		} else if t >= 0 {
			offsets[t] = int32(at)
		}
	}
	pinned := *p.Model
	pinned.Offline = &tflite.Offline{Count: int32(len(offsets)), Offsets: offsets, Entries: 1}
	v, err := CheckFor(&pinned, CheckOptions{Kernels: o.Kernels, Set: o.Set})
	if err != nil {
		return err
	}
	if !v.OK() {
		return errors.New("tflm: the plan is faulty: " + v.Findings[slices.IndexFunc(v.Findings, func(f Finding) bool {
			return f.Severity == Fault
		})].Message)
	}
	head, placed, taken, err := followed(ctx, &pinned, p.Life, p.Arena)
	if err != nil || p.Offsets != nil && head >= p.Head {
		return err
	}
	overlays := overlaysOf(p.Model, offsets, permits)
	if o.Kernels == "" {
		overlays = nil
		if worse, err := p.judgeRows(ctx, &pinned); err != nil || worse && !o.Named {
			return err
		}
	}
	result := *made
	result.Offsets, result.Height = placed, head
	result.LowerBound = min(result.LowerBound, slices.Max(r.least))
	if result.Status = stowage.Feasible; head <= result.LowerBound {
		result.Status = stowage.Optimal
	}
	p.Result, p.Rows, p.rowOffsets, p.planned = &result, r.problem, made.Offsets, made
	p.United, p.In, p.lowered = p.Arena.Problem, make([]int, len(p.Arena.Tensor)), nil
	for k := range p.In {
		p.In[k] = k
	}
	if len(overlays) > 0 {
		p.Kernels = o.Kernels
	}
	p.Overlays, p.Occupied, p.Head, p.Offsets, p.Placed = overlays, taken, head, offsets, placed
	return nil
}

// compare compares a plan with other kernels, if it was made alone.
func (p *Plan) compare(ctx context.Context, bars map[Set]int64) (err error) {
	if p.rivals != nil {
		return nil
	}
	if p.rivals, err = p.rivalsOf(ctx); err != nil {
		return err
	}
	p.raise(bars)
	pinned := *p.Model
	pinned.Offline = &tflite.Offline{Count: int32(len(p.Offsets)), Offsets: p.Offsets, Entries: 1}
	_, err = p.judgeRows(ctx, &pinned)
	return err
}

// judgeRows notes the head of a plan with the scratch of each known set. It reports whether it is larger than the
// runtime's own with any of them.
func (p *Plan) judgeRows(ctx context.Context, pinned *tflite.Model) (worse bool, err error) {
	for k := range p.rivals {
		r := &p.rivals[k]
		if r.Head, _, _, err = followed(ctx, pinned, p.Life, r.arena); err != nil {
			return false, err
		}
		worse = worse || r.Head > r.bar()
	}
	return worse, nil
}

// inPlacePermits returns the permits of operators that work in place.
func inPlacePermits(m *tflite.Model) (out []permit) {
	for k := range m.Operators {
		o := &m.Operators[k]
		if !inPlace[o.Name()] || len(o.Outputs) != 1 || o.Outputs[0] < 0 {
			continue
		}
		operands, y := o.Inputs, &m.Tensors[o.Outputs[0]]
		if oneOperand[o.Name()] && len(operands) > 1 {
			operands = operands[:1]
		}
		for _, t := range operands {
			if t >= 0 && m.Tensors[t].Arena() && m.Tensors[t].Bytes == y.Bytes && m.Tensors[t].Type == y.Type {
				out = append(out, permit{operator: k, result: int(o.Outputs[0]), operand: int(t), equal: true})
			}
		}
	}
	return out
}

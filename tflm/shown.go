package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Idea: a picture marks bytes that are in use twice as a fault. In some plans tensors share bytes on purpose, so the
// picture shows each byte once:
//
//   - Buffers inside a window are left out as long as the window lives.
//   - A tensor ends where another takes over its bytes.
//   - A tensor that another one covers, and that begins together with it, begins after it.
//
// The result is only for pictures. As a problem it would be wrong, since each tensor is needed to the end of its life.
//
// In a plan for a library of kernels each tensor has the bytes that it needs at each moment, as in the planner: an
// operand is there in part while its result is. Coverings says which bytes are still in two tensors.
//
// Complexity: a check of the plan for each round. A round resolves the pairs that the check before it named. After
// some rounds the rest is shown as it is.

// maxRounds is how often pairs are settled.
const maxRounds = 16

// Shown returns the arena's buffers with their offsets as a picture is to show them. They
// are those of Arena.Problem and Placed, unless the plan has tensors that share bytes.
func (p *Plan) Shown() (*model.Problem, []int64) {
	if p.lowered != nil {
		return p.United, p.shownOffsets()
	}
	if p.Rows != nil {
		return p.Rows, p.rowOffsets
	}
	buffers, offsets := slices.Clone(p.Arena.Problem.Buffers), slices.Clone(p.Placed)
	if p.Kept {
		p.behindWindows(buffers, offsets)
	}
	for range maxRounds {
		q := &model.Problem{Name: p.Arena.Problem.Name}
		var at []int64
		var from []int
		for k := range buffers {
			if buffers[k].Lower < buffers[k].Upper {
				q.Buffers, at, from = append(q.Buffers, buffers[k]), append(at, offsets[k]), append(from, k)
			}
		}
		report := verify.Check(q, at, 0)
		if len(report.Violations) == 0 {
			return q, at
		}
		for _, v := range report.Violations {
			if v.Rule != model.RuleOverlap {
				return p.Arena.Problem, p.Placed
			}
			a, b := &buffers[from[v.A]], &buffers[from[v.B]]
			if a.Lower > b.Lower || a.Lower == b.Lower && a.Size < b.Size {
				a, b = b, a
			}
			switch { // unless a pair before has settled it
			case a.Upper <= b.Lower:
			case a.Lower < b.Lower:
				a.Upper = b.Lower
			default:
				b.Lower = min(a.Upper, b.Upper)
			}
		}
	}
	return p.Arena.Problem, p.Placed
}

// shownOffsets returns the offsets of the buffers of United.
func (p *Plan) shownOffsets() []int64 {
	offsets := make([]int64, len(p.United.Buffers))
	for k, in := range p.In {
		offsets[in] = p.Placed[k]
	}
	return offsets
}

// A Covering is a result that an operator writes over one of its operands.
type Covering struct {
	Result, Operand int   // indices into the buffers of Shown
	Lower, Upper    int64 // the time of the operator there, half-open
}

// Coverings returns which results lie over operands, for a picture of what Shown returns. It is nil if
// the plan assumes no library of kernels.
func (p *Plan) Coverings() (out []Covering) {
	if p.lowered == nil {
		return nil
	}
	buffer := map[int]int{} // by tensor
	for k, t := range p.Arena.Tensor {
		if t >= 0 {
			buffer[t] = p.In[k]
		}
	}
	for _, o := range p.Overlays {
		at := p.Life.Operators[o.Operator].First + 1
		out = append(out, Covering{buffer[o.Result], buffer[o.Operand], p.lowered.Start[at], p.lowered.End[at]})
	}
	return out
}

// behindWindows takes out of lifespans the time at which a window covers the buffer.
func (p *Plan) behindWindows(buffers []model.Buffer, offsets []int64) {
	s := newSharing(p.Model, p.Life)
	for k := range buffers {
		b := &buffers[k]
		for j, t := range p.Arena.Tensor {
			w := &p.Arena.Problem.Buffers[j]
			if j == k || t < 0 || !slices.Contains(s.windows, t) || offsets[k] < offsets[j] ||
				offsets[k]+b.Size > offsets[j]+w.Size {
				continue
			}
			if twin := slices.Contains(s.windows, p.Arena.Tensor[k]) && b.Size == w.Size; twin && k < j {
				continue // of two windows in one place the first is shown
			}
			b.Lower = min(max(b.Lower, w.Upper), b.Upper)
		}
	}
}

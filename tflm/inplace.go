package tflm

import (
	"context"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: some operators may write their result over an operand that dies there. RESHAPE's bytes are the operand's, and
// its kernel skips the copy if both are at one place. An element-wise kernel reads each element before it writes the
// same one. Such a pair is planned as one buffer that lives from the operand's beginning to the result's end.
//
// Invariant: the tensors of a group have equal sizes and live one after the
// other, each sharing with the next only the tick of the operator between them.
//
// Whether this lowers an arena depends on the peak. If the peak is the input and output of a convolution, it gains
// nothing. If the peak is an activation or an addition, it gains much (docs/tflm.md). A vendor's kernels may work in
// another way than the reference kernels, so it is an option.
//
// A united buffer lives longer than each of its tensors, so the lowest plan in place may be above the lowest plan
// apart. If the head is above the load apart, the tensors are planned apart as well, and the smaller head is taken:
//
//	head in place <= load apart  =>  no plan apart has a smaller head
//
// Source: reference kernels of tensorflow/tflite-micro 90b983c; TestInPlaceKernels runs each of them in place in the
// interpreter, on floats, TestInterpreter whole models.

// inPlace are the operators whose result may lie over an operand with as many bytes. Then each element of the result
// comes from the element of the operand at the same place. For the operators of oneOperand this is the first operand;
// the operands after it are a shape.
var (
	oneOperand = map[string]bool{"RESHAPE": true, "SQUEEZE": true, "EXPAND_DIMS": true}
	inPlace    = map[string]bool{
		"RESHAPE": true, "SQUEEZE": true, "EXPAND_DIMS": true,
		"ABS": true, "CEIL": true, "COS": true, "ELU": true, "EXP": true, "FLOOR": true, "HARD_SWISH": true,
		"LEAKY_RELU": true,
		"LOG":        true, "LOGISTIC": true, "NEG": true, "RELU": true, "RELU6": true, "ROUND": true, "RSQRT": true,
		"SIN": true, "SQRT": true, "SQUARE": true, "TANH": true,
		"ADD": true, "SUB": true, "MUL": true, "DIV": true, "MAXIMUM": true, "MINIMUM": true, "SQUARED_DIFFERENCE": true,
		"PRELU": true,
	}
)

// groups unites results with the operands that they may lie over, if are says so for the pair. It returns for each
// tensor the first tensor of its group. A tensor that is alone is its own group.
func groups(m *tflite.Model, l *tflite.Lifetimes, are func(operand, result int) bool) []int {
	first := make([]int, len(m.Tensors))
	taken := make([]bool, len(m.Tensors)) // has a result over it
	for i := range first {
		first[i] = i
	}
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for k := range s.OperatorCount {
			o := &m.Operators[s.FirstOperator+k]
			if !inPlace[o.Name()] || len(o.Outputs) != 1 {
				continue
			}
			operands := o.Inputs
			if oneOperand[o.Name()] && len(operands) > 1 {
				operands = operands[:1]
			}
			for _, in := range operands {
				if in >= 0 && !taken[in] && are(int(in), int(o.Outputs[0])) &&
					mayShare(m, l, s, s.FirstOperator+k, int(in), int(o.Outputs[0])) {
					taken[in] = true
					first[o.Outputs[0]] = first[in]
					break
				}
			}
		}
	}
	return first
}

// inPlaceAt reports whether one of two tensors is the result of an operator that may lie over the other, its operand.
func inPlaceAt(m *tflite.Model, l *tflite.Lifetimes, a, b int) bool {
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for k := range s.OperatorCount {
			at := s.FirstOperator + k
			o := &m.Operators[at]
			if !inPlace[o.Name()] || len(o.Outputs) != 1 {
				continue
			}
			out, in := int(o.Outputs[0]), a
			if out == a {
				in = b
			} else if out != b {
				continue
			}
			if slices.Contains(o.Inputs, int32(in)) && mayShare(m, l, s, at, in, out) {
				return true
			}
		}
	}
	return false
}

// mayShare reports whether the result of an operator may lie over an operand.
func mayShare(m *tflite.Model, l *tflite.Lifetimes, s *tflite.Subgraph, operator, in, out int) bool {
	a, b := &m.Tensors[in], &m.Tensors[out]
	if in == out || !a.Arena() || !b.Arena() || a.Bytes != b.Bytes || a.Type != b.Type {
		return false
	}
	now := l.Operators[operator]
	return l.Tensors[in].Last == now.First && l.Tensors[in].First < now.First && l.Tensors[out].First == now.First &&
		!slices.Contains(s.Outputs, int32(in))
}

// unite returns the arena's problem with a buffer for each group, and for each
// tensor's buffer of the arena which buffer of the new problem it is in.
func unite(a *tflite.Arena, first []int) (*model.Problem, []int) {
	p := &model.Problem{Name: a.Problem.Name}
	in := make([]int, len(a.Tensor))
	at := map[int]int{} // by first tensor of the group
	for k, t := range a.Tensor {
		b := a.Problem.Buffers[k]
		if t >= 0 {
			if to, ok := at[first[t]]; ok {
				u := &p.Buffers[to]
				u.Lower, u.Upper = min(u.Lower, b.Lower), max(u.Upper, b.Upper)
				in[k] = to
				continue
			}
			at[first[t]] = len(p.Buffers)
		}
		in[k] = len(p.Buffers)
		p.Buffers = append(p.Buffers, b)
	}
	return p, in
}

// solve plans the arena in place, if the options say so, and apart, if that may be lower.
func (p *Plan) solve(ctx context.Context, o *Options) error {
	began, limit := time.Now(), o.Solve.Timeout
	apart := func(int, int) bool { return false }
	run := o.Solve
	if !o.InPlace || o.Kernels != "" {
		return p.solveWith(ctx, apart, run)
	}
	in := *p
	if limit > 0 { // after that, the rest of the time may go to the tensors apart
		run.Timeout = max(limit/4, 1)
	}
	all := func(int, int) bool { return true }
	if err := in.solveWith(ctx, all, run); err != nil {
		return err
	}
	if limit > 0 {
		run.Timeout = max(limit-time.Since(began), 1)
	}
	found := in.Result.Status.HasPlan()
	if !found || in.Head > slices.Max(append(loads(p.Arena.Problem), 0)) {
		if err := p.solveWith(ctx, apart, run); err != nil {
			return err
		}
		if p.Result.Status.HasPlan() && (!found || p.Head < in.Head) {
			p.boundedBy(slices.Max(append(loads(in.United), 0)))
			return nil
		}
	} else if in.Result.Stopped == stowage.StopTimeout {
		run.Start = in.Result.Offsets
		if err := in.solveWith(ctx, all, run); err != nil {
			return err
		}
	}
	*p = in
	return nil
}

// solveWith plans the arena. Results lie over the operands for which are says so. It then makes offsets for the model.
func (p *Plan) solveWith(ctx context.Context, are func(operand, result int) bool, run stowage.Options) (err error) {
	p.United, p.In = unite(p.Arena, groups(p.Model, p.Life, are))
	p.Result, err = stowage.Solve(ctx, p.United, run)
	if err != nil || !p.Result.Status.HasPlan() {
		return err
	}
	return p.pin(ctx)
}

// boundedBy lowers the bound of a plan to a bound that holds for more plans.
func (p *Plan) boundedBy(bound int64) {
	r := p.Result
	if r.LowerBound = min(r.LowerBound, bound); r.Status == stowage.Optimal && r.LowerBound < r.Height {
		r.Status = stowage.Feasible
	}
}

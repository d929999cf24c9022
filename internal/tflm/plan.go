package tflm

import (
	"context"
	"errors"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"

	// The runtime's own planner, which is emulated.
	_ "github.com/stowage-go/stowage/planner/baselines"
)

// Idea: tensors and scratch are planned together, but a model can carry offsets
// for tensors only; the device places scratch around them with its own greedy
// planner. So the plan is judged by what that planner makes of it: the tensors
// are pinned, the greedy step is emulated for the scratch, and the height that
// comes out is the head of the arena. A plan that the greedy planner beats on
// its own is no plan to write.
//
// Source: Stowage; the greedy planner is the baseline tflm-greedy.

// greedyName is the planner that the runtime has.
const greedyName = "tflm-greedy"

// Options say how to plan a model.
type Options struct {
	// Scratch is what kernels ask for beside tensors. Without it the figures are
	// those of kernels that ask for nothing.
	Scratch []tflite.Scratch
	// InPlace lets results lie over operands that die.
	InPlace bool
	// Solve steers the planner. Its capacity is that of the arena's head.
	Solve stowage.Options
}

// A Plan is what planning a model gives.
type Plan struct {
	Model *tflite.Model
	Arena *tflite.Arena
	Life  *tflite.Lifetimes
	// United is the problem that is planned: that of the arena, in which results are
	// one buffer with the operands that they lie over. In has, for each buffer of
	// the arena, which one of it that is.
	United *model.Problem
	In     []int
	// Result is the planner's, for tensors and scratch together.
	Result *stowage.Result
	// Greedy and Head are the bytes of the arena's head as the runtime plans by
	// itself, and with the plan. Without a plan (Result.Status) Head is 0.
	Greedy, Head int64
	// Before is the head of the model as it is: Greedy, unless it has a plan
	// that can be followed.
	Before int64
	// Faulty says that the model has a plan that Check finds a fault in. Whatever a
	// device makes of it is no figure to compare with.
	Faulty bool
	// Offsets are the plan, for Model.WithOffsets: by tensor.
	Offsets []int32
	// Placed are the offsets of the arena's buffers, scratch included, as the
	// planner has them.
	Placed []int64
}

// Better reports whether the plan is worth writing: it takes less than the
// runtime by itself.
func (p *Plan) Better() bool { return p.Offsets != nil && p.Head < p.Greedy }

// Worth reports whether the plan is to be written: it takes less than the model as it
// is, or takes the place of a faulty plan.
func (p *Plan) Worth() bool { return p.Offsets != nil && (p.Head < p.Before || p.Faulty) }

// Make plans the arena of a model. The error is bad input; that no plan was
// found is in Result.Status.
func Make(ctx context.Context, m *tflite.Model, o Options) (*Plan, error) {
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	a, err := m.Arena(l, o.Scratch)
	if err != nil {
		return nil, err
	}
	p := &Plan{Model: m, Arena: a, Life: l}
	if p.Greedy, err = emulate(ctx, a.Problem, nil); err != nil {
		return nil, err
	}
	if err := p.judge(ctx); err != nil {
		return nil, err
	}
	united, in := unite(a, groups(m, l, func(int, int) bool { return o.InPlace }))
	p.United, p.In = united, in
	o.Solve.Minimize = true
	if p.Result, err = stowage.Solve(ctx, united, o.Solve); err != nil {
		return nil, err
	}
	if !p.Result.Status.HasPlan() {
		return p, nil
	}
	if err := p.pin(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// judge says what the plan in the model is worth, if there is one.
func (p *Plan) judge(ctx context.Context) error {
	p.Before = p.Greedy
	v, err := Check(p.Model, 0)
	if err != nil || p.Model.Offline == nil {
		return nil
	}
	if p.Faulty = !v.OK(); p.Faulty {
		return nil
	}
	p.Before, err = emulatePlan(ctx, p.Model, p.Life, p.Arena)
	p.Before = max(p.Before, v.Height) // variables that are pinned
	return err
}

// pin makes offsets for the model of those of the united buffers: of all that the runtime
// does not place by itself, as it does scratch and variables.
func (p *Plan) pin(ctx context.Context) (err error) {
	m, a, united, in := p.Model, p.Arena, p.United, p.In
	pins := slices.Clone(p.Result.Offsets)
	scratch := len(united.Buffers) - (len(a.Tensor) - a.Scratch)
	for k := range pins[scratch:] {
		pins[scratch+k] = tflite.Online
	}
	for k, t := range a.Tensor {
		if t >= 0 && variableOf(m, t) >= 0 {
			pins[in[k]] = tflite.Online
		}
	}
	if p.Head, err = emulate(ctx, united, pins); err != nil {
		return err
	}
	p.Offsets = slices.Repeat([]int32{tflite.Online}, len(m.Tensors))
	p.Placed = make([]int64, len(a.Tensor))
	for k, t := range a.Tensor {
		p.Placed[k] = p.Result.Offsets[in[k]]
		if t >= 0 {
			p.Offsets[t] = int32(pins[in[k]])
		}
	}
	if p.Faulty && p.Head > p.Greedy { // the device does better by itself, and has to be told
		for i := range p.Offsets {
			p.Offsets[i] = tflite.Online
		}
		p.Head = p.Greedy
	}
	return nil
}

// variableOf returns the variable tensor of a later subgraph that gets no memory
// where a tensor is pinned, -1 for none. The runtime keeps memory for a variable
// that has no offset of its own, but looks it up by its number in its subgraph:
// what it finds is the offset of a tensor of the first one.
func variableOf(m *tflite.Model, tensor int) int {
	for g := 1; g < len(m.Subgraphs); g++ {
		s := &m.Subgraphs[g]
		if tensor < s.TensorCount && m.Tensors[s.FirstTensor+tensor].Variable {
			return s.FirstTensor + tensor
		}
	}
	return -1
}

// emulatePlan returns the head that the runtime makes of a model with the plan
// that it has. Results that lie over their operands are one buffer with them.
func emulatePlan(ctx context.Context, m *tflite.Model, l *tflite.Lifetimes, a *tflite.Arena) (int64, error) {
	at := func(t int) int64 { return int64(m.Offline.Offsets[t]) }
	united, in := unite(a, groups(m, l, func(operand, result int) bool {
		return at(operand) == at(result) && at(result) != tflite.Online
	}))
	pins := make([]int64, len(united.Buffers))
	for k, t := range a.Tensor {
		pins[in[k]] = tflite.Online
		if t >= 0 {
			pins[in[k]] = at(t)
		}
	}
	return emulate(ctx, united, pins)
}

// emulate returns the head that the runtime's planner makes of a problem with
// some of its buffers pinned: those whose offset is not Online.
func emulate(ctx context.Context, p *model.Problem, pins []int64) (int64, error) {
	q := &model.Problem{Name: p.Name, Buffers: slices.Clone(p.Buffers)}
	for k, at := range pins {
		if at != tflite.Online {
			q.Buffers[k].Fixed = &pins[k]
		}
	}
	if len(q.Buffers) == 0 {
		return 0, nil
	}
	r, err := stowage.Minimize(ctx, q, stowage.Options{Planner: greedyName})
	if err != nil {
		return 0, err
	}
	if !r.Status.HasPlan() {
		return 0, errors.New("tflm: the pinned tensors collide")
	}
	return r.Height, nil
}

package tflm

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/model"
)

// Idea: tensors and scratch are planned together, but a model can carry offsets only for tensors. The device places
// scratch around them with its own greedy planner. So the plan is judged as the device will run it: the tensors are
// pinned, the greedy planner is emulated for the scratch, and the resulting height is the head of the arena. A plan
// is not written if the greedy planner alone does better.
//
// Source: Stowage.

// Options say how to plan a model.
type Options struct {
	// Scratch is the memory that kernels request beside tensors: that of a Set, or from the log of a target. If it is
	// empty, the figures are for kernels that request none.
	Scratch []tflite.Scratch
	// Set is the kernels that decide the size of the arena's tail.
	Set Set
	// Named says that the firmware has just these kernels. The plan is then the lowest for their scratch, and may be
	// worse with others (Plan.Worse). Otherwise it is worse than the runtime's own plan with no known kernels. Setting
	// Kernels names them, too.
	Named bool
	// CannotRun says that the written model cannot run (Obstacles), although this model, whose weights are folded, may.
	// The figures for other kernels are then lower bounds (Others).
	CannotRun bool
	// InPlace lets results lie over operands that die.
	InPlace bool
	// Kernels lets results lie over operands as closely as the kernels of a library permit, in
	// place included: InPlace has no effect then. It is empty for results that lie apart.
	Kernels Kernels
	// Rows lets results of SLICE lie in place in their operands, and parts in place in the results of CONCATENATION. Rows
	// that were read last make room for others.
	Rows bool
	// Reorder looks for the order of the operators with the lowest plan, and takes it if the head gets smaller. The
	// order is kept if the model has several subgraphs, a plan that is kept, or operators for an NPU.
	Reorder bool
	// States limits the search for an order: how many sets of operators it keeps. 0 means 262,144.
	States int
	// Replace replaces the plan of a model, even a plan that would be kept.
	Replace bool
	// Solve steers the planner. Its capacity is that of the arena's head.
	Solve stowage.Options

	rowsAlone bool // no plan without Rows is looked for if there is one with them, or none is of use
	rows      rowSearch
	alone     bool // the plan is not compared with other kernels: see compare

	bars map[Set]int64 // of the model in the order that it had, by set; nil if this is that order
}

// A Plan is what planning a model gives.
type Plan struct {
	// Model is the model that was planned. If the operators are in another order (Order), it is the model in that order.
	Model *tflite.Model
	// Order has the operators in the order in which they run, as indices into those of the model as
	// it was; nil if their order is kept.
	Order []int
	// OrderBound: no plan has a smaller head, whatever the order of the operators, with results over operands as the
	// options permit. It is 0 if no order was looked for.
	OrderBound int64
	// Arena has a buffer for each tensor of the arena, then one for each scratch buffer.
	Arena *tflite.Arena
	// Life has the first and last tick of each tensor and operator.
	Life *tflite.Lifetimes
	// United is the problem that is planned. It is Arena.Problem, but a result and the
	// operand that it lies over are one buffer.
	United *model.Problem
	// In has, for each buffer of Arena.Problem, the index of its buffer in United.
	In []int
	// Result is the planner's, for tensors and scratch together.
	Result *stowage.Result
	// Greedy is the head of the arena in bytes with the runtime's own plan. Head is that with this plan. Without a plan
	// (Result.Status) Head is 0.
	Greedy, Head int64
	// Before is the head of the model as it is: Greedy, unless it has a plan that can be followed.
	Before int64
	// Faulty says that the model has a plan that CheckFor finds a fault in, for Options.Kernels. Its head on a device
	// is no figure to compare with.
	Faulty bool
	// Kept says that the model has a plan whose tensors share bytes on purpose. It is not replaced, and nothing is
	// planned: Head, Offsets and Placed are those of this plan, and Result has the bounds known of it. With
	// Options.Kernels, these kernels permit the plan.
	Kept bool
	// Unchecked counts the pairs of tensors of a kept plan that share bytes at operators of the runtime. The plan is
	// right only with kernels that permit these pairs. With Options.Kernels it is 0.
	Unchecked int
	// Kernels is the library whose order of reading and writing the plan assumes; empty if the plan assumes nothing.
	Kernels Kernels
	// Overlays are the pairs of a result and an operand that share bytes, in the order of the operators.
	Overlays []Overlay
	// Rows is set for a plan with blocks in place (Options.Rows): the problem that was planned, in which a tensor and those
	// that lie in it are one buffer.
	Rows       *model.Problem
	rowOffsets []int64
	planned    *stowage.Result // of Rows
	// InStrips says how the model was split, if it is one in strips (Plan.Split).
	InStrips *Split
	// Occupied is set for a plan whose tensors share bytes. It is a problem whose buffers are the bytes that the plan
	// uses; shared bytes occur once. It is nil for other plans.
	Occupied *model.Problem

	// Set is the kernels that the figures hold for, beside Scratch: that of the options.
	Set Set
	// Withheld is set if every plan that was found is worse than the runtime's own with some kernels. It has these sets
	// for the best plan. The model then keeps the plan that it has.
	Withheld []Standing

	doubtful bool // Options.CannotRun

	was     *Plan // the plan in the former order, if Order is another order
	replace bool
	named   bool            // Options.Named
	mends   bool            // with some kernels the model's own plan is worse than the runtime's; the new plan with none
	rivals  []rival         // the known sets of kernels
	lowered *graph.Lowering // the lowering that made United, if Kernels is set
	// Offsets are the plan, for Model.WithOffsets: by tensor.
	Offsets []int32
	// Placed are the offsets of the arena's buffers, scratch included, as the planner has them.
	Placed []int64
}

// Better reports whether the plan takes less than the runtime's own plan.
func (p *Plan) Better() bool { return p.Offsets != nil && p.Head < p.Greedy }

// Worth reports whether the plan should be written: it takes less than the model as it is, or the plan in the model is
// faulty, worse than the runtime's own with known kernels, or to be replaced.
func (p *Plan) Worth() bool {
	return p.Offsets != nil && !p.Kept && (p.Head < p.Before || p.Faulty || p.mends || p.replaces())
}

// NPU reports whether an NPU runs a part of the model. Then only the compiler of that part can plan the model.
func (p *Plan) NPU() bool {
	return slices.ContainsFunc(p.Model.Operators, func(o tflite.Operator) bool { return o.Custom == npu })
}

// replaces reports whether the model has a plan that must be replaced.
func (p *Plan) replaces() bool { return p.replace && p.Model.Offline != nil }

// Make plans the arena of a model, unless it has a plan that is kept. The error is for bad input, such as a model of
// Vela whose plan is lost or faulty. If no plan was found, Result.Status says so.
func Make(ctx context.Context, m *tflite.Model, o Options) (*Plan, error) {
	if o.Reorder {
		return reorder(ctx, m, o)
	}
	return inOrder(ctx, m, o)
}

// inOrder is Make without a change of the operators' order.
func inOrder(ctx context.Context, m *tflite.Model, o Options) (*Plan, error) {
	began := time.Now()
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	a, err := m.Arena(l, o.Scratch)
	if err != nil {
		return nil, err
	}
	o.Named = o.Named || o.Kernels != ""
	p := &Plan{Model: m, Arena: a, Life: l, Set: o.Set, named: o.Named, replace: o.Replace, doubtful: o.CannotRun}
	if p.Greedy, err = emulate(ctx, a.Problem, nil); err != nil {
		return nil, err
	}
	v, err := CheckFor(m, CheckOptions{Kernels: o.Kernels, Set: o.Set})
	if err != nil {
		return nil, err
	}
	if err := p.judge(ctx, v, &o); err != nil || p.Kept {
		return p, err
	}
	if !o.alone {
		if p.rivals, err = p.rivalsOf(ctx); err != nil {
			return nil, err
		}
		p.raise(o.bars)
	}
	o.Solve.Minimize = true
	inRows := *p
	if o.Rows {
		if err := inRows.inRows(ctx, &o, began); err != nil {
			return nil, err
		}
		if inRows.Rows != nil && (o.rowsAlone || inRows.Result.Status == stowage.Optimal) {
			return &inRows, nil
		}
		if o.rowsAlone && o.rows.within > 0 {
			return p, nil
		}
	}
	if err := p.planWhole(ctx, &o, began); err != nil {
		return nil, err
	}
	if inRows.Rows != nil && (p.Offsets == nil || inRows.Head < p.Head) {
		return &inRows, nil
	}
	return p, nil
}

// planWhole plans tensors that are in use as long as any byte of theirs is.
func (p *Plan) planWhole(ctx context.Context, o *Options, began time.Time) error {
	if err := p.solve(ctx, o); err != nil || !p.Result.Status.HasPlan() {
		return err
	}
	if o.Kernels != "" {
		all, _ := permits(p.Model, p.Life, o.Kernels)
		if err := p.diagonal(ctx, o, all, began); err != nil {
			return err
		}
	}
	return p.everywhere(ctx, o)
}

// judge computes the head of the plan in the model, if there is one, and decides whether it is kept.
func (p *Plan) judge(ctx context.Context, v *Verdict, o *Options) error {
	p.Before = p.Greedy
	if lost := v.lost(); lost != "" && !o.Replace {
		return model.Issue{File: p.Model.File, Message: lost}.Err()
	}
	if p.Model.Offline == nil {
		return nil
	}
	if p.Faulty = !v.OK(); p.Faulty {
		return p.refuse(v, o)
	}
	head, placed, taken, err := followed(ctx, p.Model, p.Life, p.Arena)
	if err != nil {
		return err
	}
	p.Before = max(head, v.Height) // variables that are pinned
	if p.Kept = v.Shares > 0 && !o.Replace; p.Kept {
		p.adopt(placed, taken)
		p.Unchecked = v.Unchecked
		if o.Kernels != "" { // the check has covered them
			all, _ := permits(p.Model, p.Life, o.Kernels)
			if p.Overlays = overlaysOf(p.Model, p.Offsets, all); len(p.Overlays) > 0 {
				p.Kernels = o.Kernels
			}
		}
	}
	return nil
}

// refuse is the error for a faulty plan of a model that an NPU runs in part. Its commands hold the places of its
// tensors, so any other plan is faulty, too.
func (p *Plan) refuse(v *Verdict, o *Options) error {
	if o.Replace || !p.NPU() {
		return nil
	}
	at := slices.IndexFunc(v.Findings, func(f Finding) bool { return f.Severity == Fault })
	return model.Issue{
		File: p.Model.File, Message: v.Findings[at].Message + "; operators are " + npu + ", so only Vela can plan the model",
	}.Err()
}

// adopt adopts the plan in the model.
func (p *Plan) adopt(placed []int64, taken *model.Problem) {
	p.Head, p.Offsets, p.Placed, p.Occupied = p.Before, slices.Clone(p.Model.Offline.Offsets), placed, taken
	p.United, p.In = p.Arena.Problem, make([]int, len(p.Arena.Tensor))
	p.Result = &stowage.Result{Status: stowage.Feasible, Planner: tflite.MetadataName}
	p.Result.Offsets, p.Result.Height = placed, p.Head
	for k := range p.In {
		p.In[k] = k
		p.Result.LowerBound = max(p.Result.LowerBound, p.Arena.Problem.Buffers[k].Size)
	}
	// Even if tensors share bytes, the largest tensor needs bytes of its own.
	if p.Result.LowerBound == p.Head {
		p.Result.Status = stowage.Optimal
	}
}

// maxOffset is the largest offset that a plan in a model can have: the metadata has 32 bits for each, with a sign.
// Scratch of 2 GiB, or tensors of as much in all, lead to larger ones.
const maxOffset = math.MaxInt32

// pin turns offsets of the united buffers into offsets for the model. Scratch and variables get none, because the
// runtime places them itself.
func (p *Plan) pin(ctx context.Context) error {
	pins := slices.Clone(p.Result.Offsets)
	scratch := p.unitedTensors()
	for k := range pins[scratch:] {
		pins[scratch+k] = tflite.Online
	}
	p.leave(pins)
	return p.pinAt(ctx, pins)
}

// leave removes the offsets of buffers that must not be pinned.
func (p *Plan) leave(pins []int64) {
	for k, t := range p.Arena.Tensor {
		if t >= 0 && variableOf(p.Model, t) >= 0 {
			pins[p.In[k]] = tflite.Online
		}
	}
}

// pinAt turns offsets of the united buffers into those of the model. Buffers without an offset are left to the device.
func (p *Plan) pinAt(ctx context.Context, pins []int64) (err error) {
	m, a, united, in := p.Model, p.Arena, p.United, p.In
	if p.Head, err = emulate(ctx, united, pins); err != nil {
		return err
	}
	p.Offsets = slices.Repeat([]int32{tflite.Online}, len(m.Tensors))
	p.Placed = make([]int64, len(a.Tensor))
	beyond := false
	for k, t := range a.Tensor {
		p.Placed[k] = p.Result.Offsets[in[k]]
		if t >= 0 {
			p.Offsets[t] = int32(pins[in[k]])
			beyond = beyond || pins[in[k]] > maxOffset
		}
	}
	// The device does better alone, and has to be told; or the metadata cannot hold an offset.
	if beyond || (p.Faulty || p.replaces()) && p.Head > p.Greedy {
		for i := range p.Offsets {
			p.Offsets[i] = tflite.Online
		}
		p.Head = p.Greedy
	}
	return nil
}

// variableOf returns the variable tensor of a later subgraph that gets no memory if a given tensor is pinned, or -1.
// The runtime keeps memory for each variable without an offset. But it looks the offset up by the variable's number in
// its subgraph, and so finds the offset of a tensor of the first subgraph.
func variableOf(m *tflite.Model, tensor int) int {
	for g := 1; g < len(m.Subgraphs); g++ {
		s := &m.Subgraphs[g]
		if tensor < s.TensorCount && m.Tensors[s.FirstTensor+tensor].Variable {
			return s.FirstTensor + tensor
		}
	}
	return -1
}

// followed returns the result of the runtime for a model with its own plan: the head, the place of each buffer of the
// arena, and the bytes in use over time.
func followed(ctx context.Context, m *tflite.Model, l *tflite.Lifetimes, a *tflite.Arena) (head int64, placed []int64,
	taken *model.Problem, err error,
) {
	placed = make([]int64, len(a.Tensor))
	var pinned []model.Buffer
	var offsets []int64
	var tensors, online []int
	for k, t := range a.Tensor {
		if t < 0 || m.Offline.Offsets[t] == tflite.Online {
			online = append(online, k)
			continue
		}
		placed[k] = int64(m.Offline.Offsets[t])
		pinned, offsets, tensors = append(pinned, a.Problem.Buffers[k]), append(offsets, placed[k]), append(tensors, t)
	}
	// The device keeps other buffers off a variable only while operators use it.
	for t := range m.Tensors {
		if x := &m.Tensors[t]; x.Variable && x.Bytes > 0 && m.Offline.Offsets[t] != tflite.Online && t < len(l.Tensors) {
			span := l.Tensors[t]
			pinned = append(pinned, model.Buffer{
				Lower: int64(span.First) + 1, Upper: int64(span.Last) + 2, Size: tflite.RoundUp(x.Bytes),
				Alignment: tflite.Alignment,
			})
			offsets, tensors = append(offsets, int64(m.Offline.Offsets[t])), append(tensors, t)
		}
	}
	taken, pins := asProblem(newSharing(m, l).occupied(pinned, offsets, tensors))
	for _, k := range online {
		b := a.Problem.Buffers[k]
		b.ID = "online " + strconv.Itoa(k)
		taken.Buffers, pins = append(taken.Buffers, b), append(pins, tflite.Online)
	}
	offsets, height, err := Greedy(ctx, taken, pins)
	if err != nil {
		return 0, placed, taken, err
	}
	for i, k := range online {
		placed[k] = offsets[len(taken.Buffers)-len(online)+i]
	}
	return height, placed, taken, nil
}

// emulate returns the head that the runtime's planner reaches if the buffers whose offset is not Online are pinned.
func emulate(ctx context.Context, p *model.Problem, pins []int64) (int64, error) {
	_, height, err := Greedy(ctx, p, pins)
	return height, err
}

// Head returns the head that the runtime reaches with a model as it is, and with kernels that need this scratch. If the
// model has a plan, it must have no fault.
func Head(ctx context.Context, m *tflite.Model, scratch []tflite.Scratch) (int64, error) {
	l, err := m.Lifetimes()
	if err != nil {
		return 0, err
	}
	a, err := m.Arena(l, scratch)
	if err != nil {
		return 0, err
	}
	if m.Offline == nil {
		return emulate(ctx, a.Problem, nil)
	}
	head, _, _, err := followed(ctx, m, l, a)
	return head, err
}

package models

import (
	"context"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: an .onnx model in several memories is planned as a .tflite model is. One thing differs: no runtime keeps
// anything beside the tensors, so the tensors may use all bytes of a memory.

// planBanksONNX plans an .onnx model in pools.
func planBanksONNX(ctx context.Context, m *onnx.Model, a *onnx.Arena, p *Options) (Plan, error) {
	r := &banksReport{
		Model: m.File, Tensors: len(a.Tensors), Buffers: len(a.Problem.Buffers), Part: p.Target, Unknown: []string{},
		Measures: map[string]int64{}, Bounds: map[string]int64{}, memories: p.Memories, read: a.Notes,
	}
	if r.memories.Part == nil {
		r.Part = ""
	}
	if p.Report {
		one := p.Run
		one.Minimize = true
		strip, err := stowage.Solve(ctx, a.Problem, one)
		if err != nil {
			return nil, err
		}
		if strip.Status.HasPlan() {
			r.Strip = &stripReport{Arena: strip.Height, Head: strip.Height, NonPersistent: strip.Height}
			for _, q := range p.Memories.Pools {
				short := max(0, strip.Height-free(q))
				r.Strip.Pools = append(r.Strip.Pools, stripPool{ID: q.ID, Arena: short, NonPersistent: short})
			}
		}
	}
	load := loadOf(a)
	moved := movedONNX(a)
	pools, byOrder, slow, err := tflm.Price(a.Problem, p.Memories.Pools, moved)
	if err != nil {
		return nil, err
	}
	result, err := stowage.Solve(ctx, a.Problem, p.Run)
	if err != nil {
		return nil, err
	}
	r.ByOrder, r.Slow = byOrder, slow
	r.solved(result, pools)
	for i := range a.Problem.Buffers {
		if result.Status.HasPlan() {
			x := &r.Pools[result.PoolOf(i)]
			x.Buffers++
			x.Moved += moved[i]
			x.Head = max(x.Head, result.Offsets[i]+a.Problem.Buffers[i].Size)
			x.Used = x.Head
		}
	}
	if room, limited := tflm.Room(pools); !result.Status.HasPlan() && limited {
		r.Short = max(0, load-room)
	}
	forC := func() *cheader.BankPlan { return bankPlanONNX(a, result, pools, r) }
	return &banksPlan{r, pooled(a.Problem, result), forC}, nil
}

// movedONNX returns the bytes that are moved for each buffer. Each of its tensors is written once, and read once by
// each node that has it as an input.
func movedONNX(a *onnx.Arena) []int64 {
	out := make([]int64, len(a.Problem.Buffers))
	for i := range a.Tensors {
		if t := &a.Tensors[i]; t.Buffer >= 0 {
			out[t.Buffer] += t.Bytes * int64(1+t.Reads)
		}
	}
	return out
}

// bankPlanONNX returns the plan as C takes it: the tensors by their names.
func bankPlanONNX(a *onnx.Arena, result *stowage.Result, pools []model.Pool, r *banksReport) *cheader.BankPlan {
	out := &cheader.BankPlan{Name: a.Problem.Name, Home: -1}
	for k, q := range pools {
		alignment := max(q.Alignment, AlignmentOf(a.Problem))
		out.Banks = append(out.Banks,
			cheader.Bank{Name: q.ID, Bytes: r.Pools[k].Head, Alignment: alignment, Reserved: len(q.Reserved) > 0})
	}
	for i := range a.Tensors {
		if t := &a.Tensors[i]; t.Buffer >= 0 {
			out.Buffers = append(out.Buffers,
				cheader.BankBuffer{Name: t.Name, Size: t.Bytes, Bank: result.PoolOf(t.Buffer), Offset: result.Offsets[t.Buffer]})
		}
	}
	return out
}

// AlignmentOf returns the alignment of an arena that suits every buffer. It ignores an
// alignment whose common multiple with the others is too large.
func AlignmentOf(p *model.Problem) int64 {
	alignment := int64(1)
	for i := range p.Buffers {
		alignment = max(alignment, bound.LCM(alignment, p.Buffers[i].Align(), model.MaxSum))
	}
	return alignment
}

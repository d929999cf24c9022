package tflm

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/graph"
)

// Idea: the arena is planned as a graph whose permits are the distances of the kernels. The device then gets a plan
// whose tensors overlap, and places scratch around them. Such a plan depends on the kernels. So it is taken only if
// its head is smaller than that of the plan without overlaps.
//
// The graph has an operator for each tick of the runtime's clock, not for each operator of the model. So its
// lifespans are the runtime's, even with several subgraphs. A tensor is made at its first tick and read at its last.
// A tensor that lives for one tick is made there, and nobody reads it.
//
// Invariant: no head is larger than that of the plan without overlaps.
//
// Source: distances are from Blacker et al., "Diagonal Memory Optimisation", arXiv 2010.01668.

// An Overlay is a result that lies over an operand of its operator.
type Overlay struct {
	Operator        int   // index into the model's operators
	Result, Operand int   // indices into the model's tensors
	Distance        int64 // offset of the operand minus that of the result, in bytes
	Least           int64 // the distance that the kernel needs, in bytes; 0 with Equal
	Equal           bool  // the kernel needs equal offsets
}

// diagonal replaces the plan by one in which results lie over operands as closely as the kernels
// permit, if its head is smaller.
func (p *Plan) diagonal(ctx context.Context, o *Options, all []permit, began time.Time) error {
	if len(all) == 0 {
		return nil
	}
	g := ticks(p.Life, p.Arena, all)
	run := o.Solve
	run.Start, run.Minimize = nil, true
	if run.Timeout > 0 {
		run.Timeout = max(run.Timeout-time.Since(began), 20*time.Millisecond)
	}
	made, err := graph.Make(ctx, g, graph.Options{Solve: stowage.Solve, Run: run})
	if err != nil || !made.Status.HasPlan() {
		return err
	}
	p.boundedBy(made.LowerBound) // only this bound holds for plans with results over operands
	n := len(p.Arena.Tensor)
	offsets := slices.Repeat([]int32{tflite.Online}, len(p.Model.Tensors))
	for k, t := range p.Arena.Tensor {
		if t >= 0 && variableOf(p.Model, t) < 0 {
			if made.Offsets[k] > maxOffset {
				return nil
			}
			offsets[t] = int32(made.Offsets[k])
		}
	}
	pinned := *p.Model
	pinned.Offline = &tflite.Offline{Count: int32(len(offsets)), Offsets: offsets, Entries: 1}
	head, _, taken, err := followed(ctx, &pinned, p.Life, p.Arena)
	if err != nil {
		return err
	}
	overlays := overlaysOf(p.Model, offsets, all)
	if len(overlays) == 0 || p.Offsets != nil && head >= p.Head {
		return nil
	}
	p.Result = &stowage.Result{
		Status: made.Status, LowerBound: made.LowerBound, Planner: made.Planner, Stopped: made.Stopped,
	}
	p.Result.Offsets, p.Result.Height = made.Offsets[:n], made.Height
	lowered, err := graph.Lower(g, made.Order, graph.AllPermits)
	if err != nil {
		return err
	}
	p.United, p.In, p.lowered = lowered.Problem, lowered.Value, lowered
	p.Kernels, p.Overlays, p.Occupied = o.Kernels, overlays, taken
	p.Head, p.Offsets, p.Placed = head, offsets, made.Offsets[:n]
	return nil
}

// WhyApart explains the peak of a plan without overlaps. It takes the first operator at the peak that permits no
// overlap with the kernels of a library, and says why. It is empty if each operator there permits one.
func (p *Plan) WhyApart(lib Kernels) string {
	all, refused := permits(p.Model, p.Life, lib)
	load := loads(p.United)
	peak := slices.Max(load)
	for k := range p.Model.Operators {
		name := "operator " + strconv.Itoa(k) + ", "
		switch now := p.Life.Operators[k]; {
		case int(now.First)+1 >= len(load) || load[now.First+1] < peak:
		case refused[k] != "":
			return name + refused[k]
		case !slices.ContainsFunc(all, func(q permit) bool { return q.operator == k }):
			return name + p.Model.Operators[k].Name() + ": none of its operands ends there, so its result cannot lie over any"
		default:
			if why := p.tooFar(k, all); why != "" {
				return name + why
			}
		}
	}
	return ""
}

// tooFar says that the permits of an operator leave no overlap at multiples of the runtime's alignment. It is empty if
// one does.
func (p *Plan) tooFar(operator int, all []permit) (why string) {
	for _, q := range all {
		if q.operator != operator {
			continue
		}
		bytes := p.Model.Tensors[q.result].Bytes
		if q.equal || tflite.RoundUp(max(q.distance, 0)) < tflite.RoundUp(bytes) {
			return ""
		}
		why = fmt.Sprintf("%s: its operand has to begin %d bytes or more above its result, which has %d",
			p.Model.Operators[operator].Name(), q.distance, bytes)
	}
	return why
}

// overlaysOf returns the permits that the offsets of a plan use.
func overlaysOf(m *tflite.Model, offsets []int32, all []permit) (out []Overlay) {
	for _, q := range all {
		x, y := int64(offsets[q.operand]), int64(offsets[q.result])
		if x < 0 || y < 0 || x >= y+tflite.RoundUp(m.Tensors[q.result].Bytes) ||
			y >= x+tflite.RoundUp(m.Tensors[q.operand].Bytes) {
			continue
		}
		out = append(out, Overlay{q.operator, q.result, q.operand, x - y, q.distance, q.equal})
	}
	return out
}

// ticks returns an arena as a graph: values are its buffers, operators are the ticks.
func ticks(l *tflite.Lifetimes, a *tflite.Arena, all []permit) *graph.Graph {
	g := &graph.Graph{Name: a.Problem.Name}
	var end int64
	value := map[int]int{} // by tensor
	for k := range a.Problem.Buffers {
		b := &a.Problem.Buffers[k]
		g.Values = append(g.Values, graph.Value{Name: b.ID, Size: b.Size, Alignment: b.Alignment})
		end = max(end, b.Upper)
		if t := a.Tensor[k]; t >= 0 {
			value[t] = k
		}
	}
	g.Operators = make([]graph.Operator, end)
	for t := range g.Operators {
		g.Operators[t].Name = "tick " + strconv.Itoa(t-1)
	}
	for k := range a.Problem.Buffers {
		b := &a.Problem.Buffers[k]
		first, last := &g.Operators[b.Lower], &g.Operators[b.Upper-1]
		first.Results = append(first.Results, k)
		if last != first {
			last.Operands = append(last.Operands, k)
		}
	}
	for _, q := range all {
		x, y := value[q.operand], value[q.result]
		at := &g.Operators[l.Operators[q.operator].First+1]
		at.Permits = append(at.Permits, graph.Permit{Result: y, Operand: x, Distance: q.distance, Exactly: q.equal})
	}
	return g
}

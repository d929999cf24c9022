package distance

import (
	"fmt"
	"slices"
)

// Idea: PAD and PADV2 write their result from first to last: an element of the edge is the padding, another is
// the operand's next element. MIRROR_PAD reads an element for each, in the edge backwards. In each dimension
// that is three runs of places: before, inside, after.
//
// Source: tensorflow/lite/kernels/internal/reference/pad.h; micro/kernels/pad.cc, mirror_pad.cc. The value of PADV2
// is read before all else.

// A margin is how much a dimension of n elements is padded.
type margin struct{ n, before, after int64 }

// margins returns those of an operator with constant paddings, two numbers for each dimension.
func margins(op *Operator) ([]margin, string) {
	if why := op.has(2, 1); why != "" {
		return nil, why
	}
	x, y, p := &op.Operands[0], &op.Results[0], op.Operands[1].Data
	if x.Type.Name != y.Type.Name || len(x.Shape) != len(y.Shape) {
		return nil, fmt.Sprintf("its operand is %s %v, its result %s %v", x.Type.Name, x.Shape, y.Type.Name, y.Shape)
	}
	if len(p) != 2*len(x.Shape) {
		return nil, "its paddings are not known"
	}
	out := make([]margin, len(x.Shape))
	for d := range out {
		m := margin{int64(x.Shape[d]), p[2*d], p[2*d+1]}
		if m.before < 0 || m.after < 0 || !within(m.before) || !within(m.after) || m.before+m.n+m.after != int64(y.Shape[d]) {
			return nil, fmt.Sprintf("its operand has shape %v, its paddings are %v, its result has shape %v", x.Shape,
				p, y.Shape)
		}
		out[d] = m
	}
	return out, ""
}

// padded returns the run of a padding whose edges are given for each dimension.
func padded(op *Operator, all []margin, runs func(m margin) []run) []Permit {
	x, _ := op.Operands[0].dims(len(all))
	y, _ := op.Results[0].dims(len(all))
	size := op.Results[0].size()
	read, written := strides(x, size), strides(y, size)
	var loops []loop
	for d, m := range all {
		loops = append(loops, loop{inUse(runs(m)), written[d], read[d]})
	}
	return []Permit{nest(element(size), loops...).permit(0, 0)}
}

// inUse returns the runs that have a place.
func inUse(runs []run) []run {
	return slices.DeleteFunc(runs, func(r run) bool { return r.count == 0 })
}

// blindEdges returns the runs of a dimension whose edges read nothing.
func blindEdges(m margin) []run {
	return []run{{count: m.before, blind: true}, {count: m.n, step: 1}, {count: m.after, blind: true}}
}

// pad is PAD and PADV2.
func pad(op *Operator) ([]Permit, string) {
	all, refused := margins(op)
	if refused != "" {
		return nil, refused
	}
	if len(all) > 5 {
		return nil, fmt.Sprintf("it has %d dimensions", len(all))
	}
	return padded(op, all, blindEdges), ""
}

// mirror returns the rule of MIRROR_PAD.
func mirror(op *Operator) ([]Permit, string) {
	all, refused := margins(op)
	if refused != "" {
		return nil, refused
	}
	edge := int64(1) // REFLECT leaves the outermost element out
	if op.Symmetric {
		edge = 0
	}
	for _, m := range all {
		if max(m.before, m.after) > m.n-edge {
			return nil, fmt.Sprintf("it pads %d elements by %d and %d", m.n, m.before, m.after)
		}
	}
	return padded(op, all, func(m margin) []run {
		return []run{
			{count: m.before, first: m.before + edge - 1, step: -1},
			{count: m.n, step: 1},
			{count: m.after, first: m.n - 1 - edge, step: -1},
		}
	}), ""
}

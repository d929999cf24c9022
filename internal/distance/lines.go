package distance

import "strings"

// Idea: many operators compute a row of their result from a few successive rows of each operand, and a column from a
// few columns. Code that keeps only these rows or columns needs no more of an image. They follow from the same
// windows, margins and places as the distances, so this file is here. They do not depend on the kernel.
//
// Only images of one batch have lines: with several, a row would stand for one in each image.
//
// Complexity: O(lines) for each operand.

// A Range is successive lines of an operand, both ends included. Last < First means none.
type Range struct{ First, Last int }

// Lines returns, for each line of the results, which lines of an operand it is computed from. Axis 1 is rows, 2 is
// columns. It is false if an operator is not computed line by line, or if that is not known.
func Lines(op *Operator, operand, axis int) ([]Range, bool) {
	if op.check() != "" || operand >= len(op.Operands) {
		return nil, false
	}
	x, y := &op.Operands[operand], &op.Results[0]
	if len(x.Shape) > 4 || len(y.Shape) != 4 || y.Shape[0] != 1 || y.Shape[axis] > rowsMost {
		return nil, false
	}
	in, _ := x.dims(4)
	n, m := in[axis], int64(y.Shape[axis])
	if in[0] != 1 {
		return nil, false
	}
	for i := range op.Results {
		if s := op.Results[i].Shape; len(s) != 4 || s[0] != 1 || s[axis] != y.Shape[axis] {
			return nil, false
		}
	}
	place := op.lineOf(operand, axis, n, m)
	if place == nil {
		return nil, false
	}
	out := make([]Range, m)
	for j := range out {
		out[j] = place(int64(j))
		if r := out[j]; r.First <= r.Last && (r.First < 0 || int64(r.Last) >= n) {
			return nil, false
		}
	}
	return out, true
}

// pointwise are operators that compute an element from those at the same place, or from those of the same pixel.
const pointwise = unaries + " " + binaries + " PRELU ADD_N SOFTMAX LOG_SOFTMAX L2_NORMALIZATION"

// Pointwise reports whether an operator of a kind computes an element from those at the same place, or from those of the
// same pixel, if its operands have the result's dimensions or are broadcast to them.
func Pointwise(kind string) bool { return listed(pointwise, kind) }

// listed reports whether a kind is in a list.
func listed(kinds, kind string) bool {
	return strings.Contains(" "+strings.Join(strings.Fields(kinds), " ")+" ", " "+kind+" ")
}

// moved are pointwise operators that give their operand another shape.
const moved = "EXPAND_DIMS"

// reductions are operators that take all of some dimensions together.
const reductions = "MEAN SUM REDUCE_MAX REDUCE_MIN"

// lineOf returns the lines from which a line of the result is computed, for an operand with n lines and a result with
// m; nil if they are not known.
func (op *Operator) lineOf(operand, axis int, n, m int64) func(j int64) Range {
	x := &op.Operands[operand]
	is := func(kinds string) bool { return listed(kinds, op.Kind) }
	switch {
	case is(moved):
		return nil
	case is(pointwise) && n == m, is("SPLIT SPLIT_V") && len(x.Shape) == 4 && n == m:
		return func(j int64) Range { return one(j) }
	case is(pointwise) && n == 1: // broadcast
		return func(int64) Range { return one(0) }
	case is(reductions) && operand == 0 && len(x.Shape) == 4 && (n == m || m == 1):
		if n == m {
			return func(j int64) Range { return one(j) }
		}
		return func(int64) Range { return Range{0, int(n - 1)} }
	case len(x.Shape) != 4:
		return nil
	}
	switch op.Kind {
	case "FULLY_CONNECTED": // of each pixel, if the result has the image's dimensions
		if y := op.Results[0].Shape; operand == 0 && n == m && y[3-axis] == x.Shape[3-axis] {
			return func(j int64) Range { return one(j) }
		}
	case "CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D", "TRANSPOSE_CONV":
		return op.windowLines(operand, axis, n, m)
	case "PAD", "PADV2", "MIRROR_PAD":
		return op.padLines(operand, axis)
	case "CONCATENATION":
		at, ok := op.joined()
		if !ok || at != axis && n != m {
			return nil
		}
		if at != axis {
			return func(j int64) Range { return one(j) }
		}
		before := int64(0)
		for i := range operand {
			if s := op.Operands[i].Shape; len(s) == 4 {
				before += int64(s[axis])
			}
		}
		return func(j int64) Range { return clip(j-before, j-before, n) }
	case "SLICE", "STRIDED_SLICE":
		return op.sliceLines(operand, axis)
	case "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR":
		if operand != 0 {
			return nil
		}
		return op.resizeLines(n, m)
	case "SPACE_TO_DEPTH":
		if b := int64(op.BlockSize); b > 0 && m*b == n {
			return func(j int64) Range { return clip(j*b, j*b+b-1, n) }
		}
	case "DEPTH_TO_SPACE":
		if b := int64(op.BlockSize); b > 0 && n*b == m {
			return func(j int64) Range { return one(j / b) }
		}
	}
	return nil
}

// joined returns the axis of a CONCATENATION of images.
func (op *Operator) joined() (int, bool) { return axis(op.Axis, 4) }

// one is a single line.
func one(j int64) Range { return Range{int(j), int(j)} }

// clip leaves the lines from first to last that an operand of n lines has.
func clip(first, last, n int64) Range { return Range{int(max(first, 0)), int(min(last, n-1))} }

// windowLines has the lines under a window. The window of TRANSPOSE_CONV slides over the result: a line is computed
// from all lines whose window covers it.
func (op *Operator) windowLines(operand, at int, n, m int64) func(j int64) Range {
	image := 0
	if op.Kind == "TRANSPOSE_CONV" {
		image = 2
		n, m = m, n
	}
	e, ok := op.edge(at, n, m)
	switch {
	case operand != image || !ok:
		return nil
	case image == 0:
		return e.covers
	}
	return func(j int64) Range {
		at := j + e.before
		return clip((max(at-e.filter+1, 0)+e.stride-1)/e.stride, at/e.stride, m)
	}
}

// edge returns the edge of a window that slides over n lines and stops at m of them.
func (op *Operator) edge(at int, n, m int64) (edge, bool) {
	filter, dilation := op.Filter[at-1], op.Dilation[at-1]
	switch op.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV":
		if len(op.Operands) < 2 || len(op.Operands[1].Shape) != 4 {
			return edge{}, false
		}
		filter = op.Operands[1].Shape[at]
	}
	if op.Kind == "TRANSPOSE_CONV" {
		dilation = 1
	}
	e, refused := newEdge(n, m, filter, op.Stride[at-1], dilation, op.Padding)
	return e, refused == ""
}

// A Window says which lines of an image the window of a convolution or a pool covers: for line j of the result Span
// lines, with those between the taps of a dilated one. The first is j × Stride − Before, which may lie outside.
type Window struct{ Stride, Span, Before int }

// WindowOf returns the window of an operator that has lines; false if it has no window, or one that slides over the
// result.
func WindowOf(op *Operator, axis int) (Window, bool) {
	switch op.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D":
	default:
		return Window{}, false
	}
	e, ok := op.edge(axis, int64(op.Operands[0].Shape[axis]), int64(op.Results[0].Shape[axis]))
	return Window{int(e.stride), int((e.filter-1)*e.dilation + 1), int(e.before)}, ok
}

// covers returns the lines of the image that the window covers at a place, and those between.
func (e edge) covers(i int64) Range {
	first, ok := e.first(i)
	if !ok {
		return Range{0, -1}
	}
	last := i*e.stride - e.before + (e.filter-1)*e.dilation
	if last >= e.image {
		last -= (last - e.image + e.dilation) / e.dilation * e.dilation
	}
	return Range{int(first), int(last)}
}

// padLines is what a padded image has inside.
func (op *Operator) padLines(operand, at int) func(j int64) Range {
	all, refused := margins(op)
	if refused != "" || operand != 0 {
		return nil
	}
	m := all[at]
	if op.Kind != "MIRROR_PAD" {
		return func(j int64) Range { return clip(j-m.before, j-m.before, m.n) }
	}
	edge := int64(1)
	if op.Symmetric {
		edge = 0
	}
	return func(j int64) Range {
		j -= m.before
		switch {
		case j < 0:
			j = -j - 1 + edge
		case j >= m.n:
			j = 2*m.n - 1 - edge - j
		}
		return one(j)
	}
}

// sliceLines is what a slice takes.
func (op *Operator) sliceLines(operand, at int) func(j int64) Range {
	n := int64(op.Operands[0].Shape[at])
	from, step := int64(0), int64(1)
	switch {
	case operand != 0:
		return nil
	case op.Kind == "SLICE":
		if _, refused := slice(op); refused != "" {
			return nil
		}
		from = op.Operands[1].Data[at]
	default:
		if _, refused := stridedSlice(op); refused != "" || op.ShrinkAxisMask != 0 {
			return nil
		}
		s := op.span(at, n, op.Operands[1].Data[at], op.Operands[2].Data[at], op.Operands[3].Data[at])
		from, step = s.first, s.step
	}
	return func(j int64) Range { return clip(from+j*step, from+j*step, n) }
}

// resizeLines has the lines that a resize reads: one, or two neighbours.
func (op *Operator) resizeLines(n, m int64) func(j int64) Range {
	switch {
	case op.AlignCorners && op.HalfPixelCenters:
		return nil
	case op.Kind == "RESIZE_NEAREST_NEIGHBOR":
		return func(j int64) Range { return one(op.neighbour(j, n, m)) }
	case op.Results[0].Type.Name == "FLOAT32":
		return func(j int64) Range { at := op.lower(j, n, m); return clip(at, at+1, n) }
	}
	return func(j int64) Range { at := op.lowerInteger(j, n, m); return clip(at, at+1, n) }
}

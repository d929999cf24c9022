package strips

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: an operator can run in strips if its kernel computes an element from the same numbers, in the same order,
// whether it is called on all lines or on some. What is not listed here is refused. So are constants that differ from
// line to line, and operands that say what is read where, if they are computed.
//
// Three refusals are not seen in shapes. A kernel of LiteRT that has floats and integer weights quantises its whole
// operand at once, so a strip would have another scale. The kernels of SLICE, PAD and CONCATENATION in TensorFlow Lite
// Micro know some types only. A float filter with an infinite element makes NaN of a padding of zeros.
//
// Source: tensorflow/tflite-micro 90b983c: kernels/slice.cc, pad.cc, concatenation.cc.

// parameters are the operands that are constants and the same for each strip, by kind. A kind of this list, or one that
// distance calls pointwise, can run in strips.
var parameters = map[string][]int{
	"CONV_2D": {1, 2}, "DEPTHWISE_CONV_2D": {1, 2}, "FULLY_CONNECTED": {1, 2}, "TRANSPOSE_CONV": {0, 1, 3},
	"MAX_POOL_2D": {}, "AVERAGE_POOL_2D": {}, "L2_POOL_2D": {},
	"PAD": {1}, "PADV2": {1, 2}, "MIRROR_PAD": {1},
	"RESIZE_BILINEAR": {1}, "RESIZE_NEAREST_NEIGHBOR": {1}, "SPACE_TO_DEPTH": {}, "DEPTH_TO_SPACE": {},
	"CONCATENATION": {}, "SPLIT": {0}, "SPLIT_V": {1, 2},
}

// needed are those of them that are not in what distance checks.
var needed = map[string][]int{"FULLY_CONNECTED": {1}, "RESIZE_BILINEAR": {1}, "RESIZE_NEAREST_NEIGHBOR": {1}}

// mostLines is the most lines of an image in strips. A larger one is none that a device has room for.
const mostLines = 1 << 16

// sliced are the types that SLICE, PAD and CONCATENATION have kernels for.
var sliced = []string{"FLOAT32", "INT8", "INT16"}

// refusal returns why an operator cannot run in strips, "" if it can, and notes which lines it reads.
func (s *Splitter) refusal(k int, axis Axis, l *lines) string {
	o, d := &s.m.Operators[k], s.operators[k].d
	fixed, known := parameters[d.Kind]
	if o.Custom != "" || len(o.Callees) > 0 || !known && !distance.Pointwise(d.Kind) {
		return "its kernel may need all " + axis.String() + " at once"
	}
	for i, t := range o.Outputs {
		if why := s.image(t, axis); why != "" {
			return fmt.Sprintf("its result %d %s", i, why)
		}
	}
	for _, place := range needed[d.Kind] {
		if place >= len(o.Inputs) || o.Inputs[place] < 0 {
			return fmt.Sprintf("it lacks operand %d", place)
		}
	}
	at := 1 + int(axis)
	images := 0
	for place, t := range o.Inputs {
		switch {
		case t < 0:
		case slices.Contains(fixed, place):
			if !s.m.Tensors[t].Constant {
				return fmt.Sprintf("its operand %d is computed", place)
			}
		default:
			constant := s.m.Tensors[t].Constant
			if why := s.image(t, axis); why != "" && !constant {
				return fmt.Sprintf("its operand %d %s", place, why)
			}
			reads, ok := distance.Lines(d, place, at)
			if !ok {
				return fmt.Sprintf("which %s it reads of operand %d is not known", axis, place)
			}
			shape := d.Operands[place].Shape
			if constant {
				if len(shape) > 3-at && shape[len(shape)-4+at] != 1 {
					return fmt.Sprintf("its constant operand %d differs from %s to %s", place, one(axis), one(axis))
				}
				continue
			}
			l.reads[place] = reads
			images++
		}
	}
	if images == 0 {
		return "it has no operand that is an image"
	}
	return s.exactly(k, at)
}

// image says why strips of a tensor cannot be taken.
func (s *Splitter) image(t int32, axis Axis) string {
	x := &s.m.Tensors[t]
	switch n := x.Type.String(); {
	case x.Variable || x.Handle:
		return "keeps its value between runs"
	case !slices.Contains(sliced, n):
		return "has type " + n + ", for which SLICE, PAD or CONCATENATION have no kernel in TensorFlow Lite Micro"
	case x.Bytes == 0:
		return "is empty"
	case len(x.Shape) == 4 && x.Shape[1+axis] > mostLines:
		return fmt.Sprintf("has %d %s", x.Shape[1+axis], axis)
	}
	return ""
}

// one is a line, in words.
func one(axis Axis) string { return strings.TrimSuffix(axis.String(), "s") }

// exactly says why an operator on some lines would not compute the same bits. Its operands and results are images of
// types that can be sliced.
func (s *Splitter) exactly(k, at int) string {
	o, d := &s.m.Operators[k], s.operators[k].d
	switch d.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV":
		image := d.Operands[imageOf(d.Kind)].Type.Name
		if image == "FLOAT32" && d.Operands[1].Type.Name != "FLOAT32" {
			return "its weights are " + d.Operands[1].Type.Name + ", so a kernel may quantise its whole operand"
		}
		if image == "FLOAT32" && d.Padding == distance.Same && !s.m.Finite(int(o.Inputs[1])) {
			return "its filter has elements that are no finite numbers, which padding would make NaN"
		}
	}
	switch d.Kind {
	case "MIRROR_PAD":
		if p := d.Operands[1].Data; len(p) != 8 || p[2*at] != 0 || p[2*at+1] != 0 {
			return "it mirrors at the ends of the axis"
		}
	case "CONCATENATION":
		if axis := d.Axis; axis == at || axis+4 == at {
			return "it puts its operands one behind the other along the axis"
		}
	case "PAD", "PADV2":
		if len(d.Operands[1].Data) != 8 {
			return "its paddings are not known"
		}
	case "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "TRANSPOSE_CONV", "DEPTH_TO_SPACE":
		_, _, why := stretch(d, at)
		return why
	}
	return ""
}

// imageOf returns the place of the image among the operands of an operator with weights.
func imageOf(kind string) int {
	if kind == "TRANSPOSE_CONV" {
		return 2
	}
	return 0
}

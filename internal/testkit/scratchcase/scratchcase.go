// Package scratchcase has operators as one line of text each. lab/kernels/scratch asks a library's size functions
// about them, and the tests of internal/kernelscratch compare the formulas with the answers.
//
//	CONV_2D 2x2 1x1 same 0 - INT8:1x10x10x3 INT8!8x3x3x3 - > INT8:1x5x5x8
//
// After the kind: stride, dilation, padding, the multiplier of channels, flags (p: a scale for each channel, x and y:
// an operand is transposed, - for none), operands, and after > the results. A constant has ! instead of :, and an
// operand that is left out is -.
package scratchcase

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/distance"
)

// Line returns an operator as a line.
func Line(op *distance.Operator) string {
	padding, flags := "valid", ""
	if op.Padding == distance.Same {
		padding = "same"
	}
	for _, f := range []struct {
		set  bool
		flag string
	}{{op.PerChannel, "p"}, {op.TransposedX, "x"}, {op.TransposedY, "y"}} {
		if f.set {
			flags += f.flag
		}
	}
	if flags == "" {
		flags = "-"
	}
	words := []string{
		op.Kind, fmt.Sprintf("%dx%d", op.Stride[0], op.Stride[1]), fmt.Sprintf("%dx%d", op.Dilation[0], op.Dilation[1]),
		padding, strconv.Itoa(op.DepthMultiplier), flags,
	}
	for i := range op.Operands {
		words = append(words, tensor(&op.Operands[i]))
	}
	words = append(words, ">")
	for i := range op.Results {
		words = append(words, tensor(&op.Results[i]))
	}
	return strings.Join(words, " ")
}

func tensor(t *distance.Tensor) string {
	if t.Type.Name == "" {
		return "-"
	}
	mark := ":"
	if t.Constant {
		mark = "!"
	}
	var dims []string
	for _, d := range t.Shape {
		dims = append(dims, strconv.Itoa(d))
	}
	return t.Type.Name + mark + strings.Join(dims, "x")
}

// Parse reads a line.
func Parse(line string) (*distance.Operator, error) {
	words := strings.Fields(line)
	to := slices.Index(words, ">")
	if len(words) < 7 || to < 6 {
		return nil, fmt.Errorf("%q is no operator", line)
	}
	op := &distance.Operator{Kind: words[0]}
	_, err := fmt.Sscanf(strings.Join(words[1:6], " "), "%dx%d %dx%d", &op.Stride[0], &op.Stride[1], &op.Dilation[0],
		&op.Dilation[1])
	if err != nil {
		return nil, fmt.Errorf("%q: %w", line, err)
	}
	if words[3] == "same" {
		op.Padding = distance.Same
	}
	if op.DepthMultiplier, err = strconv.Atoi(words[4]); err != nil {
		return nil, fmt.Errorf("%q: %w", line, err)
	}
	op.PerChannel, op.TransposedX = strings.Contains(words[5], "p"), strings.Contains(words[5], "x")
	op.TransposedY = strings.Contains(words[5], "y")
	for i, w := range words[6:] {
		if w == ">" {
			continue
		}
		t, err := parseTensor(w)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		if 6+i < to {
			op.Operands = append(op.Operands, t)
		} else {
			op.Results = append(op.Results, t)
		}
	}
	return op, nil
}

func parseTensor(word string) (t distance.Tensor, err error) {
	if word == "-" {
		return t, nil
	}
	at := strings.IndexAny(word, ":!")
	if at < 0 {
		return t, fmt.Errorf("%q is no tensor", word)
	}
	t.Type, t.Constant = distance.TypeOf(word[:at]), word[at] == '!'
	for _, d := range strings.Split(word[at+1:], "x") {
		if word[at+1:] == "" {
			break // a scalar
		}
		n, err := strconv.Atoi(d)
		if err != nil {
			return t, err
		}
		t.Shape = append(t.Shape, n)
	}
	return t, nil
}

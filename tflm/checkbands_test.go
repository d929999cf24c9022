package tflm

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// striped is in → SLICE, SOFTMAX, CONCATENATION in two strips of 64 bytes. Its tensors are in, the rows 0 to 3 of it,
// what is made of them, the rows 4 to 7, what is made of those, and out. The first strip is read again at the end if
// late.
func striped(late bool, begin ...int32) tflitemade.Graph {
	image := func(name string, rows int32) tflitemade.Tensor {
		return tflitemade.Tensor{Name: name, Shape: []int32{1, rows, 2, 2}}
	}
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			image("in", 8), image("above", 4), image("made above", 4), image("below", 4), image("made below", 4), image("out", 8),
		},
		Inputs: []int32{0}, Outputs: []int32{5},
	}
	fixed := func(values ...int32) int32 {
		data := []byte{}
		for _, v := range values {
			data = binary.LittleEndian.AppendUint32(data, uint32(v))
		}
		g.Tensors = append(g.Tensors, tflitemade.Tensor{Shape: []int32{4}, Type: tfliteschema.TensorTypeINT32, Data: data})
		return int32(len(g.Tensors) - 1)
	}
	for k, row := range begin {
		rows := int32(2*k + 1)
		g.Ops = append(g.Ops, tflitemade.Op{
			Code: tfliteschema.BuiltinOperatorSLICE, Inputs: []int32{0, fixed(0, row, 0, 0), fixed(1, 4, 2, 2)}, Outputs: []int32{rows},
		}, tflitemade.Op{Code: tfliteschema.BuiltinOperatorSOFTMAX, Inputs: []int32{rows}, Outputs: []int32{rows + 1}})
	}
	g.Ops = append(g.Ops, tflitemade.Op{
		Code: tfliteschema.BuiltinOperatorCONCATENATION, Inputs: []int32{2, 4}, Outputs: []int32{5}, Options: map[int]any{0: int32(1)},
	})
	if late {
		g.Tensors = append(g.Tensors, image("again", 4))
		g.Ops = append(g.Ops, tflitemade.Op{
			Code: tfliteschema.BuiltinOperatorSOFTMAX, Inputs: []int32{1}, Outputs: []int32{int32(len(g.Tensors) - 1)},
		})
	}
	return g
}

// TestBands has plans in which rows lie in place in the operand of SLICE and in the result of CONCATENATION.
func TestBands(t *testing.T) {
	const off = -1 // of a constant
	for _, c := range []struct {
		name    string
		graph   tflitemade.Graph
		offsets []int32
		kernels Kernels
		says    string // "" if nothing is wrong
		height  int64
	}{
		{"in place in both", striped(false, 0, 4), []int32{0, 0, 128, 64, 192, 128, off, off, off, off}, "", "", 256},
		{"a copy over rows that have died", striped(false, 0, 4), []int32{0, 0, 128, 64, 0, 256, off, off, off, off}, "", "", 384},
		{
			"the same, with kernels", striped(false, 0, 4),
			[]int32{0, 0, 128, 64, 0, 256, off, off, off, off},
			ReferenceKernels,
			"", 384,
		},
		{
			"over rows that are needed", striped(false, 0, 4),
			[]int32{0, 0, 64, 64, 256, 256, off, off, off, off},
			"",
			`tensor 0 "in" and tensor 2 "made above" share the bytes 64 to 128 while both live`, 384,
		},
		{
			"one row too far", striped(false, 0, 4),
			[]int32{0, 0, 16, 64, 128, 256, off, off, off, off},
			"",
			`tensor 0 "in" and tensor 2 "made above" share the bytes 64 to 80 while both live`, 384,
		},
		{
			"one byte off", striped(false, 0, 4),
			[]int32{0, 1, 128, 64, 192, 128, off, off, off, off},
			"",
			`tensor 0 "in" and tensor 1 "above" share the bytes 64 to 65 while both live`, 256,
		},
		{
			"in place where other rows are", striped(false, 0, 4),
			[]int32{0, 0, 128, 80, 192, 128, off, off, off, off},
			"",
			`tensor 0 "in" starts -80 bytes above its result tensor 3 "below", but the kernel of reference needs`, 256,
		},
		{
			"a part where the other is", striped(false, 0, 4),
			[]int32{0, 0, 192, 64, 128, 128, off, off, off, off},
			"",
			`tensor 5 "out" and tensor 4 "made below" share bytes, which reference does not permit: CONCATENATION: its result has`, 256,
		},
		{
			"the whole result over the operand", striped(false, 0, 4),
			[]int32{0, 0, 0, 64, 64, 0, off, off, off, off},
			"",
			"warning: at operator 1, SOFTMAX", 128,
		},
		{"that, with kernels", striped(false, 0, 4), []int32{0, 0, 0, 64, 64, 0, off, off, off, off}, ReferenceKernels, "", 128},
		{
			"below its operand, too near", striped(false, 0, 4),
			[]int32{0, 0, 16, 64, 256, 512, off, off, off, off},
			ReferenceKernels,
			`but the kernel of reference needs at least`, 640,
		},
		{
			"rows that two strips read", striped(false, 0, 3),
			[]int32{0, 0, 0, 48, 128, 256, off, off, off, off},
			ReferenceKernels,
			`"in" and tensor 2 "made above" share the bytes 48 to 64 while both live`, 384,
		},
		{
			"rows of a view that is read later", striped(true, 0, 4),
			[]int32{0, 0, 128, 64, 0, 256, off, off, off, off, 384},
			"",
			`"in" and tensor 4 "made below" share the bytes 0 to 64 while both live`, 448,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := must.Get(CheckFor(planned(t, c.graph, c.offsets...), CheckOptions{Kernels: c.kernels}))(t)
			var all strings.Builder
			for _, f := range v.Findings {
				all.WriteString(string(f.Severity) + ": " + f.Message + "\n")
			}
			if good := c.says == "" || strings.HasPrefix(c.says, "warning"); v.OK() != good || v.Height != c.height ||
				!strings.Contains(all.String(), c.says) || c.says == "" && strings.Contains(all.String(), "warning") {
				t.Errorf("ok %v, height %d, want %d and %q; found:\n%s", v.OK(), v.Height, c.height, c.says, &all)
			}
		})
	}
}

// TestRows plans models whose rows may lie in place. The plan has no fault (Make checks it), and the least head.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		name    string
		graph   tflitemade.Graph
		kernels Kernels
		head    int64
		proven  bool
	}{
		{"in two halves", striped(false, 0, 4), "", 192, true}, // the second half of the result lies over the first of the operand
		{"results over operands", striped(false, 0, 4), ReferenceKernels, 128, true},
		{"two strips read a row", striped(false, 0, 3), ReferenceKernels, 144, false},
		{"a strip is read again", striped(true, 0, 4), "", 256, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := must.Get(Make(t.Context(), planned(t, c.graph), Options{Rows: true, Kernels: c.kernels}))(t)
			if p.Rows == nil || p.Head != c.head || c.proven != (p.Result.Status == stowage.Optimal) {
				t.Errorf("head %d (%s), want %d; rows in place: %v", p.Head, p.Result.Status, c.head, p.Rows != nil)
			}
		})
	}
}

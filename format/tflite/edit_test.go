package tflite_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// edits is a model of two subgraphs with a plan, and an edit of it: the convolution with SAME padding becomes a PAD and
// one with VALID padding, and its result is put together of two equal parts of that.
func edits(t *testing.T) (*tflite.Model, *tflite.Edit) {
	image := []int32{1, 4, 4, 1}
	g := tflitemade.Graph{
		Tensors: []tflitemade.Tensor{
			{Name: "input", Shape: image, Type: tfliteschema.TensorTypeINT8, Scales: []float32{0.5}, Zero: 3},
			{Name: "filter", Shape: []int32{1, 3, 3, 1}, Type: tfliteschema.TensorTypeINT8, Data: make([]byte, 9)},
			{Name: "between", Shape: image, Type: tfliteschema.TensorTypeINT8, Scales: []float32{0.5}, Zero: 3},
			{Name: "output", Shape: image, Type: tfliteschema.TensorTypeINT8, Scales: []float32{0.25}},
		},
		Ops: []tflitemade.Op{
			{
				Code: tfliteschema.BuiltinOperatorCONV_2D, Inputs: []int32{0, 1, -1}, Outputs: []int32{2},
				Options: map[int]any{0: int8(0), 1: int32(1), 2: int32(1), 3: int8(1), 4: int32(1), 5: int32(1)},
			},
			{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{2}, Outputs: []int32{3}},
		},
		Inputs: []int32{0}, Outputs: []int32{3},
	}
	plan := tflitemade.Metadata{Name: tflite.MetadataName, Data: tflitemade.Words(1, 0, 8, 0, -1, 16, 0, 0, -1, 16, 0)}
	other := tflitemade.Metadata{Name: "other", Data: []byte("kept")}
	m := must.Get(tflite.Parse(tflitemade.Model([]tflitemade.Graph{g, g}, plan, other), "two"))(t)
	like := []int32{1, 6, 6, 1}
	return m, &tflite.Edit{
		Tensors: []tflite.NewTensor{
			{Name: "padded", Shape: like, Like: 0},
			{Shape: []int32{4, 2}, Data: []int32{0, 0, 1, 1, 1, 1, 0, 0}},
			{Name: "part", Shape: image, Like: 2},
			{Name: "both", Shape: []int32{1, 8, 4, 1}, Like: 2},
			{Shape: []int32{4}, Data: []int32{0, 2, 0, 0}},
			{Shape: []int32{4}, Data: []int32{1, 4, 4, 1}},
			{Name: "half", Shape: image, Like: 2},
		},
		Operators: []tflite.NewOperator{
			{From: -1, Code: tflite.Code(tfliteschema.BuiltinOperatorPAD), Inputs: []int32{0, 5}, Outputs: []int32{4}},
			{From: 0, Padding: tflite.ValidPadding, Inputs: []int32{4, 1, -1}, Outputs: []int32{6}},
			{
				From: -1, Code: tflite.Code(tfliteschema.BuiltinOperatorCONCATENATION), Axis: 1,
				Inputs: []int32{6, 6}, Outputs: []int32{7},
			},
			{
				From: -1, Code: tflite.Code(tfliteschema.BuiltinOperatorSLICE),
				Inputs: []int32{7, 8, 9}, Outputs: []int32{10},
			},
			{From: 1, Inputs: []int32{10}, Outputs: []int32{3}},
		},
	}
}

// TestEdited holds a sketch and its file.
func TestEdited(t *testing.T) {
	m, edit := edits(t)
	sketch := must.Get(m.Edited(edit))(t)
	var names []string
	for _, x := range sketch.Tensors {
		names = append(names, x.Name)
	}
	// "between" left, and the first new tensor has its number. The second subgraph is as it was.
	const want = "input,filter,padded,output,,part,both,,,half,input,filter,between,output"
	if got := strings.Join(names, ","); got != want {
		t.Errorf("tensors %s", got)
	}
	if sketch.Offline != nil || sketch.Bytes() != nil || len(m.Operators) != 4 || m.Offline == nil {
		t.Error("the sketch has a plan or a file, or the model has changed")
	}
	if got := sketch.Operators[5].Inputs; !slices.Equal(got, []int32{10, 11, -1}) {
		t.Errorf("the second subgraph reads %v", got)
	}
	if got := sketch.Integers(int(sketch.Operators[3].Inputs[1])); !slices.Equal(got, []int64{0, 2, 0, 0}) {
		t.Errorf("the slice begins at %v", got)
	}
	file := must.Get(sketch.Written())(t)
	if !bytes.HasSuffix(file.Bytes(), m.Bytes()) || len(file.Bytes()) > len(m.Bytes())+1600 {
		t.Errorf("%d bytes become %d", len(m.Bytes()), len(file.Bytes()))
	}
	conv := file.Operators[1].Options
	if conv.Same || conv.Activation != 1 || conv.DilationW != 1 || file.Operators[2].Options.Axis != 1 {
		t.Errorf("options %+v, %+v", conv, file.Operators[2].Options)
	}
	if file.Tensors[6].Channels != 1 || file.Tensors[5].Type != m.Tensors[2].Type {
		t.Errorf("%+v", file.Tensors[5:7])
	}

	// What is made of a sketch is made of its file.
	offsets := slices.Repeat([]int32{32}, len(sketch.Tensors))
	planned := must.Get(tflite.Parse(must.Get(sketch.WithOffsets(offsets))(t), "two"))(t)
	if o := planned.Offline; o == nil || !slices.Equal(o.Offsets, offsets) || planned.Operators[3].Name() != "SLICE" {
		t.Errorf("%+v", planned.Offline)
	}
	if _, err := sketch.Reordered([]int{0, 1, 3, 2, 4}); err == nil {
		t.Error("the slice runs before what it reads")
	}
	if same := must.Get(sketch.Reordered([]int{0, 1, 2, 3, 4}))(t); !bytes.Equal(same, file.Bytes()) {
		t.Error("the same order gives another file")
	}
	few := &tflite.Edit{Operators: []tflite.NewOperator{{From: 4, Inputs: []int32{0}, Outputs: []int32{3}}}}
	if _, err := sketch.Edited(few); err == nil || !strings.Contains(err.Error(), "8 tensors leave and 0 come") {
		t.Errorf("numbers of tensors change: %v", err)
	}
}

// TestEditedFaults has edits that fit no model.
func TestEditedFaults(t *testing.T) {
	for _, tc := range []struct {
		spoil func(e *tflite.Edit)
		want  string
	}{
		{func(e *tflite.Edit) { e.Operators[0].Inputs[0] = 11 }, "operator 0 of the edit: it has tensor 11 of 11"},
		{func(e *tflite.Edit) { e.Operators[4].From = 2 }, "it is made from operator 2, which has no such form"},
		{func(e *tflite.Edit) { e.Operators[4].Padding = tflite.SamePadding }, "from operator 1, which has no such form"},
		{func(e *tflite.Edit) { e.Tensors[1].Data = e.Tensors[1].Data[:7] }, `"" of the edit has shape [4 2] and 7`},
		{func(e *tflite.Edit) { e.Tensors[0].Shape = []int32{1, 0, 6, 1} }, `"padded" of the edit has shape`},
	} {
		m, e := edits(t)
		tc.spoil(e)
		if _, err := m.Edited(e); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v", tc.want, err)
		}
	}
}

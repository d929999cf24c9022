package tflite

import (
	"reflect"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// operatorWith returns the first operator of a model that has one, with these options.
func operatorWith(t *testing.T, code tfliteschema.BuiltinOperator, options map[int]any) *Operator {
	t.Helper()
	image := tflitemade.Tensor{Shape: []int32{1, 4, 4, 2}, Type: tfliteschema.TensorTypeINT8}
	m := must.Get(Parse(tflitemade.Model([]tflitemade.Graph{{
		Tensors: []tflitemade.Tensor{image, image},
		Ops:     []tflitemade.Op{{Code: code, Inputs: []int32{0}, Outputs: []int32{1}, Options: options}},
		Inputs:  []int32{0}, Outputs: []int32{1},
	}}), "made"))(t)
	return &m.Operators[0]
}

func TestKernelOptions(t *testing.T) {
	for _, c := range []struct {
		code    tfliteschema.BuiltinOperator
		options map[int]any
		want    Options
	}{
		{
			tfliteschema.BuiltinOperatorCONV_2D,
			map[int]any{0: int8(1), 1: int32(2), 2: int32(3), 3: int8(1), 4: int32(4), 5: int32(5)},
			Options{StrideW: 2, StrideH: 3, Activation: 1, DilationW: 4, DilationH: 5},
		},
		{
			tfliteschema.BuiltinOperatorCONV_2D,
			map[int]any{1: int32(1), 2: int32(1)},
			Options{Same: true, StrideW: 1, StrideH: 1, DilationW: 1, DilationH: 1},
		},
		{
			tfliteschema.BuiltinOperatorDEPTHWISE_CONV_2D,
			map[int]any{1: int32(2), 2: int32(1), 3: int32(8), 6: int32(3)},
			Options{Same: true, StrideW: 2, StrideH: 1, DepthMultiplier: 8, DilationW: 1, DilationH: 3},
		},
		{
			tfliteschema.BuiltinOperatorMAX_POOL_2D,
			map[int]any{0: int8(1), 1: int32(2), 2: int32(3), 3: int32(4), 4: int32(5)},
			Options{StrideW: 2, StrideH: 3, FilterW: 4, FilterH: 5},
		},
		{tfliteschema.BuiltinOperatorCONCATENATION, map[int]any{0: int32(-1)}, Options{Axis: -1}},
		{tfliteschema.BuiltinOperatorPACK, map[int]any{0: int32(2), 1: int32(3)}, Options{Axis: 3}},
		{tfliteschema.BuiltinOperatorRESIZE_BILINEAR, map[int]any{2: true}, Options{AlignCorners: true}},
		{tfliteschema.BuiltinOperatorRESIZE_NEAREST_NEIGHBOR, map[int]any{1: true}, Options{HalfPixelCenters: true}},
		{tfliteschema.BuiltinOperatorSPACE_TO_DEPTH, map[int]any{0: int32(2)}, Options{BlockSize: 2}},
		{
			tfliteschema.BuiltinOperatorSTRIDED_SLICE,
			map[int]any{0: int32(1), 1: int32(2), 2: int32(3), 3: int32(4), 4: int32(5), 5: true},
			Options{BeginMask: 1, EndMask: 2, EllipsisMask: 3, NewAxisMask: 4, ShrinkAxisMask: 5, Offset: true},
		},
	} {
		got := operatorWith(t, c.code, c.options).Options
		if got == nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%v %v: %+v, want %+v", Code(c.code), c.options, got, c.want)
		}
	}
}

// What cannot be read is not guessed.
func TestKernelOptionsMissing(t *testing.T) {
	if o := operatorWith(t, tfliteschema.BuiltinOperatorABS, nil); o.Options != nil {
		t.Errorf("ABS has the options %+v", o.Options)
	}
	// The stride has one byte where four are wanted, at the end of its table.
	if o := operatorWith(t, tfliteschema.BuiltinOperatorSPACE_TO_DEPTH, map[int]any{0: int8(2)}); o.Options != nil {
		t.Errorf("a table that is too short is read as %+v", o.Options)
	}
}

func TestIntegers(t *testing.T) {
	integer := func(kind tfliteschema.TensorType, shape int32, data ...byte) tflitemade.Tensor {
		return tflitemade.Tensor{Shape: []int32{shape}, Type: kind, Data: data}
	}
	m := must.Get(Parse(tflitemade.Model([]tflitemade.Graph{{Tensors: []tflitemade.Tensor{
		integer(tfliteschema.TensorTypeINT32, 2, 1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff),
		integer(tfliteschema.TensorTypeINT64, 1, 7, 0, 0, 0, 1, 0, 0, 0),
		integer(tfliteschema.TensorTypeINT8, 2, 0x80, 3),
		integer(tfliteschema.TensorTypeUINT8, 1, 0x80),
		integer(tfliteschema.TensorTypeINT16, 1, 0xff, 0xff),
		integer(tfliteschema.TensorTypeFLOAT32, 1, 1, 0, 0, 0),
		integer(tfliteschema.TensorTypeINT32, 3, 1, 0, 0, 0),
		{Shape: []int32{2}, Type: tfliteschema.TensorTypeINT32},
	}}}), "made"))(t)
	want := [][]int64{{1, -2}, {1<<32 + 7}, {-128, 3}, {128}, {-1}, nil, nil, nil}
	for i := range want {
		if got := m.Integers(i); !reflect.DeepEqual(got, want[i]) {
			t.Errorf("tensor %d: %v, want %v", i, got, want[i])
		}
	}
}

package tflm

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// TestObstacles: what the runtime cannot run is found, and nothing of what it runs.
func TestObstacles(t *testing.T) {
	tensor := func(kind tfliteschema.TensorType) tflitemade.Tensor {
		return tflitemade.Tensor{Shape: []int32{1, 4}, Type: kind}
	}
	one := func(code tfliteschema.BuiltinOperator, custom string, inputs ...tfliteschema.TensorType) []byte {
		g := tflitemade.Graph{}
		op := tflitemade.Op{Code: code, Custom: custom}
		for k, x := range inputs {
			g.Tensors = append(g.Tensors, tensor(x))
			op.Inputs = append(op.Inputs, int32(k))
		}
		op.Outputs, g.Inputs, g.Outputs = []int32{int32(len(g.Tensors))}, op.Inputs, []int32{int32(len(g.Tensors))}
		g.Tensors = append(g.Tensors, tensor(tfliteschema.TensorTypeFLOAT32))
		g.Ops = []tflitemade.Op{op}
		return tflitemade.Model([]tflitemade.Graph{g})
	}
	const (
		float, half, byte8, word, unsigned = tfliteschema.TensorTypeFLOAT32, tfliteschema.TensorTypeFLOAT16,
			tfliteschema.TensorTypeINT8,
			tfliteschema.TensorTypeINT16, tfliteschema.TensorTypeUINT8
		connected = tfliteschema.BuiltinOperatorFULLY_CONNECTED
	)
	for name, c := range map[string]struct {
		model []byte
		want  string // of Why; empty for no obstacle
		next  string
	}{
		"floats":  {tflitemade.Images(3, 12), "", ""},
		"bytes":   {tflitemade.Bytes(3, 12), "", ""},
		"network": {tflitemade.Network(4, 24), "", ""},
		"halves":  {tflitemade.Halves(), "weights are float16", "--fold-float16"},
		"hybrid": {
			tflitemade.Hybrid(), "the kernel of CONV_2D does not take FLOAT32 with weights of INT8", "int8 with int8",
		},
		"connected":       {one(connected, "", byte8, byte8), "", ""},
		"connected words": {one(connected, "", word, byte8), "", ""},
		"connected hybrid": {
			one(connected, "", float, byte8),
			"the kernel of FULLY_CONNECTED does not take FLOAT32 with weights of INT8", "convert",
		},
		"connected of old": {one(connected, "", unsigned, unsigned), "does not take UINT8 with weights of UINT8", "convert"},
		"halves at run": {
			one(tfliteschema.BuiltinOperatorDEQUANTIZE, "", half), "the kernel of DEQUANTIZE does not take FLOAT16", "convert",
		},
		"bytes to floats": {one(tfliteschema.BuiltinOperatorDEQUANTIZE, "", byte8), "", ""},
		"no kernel": {
			one(tfliteschema.BuiltinOperatorDENSIFY, "", float), "TensorFlow Lite Micro has no kernel for DENSIFY", "replace",
		},
		"kernel not known": {one(tfliteschema.BuiltinOperatorCUMSUM, "", float, tfliteschema.TensorTypeINT32), "", ""},
		"custom":           {one(tfliteschema.BuiltinOperatorCUSTOM, "MyOwn", half), "", ""},
		"recurrent, halves": {
			one(tfliteschema.BuiltinOperatorSVDF, "", float, byte8, byte8),
			"SVDF does not take FLOAT32 with weights of INT8", "",
		},
	} {
		found := Obstacles(parse(t, c.model))
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: %+v", name, found)
		case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Why, c.want) ||
			!strings.Contains(found[0].Next, c.next)):
			t.Errorf("%s: %+v, want %q and %q", name, found, c.want, c.next)
		}
	}
	// Folded it runs.
	m, n, err := parse(t, tflitemade.Halves()).Fold()
	if err != nil || n != 2 || len(Obstacles(m)) > 0 {
		t.Errorf("%d folded, %v, %+v", n, err, Obstacles(m))
	}
}

// TestDoubts: unknown operators, unknown scratch and obstacles all make an arena a lower bound.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		model   []byte
		atLeast bool
	}{
		{tflitemade.Network(4, 24), false},
		{tflitemade.Halves(), true},
		{tflitemade.Model([]tflitemade.Graph{tflitemade.EthosU()}), true},
	} {
		d := DoubtsOf(parse(t, c.model), ReferenceSet)
		if d.AtLeast() != c.atLeast {
			t.Errorf("%+v: at least %v", d, d.AtLeast())
		}
	}
}

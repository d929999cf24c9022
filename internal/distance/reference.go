package distance

import (
	"strings"
	"sync"
)

// reference returns the rules of TensorFlow Lite Micro's reference kernels. The table is made once.
//
// Source: tensorflow/tflite-micro at the revision of Library.Source, tensorflow/lite/micro/kernels and
// tensorflow/lite/kernels/internal/reference.
var reference = sync.OnceValue(func() map[string]rule {
	table := map[string]rule{
		"CONV_2D":           convolution,
		"DEPTHWISE_CONV_2D": depthwise,
		"MAX_POOL_2D":       pool,
		"AVERAGE_POOL_2D":   pool,
		"L2_POOL_2D":        pool,
		"FULLY_CONNECTED":   connected,

		"ADD_N":            variadic,
		"PRELU":            prelu,
		"SOFTMAX":          rowwise,
		"LOG_SOFTMAX":      rowwise,
		"L2_NORMALIZATION": rowwise,
		"RESHAPE":          same,
		"SQUEEZE":          same,

		"PAD":                     pad,
		"PADV2":                   pad,
		"MIRROR_PAD":              mirror,
		"CONCATENATION":           concatenation,
		"PACK":                    pack,
		"UNPACK":                  unpack,
		"SPLIT":                   split(1, 0),
		"SPLIT_V":                 split(0, 2),
		"SLICE":                   slice,
		"STRIDED_SLICE":           stridedSlice,
		"RESIZE_BILINEAR":         bilinear,
		"RESIZE_NEAREST_NEIGHBOR": nearest,
		"SPACE_TO_DEPTH":          spaceToDepth,
		"DEPTH_TO_SPACE":          depthToSpace,
		"SPACE_TO_BATCH_ND":       spaceToBatch,
		"BATCH_TO_SPACE_ND":       batchToSpace,

		"TRANSPOSE_CONV": refuse("it clears the result first, then scatters"),
		"TRANSPOSE":      refuse("it reads its operand in another order than it writes"),
		"REVERSE_V2":     refuse("it writes backwards"),
		"GATHER":         refuse("its data say what it reads"),
		"GATHER_ND":      refuse("its data say what it reads"),
		"BATCH_MATMUL":   refuse("it reads its operands once for each row or column of the result"),
	}
	for _, kind := range strings.Fields(unaries) {
		table[kind] = unary
	}
	for _, kind := range strings.Fields(binaries) {
		table[kind] = binary
	}
	for _, kind := range []string{"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ALL"} {
		table[kind] = refuse("it initialises its result first, then adds to it")
	}
	return table
})

// unaries and binaries are the element-wise operators of one operand and of two.
const (
	unaries = `ABS CEIL COS ELU EXP FLOOR HARD_SWISH LEAKY_RELU LOG LOGICAL_NOT LOGISTIC NEG
		RELU RELU6 ROUND RSQRT SIN SQRT SQUARE TANH QUANTIZE DEQUANTIZE CAST EXPAND_DIMS`
	binaries = `ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD LOGICAL_AND
		LOGICAL_OR EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL`
)

// refuse is the rule of a kind that permits nothing.
func refuse(why string) rule {
	return func(*Operator) ([]Permit, string) { return nil, why }
}

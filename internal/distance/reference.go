package distance

// reference returns the rules of TensorFlow Lite Micro's reference kernels.
//
// Source: tensorflow/tflite-micro at the revision of Library.Source, tensorflow/lite/micro/kernels and
// tensorflow/lite/kernels/internal/reference.
func reference() map[string]rule {
	return map[string]rule{
		"CONV_2D":           convolution,
		"DEPTHWISE_CONV_2D": depthwise,
		"MAX_POOL_2D":       pool,
		"AVERAGE_POOL_2D":   pool,
		"L2_POOL_2D":        pool,

		"TRANSPOSE_CONV": refuse("clears the result first, then scatters"),
		"MEAN":           refuse("clears its sums first, and may keep them in the result"),
		"TRANSPOSE":      refuse("reads its operand in another order than it writes"),
	}
}

// refuse is the rule of a kind that permits nothing.
func refuse(why string) rule {
	return func(*Operator) ([]Permit, string) { return nil, why }
}

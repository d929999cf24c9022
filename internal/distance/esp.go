package distance

import (
	"maps"
	"sync"
)

// Idea: ESP-NN's kernels in C, esp_nn_*_ansi and esp_nn_*_opt, go through rows, columns and channels as the
// reference kernels do. The _opt kernels compute up to four channels before they write them. So the
// reference's distances hold. Two things differ: groups, and the loops of broadcast operands.
//
// The kernels for ESP32-S3 and ESP32-P4 are others, in assembly. Nothing is said of them: these chips have ESP-NN
// in C only if it is built without CONFIG_NN_OPTIMIZED.
//
// Source: espressif/esp-nn at the revision of Library.Source, src/convolution/esp_nn_conv_opt.c and _ansi.c,
// esp_nn_depthwise_conv_opt.c and _ansi.c, src/pooling/*_ansi.c, src/fully_connected/*_ansi.c,
// src/softmax/*_opt.c and _ansi.c, src/basic_math/*_ansi.c. Which operator takes which kernel is in
// espressif/esp-tflite-micro at 99f49e1498b0984f4db54d9bf3938aceb99ad422, tensorflow/lite/micro/kernels/esp_nn:
// dilation and other types than INT8 take the reference kernel.
//
// Trials: docs/lab/tflm.md (lab/kernels traces every access of both sets of kernels).

// esp returns the rules of ESP-NN. The table is made once.
var esp = sync.OnceValue(func() map[string]rule {
	table := maps.Clone(reference())
	convolution := table["CONV_2D"]
	table["CONV_2D"] = func(op *Operator) ([]Permit, string) {
		permits, refused := convolution(op)
		if refused == "" && taken(op) && op.Operands[1].Shape[3] != op.Operands[0].Shape[3] {
			// esp_nn_conv_s8_1x1 reads all channels of the image for each group, and past the filter.
			return nil, "ESP-NN's 1×1 convolution knows no groups"
		}
		return permits, refused
	}
	for _, kind := range []string{"ADD", "MUL"} {
		reference := table[kind]
		table[kind] = func(op *Operator) ([]Permit, string) { return cmsisBinary(ESP, op, reference) }
	}
	return table
})

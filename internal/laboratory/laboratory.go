// Package laboratory names the planners that only the laboratory has. A program without them
// says where they are, if one of them is asked for.
package laboratory

import (
	"strconv"
	"strings"
)

// names has a space before and after each name, in ascending order. A test of stowage-lab compares
// them with its planners.
const names = " bfc contention cp csp executorch-cadence executorch-greedy executorch-naive ggml glow halide inductor " +
	"interval-coloring iree-layout-slices mace meta-csp migraphx milp mlir mnn-defer mnn-eager ncnn nntrainer onednn-graph " +
	"openvino ort-mempattern ort-reuse paddle somas tflite-arena tflite-greedy-by-size tflite-objects-best " +
	"tflite-objects-by-breadth tflite-objects-by-size tflite-objects-equality tflite-objects-in-order " +
	"tflite-objects-min-cost-flow tflite-opencl tflm-greedy tflm-linear tilelang tinygrad triton tsl-bfc tt-mlir " +
	"tvm-greedy-by-conflicts tvm-greedy-by-size tvm-hill-climb tvm-relax tvm-storage-rewrite vela-greedy vela-hill-climb " +
	"vela-regor wave xla-fast-merge xla-fast-split xla-heap xla-packing-search xla-repacker xnnpack "

// Where says, after the name of a planner that Has, where it is and how to get it.
const Where = "is in stowage-lab: go install github.com/stowage-go/stowage/lab/cmd/stowage-lab@latest"

// Names returns the names of the planners that only the laboratory has, in ascending order.
func Names() []string { return strings.Fields(names) }

// Has reports whether only the laboratory has a planner of that name.
func Has(name string) bool {
	return name != "" && !strings.Contains(name, " ") && strings.Contains(names, " "+name+" ")
}

// Says returns a message for a planner that Has.
func Says(name string) string {
	return "planner " + strconv.Quote(name) + " " + Where
}

// Package reference runs TensorFlow Lite Micro's reference kernels on this machine and finds how closely their results
// may lie over their operands.
package reference

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: the kernels are compiled from a checkout of tensorflow/tflite-micro, with a program of ours
// (driver/driver.cc) that prepares and invokes one operator at a time. They are compiled twice. In the first program,
// the compiler calls a function before each access to memory, which records the distance by its definition. In the
// second, kernels are compiled as for firmware, and results are laid over operands. Their bytes say whether the table
// is right for compiled code (vectors, united loads, memcpy).
//
// Cost: compiling is some minutes of a core; an operator is less than a millisecond traced, some milliseconds
// overlapped. Nothing fetched is kept in this repository.

// Sources is the environment variable with the folder of the checkout. The makefile's third_party_downloads puts
// gemmlowp, ruy and flatbuffers into its folder tensorflow/lite/micro/tools/make/downloads.
const Sources = "STOWAGE_TFLM"

// Cache is the environment variable with the folder in which objects are kept between runs.
const Cache = "STOWAGE_TFLM_BUILD"

// ErrAbsent is returned if sources or compiler are not there.
var ErrAbsent = errors.New("no sources or compiler")

// Programs.
const (
	Traced     = "traced"     // records accesses
	Overlapped = "overlapped" // compares bytes
)

const (
	framework = `fake_micro_context memory_helpers micro_context micro_log mock_micro_graph micro_utils flatbuffer_utils
		debug_log system_setup`
	parts = `core/api/flatbuffer_conversions core/api/tensor_utils core/c/common kernels/internal/common
		kernels/internal/portable_tensor_utils kernels/internal/quantization_util kernels/internal/runtime_shape
		kernels/internal/reference/portable_tensor_utils kernels/internal/tensor_ctypes kernels/internal/tensor_utils
		kernels/kernel_util micro/arena_allocator/single_arena_buffer_allocator micro/kernels/kernel_runner
		micro/kernels/kernel_util micro/tflite_bridge/flatbuffer_conversions_bridge
		micro/tflite_bridge/micro_error_reporter ../compiler/mlir/lite/core/api/error_reporter`
	common = `activations add conv depthwise_conv dequantize fully_connected hard_swish leaky_relu logical logistic mul pad
		pooling prelu quantize reshape softmax strided_slice sub`
	kernels = `activations add add_n batch_to_space_nd cast ceil comparisons concatenation conv depth_to_space
		depthwise_conv dequantize div elementwise elu exp expand_dims floor floor_div floor_mod fully_connected hard_swish
		l2_pool_2d l2norm leaky_relu log_softmax logical logistic maximum_minimum mirror_pad mul neg pack pad pooling prelu
		quantize reshape resize_bilinear resize_nearest_neighbor round slice softmax space_to_batch_nd space_to_depth split
		split_v squared_difference squeeze strided_slice sub tanh unpack`
)

// Build compiles a program and returns its path. The folder keeps the objects. An object that is newer than its source
// is used again.
func Build(ctx context.Context, driver, folder, program string) (string, error) {
	root, compiler := os.Getenv(Sources), "g++"
	if root == "" {
		return "", fmt.Errorf("%w: %s is not set", ErrAbsent, Sources)
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return "", fmt.Errorf("%w: %v", ErrAbsent, err)
	}
	driver, err := filepath.Abs(driver)
	if err != nil {
		return "", err
	}
	folder = filepath.Join(folder, program)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	lite, downloads := filepath.Join(root, "tensorflow/lite"),
		filepath.Join(root, "tensorflow/lite/micro/tools/make/downloads")
	flags := []string{
		"-std=c++17", "-fno-rtti", "-fno-exceptions", "-fno-threadsafe-statics", "-fno-unwind-tables",
		"-DTF_LITE_STATIC_MEMORY",
		"-DTF_LITE_DISABLE_X86_NEON", "-I" + folder, "-I" + driver, "-I" + root, "-I" + downloads + "/gemmlowp",
		"-I" + downloads + "/ruy",
		"-I" + downloads + "/flatbuffers/include",
	}
	if program == Traced {
		flags = append(flags, "-O1", "-fsanitize=thread", "-fno-builtin", "-DTRACE")
	} else {
		flags = append(flags, "-O3")
	}
	run := func(args ...string) error {
		if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", compiler, strings.Join(args, " "), err, out)
		}
		return nil
	}
	prelude := filepath.Join(driver, "prelude.h")
	if made := filepath.Join(folder, "prelude.h.gch"); !newer(made, prelude) {
		if err := run(append(slices.Clone(flags), "-x", "c++-header", prelude, "-o", made)...); err != nil {
			return "", err
		}
	}
	sources := []string{filepath.Join(driver, "driver.cc")}
	for _, group := range []struct{ names, prefix, suffix string }{
		{framework, "micro/", ".cc"},
		{parts, "", ".cc"},
		{common, "micro/kernels/", "_common.cc"},
		{kernels, "micro/kernels/", ".cc"},
	} {
		for _, name := range strings.Fields(group.names) {
			sources = append(sources, filepath.Join(lite, group.prefix+name+group.suffix))
		}
	}
	objects, failed := make([]string, len(sources)), make([]error, len(sources))
	var group sync.WaitGroup
	slots := make(chan bool, 2)
	for i, source := range sources {
		name := strings.NewReplacer("/", "_", ".cc",
			".o").Replace(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(source, lite+"/"), driver+"/"), root+"/"))
		objects[i] = filepath.Join(folder, name)
		if newer(objects[i], source) {
			continue
		}
		slots <- true
		group.Go(func() {
			own := append(slices.Clone(flags), "-include", "prelude.h")
			if i == 0 && program == Traced { // what records must not be recorded
				own = slices.DeleteFunc(own,
					func(f string) bool { return f == "-fsanitize=thread" || f == "-include" || f == "prelude.h" })
			}
			failed[i] = run(append(own, "-c", source, "-o", objects[i])...)
			<-slots
		})
	}
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		return "", err
	}
	out := filepath.Join(folder, program)
	link := append(slices.Clone(objects), "-o", out, "-lm")
	if program == Traced {
		link = append(link, "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset")
	}
	return out, run(link...)
}

// newer reports whether a file is there and not older than another.
func newer(made, source string) bool {
	a, err := os.Stat(made)
	b, other := os.Stat(source)
	return err == nil && other == nil && !a.ModTime().Before(b.ModTime())
}

// An Answer is a program's result for a pair of an operand and a result.
type Answer struct {
	Operand, Result int
	Value           int64 // traced: the distance, below Never/2 if there is none; overlapped: see driver.cc
}

// Never is the distance of a pair that asks for none.
const Never = -1 << 60

// Ask has a program run operators, each with the permits that it is to try. The answers of an operator that the kernel
// refuses are nil.
func Ask(ctx context.Context, program string, ops []*distance.Operator,
	permits [][]distance.Permit,
) ([][]Answer, error) {
	cmd := exec.CommandContext(ctx, program)
	if os.Getenv("STOWAGE_TFLM_LOG") != "" {
		cmd.Stderr = os.Stderr // what kernels say of operators that they refuse
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	wrote := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(in)
		for i, op := range ops {
			write(w, op, permits[i])
		}
		wrote <- errors.Join(w.Flush(), in.Close())
	}()
	var answers [][]Answer
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] != "ok" {
			if len(fields) > 0 && fields[0] == "fail" {
				answers = append(answers, nil)
			}
			continue // what a kernel says of itself
		}
		own := []Answer{}
		for k := 1; k+2 < len(fields); k += 3 {
			var n [3]int64
			for j := range n {
				if n[j], err = strconv.ParseInt(fields[k+j], 10, 64); err != nil {
					return nil, err
				}
			}
			own = append(own, Answer{int(n[0]), int(n[1]), n[2]})
		}
		answers = append(answers, own)
	}
	if err := errors.Join(<-wrote, lines.Err(), cmd.Wait()); err != nil {
		return nil, err
	}
	if len(answers) != len(ops) {
		return nil, fmt.Errorf("%d answers for %d operators", len(answers), len(ops))
	}
	return answers, nil
}

// write writes an operator as driver.cc reads it.
func write(w io.Writer, op *distance.Operator, permits []distance.Permit) {
	bit := map[bool]int{true: 1}
	fmt.Fprintln(w, op.Kind, len(op.Operands), len(op.Results), op.Stride[0], op.Stride[1], max(1, op.Dilation[0]),
		max(1, op.Dilation[1]),
		op.Filter[0], op.Filter[1], int(op.Padding), op.DepthMultiplier, op.Axis, op.BlockSize, bit[op.AlignCorners],
		bit[op.HalfPixelCenters],
		bit[op.Symmetric], op.BeginMask, op.EndMask, op.EllipsisMask, op.NewAxisMask, op.ShrinkAxisMask, bit[op.Offset],
		bit[op.PerChannel])
	for _, t := range slices.Concat(op.Operands, op.Results) {
		fmt.Fprint(w, t.Type.Name, " ", bit[t.Constant], " ", len(t.Shape))
		for _, d := range t.Shape {
			fmt.Fprint(w, " ", d)
		}
		fmt.Fprint(w, " ", len(t.Data))
		for _, x := range t.Data {
			fmt.Fprint(w, " ", x)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, len(permits))
	for _, p := range permits {
		fmt.Fprint(w, " ", p.Operand, " ", p.Result, " ", p.Distance, " ", bit[p.Equal])
	}
	fmt.Fprintln(w)
}

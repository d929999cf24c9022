package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/model"
)

// modelFlags settle what a model leaves open; every command that reads problems has
// them.
type modelFlags struct {
	dims      []string
	values    []string
	sizes     []string
	alignment size
	heap      string
}

// modelHelp is what the help of commands says of models as input.
const modelHelp = `A .tflite or .onnx model is read as the problem of its arena. What an ONNX model leaves open is settled by --dim, --value and --size; what is still open is an error that names the nodes.

A dump of XLA (.pb, or NAME-buffer-assignment.txt), of IREE (.mlir), of PyTorch's allocator for CUDA (.pickle), or code that its Inductor generates (.py) is read as the problem of one of its heaps; where a plan of its own is in it, as in those of XLA and Inductor, that is what show draws and verify checks.`

// bind defines the flags on a command.
func (m *modelFlags) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&m.dims, "dim", nil, "settle an open dimension of an ONNX model: `NAME=N`, or INPUT:AXIS=N where it has no name; may be repeated")
	f.StringArrayVar(&m.values, "value", nil, "settle an input of an ONNX model that is one number: `NAME=N`, so that branches on it are decided; may be repeated")
	f.StringArrayVar(&m.sizes, "size", nil, "settle the bytes of a tensor of an ONNX model whose size cannot be told: `NAME=SIZE`; may be repeated")
	f.Var(&m.alignment, "alignment", "round sizes and offsets of an ONNX model to multiples of `SIZE` bytes [default: 64]")
	m.bindHeap(cmd)
	group(cmd, "Model", "dim", "value", "size", "alignment")
}

// bindHeap defines the flag that chooses from a dump.
func (m *modelFlags) bindHeap(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.heap, "heap", "", "of a dump that has several heaps take the one of this `NAME` [default: that of the largest load]")
	group(cmd, "Model", "heap")
}

// options returns what the flags settle.
func (m *modelFlags) options() (format.Options, error) {
	o := format.Options{Alignment: int64(m.alignment), Heap: m.heap}
	parse := func(flag string, pairs []string, number func(string) (int64, error)) (map[string]int64, error) {
		var out map[string]int64
		for _, pair := range pairs {
			// Names of tensors may have a sign of equality in them.
			at := strings.LastIndexByte(pair, '=')
			if at < 1 {
				return nil, usagef("invalid argument %q for --%s: must be NAME=N", pair, flag)
			}
			n, err := number(pair[at+1:])
			if err != nil {
				return nil, usagef("invalid argument %q for --%s: %v", pair, flag, err)
			}
			if out == nil {
				out = map[string]int64{}
			}
			if old, ok := out[pair[:at]]; ok && old != n {
				return nil, usagef("invalid argument %q for --%s: it is %d by the one before", pair, flag, old)
			}
			out[pair[:at]] = n
		}
		return out, nil
	}
	whole := func(text string) (int64, error) {
		switch text {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > model.MaxSum || n < -model.MaxSum {
			return 0, errNumber
		}
		return n, nil
	}
	var err error
	if o.Dims, err = parse("dim", m.dims, whole); err != nil {
		return o, err
	}
	if o.Values, err = parse("value", m.values, whole); err != nil {
		return o, err
	}
	o.Sizes, err = parse("size", m.sizes, func(text string) (int64, error) {
		var n size
		err := n.Set(text)
		return int64(n), err
	})
	return o, err
}

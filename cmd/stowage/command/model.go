package command

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// modelFlags are the flags for what a model leaves open. Every command that reads problems has them.
type modelFlags struct {
	dims      []string
	values    []string
	shapes    []string
	sizes     []string
	alignment size
	heap      string
	ends      ends
	ruled     bool // the command takes problems with rules

	scratch func(m *tflite.Model) []tflite.Scratch // what kernels ask for; nil for nothing
}

// modelSection is the section of these flags. Only the help topic about files lists them one by one.
const modelSection = "Models and dumps"

// bind defines the flags on a command.
func (m *modelFlags) bind(cmd *cobra.Command) {
	m.bindModels(cmd)
	m.bindEnds(cmd)
}

// bindModels defines the flags for models and dumps.
func (m *modelFlags) bindModels(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&m.dims, "dim", nil, "set an open dimension of an ONNX model: `NAME=N`, or INPUT:AXIS=N; LOW..HIGH for N plans all sizes; repeatable")
	f.StringArrayVar(&m.values, "value", nil, "set an ONNX input that is one number: `NAME=N`; repeatable")
	f.StringArrayVar(&m.shapes, "shape", nil,
		"set the shape of an ONNX tensor if it is not known: `NAME=DIMS:TYPE`, such as y=20x1x32:float32; repeatable")
	f.StringArrayVar(&m.sizes, "size", nil, "set only the bytes of such a tensor: `NAME=SIZE`; repeatable")
	f.Var(&m.alignment, "alignment", "round ONNX sizes up to multiples of `SIZE` [default: 64]")
	m.bindHeap(cmd)
	group(cmd, modelSection, "dim", "value", "shape", "size", "alignment")
}

// bindEnds defines the flag that says what the ends of lifespans mean.
func (m *modelFlags) bindEnds(cmd *cobra.Command) {
	cmd.Flags().Var(&m.ends, "ends",
		"read the ends of lifespans in CSV and JSON as `WORD`: inclusive or half-open [default: by their name; end is inclusive]")
	group(cmd, modelSection, "ends")
	complete(cmd, "ends", func() []string { return []string{string(times.Inclusive), string(times.HalfOpen)} })
}

// bindHeap defines the flag that chooses a heap of a dump.
func (m *modelFlags) bindHeap(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.heap, "heap", "", "take heap `NAME` of a dump [default: of the largest load]")
	group(cmd, modelSection, "heap")
}

// options returns the reader's options that the flags stand for.
func (m *modelFlags) options() (format.Options, error) {
	o := format.Options{Scratch: m.scratch, Alignment: int64(m.alignment), Heap: m.heap, Ends: times.Ends(m.ends)}
	if len(m.dims)+len(m.values)+len(m.shapes)+len(m.sizes) == 0 {
		return o, nil
	}
	parse := func(flag string, pairs []string, number func(string) (int64, error)) (map[string]int64, error) {
		var out map[string]int64
		for _, pair := range pairs {
			name, text, ok := onnx.SplitDim(pair)
			if !ok {
				return nil, usagef("invalid argument %q for --%s: must be NAME=N", pair, flag)
			}
			n, err := number(text)
			if err != nil {
				return nil, usagef("invalid argument %q for --%s: %v", pair, flag, err)
			}
			if out == nil {
				out = map[string]int64{}
			}
			if old, ok := out[name]; ok && old != n {
				return nil, usagef("invalid argument %q for --%s: it is %d by the one before", pair, flag, old)
			}
			out[name] = n
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
	fixed, ranges, err := onnx.ReadRanges(m.dims, whole)
	if bad := new(onnx.DimError); errors.As(err, &bad) {
		return o, usagef("invalid argument %q for --dim: %v", bad.Dim, bad.Err)
	}
	o.Ranges = ranges
	if o.Dims, err = parse("dim", fixed, whole); err != nil {
		return o, err
	}
	if o.Values, err = parse("value", m.values, whole); err != nil {
		return o, err
	}
	if o.Shapes, err = shapesOf(m.shapes); err != nil {
		return o, err
	}
	o.Sizes, err = parse("size", m.sizes, func(text string) (int64, error) {
		var n size
		err := n.Set(text)
		return int64(n), err
	})
	return o, err
}

// typed returns a file with these flags before it, as they are typed.
func (m *modelFlags) typed(path string) string {
	var words []string
	for _, x := range []struct {
		flag   string
		values []string
	}{{"--dim", m.dims}, {"--value", m.values}, {"--shape", m.shapes}, {"--size", m.sizes}} {
		for _, v := range x.values {
			words = append(words, x.flag, quoted(v))
		}
	}
	if m.alignment > 0 {
		words = append(words, "--alignment", m.alignment.String())
	}
	if m.heap != "" {
		words = append(words, "--heap", quoted(m.heap))
	}
	if m.ends != "" {
		words = append(words, "--ends", string(m.ends))
	}
	return strings.Join(append(words, typed(path)), " ")
}

// shapesOf reads the arguments of --shape.
func shapesOf(pairs []string) (map[string]onnx.Shape, error) {
	var out map[string]onnx.Shape
	for _, pair := range pairs {
		name, text, ok := onnx.SplitDim(pair)
		if !ok {
			return nil, usagef("invalid argument %q for --shape: must be NAME=DIMS:TYPE, such as y=20x1x32:float32", pair)
		}
		s, err := onnx.ParseShape(text)
		if err != nil {
			return nil, usagef("invalid argument %q for --shape: %v", pair, err)
		}
		if old, ok := out[name]; ok && old.String() != s.String() {
			return nil, usagef("invalid argument %q for --shape: it is %s by the one before", pair, old)
		}
		if out == nil {
			out = map[string]onnx.Shape{}
		}
		out[name] = s
	}
	return out, nil
}

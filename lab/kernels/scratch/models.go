package scratch

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
)

// Models returns the files with TensorFlow Lite models in a folder and below it.
func Models(folder string) (all []string, err error) {
	err = filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".tflite" {
			all = append(all, path)
		}
		return err
	})
	return all, err
}

// Operators returns the operators of a model that a library's size functions are asked about, described.
func Operators(path string, l distance.Library) (all []*distance.Operator, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := tflite.Parse(data, path)
	if err != nil {
		return nil, err
	}
	for i := range m.Operators {
		o := &m.Operators[i]
		if !slices.Contains(Kinds(l), o.Name()) || o.Options == nil && tflite.HasOptions(o.Code) {
			continue
		}
		op := &distance.Operator{Kind: o.Name(), TransposedX: o.TransposedX, TransposedY: o.TransposedY}
		for _, t := range o.Inputs {
			op.Operands = append(op.Operands, described(m, t))
		}
		for _, t := range o.Outputs {
			op.Results = append(op.Results, described(m, t))
		}
		if x := o.Options; x != nil {
			op.Stride, op.Dilation = [2]int{int(x.StrideH), int(x.StrideW)}, [2]int{int(x.DilationH), int(x.DilationW)}
			if op.DepthMultiplier = int(x.DepthMultiplier); x.Same {
				op.Padding = distance.Same
			}
		}
		if len(o.Inputs) > 1 && o.Inputs[1] >= 0 {
			op.PerChannel = m.Tensors[o.Inputs[1]].Channels > 1
		}
		all = append(all, op)
	}
	return all, nil
}

func described(m *tflite.Model, tensor int32) (out distance.Tensor) {
	if tensor < 0 {
		return out
	}
	t := &m.Tensors[tensor]
	out.Type, out.Constant = distance.TypeOf(t.Type.String()), !t.Arena()
	for _, d := range t.Shape {
		out.Shape = append(out.Shape, int(d))
	}
	return out
}

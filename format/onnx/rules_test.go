package onnx

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/format/onnx/internal/ops"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/testkit/must"
	made "github.com/stowage-go/stowage/internal/testkit/onnxmade"
)

// TestRules gives every operator nonsensical inputs and attributes. A rule must refuse them, or leave results open,
// and never make an invalid shape.
func TestRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := []int64{
		0, 1, 1, 2, 2, 3, 4, 7, -1, -1, -2, -3, 64, 1 << 20, 1 << 40, math.MaxInt32, math.MinInt32,
		math.MaxInt64, math.MinInt64, math.MinInt64 + 1,
	}
	number := func() int64 { return numbers[rng.IntN(len(numbers))] }
	list := func() []int64 {
		out := make([]int64, rng.IntN(6))
		for i := range out {
			if out[i] = number(); rng.IntN(3) > 0 {
				out[i] = int64(rng.IntN(4))
			}
		}
		return out
	}
	names := []string{
		"axis", "axes", "perm", "kernel_shape", "strides", "dilations", "pads", "paddings", "group", "output_shape",
		"output_padding", "split", "k", "to",
		"starts", "ends", "keepdims", "batch_dims", "blocksize", "hidden_size", "layout", "shape", "scales", "dtype",
		"num_outputs", "ceil_mode",
		"sample_size", "start", "end", "allowzero", "new_axis", "transA", "transB", "pooled_shape", "output_height",
		"onesided", "inverse", "q_num_heads",
		"kv_num_heads", "noop_with_empty_axes", "fmod", "output_dtype", "value_ints", "value_int", "value",
		"num_heads", "qkv_hidden_sizes", "past_present_share_buffer", "sliding_window_cache", "channels",
		"channels_last", "N", "K", "bits", "gather_axis", "size", "step", "dim", "transBatchA", "transBatchB", "positive",
	}
	known := 0
	type operator struct{ domain, name string }
	var operators []operator
	for _, domain := range []string{"", "com.microsoft", "com.microsoft.nchwc"} {
		for _, name := range ops.Operators(domain) {
			operators = append(operators, operator{domain, name})
		}
	}
	if len(operators) < 250 {
		t.Errorf("only %d operators", len(operators))
	}
	for _, o := range operators {
		domain, name := o.domain, o.name
		for range 150 {
			var g made.Graph
			results := []string{"y0", "y1", "y2"}[:1+rng.IntN(3)]
			n := made.Node{Op: name, Domain: domain, Out: results, Attributes: map[string]any{}}
			for k := range rng.IntN(10) {
				in := "x" + strconv.Itoa(k)
				switch rng.IntN(5) {
				case 0:
					l := list()
					g.Stored = append(g.Stored, made.Ints(in, l...))
					if len(l) == 1 && rng.IntN(2) == 0 {
						g.Stored[len(g.Stored)-1].Dims = nil
					}
				case 1:
					f := make([]float64, rng.IntN(5))
					for i := range f {
						f[i] = []float64{0, 0.5, 1, 2, -1, 1e30, math.Inf(1), math.NaN()}[rng.IntN(8)]
					}
					g.Stored = append(g.Stored, made.Tensor{Name: in, Type: made.Float, Dims: []int64{int64(len(f))}, Floats: f})
				case 2:
					in = ""
				default:
					v := made.Value{Name: in, Type: []int64{made.Float, made.Int64, made.Int4, made.Bool}[rng.IntN(4)]}
					for _, d := range list() {
						if d < 0 || d > 1<<44 {
							v.Dims = append(v.Dims, "")
						} else {
							v.Dims = append(v.Dims, int(d))
						}
					}
					g.Inputs = append(g.Inputs, v)
				}
				n.In = append(n.In, in)
			}
			for range rng.IntN(5) {
				a := names[rng.IntN(len(names))]
				switch rng.IntN(6) {
				case 0, 1:
					n.Attributes[a] = number()
				case 2:
					n.Attributes[a] = int64(rng.IntN(4))
				case 3, 4:
					n.Attributes[a] = list()
				default:
					n.Attributes[a] = made.Ints("", list()...)
				}
			}
			for _, text := range []struct{ name, value string }{
				{"auto_pad", "SAME_UPPER"},
				{"equation", "ij,jk->ik"},
				{"equation", "...,a"},
				{"direction", "bidirectional"},
				{
					"keep_aspect_ratio_policy",
					"not_larger",
				},
				{"reduction", "none"},
			} {
				if rng.IntN(4) == 0 {
					n.Attributes[text.name] = text.value
				}
			}
			g.Nodes = []made.Node{n}
			m := must.Get(Parse(made.Model{Opset: 1 + rng.Int64N(24), Graph: g}.Bytes(), "rules"))(t)
			w, _ := walk(m.file, Options{})
			for i := range w.values {
				v := &w.values[i]
				for _, d := range v.Dims {
					if d < -1 || d > shape.MaxElements {
						t.Fatalf("%s makes the shape %v of %+v", name, v.Dims, g)
					}
				}
				if v.Data != nil && int64(len(v.Data.Ints)+len(v.Data.Floats)) != shape.Elements(v.Dims) {
					t.Fatalf("%s has %d elements for the shape %v: %+v", name, len(v.Data.Ints)+len(v.Data.Floats), v.Dims, g)
				}
				if len(v.Dims) > shape.MaxRank || v.Bytes() < -1 || v.Most < 0 {
					t.Fatalf("%s makes %+v of %+v", name, v.Result, g)
				}
				if m.file.Names[v.name] == "y0" && v.Bytes() >= 0 {
					known++
				}
			}
			if _, err := m.Arena(Options{}); err == nil {
				continue
			}
		}
	}
	if known < 3000 {
		t.Errorf("only %d results have a size", known)
	}
}

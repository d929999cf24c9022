package tflitemade

import (
	"math/rand/v2"
	"strconv"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Network returns a network of float operators drawn from the seed, of about so many operators: dense layers,
// element-wise ones, concatenations and reshapes of earlier values, so that values live for various times. An
// interpreter can run it: each operator is one that the reference kernels have.
func Network(seed uint64, operators int) []byte { return NetworkWith(seed, operators) }

// NetworkWith is Network with metadata.
func NetworkWith(seed uint64, operators int, metadata ...Metadata) []byte {
	rng := rand.New(rand.NewPCG(seed, 0x7f1))
	g := Graph{Tensors: []Tensor{{Name: "input", Shape: []int32{1, int32(16 * (1 + rng.IntN(8)))}}}, Inputs: []int32{0}}
	live := []int32{0} // values that later operators may read
	used := map[int32]bool{}
	width := func(t int32) int32 { s := g.Tensors[t].Shape; return s[len(s)-1] }
	add := func(t Tensor) int32 {
		t.Name = t.Name + strconv.Itoa(len(g.Tensors))
		g.Tensors = append(g.Tensors, t)
		return int32(len(g.Tensors) - 1)
	}
	pick := func() int32 {
		// The latest values are read more often, as in real networks.
		k := len(live) - 1 - min(rng.IntN(4), rng.IntN(len(live)))
		used[live[max(k, 0)]] = true
		return live[max(k, 0)]
	}
	for range operators {
		a := pick()
		switch rng.IntN(6) {
		case 0, 1: // a dense layer to any width
			n := int32(16 * (1 + rng.IntN(24)))
			weights := make([]float32, n*width(a))
			for i := range weights {
				weights[i] = float32(rng.NormFloat64() / 8)
			}
			w := add(Tensor{Name: "weights", Shape: []int32{n, width(a)}, Data: Floats(weights...)})
			live = append(live, add(Tensor{Name: "dense", Shape: []int32{1, n}}))
			g.Ops = append(g.Ops, Op{
				Code: tfliteschema.BuiltinOperatorFULLY_CONNECTED, Inputs: []int32{a, w, -1}, Outputs: live[len(live)-1:],
			})
		case 2: // element by element, on one
			code := []tfliteschema.BuiltinOperator{
				tfliteschema.BuiltinOperatorRELU, tfliteschema.BuiltinOperatorLOGISTIC, tfliteschema.BuiltinOperatorTANH,
			}[rng.IntN(3)]
			live = append(live, add(Tensor{Name: "map", Shape: g.Tensors[a].Shape}))
			g.Ops = append(g.Ops, Op{Code: code, Inputs: []int32{a}, Outputs: live[len(live)-1:]})
		case 3: // on two of one width, if there are
			b := a
			for _, t := range live {
				if width(t) == width(a) && t != a {
					b = t
				}
			}
			used[b] = true
			code := []tfliteschema.BuiltinOperator{tfliteschema.BuiltinOperatorADD, tfliteschema.BuiltinOperatorMUL}[rng.IntN(2)]
			live = append(live, add(Tensor{Name: "both", Shape: g.Tensors[a].Shape}))
			g.Ops = append(g.Ops, Op{Code: code, Inputs: []int32{a, b}, Outputs: live[len(live)-1:]})
		case 4: // one beside another: axis 0 of one row is the default, so flatten
			live = append(live, add(Tensor{Name: "reshape", Shape: []int32{1, width(a)}}))
			shape := add(Tensor{Name: "shape", Shape: []int32{2}, Type: tfliteschema.TensorTypeINT32, Data: Words(1, width(a))})
			g.Ops = append(g.Ops, Op{
				Code: tfliteschema.BuiltinOperatorRESHAPE, Inputs: []int32{a, shape}, Outputs: live[len(live)-1:],
			})
		case 5: // the same value read twice
			live = append(live, add(Tensor{Name: "square", Shape: g.Tensors[a].Shape}))
			g.Ops = append(g.Ops, Op{Code: tfliteschema.BuiltinOperatorMUL, Inputs: []int32{a, a}, Outputs: live[len(live)-1:]})
		}
	}
	// What nobody reads is an output.
	for _, t := range live[1:] {
		if !used[t] {
			g.Outputs = append(g.Outputs, t)
		}
	}
	if len(g.Outputs) == 0 {
		g.Outputs = live[len(live)-1:]
	}
	return Model([]Graph{g}, metadata...)
}

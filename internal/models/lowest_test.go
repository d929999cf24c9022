package models

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestNoONNXLarger plans made models in each mode, with few nodes: no plan is higher than in a mode that permits less.
func TestNoONNXLarger(t *testing.T) {
	modes := []struct {
		inPlace, reorder bool
		weaker           []int
	}{{false, false, nil}, {true, false, []int{0}}, {false, true, []int{0}}, {true, true, []int{0, 1, 2}}}
	lower := 0
	for seed := range plantest.Share[uint64](2000, 200) {
		m := must.Get(onnx.Parse(elementwise(seed, 4+int(seed%30)), "made.onnx"))(t)
		heights := make([]int64, len(modes))
		for k, x := range modes {
			o := onnx.Options{InPlace: x.inPlace, States: 1 + int(seed%3)*50}
			run := stowage.Options{Minimize: true, NodeLimit: 1 + int64(seed%5)}
			if seed%2 == 0 {
				run.Planner = "first-fit"
			}
			best := must.Get(lowestONNX(t.Context(), m, o, x.reorder, run, stowage.Solve))(t)
			if r, err := stowage.Verify(best.a.Problem, best.result.Offsets, 0); err != nil || !r.OK() {
				t.Fatalf("seed %d, mode %d: %v %+v", seed, k, err, r)
			}
			heights[k] = best.result.Height
			for _, w := range x.weaker {
				if heights[k] > heights[w] {
					t.Errorf("seed %d: %d bytes in mode %d, but %d in mode %d", seed, heights[k], k, heights[w], w)
				}
				if heights[k] < heights[w] {
					lower++
				}
			}
		}
	}
	if lower < 200 {
		t.Errorf("a lower plan %d times: too few to trust", lower)
	}
}

// elementwise returns a network drawn from a seed: layers of various widths, and operators that may run in place.
func elementwise(seed uint64, nodes int) []byte {
	r := rand.New(rand.NewPCG(seed, 23))
	g := onnxmade.Graph{Inputs: []onnxmade.Value{onnxmade.Floats("v0", 1, 8)}}
	width := []int{8}
	for k := range nodes {
		name, from := func(i int) string { return "v" + strconv.Itoa(i) }, max(0, k-r.IntN(6))
		n := onnxmade.Node{Op: "Relu", In: []string{name(from)}, Out: []string{name(k + 1)}}
		to := width[from]
		switch other := max(0, k-r.IntN(9)); {
		case width[other] == to && other != from:
			n.Op, n.In = "Add", append(n.In, name(other))
		case r.IntN(3) > 0:
			to = 8 * (1 + r.IntN(12))
			w := onnxmade.Tensor{
				Name: "w" + strconv.Itoa(k), Type: onnxmade.Float, Dims: []int64{int64(width[from]), int64(to)}, External: true,
			}
			n.Op, n.In, g.Stored = "MatMul", append(n.In, w.Name), append(g.Stored, w)
		}
		g.Nodes, width = append(g.Nodes, n), append(width, to)
	}
	g.Outputs = onnxmade.Names("v" + strconv.Itoa(nodes))
	return onnxmade.Model{Graph: g}.Bytes()
}

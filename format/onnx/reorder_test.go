package onnx

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/timeline"
)

// wired returns a model of so many nodes that is the same for a seed: rows of various lengths, made
// of any earlier ones. What nobody reads is an output.
func wired(seed uint64, nodes int) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := onnxmade.Graph{Inputs: []onnxmade.Value{onnxmade.Floats("in", 1, 40)}}
	names, widths, read := []string{"in"}, []int{40}, map[string]bool{"in": true}
	for k := range nodes {
		from, out := rng.IntN(len(names)), "v"+strconv.Itoa(k)
		n := onnxmade.Node{Op: "Relu", In: []string{names[from]}, Out: []string{out}}
		width := widths[from]
		switch rng.IntN(4) {
		case 0:
			to := rng.IntN(len(names))
			n.Op, n.In, n.Attributes = "Concat", append(n.In, names[to]), map[string]any{"axis": 1}
			width += widths[to]
		case 1, 2:
			w := onnxmade.Tensor{Name: "w" + strconv.Itoa(k), Type: onnxmade.Float}
			w.Dims = []int64{int64(width), int64(16 + rng.IntN(200))}
			for range w.Dims[0] * w.Dims[1] {
				w.Floats = append(w.Floats, rng.NormFloat64()/8)
			}
			g.Stored = append(g.Stored, w)
			n.Op, n.In, width = "MatMul", append(n.In, w.Name), int(w.Dims[1])
		}
		for _, name := range n.In {
			read[name] = true
		}
		g.Nodes = append(g.Nodes, n)
		names, widths = append(names, out), append(widths, width)
	}
	for k, name := range names {
		if !read[name] {
			g.Outputs = append(g.Outputs, onnxmade.Floats(name, 1, widths[k]))
		}
	}
	return onnxmade.Model{Graph: g}.Bytes()
}

// drawnOrder returns a random order in which the nodes can run.
func drawnOrder(m *Model, rng *rand.Rand) (order []int) {
	prior := m.prior()
	done := make([]bool, len(prior))
	for len(order) < len(prior) {
		k := rng.IntN(len(prior))
		if !done[k] && !slices.ContainsFunc(prior[k], func(b int32) bool { return !done[b] }) {
			done[k] = true
			order = append(order, k)
		}
	}
	return order
}

// load returns the load of a model in the order that it has.
func load(t *testing.T, data []byte, o Options) int64 {
	t.Helper()
	m := must.Get(Parse(data, "test.onnx"))(t)
	a := must.Get(m.Arena(o))(t)
	return timeline.New(a.Problem).MaxLoad
}

// TestOrder finds orders of made networks: the peak is the load of the model in that order, and no
// order has a load below the bound. With results over operands the load may be above the peak.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	better, moved := 0, 0
	for seed := range 24 {
		data := wired(uint64(seed), 12)
		m := must.Get(Parse(data, "test.onnx"))(t)
		o := Options{InPlace: seed%2 == 1}
		found := must.Get(m.Order(t.Context(), o))(t)
		out := must.Get(m.Reordered(found.Nodes))(t)
		given, after := load(t, data, o), load(t, out, o)
		equal := found.Peak == after && found.Given == given
		if found.Peak > after || !o.InPlace && !equal || found.Bound > found.Peak {
			t.Errorf("seed %d: %+v, loads %d and %d", seed, found, given, after)
		}
		if after < given {
			better++
		}
		for range 8 {
			order := drawnOrder(m, rng)
			out, err := m.Reordered(order)
			if err != nil || len(out) != len(data) {
				t.Fatalf("seed %d: %d bytes of %d, %v", seed, len(out), len(data), err)
			}
			if l := load(t, out, o); l < found.Bound {
				t.Errorf("seed %d: the order %v has a load of %d, the bound is %d", seed, order, l, found.Bound)
			}
			inverse := make([]int, len(order))
			for to, k := range order {
				inverse[k] = to
			}
			again := must.Get(Parse(out, "test.onnx"))(t)
			if back, err := again.Reordered(inverse); err != nil || !bytes.Equal(back, data) {
				t.Errorf("seed %d: back from %v: %v", seed, order, err)
			}
			if !bytes.Equal(out, data) {
				moved++
			}
		}
	}
	if better < 2 || moved < 20 {
		t.Errorf("%d networks are better in another order, %d orders differ", better, moved)
	}
}

// TestOrderKept has nodes that keep their order: random numbers, unknown ones, and a branch that
// reads a value from outside.
func TestOrderKept(t *testing.T) {
	node := func(op, out string, in ...string) onnxmade.Node {
		return onnxmade.Node{Op: op, In: in, Out: []string{out}}
	}
	branch := onnxmade.Graph{Nodes: []onnxmade.Node{node("Relu", "r", "a")}, Outputs: onnxmade.Names("r")}
	both := map[string]any{"then_branch": branch, "else_branch": branch}
	g := onnxmade.Graph{
		Inputs: []onnxmade.Value{onnxmade.Floats("x", 4)},
		Nodes: []onnxmade.Node{
			node("Relu", "a", "x"), node("RandomNormalLike", "b", "x"), node("Relu", "c", "x"), node("Own", "d", "x"),
			{Op: "If", In: []string{"x"}, Out: []string{"e"}, Attributes: both},
		},
		Outputs: onnxmade.Names("a", "b", "c", "d", "e"),
	}
	m := must.Get(Parse(onnxmade.Model{Graph: g}.Bytes(), "test.onnx"))(t)
	for _, c := range []struct {
		order []int
		says  string
	}{
		{[]int{0, 1, 2}, "has 3 nodes, the graph has 5"},
		{[]int{0, 1, 2, 3, 5}, "no node 5"},
		{[]int{0, 1, 2, 3, 3}, "node 3 stands twice"},
		{[]int{0, 3, 1, 2, 4}, "node 3 (Own) needs node 1 (RandomNormalLike)"},
		{[]int{1, 2, 3, 4, 0}, "node 4 (If) needs node 0 (Relu)"},
		{[]int{2, 1, 0, 3, 4}, ""},
	} {
		_, err := m.Reordered(c.order)
		if refused := errors.Is(err, ErrOrder) && strings.Contains(err.Error(), c.says); refused != (c.says != "") {
			t.Errorf("%v: %v", c.order, err)
		}
	}
	if found, err := m.Order(t.Context(), Options{}); found != nil || err != nil {
		t.Errorf("control flow: %+v, %v", found, err)
	}
}

// TestReorderedMutated damages models: what still parses is reordered to a model of the same nodes.
func TestReorderedMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	mutate.Read(t, 1000, [][]byte{onnxmade.Network(1, 6)}, func(data []byte) error {
		m, err := Parse(data, "test.onnx")
		if err != nil {
			return err
		}
		order := drawnOrder(m, rng)
		out, err := m.Reordered(order)
		if err != nil {
			return err
		}
		again, err := Parse(out, "test.onnx")
		if err != nil || len(out) != len(data) || again.Nodes != m.Nodes {
			t.Errorf("%v: %v", order, err)
			return err
		}
		for to, k := range order {
			if got, was := again.file.Graph.Nodes[to].Op, m.file.Graph.Nodes[k].Op; got != was {
				t.Errorf("node %d is %s, not %s", to, got, was)
			}
		}
		return nil
	})
}

// TestReorderedOutputs has onnx check reordered models and compute them: the outputs are equal.
func TestReorderedOutputs(t *testing.T) {
	python := onnxPython(t)
	rng := rand.New(rand.NewPCG(5, 6))
	arguments := []string{filepath.Join("testdata", "reordered.py")}
	for seed := range 6 {
		data := wired(uint64(seed), 12)
		m := must.Get(Parse(data, "test.onnx"))(t)
		found := must.Get(m.Order(t.Context(), Options{}))(t)
		for _, order := range [][]int{found.Nodes, drawnOrder(m, rng)} {
			out := must.Get(m.Reordered(order))(t)
			folder := t.TempDir()
			for name, content := range map[string][]byte{"given.onnx": data, "moved.onnx": out} {
				must.Do(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
			}
			arguments = append(arguments, folder)
		}
	}
	said, err := exec.Command(python, arguments...).CombinedOutput()
	if err != nil || strings.Count(string(said), "equal\n") != len(arguments)-1 {
		t.Errorf("%v: %s", err, said)
	}
}

package tflite

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// drawnOrder returns a random order in which the operators can run.
func drawnOrder(m *Model, rng *rand.Rand) (order []int) {
	prior := m.Prior()
	done := make([]bool, len(prior))
	for len(order) < len(prior) {
		k := rng.IntN(len(prior))
		if !done[k] && !slices.ContainsFunc(prior[k], func(b int) bool { return !done[b] }) {
			done[k] = true
			order = append(order, k)
		}
	}
	return order
}

// TestReordered reorders made networks: the file differs in the references to operators only, each
// operator is where the order has it, and the inverse order gives the old file.
func TestReordered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(20) {
		m := parse(t, tflitemade.Network(seed, 12))
		order := drawnOrder(m, rng)
		data := must.Get(m.Reordered(order))(t, "seed %d", seed)
		if differ := differing(m.data, data); len(data) != len(m.data) || differ > 4*len(order) {
			t.Errorf("seed %d: %d of %d bytes differ, %d before", seed, differ, len(data), len(m.data))
		}
		again := parse(t, data)
		inverse := make([]int, len(order))
		for to, k := range order {
			inverse[k] = to
			if !reflect.DeepEqual(again.Operators[to], m.Operators[k]) {
				t.Errorf("seed %d: operator %d is not %d", seed, to, k)
			}
		}
		if back, err := again.Reordered(inverse); err != nil || !bytes.Equal(back, m.data) {
			t.Errorf("seed %d: back: %v", seed, err)
		}
	}
}

func differing(a, b []byte) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// stateful has operators on a variable tensor, control flow, a custom operator, and a tensor that is written twice.
func stateful() []tflitemade.Graph {
	relu := func(in, out int32) tflitemade.Op {
		return tflitemade.Op{Code: tfliteschema.BuiltinOperatorRELU, Inputs: []int32{in}, Outputs: []int32{out}}
	}
	var tensors []tflitemade.Tensor
	for _, n := range strings.Fields("in a b c state twice d e") {
		tensors = append(tensors, tflitemade.Tensor{Name: n, Shape: []int32{4}, Variable: n == "state"})
	}
	one := tflitemade.Graph{Tensors: tensors[:2], Ops: []tflitemade.Op{relu(0, 1)}, Outputs: []int32{1}}
	one.Inputs = []int32{0}
	return []tflitemade.Graph{{
		Tensors: tensors,
		Ops: []tflitemade.Op{
			relu(0, 1), // 0
			{Code: tfliteschema.BuiltinOperatorADD, Inputs: []int32{1, 4}, Outputs: []int32{2}}, // 1 reads the state
			relu(0, 4), // 2 writes it
			relu(4, 3), // 3 reads it
			{Code: tfliteschema.BuiltinOperatorIF, Inputs: []int32{0}, Outputs: []int32{6}, Callees: []int32{1, 1}},
			relu(0, 5), // 5
			relu(5, 7), // 6
			relu(0, 5), // 7 writes it anew
			{Code: tfliteschema.BuiltinOperatorCUSTOM, Custom: "own", Inputs: []int32{0}, Outputs: []int32{2}}, // 8
		},
		Inputs: []int32{0}, Outputs: []int32{3},
	}, one}
}

// TestPrior checks which operators keep their order among themselves.
func TestPrior(t *testing.T) {
	m := parse(t, tflitemade.Model(stateful()))
	want := [][]int{nil, {0}, {1}, {2}, nil, nil, {5}, {6}, {1, 4}}
	if got := m.Prior(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct {
		order []int
		says  string
	}{
		{[]int{0, 1, 2}, "has 3 operators, the first subgraph has 9"},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 9}, "no operator 9"},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 7}, "operator 7 stands twice"},
		{[]int{0, 2, 1, 3, 4, 5, 6, 7, 8}, "operator 2 (RELU) needs operator 1 (ADD)"},
		{[]int{0, 1, 2, 3, 8, 4, 5, 6, 7}, "operator 8 (own) needs operator 4 (IF)"},
		{[]int{0, 1, 2, 3, 4, 5, 7, 6, 8}, "operator 7 (RELU) needs operator 6"},
	} {
		if _, err := m.Reordered(c.order); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.order, err)
		}
	}
	if _, err := m.Reordered([]int{5, 6, 4, 0, 7, 1, 8, 2, 3}); err != nil {
		t.Error(err)
	}
}

// A plan of a model does not hold in another order: each tensor is left to the device.
func TestReorderedPlan(t *testing.T) {
	m := parse(t, tflitemade.Network(3, 20))
	offsets := make([]int32, len(m.Tensors))
	data, err := m.WithOffsets(offsets)
	if err != nil {
		t.Fatal(err)
	}
	planned := parse(t, data)
	order := drawnOrder(m, rand.New(rand.NewPCG(4, 5)))
	if data, err = planned.Reordered(order); err != nil {
		t.Fatal(err)
	}
	got := parse(t, data).Offline
	pinned := func(x int32) bool { return x != Online }
	if len(data) != len(planned.data) || got == nil || slices.ContainsFunc(got.Offsets, pinned) {
		t.Errorf("plan %+v in %d bytes, before %d", got, len(data), len(planned.data))
	}
}

// TestReorderedMutated damages models: what still parses is reordered right or not at all.
func TestReorderedMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	done := 0
	mutate.Read(t, 2000, [][]byte{tflitemade.Network(2, 6), tflitemade.Model(stateful())}, func(data []byte) error {
		m, err := Parse(data, "test.tflite")
		if err != nil || m.Subgraphs[0].OperatorCount > 64 {
			return err
		}
		order := drawnOrder(m, rng)
		out, err := m.Reordered(order)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) && !errors.Is(err, ErrExternal) {
				t.Errorf("%v", err)
			}
			return err
		}
		done++
		again := parse(t, out)
		for to, k := range order {
			if !reflect.DeepEqual(again.Operators[to], m.Operators[k]) {
				t.Fatalf("operator %d is not %d", to, k)
			}
		}
		return nil
	})
	if done < 100 {
		t.Errorf("%d damaged models were reordered: too few to say anything", done)
	}
}

package tflm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// eachOrder calls f with each order in which the operators of a model can run, up to most of them.
func eachOrder(m *tflite.Model, most int, f func(order []int)) {
	prior := m.Prior()
	done := make([]bool, len(prior))
	var order []int
	var next func()
	next = func() {
		if len(order) == len(prior) {
			if most--; most >= 0 {
				f(slices.Clone(order))
			}
			return
		}
		for k := range prior {
			if most <= 0 || done[k] || slices.ContainsFunc(prior[k], func(b int) bool { return !done[b] }) {
				continue
			}
			done[k], order = true, append(order, k)
			next()
			done[k], order = false, order[:len(order)-1]
		}
	}
	next()
}

// TestReorder plans networks in their own order and in the new one. No head may get larger, the written plan must be
// valid, and no order may have a smaller head than the bound.
func TestReorder(t *testing.T) {
	better, proven := 0, 0
	for seed := range uint64(36) {
		data := tflitemade.Network(seed, 7)
		o := Options{InPlace: seed%3 == 1}
		if seed%3 == 2 {
			data, o.Kernels = tflitemade.Images(seed, 6), ReferenceKernels
		}
		m := parse(t, data)
		rng := rand.New(rand.NewPCG(seed, 9))
		for k := range m.Operators {
			if rng.IntN(3) == 0 {
				o.Scratch = append(o.Scratch, tflite.Scratch{Operator: k, Bytes: int64(rng.IntN(400))})
			}
		}
		kept := must.Get(Make(t.Context(), m, o))(t)
		o.Reorder = true
		p := must.Get(Make(t.Context(), m, o))(t)
		if p.Head > kept.Head || p.Head < p.OrderBound || p.OrderBound == 0 || p.Before != kept.Before {
			t.Errorf("seed %d: head %d, in the order given %d, bound %d", seed, p.Head, kept.Head, p.OrderBound)
		}
		if (p.Order != nil) != (p.Head < kept.Head) || (p.Order == nil) != (p.Moved() == 0) {
			t.Errorf("seed %d: order %v for a head of %d, before %d", seed, p.Order, p.Head, kept.Head)
		}
		if p.Order != nil {
			better++
			written := must.Get(p.Written(m))(t)
			if v, err := CheckFor(parse(t, written), CheckOptions{Capacity: p.Head, Kernels: o.Kernels}); err != nil || !v.OK() {
				t.Errorf("seed %d: %v, %v", seed, v, err)
			}
		}
		if p.OrderProven() {
			proven++
		}
		o.Reorder = false
		eachOrder(m, 60, func(order []int) {
			moved := must.Get(m.Reordered(order))(t)
			other := o
			other.Scratch = slices.Clone(o.Scratch)
			for i := range other.Scratch {
				other.Scratch[i].Operator = slices.Index(order, o.Scratch[i].Operator)
			}
			if q, err := Make(t.Context(), parse(t, moved), other); err != nil || q.Head < p.OrderBound {
				t.Errorf("seed %d: the order %v has a head of %d, the bound is %d: %v", seed, order, q.Head, p.OrderBound, err)
			}
		})
	}
	if better < 4 || proven < 12 {
		t.Errorf("%d models are better in another order, %d are proven", better, proven)
	}
}

// TestReorderKept has models whose order is kept, with and without a plan that goes.
func TestReorderKept(t *testing.T) {
	o := Options{Reorder: true, Solve: stowage.Options{NodeLimit: 1000}}
	relu := tflitemade.Op{Code: 19, Inputs: []int32{0}, Outputs: []int32{1}} // RELU
	tensors := []tflitemade.Tensor{{Name: "a", Shape: []int32{4}}, {Name: "b", Shape: []int32{4}}}
	g := tflitemade.Graph{Tensors: tensors, Ops: []tflitemade.Op{relu, relu}, Inputs: []int32{0}, Outputs: []int32{1}}
	for name, data := range map[string][]byte{
		"two subgraphs": tflitemade.Model([]tflitemade.Graph{g, g}),
		"written twice": tflitemade.Model([]tflitemade.Graph{g}),
		"an NPU's":      tflitemade.Model([]tflitemade.Graph{tflitemade.EthosU()}),
	} {
		p, err := Make(t.Context(), parse(t, data), o)
		if name == "an NPU's" && err != nil {
			continue // its plan is lost
		}
		if err != nil || p.Order != nil || p.OrderBound != 0 || p.OrderProven() {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	// A plan of the model's own goes with its order.
	moved := 0
	for seed := range uint64(12) {
		m := parse(t, tflitemade.Network(seed, 12))
		p := must.Get(Make(t.Context(), m, o))(t)
		plain := o
		plain.Reorder = false
		q := must.Get(Make(t.Context(), m, plain))(t)
		data := must.Get(m.WithOffsets(q.Offsets))(t)
		planned := parse(t, data)
		again, err := Make(t.Context(), planned, o)
		if err != nil || again.Head != p.Head || again.Before != q.Head || !slices.Equal(again.Order, p.Order) {
			t.Errorf("seed %d: head %d, without the plan %d: %v", seed, again.Head, p.Head, err)
		}
		if again.Order == nil {
			continue
		}
		moved++
		if data, err = again.Written(planned); err != nil || len(data) != len(planned.Bytes()) {
			t.Errorf("seed %d: %d bytes: %v", seed, len(data), err)
		}
		if head, err := Head(t.Context(), parse(t, data), nil); err != nil || head != p.Head {
			t.Errorf("seed %d: head %d: %v", seed, head, err)
		}
	}
	if moved < 2 {
		t.Errorf("%d models with a plan are reordered", moved)
	}
}

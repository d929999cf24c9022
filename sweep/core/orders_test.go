package core

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/sweep/spec"
	"github.com/stowage-go/stowage/tflm"
)

// TestOrders: no order is worse than one that permits less, and what lies over operands is what `stowage plan` finds
// with the same options.
func TestOrders(t *testing.T) {
	net := tflitemade.Network(4, 24)
	s := asked(t, `
problems: ["*.tflite", {files: "*.onnx", dims: {batch: 1}}]
orders: [exported, reordered, in-place, reordered+in-place, diagonal=reference, reordered+diagonal=reference, diagonal=cmsis-nn-c]
planners: [auto]
nodes: 20000
`, map[string]string{
		"net.tflite": string(net), "points.tflite": string(tflitemade.Model([]tflitemade.Graph{tflitemade.Points()})),
		"wired.onnx": string(onnxmade.Network(16, 24)), "npu.tflite": string(npu()),
	})
	store := Local(t.TempDir())
	j := jobOf(t, s, store)
	run(t, store, j.Left)
	height := map[string]map[string]int64{}
	for _, r := range kept(t, store) {
		if height[r.Name] == nil {
			height[r.Name] = map[string]int64{}
		}
		height[r.Name][r.Order] = r.Height
	}
	lower := 0
	for name, of := range height {
		orders := s.Orders
		if strings.HasSuffix(name, "wired") {
			orders = orders[:4]
		}
		if len(of) != len(orders) {
			t.Errorf("%s: orders %v", name, of)
		}
		for order, h := range of {
			for _, weaker := range orders {
				a, b := spec.OrderOf(weaker), spec.OrderOf(order)
				if less := (!a.Reordered || b.Reordered) &&
					(a.Kernels == "" && !a.InPlace ||
						a == (spec.Order{Reordered: a.Reordered, InPlace: b.InPlace, Kernels: b.Kernels})); !less {
					continue
				}
				if h > of[weaker] {
					t.Errorf("%s: %s has %d bytes, %s has %d", name, order, h, weaker, of[weaker])
				}
				if h < of[weaker] {
					lower++
				}
			}
		}
	}
	if len(height) != 3 || lower < 5 {
		t.Errorf("%d pairs of orders differ: %v", lower, height)
	}
	for order, o := range map[string]tflm.Options{
		"in-place": {InPlace: true}, "reordered+diagonal=reference": {Kernels: tflm.ReferenceKernels, Reorder: true},
	} {
		o.Solve = stowage.Options{NodeLimit: 20_000}
		m := must.Get(tflite.Parse(net, "net.tflite"))(t)
		p := must.Get(tflm.Make(context.Background(), m, o))(t)
		if h := height["net"][order]; h != p.Result.Height {
			t.Errorf("%s: %d bytes, plan has %d", order, h, p.Result.Height)
		}
	}
}

// TestNoOrder: of a model that has some orders, those that it lacks are told. One that has none is given up, and so is
// a model of Vela's, whose lifespans prove nothing.
func TestNoOrder(t *testing.T) {
	s := asked(t, "problems: {files: '*.*x*', dims: {batch: 1}}\norders: [exported, diagonal=reference]\n",
		map[string]string{"wired.onnx": string(onnxmade.Network(16, 24))})
	l, err := Load(t.Context(), s, Local(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if want := "wired is not planned as diagonal=reference: the kernels are TensorFlow Lite Micro's"; !slices.Equal(l.Notes, []string{want}) || len(l.Problems) != 1 {
		t.Errorf("%d problems, notes %q", len(l.Problems), l.Notes)
	}
	s.Orders = []string{"diagonal=reference"}
	path := filepath.Join(filepath.Dir(s.File), "npu.tflitex") // the name does not say what it is
	if err := os.WriteFile(path, npu(), 0o644); err != nil {
		t.Fatal(err)
	}
	if l, err = Load(t.Context(), s, Local(t.TempDir())); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, d := range l.Unread {
		reasons = append(reasons, d.Reason)
	}
	slices.Sort(reasons)
	if len(reasons) != 2 || !strings.Contains(reasons[0], "tensors share bytes in the model's own plan") ||
		!strings.Contains(reasons[1], "has none of the orders diagonal=reference") {
		t.Errorf("%q", reasons)
	}
}

// npu is a model as Vela makes them: its NPU's scratch has the bytes of other tensors.
func npu() []byte {
	return tflitemade.Model([]tflitemade.Graph{tflitemade.EthosU()},
		tflitemade.Metadata{Name: tflite.MetadataName, Data: tflitemade.Words(1, 0, 6, -1, -1, 0, 0, 0, 512)})
}

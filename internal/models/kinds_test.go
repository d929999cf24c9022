package models

import (
	"errors"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// network is a graph in JSON: b may lie over a.
const network = `{"format": "graph", "version": 1,
 "values": [{"name": "a", "size": 64}, {"name": "b", "size": 64}, {"name": "c", "size": 16}],
 "inputs": ["a"], "outputs": ["c"], "operators": [
 {"name": "relu", "operands": ["a"], "results": ["b"], "permits": [{"result": "b", "operand": "a"}]},
 {"name": "sum", "operands": ["b"], "results": ["c"]}]}`

// TestKinds opens a model of each kind and asks all of Model and Plan: the plan is valid, has a report, and each file
// that is the kind's own is written.
func TestKinds(t *testing.T) {
	onnxNetwork := onnxmade.Model{Graph: onnxmade.Graph{
		Inputs: []onnxmade.Value{onnxmade.Floats("x", 1, 8)}, Outputs: onnxmade.Names("z"),
		Nodes: []onnxmade.Node{
			{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}, {Op: "Relu", In: []string{"y"}, Out: []string{"z"}},
		},
	}}.Bytes()
	for name, content := range map[string]string{
		"net.tflite": string(tflitemade.Images(1, 8)), "net.onnx": string(onnxNetwork), "net.json": network,
	} {
		t.Run(name, func(t *testing.T) {
			open := func() (*Kind, Model) {
				in := must.Get(format.OpenFrom(strings.NewReader(content), name))(t)
				m := must.Get(Open(in, format.Options{}))(t)
				return KindOf(in.Kind), m
			}
			kind, m := open()
			o := &Options{Run: stowage.Options{Minimize: true}, Solve: stowage.Solve, Target: Targets[0], Report: true}
			p, _, err := m.Problem(o)
			if err != nil || len(p.Buffers) == 0 {
				t.Fatalf("the problem: %v %v", p, err)
			}
			made, err := m.Plan(t.Context(), o)
			if err != nil || !made.Status().HasPlan() || made.Fits() != "" {
				t.Fatalf("the plan: %v", err)
			}
			var files []File
			for _, own := range kind.Own {
				files = append(files, File{Path: "out." + own, Kind: FileKind("out."+own, own)})
			}
			must.Do(t, made.Into(files))
			for _, f := range append(files, File{Kind: "json"}) {
				var s strings.Builder
				if done, err := made.Write(&s, f.Kind, f.Kind == "json"); err != nil || !done || s.Len() == 0 {
					t.Errorf("%s: written %v, %d bytes, %v", f.Kind, done, s.Len(), err)
				}
			}
			d := made.Document("csv")
			if r, err := stowage.Verify(d.Problem, d.Offsets, 0); err != nil || !r.OK() || r.Height > d.Height {
				t.Errorf("the plan is not valid: %+v %v", r, err)
			}
			var text strings.Builder
			if err := made.Print(&text); err != nil || !strings.HasPrefix(text.String(), made.Page().Title+"\n") {
				t.Errorf("the report: %v\n%s", err, &text)
			}
			isGraph, isTFLite := name == "net.json", name == "net.tflite"
			if kind.Pools() == isGraph || kind.Runtime != isTFLite || IsModel(name[4:]) == isGraph {
				t.Errorf("%s: pools %v, a runtime %v", name, kind.Pools(), kind.Runtime)
			}
			// A second plan shows that nothing of the first is left in the model.
			_, m = open()
			whole, err := m.Arranged(t.Context(), Order{Reordered: true})
			if err != nil || len(whole.Buffers) == 0 {
				t.Errorf("reordered: %v", err)
			}
			place, err := m.Arranged(t.Context(), Order{InPlace: true})
			if err != nil || heightOf(t, place) > heightOf(t, whole) {
				t.Errorf("in place: %v", err)
			}
			if over, err := m.Arranged(t.Context(), Order{Kernels: "reference"}); err != nil || (over != nil) != kind.Runtime {
				t.Errorf("orders for kernels: %v %v", over != nil, err)
			}
		})
	}
}

func heightOf(t *testing.T, p *stowage.Problem) int64 {
	t.Helper()
	r := must.Get(stowage.Minimize(t.Context(), p, stowage.Options{}))(t)
	return r.Height
}

// TestMisuse: a file that is no graph, and an option that does not fit the model, are faults of the command line.
func TestMisuse(t *testing.T) {
	for name, content := range map[string]string{
		"problem.json": `{"buffers": []}`, "plan.json": `{"format": "graph plan", "version": 1}`,
	} {
		in := must.Get(format.OpenFrom(strings.NewReader(content), name))(t)
		var misuse *Misuse
		if _, err := Open(in, format.Options{}); !errors.As(err, &misuse) {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := must.Get(format.OpenFrom(strings.NewReader(string(tflitemade.Images(1, 8))), "net.tflite"))(t)
	m := must.Get(Open(in, format.Options{}))(t)
	var misuse *Misuse
	o := &Options{Solve: stowage.Solve, Target: Targets[0], Scratch: []string{"NO_SUCH=16"}}
	if _, err := m.Plan(t.Context(), o); !errors.As(err, &misuse) {
		t.Errorf("scratch for an operator that is not there: %v", err)
	}
}

// TestUnknownIsGraph: a format without a row is planned as a graph of operators.
func TestUnknownIsGraph(t *testing.T) {
	if k := KindOf("a new one"); k != &graphs || k.Own != nil || k.Pools() {
		t.Errorf("%+v", k)
	}
	g := &graph.Graph{Values: []graph.Value{{Name: "a", Size: 8}}, Inputs: []int{0}, Outputs: []int{0}}
	p, err := (&graphModel{g, "a.new"}).Arranged(t.Context(), Order{})
	if err != nil || len(p.Buffers) != 1 {
		t.Errorf("%v %v", p, err)
	}
}

package format

import (
	"io"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestGraphRow: a row with a reader of graphs is all that a new kind of models needs here. Its problem has the
// operators in the graph's order, with nothing over an operand.
func TestGraphRow(t *testing.T) {
	const kind Kind = "toy"
	old := readers
	defer func() { readers = old }()
	readers = append([]row{{
		kind: kind, title: "a toy", model: true, extensions: []string{".toy"},
		begins: func(head []byte) bool { return string(head) == "toy" },
		graph: func(r io.Reader, _ string, _ Options) (*graph.Graph, error) {
			return &graph.Graph{
				Values: []graph.Value{{Name: "a", Size: 8}, {Name: "b", Size: 8}}, Inputs: []int{0}, Outputs: []int{1},
				Operators: []graph.Operator{{
					Name: "relu", Operands: []int{0}, Results: []int{1}, Permits: []graph.Permit{{Result: 1, Operand: 0}},
				}},
			}, nil
		},
	}}, old...)
	f, err := ReadFrom(strings.NewReader("toy"), "net.toy", Options{})
	if err != nil || f.Kind != kind || !f.Kind.Model() || f.Problem.Name != "net" || len(f.Problem.Buffers) != 2 {
		t.Fatalf("%+v %v", f, err)
	}
	if a, b := &f.Problem.Buffers[0], &f.Problem.Buffers[1]; a.Upper <= b.Lower {
		t.Errorf("a ends at %d, and b begins at %d: the operator needs both", a.Upper, b.Lower)
	}
	in := must.Get(OpenFrom(strings.NewReader("toy"), "net.toy"))(t)
	in.AsModel()
	g, err := in.Graph(Options{})
	if err != nil || in.Kind != kind || len(g.Operators) != 1 {
		t.Errorf("%v %+v %v", in.Kind, g, err)
	}
}

// TestOptionsOf keeps the options that a kind takes, and no others.
func TestOptionsOf(t *testing.T) {
	all := Options{
		Dims: map[string]int64{"n": 1}, Sizes: map[string]int64{"s": 1}, Alignment: 16, Heap: "h", Ends: "inclusive",
	}
	for i := range readers {
		r := &readers[i]
		o := all.Of(r.kind)
		in := &Input{Name: "file", Kind: r.kind, row: r}
		if err := in.Settles(o); err != nil {
			t.Errorf("%s: %v", r.kind, err)
		}
		if (o.Dims != nil) != r.open || (o.Heap != "") != r.heaps || (o.Ends != "") != r.ends {
			t.Errorf("%s: %+v", r.kind, o)
		}
	}
}

package json_test

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// sound is a graph with each key of the format.
const sound = `{
  "format": "graph",
  "version": 1,
  "name": "example",
  "alignment": 16,
  "values": [
    {"name": "x", "size": 4096, "lines": 64},
    {"name": "y", "size": 3072, "alignment": 64, "lines": 3},
    {"name": "z", "size": 3072, "offset": 0, "lines": 3},
    {"name": "w", "size": 400, "constant": true}
  ],
  "operators": [
    {"name": "conv", "operands": ["x", "w"], "results": ["y"], "scratch": 512, "scratch_alignment": 4,
     "permits": [{"result": "y", "operand": "x", "distance": 112}], "work": 99,
     "reads": [{"operand": "x", "window": 5, "stride": 2, "padding": 1, "up": 3}]},
    {"name": "relu", "operands": ["y"], "results": ["z"], "after": ["conv"], "scratch": 8,
     "permits": [{"result": "z", "operand": "y", "equal": true}],
     "reads": [{"operand": "y", "spans": [[0, 2], [2, 2], [1, 3]]}]}
  ],
  "inputs": ["x"],
  "outputs": ["z"]
}
`

func soundGraph() *graph.Graph {
	return &graph.Graph{
		Name: "example",
		Values: []graph.Value{
			{Name: "x", Size: 4096, Alignment: 16, Lines: 64},
			{Name: "y", Size: 3072, Alignment: 64, Lines: 3},
			{Name: "z", Size: 3072, Alignment: 16, Fixed: new(int64), Lines: 3},
			{Name: "w", Size: 400, Constant: true},
		},
		Operators: []graph.Operator{
			{
				Name: "conv", Operands: []int{0, 3}, Results: []int{1}, Scratch: 512, ScratchAlignment: 4,
				Permits: []graph.Permit{{Result: 1, Operand: 0, Distance: 112}}, Work: 99,
				Reads: []graph.Read{{Operand: 0, Window: 5, Stride: 2, Padding: 1, Up: 3}},
			},
			{
				Name: "relu", Operands: []int{1}, Results: []int{2}, Scratch: 8, ScratchAlignment: 16, After: []int{0},
				Permits: []graph.Permit{{Result: 2, Operand: 1, Exactly: true}},
				Reads:   []graph.Read{{Operand: 1, Spans: [][2]int{{0, 2}, {2, 2}, {1, 3}}}},
			},
		},
		Inputs: []int{0}, Outputs: []int{2},
	}
}

func TestReadGraph(t *testing.T) {
	g := must.Get(json.ReadGraph(strings.NewReader(sound), "g.json"))(t)
	if want := soundGraph(); !reflect.DeepEqual(g, want) {
		t.Errorf("got  %+v\nwant %+v", g, want)
	}
	var out bytes.Buffer
	must.Do(t, json.WriteGraph(&out, g))
	again, err := json.ReadGraph(&out, "again")
	if err != nil || !reflect.DeepEqual(g, again) {
		t.Errorf("written and read: %v\ngot  %+v\nwant %+v", err, again, g)
	}
}

// TestReadGraphFaults spoils the sound graph in one place.
func TestReadGraphFaults(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{`"version": 1`, `"version": 2`, `g.json:3: version "2": is not known: this program reads version 1`},
		{`"format": "graph"`, `"format": "plan"`, `g.json:2: format "plan": must be "graph"`},
		{`"outputs"`, `"output"`, `g.json:21: output: is not a known key: did you mean outputs?`},
		{`"size": 4096`, `"bytes": 4096`, `g.json:7: values.bytes: is not a known key: values has name, size, alignment, ` +
			`constant, offset, lines` + "\n" + `g.json:7: values.size: the key is missing`},
		{`"size": 4096`, `"size": "4096"`, `g.json:7: values.size "4096": is not an integer: expected 4096 without quotes`},
		{`"size": 4096`, `"size": -1`, `g.json:7: value x: size "-1": must be from 0 to 2305843009213693951`},
		{`"constant": true`, `"constant": 1`, `g.json:10: values.constant "1": is neither true nor false`},
		{`["x", "w"]`, `["x", "image"]`, `g.json:13: operators.operands "image": is no value of the graph`},
		{`["x", "w"]`, `"x"`, `g.json:13: operators.operands "x": is not a list`},
		{`["conv"]`, `["convo"]`, `g.json:16: operators.after "convo": is no operator of the graph: did you mean conv?`},
		{`"operand": "x"`, `"operand": "y"`, `g.json:13: operator conv: ` +
			`permits[0].operand "y": is no operand of the operator`},
		{`"equal": true`, `"equal": true, "distance": 4`, `g.json:17: permits.distance: ` +
			`the permit has equal already: only one of distance, equal and exactly may be there`},
		{`"equal": true`, `"exactly": "4"`, `g.json:17: permits.exactly "4": is not an integer: expected 4 without quotes`},
		{`"equal": true`, `"exactly": 4, "distance": 5`, `g.json:17: permits.distance: ` +
			`the permit has exactly already: only one of distance, equal and exactly may be there`},
		{`"equal": true`, `"exactly": 4, "equal": true`, `g.json:17: permits.equal: ` +
			`the permit has exactly already: only one of distance, equal and exactly may be there`},
		{`"inputs": ["x"]`, `"inputs": []`, `g.json:7: value x: name "x": is made by no operator, ` +
			`and is neither an input nor a constant`},
		{`"after": ["conv"]`, `"after": ["relu"]`, `g.json:16: operator relu: after "relu": is the operator itself`},
		{`"lines": 64`, `"lines": 63`, `g.json:7: value x: lines "63": does not divide the size 4096: ` +
			`all lines must have as many bytes`},
		{`"lines": 64`, `"lines": 99999999999`, `g.json:7: values.lines "99999999999": is far more than there may be`},
		{`"lines": 64`, `"lines": 65537`, `g.json:7: value x: lines "65537": must be from 0 to 65536`},
		{`"lines": 64`, `"constant": false`, `g.json:13: operator conv: reads[0].operand "x": has no lines: ` +
			`the key lines of the value says how many`},
		{`"alignment": 64, "lines": 3`, `"alignment": 64`, `g.json:13: operator conv: reads "y": is a result without lines: ` +
			`the key lines of the value says how many` + "\n" + `g.json:16: operator relu: reads[0].operand "y": has no lines: ` +
			`the key lines of the value says how many`},
		{`"window": 5`, `"window": -5`, `g.json:13: operator conv: reads[0].window "-5": must be from 0 to 65536`},
		{`"window": 5`, `"window": "5"`, `g.json:15: reads.window "5": is not an integer: expected 5 without quotes`},
		{`"operand": "x", "window"`, `"operand": "y", "window"`, `g.json:13: operator conv: reads[0].operand "y": ` +
			`is no operand of the operator`},
		{`[{"operand": "x", "window": 5`, `[{"operand": "x"}, {"operand": "x", "window": 5`, `g.json:13: operator conv: ` +
			`reads[1].operand "x": is a duplicate: what is read of it is said already`},
		{`[2, 2], `, ``, `g.json:16: operator relu: reads[0].spans "2": must have one for each of the 3 lines of the results`},
		{`[2, 2]`, `[2, 4]`, `g.json:16: operator relu: reads[0].spans[1] "2 to 4": must be two numbers in order, ` +
			`from 0 to the 3 lines of y`},
		{`[2, 2]`, `[2]`, `g.json:18: reads.spans "[2]": is not a pair of integers`},
		{`"spans"`, `"stride": 2, "spans"`, `g.json:16: operator relu: reads[0].stride "2": must not be there: ` +
			`spans say which lines are read`},
		{`"work": 99`, `"work": -1`, `g.json:13: operator conv: work "-1": must be from 0 to 1125899906842624`},
		{`"work": 99`, `"work": 1125899906842624`, `g.json:13: operator conv: reads: must not be there: ` +
			`the work of all operators, or the bytes of their results, exceed 1125899906842624`},
		{`"inputs": ["x"],`, `"inputs": ["x"]`, `g.json:21: is not JSON: a comma is missing`},
	} {
		text := strings.Replace(sound, tc.from, tc.to, 1)
		if text == sound {
			t.Fatalf("%s is not there", tc.from)
		}
		_, err := json.ReadGraph(strings.NewReader(text), "g.json")
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.to, err, tc.want)
		}
	}
}

func TestIsGraph(t *testing.T) {
	for text, want := range map[string]bool{
		sound: true, `{"values": []}`: true, `{"operators": 1}`: true, `{"format": "graph"}`: true,
		`{}`: false, `[]`: false, `{"buffers": [], "values": []}`: false, `{"values": []`: false, `"values"`: false,
		`{"format": "graph plan"}`: false, "": false,
	} {
		if got := json.IsGraph([]byte(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestWriteGraphPlan(t *testing.T) {
	g := soundGraph()
	p := &graph.Plan{
		Order: []int{0, 1}, Offsets: []int64{112, 0, 0, -1}, Scratch: []int64{4208, 4208}, Height: 4720, LowerBound: 4700,
		Status: model.Feasible, Planner: "auto", Saved: graph.Saved{InPlace: 1, Distance: 2, Order: 3},
		Overlaps: []graph.Overlap{
			{Operator: 0, Result: 1, Operand: 0, Distance: 112, Bytes: 2960},
			{Operator: 1, Result: 2, Operand: 1, Bytes: 3072},
		},
	}
	var out bytes.Buffer
	must.Do(t, json.WriteGraphPlan(&out, g, p))
	const want = `{
  "format": "graph plan",
  "version": 1,
  "name": "example",
  "planner": "auto",
  "status": "feasible",
  "height": 4720,
  "lower_bound": 4700,
  "order": ["conv", "relu"],
  "offsets": {
    "x": 112,
    "y": 0,
    "z": 0
  },
  "scratch": {
    "conv": 4208,
    "relu": 4208
  },
  "overlaps": [
    {"operator": "conv", "result": "y", "operand": "x", "distance": 112, "bytes": 2960},
    {"operator": "relu", "result": "z", "operand": "y", "distance": 0, "bytes": 3072}
  ],
  "saved": {"in_place": 1, "distance": 2, "order": 3}
}
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	out.Reset()
	must.Do(t, json.WriteGraphPlan(&out, g, &graph.Plan{Status: model.Infeasible, LowerBound: 9}))
	if strings.Contains(out.String(), "offsets") || !strings.Contains(out.String(), `"status": "infeasible"`) {
		t.Errorf("without a plan: %s", out.String())
	}
	for _, spoil := range []func(){
		func() { p.Scratch = nil }, func() { p.Offsets = nil },
		func() { g.Values[0].Name = "\xff" }, func() { g.Inputs = nil },
	} {
		g, p = soundGraph(), &graph.Plan{Order: []int{0, 1}, Offsets: make([]int64, 4), Status: model.Optimal}
		p.Scratch = make([]int64, 2)
		spoil()
		out.Reset()
		if err := json.WriteGraphPlan(&out, g, p); err == nil || out.Len() > 0 {
			t.Errorf("%v, %q", err, out.String())
		}
	}
}

// FuzzGraph: the reader's only failure is an error of the input. A graph that it reads is valid and comes back
// unchanged.
func FuzzGraph(f *testing.F) {
	f.Add(sound)
	for _, cut := range []string{`"size": 4096`, `["x", "w"]`, `"equal": true`, `{"name": "y"`} {
		f.Add(strings.Replace(sound, cut, `[null, {"a": 1e3}, "\u00e9"]`, 1))
		f.Add(strings.Replace(sound, cut, cut+`, `+cut, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := json.ReadGraph(strings.NewReader(text), "fuzz")
		if err != nil {
			if _, ok := err.(*model.InputError); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		must.Do(t, graph.Validate(g))
		var first, second bytes.Buffer
		must.Do(t, json.WriteGraph(&first, g))
		again, err := json.ReadGraph(bytes.NewReader(first.Bytes()), "again")
		if err != nil {
			t.Fatalf("%v\n%s", err, first.Bytes())
		}
		if err := json.WriteGraph(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%v\n%s\n%s", err, first.Bytes(), second.Bytes())
		}
		if !json.IsGraph([]byte(text)) {
			t.Fatal("is read, but not taken for a graph")
		}
	})
}

// TestReadGraphPlan reads plans that were written, and what is wrong with others.
func TestReadGraphPlan(t *testing.T) {
	g := soundGraph()
	p := &graph.Plan{
		Order: []int{0, 1}, Offsets: []int64{112, 0, 0, -1}, Scratch: []int64{4208, 4208}, Height: 4720, LowerBound: 4700,
		Status: model.Feasible, Planner: "auto", Saved: graph.Saved{InPlace: 1, Distance: 2, Order: 3},
		Overlaps: []graph.Overlap{
			{Operator: 0, Result: 1, Operand: 0, Distance: 112, Bytes: 2960},
			{Operator: 1, Result: 2, Operand: 1, Bytes: 3072},
		},
	}
	none := &graph.Plan{Status: model.Infeasible, LowerBound: 9}
	text := ""
	for _, p := range []*graph.Plan{none, p} {
		var out bytes.Buffer
		must.Do(t, json.WriteGraphPlan(&out, g, p))
		text = out.String()
		again, err := json.ReadGraphPlan(&out, "p.json", g)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%v\ngot  %+v\nwant %+v", err, again, p)
		}
		if !json.IsGraphPlan([]byte(text)) || json.IsGraph([]byte(text)) {
			t.Error("is not taken for what it is")
		}
		if _, _, err := json.Read(strings.NewReader(text), "p.json"); err == nil ||
			!strings.HasPrefix(err.Error(), "p.json:1: is a plan of a graph") {
			t.Errorf("as a problem: %v", err)
		}
	}
	for _, tc := range []struct{ from, to, want string }{
		{`"version": 1`, `"version": 2`, `p.json:3: version "2": is not known: this program reads version 1`},
		{`"graph plan"`, `"graph"`, `p.json:2: format "graph": must be "graph plan"`},
		{`"feasible"`, `"fine"`, `p.json:6: status "fine": is not a status: expected unknown, feasible, optimal or infeasible`},
		{`"feasible"`, `"unknown"`, `p.json:1: order: must not be there: the status is unknown` + "\n" +
			`p.json:1: offsets: must not be there: the status is unknown`},
		{`["conv", "relu"]`, `["conv", 7]`, `p.json:9: order "7": is not a string`},
		{`"x": 112`, `"w": 112`, `p.json:10: offsets "x": the offset of this value is missing` + "\n" +
			`p.json:10: offsets "w": is a constant, which has no offset`},
		{`"x": 112`, `"u": 112`, `p.json:11: offsets "u": is no value of the graph: did you mean w or x or y or z?`},
		{`"x": 112`, `"x": -112`, `p.json:11: offsets.x "-112": must be from 0 to 2305843009213693951`},
		{`"relu": 4208`, `"conv": 4208`, `p.json:17: scratch.conv: is a duplicate: the key appears twice`},
		{"    \"conv\": 4208,\n", "", `p.json:15: scratch "conv": the offset of this operator's scratch is missing`},
		{`"operand": "x", `, "", `p.json:20: overlaps.operand: the key is missing`},
		{`"order": 3`, `"order": "3"`, `p.json:23: saved "3": is not an integer: expected 3 without quotes`},
	} {
		spoiled := strings.Replace(text, tc.from, tc.to, 1)
		if spoiled == text {
			t.Fatalf("%s is not there", tc.from)
		}
		_, err := json.ReadGraphPlan(strings.NewReader(spoiled), "p.json", g)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s:\ngot  %v\nwant %s", tc.to, err, tc.want)
		}
	}
}

// FuzzGraphPlan: the reader's only failure is an error of the input. A plan that it reads can be checked and written.
func FuzzGraphPlan(f *testing.F) {
	g := soundGraph()
	p := &graph.Plan{
		Order: []int{0, 1}, Offsets: []int64{112, 0, 0, -1}, Scratch: []int64{4208, 4208}, Status: model.Feasible,
	}
	var out bytes.Buffer
	must.Do(f, json.WriteGraphPlan(&out, g, p))
	f.Add(out.String())
	for _, cut := range []string{`"x": 112`, `["conv", "relu"]`, `"scratch"`, `{"in_place": 0`} {
		f.Add(strings.Replace(out.String(), cut, `[null, {"a": 1e3}, "\u00e9"]`, 1))
		f.Add(strings.Replace(out.String(), cut, `{}`, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := json.ReadGraphPlan(strings.NewReader(text), "fuzz", g)
		if err != nil {
			if _, ok := err.(*model.InputError); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		must.Get(graph.Verify(g, p))(t)
		if err := json.WriteGraphPlan(io.Discard, g, p); err != nil && len(p.Order) == len(g.Operators) {
			t.Fatal(err)
		}
	})
}

// TestGraphPlanInStrips writes and reads a plan with chains, and plans that are none.
func TestGraphPlanInStrips(t *testing.T) {
	g := must.Get(json.ReadGraph(strings.NewReader(lined), "g.json"))(t)
	p := must.Get(graph.Make(t.Context(), g, graph.Options{Solve: stowage.Solve, Strips: true, MaxWork: 1}))(t)
	var out bytes.Buffer
	must.Do(t, json.WriteGraphPlan(&out, g, p))
	text := out.String()
	q := must.Get(json.ReadGraphPlan(strings.NewReader(text), "p.json", g))(t)
	if p.Stopped = q.Stopped; len(p.Chains) != 1 || !reflect.DeepEqual(p, q) {
		t.Errorf("written and read:\n%s\ngot  %+v\nwant %+v", text, q, p)
	}
	if r := must.Get(graph.Verify(g, q))(t); !r.OK() {
		t.Errorf("%v", r.Violations)
	}
	for _, tc := range []struct{ from, to, want string }{
		{`["wide", "slim"], "strips"`, `["slim", "wide"], "strips"`, `chains.operators: must be operators that stand one behind the other in the order`},
		{`["wide", "slim"], "strips"`, `[], "strips"`, `chains.operators: must be operators that stand one behind the other`},
		{`"strips": 3, "work"`, `"work"`, `chains.strips: the key is missing`},
		{`"lines": [0, 3]`, `"lines": [0]`, `lines "[0]": is not a pair of integers`},
		{`"operator": "wide"`, `"operator": "wise"`, `calls.operator "wise": is no operator of the graph: did you mean wide?`},
		{`"offsets": {`, `"offsets": {"y": 0,`, `offsets "y": is made and read in strips, so it does not lie anywhere as a whole`},
		{`"scratch": {`, `"scratch": {"slim": 0`, `scratch "slim": is an operator in strips: its calls have scratch`},
	} {
		spoilt := strings.Replace(text, tc.from, tc.to, 1)
		if spoilt == text {
			t.Fatalf("%s is not in\n%s", tc.from, text)
		}
		if _, err := json.ReadGraphPlan(strings.NewReader(spoilt), "p.json", g); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.to, err)
		}
	}
}

// lined is a graph of two operators that can run in strips.
const lined = `{
  "values": [{"name": "x", "size": 64, "lines": 8}, {"name": "y", "size": 512, "lines": 8},
             {"name": "z", "size": 64, "lines": 8}],
  "operators": [
    {"name": "wide", "operands": ["x"], "results": ["y"], "reads": [{"operand": "x"}]},
    {"name": "slim", "operands": ["y"], "results": ["z"], "scratch": 4,
     "reads": [{"operand": "y", "window": 3, "padding": 1}]}
  ],
  "inputs": ["x"], "outputs": ["z"]
}`

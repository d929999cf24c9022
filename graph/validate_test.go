package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// chain returns a sound graph: a is read by f, whose result b is read by g, which makes c. w is a constant.
func chain() *graph.Graph {
	return &graph.Graph{
		Values: []graph.Value{
			{Name: "a", Size: 64, Alignment: 16},
			{Name: "b", Size: 64},
			{Name: "c", Size: 16},
			{Name: "w", Size: 4, Constant: true},
		},
		Operators: []graph.Operator{
			{Name: "f", Operands: []int{0, 3}, Results: []int{1}, Permits: []graph.Permit{{Result: 1, Operand: 0}}},
			{Name: "g", Operands: []int{1}, Results: []int{2}, Scratch: 8},
		},
		Inputs: []int{0}, Outputs: []int{2},
	}
}

func TestValidate(t *testing.T) {
	must.Do(t, graph.Validate(chain()))
	at := int64(24)
	for _, tc := range []struct {
		spoil func(g *graph.Graph)
		want  string
	}{
		{func(g *graph.Graph) { g.Values[1].Name = "" }, `value number 2: name: is empty`},
		{
			func(g *graph.Graph) { g.Values[1].Name = "a" },
			`value a: name "a": is a duplicate: the value at index 0 has the same`,
		},
		{func(g *graph.Graph) { g.Values[1].Size = -1 }, `value b: size "-1": must be from 0 to 2305843009213693951`},
		{
			func(g *graph.Graph) { g.Values[1].Alignment = -2 },
			`value b: alignment "-2": must be from 0 to 2305843009213693951`,
		},
		{
			func(g *graph.Graph) { g.Values[0].Fixed = &at },
			`value a: offset "24": is not a multiple of the alignment 16`,
		},
		{
			func(g *graph.Graph) { g.Values[3].Fixed = &at },
			`value w: offset "24": is of a constant, which is not planned`,
		},
		{
			func(g *graph.Graph) { g.Values[1].Size, g.Values[2].Size = model.MaxSum, 1 },
			`value b: size "2305843009213693951": makes the sum of the aligned sizes exceed 2305843009213693951`,
		},
		{func(g *graph.Graph) { g.Operators[1].Name = "" }, `operator number 2: name: is empty`},
		{
			func(g *graph.Graph) { g.Operators[1].Name = "f" },
			`operator f: name "f": is a duplicate: the operator at index 0 has the same`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Operands[0] = 4 },
			`operator g: operands "4": is no value: there are 4`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Results[0] = -1 },
			`operator g: results "-1": is no value: there are 4`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Results[0] = 3 },
			`operator g: results "w": is a constant, which no operator makes`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Results = []int{2, 2} },
			`operator g: results "c": is a duplicate: the operator makes it twice`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Results = []int{2, 1} },
			`operator g: results "b": is made by operator f already`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Results = []int{2, 0} },
			`operator g: results "a": is an input, which no operator makes`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].Scratch = -8 },
			`operator g: scratch "-8": must be from 0 to 2305843009213693951`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].ScratchAlignment = -8 },
			`operator g: scratch_alignment "-8": must be from 0 to 2305843009213693951`,
		},
		{
			func(g *graph.Graph) { g.Operators[1].After = []int{2} },
			`operator g: after "2": is no operator: there are 2`,
		},
		{func(g *graph.Graph) { g.Operators[1].After = []int{1} }, `operator g: after "g": is the operator itself`},
		{
			func(g *graph.Graph) { g.Operators[0].After = []int{1} },
			`operator f: operands: the operator waits for itself: f, then g, then f`,
		},
		{
			func(g *graph.Graph) { g.Operators[0].Permits[0].Result = 9 },
			`operator f: permits[0].result "9": is no value: there are 4`,
		},
		{
			func(g *graph.Graph) { g.Operators[0].Permits[0].Result = 2 },
			`operator f: permits[0].result "c": is no result of the operator`,
		},
		{
			func(g *graph.Graph) { g.Operators[0].Permits[0].Operand = 1 },
			`operator f: permits[0].operand "b": is no operand of the operator`,
		},
		{
			func(g *graph.Graph) { g.Operators[0].Permits[0].Distance = -model.MaxSum - 1 },
			`operator f: permits[0].distance "-2305843009213693952": ` +
				`must be from -2305843009213693951 to 2305843009213693951`,
		},
		{
			func(g *graph.Graph) { g.Inputs = nil },
			`value a: name "a": is made by no operator, and is neither an input nor a constant`,
		},
		{func(g *graph.Graph) { g.Inputs = []int{0, 4} }, `inputs "4": is no value: there are 4`},
		{func(g *graph.Graph) { g.Outputs = []int{-1} }, `outputs "-1": is no value: there are 4`},
	} {
		g := chain()
		tc.spoil(g)
		if err := graph.Validate(g); err == nil || err.Error() != tc.want {
			t.Errorf("got  %v\nwant %s", err, tc.want)
		}
	}
	if err := graph.Validate(nil); err == nil {
		t.Error("nil is no graph")
	}
}

// TestValidateReportsAll: faults of several kinds come together, and the number of all.
func TestValidateReportsAll(t *testing.T) {
	g := chain()
	g.Values[0].Size, g.Values[1].Alignment, g.Operators[0].Permits[0].Operand = -1, -1, 3
	for range 30 {
		g.Inputs = append(g.Inputs, 77)
	}
	g.Operators[0].Operands = []int{0}
	err := graph.Validate(g)
	var input *model.InputError
	if !errors.As(err, &input) || input.Total != 33 || len(input.Issues) != model.MaxIssues {
		t.Errorf("got %v", err)
	}
}

// TestOrderMustRun: a graph whose operators stand in an order in which they cannot run is valid, but cannot keep it.
func TestOrderMustRun(t *testing.T) {
	g := chain()
	g.Operators[0], g.Operators[1] = g.Operators[1], g.Operators[0]
	must.Do(t, graph.Validate(g))
	_, err := graph.Make(context.Background(), g, graph.Options{Solve: stowage.Solve})
	if err == nil || err.Error() != `order "g": needs operator f, which runs later` {
		t.Errorf("got %v", err)
	}
	for _, order := range [][]int{{1}, {1, 1}, {1, 2}, {0, 1}} {
		if _, err := graph.Lower(g, order, graph.AllPermits); err == nil {
			t.Errorf("order %v was taken", order)
		}
	}
	if _, err := graph.Lower(g, []int{1, 0}, graph.AllPermits); err != nil {
		t.Error(err)
	}
}

func TestMakeOptions(t *testing.T) {
	o := graph.Options{Permits: 9, Run: stowage.Options{Start: []int64{0}}}
	_, err := graph.Make(context.Background(), chain(), o)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("three faults, got %v", err)
	}
}

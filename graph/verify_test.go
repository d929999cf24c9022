package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestVerifyRules spoils a sound plan in one way at a time. The error names the broken rule, the operator and the
// values.
func TestVerifyRules(t *testing.T) {
	at := int64(32)
	sound := func() (*graph.Graph, *graph.Plan) {
		p := &graph.Plan{
			Order: []int{0, 1}, Offsets: []int64{16, 16, 80, -1}, Scratch: []int64{-1, 96},
			Height: 104, Status: model.Feasible,
			Overlaps: []graph.Overlap{{Operator: 0, Result: 1, Operand: 0, Distance: 0, Bytes: 64}},
		}
		return chain(), p
	}
	g, p := sound()
	if r, err := graph.Verify(g, p); err != nil || !r.OK() || r.Height != 104 || len(p.Overlaps) != 1 {
		t.Fatalf("%v %+v %+v", err, r, p)
	}
	plain := func(rule model.Rule, at ...int) graph.Violation {
		return graph.Violation{Rule: rule, Operator: at[0], A: at[1], B: at[2]}
	}
	unlisted := plain(graph.RuleOverlaps, 0, 1, 0)
	overlap := []graph.Violation{plain(model.RuleOverlap, 0, 1, 0), unlisted}
	one := func(rule model.Rule, at ...int) []graph.Violation { return []graph.Violation{plain(rule, at...)} }
	type spoil = func(g *graph.Graph, p *graph.Plan)
	for _, tc := range []struct {
		name  string
		spoil spoil
		want  []graph.Violation // without messages
	}{
		{"count", func(_ *graph.Graph, p *graph.Plan) { p.Offsets = p.Offsets[:3] }, one(model.RuleCount, -1, -1, -1)},
		{"sign", func(_ *graph.Graph, p *graph.Plan) { p.Offsets[2] = -4 }, []graph.Violation{
			plain(model.RuleSign, -1, 2, -1), unlisted,
		}},
		{"alignment", func(_ *graph.Graph, p *graph.Plan) { p.Offsets[0], p.Offsets[1] = 20, 20 }, []graph.Violation{
			plain(model.RuleAlignment, -1, 0, -1), plain(model.RuleOverlap, 1, 2, 1),
		}},
		{"fixed", func(g *graph.Graph, _ *graph.Plan) { g.Values[2].Fixed = &at }, one(model.RuleFixed, -1, 2, -1)},
		{"height", func(_ *graph.Graph, p *graph.Plan) { p.Height = 105 }, one(model.RuleHeight, -1, -1, -1)},
		{"order", func(_ *graph.Graph, p *graph.Plan) { slices.Reverse(p.Order) }, []graph.Violation{
			plain(graph.RuleOrder, 1, 1, -1), unlisted,
		}},
		{"twice", func(_ *graph.Graph, p *graph.Plan) { p.Order[1] = 0 }, one(graph.RuleOrder, -1, -1, -1)},
		{"bound", func(_ *graph.Graph, p *graph.Plan) { p.LowerBound = 105 }, one(graph.RuleBound, -1, -1, -1)},
		{"proof", func(_ *graph.Graph, p *graph.Plan) { p.Status = model.Optimal }, one(graph.RuleBound, -1, -1, -1)},
		{"distance", func(g *graph.Graph, _ *graph.Plan) { g.Operators[0].Permits[0].Distance = 1 }, overlap},
		{"read later", func(g *graph.Graph, _ *graph.Plan) { g.Operators[1].Operands = []int{1, 0} }, overlap},
		{"an output", func(g *graph.Graph, _ *graph.Plan) { g.Outputs = []int{0, 2} }, overlap},
		{"scratch", func(_ *graph.Graph, p *graph.Plan) { p.Scratch[1], p.Height = 90, 98 }, one(model.RuleOverlap,
			1, 2, -1)},
		{"not listed", func(_ *graph.Graph, p *graph.Plan) { p.Overlaps = nil }, one(graph.RuleOverlaps, 0, 1, 0)},
		{
			"listed twice",
			func(_ *graph.Graph, p *graph.Plan) { p.Overlaps = append(p.Overlaps, p.Overlaps[0]) },
			[]graph.Violation{unlisted},
		},
	} {
		g, p := sound()
		tc.spoil(g, p)
		r := must.Get(graph.Verify(g, p))(t, "%s", tc.name)
		var got []graph.Violation
		for _, v := range r.Violations {
			if v.Message == "" {
				t.Errorf("%s: no message", tc.name)
			}
			v.Message = ""
			got = append(got, v)
		}
		for part, there := range map[string]bool{
			" at operator f: permitted from distance 1, it is 0": tc.name == "distance",
			" at operator f: its permit does not count, since value a is needed later": tc.name == "read later" ||
				tc.name == "an output",
			" at operator g": tc.name == "scratch" || tc.name == "alignment",
		} {
			said := slices.ContainsFunc(r.Violations, func(v graph.Violation) bool { return strings.HasSuffix(v.Message, part) })
			if said != there {
				t.Errorf("%s: %q is %t in %+v", tc.name, part, said, r.Violations)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", tc.name, got, tc.want)
		}
	}
}

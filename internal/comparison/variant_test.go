package comparison

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/plan"
)

func TestVariant(t *testing.T) {
	for text, want := range map[string]plan.Options{
		"exact":                          {},
		"exact --without fronts,hatless": {Without: []string{"fronts", "hatless"}},
		"tela --set strategy=size --without a --set b=c=d": {
			Without: []string{"a"}, Params: map[string]string{"strategy": "size", "b": "c=d"},
		},
	} {
		name, o, err := Variant(text)
		if err != nil || text[:len(name)] != name || name != "exact" && name != "tela" {
			t.Errorf("%q: planner %q, %v", text, name, err)
		}
		if diff := cmp.Diff(want, o); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for _, text := range []string{
		"", "exact --without", "exact  --without a", "exact a=b c", "tela --set strategy", "exact --nodes 3", " exact",
	} {
		if _, _, err := Variant(text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// TestSolveVariant: the options of a variant reach the planner, and the run keeps the whole name.
func TestSolveVariant(t *testing.T) {
	p := must.Get(gen.Generate("synthetic", gen.Options{Buffers: 30}))(t)
	in := NewInstance("s", p, p.Capacity)
	run := func(planner string) Run {
		r := Run{Planner: planner, Solve: true, Nodes: 20_000, Workers: 1}
		Solve(t.Context(), &in, &r)
		return r
	}
	var techniques []string
	for _, i := range stowage.Planners() {
		for _, t := range i.Techniques {
			if i.Name == "exact" {
				techniques = append(techniques, t.Name)
			}
		}
	}
	without := "exact --without " + strings.Join(techniques, ",")
	all, some := run("exact"), run(without)
	if !all.HasPlan() || some.Planner != without || all.Visited == some.Visited {
		t.Errorf("%+v and %+v", all, some)
	}
	for _, text := range []string{"exact --without no-such", "exact --oops"} {
		if r := run(text); r.Status != Refused || r.Message == "" {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

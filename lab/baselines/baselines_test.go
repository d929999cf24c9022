package baselines_test

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	_ "github.com/stowage-go/stowage/lab/baselines"
	"github.com/stowage-go/stowage/plan"
)

// TestRegistrations compares what is registered with the descriptions.
func TestRegistrations(t *testing.T) {
	for _, i := range stowage.Planners() {
		r, err := plan.Find(i.Name)
		if err != nil || r.Name != i.Name || r.Exact() != i.Exact {
			t.Errorf("%s is registered as %+v, %v", i.Name, r, err)
		}
		for _, o := range []stowage.Options{
			{},
			{Without: []string{"mem", "climb", "rounds"}},
			{Without: []string{"memo", "memo", ""}},
			{Params: map[string]string{"width": "0", "w": "1", "orders": "x", "waste": "1e3"}, Without: []string{"x"}},
		} {
			if got, want := r.Check(&o), plan.CheckOptions(i, o); (got == nil) != (want == nil) || got != nil &&
				got.Error() != want.Error() {
				t.Errorf("%s, %+v: %v, want %v", i.Name, o, got, want)
			}
		}
	}
}

// TestParameters goes through the parameters of all planners: the default is a value that may be set, what is none is
// refused before the planner starts, and all refusals are worded alike.
func TestParameters(t *testing.T) {
	p := &stowage.Problem{Buffers: []stowage.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 4}}}
	planners, params := 0, 0
	for _, i := range stowage.Planners() {
		planners++
		for _, x := range i.Params {
			params++
			o := stowage.Options{Planner: i.Name, Params: map[string]string{x.Name: x.Default}}
			if r, err := stowage.Minimize(t.Context(), p, o); err != nil || r.Height != 4 && i.Name != "bfc" {
				t.Errorf("%s, %s at its default: %+v, %v", i.Name, x.Name, r, err)
			}
			if x.Values == "" || x.Summary == "" {
				t.Errorf("%s says nothing of its parameter %s: %+v", i.Name, x.Name, x)
			}
			for _, bad := range []string{"no such value", ""} {
				o.Params[x.Name] = bad
				want := "planner " + i.Name + ": parameter " + x.Name + " must be " + x.Values + ", not \"" + bad + "\""
				if err := i.Check(o); err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		}
		for _, x := range i.Techniques {
			o := stowage.Options{Planner: i.Name, Without: []string{x.Name}}
			if r, err := stowage.Minimize(t.Context(), p, o); err != nil || !r.Status.HasPlan() {
				t.Errorf("%s without %s: %+v, %v", i.Name, x.Name, r, err)
			}
			if strings.ToLower(x.Name) != x.Name || x.Summary == "" {
				t.Errorf("%s: technique %+v", i.Name, x)
			}
		}
	}
	if planners < 35 || params < 30 {
		t.Errorf("%d planners with %d parameters: are all here?", planners, params)
	}
}

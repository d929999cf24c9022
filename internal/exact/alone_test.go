package exact

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// All tests but those of this file are of the planner as programs have it that have auto.
func TestMain(m *testing.M) {
	Whole()
	os.Exit(m.Run())
}

// alone takes away what Whole brings, until the end of the test.
func alone(t *testing.T) {
	parts := []any{windows, races, stretched, composing, binding, fallsBack, shifting}
	t.Cleanup(func() {
		windows, races, stretched = parts[0].(func(*engine, int) knowledge), parts[1].(func(*engine, int, int64, int64) (outcome, *kernel)), parts[2].(func(*engine, int, int64, int64) verdict)
		composing, binding = parts[3].(func(*engine, int64, bool, int64)), parts[4].(func(*settings, *plan.Options) error)
		fallsBack, shifting = parts[5].(func(*engine)), parts[6].(func(*kernel))
	})
	windows, races, stretched, composing, binding, fallsBack, shifting = nil, nil, nil, nil, nil, nil, nil
}

// TestAlone has nothing but the canonical search: what is said is true all the same, of
// problems without windows as much is said, and some with windows are left open.
func TestAlone(t *testing.T) {
	type answer struct {
		p    *model.Problem
		want plan.Result
	}
	var answers []answer
	for seed := range uint64(3000) {
		p := suite.Wide(seed)
		want, err := (&Planner{}).Plan(context.Background(), timeline.New(p), plan.Options{NodeLimit: 20000})
		if err == nil && (want.Status == model.Optimal || want.Status == model.Infeasible) {
			answers = append(answers, answer{p, want})
		}
	}
	alone(t)
	open := 0
	for k, a := range answers {
		p, want := a.p, a.want
		tl := timeline.New(p)
		r, err := (&Planner{}).Plan(context.Background(), tl, plan.Options{NodeLimit: 20000, Workers: k % 3})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status.HasPlan() {
			if report := verify.Check(p, r.Offsets, 0); !report.OK() || want.Status == model.Optimal && report.Height < model.HeightOf(p, want.Offsets) {
				t.Fatalf("problem %d: %v, height %d:%s", k, report.Violations, report.Height, suite.Describe(p))
			}
		}
		windows := slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool {
			return slices.ContainsFunc(b.Gaps, func(g model.Gap) bool { return g.Window != nil })
		})
		if r.Status == want.Status {
			if want.Status == model.Optimal && model.HeightOf(p, r.Offsets) != model.HeightOf(p, want.Offsets) {
				t.Fatalf("problem %d: optimal at %d, not %d:%s", k, model.HeightOf(p, r.Offsets), model.HeightOf(p, want.Offsets), suite.Describe(p))
			}
			continue
		}
		if !windows || r.Status == model.Optimal || r.Status == model.Infeasible {
			t.Fatalf("problem %d: %v, not %v:%s", k, r.Status, want.Status, suite.Describe(p))
		}
		open++
	}
	if open == 0 {
		t.Error("no problem is left open")
	}
}

// TestAloneSettings holds what is set where nothing can be set against what is set where
// nothing is.
func TestAloneSettings(t *testing.T) {
	var want, got settings
	if err := want.choose(&plan.Options{}); err != nil {
		t.Fatal(err)
	}
	info := (&Planner{}).Info()
	alone(t)
	if err := got.choose(&plan.Options{}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, o := range []plan.Options{{Without: []string{"memo"}}, {Params: map[string]string{"orders": "TC"}}} {
		if err := got.choose(&o); !errors.Is(err, plan.ErrUnsupported) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if i := (&Planner{}).Info(); i.Name != info.Name || i.Exact != info.Exact {
		t.Errorf("%+v", i)
	}
}

package ruled_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// read reads a problem of testdata.
func read(t *testing.T, name string) *model.Problem {
	t.Helper()
	f := must.Get(os.Open(filepath.Join("testdata", name+".json")))(t)
	defer f.Close()
	p, _ := must.Two(json.Read(f, name))(t)
	return p
}

// TestSmall has problems that were once left open, or whose plans were not the best. The values are those of the
// objective, by an independent integer program; nil is for no plan.
func TestSmall(t *testing.T) {
	for name, want := range map[string][]int64{
		"und-59936":           {9, 0, 6},
		"und-23411":           {0, 2, 4},
		"und-19531":           {0, 33, 9},
		"undecided-min-31126": nil,
		"undecided-min-49211": nil,
		"pools_unproven":      {19},
		"pools_maxheight_8x3": {15},
		"max_height_smallest": {15},
		"pools_s163":          {19},
		"height_s151":         {34},
		"height_s20":          {69},
		"obj_s11":             {1324}, // shared objects, as pools that have one buffer at a time
		"obj_s12":             {1272},
		"obj_s14":             {1188},
	} {
		proven(t, name, want)
	}
}

// proven asks auto and exact about a problem of testdata. They have the values of the objective with proof, or prove
// that there is no plan if want is nil.
func proven(t *testing.T, name string, want []int64) {
	t.Helper()
	for _, planner := range []string{"auto", "exact"} {
		p := read(t, name)
		known := must.Get(plan.Find(planner))(t)
		r := must.Get(ruled.Solve(context.Background(), p, run.Prepared(known), plan.Options{}))(t)
		if want == nil {
			if r.Status != model.Infeasible || r.ProvedBy == "" {
				t.Errorf("%s, %s: %v", name, planner, r.Status)
			}
			continue
		}
		var values, bounds []int64
		for k, m := range p.Objective() {
			values, bounds = append(values, model.ValueOf(r.Measures, m)), append(bounds, r.Bounds[k].Value)
		}
		if r.Status != model.Optimal || !slices.Equal(values, want) || !slices.Equal(bounds, want) ||
			r.Stopped != plan.Finished {
			t.Errorf("%s, %s: %v, %v, bounds %v, ended by %q; the best is %v", name, planner, r.Status, values, bounds,
				r.Stopped, want)
		}
		if report := verify.CheckMeasures(p, &r.Plan, r.Measures); !report.OK() {
			t.Errorf("%s, %s: %s", name, planner, report.Violations[0].Message)
		}
	}
}

// TestSmallLimits: with few nodes nothing false is said, and the plan is no worse than with fewer.
func TestSmallLimits(t *testing.T) {
	auto := must.Get(plan.Find("auto"))(t)
	for _, name := range []string{"und-59936", "pools_s163", "pools_maxheight_8x3"} {
		p := read(t, name)
		var best []int64
		for _, nodes := range []int64{1_000_000, 1, 3, 10, 30, 100, 300} {
			r := must.Get(ruled.Solve(context.Background(), p, run.Prepared(auto), plan.Options{NodeLimit: nodes}))(t)
			if !r.Status.HasPlan() {
				continue
			}
			var values []int64
			for _, m := range p.Objective() {
				values = append(values, model.ValueOf(r.Measures, m))
			}
			if best == nil {
				best = values
			}
			if slices.Compare(values, best) < 0 || r.Status == model.Optimal && !slices.Equal(values, best) {
				t.Errorf("%s, %d nodes: %v %v, the best is %v", name, nodes, r.Status, values, best)
			}
			if r.Status == model.Feasible && r.Stopped != plan.StopNodes {
				t.Errorf("%s, %d nodes: ended by %q", name, nodes, r.Stopped)
			}
		}
	}
}

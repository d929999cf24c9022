package figures

import (
	"testing"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestWords has a run of each kind, with who found its plan and why it ended.
func TestWords(t *testing.T) {
	result := func(s model.Status, stopped plan.Stop, member string) *plan.Result {
		return &plan.Result{Status: s, Stopped: stopped, Planner: "auto", Member: member}
	}
	ruled := func(s model.Status, stopped plan.Stop) *plan.Result {
		r := result(s, stopped, "")
		r.Objective = []model.Measure{model.MeasureHeight}
		return r
	}
	for _, c := range []struct {
		r              *plan.Result
		capacity       int64
		minimize       bool
		foundBy, ended string
	}{
		{result(model.Optimal, plan.Finished, "merge"), 0, false, "merge", "proof"},
		{result(model.Optimal, plan.Finished, ""), 9, false, "auto", "proof"},
		{result(model.Infeasible, plan.Finished, "merge"), 9, false, "", "proof"},
		{result(model.Feasible, plan.Finished, "climb"), 9, false, "climb", "fits"},
		{result(model.Feasible, plan.Finished, "climb"), 9, true, "climb", "done"},
		{result(model.Feasible, plan.Finished, "climb"), 0, false, "climb", "done"},
		{result(model.Feasible, plan.StopEffort, "start"), 0, false, "start", "effort"},
		{result(model.Feasible, plan.StopTimeout, ""), 9, true, "auto", "timeout"},
		{result(model.Unknown, plan.StopNodes, "merge"), 9, false, "", "nodes"},
		{result(model.Unknown, plan.StopInterrupt, ""), 9, false, "", "interrupt"},
		{result(model.Unknown, plan.Finished, ""), 9, false, "", "done"},
		{ruled(model.Feasible, plan.Finished), 0, false, "auto", "fits"}, // the capacity is that of the pool
		{ruled(model.Feasible, plan.StopEffort), 0, false, "auto", "effort"},
		{ruled(model.Optimal, plan.Finished), 0, false, "auto", "proof"},
	} {
		if by, why := FoundBy(c.r), Ended(c.r, c.capacity, c.minimize); by != c.foundBy || why != c.ended {
			t.Errorf("%+v: found by %q and ended by %q, want %q and %q", c, by, why, c.foundBy, c.ended)
		}
	}
}

// TestOf: what is known of the capacity, and the reason, are there for the statuses that need them and for no other.
func TestOf(t *testing.T) {
	p := &model.Problem{Capacity: 5, Buffers: []model.Buffer{{ID: "a", Lower: 0, Upper: 2, Size: 6}}}
	for _, c := range []struct {
		r      plan.Result
		reason string
	}{
		{plan.Result{Status: model.Unknown, Enough: 9, LowerBound: 6}, ""},
		{plan.Result{Status: model.Infeasible, LowerBound: 6}, "Buffer a alone takes 6, which is 1 more than the capacity of 5."},
		{plan.Result{Status: model.Optimal, LowerBound: 6, ProvedBy: "bound"}, ""},
	} {
		f := Of(&c.r, p, false)
		if enough := f.Enough == 9 && f.NotEnough == 5; enough != (c.r.Status == model.Unknown) || f.Reason != c.reason {
			t.Errorf("%s: %d are enough and %d are not; the reason is %q", f.Status, f.Enough, f.NotEnough, f.Reason)
		}
		if f.Capacity != 5 || f.Buffers != 1 || f.LowerBound != 6 || f.ProvedBy != c.r.ProvedBy {
			t.Errorf("%+v", f)
		}
	}
}

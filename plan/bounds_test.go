package plan_test

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestBoundsOf reads every kind of result.
func TestBoundsOf(t *testing.T) {
	planned := func(s model.Status, height, bound int64) plan.Result {
		return plan.Result{Status: s, Plan: model.Plan{Height: height}, LowerBound: bound}
	}
	never := plan.Result{Status: model.Infeasible, Collision: &model.Collision{}, LowerBound: 7}
	for _, c := range []struct {
		name   string
		result plan.Result
		want   plan.Bounds
	}{
		{"optimal", planned(model.Optimal, 9, 9), plan.Bounds{Status: model.Optimal, LowerBound: 9, Height: 9}},
		{"feasible", planned(model.Feasible, 9, 7), plan.Bounds{Status: model.Feasible, LowerBound: 7, Height: 9}},
		{"as low as the bound", planned(model.Feasible, 9, 9), plan.Bounds{Status: model.Optimal, LowerBound: 9, Height: 9}},
		{"a limit", plan.Result{LowerBound: 7}, plan.Bounds{LowerBound: 7}},
		{"a plan above the capacity", plan.Result{LowerBound: 7, Enough: 12}, plan.Bounds{
			Status: model.Feasible, LowerBound: 7, Height: 12,
		}},
		{"not at this capacity", plan.Result{Status: model.Infeasible, LowerBound: 8}, plan.Bounds{LowerBound: 8}},
		{"at no capacity", never, plan.Bounds{Status: model.Infeasible, LowerBound: 7}},
		{"no buffers", planned(model.Optimal, 0, 0), plan.Bounds{Status: model.Optimal}},
	} {
		if got := plan.BoundsOf(&c.result); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestFits asks around both numbers.
func TestFits(t *testing.T) {
	between := plan.Bounds{Status: model.Feasible, LowerBound: 7, Height: 9}
	for _, c := range []struct {
		r        plan.Bounds
		capacity int64
		want     model.Status
	}{
		{between, 6, model.Infeasible},
		{between, 7, model.Unknown},
		{between, 8, model.Unknown},
		{between, 9, model.Feasible},
		{plan.Bounds{LowerBound: 7}, 6, model.Infeasible},
		{plan.Bounds{LowerBound: 7}, model.MaxSum, model.Unknown},
		{plan.Bounds{Status: model.Infeasible, LowerBound: 7}, model.MaxSum, model.Infeasible},
		{plan.Bounds{Status: model.Optimal}, 0, model.Feasible},
		{plan.Bounds{}, 0, model.Unknown},
		{plan.Bounds{}, -1, model.Infeasible},
	} {
		if got := c.r.Fits(c.capacity); got != c.want {
			t.Errorf("%+v, capacity %d: %v, want %v", c.r, c.capacity, got, c.want)
		}
	}
}

// TestJoin joins all pairs of small ranges and asks about every capacity. The joint range has the answers of both
// ranges, and no others. Ranges with opposite answers for a capacity are refused.
func TestJoin(t *testing.T) {
	ranges := []plan.Bounds{}
	for bound := range int64(5) {
		ranges = append(ranges, plan.Bounds{LowerBound: bound}, plan.Bounds{Status: model.Infeasible, LowerBound: bound})
		for height := bound; height < 5; height++ {
			s := model.Feasible
			if height == bound {
				s = model.Optimal
			}
			ranges = append(ranges, plan.Bounds{Status: s, LowerBound: bound, Height: height})
		}
	}
	refused := 0
	for _, a := range ranges {
		for _, b := range ranges {
			joint, err := a.Join(b)
			opposite := false
			for capacity := range int64(7) {
				x, y := a.Fits(capacity), b.Fits(capacity)
				opposite = opposite || x != y && x != model.Unknown && y != model.Unknown
			}
			if (err != nil) != opposite {
				t.Fatalf("%+v with %+v: %v", a, b, err)
			}
			if opposite {
				refused++
				continue
			}
			for capacity := range int64(7) {
				x, y, got := a.Fits(capacity), b.Fits(capacity), joint.Fits(capacity)
				if got != max(x, y) { // one of them is Unknown, the least Status, or they agree
					t.Fatalf("%+v with %+v is %+v: a capacity of %d is %v, by itself %v and %v", a, b, joint, capacity, got, x, y)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no pair was refused")
	}
}

// TestCurve draws the curve of a few problems.
func TestCurve(t *testing.T) {
	problems := []plan.Bounds{
		{Status: model.Optimal, LowerBound: 4, Height: 4},
		{Status: model.Feasible, LowerBound: 6, Height: 9},
		{Status: model.Unknown, LowerBound: 5},
		{Status: model.Infeasible, LowerBound: 2},
	}
	if steps := plan.CurveSteps(problems); !slices.Equal(steps, []int64{4, 5, 6, 9}) {
		t.Errorf("steps %v", steps)
	}
	for capacity, want := range []plan.CurvePoint{
		3: {3, 0, 4, 0}, 4: {4, 1, 3, 0}, 5: {5, 1, 2, 1}, 6: {6, 1, 1, 2}, 7: {7, 1, 1, 2}, 8: {8, 1, 1, 2}, 9: {9, 2, 1, 1},
	} {
		if got := plan.CurveAt(problems, int64(capacity)); capacity >= 3 && got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for count, want := range []int64{0, 4, 9, 0, 0} {
		if got, ok := plan.LeastCapacity(problems, count); got != want || ok != (want > 0) {
			t.Errorf("%d fit at %d, %v; want %d", count, got, ok, want)
		}
	}
	if steps := plan.CurveSteps(nil); len(steps) != 0 {
		t.Errorf("steps of nothing: %v", steps)
	}
}

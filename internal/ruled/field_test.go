package ruled_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// fields has, for each field of the declaration of rules, a problem whose optimum changes if the field is dropped:
// TYPE.FIELD becomes zero wherever it stands, and so do the others that cannot stand without it. with and without are
// what the problem's objective is in the best plan, with the field and without it; nil if there is no plan.
var fields = []struct {
	drop, problem string
	with, without []int64
}{
	{
		"Problem.Capacity", `{"version": 2, "capacity": 8, "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		nil,
		[]int64{12},
	},
	{
		"Buffer.Alignment", `{"version": 2, "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6, "alignment": 4},
		{"id": "b", "lower": 1, "upper": 3, "size": 6, "alignment": 4}]}`,
		[]int64{14},
		[]int64{12},
	},
	{
		"Buffer.Gaps", `{"version": 2, "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 6, "size": 6, "gaps": [{"lower": 2, "upper": 4}]},
		{"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{6},
		[]int64{12},
	},
	{
		"Gap.Window", `{"version": 2, "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 6, "size": 6, "gaps": [{"lower": 2, "upper": 4, "window": [0, 2]}]},
		{"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{8},
		[]int64{6},
	},
	{
		"Buffer.Fixed", `{"version": 2, "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6, "offset": 3},
		{"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{15},
		[]int64{12},
	},
	{
		"Rules.Pools", `{"version": 2, "objective": ["max_height"], "pools": [{"id": "x"}, {"id": "y"}],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{6},
		[]int64{12},
	},
	{
		"Pool.Capacity", `{"version": 2, "pools": [{"id": "x", "capacity": 8}, {"id": "y", "cost": 1}],
		"objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 5}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Pool.Alignment", `{"version": 2, "pools": [{"id": "x", "alignment": 4}], "objective": ["height"],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{14},
		[]int64{12},
	},
	{
		"Pool.Cost", `{"version": 2, "pools": [{"id": "x", "capacity": 8}, {"id": "y", "cost": 1}],
		"objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 5}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Pool.Reserved", `{"version": 2,
		"pools": [{"id": "x", "reserved": [[4, 8]]}], "objective": ["height"],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}]}`,
		[]int64{14},
		[]int64{6},
	},
	{
		"Pool.Borders", `{"version": 3, "pools": [{"id": "x", "borders": [8]}], "objective": ["height"],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{14},
		[]int64{12},
	},
	{
		"Extra.Spans", `{"version": 3,
		"pools": [{"id": "x", "borders": [8]}], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6},
		{"id": "b", "lower": 1, "upper": 3, "size": 6, "spans": true}]}`,
		[]int64{12},
		[]int64{14},
	},
	{
		"Pool.Sizes", `{"version": 3, "pools": [{"id": "x", "sizes": [[8, 3], [16, 7]]}],
		"objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{7},
		[]int64{0},
	},
	{
		"Size.Price", `{"version": 3, "pools": [{"id": "x", "sizes": [[16, 7]]}, {"id": "y", "cost": 1}],
		"objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}]}`,
		[]int64{6},
		[]int64{0},
	},
	{
		"Pool.Granularity", `{"version": 3, "pools": [{"id": "x", "granularity": 8}], "kinds": [["a"], ["b"]],
		"objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{14},
		[]int64{12},
	},
	{
		"Rules.Kinds", `{"version": 3, "pools": [{"id": "x", "granularity": 8}], "kinds": [["a"], ["b"]],
		"objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{14},
		[]int64{12},
	},
	{
		"Pool.Objects", `{"version": 3, "pools": [{"id": "x", "objects": true}], "objective": ["height"],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 4}, {"id": "b", "lower": 0, "upper": 2, "size": 4},
		{"id": "c", "lower": 2, "upper": 4, "size": 8}]}`,
		[]int64{12},
		[]int64{8},
	},
	{
		"Extra.Extents", `{"version": 3, "pools": [{"id": "x", "objects": true}], "objective": ["height"],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": [4, 1]}, {"id": "b", "lower": 2, "upper": 4, "size": [1, 4]}]}`,
		[]int64{8},
		[]int64{4},
	},
	{
		"Extra.Pools", `{"version": 2,
		"pools": [{"id": "x"}, {"id": "y", "cost": 1}], "objective": ["cost"],
		"buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6, "pools": ["y"]}]}`,
		[]int64{6},
		[]int64{0},
	},
	{
		"Extra.Costs", `{"version": 2,
		"pools": [{"id": "x", "cost": 1}], "objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6, "costs": {"x": 9}}]}`,
		[]int64{9},
		[]int64{6},
	},
	{
		"PoolCost.Cost", `{"version": 2,
		"pools": [{"id": "x", "cost": 1}], "objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6, "costs": {"x": 9}}]}`,
		[]int64{9},
		[]int64{0},
	},
	{
		"Rules.Threads Extra.Clocks", `{"version": 2, "threads": 2, "objective": ["height"], "buffers": [
		{"id": "a", "lower": [0, 0], "upper": [2, 0], "size": 6},
		{"id": "b", "lower": [0, 2], "upper": [0, 4], "size": 6}]}`,
		[]int64{12},
		[]int64{6},
	},
	{
		"Extra.Evictions", `{"version": 2, "capacity": 8, "objective": ["eviction"], "buffers": [
		{"id": "a", "lower": 0, "upper": 6, "size": 6, "evictions": [{"lower": 2, "upper": 4, "cost": 3}]},
		{"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{3},
		nil,
	},
	{
		"Eviction.Cost", `{"version": 2, "capacity": 8, "objective": ["eviction"], "buffers": [
		{"id": "a", "lower": 0, "upper": 6, "size": 6, "evictions": [{"lower": 2, "upper": 4, "cost": 3}]},
		{"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{3},
		[]int64{0},
	},
	{
		"Rules.Together", `{"version": 2,
		"together": [{"buffers": ["a", "b"]}], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{6},
		[]int64{12},
	},
	{
		"Together.At", `{"version": 2,
		"together": [{"buffers": ["a", "b"], "at": [0, 4]}], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{10},
		[]int64{6},
	},
	{
		"Rules.Apart", `{"version": 2, "apart": [["a", "b"]], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{12},
		[]int64{6},
	},
	{
		"Rules.MayOverlap", `{"version": 2, "may_overlap": [["a", "b"]], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{6},
		[]int64{12},
	},
	{
		"Rules.Distances", `{"version": 2,
		"distances": [{"buffers": ["a", "b"], "distance": 2}], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{8},
		[]int64{12},
	},
	{
		"Distance.Distance", `{"version": 2,
		"distances": [{"buffers": ["a", "b"], "distance": 2}], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{8},
		[]int64{6},
	},
	{
		"Rules.Penalties", `{"version": 2,
		"capacity": 8, "penalties": [{"buffers": ["a", "b"], "cost": 5}], "objective": ["penalty"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Penalty.Cost", `{"version": 2,
		"capacity": 8, "penalties": [{"buffers": ["a", "b"], "cost": 5}], "objective": ["penalty"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Rules.Groups", `{"version": 3,
		"capacity": 8, "groups": [{"pairs": [["a", "c"], ["b", "c"]], "cost": 5}],
		"objective": ["penalty"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 4}, {"id": "b", "lower": 0, "upper": 2, "size": 4},
		{"id": "c", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Group.Cost", `{"version": 3,
		"capacity": 8, "groups": [{"pairs": [["a", "c"], ["b", "c"]], "cost": 5}],
		"objective": ["penalty"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 4}, {"id": "b", "lower": 0, "upper": 2, "size": 4},
		{"id": "c", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Group.Moved", `{"version": 3,
		"groups": [{"pairs": [["a", "b"]], "cost": 5, "paid": "unless all coincide"}],
		"objective": ["penalty"], "buffers": [
		{"id": "a", "lower": 0, "upper": 3, "size": 6}, {"id": "b", "lower": 2, "upper": 4, "size": 6}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Group.All", `{"version": 3,
		"capacity": 8, "groups": [{"pairs": [["a", "c"], ["b", "c"]], "cost": 5, "paid": "if all share"}],
		"objective": ["penalty"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 4}, {"id": "b", "lower": 0, "upper": 2, "size": 4},
		{"id": "c", "lower": 2, "upper": 4, "size": 4}]}`,
		[]int64{0},
		[]int64{5},
	},
	{
		"Rules.DifferentPools", `{"version": 3, "pools": [{"id": "x"}, {"id": "y", "cost": 1}],
		"different_pools": [["a", "b"]], "objective": ["cost"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 2, "upper": 4, "size": 5}]}`,
		[]int64{5},
		[]int64{0},
	},
	{
		"Rules.SamePool", `{"version": 3, "pools": [{"id": "x"}, {"id": "y"}], "same_pool": [["a", "b"]],
		"objective": ["max_height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{12},
		[]int64{6},
	},
	{
		"Rules.Lockstep", `{"version": 3, "pools": [{"id": "x"}, {"id": "y"}], "lockstep": [["a", "b"]],
		"objective": ["max_height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6, "pools": ["x"]},
		{"id": "b", "lower": 0, "upper": 2, "size": 6, "pools": ["y"]},
		{"id": "c", "lower": 0, "upper": 2, "size": 4, "pools": ["x"], "offset": 0},
		{"id": "d", "lower": 0, "upper": 2, "size": 8, "pools": ["y"], "offset": 8}]}`,
		[]int64{22},
		[]int64{16},
	},
	{
		"Rules.Alternatives", `{"version": 3, "alternatives": [["a", "b"]], "objective": ["height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 5}]}`,
		[]int64{5},
		[]int64{11},
	},
	{
		"Rules.Period", `{"version": 2, "period": 4, "objective": ["height"], "buffers": [
		{"id": "a", "lower": 3, "upper": 5, "size": 6}, {"id": "b", "lower": 0, "upper": 2, "size": 6}]}`,
		[]int64{12},
		[]int64{6},
	},
	{
		"Rules.Objective", `{"version": 2, "pools": [{"id": "x"}, {"id": "y", "cost": 1}],
		"objective": ["max_height"], "buffers": [
		{"id": "a", "lower": 0, "upper": 2, "size": 6}, {"id": "b", "lower": 1, "upper": 3, "size": 6}]}`,
		[]int64{6},
		[]int64{12},
	},
}

// noRule are the fields of the declaration that say what there is, or what a rule is about: a problem without them is
// not this problem without a rule.
var noRule = map[string]bool{
	"Problem.Name": true, "Problem.Buffers": true, "Problem.Rules": true,
	"Buffer.ID": true, "Buffer.Lower": true, "Buffer.Upper": true, "Buffer.Size": true, "Buffer.Extra": true,
	"Buffer.Hint": true, // no plan is better or worse for it
	"Gap.Lower":   true, "Gap.Upper": true, "Window.Lower": true, "Window.Upper": true,
	"Pool.ID": true, "Range.Lower": true, "Range.Upper": true, "Size.Bytes": true,
	"PoolCost.Pool": true, "Clocks.Lower": true, "Clocks.Upper": true, "Eviction.Lower": true, "Eviction.Upper": true,
	"Together.Buffers": true, "Penalty.Buffers": true, "Distance.Buffers": true, "Group.Pairs": true,
}

// TestEachFieldCounts drops each field of the declaration of rules. Brute force, auto and exact have the optimum with
// it and the one without. It fails if a field has no row.
func TestEachFieldCounts(t *testing.T) {
	open := map[string]bool{}
	declared(reflect.TypeFor[model.Problem](), open)
	for name := range noRule {
		if !open[name] {
			t.Errorf("%s is no field", name)
		}
		delete(open, name)
	}
	for _, x := range fields {
		read := func() *model.Problem {
			p, _ := must.Two(json.Read(strings.NewReader(x.problem), x.drop))(t)
			return p
		}
		p, q := read(), read()
		for _, name := range strings.Fields(x.drop) {
			if !open[name] {
				t.Errorf("%s is no field, or has two rows", name)
			}
			delete(open, name)
			kind, field, _ := strings.Cut(name, ".")
			if zero(reflect.ValueOf(q), kind, field) == 0 {
				t.Errorf("%s: the problem does not have it", name)
			}
		}
		if err := model.Validate(q); err != nil {
			t.Errorf("without %s: %v", x.drop, err)
			continue
		}
		if slices.Equal(x.with, x.without) {
			t.Errorf("%s: %v with and without it", x.drop, x.with)
		}
		answer(t, x.drop, p, p.Objective(), x.with)
		answer(t, "without "+x.drop, q, p.Objective(), x.without)
	}
	for name := range open {
		t.Errorf("%s: no problem shows that it counts", name)
	}
}

// answer compares the best plans of brute force and of the planners with the values of the measures; nil is for no
// plan.
func answer(t *testing.T, name string, p *model.Problem, measures []model.Measure, want []int64) {
	t.Helper()
	compare := func(who string, best *model.Plan) {
		t.Helper()
		var values []int64
		if best != nil {
			all := verify.MeasuresOf(p, best)
			for _, m := range measures {
				values = append(values, model.ValueOf(all, m))
			}
		}
		if !slices.Equal(values, want) {
			t.Errorf("%s: %s has %v, not %v\n%s", name, who, values, want, drawn.DescribeRuled(p))
		}
	}
	_, best, decided := oracle.Best(p, 100_000)
	if compare("brute force", best); !decided {
		t.Errorf("%s: brute force does not decide", name)
	}
	for _, planner := range []string{"auto", "exact"} {
		r, err := stowage.Minimize(t.Context(), p, plan.Options{Planner: planner})
		switch {
		case err != nil:
			t.Errorf("%s: %s: %v", name, planner, err)
		case r.Status == model.Infeasible:
			compare(planner, nil)
		default:
			if compare(planner, &r.Plan); r.Status != model.Optimal {
				t.Errorf("%s: %s: %v", name, planner, r.Status)
			}
		}
	}
}

// declared adds the fields of a struct and of all that it holds, as TYPE.FIELD.
func declared(kind reflect.Type, names map[string]bool) {
	switch kind.Kind() {
	case reflect.Pointer, reflect.Slice:
		declared(kind.Elem(), names)
	case reflect.Struct:
		for k := range kind.NumField() {
			names[kind.Name()+"."+kind.Field(k).Name] = true
			declared(kind.Field(k).Type, names)
		}
	}
}

// zero makes a field zero in all structs of a type, and returns in how many it was not.
func zero(v reflect.Value, kind, field string) (count int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			count += zero(v.Elem(), kind, field)
		}
	case reflect.Slice:
		for k := range v.Len() {
			count += zero(v.Index(k), kind, field)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			if x := v.Field(k); v.Type().Name() == kind && v.Type().Field(k).Name == field {
				if !x.IsZero() {
					count++
				}
				x.SetZero()
			} else {
				count += zero(x, kind, field)
			}
		}
	}
	return count
}

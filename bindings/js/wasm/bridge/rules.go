//go:build js && wasm

package bridge

import (
	"slices"
	"syscall/js"

	"github.com/stowage-go/stowage/internal/columns"
	"github.com/stowage-go/stowage/model"
)

// Idea: a list of rules is one column, row after row. bindings/js/src/rules.js has made it, and has checked that the
// first number of a row that belongs to a buffer or a pool is one. What is wrong beyond that Validate says.

// lists are the names of the lists of package columns.
var lists = [columns.Count]string{
	"reserved", "allowed", "costs", "together", "apart", "mayOverlap", "distances", "penalties", "evictions",
	"differentPools", "samePool", "objects", "lockstep", "borders", "sizes", "spans", "granularity", "kinds",
	"groups", "groupCosts", "alternatives", "extents",
}

// Rules gives a problem its rules; a value that is undefined gives none.
func Rules(p *model.Problem, v js.Value) {
	if v.IsUndefined() {
		return
	}
	r := &model.Rules{Period: Integer(v.Get("period"))}
	p.Rules = r
	capacity, alignment, cost := Column(v.Get("capacity")), Column(v.Get("alignment")), Column(v.Get("cost"))
	for k := range v.Get("ids").Length() {
		r.Pools = append(r.Pools, model.Pool{
			ID: v.Get("ids").Index(k).String(), Capacity: capacity[k], Alignment: alignment[k], Cost: cost[k],
		})
	}
	for k := range v.Get("objective").Length() {
		r.Objective = append(r.Objective, model.Measure(v.Get("objective").Index(k).String()))
	}
	var all columns.Lists
	for k, name := range lists {
		all[k] = slices.Chunk(Column(v.Get(name)), columns.Widths[k])
	}
	all.Fill(p)
	if threads := v.Get("threads"); !threads.IsUndefined() {
		columns.Clocks(p, threads.Int(), Column(v.Get("clockLower")), Column(v.Get("clockUpper")))
	}
}

// Placed returns the plan that JavaScript has of a problem with rules: offsets, and pools and parts if
// there are any. It claims no height.
func Placed(offsets, pools, parts js.Value) *model.Plan {
	plan := &model.Plan{Offsets: Column(offsets), Height: -1}
	for _, k := range Column(pools) {
		plan.Pools = append(plan.Pools, int32(k))
	}
	for x := range slices.Chunk(Column(parts), 5) {
		plan.AddPart(int32(x[0]), model.Part{Lower: x[1], Upper: x[2], Pool: int32(x[3]), Offset: x[4]})
	}
	return plan
}

// Pools returns the pools of a plan as a column; one pool for all if the plan names none.
func Pools(plan *model.Plan) js.Value {
	places := make([]int64, len(plan.Offsets))
	for i := range places {
		places[i] = int64(plan.PoolOf(i))
	}
	return Array(places)
}

// Parts returns the parts of a plan as a column of five numbers each.
func Parts(plan *model.Plan) js.Value {
	var all []int64
	for _, x := range plan.Parts {
		for _, p := range x.Parts {
			all = append(all, int64(x.Buffer), p.Lower, p.Upper, int64(p.Pool), p.Offset)
		}
	}
	return Array(all)
}

// Values returns measures by their names.
func Values(values []model.Value) map[string]any {
	out := make(map[string]any, len(values))
	for _, v := range values {
		out[string(v.Measure)] = Digits(v.Value)
	}
	return out
}

// Names returns the names of the pools of a problem.
func Names(p *model.Problem) []any {
	out := []any{}
	if p.Rules != nil {
		for k := range p.Rules.Pools {
			out = append(out, p.Rules.Pools[k].ID)
		}
	}
	return out
}

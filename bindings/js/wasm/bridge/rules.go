//go:build js && wasm

package bridge

import (
	"syscall/js"

	"github.com/stowage-go/stowage/model"
)

// Idea: a list of rules is one column, row after row. bindings/js/src/rules.js has made it, and has checked that the
// first number of a row that belongs to a buffer or a pool is one. What is wrong beyond that Validate says.

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
	rows(v.Get("reserved"), 3, func(x []int64) {
		r.Pools[x[0]].Reserved = append(r.Pools[x[0]].Reserved, model.Range{Lower: x[1], Upper: x[2]})
	})
	extra := func(i int64) *model.Extra {
		b := &p.Buffers[i]
		if b.Extra == nil {
			b.Extra = &model.Extra{}
		}
		return b.Extra
	}
	rows(v.Get("allowed"), 2, func(x []int64) { extra(x[0]).Pools = append(extra(x[0]).Pools, int32(x[1])) })
	rows(v.Get("costs"), 3, func(x []int64) {
		extra(x[0]).Costs = append(extra(x[0]).Costs, model.PoolCost{Pool: int32(x[1]), Cost: x[2]})
	})
	rows(v.Get("evictions"), 4, func(x []int64) {
		extra(x[0]).Evictions = append(extra(x[0]).Evictions, model.Eviction{Lower: x[1], Upper: x[2], Cost: x[3]})
	})
	pair := func(x []int64) model.Pair { return model.Pair{int32(x[0]), int32(x[1])} }
	rows(v.Get("together"), 3, func(x []int64) {
		r.Together = append(r.Together, model.Together{Buffers: []int32{int32(x[0]), int32(x[1])}, At: []int64{0, x[2]}})
	})
	rows(v.Get("apart"), 2, func(x []int64) { r.Apart = append(r.Apart, pair(x)) })
	rows(v.Get("mayOverlap"), 2, func(x []int64) { r.MayOverlap = append(r.MayOverlap, pair(x)) })
	rows(v.Get("distances"), 3, func(x []int64) {
		r.Distances = append(r.Distances, model.Distance{Buffers: pair(x), Distance: x[2]})
	})
	rows(v.Get("penalties"), 3, func(x []int64) {
		r.Penalties = append(r.Penalties, model.Penalty{Buffers: pair(x), Cost: x[2]})
	})
	if threads := v.Get("threads"); !threads.IsUndefined() {
		r.Threads = threads.Int()
		lower, upper := Column(v.Get("clockLower")), Column(v.Get("clockUpper"))
		for i := range p.Buffers {
			from, to := i*r.Threads, (i+1)*r.Threads
			p.Buffers[i].SetClocks(lower[from:to:to], upper[from:to:to])
		}
	}
}

// rows calls row with each row of a list.
func rows(v js.Value, length int, row func(x []int64)) {
	all := Column(v)
	for k := 0; k+length <= len(all); k += length {
		row(all[k : k+length])
	}
}

// Placed returns the plan that JavaScript has of a problem with rules: offsets, and pools and parts if
// there are any. It claims no height.
func Placed(offsets, pools, parts js.Value) *model.Plan {
	plan := &model.Plan{Offsets: Column(offsets), Height: -1}
	for _, k := range Column(pools) {
		plan.Pools = append(plan.Pools, int32(k))
	}
	rows(parts, 5, func(x []int64) {
		plan.AddPart(int32(x[0]), model.Part{Lower: x[1], Upper: x[2], Pool: int32(x[3]), Offset: x[4]})
	})
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

package source

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Pooled returns the plan of p with these offsets and pools, and its height. Pools are nil if there is one.
func Pooled(p *model.Problem, offsets []int64, pools []int32) *model.Plan {
	plan := &model.Plan{Offsets: offsets, Pools: pools}
	setHeight(p, plan)
	return plan
}

func setHeight(p *model.Problem, plan *model.Plan) {
	if p.Rules == nil {
		plan.Height = model.HeightOf(p, plan.Offsets)
		return
	}
	plan.Height = model.ValueOf(model.MeasuresOf(p, plan), model.MeasureHeight)
}

// Match puts a plan of the problem q, read from a file, into the order of the buffers and
// pools of p, which it finds by their IDs. The error is a *model.InputError that lists the
// buffers that only one of the two has, and pools that p does not have.
func Match(file string, q *model.Problem, plan *model.Plan, p *model.Problem) (*model.Plan, error) {
	var issues model.Issues
	index := make(map[string]int32, len(p.Buffers))
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = int32(i)
	}
	pools := matchPools(file, q, plan, p, &issues)
	matched := &model.Plan{Offsets: make([]int64, len(p.Buffers))}
	if pools != nil && len(p.AllPools()) > 1 {
		matched.Pools = make([]int32, len(p.Buffers))
	}
	at := make([]int32, len(q.Buffers)) // the index in p of each buffer of q
	seen, lacks := make([]bool, len(p.Buffers)), p.MayLack()
	for k := range q.Buffers {
		name := q.Buffers[k].ID
		i, ok := index[name]
		if !ok {
			issues.Add(model.Issue{
				File: file, Buffer: Clip(name), Field: "id", Value: Clip(name), Message: "is not a buffer of the problem",
			})
			continue
		}
		at[k], matched.Offsets[i] = i, plan.Offsets[k]
		if seen[i] = plan.Has(k) || lacks[i]; !seen[i] {
			continue
		}
		if matched.Pools != nil && !plan.Has(k) {
			matched.Pools[i] = model.Absent
		} else if matched.Pools != nil {
			matched.Pools[i] = pools[plan.PoolOf(k)]
		}
	}
	for i, ok := range seen {
		if !ok {
			issues.Add(model.Issue{File: file, Buffer: Clip(p.Buffers[i].ID), Message: "is not in the plan"})
		}
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	for _, x := range plan.Parts {
		parts := slices.Clone(x.Parts)
		for k := range parts {
			parts[k].Pool = pools[parts[k].Pool]
		}
		matched.Parts = append(matched.Parts, model.Parts{Buffer: at[x.Buffer], Parts: parts})
	}
	slices.SortFunc(matched.Parts, func(a, b model.Parts) int { return int(a.Buffer) - int(b.Buffer) })
	setHeight(p, matched)
	return matched, nil
}

// matchPools returns the pool of p for each pool of q. One pool is the same as another, whatever their names.
func matchPools(file string, q *model.Problem, plan *model.Plan, p *model.Problem, issues *model.Issues) []int32 {
	from, to := q.AllPools(), p.AllPools()
	if len(from) == 1 && len(to) == 1 {
		return []int32{0}
	}
	pools := make([]int32, len(from))
	for k := range from {
		pool := slices.IndexFunc(to, func(x model.Pool) bool { return x.ID == from[k].ID })
		if pool < 0 && (slices.Contains(plan.Pools, int32(k)) || plan.Pools == nil) {
			issues.Add(model.Issue{File: file, Field: "pools", Value: Clip(from[k].ID), Message: "is not a pool of the problem"})
		}
		pools[k] = int32(max(pool, 0))
	}
	return pools
}

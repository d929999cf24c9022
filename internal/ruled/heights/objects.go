package heights

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/objects"
)

// Idea: pools that are all alike, and in which no body may lie anywhere but at 0, are shared objects: a pool has one
// body at a time, and is as high as its largest. Then internal/ruled/objects plans them, and proves the least height.
//
// Invariant: a body at 0 conflicts with another at 0 if the two may not lie at distance 0.
//
// Complexity: that of internal/ruled/objects.

// Objects looks for the plan of pools that are shared objects. ok is false if they are none, or if the first measure
// is not the sum of their heights. The plan is nil if none was found. No plan has less than bound.
func (f *Field) Objects(ctx context.Context) (found *Found, bound, nodes int64, ok bool) {
	if !f.single() {
		return nil, 0, 0, false
	}
	p := &objects.Problem{Objects: len(f.pools), Near: make([][]int32, len(f.bodies)), Groups: f.groups}
	for k := range f.bodies {
		p.Sizes = append(p.Sizes, f.bodies[k].size)
		for _, d := range f.near[k] {
			if d.low < 0 && 0 < d.high {
				p.Near[k] = append(p.Near[k], d.other)
			}
		}
		slices.Sort(p.Near[k])
		p.Near[k] = slices.Compact(p.Near[k])
	}
	r := objects.Least(ctx, p, objects.Nodes(len(f.bodies)))
	if r.Of == nil {
		return nil, r.Bound, r.Nodes, true
	}
	found = &Found{Pools: make([]int32, len(f.p.Buffers)), Offsets: make([]int64, len(f.p.Buffers))}
	for k, o := range r.Of {
		for m, i := range f.bodies[k].members {
			found.Pools[i], found.Offsets[i] = o, f.bodies[k].at[m]
		}
	}
	return found, r.Bound, r.Nodes, true
}

// single reports whether all pools are alike, and no body may lie anywhere but at 0.
func (f *Field) single() bool {
	if g := &f.goals[0]; g.most || g.pool >= 0 || len(f.bodies) == 0 {
		return false
	}
	for q := range f.pools {
		if pool := &f.pools[q]; pool.Capacity == 0 || pool.Capacity != f.pools[0].Capacity || len(pool.Reserved) > 0 {
			return false
		}
	}
	for k := range f.bodies {
		b := &f.bodies[k]
		if len(b.pools) < len(f.pools) || b.size > f.pools[0].Capacity {
			return false
		}
		for n := range b.pools {
			if b.grid[n].Up(0) != 0 || b.grid[n].Up(1) <= f.pools[0].Capacity-b.size {
				return false
			}
		}
	}
	return true
}

package pools

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/objects"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: in a pool of objects, only who shares an object with whom matters, if nothing is fixed or reserved
// (lower.Sharing). internal/ruled/objects decides that, and the objects are stacked. Each object takes its size,
// rounded up to the alignment. The object that loses most by rounding is the last one, because nothing stands above it:
//
//	height = sum of the rounded sizes - what the last object loses
//
// If that search finds no plan before its limit, the planner is asked as about any other pool.
//
// Invariant: the sum of the rounded sizes is least, so no plan is lower than that sum less the most that a body, or an
// object of several dimensions, loses, if all bodies have one alignment.
//
// Complexity: that of internal/ruled/objects.

// An ordering is a problem of objects, and what rounding adds to the sizes.
type ordering struct {
	problem objects.Problem
	lost    int64 // the most that a body loses
	even    bool  // all bodies have one alignment
}

// sharing makes a problem of objects from a strip.
func sharing(st *lower.Strip) *ordering {
	x := &ordering{even: true}
	x.problem = objects.Problem{
		Near: st.Shared.Near, Groups: st.Shared.Groups, Objects: st.Shared.Most, Boxes: st.Shared.Boxes,
	}
	step := int64(1)
	for k := range st.Problem.Buffers {
		align := st.Problem.Buffers[k].Align()
		x.even = x.even && align == st.Problem.Buffers[0].Align()
		if step = bound.LCM(step, align, model.MaxSum/int64(2*len(st.Problem.Buffers))); step == 0 {
			return nil
		}
	}
	for k := range st.Problem.Buffers {
		size := st.Problem.Buffers[k].Size
		up := bound.Up(size, step)
		x.problem.Sizes, x.lost = append(x.problem.Sizes, up), max(x.lost, up-size)
	}
	if x.problem.Boxes != nil {
		x.problem.Step, x.lost = step, step-1 // what an object loses depends on who shares it
	}
	return x
}

// solve looks for the best plan of a problem of objects.
func (s *Search) solve(ctx context.Context, p *objects.Problem) objects.Plan {
	nodes := objects.Nodes(len(p.Sizes))
	if s.options.NodeLimit > 0 {
		p.MostNodes = max(1, s.options.NodeLimit-s.stats.Nodes)
		nodes = min(nodes, p.MostNodes)
	}
	_, p.Onward = ctx.Deadline()
	// Other pools and measures wait. A question about one pool has no pools (Packs).
	within, end := run.Share(ctx, max(1, len(s.pools)+len(s.Lowering.Problem.Objective())-1))
	defer end()
	r := objects.Least(within, p, nodes)
	s.stats.Nodes += r.Nodes
	return r
}

// share plans a strip of objects. ok is false if the planner is to be asked.
func (s *Search) share(ctx context.Context, st *lower.Strip, capacity int64, minimize bool) (a answer, ok bool) {
	x := sharing(st)
	if x == nil {
		return answer{}, false
	}
	x.problem.Most, x.problem.Any = capacity, !minimize
	r := s.solve(ctx, &x.problem)
	a = answer{by: "objects", bound: timeline.New(st.Problem).LowerBound}
	if x.even {
		a.bound = max(a.bound, r.Bound-x.lost)
	}
	switch {
	case r.Of != nil:
		a.offsets, a.height = stack(st, &x.problem, r.Of)
		if a.status = model.Feasible; a.height <= a.bound {
			a.status, a.bound = model.Optimal, a.height
		}
		return a, true
	case r.Done && x.lost == 0 && x.problem.Objects == 0:
		return answer{status: model.Infeasible, by: "objects", bound: max(a.bound, capacity+1)}, true
	}
	return a, st.TooMany
}

// stack puts objects one above the other. It returns the offsets of the bodies, and their height.
func stack(st *lower.Strip, p *objects.Problem, of []int32) (offsets []int64, height int64) {
	n := int(slices.Max(of)) + 1
	size, up, order := make([]int64, n), make([]int64, n), make([]int, n)
	boxes := make([]model.Box, n)
	for k, o := range of {
		size[o], up[o] = max(size[o], st.Problem.Buffers[k].Size), max(up[o], p.Sizes[k])
		if p.Boxes != nil {
			boxes[o] = boxes[o].Over(p.Boxes[k])
			size[o] = boxes[o].Bytes()
			up[o] = bound.Up(size[o], p.Step)
		}
	}
	for o := range order {
		order[o] = o
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(max(-1, min(1, up[a]-size[a]-up[b]+size[b]))) })
	at := make([]int64, n)
	next := int64(0)
	for _, o := range order {
		at[o], height = next, next+size[o]
		next += up[o]
	}
	for _, o := range of {
		offsets = append(offsets, at[o])
	}
	return offsets, height
}

// fewest minimises the number of objects pool by pool, within the capacities that the measures before have left. If
// penalties come before, or something is fixed or reserved, the number stays as it is.
func (s *Search) fewest(ctx context.Context) {
	for k := range s.pools {
		q := &s.pools[k]
		if !s.Lowering.Pools[q.index].Objects || len(q.members) == 0 {
			continue
		}
		q.mostObjects, q.leastObjects = s.objectsIn(q), 1
		if q.strip.Shared == nil || q.minimised {
			continue
		}
		x := sharing(q.strip)
		if x == nil {
			continue
		}
		x.problem.Most, x.problem.Fewest = q.capacity, true
		r := s.solve(ctx, &x.problem)
		if q.capacity == 0 || x.lost == 0 {
			q.leastObjects = min(r.Bound, q.mostObjects)
		}
		if r.Of != nil && r.Sum < q.mostObjects {
			q.offsets, q.height = stack(q.strip, &x.problem, r.Of)
			q.mostObjects = r.Sum
		}
	}
}

// objectsIn returns the number of objects of a pool's plan.
func (s *Search) objectsIn(q *pool) int64 {
	if !s.Lowering.Pools[q.index].Objects {
		return 0
	}
	var at []int64
	for k, body := range q.strip.Body {
		at = append(at, q.offsets[body]+q.strip.At[k])
	}
	slices.Sort(at)
	return int64(len(slices.Compact(at)))
}

// within returns the strip with at most so many objects; 0 is no limit.
func within(st *lower.Strip, most int64) *lower.Strip {
	if most == 0 || st.Shared == nil {
		return st
	}
	limited, shared := *st, *st.Shared
	limited.Shared, shared.Most = &shared, int(most)
	return &limited
}

// tooMany refuses a pool of objects whose rule no strip says.
func (s *Search) tooMany() error {
	return plan.Unsupported(s.planner.Name(), "cannot honour objects of more than 200 buffers in a pool with reserved "+
		"ranges, fixed offsets or buffers together at different offsets")
}

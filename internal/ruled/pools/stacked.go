package pools

import (
	"context"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/stackdp"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: sets of buffers for a fast memory are often long in time, have few buffers that live at once, and fill the
// memory well. There are such sets that auto does not decide in seconds, and that the walk through time of
// internal/ruled/stackdp decides in less than a second. So if auto leaves a question undecided, that walk is asked
// next. Its width grows with the nodes of the question. It gets the nodes that the limit of the run leaves, not those of
// the question: auto has used these.
//
// Invariant: the answer holds for the same strip. Only a planner that accepts this help gets it (run.HelpOf); the
// others answer alone.
//
// Complexity: that of internal/ruled/stackdp; The states count as nodes: one node for as many states as there are
// bodies. A question about which bodies are in a pool counts in the same way.

// stackShare is how many nodes of a question widen the walk by one state.
const stackShare = 20

// stacked asks the walk about a strip that the planner has left undecided with answer a. It returns the better answer.
func (s *Search) stacked(ctx context.Context, st *lower.Strip, capacity, nodes int64, a answer) answer {
	if run.HelpOf(s.planner)&run.HelpStack == 0 || capacity == 0 || len(st.Reserved) > 0 || st.Edges != nil || st.TooMany ||
		st.Impossible != "" || ctx.Err() != nil {
		return a
	}
	most := int64(0)
	if s.limit > 0 {
		left := s.limit - s.stats.Nodes
		if left <= 0 {
			return a
		}
		nodes, most = min(nodes, left), left*int64(len(st.Problem.Buffers))
	}
	found := stackdp.Fit(ctx, timeline.New(st.Problem), capacity, int(max(1, nodes/stackShare)), most)
	s.stats.Nodes += found.States / int64(len(st.Problem.Buffers))
	switch found.Verdict {
	case stackdp.Fits:
		a.status, a.offsets, a.height = model.Feasible, found.Offsets, 0
		for i, at := range found.Offsets {
			a.height = max(a.height, at+st.Problem.Buffers[i].Size)
		}
		a.bound = min(a.bound, a.height)
	case stackdp.Never:
		a.status, a.by, a.bound = model.Infeasible, "pile", max(a.bound, capacity+1)
	}
	return a
}

// Stackable reports whether the walk can answer which buffers should be in a pool: the planner accepts this help, all
// buffers are plain there, and they conflict only in time.
func (s *Search) Stackable(pool int32) bool {
	if run.HelpOf(s.planner)&run.HelpStack == 0 || s.Lowering.Pools[pool].Capacity == 0 {
		return false
	}
	all := make([]int32, len(s.Lowering.Problem.Buffers))
	for i := range all {
		all[i] = int32(i)
	}
	st := s.Lowering.Strip(pool, all, nil)
	return len(st.Reserved) == 0 && st.Edges == nil && !st.TooMany && st.Impossible == "" && timeline.New(st.Problem).Plain
}

// Choose asks the walk which buffers should be in a pool, within the nodes that are left and within most states.
func (s *Search) Choose(ctx context.Context, q *stackdp.Question, most int64) stackdp.Choice {
	each := int64(max(1, len(q.Items)))
	if q.Most = most; s.options.NodeLimit > 0 {
		q.Most = max(1, min(most, (s.options.NodeLimit-s.stats.Nodes)*each))
	}
	c := stackdp.Choose(ctx, q)
	s.stats.Nodes += c.States / each
	return c
}

package pools

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: two assignments of buffers to pools mostly differ in one or two pools. So the planner's answer for a pool and a
// set of buffers is kept, and an assignment plans only the pools whose sets are new. Sometimes a plan is known without
// the planner, because it is a part of another plan. It counts if the planner finds no plan or a higher one.
//
// Invariant: an answer is used only for the same pool and the same set, compared buffer by buffer. The hash only finds
// it.
//
// Complexity: O(buffers of the pool) for a look-up.

// answers keeps what is known of each pool with each set of buffers.
type answers struct {
	of     map[uint64][]*known
	asked  int // sets that planners were asked about
	reused int // sets whose answer was known
}

// A known is what is known of one pool with one set.
type known struct {
	pool     int32
	members  []int32
	full     *pool   // after the first phase of Plan, with its answer; nil if not asked
	first    answer  // of full
	fits     *answer // whether any plan fits; nil if not asked
	nodes    int64   // nodes of the question for fits
	offered  []int64 // offsets of the members in a known plan, or nil
	unlifted bool    // offered has not been compared with full yet
}

// find returns the entry of a pool and its members, ascending.
func (a *answers) find(pool int32, members []int32) *known {
	h := uint64(pool)*0x9e3779b97f4a7c15 + 1
	for _, i := range members {
		h = (h ^ uint64(i)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	if a.of == nil {
		a.of = make(map[uint64][]*known)
	}
	for _, k := range a.of[h] {
		if k.pool == pool && slices.Equal(k.members, members) {
			return k
		}
	}
	k := &known{pool: pool, members: slices.Clone(members)}
	a.of[h] = append(a.of[h], k)
	return k
}

// Offer records a plan of members in a pool, from the offsets of all buffers. Members are ascending.
func (s *Search) Offer(pool int32, members []int32, offsets []int64) {
	k := s.kept.find(pool, members)
	k.offered = make([]int64, len(members))
	for n, i := range members {
		k.offered[n] = offsets[i]
	}
	k.unlifted = true
}

// start answers whether a pool has a plan. It asks the planner only if the kept answers do not say.
func (s *Search) start(ctx context.Context, q *pool) (answer, error) {
	if s.kept == nil {
		a, err := s.plan(ctx, q.strip, q.capacity, s.heightFirst())
		q.take(&a, s.heightFirst())
		return a, err
	}
	k := s.kept.find(q.index, q.members)
	switch {
	case k.full != nil:
		s.kept.reused++
		*q = *k.full
	case k.fits != nil && k.fits.status == model.Infeasible:
		s.kept.reused++
		return *k.fits, nil
	case k.offered != nil && !s.heightFirst():
		// Any plan that fits will do.
		s.kept.reused++
		k.first, k.full = answer{bound: timeline.New(q.strip.Problem).LowerBound}, new(pool)
		q.take(&k.first, false)
		*k.full = *q
	default:
		s.kept.asked++
		a, err := s.plan(ctx, q.strip, q.capacity, s.heightFirst())
		if err != nil {
			return answer{}, err
		}
		q.take(&a, s.heightFirst())
		k.first, k.full = a, new(pool)
		*k.full = *q
	}
	if k.unlifted || q.offsets == nil && k.offered != nil {
		k.unlifted = false
		s.standIn(k)
		*q = *k.full
	}
	return k.first, nil
}

// standIn makes the offered plan the plan of the pool, if it is better.
func (s *Search) standIn(k *known) {
	all := make([]int64, len(s.Lowering.Problem.Buffers))
	for n, i := range k.members {
		all[i] = k.offered[n]
	}
	offsets := k.full.strip.Lower(all)
	height := k.full.strip.Height(offsets)
	if k.first.status == model.Infeasible || k.full.offsets != nil && k.full.height <= height {
		return
	}
	k.full.offsets, k.full.height = offsets, height
	k.first.offsets, k.first.height, k.first.status = offsets, height, model.Feasible
}

// PackNodes is the most nodes of each of many questions of Packs. MoreNodes is that of an important question.
const PackNodes, MoreNodes = 20_000, 400_000

// Packs says whether a set of members has a plan in a pool within its capacity. It asks the planner, unless it has
// asked with as many nodes before, and keeps the answer. A question has the given nodes, and at most an eighth of the
// time that is left.
func (s *Search) Packs(ctx context.Context, pool int32, members []int32, nodes int64) (status model.Status, err error) {
	k := s.kept.find(pool, members)
	switch {
	case k.offered != nil || k.full != nil && k.full.offsets != nil:
		return model.Feasible, nil
	case k.fits == nil || k.fits.status == model.Unknown && k.nodes < nodes:
		s.kept.asked++
		a, err := s.briefly(ctx, nodes, func(ctx context.Context) (answer, error) {
			strip, capacity := s.Lowering.Strip(pool, members, nil), s.Lowering.Pools[pool].Capacity
			a, err := s.plan(ctx, strip, capacity, false)
			if err == nil && a.status == model.Unknown {
				a = s.stacked(ctx, strip, capacity, nodes, a)
			}
			return a, err
		})
		if err != nil {
			return model.Unknown, err
		}
		k.fits, k.nodes = &a, nodes
		if a.status.HasPlan() {
			all := make([]int64, len(s.Lowering.Problem.Buffers))
			s.Lowering.Strip(pool, members, nil).Lift(a.offsets, all)
			s.Offer(pool, members, all)
		}
	default:
		s.kept.reused++
	}
	return k.fits.status, nil
}

// Holds asks as Packs does, with all the time that is left. It keeps no answer: it is for sets that no assignment will
// have.
func (s *Search) Holds(ctx context.Context, pool int32, members []int32, nodes int64) (model.Status, error) {
	a, err := s.within(nodes, func() (answer, error) {
		return s.plan(ctx, s.Lowering.Strip(pool, members, nil), s.Lowering.Pools[pool].Capacity, false)
	})
	return a.status, err
}

// Lowest looks for a low plan of a set in a pool, whatever the pool's capacity. It returns offsets for all buffers, or
// nil if it finds no plan.
func (s *Search) Lowest(ctx context.Context, pool int32, members []int32, nodes int64) ([]int64, error) {
	strip := s.Lowering.Strip(pool, members, nil)
	a, err := s.briefly(ctx, nodes, func(ctx context.Context) (answer, error) { return s.plan(ctx, strip, 0, true) })
	if err != nil || a.offsets == nil {
		return nil, err
	}
	offsets := make([]int64, len(s.Lowering.Problem.Buffers))
	strip.Lift(a.offsets, offsets)
	return offsets, nil
}

// briefly asks with so many nodes and an eighth of the time that is left, or half of it if the nodes are many.
func (s *Search) briefly(ctx context.Context, nodes int64, ask func(context.Context) (answer, error)) (answer, error) {
	part := 8
	if nodes > PackNodes {
		part = 2
	}
	ctx, cancel := run.Share(ctx, part)
	defer cancel()
	return s.within(nodes, func() (answer, error) { return ask(ctx) })
}

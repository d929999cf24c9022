package repack

import (
	"context"
	"errors"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: once each sliced block has an order, a call is a plain problem, and a planner plans it. So the search is over
// sets of orders: the given ones, all with the lowest slice first, all with the highest first, and those of the best
// fit. If few sets exist, all are planned, and the lowest plan is proven if each run was a proof. Otherwise one block
// after the other gets another order in the best set so far. The search ends at the load, or after Tries sets.
//
// Invariant: the best plan is never above the given one. Each planner starts from it if the orders are the same, and
// other plans count only if they are lower.
//
// Complexity: at most Tries calls of the planner, each within NodeLimit.

// A search is the state of one repack.
type search struct {
	call   *Call
	o      Options
	blocks []Block // with the wanted one
	bodies []body
	given  []order
	lists  [][]order // the orders of each block
	sliced []int32   // blocks with more than one order
	every  bool      // the lists have all orders
	taken  [][2]int64
	rng    uint64

	// The best plan so far.
	at     []int64 // of the bodies; nil for none
	chosen []order
	height int64
	tries  int
	proven int64 // no plan with the orders planned so far is lower
}

func newSearch(c *Call, o Options) *search {
	if o.NodeLimit == 0 {
		o.NodeLimit = DefaultNodeLimit
	}
	if o.Tries == 0 {
		o.Tries = DefaultTries
	}
	s := &search{call: c, o: o, blocks: c.all(), every: true, rng: o.Seed}
	s.bodies, s.given = bodiesOf(s.blocks), given(s.blocks)
	for i := range s.blocks {
		list, all := s.blocks[i].orders()
		s.lists = append(s.lists, list)
		s.every = s.every && all
		if len(list) > 1 {
			s.sliced = append(s.sliced, int32(i))
		}
	}
	return s
}

// run looks for a lower plan than that of r, or, if a block is wanted, for one that has it and fits. lowest is the
// load's bound.
func (s *search) run(ctx context.Context, r *Result, lowest int64, planned bool) error {
	if planned && s.call.Wanted == nil {
		s.at, s.chosen, s.height = make([]int64, len(s.bodies)), s.given, r.Height
		for k, of := range s.bodies {
			s.at[k] = s.blocks[of[0]].Offset
		}
	}
	complete, err := s.sets(ctx, lowest)
	if err != nil {
		return err
	}
	r.Tries += s.tries
	bound := lowest
	if complete {
		bound = max(bound, s.proven)
	}
	r.LowerBound = max(r.LowerBound, bound)
	fits := s.at != nil && (s.call.Capacity == 0 || s.height <= s.call.Capacity)
	switch {
	case s.at == nil && ctx.Err() != nil:
		return ctx.Err()
	case s.call.Capacity > 0 && bound > s.call.Capacity:
		r.Status = model.Infeasible
	case !fits:
		r.Status = model.Unknown
	case s.height <= bound:
		r.Status = model.Optimal
	default:
		r.Status = model.Feasible
	}
	if s.at == nil || s.call.Wanted != nil && !fits {
		return nil
	}
	return s.write(r, planned)
}

// write puts the best plan into r, if it is better than what is there.
func (s *search) write(r *Result, planned bool) error {
	n := len(s.call.Blocks)
	offsets, orders, height := make([]int64, n), make([][]Slice, n), int64(0)
	for k, of := range s.bodies {
		for _, i := range of {
			if int(i) == n {
				r.Wanted, r.WantedSlices = s.at[k], s.blocks[i].with(s.chosen[i])
				continue
			}
			offsets[i], orders[i] = s.at[k], s.blocks[i].with(s.chosen[i])
			height = max(height, s.at[k]+s.blocks[i].Size)
		}
	}
	if planned && s.call.Wanted == nil && height >= r.Height {
		return nil
	}
	check := *s.call
	if s.call.Wanted != nil {
		check.Blocks = s.blocks
		if fault := Check(&check, append(slices.Clone(offsets), r.Wanted),
			append(slices.Clone(orders), r.WantedSlices)); fault != "" {
			return invalid(fault)
		}
	} else if fault := Check(&check, offsets, orders); fault != "" {
		return invalid(fault)
	}
	r.Better = !planned || !slices.Equal(offsets, r.Offsets) || !slices.EqualFunc(orders, r.Slices, slices.Equal)
	r.Offsets, r.Slices, r.Height = offsets, orders, height
	return nil
}

// invalid means that the search made a plan that the checker refuses.
func invalid(fault string) error { return errors.Join(stowage.ErrInvalidPlan, errors.New(fault)) }

// enough reports whether the search is over.
func (s *search) enough(lowest int64) bool {
	if s.at == nil {
		return false
	}
	return s.height <= lowest || s.call.Wanted != nil && s.height <= s.call.Capacity
}

// sets plans one set of orders after the other. It reports whether all sets were planned.
func (s *search) sets(ctx context.Context, lowest int64) (complete bool, err error) {
	count := 1
	for _, i := range s.sliced {
		if count *= len(s.lists[i]); count > s.o.Tries {
			break
		}
	}
	if count <= s.o.Tries {
		err = s.eachSet(ctx, lowest)
		return s.every && s.tries == count && ctx.Err() == nil, err
	}
	for way := range 3 { // as given, the lowest slice first, the highest first
		if err := s.try(ctx, s.uniform(way), nil); err != nil || s.enough(lowest) || ctx.Err() != nil {
			return false, err
		}
	}
	at, chosen := s.fitted()
	if err := s.try(ctx, chosen, at); err != nil {
		return false, err
	}
	for s.tries < s.o.Tries && !s.enough(lowest) && ctx.Err() == nil {
		now := slices.Clone(s.chosen)
		if now == nil {
			now = slices.Clone(chosen)
		}
		for n := 1 + splitmix.Next(&s.rng)%3; n > 0; n-- {
			i := s.sliced[splitmix.Next(&s.rng)%uint64(len(s.sliced))]
			now[i] = s.lists[i][splitmix.Next(&s.rng)%uint64(len(s.lists[i]))]
		}
		if err := s.try(ctx, now, nil); err != nil {
			return false, err
		}
	}
	return false, nil
}

// eachSet plans all sets of orders.
func (s *search) eachSet(ctx context.Context, lowest int64) error {
	now := slices.Clone(s.given)
	var walk func(k int) error
	walk = func(k int) error {
		if s.enough(lowest) || ctx.Err() != nil {
			return nil
		}
		if k == len(s.sliced) {
			return s.try(ctx, slices.Clone(now), nil)
		}
		for _, o := range s.lists[s.sliced[k]] {
			now[s.sliced[k]] = o
			if err := walk(k + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(0)
}

// uniform returns the orders that are number way in each list.
func (s *search) uniform(way int) []order {
	out := slices.Clone(s.given)
	for _, i := range s.sliced {
		out[i] = s.lists[i][min(way, len(s.lists[i])-1)]
	}
	return out
}

// try plans a set of orders. start has offsets of the bodies to begin with; nil for none.
func (s *search) try(ctx context.Context, chosen []order, start []int64) error {
	if start == nil && s.at != nil && slices.EqualFunc(chosen, s.chosen, slices.Equal) {
		start = s.at
	}
	l := lower(shapesOf(s.blocks, s.bodies, chosen), s.call.Alignment)
	o := stowage.Options{Planner: s.o.Planner, Minimize: true, NodeLimit: s.o.NodeLimit, Seed: s.o.Seed}
	if s.call.Wanted != nil {
		o.Capacity, o.Minimize = s.call.Capacity, s.call.Capacity == 0
	}
	if start != nil && l.p.Rules == nil {
		o.Start = l.start(start)
	}
	s.tries++
	r, err := stowage.Solve(ctx, l.p, o)
	if err != nil {
		return err
	}
	if s.tries == 1 || r.LowerBound < s.proven {
		s.proven = r.LowerBound
	}
	if !r.Status.HasPlan() {
		return nil
	}
	if s.at == nil || r.Height < s.height {
		s.at, s.chosen, s.height = l.offsets(len(s.bodies), r.Offsets), chosen, r.Height
	}
	return nil
}

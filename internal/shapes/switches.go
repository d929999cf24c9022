package shapes

import (
	"context"
	"math"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: orders that were found for parts of a range are candidates for all of it. Each is placed at every point. Then
// the fewest stretches that keep all points at or below an excess are found by going from left to right, each time with
// the candidate that reaches farthest, and the least excess for which they are few enough by bisection. The parts that
// come of it are searched in turn, and give new candidates.
//
// Invariant: no order is above the plan of the largest sizes where it holds, so one arena is enough for all.
//
// Complexity: a search for each part; then O(candidates × points × buffers).
//
// Source: interval covering; going as far as possible is optimal for a fixed set of candidates.

// Limits of the search for several orders.
const (
	mostParts    = 6 // that a range is cut into; every run of them is searched
	switchRounds = 3 // in which the stretches found are searched again
)

// SolveOrders is Solve, and then looks for up to n orders that are lower together, if one is not at the load
// everywhere. Switched is nil if it finds none, or if the family has several pools.
func SolveOrders(ctx context.Context, f *model.Family, o plan.Options, n int, solve Planner) (*plan.FamilyResult, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	r, err := Solve(ctx, f, o, solve)
	if err != nil || r.Order == nil || n < 2 || r.Worst <= enough || r.Pools != nil {
		return r, err
	}
	s := &switching{f: f, r: r, n: n, points: pointsOf(f)}
	s.order = func(part *model.Family) *model.Order {
		x, err := Solve(ctx, part, o, solve)
		if err != nil {
			return nil
		}
		return x.Order
	}
	x := newField(f.Problem, nil)
	scratch := make([]int64, x.sections)
	for _, at := range s.points {
		s.loads = append(s.loads, x.load(f.SizesAt(at), scratch))
	}
	for symbol := range max(1, len(f.Symbols)) {
		s.along(ctx, symbol)
	}
	if s.best != nil && s.best.Worst < r.Worst {
		r.Switched = s.best
		offsets := make([]int64, x.n)
		for _, p := range r.Points {
			h, err := s.best.Orders[s.best.At(f.ValueAt(s.best.Symbol, p.Point))].Place(f.SizesAt(p.Point), offsets)
			if err != nil {
				return nil, err
			}
			s.best.Heights = append(s.best.Heights, h)
		}
	}
	return r, nil
}

// A switching is one run of SolveOrders.
type switching struct {
	f      *model.Family
	r      *plan.FamilyResult
	n      int
	order  func(part *model.Family) *model.Order
	points []int64
	loads  []int64
	best   *model.Switched
}

// A candidate is an order, with its worst excess at each value of the symbol, and the point that has it.
type candidate struct {
	order  *model.Order
	excess []float64
	at     []int64
}

// along finds orders that a symbol chooses.
func (s *switching) along(ctx context.Context, symbol int) {
	values := s.values(symbol)
	parts := min(mostParts, len(values))
	if parts < 2 {
		return
	}
	all := []candidate{s.judged(s.r.Order, symbol, values)}
	seen := map[[2]int]bool{{0, len(values)}: true}
	search := func(from, to int) {
		if seen[[2]int{from, to}] || ctx.Err() != nil {
			return
		}
		seen[[2]int{from, to}] = true
		part, err := s.f.Within(symbol, values[from], values[to-1])
		if err != nil { // a buffer has no bytes there
			return
		}
		if order := s.order(part); order != nil {
			all = append(all, s.judged(order, symbol, values))
		}
	}
	for wide := parts - 1; wide > 0; wide-- {
		for k := 0; k+wide <= parts; k++ {
			search(k*len(values)/parts, (k+wide)*len(values)/parts)
		}
	}
	for range switchRounds {
		stretches, found := s.cover(all, symbol, values)
		if found != nil && (s.best == nil || found.Worst < s.best.Worst) {
			s.best = found
		}
		known := len(all)
		for k, from := range stretches {
			to := len(values)
			if k+1 < len(stretches) {
				to = stretches[k+1]
			}
			search(from, to)
		}
		if len(all) == known || found == nil || found.Worst <= enough {
			return
		}
	}
}

// values returns the values of a symbol at the points, ascending.
func (s *switching) values(symbol int) (values []int64) {
	seen := map[int64]bool{}
	for _, at := range s.points {
		if v := s.f.ValueAt(symbol, at); !seen[v] {
			seen[v] = true
			values = append(values, v) // points count upwards, so values of each symbol first come in order
		}
	}
	return values
}

// judged places an order at all points.
func (s *switching) judged(order *model.Order, symbol int, values []int64) candidate {
	c := candidate{order, make([]float64, len(values)), make([]int64, len(values))}
	index := map[int64]int{}
	for k, v := range values {
		index[v], c.excess[k] = k, -1
	}
	offsets := make([]int64, len(s.f.Problem.Buffers))
	for k, at := range s.points {
		h, err := order.Place(s.f.SizesAt(at), offsets)
		e := excess(h, s.loads[k])
		if err != nil || h > s.r.Height {
			e = math.Inf(1)
		}
		if v := index[s.f.ValueAt(symbol, at)]; e > c.excess[v] {
			c.excess[v], c.at[v] = e, at
		}
	}
	return c
}

// cover returns the stretches, by the index of their first value, that have the least worst excess, and their orders.
func (s *switching) cover(all []candidate, symbol int, values []int64) (starts []int, found *model.Switched) {
	low, high := 0.0, s.r.Worst
	try := func(limit float64) bool {
		next, which := reach(all, limit, s.n)
		if next == nil {
			return false
		}
		starts, found = next, &model.Switched{Symbol: symbol, Worst: -1}
		for k, c := range which {
			end := len(values)
			if k+1 < len(next) {
				end = next[k+1]
			}
			found.From, found.Orders = append(found.From, values[next[k]]), append(found.Orders, c.order)
			for v := next[k]; v < end; v++ {
				if c.excess[v] > found.Worst {
					found.Worst, found.WorstAt = c.excess[v], c.at[v]
				}
			}
		}
		return true
	}
	if try(0) || !try(high) {
		return starts, found
	}
	for high = found.Worst; high-low > enough/100; {
		if middle := (low + high) / 2; try(middle) {
			high = found.Worst
		} else {
			low = middle
		}
	}
	return starts, found
}

// reach returns the fewest stretches with an excess of at most limit, and the candidate of each; nil if more than n are
// needed.
func reach(all []candidate, limit float64, n int) (starts []int, which []*candidate) {
	for at := 0; at < len(all[0].excess); {
		far, best := at, -1
		for k := range all {
			end := at
			for end < len(all[k].excess) && all[k].excess[end] <= limit {
				end++
			}
			if end > far {
				far, best = end, k
			}
		}
		if best < 0 || len(starts) == n {
			return nil, nil
		}
		starts, which = append(starts, at), append(which, &all[best])
		at = far
	}
	return starts, which
}

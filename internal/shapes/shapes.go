// Package shapes finds one order of the buffers of a family for all of its sizes.
//
//	shapes.go   the search as a whole: the largest sizes are planned, then an order is found that is low at all points
//	skyline.go  which pairs of an order matter, and the offsets that follow
//	climb.go    local search over orders
//	exact.go    all orders of a few buffers
package shapes

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the plan of the largest sizes is a hard cap: no order may be above it. Its own order, bottom up, is the first
// candidate, for offsets that follow from it are nowhere higher. The search looks at few points. Its best order is then
// placed at every point of the family. The point with the largest excess joins the search, until none is worse than
// those that the search knew.
//
// Complexity: rounds × (moves × O(buffers × points of the search) + points × O(buffers)).
//
// Source: counterexample-guided search, as in synthesis of programs.

// A Planner plans one problem, as stowage.Solve does.
type Planner func(ctx context.Context, p *model.Problem, o plan.Options) (*plan.Result, error)

// Limits of the search, in buffers placed at one point: they do not depend on a clock.
const (
	climbWork  = 30_000_000 // of all climbs
	fewPoints  = 8          // that a search begins with
	leastMoves = 3_000      // of a climb
)

// heats are those that climbs begin with, in turn: large models want low ones, small ones with deep valleys high ones.
var heats = [...]float64{0.003, 0.01, 0.3, 0.05}

// coldest is the lowest heat that a climb ends with.
const coldest = 1e-5

// enough is the worst excess at which a search ends, as a share.
const enough = 1e-4

// Solve plans the largest sizes of a family with solve, and finds an order for all sizes. The family must be complete.
// Without a plan of the largest sizes, Order is nil.
func Solve(ctx context.Context, f *model.Family, o plan.Options, solve Planner) (*plan.FamilyResult, error) {
	began := time.Now()
	r, err := solve(ctx, f.Problem, o)
	if err != nil {
		return nil, err
	}
	out := &plan.FamilyResult{Result: *r}
	if !r.Status.HasPlan() || len(f.Problem.Buffers) == 0 {
		if r.Status.HasPlan() {
			out.Order, err = model.NewOrder(f.Problem, [][]int32{}, nil)
		}
		return out, err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, began.Add(o.Timeout))
		defer cancel()
	}
	s := newSearch(f, r, o.Seed)
	s.solve = func(p *model.Problem) *plan.Result {
		q := plan.Options{Seed: o.Seed, NodeLimit: seedNodes, Minimize: true, Planner: o.Planner}
		if r, err := solve(ctx, p, q); err == nil && r.Status.HasPlan() {
			return r
		}
		return nil
	}
	order := s.run(ctx)
	if out.Order, err = model.NewOrder(f.Problem, s.field.reduced(order), r.Pools); err != nil {
		return nil, err
	}
	out.Offsets = make([]int64, s.field.n)
	if _, err := out.Order.Place(f.SizesAt(-1), out.Offsets); err != nil {
		return nil, err
	}
	for _, at := range s.shown() {
		out.Points = append(out.Points, model.Point{
			Point: at, Name: f.Name(at), Height: s.heightAt(order, f.SizesAt(at)), Load: s.load(at),
		})
	}
	out.Worst, out.WorstAt, out.Looked, out.Exact = s.worst.excess, s.worst.at, int64(len(s.points)), s.proven && r.Status == model.Optimal
	out.Stats.Elapsed = time.Since(began)
	return out, nil
}

// seedNodes is the limit of nodes for plans whose orders the search begins with.
const seedNodes = 20_000

// A search is one run.
type search struct {
	family *model.Family
	field  *field
	solve  func(p *model.Problem) *plan.Result
	random uint64
	caps   []int64
	start  []int32 // the order of the plan of the largest sizes

	points []int64 // that are looked at, ascending
	loads  []int64 // of each of points
	aims   []int64 // of each of points: the target, which is the load if alignment costs nothing
	active []int64 // points of the search, beside the largest
	worst  worst   // of the best order
	best   *stack
	proven bool    // no order has a smaller excess
	near   []int32 // the order of the least cost, too high or not, and that cost
	least  float64

	ends, tops, scratch []int64
}

// A worst is the largest excess of an order, over the load and over the target, and at which points.
type worst struct {
	excess float64
	at     int64
	over   float64
	aim    int64
}

func newSearch(f *model.Family, r *plan.Result, seed uint64) *search {
	s := &search{family: f, field: newField(f.Problem, r.Pools), random: seed}
	x := s.field
	s.ends, s.tops, s.scratch = make([]int64, x.n), make([]int64, x.pools), make([]int64, x.sections)
	s.caps = make([]int64, x.pools)
	sizes := f.SizesAt(-1)
	for i, at := range r.Offsets {
		s.caps[x.pool[i]] = max(s.caps[x.pool[i]], at+sizes[i])
	}
	s.start = orderOf(r.Offsets, sizes)
	s.points = pointsOf(f)
	for _, at := range s.points {
		sizes := f.SizesAt(at)
		s.loads = append(s.loads, x.load(sizes, s.scratch))
		s.aims = append(s.aims, max(s.loads[len(s.loads)-1], x.load(x.padded(sizes), s.scratch)-x.step+1))
	}
	return s
}

// orderOf returns the buffers of a plan from the lowest to the highest.
func orderOf(offsets, sizes []int64) []int32 {
	order := make([]int32, len(offsets))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(offsets[i], offsets[j]), cmp.Compare(offsets[i]+sizes[i], offsets[j]+sizes[j]))
	})
	return order
}

// pointsOf returns the points that are looked at: all, or, of too many, the corners and points spread evenly.
func pointsOf(f *model.Family) []int64 {
	n := f.Points()
	if n <= model.MostPoints {
		all := make([]int64, n)
		for k := range all {
			all[k] = int64(k)
		}
		return all
	}
	return f.Spread(model.MostPoints / 16)
}

// load returns the load at a point that is looked at.
func (s *search) load(point int64) int64 {
	k, found := slices.BinarySearch(s.points, point)
	if !found { // the maximum of all, which is no point
		return s.field.load(s.family.SizesAt(point), s.scratch)
	}
	return s.loads[k]
}

// heightAt places an order at sizes.
func (s *search) heightAt(x *stack, sizes []int64) int64 {
	return s.field.place(x, sizes, s.ends, s.tops)
}

// everywhere finds the largest excess of an order.
func (s *search) everywhere(x *stack) worst {
	w := worst{-1, s.points[0], -1, s.points[0]}
	for k, at := range s.points {
		h := s.heightAt(x, s.family.SizesAt(at))
		if e := excess(h, s.loads[k]); e > w.excess {
			w.excess, w.at = e, at
		}
		if e := excess(h, s.aims[k]); e > w.over {
			w.over, w.aim = e, at
		}
	}
	return w
}

// offer keeps an order if it is not above the plan of the largest sizes, and better at its worst point than the best so
// far. It reports whether that point is new to the search.
func (s *search) offer(order []int32, g grade) bool {
	if cost := g.cost(dearest / heats[0]); s.near == nil || cost < s.least {
		s.least, s.near = cost, slices.Clone(order)
	}
	if g.over > 0 {
		return false
	}
	x := &stack{order: slices.Clone(order)}
	s.field.trace(x)
	w := s.everywhere(x)
	if s.best == nil || w.excess < s.worst.excess {
		s.best, s.worst = x, w
		s.proven = s.worst.excess <= 0 || s.worst.at == s.family.Largest // no order is better
	}
	added := s.add(w.at)
	return s.add(w.aim) || added
}

// run finds the order.
func (s *search) run(ctx context.Context) *stack {
	s.active = s.few()
	if s.offer(s.start, grade{}); s.done(ctx) || s.all() {
		return s.best
	}
	for known := -1; known < len(s.active) && !s.done(ctx); { // again if a new point is the worst
		known = len(s.active)
		s.weigh(ctx, s.climber(0), func(x *placed) bool { return !s.offer(x.order, x.grade) && !s.done(ctx) })
	}
	s.climbs(ctx)
	return s.best
}

// climbs is the local search. Climbs begin in turn with the best order, and with the order that was nearest to a good
// one, too high or not. Most are short, some are longer.
func (s *search) climbs(ctx context.Context) {
	c := s.climber(0)
	near, least := s.near, math.Inf(1)
	for k, spent := 0, 0; spent < climbWork && !s.done(ctx); k++ {
		from, hot := s.best.order, heats[k/2%len(heats)]
		if k%2 == 1 {
			from = near
		}
		moves := max(leastMoves, 4*s.field.n) * luby(k/2+1)
		order, g := c.climb(ctx, from, moves, hot, max(coldest, hot/300))
		spent += moves * s.field.n * (len(c.sizes) + 3)
		if cost := g.cost(dearest / coldest); cost < least {
			least, near = cost, order
		}
		if s.offer(order, g) {
			c, least = s.climber(uint64(k)), math.Inf(1)
		}
	}
}

// done reports whether the search ends: the best order is good enough, or the time is over.
func (s *search) done(ctx context.Context) bool {
	return s.proven || s.worst.over <= enough || ctx.Err() != nil
}

// all tries all orders of a few buffers; false if there are too many. What holds at the points of the search then holds
// at all, for the worst point of the best order is among them.
func (s *search) all() bool {
	for {
		order, done := s.climber(0).exact(s.start)
		if !done {
			return false
		}
		if !s.offer(order, grade{}) {
			s.proven = s.proven || int64(len(s.points)) == s.family.Points()
			return true
		}
	}
}

// climber returns a search over the active points.
func (s *search) climber(round uint64) *climber {
	c := &climber{f: s.field, caps: s.caps, rng: rand.New(rand.NewPCG(s.random, round))}
	c.sizes, c.loads, c.aims = [][]int64{s.family.SizesAt(-1)}, []int64{0}, []int64{0}
	for _, at := range s.active {
		k, _ := slices.BinarySearch(s.points, at)
		c.sizes = append(c.sizes, s.family.SizesAt(at))
		c.loads, c.aims = append(c.loads, s.loads[k]), append(c.aims, s.aims[k])
	}
	return c
}

// few returns the points that a search begins with: spread evenly, the largest aside.
func (s *search) few() (few []int64) {
	n := len(s.points)
	for k := range min(n, fewPoints) {
		at := s.points[k*(n-1)/max(1, min(n, fewPoints)-1)]
		if at != s.family.Largest && !slices.Contains(few, at) {
			few = append(few, at)
		}
	}
	return few
}

// add adds a point to the search; false if it is there.
func (s *search) add(at int64) bool {
	if at == s.family.Largest || slices.Contains(s.active, at) {
		return false
	}
	s.active = append(s.active, at)
	return true
}

// luby returns number k of 1, 1, 2, 1, 1, 2, 4, …: lengths of restarts that suit any search (Luby et al., 1993).
func luby(k int) int {
	for n := 1; ; n++ {
		if k == 1<<n-1 {
			return 1 << (n - 1)
		}
		if k < 1<<n-1 {
			return luby(k - 1<<(n-1) + 1)
		}
	}
}

// shown returns the points that the result lists: all of few, else those of the search, and spread ones.
func (s *search) shown() []int64 {
	if len(s.points) <= shownPoints {
		return s.points
	}
	shown := slices.Clone(s.active)
	for k := range shownPoints / 2 {
		shown = append(shown, s.points[k*(len(s.points)-1)/(shownPoints/2-1)])
	}
	shown = append(shown, s.worst.at, max(s.family.Largest, 0))
	slices.Sort(shown)
	return slices.Compact(shown)
}

// shownPoints is how many points a result lists at most, more or less.
const shownPoints = 64

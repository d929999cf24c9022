package assign

import (
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/simplex"
)

// Idea: if many bodies live at a time, the walk through time (through.go) has too many states. Branch and bound needs
// none. A branch fixes some bodies: in the pool whose room may run out, or out of it. Its linear program has the covers
// of the first program and some more (planes.go). The prices of that program give a bound:
//
//	cost of an assignment of the branch  >=  base + excesses of the places of the fixed bodies
//
// The branch with the least bound is next. It splits in two at the body whose x is farthest from 0 and 1, weighed by
// its cost. x also leads to an assignment: bodies go into the pool in order of x as long as there is room, and
// exchange.go makes that assignment cheaper.
//
// Invariant: base and excesses are whole numbers, computed from the prices of each branch. A branch ends if its bound
// is no better than the best assignment, or if its fixed bodies alone exceed a room. Nothing else that the linear
// program says counts: if it has no solution, the branch keeps the bound of its parent.
//
// Complexity: at most treeNodes branches and treeEffort numbers changed in their tables, for a call. A later call goes
// on with the open branches.
//
// Source: Land and Doig (1960).

const (
	treeNodes  = 2_000
	treeEffort = 1_500_000_000
	coverNodes = 100 // the first branches, which may get new covers
	nodeRounds = 2   // rounds of new covers for a branch
	everyRound = 8   // x is made an assignment at every such branch
	diveEvery  = 40  // with a check, a dive begins at every such branch
)

// A node is a branch that is open.
type node struct {
	fixed []int8 // of each variable, its fixed value, or -1
	depth int    // how many are fixed
	low   int64  // no assignment of the branch costs less
}

// branch returns the cheapest assignment that it finds among those that cost less than upper, or nil. low is a lower
// bound: no assignment costs less than both low and the returned one. If a limit has ended a call, the next call goes
// on from there; its upper must not be higher.
func (p *planes) branch(ctx context.Context, upper int64, effort int) (best Assignment, low int64) {
	if p.open == nil {
		p.open, p.givenUp = []node{{slices.Repeat([]int8{-1}, p.lp.Count()), 0, p.choices.Prices.Least(0)}}, math.MaxInt64
	}
	open := p.open
	defer func() { p.open = open }()
	dive := false // the next branch is the child made last, whatever its bound
	p.lp.Effort = effort
	p.lighten(looseRows)
	for n := 0; len(open) > 0; n++ {
		at := 0
		for k := range open {
			if open[k].low < open[at].low || open[k].low == open[at].low && open[k].depth > open[at].depth {
				at = k
			}
		}
		if open[at].low >= upper {
			break
		}
		least := open[at].low
		if dive && open[len(open)-1].low < upper {
			at = len(open) - 1
		} else {
			dive = p.check != nil && n%diveEvery == 0
		}
		now := open[at]
		p.guesses = now.low <= least
		if n >= treeNodes && p.check == nil || p.lp.Effort < 0 || ctx.Err() != nil || p.guessed > mostGivenUp {
			return best, min(p.givenUp, least, upper)
		}
		if p.check != nil && (p.lp.Rows() != p.renewed || n == 0) {
			p.renew(ctx, upper)
		}
		open = slices.Delete(open, at, at+1)
		if p.barred || !p.inherit(now.fixed) || !p.possible(now.fixed) {
			dive = false
			continue
		}
		p.lighten(2 * looseRows)
		s := p.lp.Clone()
		for x, to := range now.fixed {
			if to >= 0 {
				s.Fix(int32(x), to)
			}
		}
		solved := p.cut(ctx, s, n < coverNodes)
		p.lp.Effort = min(p.lp.Effort, s.Effort) - s.Len()*s.Count() - p.work
		low, prices, excess := p.least(s, now.fixed)
		now.low = max(now.low, low)
		if now.low >= upper {
			dive = false
			continue
		}
		x := s.Values()
		next := p.undecided(x, now.fixed)
		if !p.strike(prices, excess, now.fixed, upper) {
			dive = false
			continue
		}
		if solved && next >= 0 && now.fixed[next] >= 0 {
			open = append(open, now) // solved once more, with what is fixed now
			continue
		}
		if p.check != nil {
			if next < 0 && solved {
				if p.ask(x, &now, &best, &upper) {
					open = append(open, now)
				} else {
					dive = false
				}
				continue
			}
		} else if n%everyRound == 0 || n < 2*everyRound || next < 0 && solved {
			if of := p.rounded(ctx, x, now.fixed); of != nil && p.choices.Cost(of) < upper {
				best, upper = of, p.choices.Cost(of)
			}
		}
		switch {
		case now.low >= upper:
			continue
		case !solved && (p.lp.Effort < 0 || ctx.Err() != nil):
			open = append(open, now) // for the next call
			continue
		case next < 0 || !solved:
			p.givenUp = min(p.givenUp, now.low)
			continue
		}
		for to := range int8(2) {
			child := node{slices.Clone(now.fixed), now.depth + 1, now.low}
			child.fixed[next] = to
			if x[next] < 0.5 {
				child.fixed[next] = 1 - to // the likelier one comes last
			}
			open = append(open, child)
		}
	}
	return best, min(p.givenUp, upper)
}

// undecided returns the variable to branch on, or -1 if all are 0 or 1.
func (p *planes) undecided(x []float64, fixed []int8) (next int32) {
	next, most := int32(-1), 1e-6
	for j, part := range x {
		if fixed[j] >= 0 {
			continue
		}
		k := p.body[j]
		b := &p.choices.Bodies[p.choices.Single+int(k)]
		cost := float64(b.Costs[p.other[k]] - b.Costs[p.place[k]])
		if by := min(part, 1-part); by > 1e-6 && by*cost > most {
			next, most = int32(j), by*cost
		}
	}
	return next
}

// cut solves a branch's linear program. A section that its x overfills becomes a row, there and in the first program.
// If covers is set, so does a cover that x violates.
func (p *planes) cut(ctx context.Context, s *simplex.Program, covers bool) bool {
	p.copied = s
	defer func() { p.copied = nil }()
	for round := 0; s.Solve(ctx); {
		if x := s.Values(); !p.overfilled(x) && !p.overcored(x) {
			if !covers || round == nodeRounds || !p.against(ctx, x) {
				return true
			}
			round++
		}
	}
	return false
}

// least returns the bound of a branch, its prices, and the excess of its fixed bodies.
func (p *planes) least(s *simplex.Program, fixed []int8) (low int64, prices *Prices, excess int64) {
	prices = p.exactlyOf(s)
	for x, to := range fixed {
		if to < 0 {
			continue
		}
		in, out := p.excesses(prices, x)
		if to == 1 {
			excess += in
		} else {
			excess += out
		}
	}
	return prices.Least(excess), prices, excess
}

// inherit fixes sure bodies. It returns false if the branch has fixed one of them the other way.
func (p *planes) inherit(fixed []int8) bool {
	for x, to := range p.sure {
		switch {
		case to < 0 || fixed[x] == to:
		case fixed[x] >= 0:
			return false
		default:
			fixed[x] = to
		}
	}
	return true
}

// possible reports whether the bodies that are fixed in the pool fit there, and violate no core.
func (p *planes) possible(fixed []int8) bool {
	for _, x := range p.cores {
		if p.exceeds(fixed, x.bodies, x.weights, x.most) {
			return false
		}
	}
	for _, s := range p.stretches {
		if p.exceeds(fixed, s.bodies, s.cells, s.room) {
			return false
		}
	}
	return true
}

// exceeds reports whether the bodies that are fixed in the pool weigh more than most.
func (p *planes) exceeds(fixed []int8, bodies []int32, weights []int64, most int64) bool {
	for n, k := range bodies {
		if v := p.variable[k]; v >= 0 && fixed[v] == 1 {
			most -= weights[n]
		}
	}
	return most < 0
}

// rounded makes an assignment from x.
func (p *planes) rounded(ctx context.Context, x []float64, fixed []int8) Assignment {
	room, value := p.choices.RoomOf(nil), make([]float64, len(p.choices.Bodies)-p.choices.Single)
	for k, v := range p.variable {
		if v >= 0 {
			value[k] = x[v]
		}
	}
	of := p.choices.inOrder(room, value, func(k, n int32) int64 {
		if v := p.variable[k]; v >= 0 && n == p.place[k] {
			if fixed[v] == 0 {
				return math.MaxInt64
			}
			return -1
		}
		return p.choices.Bodies[p.choices.Single+int(k)].Costs[n]
	})
	if of != nil {
		p.choices.exchange(ctx, of, room)
	}
	return of
}

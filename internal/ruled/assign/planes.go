package assign

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/ruled/simplex"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Idea: if each section holds a few large buffers, the linear program puts far more into a pool than whole buffers
// allow, so its bound is weak. So is the bound of the best prices for room. Rows of covers (covers.go) cut off the
// program's solution. These rows have prices too, which enter the equation of multipliers.go in the same way:
//
//	cost = base + sum of excesses + sum over sections of price · (room - cells in use)
//	       + sum over inequalities of price · (most - weights of the bodies in the pool)
//
// The linear program (internal/ruled/simplex) begins without rows. If the solution overfills a section, the section becomes a row.
// If it overfills none, covers that it violates become rows. Rows that do not bind are dropped again.
//
// Invariant: as in multipliers.go, each term of the equation is at least 0 if the loads fit, and all of it is
// computed in whole numbers.
//
// Complexity: at most planeRounds linear programs and planeEffort numbers changed in their tables.
//
// Each body must have at most one pool whose room may run out. Otherwise, and for large problems, only room has prices.
//
// Source: Crowder, Johnson and Padberg (1983), for 0-1 programs; prices for cuts: relax and cut (Lucena 2005).

const (
	planeRounds = 80
	planeEffort = 1_000_000_000
	planeBodies = 3_000
	planeCells  = 300_000 // sum over bodies of the sections of their lives
	planeStall  = 8       // rounds without a better bound
	roundCovers = 60      // of a round
)

// A stretch is a section of a pool whose room may run out.
type stretch struct {
	pool, section int32
	bodies        []int32
	cells         []int64
	room          int64
}

// planes are a linear program and what its rows mean.
type planes struct {
	choices   *Choices
	lp        *simplex.Program
	place     []int32    // of each body with a choice, the pool whose room may run out, or -1
	other     []int32    // of each body with a choice, the cheapest place whose room does not run out
	variable  []int32    // of each body with a choice, its x, or -1
	body      []int32    // of each x
	stretches []*stretch // those that are not part of another
	rest      float64    // what the bodies cost if every x is 0
	meaning   []any      // of each row, its *stretch or *weighing; nil once dropped
	has       map[*stretch]bool
	work      int              // of one set of whole prices
	copied    *simplex.Program // of a branch, which gets new rows too; nil for none
	open      []node           // branches that are left (tree.go); nil before the first call
	givenUp   int64            // no assignment of the branches that were given up costs less
	check     func(Assignment) Check
	cores     []*weighing        // that check has added
	hasCore   map[*weighing]bool // those that are rows
	sure      []int8             // of each x, its value in all assignments better than the best plan, or -1
	guesses   bool               // no open branch has a lower bound than the branch that is checked
	guessed   int                // branches that were given up with a guess
	barred    bool               // there is no better assignment
	renewed   int                // rows at the last renew
}

// planed looks for prices of room and of cover rows. It returns nil if the problem does not qualify. The planes are nil
// if the linear program has no solution.
func (c *Choices) planed(ctx context.Context, upper int64) (*Prices, *planes) {
	p := c.planesOf()
	if p == nil {
		return nil, nil
	}
	best, stall := math.Inf(-1), 0
	for range planeRounds {
		if !p.lp.Solve(ctx) {
			break
		}
		x := p.lp.Values()
		if p.overfilled(x) {
			continue
		}
		if least := 1e-4 * math.Max(1, float64(upper)-p.lp.Cost-p.rest); p.lp.Cost > best+least {
			best, stall = p.lp.Cost, 0
		} else if stall++; stall > planeStall {
			break
		}
		if p.lp.Cost+p.rest > float64(upper)-0.5 || !p.against(ctx, x) {
			break
		}
	}
	prices := p.exactlyOf(p.lp)
	if !p.lp.Solve(ctx) {
		p = nil
	}
	return prices, p
}

// exactlyOf turns the prices of a linear program into whole numbers.
func (p *planes) exactlyOf(s *simplex.Program) *Prices {
	of := p.choices.perCell()
	var covers []*weighing
	var prices []float64
	s.Prices(func(row int, price float64) {
		switch x := p.meaning[row].(type) {
		case *stretch:
			of[x.pool][x.section] = price / float64(x.room)
		case *weighing:
			covers, prices = append(covers, x), append(prices, price/float64(x.most))
		}
	})
	return p.choices.exactly(of, covers, prices)
}

// planesOf returns the linear program without rows, or nil.
func (c *Choices) planesOf() *planes {
	open := c.Bodies[c.Single:]
	cells := 0
	for k := range open {
		cells += open[k].Length()
	}
	if len(open) == 0 || len(open) > planeBodies || cells > planeCells {
		return nil
	}
	p := &planes{choices: c, place: slices.Repeat([]int32{-1}, len(open)), has: make(map[*stretch]bool)}
	p.variable = slices.Clone(p.place)
	for k := range c.Bodies[:c.Single] {
		p.rest += float64(c.Bodies[k].Costs[0])
	}
	short, one := make([]bool, len(c.room)), true // pools whose room may run out
	var all []*stretch
	c.eachSection(func(pool, t int32, cells []int64, bodies []int32) {
		sum := int64(0)
		for _, x := range cells {
			sum += x
		}
		if sum > c.room[pool][t] {
			short[pool] = true
			all = append(all, &stretch{pool, t, slices.Clone(bodies), slices.Clone(cells), c.room[pool][t]})
		}
	})
	var cost []float64
	for k := range open {
		other := -1 // the cheapest pool whose room does not run out
		for n, q := range open[k].Pools {
			switch {
			case short[q] && p.place[k] >= 0:
				one = false
			case short[q]:
				p.place[k] = int32(n)
			case other < 0:
				other = n
			}
		}
		p.other = append(p.other, int32(max(0, other)))
		if p.place[k] < 0 {
			p.rest += float64(open[k].Costs[0])
			continue
		}
		if one = one && other >= 0; !one {
			return nil
		}
		p.rest += float64(open[k].Costs[other])
		if int(p.place[k]) > other {
			p.place[k] = -1 // it need not be there
			continue
		}
		p.variable[k] = int32(len(cost))
		p.body = append(p.body, int32(k))
		cost = append(cost, float64(open[k].Costs[p.place[k]]-open[k].Costs[other]))
	}
	if len(cost) == 0 {
		return nil
	}
	for n, x := range all {
		if !(n > 0 && x.within(all[n-1]) || n+1 < len(all) && x.within(all[n+1]) && !all[n+1].within(x)) {
			p.stretches = append(p.stretches, x)
		}
	}
	p.lp, p.work = simplex.New(cost, planeEffort), cells+c.Sections*len(c.room)
	return p
}

// within reports whether every set of bodies that fits into y fits into x.
func (x *stretch) within(y *stretch) bool {
	if x.pool != y.pool || x.room < y.room || len(x.bodies) > len(y.bodies) {
		return false
	}
	at := 0
	for n, k := range x.bodies {
		for at < len(y.bodies) && y.bodies[at] != k {
			at++
		}
		if at == len(y.bodies) || y.cells[at] < x.cells[n] {
			return false
		}
	}
	return true
}

// row adds a row for bodies in a pool.
func (p *planes) row(meaning any, bodies []int32, weights []int64, most int64) {
	var of []int32
	var a []float64
	for n, k := range bodies {
		if p.variable[k] >= 0 && weights[n] != 0 {
			of, a = append(of, p.variable[k]), append(a, float64(weights[n])/float64(most))
		}
	}
	p.lp.Add(of, a, 1)
	if p.copied != nil {
		p.copied.Add(of, a, 1)
	}
	p.meaning = append(p.meaning, meaning)
}

// weigh returns the sum of weights times x.
func (p *planes) weigh(x []float64, bodies []int32, weights []int64) float64 {
	sum := 0.0
	for n, k := range bodies {
		if v := p.variable[k]; v >= 0 {
			sum += x[v] * float64(weights[n])
		}
	}
	return sum
}

// overfilled adds a row for each section that x overfills, and reports whether there is one.
func (p *planes) overfilled(x []float64) bool {
	found := false
	for _, s := range p.stretches {
		if p.has[s] {
			continue
		}
		if s.room > 0 && p.weigh(x, s.bodies, s.cells) > float64(s.room)*(1+simplex.Outside) {
			p.row(s, s.bodies, s.cells, s.room)
			p.has[s], found = true, true
		}
	}
	return found
}

// against adds rows for the covers that x violates most, and reports whether there are any.
func (p *planes) against(ctx context.Context, x []float64) bool {
	type offer struct {
		*weighing
		by float64
	}
	var offers []offer
	for _, s := range p.stretches {
		if p.lp.Effort < 0 || ctx.Err() != nil {
			break
		}
		part := make([]float64, len(s.bodies))
		order := make([]int, 0, len(s.bodies))
		for n, k := range s.bodies {
			if v := p.variable[k]; v >= 0 {
				part[n] = x[v]
				order = append(order, n)
			}
		}
		// A body that the linear program never puts there still counts, as weights must hold for all assignments.
		for n, k := range s.bodies {
			if p.variable[k] < 0 {
				order = append(order, n)
			}
		}
		var before *weighing
		for way := range 3 {
			slices.SortStableFunc(order, func(a, b int) int {
				switch way {
				case 0:
					return cmp.Or(cmp.Compare(part[b], part[a]), cmp.Compare(s.cells[b], s.cells[a]))
				case 1:
					return cmp.Compare((1-part[a])/float64(s.cells[a]), (1-part[b])/float64(s.cells[b]))
				}
				return cmp.Compare(part[b]*float64(s.cells[b]), part[a]*float64(s.cells[a]))
			})
			weights, most, ok := coverOf(s.cells, part, s.room, order)
			p.lp.Effort -= len(s.cells) * int(most+20)
			if !ok || most <= 0 {
				continue
			}
			sum := 0.0
			for n, w := range weights {
				sum += float64(w) * part[n]
			}
			by := (sum - float64(most)) / float64(most)
			if by < 1e-4 || before != nil && before.most == most && slices.Equal(before.weights, weights) {
				continue
			}
			before = &weighing{s.pool, s.section, s.bodies, weights, most, false}
			offers = append(offers, offer{before, by})
		}
	}
	sorting.Structs(offers, func(a, b offer) int { return cmp.Compare(b.by, a.by) })
	if p.copied == nil {
		p.drop()
	}
	for _, x := range offers[:min(roundCovers, len(offers))] {
		if invariants.Enabled {
			x.check(p.choices)
		}
		p.row(x.weighing, x.bodies, x.weights, x.most)
	}
	return len(offers) > 0
}

// drop drops rows that do not bind at x.
func (p *planes) drop() { p.loosen(0.05, false) }

// loosen drops rows whose slack at x is more than slack. If keep is set, covers that are dropped are kept for later.
func (p *planes) loosen(slack float64, keep bool) {
	p.lp.Loose(slack, func(row int) {
		switch x := p.meaning[row].(type) {
		case *stretch:
			delete(p.has, x)
		case *weighing:
			if keep && !p.hasCore[x] {
				p.cores = append(p.cores, x)
			}
			delete(p.hasCore, x) // it is a row no more
		}
		p.meaning[row] = nil
	})
}

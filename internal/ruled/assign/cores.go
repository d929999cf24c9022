package assign

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: an assignment whose loads fit need not pack. The branches of the linear program (tree.go) then go on with a
// check: whoever plans (internal/ruled/poolchoice) is asked about each assignment that a branch ends in. If it does not
// pack, the check names a core, bodies that have no plan together, and this becomes a row:
//
//	sum over bodies of the core in the pool of 1 <= most
//
// A core may rest on bodies that are sure: each assignment that costs less than the best plan has them in the pool.
// The prices say which these are. A branch has more of them than the first program. So the row has only the bodies
// that are not sure, and most is their number less 1.
//
// Invariant: a row holds for every assignment that packs and costs less than the best plan. If the check is undecided,
// no bound above the cost of that branch is claimed from then on; so later cores may be guesses.
//
// Complexity: that of the tree; each assignment that is refused solves its branch once more.
//
// Source: branch and check (Thorsteinsson 2001), no-goods of logic-based Benders decomposition (Hooker and Ottosson
// 2003). Sure bodies are those that reduced costs fix (Crowder, Johnson and Padberg 1983).

// A Check is what is known of an assignment.
type Check uint8

// The outcomes of a check.
const (
	Undecided Check = iota // it may have named a core that is a guess
	Packs
	Refused // it has named a core
)

// checkEffort is how many numbers the linear programs of Checked may change.
const checkEffort = 8_000_000_000

// looseRows is how many rows there may be before those are dropped that the first program has room in.
const looseRows = 250

// CanCheck reports whether there is a linear program to check assignments of.
func (c *Choices) CanCheck() bool { return c.program != nil }

// mostGivenUp is how many branches may be given up with a guess: after that, a call comes to its end.
const mostGivenUp = 3

// Checked goes on with the branches of the linear program. check says whether an assignment packs; it may call Sure
// and AddCore. No assignment that packs costs less than the result, or than upper, the cost of the best plan.
func (c *Choices) Checked(ctx context.Context, upper int64, check func(Assignment) Check) (low int64) {
	p := c.program
	p.check, p.open, p.sure, p.barred, p.guessed = check, nil, slices.Repeat([]int8{-1}, p.lp.count), false, 0
	// The linear program as it is, without guesses.
	before, meaning, has, hasCore := p.lp.clone(), slices.Clone(p.meaning), maps.Clone(p.has), maps.Clone(p.hasCore)
	defer func() {
		p.check, p.lp, p.meaning, p.has, p.hasCore = nil, before, meaning, has, hasCore
		p.cores = slices.DeleteFunc(p.cores, func(x *weighing) bool { return x.guess })
	}()
	_, low = p.branch(ctx, upper, checkEffort)
	return low
}

// Sure returns 1 for a body with a choice that is in the pool whose room may run out in each assignment that is better
// than the best plan, 0 if it is in none of these, and -1 otherwise.
func (c *Choices) Sure(k int32) int8 {
	switch v := c.program.variable[k]; {
	case v >= 0:
		return c.program.sure[v]
	case c.program.place[k] >= 0:
		return 1
	}
	return 0
}

// AddGuess is AddCore for a core that is a guess. It counts only if nothing below the branch that is checked is open.
func (c *Choices) AddGuess(pool int32, bodies []int32, most int64) {
	p := c.program
	if !p.guesses {
		return
	}
	p.guessed++
	if most > 0 {
		p.cores = append(p.cores, &weighing{pool, -1, bodies, slices.Repeat([]int64{1}, len(bodies)), most, true})
	}
}

// AddCore says that no assignment that packs, and is better than the best plan, has more than most of these bodies in
// the pool.
func (c *Choices) AddCore(pool int32, bodies []int32, most int64) {
	p := c.program
	switch {
	case most < 0 || len(bodies) == 0:
		p.barred = true
	case most == 0:
		for _, k := range bodies {
			if v := p.variable[k]; v >= 0 {
				if p.sure[v] == 1 {
					p.barred = true
				}
				p.sure[v] = 0
			}
		}
	default:
		p.cores = append(p.cores, &weighing{pool, -1, bodies, slices.Repeat([]int64{1}, len(bodies)), most, false})
	}
}

// overcored adds rows for cores that x is against, and returns whether there are any.
func (p *planes) overcored(x []float64) bool {
	found := false
	for _, y := range p.cores {
		if p.hasCore[y] {
			continue
		}
		if p.weigh(x, y.bodies, y.weights) > float64(y.most)*(1+outside) {
			p.row(y, y.bodies, y.weights, y.most)
			if p.hasCore == nil {
				p.hasCore = make(map[*weighing]bool)
			}
			p.hasCore[y], found = true, true
		}
	}
	return found
}

// renew solves the first program with the rows that there are by now, and makes bodies sure by its prices.
func (p *planes) renew(ctx context.Context, upper int64) {
	for p.lp.solve(ctx) && p.overcored(p.lp.values()) {
	}
	p.lighten(looseRows)
	p.strike(p.exactlyOf(p.lp), 0, p.sure, upper)
	p.renewed = p.lp.rows
}

// lighten drops all rows whose slack is basic, if there are many: the best x is the same without them. Those that a
// branch needs come back.
func (p *planes) lighten(most int) {
	if len(p.lp.table) > most {
		p.loosen(-1, true)
	}
}

// strike fixes each x whose other number alone makes an assignment cost upper or more, beside excess. It returns false
// if there is none left.
func (p *planes) strike(prices *Prices, excess int64, fixed []int8, upper int64) bool {
	for j := range fixed {
		if fixed[j] >= 0 {
			continue
		}
		in, out := p.excesses(prices, j)
		no, yes := prices.Least(excess+in) >= upper, prices.Least(excess+out) >= upper
		switch {
		case no && yes:
			return false
		case no:
			fixed[j] = 0
		case yes:
			fixed[j] = 1
		}
	}
	return true
}

// excesses returns what it adds to the cost if a body is in the pool, and if it is not.
func (p *planes) excesses(prices *Prices, j int) (in, out int64) {
	k := p.body[j]
	out = math.MaxInt64
	for n, excess := range prices.Excess[k] {
		if int32(n) == p.place[k] {
			in = excess
		} else {
			out = min(out, excess)
		}
	}
	return in, out
}

// whole returns the assignment of an x without fractions, or nil if the loads do not fit.
func (p *planes) whole(x []float64) Assignment {
	of := make(Assignment, len(p.variable))
	for k, v := range p.variable {
		of[k] = p.other[k]
		if v >= 0 && x[v] > 0.5 {
			of[k] = p.place[k]
		}
	}
	for _, free := range p.choices.RoomOf(of) {
		if len(free) > 0 && slices.Min(free) < 0 {
			return nil
		}
	}
	return of
}

// ask checks the assignment of a branch. It returns whether the branch is to be solved once more.
func (p *planes) ask(x []float64, now *node, best *Assignment, upper *int64) (again bool) {
	of := p.whole(x)
	if of == nil {
		p.givenUp = min(p.givenUp, now.low)
		return false
	}
	cores := len(p.cores)
	sure := slices.Clone(p.sure)
	found := p.check(of)
	again = len(p.cores) > cores || p.barred || !slices.Equal(sure, p.sure)
	switch {
	case found == Packs:
		cost := p.choices.Cost(of)
		if cost < *upper {
			*best, *upper = of, cost
		}
		if cost > now.low {
			p.givenUp = min(p.givenUp, now.low)
		}
		return false
	case found == Undecided || !again:
		p.givenUp = min(p.givenUp, now.low)
	}
	if invariants.Enabled && len(p.cores) > cores && found == Refused {
		invariants.Must(p.cores[cores].left(p.choices, of) < 0, "a core is not of the assignment", cores)
	}
	return again
}

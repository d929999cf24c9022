package assign

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/ruled/simplex"
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

// A Check is the outcome of the question whether an assignment packs.
type Check uint8

// The outcomes of a check.
const (
	Undecided Check = iota // the check may have added a core that is a guess
	Packs
	Refused // the check has added a core
)

// checkEffort is how many numbers the linear programs of Checked may change.
const checkEffort = 8_000_000_000

// looseRows is the number of rows above which the first program drops the rows that do not bind.
const looseRows = 250

// CanCheck reports whether there is a linear program to check assignments of.
func (c *Choices) CanCheck() bool { return c.program != nil }

// mostGivenUp is how many branches a call may give up with a guess. After that the call ends.
const mostGivenUp = 3

// Checked goes on with the branches of the linear program. check says whether an assignment packs; it may call Sure and
// AddCore. upper is the cost of the best plan. No assignment that packs costs less than both upper and the result.
func (c *Choices) Checked(ctx context.Context, upper int64, check func(Assignment) Check) (low int64) {
	p := c.program
	p.check, p.open, p.sure, p.barred, p.guessed = check, nil, slices.Repeat([]int8{-1}, p.lp.Count()), false, 0
	// The linear program as it is, without guesses.
	before, meaning, has, hasCore := p.lp.Clone(), slices.Clone(p.meaning), maps.Clone(p.has), maps.Clone(p.hasCore)
	defer func() {
		p.check, p.lp, p.meaning, p.has, p.hasCore = nil, before, meaning, has, hasCore
		p.cores = slices.DeleteFunc(p.cores, func(x *weighing) bool { return x.guess })
	}()
	_, low = p.branch(ctx, upper, checkEffort)
	return low
}

// Sure says where all assignments that cost less than the best plan have a body with a choice. It returns 1 for the
// pool whose room may run out, 0 for another pool, and -1 if they differ. A body without a variable need not be there.
func (c *Choices) Sure(k int32) int8 {
	if v := c.program.variable[k]; v >= 0 {
		return c.program.sure[v]
	}
	return 0
}

// AddGuess is AddCore for a core that is a guess. It does nothing while a branch with a lower bound is open.
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

// AddCore adds a core: of all assignments that pack and cost less than the best plan, none has more than most of these
// bodies in the pool.
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

// overcored adds a row for each core that x violates, and reports whether there is one.
func (p *planes) overcored(x []float64) bool {
	found := false
	for _, y := range p.cores {
		if p.hasCore[y] {
			continue
		}
		if p.weigh(x, y.bodies, y.weights) > float64(y.most)*(1+simplex.Outside) {
			p.row(y, y.bodies, y.weights, y.most)
			if p.hasCore == nil {
				p.hasCore = make(map[*weighing]bool)
			}
			p.hasCore[y], found = true, true
		}
	}
	return found
}

// renew solves the first program again, with the rows added since, and finds sure bodies by its prices.
func (p *planes) renew(ctx context.Context, upper int64) {
	for p.lp.Solve(ctx) && p.overcored(p.lp.Values()) {
	}
	p.lighten(looseRows)
	p.strike(p.exactlyOf(p.lp), 0, p.sure, upper)
	p.renewed = p.lp.Rows()
}

// lighten drops all rows whose slack is basic if there are more than most rows. The best x is the same without them. A
// row that a branch violates later comes back.
func (p *planes) lighten(most int) {
	if p.lp.Len() > most {
		p.loosen(-1, true)
	}
}

// strike fixes variable j to 0 if 1 makes every assignment cost at least upper, and to 1 if 0 does. excess is the
// excess of the variables that are fixed already. strike returns false if both 0 and 1 do.
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

// excesses returns how much the body of variable j adds to the cost if it is in the pool, and how much if it is not.
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

// ask checks the assignment of a branch. It reports whether the branch must be solved again.
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

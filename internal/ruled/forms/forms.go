// Package forms plans problems with lists of alternatives. A plan has one buffer of each list.
//
//	forms.go    the search
//	bounds.go   what each plan of a branch costs at least, and how high it is
//	prices.go   prices for the room in each pool, which make the bound of the cost
//	harder.go   which forms are harder to place than others
package forms

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/ruled/relax"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a branch has chosen a form of the first few lists. Its bounds say what each plan of it has of each measure at
// least: the load of the least forms, and what the cheapest ones cost if room has a price. The branch with the least bounds
// is taken first. If it has chosen a form of each list, it is a problem without alternatives, which is planned; otherwise
// there is a new branch for each form of the next list.
//
//	bounds of a branch not below the best plan        the branch ends
//	the least load above a capacity                   the branch ends
//	forms at least as hard as those of a "no"         the branch ends
//
// The first problems are those of forms that are chosen greedily, by their prices, and of the smallest forms. A dive from the
// best branch follows now and then.
//
// Invariant: each plan is in one branch that is open or was answered. So the least bounds of the branches left open hold for
// all plans that are not known.
//
// Complexity: at most formsBranches branches, each O(buffers · sections), and relax.MostQuestions problems.
//
// Source: branch and bound, best first; multiple-choice knapsack (Sinha and Zoltners 1979).

const (
	formsBranches = 300_000 // the most branches that are opened. Those that are left then stay open
	formsDive     = 4_000   // branches
)

// search is the state of a search.
type search struct {
	relax.Search
	*bounds
	open   branches
	floor  []int64 // the least bounds of a branch that was left open; nil if none was
	asked  [][]int // forms of problems that were planned
	no     [][]int // forms of problems that have no plan
	harder [][][]bool
	opened int
}

// branch has the forms of the first lists, as places in them, and its bounds.
type branch struct {
	forms []int
	least []int64
	order int64 // earlier is better among equal bounds
}

// branches is a heap: the least bounds first, then the most lists decided.
type branches []branch

func (b branches) Len() int { return len(b) }
func (b branches) Less(i, j int) bool {
	if k := slices.Compare(b[i].least, b[j].least); k != 0 {
		return k < 0
	}
	if len(b[i].forms) != len(b[j].forms) {
		return len(b[i].forms) > len(b[j].forms)
	}
	return b[i].order < b[j].order
}
func (b branches) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *branches) Push(x any)   { *b = append(*b, x.(branch)) }
func (b *branches) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	*b = (*b)[:last]
	return x
}

// Plan plans a valid problem with alternatives. planner plans one without.
func Plan(
	ctx context.Context, p *model.Problem, o relax.Options, spent plan.Stats, planner relax.Planner,
) (plan.Result, error) {
	x := &search{Search: relax.New(p, o, spent, planner), bounds: newBounds(p)}
	x.harder = hardness(p, x.lists)
	first := branch{}
	if x.bound(&first) {
		x.First = &plan.Result{Bounds: x.named(first.least), LowerBound: x.height}
		heap.Push(&x.open, first)
		if err := x.start(ctx); err != nil {
			return plan.Result{}, err
		}
		if err := x.run(ctx); err != nil {
			return plan.Result{}, err
		}
		for _, b := range x.open {
			x.leave(&b)
		}
		if x.floor != nil && o.Least {
			x.First.Bounds = x.named(x.floor)
		}
	}
	return x.Result("alternatives"), nil
}

// named gives bounds their measures.
func (x *search) named(least []int64) (all []model.Value) {
	for k, m := range x.P.Objective() {
		all = append(all, model.Value{Measure: m, Value: least[k]})
	}
	return all
}

// start plans problems of forms that look good, with less and less of the room, until one has a plan. Most of a long search
// is made below that plan.
func (x *search) start(ctx context.Context) error {
	room := slices.Clone(x.room)
	defer func() { x.room = room }()
	for _, percent := range []float64{100, 96, 90, 80} {
		x.room = slices.Clone(room)
		for q := range room {
			if room[q] != math.MaxInt64 {
				x.room[q] = int64(float64(room[q]) / 100 * percent)
			}
		}
		b := branch{forms: x.dive(nil)}
		if x.room = room; x.refused(b.forms) || !x.bound(&b) {
			continue
		}
		if err := x.leaf(ctx, &b); err != nil || x.Best != nil || x.Over(ctx) {
			return err
		}
	}
	b := branch{forms: x.smallest()}
	if x.refused(b.forms) || !x.bound(&b) {
		return nil
	}
	return x.leaf(ctx, &b)
}

// run takes branches until none is left or a limit comes.
func (x *search) run(ctx context.Context) error {
	for len(x.open) > 0 && !x.Over(ctx) {
		b := heap.Pop(&x.open).(branch)
		if !x.hopes(&b) || x.refused(b.forms) {
			continue
		}
		if len(b.forms) == len(x.lists) {
			if err := x.leaf(ctx, &b); err != nil {
				return err
			}
			continue
		}
		x.Stats.Nodes++
		if x.opened++; x.opened > formsBranches {
			x.leave(&b)
			continue
		}
		if x.opened%formsDive == 0 {
			c := branch{forms: x.dive(b.forms)}
			if x.bound(&c) && x.hopes(&c) && !x.refused(c.forms) {
				if err := x.leaf(ctx, &c); err != nil {
					return err
				}
			}
		}
		for k := range x.lists[len(b.forms)] {
			c := branch{forms: append(slices.Clip(slices.Clone(b.forms)), k), order: int64(x.opened)<<20 + int64(k)}
			if x.bound(&c) && x.hopes(&c) && !x.refused(c.forms) {
				for m := range c.least {
					if c.least[m] != b.least[m] {
						if c.least[m] < b.least[m] {
							c.least = b.least
						}
						break
					}
				}
				heap.Push(&x.open, c)
			}
		}
	}
	return nil
}

// hopes reports whether a branch may have a plan that is better than the best.
func (x *search) hopes(b *branch) bool {
	if !x.O.Least {
		return true
	}
	return x.Hopes(&plan.Result{Bounds: x.named(b.least)})
}

// leave leaves a branch open.
func (x *search) leave(b *branch) {
	if !x.hopes(b) || x.refused(b.forms) {
		return
	}
	if x.Cut = true; x.floor == nil || slices.Compare(b.least, x.floor) < 0 {
		x.floor = b.least
	}
}

// leaf plans the problem of a branch that has chosen all forms.
func (x *search) leaf(ctx context.Context, b *branch) error {
	if slices.ContainsFunc(x.asked, func(forms []int) bool { return slices.Equal(forms, b.forms) }) {
		return nil
	}
	x.asked = append(x.asked, b.forms)
	keep := x.keep(b.forms)
	r, err := x.Ask(ctx, model.Only(x.P, keep))
	if err != nil {
		return err
	}
	switch {
	case r.Status == model.Infeasible:
		x.no = append(x.no, b.forms)
	case r.Status.HasPlan():
		r.Plan = r.Widened(keep, len(x.P.Buffers))
		r.Measures = model.MeasuresOf(x.P, &r.Plan)
		x.Offer(&r)
	}
	if r.Status == model.Unknown || r.Status == model.Feasible && x.O.Least {
		for k := range b.least { // what the answer says of the branch, if that is more
			if k >= len(r.Bounds) || r.Bounds[k].Value != b.least[k] {
				if k < len(r.Bounds) && r.Bounds[k].Value > b.least[k] {
					b.least = slices.Clone(b.least)
					b.least[k] = r.Bounds[k].Value
					clear(b.least[k+1:])
				}
				break
			}
		}
		x.leave(b)
	}
	return nil
}

// keep returns the buffers of a choice, in ascending order.
func (x *search) keep(forms []int) []int {
	all := slices.Clone(x.common)
	for n, k := range forms {
		all = append(all, int(x.lists[n][k]))
	}
	slices.Sort(all)
	return all
}

// refused reports whether the forms of a branch are at least as hard as those of a problem without a plan.
func (x *search) refused(forms []int) bool {
	return slices.ContainsFunc(x.no, func(no []int) bool {
		for n, k := range no {
			if n < len(forms) && !x.harder[n][forms[n]][k] {
				return false
			}
			if n >= len(forms) && slices.ContainsFunc(x.harder[n], func(than []bool) bool { return !than[k] }) {
				return false
			}
		}
		return true
	})
}

// smallest returns the forms with the fewest bytes over time.
func (x *search) smallest() (forms []int) {
	for n, list := range x.lists {
		best := 0
		for k := range list {
			if x.areas[n][k] < x.areas[n][best] {
				best = k
			}
		}
		forms = append(forms, best)
	}
	return forms
}

// dive chooses forms of the other lists: of each the cheapest one that leaves room, if room has its prices.
func (x *search) dive(forms []int) []int {
	forms = slices.Clone(forms)
	for n := len(forms); n < len(x.lists); n++ {
		order := make([]int, len(x.lists[n]))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int {
			prices := x.prices[1].priced[n]
			return cmp.Or(cmp.Compare(prices[a], prices[b]), cmp.Compare(x.areas[n][a], x.areas[n][b]))
		})
		best := slices.IndexFunc(order, func(k int) bool { return x.bound(&branch{forms: append(forms, k)}) })
		forms = append(forms, order[max(0, best)])
	}
	return forms
}

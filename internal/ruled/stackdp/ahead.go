package stackdp

import (
	"cmp"
	"math"
	"slices"
)

// Idea: how a state can be completed depends on its set, its order and its distances. Without order and distances this
// is a question of loads. A walk from the last section to the first answers it for every set that may matter:
//
//	rest(t, set)  the least excess of the sections from t on, and of the items that begin from t on,
//	              beside the items of the set that live on
//
// So the walk through the orders keeps a state only if the loads allow a completion within the limit. It knows
// expensive sections long before it reaches them.
//
// Invariant: no completion of a set has less excess than rest. If a section has more than mostGoals sets, or all
// sections more than allGoals, the dearest sets are cut off. The least excess among them is then the bound of every set
// that is not listed.
//
// Complexity: O(sets · (live + log sets)) for each section.
//
// Source: the heuristic of A* search by a backward dynamic program over a relaxed problem (pattern databases, Culberson
// and Schaeffer 1998).

const (
	mostGoals = 20_000
	allGoals  = 1_000_000
)

// A reach lists the sets before a section that have a completion, ascending, with its excess.
type reach struct {
	at    []goal
	other int64   // the least excess of completing any other set, including the items in on; math.MaxInt64 if none
	on    []int32 // the items that live on: they begin before the section and end after it
}

// A goal is an entry of a reach.
type goal struct {
	set  uint64
	rest int64
}

// reach makes the walk from the last section to the first. It returns false if the context ended.
func (w *walk) reach() bool {
	w.ahead = make([]reach, w.question.Sections+1)
	w.ahead[w.question.Sections] = reach{at: []goal{{}}, other: math.MaxInt64}
	now, cut, all := []goal{{}}, int64(math.MaxInt64), 0
	var live []int32
	for t := w.question.Sections - 1; t >= 0; t-- {
		if w.ctx.Err() != nil {
			return false
		}
		most := max(1, min(mostGoals, allGoals-all))
		for _, i := range w.end[t+1] {
			live = append(live, i)
			if now = w.enter(now, i); len(now) > 4*mostGoals {
				now, cut = cheapest(now, most, cut)
			}
		}
		left := 0
		for _, x := range now {
			if more, fits := w.section(t, x.set, live); fits && x.rest+more <= w.question.Limit-w.base {
				now[left] = goal{x.set, x.rest + more}
				left++
			}
		}
		now = now[:left]
		now, cut = cheapest(now, most, cut)
		var gone uint64
		for _, i := range w.begin[t] {
			gone |= w.mark(i)
			live = slices.DeleteFunc(live, func(j int32) bool { return j == i })
		}
		for k := range now {
			now[k].set &^= gone
		}
		slices.SortFunc(now, func(x, y goal) int { return cmp.Or(cmp.Compare(x.set, y.set), cmp.Compare(x.rest, y.rest)) })
		now = slices.CompactFunc(now, func(x, y goal) bool { return x.set == y.set })
		at := slices.Clone(now)
		for k := range at {
			at[k].rest -= w.own(at[k].set, live)
		}
		w.ahead[t] = reach{at, cut, slices.Clone(live)}
		all += len(at)
	}
	return true
}

// cheapest keeps the cheapest sets, at most most of them. cut is the least excess that has been cut off.
func cheapest(now []goal, most int, cut int64) ([]goal, int64) {
	if len(now) <= most {
		return now, cut
	}
	slices.SortFunc(now, func(x, y goal) int { return cmp.Or(cmp.Compare(x.rest, y.rest), cmp.Compare(x.set, y.set)) })
	return now[:most], min(cut, now[most].rest)
}

// enter adds an item that ends. Each set stays without it, and a copy has it if the limit allows that. An item without
// a choice only adds its excess.
func (w *walk) enter(now []goal, i int32) []goal {
	x := &w.question.Items[i]
	if w.bit[i] < 0 {
		for k := range now {
			now[k].rest += x.In
		}
		return now
	}
	for k := range len(now) {
		if rest := now[k].rest + x.In; rest <= w.question.Limit-w.base {
			now = append(now, goal{now[k].set | w.mark(i), rest})
		}
		now[k].rest += x.Out
	}
	return now
}

// own returns the excess of items: of each item in the set for being in the pool, and of each other item for being out.
func (w *walk) own(set uint64, items []int32) (sum int64) {
	for _, i := range items {
		if w.in(set, i) {
			sum += w.question.Items[i].In
		} else {
			sum += w.question.Items[i].Out
		}
	}
	return sum
}

// rest returns the least excess that completes a set before section t, or math.MaxInt64 if no completion is within the
// limit.
func (w *walk) rest(t int, set uint64) int64 {
	a := &w.ahead[t]
	if k, ok := slices.BinarySearchFunc(a.at, set, func(x goal, set uint64) int { return cmp.Compare(x.set, set) }); ok {
		return a.at[k].rest
	}
	if a.other == math.MaxInt64 {
		return a.other
	}
	return max(0, a.other-w.own(set, a.on))
}

// section returns the excess of the free cells of a section if its items of the set are in the pool, and whether these
// items fit by their load.
func (w *walk) section(t int, set uint64, items []int32) (sum int64, fits bool) {
	room := w.question.Capacity
	if w.question.Room != nil {
		room = w.question.Room[t]
	}
	for _, i := range items {
		if w.in(set, i) {
			room -= w.question.Items[i].Size
		}
	}
	if w.question.Price != nil {
		sum = room * w.question.Price[t]
	}
	for _, n := range w.covers[t] {
		y := &w.question.Inequalities[n]
		left := y.Most
		for m, i := range y.Items {
			if w.question.Items[i].In <= w.question.Limit && w.in(set, i) {
				left -= y.Weights[m]
			}
		}
		sum += left * y.Price
	}
	return sum, room >= 0
}

package stackdp

import (
	"cmp"
	"math"
	"slices"
)

// Idea: what completes a state depends on its set, its order and its distances. Without the last two it is a question of loads, which
// a walk from the last section to the first answers for every set that may matter:
//
//	rest(t, set)  the least excess of the sections from t on, and of the items that begin from t on,
//	              beside the items of the set that live on
//
// So the walk through the orders keeps only states that a completion by the loads exists for, within the limit. It knows what is
// dear ahead long before it comes there.
//
// Invariant: no completion of a set has less excess. Sets that are cut off, because a section has more than mostGoals, or all of
// them more than allGoals, leave what the cheapest of them has as a bound for every set that is not listed.
//
// Complexity: O(sets · (live + log sets)) for each section.
//
// Source: the heuristic of A* search by a backward dynamic program over a relaxed problem (pattern databases, Culberson and Schaeffer 1998).

const (
	mostGoals = 20_000
	allGoals  = 1_000_000
)

// A reach is the sets before a section that have a completion, ascending, and what it costs.
type reach struct {
	at    []goal
	other int64   // the least excess of completions of all other sets, with that of the items that live on; math.MaxInt64 for none
	on    []int32 // the items that live on: they begin before the section and end after it
}

// A goal is one of these sets.
type goal struct {
	set  uint64
	rest int64
}

// reach walks from the end. It returns false if the context ended.
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

// cheapest cuts off all but so many sets. cut is the least that has been cut off.
func cheapest(now []goal, most int, cut int64) ([]goal, int64) {
	if len(now) <= most {
		return now, cut
	}
	slices.SortFunc(now, func(x, y goal) int { return cmp.Or(cmp.Compare(x.rest, y.rest), cmp.Compare(x.set, y.set)) })
	return now[:most], min(cut, now[most].rest)
}

// enter adds an item that ends to each of the sets, and leaves it out.
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

// own is the excess of items, in a set or out of it.
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

// rest is the least excess ahead of a set before section t. It is math.MaxInt64 if the set has no completion within the limit.
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

// section is the excess of what a section leaves free, if its items of the set are in the pool, and whether they fit by the load.
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
		y := &w.question.Covers[n]
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

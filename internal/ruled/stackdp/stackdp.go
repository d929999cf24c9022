// Package stackdp decides whether buffers fit a capacity, or which of them should be there, by a walk through time over
// the order of those that live at once. It is for problems in which few buffers live at a time, however many there are
// in all.
//
//	stackdp.go  the question, and the walk
//	ahead.go    a walk of sets from the end: what completes a set costs at least so much
//	section.go  a section of the walk: sets that may go on, and what is put into the orders
//	state.go    orders and distances: a buffer begins, a buffer ends
//	thin.go     states that others make superfluous, and those that are cut off
//	plan.go     offsets, from the places in the orders
package stackdp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: buffers that live at once lie one above the other, so they have an order from the floor to the capacity. A plan
// is a sequence of such orders. A state is the order of the live buffers, with a distance for each two of them. Buffers
// between the two keep them apart, also buffers that have ended:
//
//	distance(i, j)  the least offset of j - offset of i, for j above i; the order begins with the floor and ends with
//	                the capacity
//
//	        time →          a live buffer that begins can lie below all, between any two, or above all. A state becomes one
//	  ┌──────────────┐ c    for each of these places that leaves distance(floor, capacity) <= capacity. If b ends,
//	  ├──────┐       │      what was known of it is dropped, but distance(a, c) stays: b kept them apart.
//	  │   b  ├───────┤
//	  ├──────┘   a   │
//	  └──────────────┘
//
// A buffer may also have a choice: in the pool, or out of it. Then a state has a set, too: the live buffers with a
// choice that are in the pool. States with the same set are a class. The cost comes from the prices of a linear program
// (internal/ruled/assign): each choice has an excess, and so has each free cell of a section. A state has the sum so
// far. It is dropped if this sum, plus the least excess of the rest for its set (ahead.go), is above the limit.
//
// States with the same order are compared. A state is superfluous if its distances and its excess are all at least
// those of another state (thin.go). If more states than the width are left, the states with the least excess go on;
// ties go to the least fragmented. The others are cut off.
//
// Small buffers may be loose: they count for the load of their sections, and have no place in the orders. That makes a
// walk short if many small buffers live at a time. The walk is then a relaxation: its least excess is a bound, and its
// buffers may not fit.
//
// Invariant: take a choice and a plan of it that fits, with an excess of at most the limit. Then the orders of this
// plan, or of one that costs no more, pass only through kept states, or a state with no more excess was cut off. So if
// nothing was cut off, the walk finds the least excess. A plan that is found keeps to the capacity, since
// distance(floor, capacity) includes every chain of buffers.
//
// Complexity: O(width · live² · live) for each buffer, and a record for each state that is kept.
//
// Source: Stowage. As in dynamic programs over a path decomposition, the states are the orders of a section. The
// distances that stay after a buffer ends are difference bounds (Dill 1989).
//
// Trials: docs/lab/ruled.md (a width of 1,000 packs two sets that exact search does not; other measures pack no more).

// A Question asks for the choice with the least excess that fits.
type Question struct {
	Sections     int
	Items        []Item
	Capacity     int64
	Price        []int64 // of each section, the excess of a free cell; nil for none
	Room         []int64 // of each section, its cells; nil for the capacity
	Inequalities []Inequality
	Loose        int64 // items below this size are loose
	Limit        int64 // most excess
	Any          bool  // any choice within the limit will do: states are cut off by pieces alone
	Width        int   // most states of a section
	Most         int64 // most states in all; 0 for any number
}

// An Item is a buffer.
type Item struct {
	First, Last int32 // sections [First, Last)
	Size        int64
	In, Out     int64 // excess if it is in the pool, and if it is not; never if that is forbidden
}

// never is the excess of a forbidden choice.
const never = math.MaxInt64

// In returns an item that must be in the pool.
func In(first, last int32, size int64) Item { return Item{first, last, size, 0, never} }

// An Inequality says that the weights of the items of a section that are in the pool are at most Most. Each unit
// below Most has a price.
type Inequality struct {
	Section     int32
	Items       []int32
	Weights     []int64
	Most, Price int64
}

// A Choice is the outcome of a walk.
type Choice struct {
	Found   bool
	Excess  int64   // of the choice, if found
	In      []bool  // of each item
	Offsets []int64 // of each item in the pool; nil if items are loose
	Low     int64   // no choice that fits has less excess; math.MaxInt64 if none within the limit fits
	States  int64   // made
}

// A Verdict says what a walk has found.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // a limit came first
	Fits
	Never // no plan fits
)

// An Answer is the outcome of a walk in which no buffer has a choice.
type Answer struct {
	Verdict Verdict
	Offsets []int64 // if it fits
	States  int64   // made
}

// mostLive is the most buffers that may live at once: with more, a state has too many places and distances. mostChoices
// is the most live buffers with a choice.
const mostLive, mostChoices = 40, 64

// A walk is the state of the search. Sizes and distances are in units of the sizes' common divisor.
type walk struct {
	question *Question
	ctx      context.Context
	size     []int32
	capacity int32
	// Of each section, the items that begin, and those that ended with the section before. Items that are out are in
	// neither.
	begin, end [][]int32
	covers     [][]int32 // of each section
	bit        []int8    // of each item with a choice, its place in the sets; else -1
	lane       []int8    // of each item that is not loose, its place in the orders; else -1
	base       int64     // excess of the items that are out in any case
	live       []int32   // of each lane, the item
	now        []int32   // the items of the section
	ahead      []reach   // of each section
	classes    []*class
	next       []*class // those at the end of the section
	pending    int      // states of next
	spare      []*class // for reuse
	leaves     []leaf   // scratch
	records    []record
	room       int   // for records
	cut        int64 // least excess of a state that was cut off, with the excess of the rest
	made       int64
}

// A class is the states with one set.
type class struct {
	set uint64
	states
}

// Fit looks for a plan that fits the capacity, with at most width states of a section, and most in all (0 for any
// number). The verdict is Unknown if a buffer has a gap, an alignment or a fixed offset, or if too many live at once.
func Fit(ctx context.Context, tl *timeline.Timeline, capacity int64, width int, most int64) (a Answer) {
	if tl.LowerBound > capacity {
		return Answer{Verdict: Never}
	}
	if !tl.Plain {
		return a
	}
	q := &Question{Sections: tl.Sections(), Capacity: capacity, Width: width, Most: most}
	for i := range tl.Problem.Buffers {
		first, last := tl.Extent(i)
		q.Items = append(q.Items, In(first, last, tl.Problem.Buffers[i].Size))
	}
	c := Choose(ctx, q)
	a.States = c.States
	switch {
	case c.Found:
		a.Verdict, a.Offsets = Fits, c.Offsets
	case c.Low == math.MaxInt64:
		a.Verdict = Never
	}
	return a
}

// Choose looks for the choice of least excess.
func Choose(ctx context.Context, q *Question) Choice {
	w := &walk{question: q, ctx: ctx, cut: math.MaxInt64, room: firstRoom}
	if !w.prepare() {
		return Choice{}
	}
	if w.base > q.Limit {
		return Choice{Low: math.MaxInt64}
	}
	if !w.reach() {
		return Choice{}
	}
	low, ok := w.run()
	c := Choice{Low: min(w.cut, low), States: w.made}
	if !ok {
		return c
	}
	last := int32(-1)
	for _, x := range w.classes {
		for k, excess := range x.excess {
			if !c.Found || excess < c.Excess {
				c.Found, c.Excess, last = true, excess, x.record[k]
			}
		}
	}
	if c.Found {
		c.Low = min(c.Low, c.Excess)
		c.In, c.Offsets = w.plan(last)
	}
	return c
}

// prepare gives items their bits and lanes. It returns false if the walk cannot answer such a question, or if too many
// items live at once.
func (w *walk) prepare() bool {
	n, unit := len(w.question.Items), int64(0)
	w.size, w.bit, w.lane = make([]int32, n), slices.Repeat([]int8{-1}, n), slices.Repeat([]int8{-1}, n)
	w.begin, w.end = make([][]int32, w.question.Sections+1), make([][]int32, w.question.Sections+1)
	for i := range w.question.Items {
		if x := &w.question.Items[i]; x.Size >= w.question.Loose && x.In <= w.question.Limit {
			unit = bound.GCD(unit, x.Size)
		}
	}
	unit = max(unit, 1)
	if w.question.Capacity/unit >= 1<<28 {
		return false
	}
	w.capacity = int32(w.question.Capacity / unit)
	for i := range w.question.Items {
		switch x := &w.question.Items[i]; {
		case x.In > w.question.Limit && x.Out > w.question.Limit:
			w.base = never
		case x.In > w.question.Limit:
			w.base += x.Out
		default:
			if x.Size >= w.question.Loose {
				w.size[i] = int32(min(x.Size/unit, 1<<28))
			}
			w.begin[x.First], w.end[x.Last] = append(w.begin[x.First], int32(i)), append(w.end[x.Last], int32(i))
		}
	}
	w.covers = make([][]int32, w.question.Sections)
	for n := range w.question.Inequalities {
		if y := &w.question.Inequalities[n]; y.Price != 0 {
			w.covers[y.Section] = append(w.covers[y.Section], int32(n))
		}
	}
	return w.lay()
}

// lay gives each item its bit and its lane for its life, and puts those that begin in order.
func (w *walk) lay() bool {
	var bits, lanes []int8 // free
	most, bit := int8(0), int8(0)
	take := func(free []int8, next *int8) (int8, []int8) {
		if n := len(free); n > 0 {
			return free[n-1], free[:n-1]
		}
		*next++
		return *next - 1, free
	}
	for t := range w.begin {
		for _, i := range w.end[t] {
			if w.bit[i] >= 0 {
				bits = append(bits, w.bit[i])
			}
			if w.lane[i] >= 0 {
				lanes = append(lanes, w.lane[i])
			}
		}
		// Items that must be in the pool come first, then the largest: the fewest states have room for them.
		slices.SortFunc(w.begin[t], func(i, j int32) int {
			x, y := &w.question.Items[i], &w.question.Items[j]
			return cmp.Or(w.sure(j)-w.sure(i), cmp.Compare(y.Size, x.Size), cmp.Compare(y.Last, x.Last), cmp.Compare(i, j))
		})
		for _, i := range w.begin[t] {
			if w.sure(i) == 0 {
				w.bit[i], bits = take(bits, &bit)
			}
			if w.question.Items[i].Size >= w.question.Loose {
				w.lane[i], lanes = take(lanes, &most)
			}
			if bit > mostChoices || most > mostLive {
				return false
			}
		}
	}
	w.live = slices.Repeat([]int32{-1}, int(most))
	return true
}

// sure returns 1 if an item may be in the pool and may not be out of it, else 0.
func (w *walk) sure(i int32) int {
	if w.question.Items[i].Out > w.question.Limit {
		return 1
	}
	return 0
}

// mark is the set of one item.
func (w *walk) mark(i int32) uint64 {
	if w.bit[i] < 0 {
		return 0
	}
	return 1 << w.bit[i]
}

// in reports whether an item of the section is in the pool.
func (w *walk) in(set uint64, i int32) bool { return w.bit[i] < 0 || set>>w.bit[i]&1 == 1 }

// run walks through the sections. If it does not come to the end, it returns false, and the least excess of the states
// that it had.
func (w *walk) run() (low int64, ok bool) {
	w.classes = []*class{
		{states: states{n: 1, points: 2, distance: []int32{0}, record: []int32{-1}, excess: []int64{w.base}}},
	}
	for t := range w.question.Sections {
		w.close(t)
		if low = w.low(t); low == math.MaxInt64 {
			return low, false
		}
		w.now = append(w.now, w.begin[t]...)
		for _, i := range w.begin[t] {
			if w.lane[i] >= 0 {
				w.live[w.lane[i]] = i
			}
		}
		w.next, w.pending = w.next[:0], 0
		for _, x := range w.classes {
			if w.over() {
				return low, false
			}
			w.open(x, t)
		}
		if w.over() {
			return low, false
		}
		w.classes, w.next = w.next, w.classes
		w.thin(w.classes, t)
		w.classes = slices.DeleteFunc(w.classes, func(x *class) bool { return x.n == 0 })
		w.forget()
	}
	return math.MaxInt64, true
}

// over reports whether a limit has come.
func (w *walk) over() bool {
	return w.ctx.Err() != nil || w.question.Most > 0 && w.made > w.question.Most
}

// low returns the least excess of a state before section t, with that of the rest.
func (w *walk) low(t int) int64 {
	low := int64(math.MaxInt64)
	for _, x := range w.classes {
		if rest := w.rest(t, x.set); rest < math.MaxInt64 {
			low = min(low, slices.Min(x.excess)+rest)
		}
	}
	return low
}

// close ends the items whose last section is before t, and unites classes.
func (w *walk) close(t int) {
	if len(w.end[t]) == 0 {
		return
	}
	for _, i := range w.end[t] {
		for _, x := range w.classes {
			if w.in(x.set, i) && w.lane[i] >= 0 {
				x.end(uint8(w.lane[i]))
			}
			x.set &^= w.mark(i)
		}
		w.now = slices.DeleteFunc(w.now, func(j int32) bool { return j == i })
	}
	slices.SortFunc(w.classes, func(x, y *class) int { return cmp.Compare(x.set, y.set) })
	left := 0
	for k, x := range w.classes {
		if left > 0 && w.classes[left-1].set == x.set {
			w.classes[left-1].unite(&x.states)
			w.recycle(x)
			continue
		}
		w.classes[left], w.classes[k] = x, w.classes[left]
		left++
	}
	w.classes = w.classes[:left]
	for _, x := range w.classes {
		w.mirror(&x.states)
		x.dominate()
	}
}

// LooseFor returns a size for Question.Loose: the least size such that at most live items of a section that are not
// loose can be in the pool together. Only items count that may be in the pool within the limit.
func (q *Question) LooseFor(live int) int64 {
	begin := make([][]int32, q.Sections)
	for i := range q.Items {
		if x := &q.Items[i]; x.In <= q.Limit {
			begin[x.First] = append(begin[x.First], int32(i))
		}
	}
	loose := int64(0)
	var now []int32
	for t := range begin {
		now = slices.DeleteFunc(now, func(i int32) bool { return q.Items[i].Last <= int32(t) })
		now = append(now, begin[t]...)
		slices.SortFunc(now, func(i, j int32) int {
			return cmp.Or(cmp.Compare(q.Items[i].Size, q.Items[j].Size), cmp.Compare(i, j))
		})
		// Without the n smallest, at most this many fit.
		for n := 0; n < len(now); n++ {
			if q.Items[now[n]].Size < loose {
				continue
			}
			room, most := q.Capacity, 0
			for _, i := range now[n:] {
				if room -= q.Items[i].Size; room < 0 {
					break
				}
				most++
			}
			if most <= live {
				break
			}
			loose = q.Items[now[n]].Size + 1
		}
	}
	return loose
}

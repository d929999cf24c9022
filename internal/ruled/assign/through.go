package assign

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Idea: walk through the sections in order. A state says in which pool each live body is. If a body starts, each state
// becomes one state for each pool that has the room. If a body ends, states that agree on all live bodies become one,
// and the cheapest of them goes on. States are compared by their excess over the bound of the prices (multipliers.go):
//
//	excess = sum of the bodies' excesses + sum over sections so far of price · (room - cells in use)
//
// A state is dropped if its excess is above that of a known assignment, the limit. If more states are left than the
// width, superfluous states are dropped (dominance.go). If there are still too many, the cheapest go on, and the others
// are cut off.
//
// Invariant: take an assignment whose loads fit and whose excess is at most the limit. It passes through a state that
// is kept, or its excess is at least the excess of a state that was cut off. So if nothing was cut off, the walk
// finds the cheapest assignment. Otherwise the least excess of the states that were cut off is a bound.
//
// Before the walk, a pool is struck off a body's list if its excess alone is above the limit. A body with one pool left
// takes its room. With good prices and a good known cost, few bodies have a choice.
//
// Complexity: O(width · pools · (bodies · live bodies + sections)), and a record for each state to read the assignment
// back.
//
// Source: dynamic programming over a path decomposition. Prices as bounds, and pools struck off by them, are Lagrangian
// variable fixing.

// mostRecords is the most records that a walk keeps at a time, apart from the records of one section. The width shrinks
// to keep to it.
const mostRecords = 2_000_000

// walkEffort is how many numbers a walk may copy and compare before it goes on with firstWidth states.
const walkEffort = 500_000_000

// A walk is a state of the search through time.
type walk struct {
	prices  *Prices
	bodies  []Body
	kept    [][]int32 // of each body, the places in its list that are left
	room    [][]int64 // what bodies with one pool left leave
	pools   []int32   // those with a capacity
	lanes   int       // most bodies with a choice that are live at a time
	lane    []int32   // of each body
	owner   []int32   // of each lane, the live body, or -1
	states  []state
	load    []int64 // of each state, by pools
	in      []uint8 // of each state, by lane: the place in the list; free lanes are 0
	records []record
	cut     int64 // least excess that was cut off
	effort  int   // numbers copied and compared so far
	plain   bool  // dominance is off
	table   []int32
	weighed [][]balance // of each section, its inequalities
}

// A balance is an inequality of the bodies in a section of a pool, without the bodies that have one pool left.
type balance struct {
	price   int64
	most    int64
	bodies  []int32
	places  []uint8 // of each body, the place of the pool
	weights []int64
}

type state struct {
	excess int64
	cost   int64 // of the bodies with a choice that have begun
	record int32
	hash   uint64
}

// A record says how a state came from another.
type record struct {
	before int32
	body   int32
	place  uint8
}

// Through returns the cheapest assignment whose loads fit, whose excess is at most limit, and whose pools are allowed.
// It returns nil if it finds none. If allowed is nil, all pools are allowed. The number is a bound: every other such
// assignment has at least this excess. It is math.MaxInt64 if nothing was cut off and no such assignment exists.
func (c *Choices) Through(ctx context.Context, limit int64, allowed func(body, place int32) bool) (Assignment, int64) {
	return c.deepen(ctx, limit, firstWidth, allowed)
}

// through is Through with so many states at most.
func (c *Choices) through(ctx context.Context, limit int64, width int,
	allowed func(body, place int32) bool,
) (Assignment, int64) {
	w := &walk{prices: c.Prices, bodies: c.Bodies[c.Single:], cut: math.MaxInt64, room: make([][]int64, len(c.room))}
	for q := range c.room {
		w.room[q] = slices.Clone(c.room[q])
		if c.room[q] != nil {
			w.pools = append(w.pools, int32(q))
		}
	}
	if !w.strike(limit, allowed) {
		return nil, math.MaxInt64
	}
	least, ok := w.run(ctx, c.Sections, limit, width)
	if !ok {
		return nil, w.cut
	}
	of := make(Assignment, len(w.bodies))
	for k := range of {
		of[k] = w.kept[k][0]
	}
	for r := least.record; r >= 0; r = w.records[r].before {
		of[w.records[r].body] = int32(w.records[r].place)
	}
	if invariants.Enabled {
		c.checkExcess(of, least.excess)
	}
	return of, min(least.excess, w.cut)
}

// strike strikes pools off the bodies' lists. A body with one pool left takes its cells from the room. strike returns
// false if no assignment is left.
func (w *walk) strike(limit int64, allowed func(body, place int32) bool) bool {
	w.kept = make([][]int32, len(w.bodies))
	fits := true
	for k := range w.bodies {
		b := &w.bodies[k]
		for n, excess := range w.prices.Excess[k] {
			if excess <= limit && (allowed == nil || allowed(int32(k), int32(n))) {
				w.kept[k] = append(w.kept[k], int32(n))
			}
		}
		slices.SortStableFunc(w.kept[k],
			func(x, y int32) int { return cmp.Compare(w.prices.Excess[k][x], w.prices.Excess[k][y]) })
		if len(b.Uses) == 0 && len(w.kept[k]) > 0 {
			w.kept[k] = w.kept[k][:1] // it takes no room
		}
		switch len(w.kept[k]) {
		case 0:
			return false
		case 1:
			fits = b.Take(int(w.kept[k][0]), w.room, 1) && fits
		}
	}
	w.weigh()
	return fits
}

// weigh lists the inequalities by sections.
func (w *walk) weigh() {
	for n, x := range w.prices.covers {
		if w.prices.each[n] == 0 {
			continue
		}
		y := balance{price: w.prices.each[n], most: x.most}
		for m, k := range x.bodies {
			place := slices.Index(w.bodies[k].Pools, x.pool)
			switch {
			case x.weights[m] == 0:
			case len(w.kept[k]) > 1:
				y.bodies, y.places, y.weights = append(y.bodies, k), append(y.places, uint8(place)), append(y.weights, x.weights[m])
			case int(w.kept[k][0]) == place:
				y.most -= x.weights[m]
			}
		}
		for len(w.weighed) <= int(x.section) {
			w.weighed = append(w.weighed, nil)
		}
		w.weighed[x.section] = append(w.weighed[x.section], y)
	}
}

// left returns the priced slack of the inequalities of a section in a state.
func (w *walk) left(t, s int) (sum int64) {
	if t >= len(w.weighed) {
		return 0
	}
	live := w.lives(s)
	for n := range w.weighed[t] {
		y := &w.weighed[t][n]
		left := y.most
		for m, k := range y.bodies {
			if live[w.lane[k]] == y.places[m] {
				left -= y.weights[m]
			}
		}
		sum += left * y.price
	}
	return sum
}

// A change is a use of a body that begins or ends.
type change struct {
	body  int32
	use   int32
	first bool // the first use of the body's life; if begins is false, the last
}

// run walks through the sections and returns the cheapest state at the end.
func (w *walk) run(ctx context.Context, slots int, limit int64, width int) (state, bool) {
	begin, end := make([][]change, slots+1), make([][]change, slots+1)
	base := state{record: -1}
	for k := range w.bodies {
		if len(w.kept[k]) == 1 {
			base.excess += w.prices.Excess[k][w.kept[k][0]]
			continue
		}
		uses := w.bodies[k].Uses
		for n, u := range uses {
			begin[u.First] = append(begin[u.First], change{int32(k), int32(n), n == 0})
			end[u.Last] = append(end[u.Last], change{int32(k), int32(n), n == len(uses)-1})
		}
	}
	w.lay(begin, end)
	w.owner = slices.Repeat([]int32{-1}, w.lanes)
	w.states, w.load, w.in = append(w.states, base), make([]int64, len(w.pools)), make([]uint8, w.lanes)
	for t := range slots {
		w.end(end[t])
		for _, x := range begin[t] {
			if x.first {
				w.start(x, t, limit)
				if len(w.states) > 2*width {
					w.thin(t, width)
				}
				if ctx.Err() != nil && len(w.states) > 0 {
					w.narrow(0)
					return state{}, false
				}
			} else {
				w.change(x, 1)
			}
		}
		w.close(t, limit)
		if len(w.states) == 0 {
			return state{}, false
		}
		w.thin(t+1, width)
	}
	return slices.MinFunc(w.states, func(a, b state) int { return cmp.Compare(a.excess, b.excess) }), true
}

// lay gives each body with a choice a lane for its life.
func (w *walk) lay(begin, end [][]change) {
	w.lane = make([]int32, len(w.bodies))
	var free []int32
	for t := range begin {
		for _, x := range end[t] {
			if x.first {
				free = append(free, w.lane[x.body])
			}
		}
		for _, x := range begin[t] {
			switch n := len(free); {
			case !x.first:
			case n > 0:
				w.lane[x.body], free = free[n-1], free[:n-1]
			default:
				w.lane[x.body] = int32(w.lanes)
				w.lanes++
			}
		}
	}
}

func (w *walk) loads(s int) []int64 { return w.load[s*len(w.pools) : (s+1)*len(w.pools)] }
func (w *walk) lives(s int) []uint8 { return w.in[s*w.lanes : (s+1)*w.lanes] }

// move puts state from in the place of state to.
func (w *walk) move(to, from int) {
	if to != from {
		w.states[to] = w.states[from]
		copy(w.loads(to), w.loads(from))
		copy(w.lives(to), w.lives(from))
	}
}

// truncate drops the states from the nth on.
func (w *walk) truncate(n int) {
	w.states, w.load, w.in = w.states[:n], w.load[:n*len(w.pools)], w.in[:n*w.lanes]
}

// change adds a use to the loads of all states, or takes it away.
func (w *walk) change(x change, sign int64) {
	b, lane := &w.bodies[x.body], w.lane[x.body]
	for s := range w.states {
		n := w.lives(s)[lane]
		if at := slices.Index(w.pools, b.Pools[n]); at >= 0 {
			w.loads(s)[at] += sign * b.cells[n][x.use]
		}
	}
}

// mark returns the part of a state's hash that the body in a lane gives.
func mark(lane int32, place uint8) uint64 {
	h := (uint64(lane)<<8 | uint64(place) + 1) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// start makes a state for each pool that has the room for a body that starts.
func (w *walk) start(x change, t int, limit int64) {
	b, lane, places := &w.bodies[x.body], w.lane[x.body], w.kept[x.body]
	w.owner[lane] = x.body
	many := len(w.states)
	w.effort += many * len(places) * (w.lanes + len(w.pools))
	for s := range many {
		before := w.states[s]
		for _, n := range places {
			excess := before.excess + w.prices.Excess[x.body][n]
			at := slices.Index(w.pools, b.Pools[n])
			if excess > limit || at >= 0 && w.loads(s)[at]+b.cells[n][x.use] > w.room[b.Pools[n]][t] {
				continue
			}
			w.records = append(w.records, record{before.record, x.body, uint8(n)})
			w.states = append(w.states, state{
				excess, before.cost + b.Costs[n], int32(len(w.records) - 1), before.hash + mark(lane, uint8(n)),
			})
			w.load = append(w.load, w.loads(s)...)
			w.in = append(w.in, w.lives(s)...)
			to := len(w.states) - 1
			w.lives(to)[lane] = uint8(n)
			if at >= 0 {
				w.loads(to)[at] += b.cells[n][x.use]
			}
		}
	}
	// Drop the states that these come from.
	w.states = slices.Delete(w.states, 0, many)
	w.load = slices.Delete(w.load, 0, many*len(w.pools))
	w.in = slices.Delete(w.in, 0, many*w.lanes)
}

// end takes away uses that end, and unites states that agree after bodies have ended.
func (w *walk) end(changes []change) {
	ended := false
	for _, x := range changes {
		w.change(x, -1)
		if !x.first {
			continue
		}
		ended = true
		lane := w.lane[x.body]
		w.owner[lane] = -1
		for s := range w.states {
			live := w.lives(s)
			w.states[s].hash -= mark(lane, live[lane])
			live[lane] = 0
		}
	}
	if ended {
		w.unite()
	}
}

// unite keeps the cheapest of the states that agree.
func (w *walk) unite() {
	size := 1
	for size < 2*len(w.states) {
		size *= 2
	}
	w.table = append(w.table[:0], make([]int32, size)...)
	left := 0
	for s := range w.states {
		for h := w.states[s].hash; ; h++ {
			at := &w.table[h&uint64(size-1)]
			if *at == 0 {
				w.move(left, s)
				left++
				*at = int32(left)
				break
			}
			if other := int(*at) - 1; w.states[other].hash == w.states[s].hash && slices.Equal(w.lives(other), w.lives(s)) {
				if w.states[s].excess < w.states[other].excess {
					w.states[other] = w.states[s]
				}
				break
			}
		}
	}
	w.truncate(left)
}

// close checks the room in a section, and adds what its empty cells cost.
func (w *walk) close(t int, limit int64) {
	left := 0
	if t < len(w.weighed) {
		for n := range w.weighed[t] {
			w.effort += len(w.states) * len(w.weighed[t][n].bodies)
		}
	}
	for s := range w.states {
		fits := true
		for k, load := range w.loads(s) {
			free := w.room[w.pools[k]][t] - load
			fits = fits && free >= 0
			w.states[s].excess += w.prices.of[w.pools[k]][t] * free
		}
		if fits {
			w.states[s].excess += w.left(t, s)
		}
		if fits && w.states[s].excess <= limit {
			w.move(left, s)
			left++
		}
	}
	w.truncate(left)
}

// thin keeps at most width states from section t on. It drops superfluous states first, then cuts off the dearest.
func (w *walk) thin(t, width int) {
	if w.effort > walkEffort {
		width = min(width, firstWidth)
	}
	if len(w.states) > width {
		w.dominate(t)
	}
	if len(w.states) > width {
		w.narrow(width)
	}
	if len(w.records) > mostRecords {
		w.forget()
	}
}

// forget drops the records that no state comes from. If there are still too many, it cuts off half of the states.
func (w *walk) forget() {
	moved := make([]int32, len(w.records))
	for _, s := range w.states {
		for r := s.record; r >= 0 && moved[r] == 0; r = w.records[r].before {
			moved[r] = 1
		}
	}
	left := int32(0)
	for r := range w.records {
		if moved[r] == 0 {
			continue
		}
		x := w.records[r]
		if x.before >= 0 {
			x.before = moved[x.before]
		}
		w.records[left], moved[r] = x, left
		left++
	}
	w.records = w.records[:left]
	for s := range w.states {
		if r := w.states[s].record; r >= 0 {
			w.states[s].record = moved[r]
		}
	}
	if len(w.records) > mostRecords/2 && len(w.states) > 1 {
		w.narrow(len(w.states) / 2)
	}
}

// narrow keeps the cheapest states, and notes the least excess of the others.
func (w *walk) narrow(width int) {
	order := make([]int32, len(w.states))
	for s := range order {
		order[s] = int32(s)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w.states[a].excess, w.states[b].excess), cmp.Compare(a, b))
	})
	w.cut = min(w.cut, w.states[order[width]].excess)
	order = order[:width]
	slices.Sort(order)
	for to, s := range order {
		w.move(to, int(s))
	}
	w.truncate(width)
}

package oracle

import (
	"math"

	"github.com/stowage-go/stowage/model"
)

// Idea: a second oracle, for sizes of any scale. Two buffers that meet at some time forbid some distances between their
// offsets: open intervals. Every plan lies on one side of each interval. The search starts with every buffer at its
// least offset. It takes an interval that the offsets violate and tries both sides of it: "at most its lower end", "at
// least its upper end". Each side is a lower bound of one offset by another. Offsets rise, each rounded up to its
// alignment, until no bound asks for more. If no interval is violated, the offsets are the lowest plan of the branch.
//
// It judges the search of exact/clauses and the engine of pairwise, so it shares nothing with timeline, bound or a
// planner. A mistake in a shared list of intervals, or in a shared propagation, would be made by planner and judge,
// and no test would see it. It also has its own proof of when offsets rise for ever. It shares only the walk over the
// times at which a pair changes with the grid (grid.go). Three parts make it fast, because tests ask it millions of
// times: the floor, equal buffers in one order, and the interval whose cheaper side costs most.
//
// Invariant: at holds the least offsets under the arcs chosen so far. A path chooses at most once from an interval.
//
// A system without a solution raises its offsets for ever. A rise in pass k has a chain of k reasons or more. If all
// arcs of a cycle are positive, an offset would have to be above itself, so more passes than buffers are proof. A cycle
// with other arcs is a monotone map that commutes with shifts by L, the least common multiple of the alignments. Once
// it has risen by L it has no fixed point, and each round rises by their common divisor or more.
//
// Complexity: exponential in the pairs. Up to 7 buffers take microseconds, whatever the sizes. The
// grid is better if there are many buffers with small sizes.
//
// Trials: docs/lab/tests.md (a floor that rounds sizes up saves no time).

// An Orders is the oracle with its memory, for one goroutine at a time. The zero value is ready.
type Orders struct {
	size, align []int64
	fixed       []bool
	at          []int64 // offsets
	saved       []int64 // offsets of the branches above, n each
	bans        []ban
	arcs        []order
	limit       int   // passes after which a system with other than positive arcs has no solution
	best        int64 // plans must be lower
	floor       int64 // no plan is lower
	plan        []int64
	times       []int64
}

// A ban forbids that j's offset less i's is between above and below, both exclusive.
type ban struct {
	i, j         int
	above, below int64
}

// An order says that to's offset is at least from's + by.
type order struct {
	from, to int
	by       int64
}

// Lowest returns the lowest height of any plan of p, and such a plan. ok is false if there is none at any height,
// because fixed offsets collide. The capacity of p does not count. It is MinHeight for sizes of any scale and up to
// about nine buffers.
func Lowest(p *model.Problem) (height int64, offsets []int64, ok bool) {
	return new(Orders).Lowest(p)
}

// Lowest is the function of that name; the offsets are valid until the next call.
func (o *Orders) Lowest(p *model.Problem) (height int64, offsets []int64, ok bool) {
	n := len(p.Buffers)
	if n == 0 {
		return 0, nil, true
	}
	o.load(p)
	reach := o.best
	o.plan = append(o.plan[:0], o.at...)
	o.search(false)
	if o.best == reach {
		return 0, nil, false
	}
	return o.best, o.plan, true
}

// load fills in what the search needs.
func (o *Orders) load(p *model.Problem) {
	o.size, o.align, o.fixed, o.at = o.size[:0], o.align[:0], o.fixed[:0], o.at[:0]
	o.bans, o.arcs, o.saved = o.bans[:0], o.arcs[:0], o.saved[:0]
	var sum, top int64
	common, least := int64(0), int64(1)
	o.floor = 0
	for i := range p.Buffers {
		b := &p.Buffers[i]
		a := b.Align()
		o.size, o.align, o.fixed, o.at = append(o.size, b.Size), append(o.align, a), append(o.fixed, b.Fixed != nil),
			append(o.at, 0)
		end := b.Size
		if b.Fixed != nil {
			o.at[i] = *b.Fixed
			end += *b.Fixed
			top = max(top, end)
		}
		sum += b.Size + a - 1
		o.floor = max(o.floor, end)
		common = divisor(common, a)
		if least < 1<<30 {
			least = min(1<<30, least/divisor(least, a)*min(a, 1<<30))
		}
	}
	// Above all fixed buffers there is room to stack the others.
	o.best = top + sum + 1
	o.limit = len(p.Buffers) * int(least/min(common, least)+2)
	for i := range p.Buffers {
		o.times = appendChanges(o.times[:0], &p.Buffers[i])
		for _, time := range o.times {
			o.floor = max(o.floor, loadAt(p, time))
		}
	}
	for i := range p.Buffers {
		for j := range i {
			first := len(o.bans)
			o.ban(j, i, &p.Buffers[j], &p.Buffers[i])
			// Two equal buffers are interchangeable: the first is the lower one.
			if len(o.bans) == first+1 && o.bans[first].above < 0 && alike(&p.Buffers[i], &p.Buffers[j]) {
				o.arcs = append(o.arcs, order{j, i, o.bans[first].below})
			}
		}
	}
}

// loadAt returns the bytes in use at a time.
func loadAt(p *model.Problem, time int64) (load int64) {
	for i := range p.Buffers {
		from, to := Used(&p.Buffers[i], time)
		load += to - from
	}
	return load
}

// alike reports whether two buffers that may be anywhere differ in name alone.
func alike(x, y *model.Buffer) bool {
	if x.Lower != y.Lower || x.Upper != y.Upper || x.Size != y.Size || x.Align() != y.Align() || x.Fixed != nil ||
		y.Fixed != nil || len(x.Gaps) != len(y.Gaps) {
		return false
	}
	for k, g := range x.Gaps {
		h := y.Gaps[k]
		if g.Lower != h.Lower || g.Upper != h.Upper || (g.Window == nil) != (h.Window == nil) || g.Window != nil &&
			*g.Window != *h.Window {
			return false
		}
	}
	return true
}

// ban adds what a pair forbids, each stretch of distances once.
func (o *Orders) ban(i, j int, x, y *model.Buffer) {
	if x.Upper <= y.Lower || y.Upper <= x.Lower {
		return
	}
	first := len(o.bans)
	o.times = appendChanges(appendChanges(o.times[:0], x), y)
	for _, time := range o.times {
		a, b := Used(x, time)
		c, d := Used(y, time)
		if a == b || c == d {
			continue
		}
		// They meet where a < d+distance and c+distance < b.
		next := ban{i, j, a - d, b - c}
		// Join it with those that leave no distance between.
		for k := first; k < len(o.bans); {
			if other := o.bans[k]; next.above < other.below && other.above < next.below {
				next.above, next.below = min(next.above, other.above), max(next.below, other.below)
				o.bans[k] = o.bans[len(o.bans)-1]
				o.bans = o.bans[:len(o.bans)-1]
				k = first
				continue
			}
			k++
		}
		o.bans = append(o.bans, next)
	}
}

// appendChanges appends the times from which b uses other bytes than before.
func appendChanges(times []int64, b *model.Buffer) []int64 {
	times = append(times, b.Lower, b.Upper)
	for k := range b.Gaps {
		times = append(times, b.Gaps[k].Lower, b.Gaps[k].Upper)
	}
	return times
}

// search looks for plans lower than best under the arcs. mixed says that not all of them are positive.
func (o *Orders) search(mixed bool) {
	if !o.raise(mixed) {
		return
	}
	// Take the violated interval whose cheaper side costs most.
	chosen, up, cost := -1, false, int64(-1)
	for k := range o.bans {
		b := &o.bans[k]
		d := o.at[b.j] - o.at[b.i]
		if d <= b.above || d >= b.below {
			continue
		}
		raiseI, raiseJ := o.cost(b.i, d-b.above), o.cost(b.j, b.below-d)
		if least := min(raiseI, raiseJ); least > cost {
			chosen, up, cost = k, raiseJ <= raiseI, least
		}
	}
	if chosen < 0 {
		o.best = 0
		for i, at := range o.at {
			o.best = max(o.best, at+o.size[i])
		}
		o.plan = append(o.plan[:0], o.at...)
		return
	}
	if cost == math.MaxInt64 {
		return
	}
	b := o.bans[chosen]
	mark, n := len(o.saved), len(o.at)
	o.saved = append(o.saved, o.at...)
	for range 2 {
		a := order{b.j, b.i, -b.above}
		if up {
			a = order{b.i, b.j, b.below}
		}
		o.arcs = append(o.arcs, a)
		o.search(mixed || a.by <= 0)
		o.arcs = o.arcs[:len(o.arcs)-1]
		copy(o.at, o.saved[mark:mark+n])
		if o.best <= o.floor {
			break
		}
		up = !up
	}
	o.saved = o.saved[:mark]
}

// cost is the height of buffer i after a rise, the largest int64 if it cannot rise that far.
func (o *Orders) cost(i int, rise int64) int64 {
	if end := o.at[i] + rise + o.size[i]; !o.fixed[i] && end < o.best {
		return end
	}
	return math.MaxInt64
}

// raise raises the offsets as the arcs ask and reports whether all stay below best.
func (o *Orders) raise(mixed bool) bool {
	limit := len(o.at)
	if mixed {
		limit = o.limit
	}
	for i, at := range o.at {
		if at+o.size[i] >= o.best {
			return false
		}
	}
	for pass := 0; ; pass++ {
		rose := false
		for _, a := range o.arcs {
			v := o.at[a.from] + a.by
			if v <= o.at[a.to] {
				continue
			}
			if r := v % o.align[a.to]; r != 0 {
				v += o.align[a.to] - r
			}
			if o.fixed[a.to] || v+o.size[a.to] >= o.best {
				return false
			}
			o.at[a.to] = v
			rose = true
		}
		if !rose {
			return true
		}
		if pass > limit {
			return false
		}
	}
}

// divisor returns the greatest common divisor; that of 0 and x is x.
func divisor(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

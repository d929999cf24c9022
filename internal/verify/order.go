package verify

import (
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: an order of buffers is right for any sizes if, of each two buffers that are live together in one pool, one lies
// above the other, by way of others or not. All that is live at one moment is then a stack. So it is enough that of
// each two buffers that are next to each other in the stack at some moment, the upper one is above the lower one. A
// sweep over time keeps the stack, sorted by any sequence in which each buffer comes after those below it.
//
// Invariant: between events, neighbours in the stack have been found comparable.
//
// Complexity: O(n log n) and the length of the stack for each event. Most neighbours are pairs of the order itself; for
// the others, the buffers between them in the sequence are searched.

// An ordering is a check of an order.
type ordering struct {
	checker
	p     *model.Problem
	below [][]int32
	pools []int32 // nil for one pool
	rank  []int32 // the place of each buffer in the sequence
	seen  []int32 // by buffer: the search that came by last
	run   int32
}

// CheckFamily checks an order of the buffers of a complete family, by itself, and what a plan claims of it: the offsets
// at the largest sizes, which may be nil, and the heights and loads of points. pools has the pool of each buffer; nil
// for one pool. It computes all of these by itself.
func CheckFamily(f *model.Family, below [][]int32, plan *model.Plan, points []model.Point) *model.Report {
	o := ordering{p: f.Problem, below: below, pools: plan.Pools}
	if !o.sequence() {
		return o.report()
	}
	o.comparable()
	offsets := o.at(f.SizesAt(-1))
	for i, at := range plan.Offsets {
		if at != offsets[i] {
			o.add(model.RuleOrder, i, -1, fmt.Sprintf("buffer %s: its offset is %d at the largest sizes, but the order gives %d",
				o.p.Buffers[i].ID, at, offsets[i]))
		}
	}
	o.fixed(offsets, "the largest sizes")
	o.height = o.heightOf(offsets, f.SizesAt(-1))
	for _, x := range points {
		sizes := f.SizesAt(x.Point)
		if h := o.heightOf(o.at(sizes), sizes); h != x.Height {
			o.add(model.RuleHeight, -1, -1, fmt.Sprintf("scenario %s: the height claimed is %d, but the order gives %d", x.Name,
				x.Height, h))
		}
		if load := o.load(sizes); load != x.Load {
			o.add(model.RuleLoad, -1, -1, fmt.Sprintf("scenario %s: the load claimed is %d, but it is %d", x.Name, x.Load, load))
		}
	}
	return o.report()
}

// CheckSwitched checks several orders of a family with one pool, each by itself, and the heights that they have at
// points. No height may be above the arena.
func CheckSwitched(f *model.Family, s *model.Switched, points []model.Point, arena int64) *model.Report {
	all := ordering{p: f.Problem}
	bad := func(format string, args ...any) *model.Report {
		all.add(model.RuleOrder, -1, -1, fmt.Sprintf(format, args...))
		return all.report()
	}
	lowest, count := int64(0), max(1, len(f.Symbols))
	if s.Symbol < 0 || s.Symbol >= count || len(s.Orders) == 0 || len(s.Orders) != len(s.From) || len(s.Heights) != len(points) {
		return bad("there are %d orders, %d values to switch at, and %d heights for %d points", len(s.Orders), len(s.From), len(s.Heights),
			len(points))
	}
	if len(f.Symbols) > 0 {
		lowest = f.Symbols[s.Symbol].Low
	}
	if s.From[0] != lowest || !slices.IsSorted(s.From) {
		return bad("the orders hold from %v, but the lowest value is %d, and values ascend", s.From, lowest)
	}
	for k, order := range s.Orders {
		o := ordering{p: f.Problem, below: order.Below()}
		if !o.sequence() {
			return o.report()
		}
		o.comparable()
		for i, x := range points {
			if s.At(f.ValueAt(s.Symbol, x.Point)) != k {
				continue
			}
			offsets, sizes := o.at(f.SizesAt(x.Point)), f.SizesAt(x.Point)
			o.fixed(offsets, "scenario "+x.Name)
			h := o.heightOf(offsets, sizes)
			if h != s.Heights[i] {
				o.add(model.RuleHeight, -1, -1, fmt.Sprintf("scenario %s: the height claimed of order %d is %d, but it gives %d", x.Name,
					k+1, s.Heights[i], h))
			}
			if h > arena {
				o.add(model.RuleHeight, -1, -1, fmt.Sprintf("scenario %s: order %d gives a height of %d, above the arena of %d", x.Name,
					k+1, h, arena))
			}
		}
		if all.checker = o.checker; all.total > 0 {
			break
		}
	}
	return all.report()
}

// fixed checks the offsets of fixed buffers.
func (o *ordering) fixed(offsets []int64, where string) {
	for i := range o.p.Buffers {
		if x := o.p.Buffers[i].Fixed; x != nil && *x != offsets[i] {
			o.add(model.RuleFixed, i, -1, fmt.Sprintf("buffer %s: its offset is fixed at %d, but at %s the order gives %d",
				o.p.Buffers[i].ID, *x, where, offsets[i]))
		}
	}
}

// sequence ranks the buffers so that each comes after those below it; false if there is none.
func (o *ordering) sequence() bool {
	n := len(o.p.Buffers)
	if len(o.below) != n {
		o.add(model.RuleCount, -1, -1, fmt.Sprintf("the order has %d buffers, but the problem has %d", len(o.below), n))
		return false
	}
	o.rank, o.seen = make([]int32, n), make([]int32, n)
	// A walk down from each buffer: the lowest get their rank first.
	const entered = -1
	next := int32(1)
	type visit struct{ buffer, at int32 }
	var path []visit
	for i := range int32(n) {
		if o.rank[i] != 0 {
			continue
		}
		path = append(path[:0], visit{i, 0})
		o.rank[i] = entered
		for len(path) > 0 {
			top := &path[len(path)-1]
			if int(top.at) == len(o.below[top.buffer]) {
				o.rank[top.buffer] = next
				next++
				path = path[:len(path)-1]
				continue
			}
			j := o.below[top.buffer][top.at]
			top.at++
			switch o.rank[j] {
			case entered:
				o.add(model.RuleOrder, int(j), -1, fmt.Sprintf("buffer %s lies above itself, by way of others", o.p.Buffers[j].ID))
				return false
			case 0:
				o.rank[j] = entered
				path = append(path, visit{j, 0})
			}
		}
	}
	return true
}

func (o *ordering) pool(i int32) int32 {
	if o.pools == nil {
		return 0
	}
	return o.pools[i]
}

// comparable sweeps over time.
func (o *ordering) comparable() {
	type event struct {
		time   int64
		buffer int32
		begins bool
	}
	var events []event
	for i := range o.p.Buffers {
		for x := range o.p.Buffers[i].Pieces {
			events = append(events, event{x.Lower, int32(i), true}, event{x.Upper, int32(i), false})
		}
	}
	stacks := make(map[int32][]int32) // by pool: the buffers that are live, by rank
	for _, k := range sorting.Order(len(events), func(a, b int32) bool {
		x, y := events[a], events[b]
		return x.time < y.time || x.time == y.time && !x.begins && y.begins
	}) {
		e := events[k]
		stack := stacks[o.pool(e.buffer)]
		at, _ := slices.BinarySearchFunc(stack, o.rank[e.buffer], func(i, rank int32) int { return int(o.rank[i] - rank) })
		if e.begins {
			stack = slices.Insert(stack, at, e.buffer)
			if at > 0 {
				o.neighbours(stack[at-1], stack[at])
			}
			at++
		} else {
			stack = slices.Delete(stack, at, at+1)
		}
		if at > 0 && at < len(stack) {
			o.neighbours(stack[at-1], stack[at])
		}
		stacks[o.pool(e.buffer)] = stack
	}
}

// neighbours checks that the upper one of two buffers, which meet, lies above the lower one.
func (o *ordering) neighbours(lower, upper int32) {
	o.run++
	todo := []int32{upper}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range o.below[i] {
			if j == lower {
				return
			}
			if o.rank[j] > o.rank[lower] && o.seen[j] != o.run {
				o.seen[j] = o.run
				todo = append(todo, j)
			}
		}
	}
	a, b := min(lower, upper), max(lower, upper)
	o.add(model.RuleOrder, int(a), int(b), fmt.Sprintf("buffers %s and %s are live together, but the order puts neither above "+
		"the other", o.p.Buffers[a].ID, o.p.Buffers[b].ID))
}

// at returns the offsets that the order gives at sizes.
func (o *ordering) at(sizes []int64) []int64 {
	offsets := make([]int64, len(sizes))
	sequence := make([]int32, len(sizes))
	for i, rank := range o.rank {
		sequence[rank-1] = int32(i)
	}
	for _, i := range sequence {
		b, at := &o.p.Buffers[i], int64(0)
		for _, j := range o.below[i] {
			at = max(at, offsets[j]+sizes[j])
		}
		a := b.Align()
		if r := o.p.Rules; r != nil && len(r.Pools) > 0 {
			for pool := max(1, r.Pools[o.pool(i)].Alignment); a%pool != 0; {
				a += b.Align()
			}
		}
		if at = (at + a - 1) / a * a; b.Fixed != nil {
			at = max(at, *b.Fixed)
		}
		offsets[i] = at
	}
	return offsets
}

// heightOf returns the height of offsets, added up over pools.
func (o *ordering) heightOf(offsets, sizes []int64) (sum int64) {
	tops := map[int32]int64{}
	for i := range offsets {
		pool := o.pool(int32(i))
		tops[pool] = max(tops[pool], offsets[i]+sizes[i])
	}
	for _, top := range tops {
		sum += top
	}
	return sum
}

// load returns the most bytes that are live at once, added up over pools.
func (o *ordering) load(sizes []int64) (sum int64) {
	type change struct {
		time, by int64
		pool     int32
	}
	var all []change
	for i := range o.p.Buffers {
		for x := range o.p.Buffers[i].Pieces {
			pool := o.pool(int32(i))
			all = append(all, change{x.Lower, sizes[i], pool}, change{x.Upper, -sizes[i], pool})
		}
	}
	now, most := map[int32]int64{}, map[int32]int64{}
	for _, k := range sorting.Order(len(all), func(a, b int32) bool {
		return all[a].time < all[b].time || all[a].time == all[b].time && all[a].by < all[b].by
	}) {
		c := all[k]
		now[c.pool] += c.by
		most[c.pool] = max(most[c.pool], now[c.pool])
	}
	for _, x := range most {
		sum += x
	}
	return sum
}

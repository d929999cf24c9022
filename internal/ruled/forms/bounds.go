package forms

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: buffers that are in use in one section of time share no byte, so
//
//	load of a section = bytes of the buffers of no list + of the chosen forms + of each other list's least form there
//
// is at most the capacity, and at most the height. With several pools this holds for the sum of all, and for each pool with
// the buffers that may be in no other one.
//
// Invariant: only buffers that conflict whenever they meet have bytes here: those with ties, permissions, distances or
// evictions have none, and with clocks or a period none has.
//
// Complexity: O(buffers · sections) for a branch.

// bounds are the loads and prices of a problem with alternatives.
type bounds struct {
	p         *model.Problem
	pools     []model.Pool
	lists     [][]int32 // of forms; those that weigh most come first
	common    []int     // the buffers of no list
	sections  int
	use       [][]use   // of each buffer, the sections in which it has bytes
	only      []int     // of each buffer, the only pool in which it may be; -1 for several
	room      []int64   // of each pool, its bytes that are not reserved; MaxInt64 if it has no capacity
	areas     [][]int64 // of each form, its bytes over time
	least     [][][]use // of each list and pool, and for all pools, the least bytes that one of its forms has there
	objective []goal
	height    int64 // no plan has a lower one

	prices
}

// use is how many bytes a buffer has in a section.
type use struct {
	section int
	bytes   int64
}

// goal is a measure, and the pool that it names or -1.
type goal struct {
	kind string
	pool int
}

// newBounds prepares the bounds of a valid problem.
func newBounds(p *model.Problem) *bounds {
	b := &bounds{p: p, pools: p.AllPools()}
	lacks := p.MayLack()
	for i := range p.Buffers {
		if !lacks[i] {
			b.common = append(b.common, i)
		}
	}
	for _, m := range p.Objective() {
		kind, id, one := strings.Cut(string(m), ":")
		b.objective = append(b.objective,
			goal{kind, slices.IndexFunc(b.pools, func(q model.Pool) bool { return one && q.ID == id })})
	}
	b.room = make([]int64, len(b.pools))
	for q := range b.pools {
		b.room[q] = roomOf(&b.pools[q])
	}
	b.uses()
	area := func(i int32) (sum int64) {
		for _, u := range b.use[i] {
			sum += u.bytes
		}
		return sum
	}
	spread := func(list []int32) int64 {
		low, high := int64(math.MaxInt64), int64(0)
		for _, i := range list {
			low, high = min(low, area(i)), max(high, area(i))
		}
		return low - high
	}
	b.lists = slices.Clone(p.Rules.Alternatives)
	slices.SortStableFunc(b.lists, func(x, y []int32) int { return cmp.Compare(spread(x), spread(y)) })
	for _, list := range b.lists {
		var areas []int64
		for _, i := range list {
			areas = append(areas, area(i))
		}
		b.areas, b.least = append(b.areas, areas), append(b.least, b.leastOf(list))
	}
	b.price(b)
	return b
}

// roomOf returns how many bytes of a pool are not reserved.
func roomOf(q *model.Pool) int64 {
	if q.Capacity == 0 {
		return math.MaxInt64
	}
	ranges := slices.Clone(q.Reserved)
	slices.SortFunc(ranges, func(x, y model.Range) int { return cmp.Compare(x.Lower, y.Lower) })
	room, at := q.Capacity, int64(0)
	for _, r := range ranges {
		if lower := max(at, r.Lower); lower < r.Upper {
			room, at = room-(r.Upper-lower), r.Upper
		}
	}
	return room
}

// uses finds the sections, and the bytes of each buffer in them.
func (b *bounds) uses() {
	p, r := b.p, b.p.Rules
	b.use, b.only = make([][]use, len(p.Buffers)), make([]int, len(p.Buffers))
	shares := make([]bool, len(p.Buffers))
	for _, t := range r.Together {
		for _, i := range t.Buffers {
			shares[i] = true
		}
	}
	for _, x := range r.MayOverlap {
		shares[x[0]], shares[x[1]] = true, true
	}
	for _, x := range r.Distances {
		shares[x.Buffers[0]], shares[x.Buffers[1]] = true, true
	}
	var times []int64
	for i := range p.Buffers {
		x := &p.Buffers[i]
		b.only[i] = -1
		for q := range b.pools {
			if x.MayUse(int32(q)) {
				if b.only[i] >= 0 {
					b.only[i] = -1
					break
				}
				b.only[i] = q
			}
		}
		shares[i] = shares[i] || r.Threads > 0 || r.Period > 0 || x.MayLeave()
		if !shares[i] {
			for y := range x.Pieces {
				times = append(times, y.Lower, y.Upper)
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	b.sections = len(times)
	for i := range p.Buffers {
		if shares[i] {
			continue
		}
		for y := range p.Buffers[i].Pieces {
			from, _ := slices.BinarySearch(times, y.Lower)
			for s := from; times[s] < y.Upper; s++ {
				b.use[i] = append(b.use[i], use{s, y.To - y.From})
			}
		}
	}
}

// leastOf returns the least bytes that a form of a list has in each section: of each pool, those of forms that are all in it
// alone, and at the end of all pools together.
func (b *bounds) leastOf(list []int32) (least [][]use) {
	for q := range len(b.pools) + 1 {
		if q < len(b.pools) && slices.ContainsFunc(list, func(i int32) bool { return b.only[i] != q }) {
			least = append(least, nil)
			continue
		}
		sum, times := make([]int64, b.sections), make([]int, b.sections)
		for _, i := range list {
			for _, u := range b.use[i] {
				if times[u.section]++; sum[u.section] == 0 || u.bytes < sum[u.section] {
					sum[u.section] = u.bytes
				}
			}
		}
		var all []use
		for s := range sum {
			if times[s] >= len(list) {
				all = append(all, use{s, sum[s]})
			}
		}
		least = append(least, all)
	}
	return least
}

// bound sets the bounds of a branch. It returns false if the branch has no plan.
func (b *bounds) bound(x *branch) bool {
	k := len(b.pools)
	load, most := make([]int64, b.sections), make([]int64, k+1)
	for q := range k + 1 {
		clear(load)
		add := func(i int) {
			if q == k || b.only[i] == q {
				for _, u := range b.use[i] {
					load[u.section] += u.bytes
				}
			}
		}
		for _, i := range b.common {
			add(i)
		}
		for n := range b.lists {
			if n < len(x.forms) {
				add(int(b.lists[n][x.forms[n]]))
				continue
			}
			for _, u := range b.least[n][q] {
				load[u.section] += u.bytes
			}
		}
		for _, sum := range load {
			most[q] = max(most[q], sum)
		}
	}
	rooms, sum, highest := int64(0), int64(0), int64(0)
	for q := range k {
		if most[q] > b.room[q] {
			return false
		}
		sum, highest = sum+most[q], max(highest, most[q])
		if rooms += b.room[q]; rooms < 0 || b.room[q] == math.MaxInt64 {
			rooms = math.MaxInt64
			continue
		}
	}
	if !slices.Contains(b.room, math.MaxInt64) && most[k] > rooms {
		return false
	}
	sum = max(sum, most[k])
	highest = max(highest, (most[k]+int64(k)-1)/int64(k))
	if len(x.forms) == 0 {
		b.height = sum
	}
	x.least = make([]int64, 0, len(b.objective))
	for _, g := range b.objective {
		v := int64(0)
		switch g.kind {
		case "height", "peak":
			if v = sum; g.pool >= 0 {
				v = most[g.pool]
			}
		case "max_height", "max_peak":
			v = highest
		case "cost":
			v = b.cost(x.forms)
		}
		x.least = append(x.least, v)
	}
	return true
}

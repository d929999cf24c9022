package heights

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: a body is in one pool, whole. So the bodies of a section must be divided among their pools like jobs among
// machines, and a height that no division keeps is too low. The search takes the largest body first and tries each of
// its pools that has room. If there is a division, all other bodies are placed one by one. The section in which a room
// is then exceeded most joins the first, and the bodies of both are divided, until no room is exceeded.
//
// A branch ends if what is left of a section needs more than the rooms that are as large as the smallest body left
// there. Pools that are alike and as full are tried once. Of two bodies that are alike the second goes to no pool
// before the first's.
//
// Invariant: a height is refuted only if all divisions were tried, so the bound holds for all plans. Reserved bytes
// take room, and whatever the rules say of places counts for nothing.
//
// Complexity: at most divideNodes bodies placed for each question, and divideEffort in all.
//
// Source: bin packing by branch and bound with wasted space (Martello and Toth, 1990).

const (
	divideNodes    = 50_000
	divideEffort   = 1_000_000 // bodies placed
	divideTogether = 12        // sections
)

// A division is the state of the search.
type division struct {
	*Field
	together int // sections at most
	sections []int32
	items    []item
	alike    []int32   // of each pool, the first that is like it in these sections
	room     [][]int64 // of each pool in each of these sections, what is left
	whole    []int64   // of each pool, the bytes that it has below the height
	left     [][]int64 // of each item and section, the bytes of this and all later items
	smallest [][]int64 // of each item and section, the smallest of these
	in       []int32   // the pool of each item
	all      []int32   // the pool of each body, by exceeded
	nodes    int64     // of this question
	most     int64     // that are left
}

// An item is a body, with its bytes in each of the sections.
type item struct {
	body  int32
	bytes []int64
	first int  // the first section in which it has bytes
	twin  bool // it is like the item before
}

// divide raises a bound of the highest pool. The result is at most value, which some choice has as its greatest load.
// It also returns the pools of the buffers by the lowest choice below value that it meets, or nil.
func (f *Field) divide(ctx context.Context, low, value int64) (bound int64, of []int32) {
	x := &division{Field: f, most: divideEffort}
	sections := f.fullest()
	for _, together := range [...]int{1, divideTogether} {
		x.together = together
		for _, t := range sections {
			for step := int64(1); low < value && ctx.Err() == nil; {
				height := min(low+step-1, value-1)
				refuted, divided := x.refute(t, height)
				switch {
				case refuted:
					low = height + 1
					step *= 2
					continue
				case divided:
					value, of, step = height, f.each(x.all), 1
					continue
				case step > 1:
					step = 1
					continue
				}
				break
			}
		}
	}
	return low, of
}

// fullest returns the sections whose bodies are not all in the one before or after, the one with most bytes first.
func (f *Field) fullest() (all []int32) {
	load, begins, ends := make([]int64, f.sections), make([]bool, f.sections), make([]bool, f.sections)
	for k := range f.bodies {
		for _, u := range f.bodies[k].uses {
			begins[u.First], ends[u.Last-1] = true, true
			for t := u.First; t < u.Last; t++ {
				load[t] += u.To - u.From
			}
		}
	}
	for t := range f.sections {
		if begins[t] && ends[t] {
			all = append(all, int32(t))
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(load[b], load[a]) })
	return all
}

// refute reports whether no plan keeps all pools within a height, by the bodies of a section and of those that join, or
// whether the loads of the choice in all keep it.
func (x *division) refute(section int32, height int64) (refuted, divided bool) {
	x.sections = append(x.sections[:0], section)
	for x.most > 0 {
		x.prepare(height)
		x.nodes = 0
		found := x.place(0)
		x.most -= x.nodes
		if !found {
			return x.nodes <= divideNodes, false
		}
		next := x.exceeded()
		if next < 0 || len(x.sections) == x.together {
			return false, next < 0
		}
		x.sections = append(x.sections, next)
	}
	return false, false
}

// prepare lists the items of the sections.
func (x *division) prepare(height int64) {
	x.items = x.items[:0]
	for k := range x.bodies {
		it := item{body: int32(k), bytes: make([]int64, len(x.sections)), first: -1}
		for _, u := range x.bodies[k].uses {
			for s, t := range x.sections {
				if u.First <= t && t < u.Last {
					it.bytes[s] += u.To - u.From
				}
			}
		}
		if it.first = slices.IndexFunc(it.bytes, func(n int64) bool { return n > 0 }); it.first >= 0 {
			x.items = append(x.items, it)
		}
	}
	pools := func(it *item) []int32 { return x.bodies[it.body].pools }
	slices.SortStableFunc(x.items, func(a, b item) int {
		return cmp.Or(cmp.Compare(min(2, len(pools(&a))), min(2, len(pools(&b)))), cmp.Compare(a.first, b.first),
			cmp.Compare(b.bytes[b.first], a.bytes[a.first]), slices.Compare(b.bytes, a.bytes),
			slices.Compare(pools(&a), pools(&b)))
	})
	n := len(x.items)
	x.in, x.left, x.smallest = make([]int32, n), make([][]int64, n+1), make([][]int64, n+1)
	x.left[n], x.smallest[n] = make([]int64, len(x.sections)), make([]int64, len(x.sections))
	unit := make([]int64, len(x.sections)) // what all bytes are multiples of
	for k := n - 1; k >= 0; k-- {
		it := &x.items[k]
		x.left[k], x.smallest[k] = slices.Clone(x.left[k+1]), slices.Clone(x.smallest[k+1])
		for s, bytes := range it.bytes {
			if bytes > 0 {
				x.left[k][s] += bytes
				unit[s] = bound.GCD(unit[s], bytes)
				if x.smallest[k][s] == 0 || bytes < x.smallest[k][s] {
					x.smallest[k][s] = bytes
				}
			}
		}
		it.twin = k > 0 && slices.Equal(it.bytes, x.items[k-1].bytes) && slices.Equal(pools(it), pools(&x.items[k-1]))
	}
	x.room, x.alike, x.whole = x.room[:0], x.alike[:0], x.whole[:0]
	for q := range x.pools {
		room := height
		if c := x.pools[q].Capacity; c > 0 {
			room = min(room, c)
		}
		top := room
		for _, r := range x.pools[q].Reserved {
			room -= max(0, min(r.Upper, top)-r.Lower)
		}
		x.whole = append(x.whole, max(0, room))
		of := slices.Repeat([]int64{max(0, room)}, len(x.sections))
		for s := range of {
			if unit[s] > 0 {
				of[s] -= of[s] % unit[s]
			}
		}
		first := int32(q)
		for p := range x.room {
			if slices.Equal(x.room[p], of) && !slices.ContainsFunc(x.items, func(it item) bool {
				return slices.Contains(pools(&it), int32(p)) != slices.Contains(pools(&it), int32(q))
			}) {
				first = x.alike[p]
				break
			}
		}
		x.room, x.alike = append(x.room, of), append(x.alike, first)
	}
}

// place places all items from the kth on. It returns false if they have no place, or after divideNodes.
func (x *division) place(k int) bool {
	if k == len(x.items) {
		return true
	}
	if x.nodes++; x.nodes > divideNodes || !x.enough(k) {
		return false
	}
	it := &x.items[k]
	for _, q := range x.bodies[it.body].pools {
		if it.twin && q < x.in[k-1] || !fits(x.room[q], it.bytes) || x.tried(q) {
			continue
		}
		for s, bytes := range it.bytes {
			x.room[q][s] -= bytes
		}
		x.in[k] = q
		found := x.place(k + 1)
		for s, bytes := range it.bytes {
			x.room[q][s] += bytes
		}
		if found {
			return true
		}
	}
	return false
}

// fits reports whether there is room in each section.
func fits(room, bytes []int64) bool {
	for s := range bytes {
		if room[s] < bytes[s] {
			return false
		}
	}
	return true
}

// tried reports whether a pool before q is like it and as full.
func (x *division) tried(q int32) bool {
	for p := range q {
		if x.alike[p] == x.alike[q] && slices.Equal(x.room[p], x.room[q]) {
			return true
		}
	}
	return false
}

// enough reports whether the rooms that are large enough have as many bytes as the items from the kth on.
func (x *division) enough(k int) bool {
	for s, left := range x.left[k] {
		for q := range x.room {
			if room := x.room[q][s]; room >= x.smallest[k][s] {
				left -= room
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// exceeded gives each other body the pool whose rooms it exceeds least, the largest first. It returns the section in
// which a room is exceeded most, or -1.
func (x *division) exceeded() int32 {
	load := make([][]int64, len(x.pools))
	for q := range load {
		load[q] = make([]int64, x.Field.sections)
	}
	x.all = make([]int32, len(x.bodies))
	put := func(k, q int32) {
		x.all[k] = q
		for _, u := range x.bodies[k].uses {
			for t := u.First; t < u.Last; t++ {
				load[q][t] += u.To - u.From
			}
		}
	}
	placed, others := make([]bool, len(x.bodies)), []int32(nil)
	for n, it := range x.items {
		placed[it.body] = true
		put(it.body, x.in[n])
	}
	for k := range x.bodies {
		if !placed[k] {
			others = append(others, int32(k))
		}
	}
	slices.SortStableFunc(others, func(a, b int32) int { return cmp.Compare(x.bodies[b].area, x.bodies[a].area) })
	for _, k := range others {
		best, least := int32(-1), int64(0)
		for _, q := range x.bodies[k].pools {
			most := int64(math.MinInt64)
			for _, u := range x.bodies[k].uses {
				for t := u.First; t < u.Last; t++ {
					most = max(most, load[q][t]+u.To-u.From-x.whole[q])
				}
			}
			if best < 0 || most < least {
				best, least = q, most
			}
		}
		put(k, best)
	}
	at, most := int32(-1), int64(0)
	for q := range load {
		for t, bytes := range load[q] {
			if above := bytes - x.whole[q]; above > most {
				at, most = int32(t), above
			}
		}
	}
	return at
}

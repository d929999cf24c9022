package enumerate

import (
	"slices"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: a rule about two bodies in a pool is a rule about the difference of their offsets. A conflict forbids open
// ranges of the difference. A penalty has to be paid in others. A rule about one body is a rule about its offset: a
// multiple, a capacity, open ranges that reserved bytes forbid, or a fixed number.
//
// internal/lower knows every rule. So all of this is read off its strip of the pool.
//
// Invariant: offsets are a plan of the pool exactly if they keep all of this. It does not matter which other bodies are
// in the pool.
//
// Complexity: O(bodies²) ranges.

// lane is a pool, as forbidden and costly offsets and differences.
type lane struct {
	pool      *model.Pool
	id        string
	capacity  int64 // 0 for none
	alignment int64
	reserved  []model.Range
	borders   []int64
	objects   bool
	highest   int64 // the end of its highest reserved range
	tall      bool  // its height counts

	of     []int32 // of each body, its index in the slices below; -1 if it may not be in the pool
	above  []int64 // of each part of Stretches, its offset within its body; valid if the body is in the pool
	body   []int32 // of each place, its body
	align  []int64
	size   []int64
	fixed  []int64 // -1 if the offset is free
	never  [][]timeline.Forbidden
	hard   [][]timeline.Forbidden // at a·places + b for a < b: forbidden differences offset(b) - offset(a)
	soft   []soft
	page   int64       // granularity; 0 for none
	kinds  [][]kinds   // at a·places + b: members that may have no page in common
	links  []link      // members that may be in one object, if objects count
	begins [][]int64   // of each place, where the members of its body begin; nil if objects do not count
	load   [][]use     // of each section, the bytes that bodies use
	boxes  []model.Box // of each place, its extents; nil if sizes are numbers (boxes.go)
}

// soft is a penalty: it is paid if offset(b) - offset(a) lies between, both ends excluded.
type soft struct {
	a, b         int32
	above, below int64
	cost         int64
}

// link is two members of different bodies. They begin at the same byte if offset(b) - offset(a) = by.
type link struct {
	a, b int32
	by   int64
}

// kinds is a member of one body and a member of another: where they begin in their bodies, and their sizes.
type kinds struct{ from, size, at, bytes int64 }

// use is a range of bytes that a body uses in a section.
type use struct {
	place    int32
	from, to int64
}

// newLane makes a lane from the strip of a pool.
func newLane(l *lower.Lowering, pool int32, members [][]int32, of []int32, tall, pays, counts bool) *lane {
	q := &l.Pools[pool]
	x := &lane{
		pool: q, id: q.ID, capacity: q.Capacity, alignment: max(q.Alignment, 1), tall: tall,
		reserved: lower.Merged(q.Reserved),
		objects:  q.Objects, borders: q.Borders,
	}
	for _, r := range x.reserved {
		x.highest = max(x.highest, r.Upper)
	}
	x.of, x.above = make([]int32, len(members)), make([]int64, len(of))
	var here []int32
	for k, all := range members {
		x.of[k] = -1
		may := !slices.ContainsFunc(all, func(i int32) bool { return !l.Problem.Buffers[i].MayUse(pool) })
		if may && l.Strip(pool, all, nil).Impossible == "" {
			here = append(here, all...)
		}
	}
	if len(here) == 0 {
		return x
	}
	slices.Sort(here)
	strip := l.Strip(pool, here, nil)
	n := len(strip.Problem.Buffers)
	x.body, x.never, x.fixed = make([]int32, n), make([][]timeline.Forbidden, n), make([]int64, n)
	for k, i := range here {
		place := strip.Body[k]
		x.of[of[i]], x.body[place], x.above[i] = place, of[i], strip.At[k]
		for _, r := range x.reserved {
			// No byte of a buffer may lie in a reserved range, in use or not.
			f := timeline.Forbidden{Above: r.Lower - strip.At[k] - l.Problem.Buffers[i].Size, Below: r.Upper - strip.At[k]}
			x.never[place] = append(x.never[place], f)
		}
		if b := &l.Problem.Buffers[i]; b.Extra == nil || !b.Extra.Spans {
			for _, end := range x.borders {
				at := end - strip.At[k]
				x.never[place] = append(x.never[place], timeline.Forbidden{Above: at - b.Size, Below: at})
			}
		}
	}
	for place := range n {
		b := &strip.Problem.Buffers[place]
		x.align, x.size, x.fixed[place] = append(x.align, b.Align()), append(x.size, b.Size), -1
		if b.Fixed != nil {
			x.fixed[place] = *b.Fixed
		}
	}
	if strip.Shared != nil && strip.Shared.Boxes != nil {
		x.boxes, x.hard = strip.Shared.Boxes, make([][]timeline.Forbidden, n*n)
		for a, near := range strip.Shared.Near {
			for _, b := range near {
				x.hard[min(a, int(b))*n+max(a, int(b))] = []timeline.Forbidden{{Above: -x.size[b], Below: x.size[a]}}
			}
		}
	} else {
		x.forbid(timeline.New(strip.Problem), n)
	}
	if x.page = q.Granularity; x.page > 0 {
		x.paging(l, here, of, n)
	}
	if q.Objects && counts {
		x.link(here, of, n)
	}
	if !pays {
		return x
	}
	for _, y := range l.Conflicts.PenaltiesOf() {
		i, j := y.Buffers[0], y.Buffers[1]
		a, b := x.of[of[i]], x.of[of[j]]
		if a < 0 || b < 0 || a == b {
			continue
		}
		if a > b {
			i, j, a, b = j, i, b, a
		}
		lead := x.above[i] - x.above[j]
		x.soft = append(x.soft, soft{a, b, lead - l.Problem.Buffers[j].Size, lead + l.Problem.Buffers[i].Size, y.Cost})
	}
	return x
}

// link lists the members that may be in one object. here are the parts in the lane, and of has their bodies.
func (x *lane) link(here, of []int32, n int) {
	x.begins = make([][]int64, n)
	for k, i := range here {
		a := x.of[of[i]]
		x.begins[a] = append(x.begins[a], x.above[i])
		for _, j := range here[:k] {
			y := link{a, x.of[of[j]], x.above[i] - x.above[j]}
			if y.a > y.b {
				y.a, y.b, y.by = y.b, y.a, -y.by
			}
			if y.a != y.b && !slices.ContainsFunc(x.hard[int(y.a)*n+int(y.b)], func(f timeline.Forbidden) bool {
				return f.Above < y.by && y.by < f.Below
			}) {
				x.links = append(x.links, y)
			}
		}
	}
}

// paging lists the members of different kinds that conflict.
func (x *lane) paging(l *lower.Lowering, here, of []int32, n int) {
	kind := l.Problem.Rules.KindOf(len(of))
	x.kinds = make([][]kinds, n*n)
	for _, i := range here {
		for _, j := range here {
			a, b := x.of[of[i]], x.of[of[j]]
			if a < b && kind[i] != kind[j] && kind[i] > 0 && kind[j] > 0 && l.Conflicts.Conflict(int(i), int(j)) {
				y := kinds{x.above[i], l.Problem.Buffers[i].Size, x.above[j], l.Problem.Buffers[j].Size}
				x.kinds[int(a)*n+int(b)] = append(x.kinds[int(a)*n+int(b)], y)
			}
		}
	}
}

// forbid lists the forbidden differences and the loads.
func (x *lane) forbid(t *timeline.Timeline, n int) {
	x.hard = make([][]timeline.Forbidden, n*n)
	x.load = make([][]use, t.Sections())
	for a := range n {
		first, last := t.Extent(a)
		for b := a + 1; b < n; b++ {
			if begin, end := t.Extent(b); begin >= last || end <= first {
				continue
			}
			x.hard[a*n+b] = []timeline.Forbidden{{Above: -x.size[b], Below: x.size[a]}}
			if t.HasGaps() {
				x.hard[a*n+b] = slices.Clone(t.Forbid(a, b))
			}
		}
		for _, s := range t.Spans(a) {
			for section := s.First; section < s.Last; section++ {
				u := use{int32(a), 0, x.size[a]}
				if t.HasGaps() {
					u.from, u.to = s.Lower, s.Upper
				}
				if u.from < u.to {
					x.load[section] = append(x.load[section], u)
				}
			}
		}
	}
	x.load = slices.DeleteFunc(x.load, func(all []use) bool { return len(all) < 2 })
}

package banks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: if each buffer has its pool, pools that lists tie become one pool whose time is longer. Each of them has a
// stretch of that time for itself, one stretch after another. So buffers of two pools never meet, and a list of
// lockstep is a list of buffers together:
//
//	time of a buffer of the kth pool       moves by k · T, for lifespans within [0, T)
//	at one offset in several pools         together in the one pool
//	reserved range, capacity of a pool     a buffer with a fixed offset, in the pool's stretch
//
// Invariant: a plan of the merged problem has the offsets of a plan of the problem, and each plan that keeps the
// capacities is one of it.
//
// Complexity: O(buffers + rules), and O(members²) for a list with two buffers of one pool.

// merged is a problem with merged pools.
type merged struct {
	p          *model.Problem // without capacities of merged pools and without reserved ranges of these
	of         []int32        // of each buffer, its pool in the problem of the search
	group      []int          // of each pool of that, its pool here
	place      []int64        // of each pool, its place in the merged one
	many       []bool         // of each pool here, whether it is several, or has borders
	turn       int64          // T
	most       int64          // of each plan there is one that is as good and at most as high in each pool
	walls      []model.Buffer // bytes above the borders
	wallOf     []int          // of each, its pool
	impossible bool           // no plan has these pools
}

// merge merges the pools of a choice. It returns nil if that needs numbers that are too large.
func (x *search) merge(of []int32) *merged {
	m := &merged{of: of, group: make([]int, len(x.pools)), place: make([]int64, len(x.pools))}
	root := make([]int, len(x.pools))
	for q := range root {
		root[q] = q
	}
	for _, list := range x.P.Rules.Lockstep {
		for _, i := range list {
			a, b := root[of[list[0]]], root[of[i]]
			for q := range root {
				if root[q] == b {
					root[q] = a
				}
			}
		}
	}
	rules := &model.Rules{Threads: x.P.Rules.Threads, Period: x.P.Rules.Period}
	m.p = &model.Problem{Name: x.P.Name, Rules: rules}
	for q := range root {
		m.group[q] = -1
		for o := range q {
			if root[o] == root[q] {
				m.group[q], m.place[q] = m.group[o], m.place[q]+1
			}
		}
		if m.group[q] < 0 {
			m.group[q] = len(rules.Pools)
			rules.Pools, m.many = append(rules.Pools, x.pools[q]), append(m.many, false)
			rules.Pools[m.group[q]].ID = fmt.Sprint(q)
			continue
		}
		m.many[m.group[q]] = true
	}
	for q := range x.pools {
		m.many[m.group[q]] = m.many[m.group[q]] || len(x.pools[q].Borders) > 0
	}
	for g := range rules.Pools {
		if m.many[g] {
			rules.Pools[g] = model.Pool{ID: rules.Pools[g].ID}
		}
	}
	if !x.move(m) {
		return nil
	}
	x.rules(m)
	x.borders(m)
	return m
}

// move makes the buffers, and moves them in time. It returns false if that needs numbers that are too large.
func (x *search) move(m *merged) bool {
	first, last := int64(0), x.P.Rules.Period
	for i := range x.P.Buffers {
		b := &x.P.Buffers[i]
		first, last = min(first, b.Lower), max(last, b.Upper)
		if x.P.Rules.Threads > 0 {
			last = max(last, slices.Max(b.Extra.Clocks.Upper))
		}
	}
	const large = model.MaxSum / 16
	stretches := int64((2*len(x.pools) + len(x.P.Buffers)) * max(1, x.P.Rules.Threads))
	if m.turn = last - first; m.turn > large/stretches || last > large || first < -large {
		return false
	}
	if slices.Contains(m.many, true) {
		m.p.Rules.Period = 0
	}
	for i := range x.P.Buffers {
		b, q := x.P.Buffers[i], m.of[i]
		if m.p.Rules.Period != x.P.Rules.Period {
			b = within(&b, x.P.Rules.Period)
		}
		by := m.place[q]*m.turn - min(first, 0)
		b.Lower, b.Upper, b.Gaps = b.Lower+by, b.Upper+by, slices.Clone(b.Gaps)
		for k := range b.Gaps {
			b.Gaps[k].Lower, b.Gaps[k].Upper = b.Gaps[k].Lower+by, b.Gaps[k].Upper+by
		}
		b.ID = fmt.Sprint(i) // parts of a buffer have one name
		clocks, extents := (*model.Clocks)(nil), []int64(nil)
		if b.Extra != nil {
			clocks = b.Extra.Clocks
			if x.pools[q].Objects { // elsewhere only the size counts
				extents = b.Extra.Extents
			}
		}
		b.Extra = &model.Extra{Pools: []int32{int32(m.group[q])}, Extents: extents}
		if clocks != nil {
			lower, upper := slices.Clone(clocks.Lower), slices.Clone(clocks.Upper)
			for k := range lower {
				lower[k], upper[k] = lower[k]+m.place[q]*m.turn, upper[k]+m.place[q]*m.turn
			}
			b.SetClocks(lower, upper)
		}
		if m.many[m.group[q]] {
			if b.Alignment = bound.LCM(b.Align(), max(x.pools[q].Alignment, 1), large); b.Alignment == 0 {
				return false
			}
		}
		m.p.Buffers = append(m.p.Buffers, b)
	}
	return x.reach(m, large)
}

// within cuts a life that runs over the end of a period. It then has a gap between its end and its start.
func within(b *model.Buffer, period int64) model.Buffer {
	cut := *b
	if b.Upper <= period {
		return cut
	}
	var all []model.Piece
	for x := range b.Pieces {
		if x.Lower < period && x.Upper > period {
			y := x
			y.Upper, x.Lower = period, period
			all = append(all, y)
		}
		if x.Lower >= period {
			x.Lower, x.Upper = x.Lower-period, x.Upper-period
		}
		all = append(all, x)
	}
	sorting.Structs(all, func(a, b model.Piece) int { return cmp.Compare(a.Lower, b.Lower) })
	cut.Lower, cut.Upper, cut.Gaps = 0, period, nil
	at := int64(0)
	for _, x := range all {
		if at < x.Lower {
			cut.Gaps = append(cut.Gaps, model.Gap{Lower: at, Upper: x.Lower})
		}
		if at = x.Upper; x.From > 0 || x.To < b.Size {
			window := &model.Window{Lower: x.From, Upper: x.To}
			cut.Gaps = append(cut.Gaps, model.Gap{Lower: x.Lower, Upper: x.Upper, Window: window})
		}
	}
	if at < period {
		cut.Gaps = append(cut.Gaps, model.Gap{Lower: at, Upper: period})
	}
	return cut
}

// reach computes most: if all bodies are stacked above what is reserved or fixed, with room for all alignments, every
// gap that is longer than these can be closed. An object of several dimensions is at most as large as one for all
// buffers of its pool.
func (x *search) reach(m *merged, large int64) bool {
	step, sum, top := int64(1), int64(0), int64(0)
	over := make([]model.Box, len(x.pools))
	for i := range m.p.Buffers {
		over[m.of[i]] = over[m.of[i]].Over(m.p.Buffers[i].Box())
	}
	for i := range m.p.Buffers {
		b := &m.p.Buffers[i]
		if step = bound.LCM(step, b.Align(), large); step == 0 {
			return false
		}
		size := b.Size
		if b.HasExtents() {
			var ok bool
			if size, ok = model.SizeOf(over[m.of[i]][:]); !ok {
				return false
			}
		}
		if sum += size; sum > large {
			return false
		}
		if b.Fixed != nil {
			top = max(top, *b.Fixed+b.Size)
		}
	}
	for _, q := range x.pools {
		if step = bound.LCM(step, max(q.Alignment, 1), large); step == 0 {
			return false
		}
		for _, r := range q.Reserved {
			top = max(top, r.Upper)
		}
		if n := len(q.Borders); n > 0 {
			top = max(top, q.Borders[n-1])
		}
	}
	for _, t := range x.P.Rules.Together {
		for k := range t.At {
			sum += max(t.At[k]-t.At[0], t.At[0]-t.At[k])
		}
	}
	if sum > large || top > large || step > large/int64(len(m.p.Buffers)+1) {
		return false
	}
	m.most = top + 2*sum + step*int64(len(m.p.Buffers))
	return true
}

// rules carries the rules over. Those about buffers in two pools say nothing, except lockstep.
func (x *search) rules(m *merged) {
	r, s := m.p.Rules, x.P.Rules
	one := func(y model.Pair) bool { return m.of[y[0]] == m.of[y[1]] }
	r.Together = x.P.Rules.Level(x.P).Rules.Together
	body, at, _ := model.BodiesOf(m.p)
	if body == nil {
		body, at = make([]int32, len(m.p.Buffers)), make([]int64, len(m.p.Buffers))
		for i := range body {
			body[i] = int32(i)
		}
	}
	conflicts := model.NewConflicts(x.P)
	near := places.NewPairs(x.P, conflicts)
	root := map[int32][]int32{}
	for i := range m.p.Buffers {
		for _, j := range root[body[i]] {
			if m.of[i] == m.of[j] && !conflicts.SameBody(i, int(j)) {
				near.Between(int32(i), j, func(low, high int64) {
					by := at[i] - at[j]
					m.impossible = m.impossible || low < by && by < high
				})
			}
			f, g := m.p.Buffers[i].Fixed, m.p.Buffers[j].Fixed
			m.impossible = m.impossible || f != nil && g != nil && *f-*g != at[i]-at[j]
		}
		root[body[i]] = append(root[body[i]], int32(i))
	}
	for _, y := range s.Apart {
		if one(y) && body[y[0]] != body[y[1]] {
			r.Apart = append(r.Apart, y)
		}
	}
	for _, y := range s.MayOverlap {
		if one(y) {
			r.MayOverlap = append(r.MayOverlap, y)
		}
	}
	for _, y := range s.Distances {
		if one(y.Buffers) {
			r.Distances = append(r.Distances, y)
		}
	}
	for _, y := range s.Penalties {
		if one(y.Buffers) {
			r.Penalties = append(r.Penalties, y)
		}
	}
}

// within returns the problem in which each pool ends at most so high.
func (m *merged) within(pools []model.Pool, high []int64) *model.Problem {
	q, rules := *m.p, *m.p.Rules
	rules.Pools, rules.Apart = slices.Clone(rules.Pools), slices.Clip(rules.Apart)
	q.Buffers, q.Rules = slices.Clip(q.Buffers), &rules
	for k := range m.walls {
		if w := &m.walls[k]; *w.Fixed < high[m.wallOf[k]] {
			q.Buffers = append(q.Buffers, *w)
		}
	}
	for k := range pools {
		g := &rules.Pools[m.group[k]]
		if g.Capacity = max(g.Capacity, high[k]); !m.many[m.group[k]] {
			g.Capacity = high[k]
		}
	}
	for k := range pools {
		if !m.many[m.group[k]] {
			rules.Pools[m.group[k]].Reserved = clip(rules.Pools[m.group[k]].Reserved, high[k])
			continue
		}
		top := rules.Pools[m.group[k]].Capacity
		all := slices.Clone(pools[k].Reserved)
		if high[k] < top {
			all = append(all, model.Range{Lower: high[k], Upper: top})
		}
		for n, r := range clip(lower.Merged(all), top) {
			b := model.Buffer{
				ID: fmt.Sprintf("range %d of pool %d", n, k), Size: r.Upper - r.Lower,
				Lower: m.place[k] * m.turn, Upper: (m.place[k] + 1) * m.turn,
				Fixed: &r.Lower, Extra: &model.Extra{Pools: []int32{int32(m.group[k])}},
			}
			if t := rules.Threads; t > 0 {
				b.SetClocks(slices.Repeat([]int64{b.Lower}, t), slices.Repeat([]int64{b.Upper}, t))
			}
			for i, of := range m.of {
				if of == int32(k) && len(q.Buffers[i].Gaps) > 0 { // no byte of it is in the range, in use or not
					rules.Apart = append(rules.Apart, model.Pair{int32(i), int32(len(q.Buffers))})
				}
			}
			q.Buffers = append(q.Buffers, b)
		}
	}
	return &q
}

// clip cuts ranges at the capacity.
func clip(ranges []model.Range, capacity int64) (out []model.Range) {
	for _, r := range ranges {
		if r.Upper = min(r.Upper, capacity); r.Lower < r.Upper {
			out = append(out, r)
		}
	}
	return out
}

package merge

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer with gaps is not merged, for what it was cut from is not known. But most gaps come from rules. A pair
// apart is a slot in which only these two live (internal/lower), and all others that live around it have a gap there.
// Twenty pairs give most buffers of a problem a gap. The trace of a cut is in the lives without such slots:
//
//	slots     1 2 3 | 4 5             1 2 3 4 5
//	before    a a a | . a     aside:  a a a a a     a and b can be one
//	          b b b | . b             b b b b b
//	          . . c | c .             . . c . .
//	          d . . | d .             d . . . .     and c is apart from d
//
// So sections that interrupt lives are set aside. Composites are made by what is left, the base. In a section that is
// set aside, a composite is present with the bytes of its buffers that live there: these are its visits. The composite
// as a buffer then has a window or a gap there, and exact search keeps the rule.
//
// Each buffer with several spans votes for the section of a hole, and for a section that it only visits: one that is a
// span, beside a longer one. The section with the most votes is set aside, until there are no votes. Some section of
// each buffer stays.
//
// Invariant: any two parts of a composite that visit one section have disjoint bytes there.
//
// Complexity: O(sections of all buffers) for each section that is set aside, once; O(visits) for each composite.
// Nothing without gaps.
//
// Source: Stowage.
//
// Trials: docs/lab/merge.md.

// asideMost is how many sections are set aside at most. asideWork is how many sections of buffers, and how many pairs
// of buffers that live there, are looked at in all. If that is not enough, none is set aside: about 10 ms.
const asideMost, asideWork = 256, 1 << 22

// base is what is left of time if some sections are set aside.
type base struct {
	aside    []bool  // by section; nil if none is
	sections []int32 // of each section of the base, its number with the others
	index    []int32 // of each section, how many of the base are before it
	ties     []tie
	tied     []bool // by buffer: it has a tie
}

// A visit is a section that was set aside, and the bytes of a composite in it.
type visit struct {
	section  int32
	from, to int64
}

// newBase sets sections aside.
func newBase(tl *timeline.Timeline) *base {
	b := &base{}
	if !tl.HasGaps() {
		return b
	}
	n := tl.Sections()
	v := voting{tl: tl, aside: make([]bool, n), votes: make([]int32, n)}
	found := false
	for range asideMost {
		if v.work > asideWork {
			return b
		}
		s := v.next()
		if s < 0 {
			break
		}
		v.aside[s], found = true, true
	}
	if !found {
		return b
	}
	for i := range tl.Problem.Buffers {
		v.keepOne(i)
	}
	b.index = make([]int32, n+1)
	for s := range n {
		if b.index[s] = int32(len(b.sections)); !v.aside[s] {
			b.sections = append(b.sections, int32(s))
		}
	}
	b.index[n] = int32(len(b.sections))
	b.aside = v.aside
	if !b.tie(tl) {
		return new(base)
	}
	return b
}

// A voting chooses sections to set aside.
type voting struct {
	tl    *timeline.Timeline
	aside []bool
	votes []int32
	parts [][2]int32 // scratch
	work  int
}

// next returns the section with the most votes, of several the one with the lowest load; -1 if there is none.
func (v *voting) next() int32 {
	clear(v.votes)
	for i := range v.tl.Problem.Buffers {
		v.vote(i)
	}
	best := int32(-1)
	for s, votes := range v.votes {
		if votes > 0 && (best < 0 || votes > v.votes[best] || votes == v.votes[best] && v.tl.Load[s] < v.tl.Load[best]) {
			best = int32(s)
		}
	}
	return best
}

// vote votes for what would make one stretch of the sections of buffer i: the section of a hole, or of a visit.
func (v *voting) vote(i int) {
	spans := v.tl.Spans(i)
	if len(spans) < 2 {
		return
	}
	v.parts = v.parts[:0]
	v.work += int(spans[len(spans)-1].Last - spans[0].First)
	last := int32(-1) // the last hole, if it is one section
	for _, s := range spans {
		for at := s.First; at < s.Last; at++ {
			if v.aside[at] {
				continue
			}
			n := len(v.parts)
			hole := int32(0)
			for h := at - 1; n > 0 && h >= v.parts[n-1][1] && hole < 2; h-- {
				if !v.aside[h] {
					hole, last = hole+1, h
				}
			}
			switch {
			case n > 0 && hole == 0:
				v.parts[n-1][1] = at + 1
				continue
			case n > 0 && hole == 1:
				v.votes[last]++
			}
			v.parts = append(v.parts, [2]int32{at, at + 1})
		}
	}
	for _, x := range v.parts {
		if x[1]-x[0] == 1 && slices.ContainsFunc(v.parts, func(y [2]int32) bool {
			return y[1]-y[0] > 1 || v.tl.Load[y[0]] > v.tl.Load[x[0]]
		}) {
			v.votes[x[0]]++
		}
	}
}

// A tie is what a section that is set aside says of two buffers and nothing in the base does: their bytes from and to
// in it are disjoint.
type tie struct {
	a, b    int32
	x, y    model.Window
	section int32 // one that says so
}

// tie finds the ties: pairs that live together in sections that are set aside, and nowhere in the base. It returns
// false if there are too many pairs to look at.
func (b *base) tie(tl *timeline.Timeline) bool {
	b.tied = make([]bool, len(tl.Problem.Buffers))
	type life struct {
		buffer int32
		window model.Window
	}
	in := make([][]life, len(b.aside))
	for i := range tl.Problem.Buffers {
		for _, s := range tl.Spans(i) {
			for at := s.First; at < s.Last; at++ {
				if b.aside[at] {
					in[at] = append(in[at], life{int32(i), model.Window{Lower: s.Lower, Upper: s.Upper}})
				}
			}
		}
	}
	work := 0
	for _, lives := range in {
		work += len(lives) * len(lives)
	}
	if work > asideWork {
		return false
	}
	seen := map[tie]bool{}
	for s, lives := range in {
		for k, v := range lives {
			for _, w := range lives[:k] {
				t := tie{a: w.buffer, b: v.buffer, x: w.window, y: v.window}
				if seen[t] || b.beside(tl.Spans(int(t.a)), tl.Spans(int(t.b)), t.x, t.y) {
					continue
				}
				seen[t] = true
				t.section = int32(s)
				b.ties = append(b.ties, t)
				b.tied[t.a], b.tied[t.b] = true, true
			}
		}
	}
	return true
}

// beside reports whether two buffers live together in the base with these bytes or more: windows there may be smaller.
func (b *base) beside(x, y []timeline.Span, p, q model.Window) bool {
	for _, s := range x {
		if s.Lower > p.Lower || s.Upper < p.Upper {
			continue
		}
		for _, t := range y {
			if t.Lower > q.Lower || t.Upper < q.Upper {
				continue
			}
			if first, last := max(s.First, t.First), min(s.Last, t.Last); first < last && b.index[first] < b.index[last] {
				return true
			}
		}
	}
	return false
}

// keepOne takes a section of buffer i into the base if all of its sections are aside: the one with the highest load.
func (v *voting) keepOne(i int) {
	best := int32(-1)
	for _, s := range v.tl.Spans(i) {
		for at := s.First; at < s.Last; at++ {
			if !v.aside[at] {
				return
			}
			if best < 0 || v.tl.Load[at] > v.tl.Load[best] {
				best = at
			}
		}
	}
	if best >= 0 {
		v.aside[best] = false
	}
}

// place gives the composite of buffer i its sections of the base, and its visits. It reports whether the buffer is
// whole there: it has one span, with all of its bytes.
func (b *base) place(tl *timeline.Timeline, i int, c *composite) (whole bool) {
	spans := tl.Spans(i)
	if b.aside == nil {
		c.first, c.last = tl.Extent(i)
		return len(spans) == 1 && spans[0].Lower == 0 && spans[0].Upper == c.size
	}
	whole, c.tied = true, b.tied[i]
	c.first, c.last = 0, 0
	for _, s := range spans {
		for at := s.First; at < s.Last; at++ {
			if b.aside[at] {
				c.visits = append(c.visits, visit{at, s.Lower, s.Upper})
			}
		}
		first, last := b.index[s.First], b.index[s.Last]
		switch {
		case first == last:
			continue
		case s.Lower != 0 || s.Upper != c.size || c.last > c.first && first != c.last:
			whole = false
		}
		if c.first == c.last {
			c.first = first
		}
		c.last = last
	}
	return whole
}

// visitsOf returns the visits of parts that lie so far above a composite's offset, in order.
func (f *forest) visitsOf(parts []id, up []int64) (all []visit) {
	for k, p := range parts {
		for _, v := range f.all[p].visits {
			all = append(all, visit{v.section, v.from + up[k], v.to + up[k]})
		}
	}
	slices.SortFunc(all, func(v, w visit) int {
		return cmp.Or(cmp.Compare(v.section, w.section), cmp.Compare(v.from, w.from))
	})
	return all
}

// clash reports whether two visits of a composite share bytes. They are in order.
func clash(all []visit) bool {
	for k := 1; k < len(all); k++ {
		if v, w := &all[k-1], &all[k]; v.section == w.section && v.to > w.from {
			return true
		}
	}
	return false
}

// A clock numbers the sections of the roots' problem. A section that is set aside takes several slots there if a root
// is in it with several ranges of bytes.
type clock struct {
	start []int64     // of each section, its first slot; one more for the end
	turns [][]section // of each root, its sections that are set aside, in order
}

// A section is a section that was set aside, as one root is in it: in slot k with the range k/every%len(ranges).
type section struct {
	at     int32
	every  int64
	ranges []model.Window
}

// slotsMost is how many slots a section that is set aside takes at most.
const slotsMost = 16

// newClock numbers the slots for the roots. Of the sections that are set aside, only some are asked for; nil for all.
//
// If roots are in a section with m1, m2, … ranges, its slots have every choice of one range each, so any two ranges of
// different roots meet. If that is more than slotsMost, the roots that are left have one range around all of theirs.
func (f *forest) newClock(with []bool) *clock {
	c := &clock{start: make([]int64, len(f.base.aside)+1), turns: make([][]section, len(f.live))}
	slots := make([]int64, len(f.base.aside))
	for s := range slots {
		slots[s] = 1
	}
	for k, r := range f.live {
		visits := f.all[r].visits
		for len(visits) > 0 {
			x := section{at: visits[0].section}
			if with != nil && !with[x.at] {
				visits = visits[1:]
				continue
			}
			for ; len(visits) > 0 && visits[0].section == x.at; visits = visits[1:] {
				v := visits[0]
				if n := len(x.ranges); n > 0 && x.ranges[n-1].Upper == v.from {
					x.ranges[n-1].Upper = v.to
				} else {
					x.ranges = append(x.ranges, model.Window{Lower: v.from, Upper: v.to})
				}
			}
			if n := len(x.ranges); slots[x.at]*int64(n) > slotsMost {
				x.ranges[0].Upper = x.ranges[n-1].Upper
				x.ranges = x.ranges[:1]
			}
			x.every = slots[x.at]
			slots[x.at] *= int64(len(x.ranges))
			c.turns[k] = append(c.turns[k], x)
		}
	}
	for s, n := range slots {
		c.start[s+1] = c.start[s] + n
	}
	return c
}

// root writes the k-th root, which is not sealed, as a buffer.
func (f *forest) root(c *clock, k int, out *model.Buffer) {
	r := &f.all[f.live[k]]
	all := model.Window{Upper: r.size}
	low, high := f.base.sections[r.first], f.base.sections[r.last-1]
	from, to, turns := low, high, c.turns[k]
	if n := len(turns); n > 0 {
		from, to = min(low, turns[0].at), max(high, turns[n-1].at)
	}
	out.Lower, out.Upper = -1, -1
	for s := from; s <= to; s++ {
		switch {
		case !f.base.aside[s]:
			if low <= s && s <= high {
				lives(out, c.start[s], c.start[s+1], all)
			}
		case len(turns) > 0 && turns[0].at == s:
			x := &turns[0]
			for at := c.start[s]; at < c.start[s+1]; at++ {
				lives(out, at, at+1, x.ranges[(at-c.start[s])/x.every%int64(len(x.ranges))])
			}
			turns = turns[1:]
		}
	}
}

// sealed writes a root that is a buffer with gaps, or with a fixed offset.
func (f *forest) sealed(c *clock, tl *timeline.Timeline, i int, out *model.Buffer) {
	out.Lower, out.Upper = -1, -1
	for _, s := range tl.Spans(i) {
		lives(out, c.start[s.First], c.start[s.Last], model.Window{Lower: s.Lower, Upper: s.Upper})
	}
	out.Fixed = tl.Problem.Buffers[i].Fixed
}

// lives adds slots to the life of a buffer, with the bytes that it uses then. An Upper of -1 is a buffer without any.
func lives(b *model.Buffer, lower, upper int64, w model.Window) {
	if b.Upper < 0 {
		b.Lower, b.Upper = lower, lower
	}
	if lower > b.Upper {
		b.Gaps = append(b.Gaps, model.Gap{Lower: b.Upper, Upper: lower})
	}
	b.Upper = upper
	if w == (model.Window{Upper: b.Size}) {
		return
	}
	if n := len(b.Gaps); n > 0 && b.Gaps[n-1].Upper == lower && b.Gaps[n-1].Window != nil && *b.Gaps[n-1].Window == w {
		b.Gaps[n-1].Upper = upper
		return
	}
	b.Gaps = append(b.Gaps, model.Gap{Lower: lower, Upper: upper, Window: &w})
}

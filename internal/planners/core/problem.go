package core

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a buffer is a body. In each of its pieces it takes the bytes from its offset to the end of its window, or all.
// So two bodies that share a section may not have offsets whose difference is in one open interval around 0, and the
// search needs no other kind of conflict. If a window begins above 0, the bytes below it may be free, and the body is
// loose: plans are right, but the search proves nothing. In C, linked buffers are one body.
//
// Invariant: bodies are in the order of their begin, pieces in the order of their bodies.
//
// Complexity: O(n log n), and the sections of all pieces for loads.
//
// Source: core/stowage_core.c, gather and cut_sections.

const (
	most  = math.MaxInt64 / 4     // no plan is higher, so sums of two heights and an alignment do not overflow
	gone  = math.MaxInt64 / 8 * 7 // the start of a piece that is placed: behind all others
	small = 48                    // below it nothing is merged
)

// A body is what has one offset.
type body struct {
	lower, upper int64 // time
	first, last  int32 // sections
	id           int32 // the number of its buffer
	piece, count int32 // its pieces
	size, align  int64
	fixed        int64 // or -1
}

// A piece is a stretch of sections in which a body has one height.
type piece struct {
	owner       int32 // body
	first, last int32 // sections
	from, to    int64 // time
	high        int64 // the bytes from the body's offset
	need        int64 // of these at least so many are in use
}

// problem is what heuristics and searches plan. A zero value with n, bodies and pieces is for cutSections to complete.
type problem struct {
	n, m        int32 // bodies, sections
	bodies      []body
	pieces      []piece
	at          []int64 // the best plan
	trial       []int64 // a plan in the making; loads of sections while these are cut
	load        []int64 // of a body: the largest load of its sections
	order, next []int32 // lists of bodies in the making
	tree, meet  []int32 // see heuristics.go
	step        int64   // every offset and size is a multiple of it
	bound       int64   // no plan is lower
	full        uint64  // the mean load of a section
	loose       bool    // a body takes bytes that it does not need, so only the bound proves anything
	sparse      bool    // few bodies meet
	scored      bool    // ranks are by a score: weight x log load + load[i]; see merge.go
	weight      int32
}

func roundUp(x, to int64) int64 {
	if to <= 1 {
		return x
	}
	return (x + to - 1) / to * to
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// sort sorts by a total order, as Shell's sort does in C.
func sort(list []int32, before func(a, b int32) bool) {
	slices.SortFunc(list, func(a, b int32) int {
		switch {
		case a == b:
			return 0
		case before(a, b):
			return -1
		}
		return 1
	})
}

// gather makes bodies of buffers. ok is false if all of them above one another are too high. Buffers that are never
// live have no body.
func gather(q *model.Problem) (p *problem, ok bool) {
	p = &problem{}
	composite := false
	var sum, fixed int64
	for i := range q.Buffers {
		x := &q.Buffers[i]
		y := body{id: int32(i), size: x.Size, align: max(x.Alignment, 1), fixed: -1}
		if x.Fixed != nil {
			y.fixed = *x.Fixed
		}
		if y.size > most-sum || y.align > most-sum-y.size {
			return nil, false
		}
		sum += y.size + y.align - 1
		fixed = max(fixed, y.fixed)
		composite = composite || len(x.Gaps) > 0
		live := false
		for s := range x.Pieces {
			if !live {
				y.lower, live = s.Lower, true
			}
			y.upper = s.Upper
		}
		if live {
			p.bodies = append(p.bodies, y)
		}
	}
	if fixed > most-sum {
		return nil, false
	}
	slices.SortStableFunc(p.bodies, func(a, b body) int {
		switch {
		case a.lower < b.lower:
			return -1
		case a.lower > b.lower:
			return 1
		}
		return 0
	})
	p.n = int32(len(p.bodies))
	p.pieces = make([]piece, 0, p.n)
	for k := range p.bodies {
		b := &p.bodies[k]
		b.piece = int32(len(p.pieces))
		for s := range q.Buffers[b.id].Pieces {
			x := piece{owner: int32(k), from: s.Lower, to: s.Upper, high: s.To, need: s.To - s.From}
			if x.need < x.high {
				p.loose = true
			}
			if end := len(p.pieces) - 1; composite && end >= int(b.piece) {
				if y := &p.pieces[end]; y.to == x.from && y.high == x.high && y.need == x.need {
					y.to = x.to
					continue
				}
			}
			p.pieces = append(p.pieces, x)
		}
		b.count = int32(len(p.pieces)) - b.piece
		highest := int64(0)
		for _, x := range p.pieces[b.piece:] {
			highest = max(highest, x.high)
		}
		if highest < b.size { // bytes at its end are never in use; in C no body has such
			p.loose = true
		}
	}
	return p, true
}

// arrays allocates what cutSections and heuristics fill.
func (p *problem) arrays() {
	n, pieces := len(p.bodies), len(p.pieces)
	p.at, p.load, p.trial = make([]int64, n), make([]int64, n), make([]int64, pieces)
	p.order, p.next = make([]int32, pieces), make([]int32, pieces)
	p.tree, p.meet = make([]int32, n), make([]int32, n)
}

// cutSections cuts time into sections, and computes loads.
//
// Idea: one sweep over begins and ends. A section closes at an end that follows a begin, so sections are the maximal
// sets of pieces that live at once.
//
// Bound: a load, rounded up to the step. All offsets are multiples of unit, the divisor of all alignments. So all
// bodies but the topmost take their size rounded up to the unit.
func (p *problem) cutSections() {
	var load, padded, pad, unit, step, meetings int64
	for i := range p.bodies {
		b := &p.bodies[i]
		unit, step = divisor(unit, b.align), divisor(step, b.size)
		if b.align > 1 {
			step = divisor(step, b.align)
		}
		if b.fixed > 0 {
			step = divisor(step, b.fixed)
		}
		p.bound = max(p.bound, max(b.fixed, 0)+b.size)
	}
	count := int32(len(p.pieces))
	for i := range count {
		p.order[i], p.next[i] = i, i
		x := &p.pieces[i]
		step = divisor(step, x.high)
		pad = max(pad, roundUp(x.need, unit)-x.need)
	}
	if p.loose {
		step = 1
	}
	p.step = step
	sort(p.order, func(i, j int32) bool {
		a, b := p.pieces[i].from, p.pieces[j].from
		return a < b || a == b && i < j
	})
	sort(p.next, func(i, j int32) bool {
		a, b := p.pieces[i].to, p.pieces[j].to
		return a < b || a == b && i < j
	})
	open := false
	for s, e := int32(0), int32(0); e < count; {
		x := &p.pieces[p.next[e]]
		if s < count && p.pieces[p.order[s]].from < x.to {
			y := &p.pieces[p.order[s]]
			load, padded = load+y.need, padded+roundUp(y.need, unit)
			meetings += int64(s - e)
			s, open = s+1, true
			y.first = p.m
			continue
		}
		if open {
			p.bound = max(p.bound, load)
			if !p.loose {
				p.bound = max(p.bound, padded-pad)
			}
			p.trial[p.m] = load
			p.m, open = p.m+1, false
		}
		load, padded = load-x.need, padded-roundUp(x.need, unit)
		x.last = p.m
		e++
	}
	p.sparse = count == p.n && p.n > 64 && meetings < int64(p.n)*int64(p.n)/16
	p.bound = roundUp(p.bound, step)
	for _, load := range p.trial[:p.m] {
		p.full += uint64(load) / uint64(p.m)
	}
	for i := range p.bodies {
		b := &p.bodies[i]
		p.at[i], p.load[i], b.first, b.last = 2*most, 0, p.m, 0
		for e := b.piece; e < b.piece+b.count; e++ {
			x := &p.pieces[e]
			p.load[i] = max(p.load[i], slices.Max(p.trial[x.first:x.last]))
			b.first, b.last = min(b.first, x.first), max(b.last, x.last)
		}
	}
}

// reach returns how far above body i's offset body j must begin at least, if it is above, or 0 if they never meet.
func (p *problem) reach(i, j int32) (high int64) {
	a, b := &p.bodies[i], &p.bodies[j]
	if a.first >= b.last || b.first >= a.last {
		return 0
	}
	if a.count == 1 && b.count == 1 {
		return a.size
	}
	x, y := a.piece, b.piece
	for x < a.piece+a.count && y < b.piece+b.count {
		s, t := &p.pieces[x], &p.pieces[y]
		if s.first < t.last && t.first < s.last {
			high = max(high, s.high)
		}
		if s.last <= t.last {
			x++
		} else {
			y++
		}
	}
	return high
}

// heightOf returns the height of the best plan of bodies [low, high).
func (p *problem) heightOf(low, high int32) (height int64) {
	for i := low; i < high; i++ {
		height = max(height, p.at[i]+p.bodies[i].size)
	}
	return height
}

// partitionEnd returns the end of the partition that begins with body low.
func (p *problem) partitionEnd(low int32) int32 {
	j := low
	for end := p.bodies[low].last; j < p.n && p.bodies[j].first < end; j++ {
		end = max(end, p.bodies[j].last)
	}
	return j
}

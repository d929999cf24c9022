package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: if windows interlock, a buffer may lie inside the gap of another one. Then "at a higher
// offset" no longer means "above", and the best plan need not be canonical. For such partitions
// this search decides about pairs of buffers instead:
//
//	offset(j) - offset(i) lies in one of the intervals between the forbidden ranges
//
// Once each pair has chosen an interval, difference constraints are left. Their least solution is
// found by propagating bounds.
//
// The search is lazy. It branches only on a pair that the least offsets would violate, the pair
// nearest to the ground first. It stops if no pair is violated. If a pair has one interval left,
// that interval is chosen at once. If a pair has none, the node fails.
//
// Invariant: lb and ub are the bounds that follow from the decided pairs. If lb is taken as the
// offsets, it satisfies all decided pairs.
//
// Complexity: exponential in the number of violated pairs. Each node takes O(pairs). The search is
// meant for the few partitions whose windows interlock. Canonical search tries these first: a plan
// that it finds is a plan, but its failure proves nothing there.
//
// Source: disjunctive temporal problems (Stergiou and Koubarakis 1998), as in the meta-CSP for
// rectangle packing (Moffitt and Pollack 2006).
//
// Tried and dropped: the same search on package pairwise, whose engine keeps a reason for each
// bound and backjumps by conflicts. The test was 2,500 problems of suite.Wide whose windows
// interlock, minimised with a timeout of 0.3 s each. It took 0.53 million nodes rather than 1.35
// million, but 1.5 to 2.2 s rather than 1.3 to 1.4 s. It left 2 or 3 problems undecided rather than
// 1 or 2. There, a pair with several forbidden ranges becomes several pairs; here it is one choice.
type interlock struct {
	n     int
	align []int64
	start []int64 // the fixed offset, else 0
	fixed []bool
	size  []int64
	pairs []pair
	bans  []timeline.Forbidden

	lb, ub  []int64
	decided []bool
	out, in [][]arc // arc {to, w} in out[i]: offset(to) >= offset(i) + w
	undos   []undo
	queue   []int32
	queued  []bool
	passes  []int64
	gaveUp  bool // a propagation did not settle: failure is not proven
	// proof is how often a propagation may pass over one buffer before that shows
	// that it never settles, patience how often it may at all.
	proof, patience int64

	nodes, backtracks, nodeLimit int64
	watch                        *run.Watch
	tick                         func()
}

// pair is two buffers that meet, with their forbidden ranges bans[from:to] of
// offset(j) - offset(i).
type pair struct {
	i, j     int32
	from, to int32
}

type arc struct {
	to int32
	w  int64
}

// undo is an entry of the trail of interlock: what names the array.
type undo struct {
	what byte // 'l' lb, 'u' ub, 'a' an arc from at, 'd' a decided pair
	at   int32
	old  int64
}

// pairsMost bounds the pairs of a complete search: 256 MiB with their tables.
const pairsMost = 1 << 23

// interlocks says whether the windows of partition p interlock.
func (e *engine) interlocks(p int) knowledge {
	s := &e.parts[p]
	if s.interlocks == maybe {
		switch found, known := e.tl.Interlocks(e.tl.Partitions[p], e.watch.Over); {
		case found && s.kernel.shifted && !e.geared(p):
			s.interlocks = no
		case found:
			s.interlocks = yes
		case known:
			s.interlocks = no
		}
	}
	return s.interlocks
}

// geared reports whether a buffer of partition p can lie in the middle of another, as far
// as is known where the run is over.
func (e *engine) geared(p int) bool {
	buffers := e.tl.Partitions[p].Buffers
	for _, i := range buffers {
		for _, j := range e.tl.AppendConflicts(nil, int(i)) {
			if len(e.tl.Forbid(int(i), int(j))) > 1 || e.watch.Over() {
				return true
			}
		}
	}
	return false
}

// complete is (*engine).complete and ladder (*engine).ladder where a program has them.
var (
	complete func(e *engine, p int, capacity, limit int64, r outcome) verdict
	ladders  func(e *engine, p int, capacity, limit int64) verdict
)

// Interlocking brings the searches for windows that interlock into a program, and that
// for small partitions that are hard (ladder.go): the linker leaves them out where nobody
// calls it. They are as large as all else that is wanted beside the canonical search, and
// for kinds of problem that many programs never have. Without them a problem whose windows
// interlock is planned where a canonical plan fits, and otherwise undecided. Packages that
// use this one call it in their init, so whoever has merge, climb or auto has them.
func Interlocking() { complete, ladders = (*engine).complete, (*engine).ladder }

// completion has the complete searches of a partition.
type completion struct {
	pairs  *interlock
	ladder *ladder
}

func (e *engine) completion(p int) *completion {
	c, _ := e.parts[p].completion.(*completion)
	if c == nil {
		c = new(completion)
		e.parts[p].completion = c
	}
	return c
}

// complete runs the complete search on partition p, of which the canonical one
// had the given outcome.
func (e *engine) complete(p int, capacity, limit int64, r outcome) verdict {
	if e.over() {
		return undecided
	}
	c := e.completion(p)
	x := c.pairs
	if x == nil {
		if x = newInterlock(e, p); x == nil {
			// With too many pairs, nothing but a canonical plan can be found.
			e.stuck = r == exhausted
			return undecided
		}
		x.tick = func() { e.report(x.nodes) }
		c.pairs = x
	}
	v := x.run(capacity, e.within(limit))
	e.count(&x.nodes, &x.backtracks)
	if v == fits {
		e.keep(p, x.lb)
	}
	return v
}

// newInterlock prepares a partition; it returns nil where there are too many
// pairs or the run is over.
func newInterlock(e *engine, p int) *interlock {
	tl, buffers := e.tl, e.tl.Partitions[p].Buffers
	n := len(buffers)
	x := &interlock{n: n, fixed: make([]bool, n), queued: make([]bool, n), watch: e.watch}
	carve(share[int64]{&x.align, n}, share[int64]{&x.start, n}, share[int64]{&x.size, n}, share[int64]{&x.lb, n}, share[int64]{&x.ub, n}, share[int64]{&x.passes, n})
	arcs := make([][]arc, 2*n)
	x.out, x.in = arcs[:n], arcs[n:]
	if e.local == nil {
		e.local = make([]int32, len(tl.Problem.Buffers))
	}
	for j, i := range buffers {
		e.local[i] = int32(j)
		b := &tl.Problem.Buffers[i]
		x.align[j], x.size[j] = b.Align(), b.Size
		if b.Fixed != nil {
			x.fixed[j], x.start[j] = true, *b.Fixed
		}
	}
	x.proof = bound.Passes(x.align)
	var conflicts []int32
	for i, id := range buffers {
		conflicts = tl.AppendConflicts(conflicts[:0], int(id))
		for _, other := range conflicts {
			if j := e.local[other]; int32(i) < j {
				from := int32(len(x.bans))
				x.bans = append(x.bans, tl.Forbid(int(id), int(other))...)
				x.pairs = append(x.pairs, pair{int32(i), j, from, int32(len(x.bans))})
				if len(x.pairs) > pairsMost || len(x.bans) > pairsMost || e.watch.Over() {
					return nil
				}
			}
		}
	}
	x.decided = make([]bool, len(x.pairs))
	return x
}

// run searches for a plan within the capacity; where it fits, lb holds the
// offsets.
func (x *interlock) run(capacity, limit int64) verdict {
	x.nodeLimit = x.nodes + limit
	// A propagation gets as much patience as the search has nodes, so that in
	// ever longer runs every one settles.
	x.patience = max(64*int64(x.n+2), limit)
	x.undos, x.gaveUp = x.undos[:0], false
	clear(x.decided)
	for j := range x.n {
		x.out[j], x.in[j] = x.out[j][:0], x.in[j][:0]
		x.lb[j], x.ub[j] = x.start[j], capacity-x.size[j]
		x.ub[j] = bound.Down(x.ub[j], x.align[j])
		if x.ub[j] < x.lb[j] {
			return refuted
		}
		if x.fixed[j] {
			x.ub[j] = x.start[j]
		}
	}
	switch r := x.search(); {
	case r == solved:
		return fits
	case r == exhausted && !x.gaveUp:
		return refuted
	}
	return undecided
}

func (x *interlock) search() outcome {
	if x.nodes >= x.nodeLimit || x.watch.Over() {
		return aborted
	}
	x.nodes++
	if x.nodes&(tickEvery-1) == 0 {
		x.tick()
	}
	mark := len(x.undos)
	at, ok := x.settle()
	if !ok {
		x.undo(mark)
		x.backtracks++
		return exhausted
	}
	x.check()
	if at < 0 {
		return solved
	}
	// The interval above the violated difference first, then the one below,
	// then the others: the order in which offsets rise.
	p := x.pairs[at]
	k := x.interval(p)
	for d := int32(0); d <= p.to-p.from; d++ {
		for _, choice := range [2]int32{k + 1 + d, k - d} {
			if choice < p.from || choice > p.to || !x.open(p, choice) {
				continue
			}
			inner := len(x.undos)
			if x.decide(at, choice) {
				if r := x.search(); r != exhausted {
					return r
				}
			}
			x.undo(inner)
		}
	}
	x.undo(mark)
	x.backtracks++
	return exhausted
}

// settle decides every pair with one open interval until there is none, and
// returns a pair that lb violates, the one nearest the ground; -1 where there
// is none; ok = false where a pair has no interval left.
func (x *interlock) settle() (violated int, ok bool) {
	for again := true; again; {
		again = false
		violated = -1
		lowest := int64(math.MaxInt64)
		for at, p := range x.pairs {
			if at&4095 == 4095 && x.watch.Over() {
				x.gaveUp = true
				return 0, false
			}
			if x.decided[at] {
				continue
			}
			open, only := 0, int32(0)
			for c := p.from; c <= p.to; c++ {
				if x.open(p, c) {
					open++
					only = c
				}
			}
			switch {
			case open == 0:
				return 0, false
			case open == 1:
				if !x.decide(at, only) {
					return 0, false
				}
				again = true
			case x.interval(p) >= p.from:
				if level := max(x.lb[p.i], x.lb[p.j]); level < lowest {
					lowest, violated = level, at
				}
			}
		}
	}
	return violated, true
}

// interval returns the index of the forbidden range that lb violates, or
// from-1 where it violates none.
func (x *interlock) interval(p pair) int32 {
	d := x.lb[p.j] - x.lb[p.i]
	for c := p.from; c < p.to; c++ {
		if x.bans[c].Above < d && d < x.bans[c].Below {
			return c
		}
	}
	return p.from - 1
}

// limits returns the bounds of the c-th interval of a pair: the one under
// bans[c], and for c = to the one above the last.
func (x *interlock) limits(p pair, c int32) (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if c > p.from {
		low = x.bans[c-1].Below
	}
	if c < p.to {
		high = x.bans[c].Above
	}
	return low, high
}

// open reports whether the pair's difference can still lie in the interval.
func (x *interlock) open(p pair, c int32) bool {
	low, high := x.limits(p, c)
	return x.ub[p.j]-x.lb[p.i] >= low && x.lb[p.j]-x.ub[p.i] <= high
}

// decide puts the pair's difference into the interval and propagates.
func (x *interlock) decide(at int, c int32) bool {
	p := x.pairs[at]
	low, high := x.limits(p, c)
	x.decided[at] = true
	x.log('d', int32(at), 0)
	if low != math.MinInt64 {
		x.addArc(p.i, p.j, low)
	}
	if high != math.MaxInt64 {
		x.addArc(p.j, p.i, -high)
	}
	return x.propagate(p.i, p.j)
}

//go:noinline
func (x *interlock) addArc(from, to int32, w int64) {
	x.out[from] = append(x.out[from], arc{to, w})
	x.in[to] = append(x.in[to], arc{from, w})
	x.log('a', from, int64(to))
}

// log adds to the trail.
//
//go:noinline
func (x *interlock) log(what byte, at int32, old int64) {
	x.undos = append(x.undos, undo{what, at, old})
}

// propagate restores the fixpoint of the bounds from the given buffers on, and
// reports whether every buffer still has an offset.
func (x *interlock) propagate(from ...int32) bool {
	x.queue = x.queue[:0]
	clear(x.passes)
	for _, j := range from {
		x.push(j)
	}
	ok := true
	for head := 0; head < len(x.queue); head++ {
		i := x.queue[head]
		x.queued[i] = false
		if !ok {
			continue // only empties the queue
		}
		if x.passes[i]++; x.passes[i] > 2*int64(x.n)+2 {
			if x.passes[i] > x.proof {
				ok = false
				continue
			}
			if x.passes[i] > x.patience || x.watch.Over() {
				x.gaveUp, ok = true, false
				continue
			}
		}
		for _, a := range x.out[i] {
			if v := x.lb[i] + a.w; v > x.lb[a.to] {
				v = bound.Up(v, x.align[a.to])
				if v > x.ub[a.to] {
					ok = false
					break
				}
				x.log('l', a.to, x.lb[a.to])
				x.lb[a.to] = v
				x.push(a.to)
			}
		}
		for _, a := range x.in[i] {
			if v := x.ub[i] - a.w; ok && v < x.ub[a.to] {
				if v < x.lb[a.to] {
					ok = false
					break
				}
				v = bound.Down(v, x.align[a.to])
				if v < x.lb[a.to] {
					ok = false
					break
				}
				x.log('u', a.to, x.ub[a.to])
				x.ub[a.to] = v
				x.push(a.to)
			}
		}
	}
	return ok
}

// push puts a buffer into the queue of a propagation.
//
//go:noinline
func (x *interlock) push(j int32) {
	if !x.queued[j] {
		x.queued[j] = true
		x.queue = append(x.queue, j)
	}
}

// undo takes back everything since the mark.
func (x *interlock) undo(mark int) {
	for i := len(x.undos) - 1; i >= mark; i-- {
		switch u := x.undos[i]; u.what {
		case 'l':
			x.lb[u.at] = u.old
		case 'u':
			x.ub[u.at] = u.old
		case 'd':
			x.decided[u.at] = false
		case 'a':
			x.out[u.at] = x.out[u.at][:len(x.out[u.at])-1]
			x.in[u.old] = x.in[u.old][:len(x.in[u.old])-1]
		}
	}
	x.undos = x.undos[:mark]
}

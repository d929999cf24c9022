package ladder

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/plan"
)

// Idea: this is the search of ladder.go. All terms are about levels, so the lowest level is the
// top of the plan. A node leaves out four kinds of branches.
//
// Sleep sets. A buffer that was tried as the next one and failed goes to sleep in the branches that are tried after
// it. It wakes up when a buffer that it meets is placed. Until then, placing it behind buffers that it does not meet
// is useless: from such a plan it can return to the level at which it was tried, and that has failed. This argument
// needs two conditions: the buffer cannot be pulled up, so nothing placed is tied to anything unplaced, and the
// buffer cannot lie in the gap of another one.
//
// Bounds. Let near(u) be the unplaced buffers that u meets. If u sleeps, or if
// level(u) > latest(near(u)+u, u), then u is not the lowest of near(u)+u, and so
//
//	level(u) >= min over w in near(u) of level(w) + least(w, u)
//
// This is lifting and not-first of the canonical search, for sets rather than for sections.
//
// Symmetry. Identical buffers are placed in the order of their numbers. Each plan has such a
// numbering. Unplaced identical buffers have the same least levels, so the arguments above hold.
//
// Failed sets. The search stores each set of unplaced buffers that has failed, with its least levels, as the canonical
// search does. If nothing placed is tied to the set, the failure depends on these levels alone and not on the capacity.
//
// Each of these four shows that no plan at all continues the node, canonical or not. So they can
// be combined, and each may rely on what has failed before.
//
// Source: Godefroid 1990 for sleep sets.

// search looks for levels of the unplaced buffers in set. x holds the least levels of the placed buffers and e those of
// the unplaced ones. Both are up to date except for what i and j change: leastLevels takes that into account.
func (l *Search) search(set uint32, x, e rungs, i, j int, asleep uint32) common.Outcome {
	if l.Nodes >= l.nodeLimit || l.watch.Over() {
		return common.Aborted
	}
	l.Nodes++
	if l.Nodes&(l.tickEvery-1) == 0 {
		l.Tick()
	}
	r, spares := common.Exhausted, l.spares
	if set != 0 && l.leastLevels(set, &x, &e, i, j) {
		if invariants.Enabled {
			l.check(set, &x, &e)
		}
		if i, j := l.open(set); j >= 0 {
			r = l.choose(i, j, set, &x, &e, asleep)
		} else {
			tied := l.depth // the place in path of the first buffer that is tied to an unplaced one
			for p := l.depth - 1; p >= 0; p-- {
				if l.tied[l.path[p]]&set != 0 {
					tied = p
				}
			}
			settled := tied == l.depth
			if l.sparing {
				set = l.spare(set, &e, l.path[tied:l.depth])
			}
			if set != 0 {
				r = l.place(set, &x, &e, asleep, settled)
			}
		}
	}
	if set == 0 {
		l.fill(&x)
		for j, local := range l.id {
			l.At[local] = -x[j] - l.shift[j]
		}
		if invariants.Enabled {
			l.checkPlan()
		}
		return common.Solved
	}
	l.spares = spares
	if r == common.Exhausted {
		l.Backtracks++
	}
	return r
}

// open returns a pair that has to choose a range: lower is placed, upper is not. It returns -1 if
// there is no such pair.
func (l *Search) open(set uint32) (lower, upper int) {
	for p := l.depth - 1; p >= 0; p-- {
		i := int(l.path[p])
		if rest := l.loose[i] & set &^ l.chosen[i]; rest != 0 {
			return i, bits.TrailingZeros32(rest)
		}
	}
	return -1, -1
}

// choose tries each free range of a pair.
func (l *Search) choose(i, j int, set uint32, x, e *rungs, asleep uint32) common.Outcome {
	at := i*l.n + j
	lo, hi := l.lo[at], l.hi[at]
	l.chosen[i] |= 1 << j
	high := l.latest(set|1<<i, i)
	r := common.Exhausted
	for _, f := range l.free[at] {
		if f.high < noEnd {
			if e[j]-f.high > high {
				continue
			}
			l.tied[i] |= 1 << j
		}
		l.lo[at], l.hi[at] = f.low, f.high
		r = l.search(set, *x, *e, i, j, asleep)
		l.tied[i] &^= 1 << j
		if r != common.Exhausted {
			break
		}
	}
	l.lo[at], l.hi[at] = lo, hi
	l.chosen[i] &^= 1 << j
	return r
}

// place tries each buffer that may come next. settled says that nothing placed is tied to anything unplaced.
func (l *Search) place(set uint32, x, e *rungs, asleep uint32, settled bool) common.Outcome {
	z := *e
	if !l.infer(set, asleep, &z) || l.beaten(set, &z) {
		return common.Exhausted
	}
	tried := asleep
	order := ascending(set, e)
	for _, c := range order[:bits.OnesCount32(set)] {
		u := int(c)
		if l.later(set, u) {
			continue
		}
		if asleep>>u&1 == 0 && z[u] == e[u] && e[u] <= l.latest(set, u) {
			before := x[u]
			x[u] = e[u]
			l.path[l.depth] = c
			l.depth++
			l.say(plan.MovePlace, u, -e[u])
			r := l.search(set&^(1<<u), *x, *e, u, -1, tried&^l.meet[u])
			l.depth--
			x[u] = before
			if r != common.Exhausted {
				return r
			}
			l.say(plan.MoveBack, u, l.shift[u])
		}
		if settled && l.loose[u]&set == 0 {
			tried |= 1 << u
		}
	}
	if settled && !l.gaveUp {
		l.addFailed(set, e)
	}
	return common.Exhausted
}

// say reports a move of buffer u to the level -at, if somebody listens.
func (l *Search) say(kind plan.MoveKind, u int, at int64) {
	if l.Tell != nil {
		l.Tell(l.Part, kind, common.Buffer(l.id[u]), at-l.shift[u])
	}
}

// later reports whether u has to wait for an identical buffer.
func (l *Search) later(set uint32, u int) bool { return l.twin[u] >= 0 && set>>l.twin[u]&1 == 1 }

// leastLevels finds the least levels that satisfy the chosen ranges. e holds the levels from before i
// was placed. If j is not -1, then e holds those from before the pair i, j chose a range.
func (l *Search) leastLevels(set uint32, x, e *rungs, i, j int) bool {
	rest := set
	if j >= 0 {
		rest = 1 << j
	}
	for ; i >= 0 && rest != 0; rest &= rest - 1 {
		if u := bits.TrailingZeros32(rest); !l.raise(u, i, x, e) {
			return false
		}
	}
	moved := false
	for passes := int64(1); ; passes++ {
		again := false
		for p, cj := range l.path[:l.depth] {
			j, v := int(cj), x[cj]
			if moved {
				for _, i := range l.path[:p] {
					at := x[i]
					if l.meet[j]>>i&1 == 1 {
						at += l.lo[int(i)*l.n+j]
					}
					v = max(v, at)
				}
			}
			for rest := l.tied[j]; rest != 0; rest &= rest - 1 {
				u := bits.TrailingZeros32(rest)
				at := x[u]
				if set>>u&1 == 1 {
					at = e[u]
				}
				v = max(v, at-l.hi[j*l.n+u])
			}
			if v > x[j] {
				if v = l.up(j, v); v > l.high[j] {
					return false
				}
				x[j], again, moved = v, true, true
			}
		}
		if !again {
			return true
		}
		if passes > l.proof {
			return false
		}
		if passes > l.patience || passes&63 == 0 && l.watch.Over() {
			l.gaveUp = true
			return false
		}
		for rest := set; rest != 0; rest &= rest - 1 {
			for _, i := range l.path[:l.depth] {
				if !l.raise(bits.TrailingZeros32(rest), int(i), x, e) {
					return false
				}
			}
		}
	}
}

// raise raises e[u] to the level of the placed buffer i, or by their chosen distance above it if
// the two meet. It reports whether u can still lie there.
func (l *Search) raise(u, i int, x, e *rungs) bool {
	v := x[i]
	if l.meet[u]>>i&1 == 1 {
		v += l.lo[i*l.n+u]
	}
	if v > e[u] {
		e[u] = l.up(u, v)
	}
	return e[u] <= l.high[u]
}

// ascending returns the buffers of a set by ascending level.
func ascending(set uint32, at *rungs) (order [ladderMost]int8) {
	count := 0
	for rest := set; rest != 0; rest &= rest - 1 {
		u := bits.TrailingZeros32(rest)
		p := count
		for ; p > 0 && at[order[p-1]] > at[u]; p-- {
			order[p] = order[p-1]
		}
		order[p] = int8(u)
		count++
	}
	return order
}

// infer raises the bounds z of the unplaced buffers. It reports whether all of them may still fit.
func (l *Search) infer(set, asleep uint32, z *rungs) bool {
	n := l.n
	again := true
	for passes := 0; again && passes < n; passes++ {
		again = false
		for rest := set; rest != 0; rest &= rest - 1 {
			u := bits.TrailingZeros32(rest)
			near := l.meet[u] & set
			if asleep>>u&1 == 0 && z[u] <= l.latest(near|1<<u, u) {
				continue
			}
			// Some buffer that u meets has a lower level.
			low := int64(noEnd)
			for q := near; q != 0; q &= q - 1 {
				w := bits.TrailingZeros32(q)
				low = min(low, z[w]+l.least[w*n+u])
			}
			if low == noEnd {
				return false
			}
			if low > z[u] {
				z[u] = l.up(u, low)
				if z[u] > l.high[u] {
					return false
				}
				again = true
			}
		}
	}
	// Take all buffers from one level on. One of them must be able to be the lowest.
	order, upper := ascending(set, z), uint32(0)
	for p := bits.OnesCount32(set) - 1; p >= 0; p-- {
		upper |= 1 << order[p]
		if p > 0 && z[order[p-1]] == z[order[p]] {
			continue
		}
		fits := false
		for rest := upper; rest != 0 && !fits; rest &= rest - 1 {
			u := bits.TrailingZeros32(rest)
			fits = z[u] <= l.latest(upper, u)
		}
		if !fits {
			return false
		}
	}
	return true
}

// beaten reports whether the same set has failed with levels that were nowhere higher.
func (l *Search) beaten(set uint32, z *rungs) bool {
	f := &l.known
	if f.Used == 0 {
		return false
	}
	at := f.Heads[f.Slot(uint64(set))]
	for tries := 0; at != 0 && tries < common.FrontMost; tries++ {
		v := f.Cells[at+1:]
		x, rest := 1, set
		for ; rest != 0 && z[bits.TrailingZeros32(rest)] >= v[x]; rest &= rest - 1 {
			x++
		}
		if rest == 0 {
			return true
		}
		at = int32(f.Cells[at])
	}
	return false
}

// addFailed records that a set has failed with the levels e.
func (l *Search) addFailed(set uint32, e *rungs) {
	f := &l.known
	f.Open(uint64(set), 0)
	for rest := set; rest != 0; rest &= rest - 1 {
		f.Cells = append(f.Cells, e[bits.TrailingZeros32(rest)])
	}
}

package ladder

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/invariants"
)

// Under the tag invariants the levels of each node are computed from scratch, and each plan that is found is held
// against the table. A difference is a panic.

// check checks what leastLevels has left: x and e are the least levels that keep the sequence, the chosen ranges and the
// ties. It raises all levels from the lowest ones, one constraint after the other, until none is broken
// (Bellman and Ford).
func (l *Search) check(set uint32, x, e *rungs) {
	got, open := *x, set
	for rest := set; rest != 0; rest &= rest - 1 {
		u := bits.TrailingZeros32(rest)
		got[u] = e[u]
	}
	for _, j := range l.path[:l.depth] {
		open |= 1 << j
	}
	var at rungs
	for j := range l.n {
		at[j] = max(l.low[j], l.start[j])
	}
	for again := true; again; {
		again = false
		raise := func(j int, v int64) {
			if v <= at[j] {
				return
			}
			at[j], again = l.up(j, v), true
			invariants.Must(at[j] <= got[j], "too low is the level of buffer", j)
		}
		for p, i := range l.path[:l.depth] {
			after := set
			for _, j := range l.path[p+1 : l.depth] {
				after |= 1 << j
			}
			for rest := after; rest != 0; rest &= rest - 1 {
				j, least := bits.TrailingZeros32(rest), at[i]
				if l.meet[j]>>i&1 == 1 {
					least += l.lo[int(i)*l.n+j]
				}
				raise(j, least)
			}
			for rest := l.tied[i] & open; rest != 0; rest &= rest - 1 {
				u := bits.TrailingZeros32(rest)
				raise(int(i), at[u]-l.hi[int(i)*l.n+u])
			}
		}
	}
	for rest := open; rest != 0; rest &= rest - 1 {
		j := bits.TrailingZeros32(rest)
		invariants.Equal(got[j], at[j], "level of buffer", j)
	}
}

// checkPlan compares the plan in At with the table: no buffer has a higher level than latest allows, for the set of
// all buffers at its level or above, and for that set without any one of them.
func (l *Search) checkPlan() {
	var x rungs
	for j, local := range l.id {
		x[j] = -l.At[local] - l.shift[j]
	}
	for f := range l.n {
		set := uint32(0)
		for g := range l.n {
			if x[g] >= x[f] {
				set |= 1 << g
			}
		}
		invariants.Must(x[f] <= l.latest(set, f), "above its latest level is buffer", f)
		for rest := set &^ (1 << f); rest != 0; rest &= rest - 1 {
			invariants.Must(x[f] <= l.latest(set&^(rest&-rest), f), "above its latest level in a smaller set is buffer", f)
		}
	}
}

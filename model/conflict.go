package model

import "slices"

// Idea: who conflicts with whom, from the rules, pair by pair. A caller with many pairs should find the
// candidates by a sweep first, as internal/lower does. The verifier reads the rules by itself.
//
// Complexity: Meet is O(pieces of the two). Conflict adds a look-up in sorted lists.

// Meet reports whether buffers i and j are live at the same time: no buffer ends before the other
// starts, or, with gaps, two of their pieces meet.
func (p *Problem) Meet(i, j int) bool {
	a, b := &p.Buffers[i], &p.Buffers[j]
	if p.Rules != nil && p.Rules.Threads > 0 {
		c, d := a.Extra.Clocks, b.Extra.Clocks
		return !c.Before(d) && !d.Before(c)
	}
	if p.Rules == nil || p.Rules.Period == 0 {
		return meet(a, b, 0)
	}
	t := p.Rules.Period
	return meet(a, b, 0) || meet(a, b, t) || meet(a, b, -t)
}

// meet reports whether a piece of a meets one of b that is moved by shift slots.
func meet(a, b *Buffer, shift int64) bool {
	if a.Upper <= b.Lower+shift || b.Upper+shift <= a.Lower {
		return false
	}
	if len(a.Gaps) == 0 && len(b.Gaps) == 0 {
		return true
	}
	for x := range a.Pieces {
		for y := range b.Pieces {
			if x.Lower < y.Upper+shift && y.Lower+shift < x.Upper {
				return true
			}
		}
	}
	return false
}

// Conflicts answers who conflicts with whom in a valid problem.
type Conflicts struct {
	p           *Problem
	body        []int32
	at          []int64
	apart, free map[Pair]bool
}

// NewConflicts prepares the rules of p.
func NewConflicts(p *Problem) *Conflicts {
	c := &Conflicts{p: p}
	c.body, c.at, _ = BodiesOf(p)
	if p.Rules != nil {
		c.apart, c.free = pairSet(p.Rules.Apart), pairSet(p.Rules.MayOverlap)
	}
	return c
}

func pairSet(pairs []Pair) map[Pair]bool {
	set := make(map[Pair]bool, len(pairs))
	for _, x := range pairs {
		set[x.Sorted()] = true
	}
	return set
}

// Sorted returns the pair with the smaller index first.
func (x Pair) Sorted() Pair { return Pair{min(x[0], x[1]), max(x[0], x[1])} }

// Bodies returns body and at of BodiesOf, which NewConflicts has computed.
func (c *Conflicts) Bodies() (body []int32, at []int64) { return c.body, c.at }

// SameBody reports whether Together ties i and j.
func (c *Conflicts) SameBody(i, j int) bool { return c.body != nil && c.body[i] == c.body[j] }

// Apart reports whether the rules keep i and j apart whatever their lifespans.
func (c *Conflicts) Apart(i, j int) bool {
	return c.apart[Pair{int32(i), int32(j)}.Sorted()] && !c.SameBody(i, j)
}

// Conflict reports whether i and j conflict. A pair with a Distance does.
func (c *Conflicts) Conflict(i, j int) bool {
	switch {
	case c.SameBody(i, j):
		return false
	case c.Apart(i, j):
		return true
	}
	return !c.free[Pair{int32(i), int32(j)}.Sorted()] && c.p.Meet(i, j)
}

// Inert reports whether a penalty on i and j can never be paid. That is so if they conflict, are of one
// body, or may be in no common pool.
func (c *Conflicts) Inert(i, j int) bool {
	if c.SameBody(i, j) || c.Conflict(i, j) {
		return true
	}
	for k := range c.p.AllPools() {
		if c.p.Buffers[i].MayUse(int32(k)) && c.p.Buffers[j].MayUse(int32(k)) {
			return false
		}
	}
	return true
}

// PenaltiesOf returns the penalties that can be paid and cost more than 0, sorted, one for each pair. The
// costs of a pair that is listed twice are added.
func (c *Conflicts) PenaltiesOf() []Penalty {
	if c.p.Rules == nil {
		return nil
	}
	all := make([]Penalty, 0, len(c.p.Rules.Penalties))
	for _, x := range c.p.Rules.Penalties {
		if x.Cost > 0 && !c.Inert(int(x.Buffers[0]), int(x.Buffers[1])) {
			all = append(all, Penalty{x.Buffers.Sorted(), x.Cost})
		}
	}
	slices.SortFunc(all, func(x, y Penalty) int {
		return slices.Compare(x.Buffers[:], y.Buffers[:])
	})
	merged := all[:0]
	for _, x := range all {
		if n := len(merged); n > 0 && merged[n-1].Buffers == x.Buffers {
			merged[n-1].Cost += x.Cost
		} else {
			merged = append(merged, x)
		}
	}
	return merged
}

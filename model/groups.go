package model

import "fmt"

// Idea: a barrier, a copy or a reset is paid once, however many pairs of buffers need it. A group is such a price with the
// pairs that lead to it:
//
//	two buffers coincide   if they are in one pool, at one offset, and do not conflict
//	a pair counts          if its buffers share a byte, as for a Penalty; or, if Moved is set, if they do not coincide
//	a group is paid        if one of its pairs counts; or, if All is set, if all of them do
//
// A reward for buffers that coincide is a price that is paid unless they do: the two differ by a constant.
//
// Complexity: O(pairs) look-ups for a plan.

// A Group is a price that is paid once for a set of pairs. It counts in the measure penalty. No buffer of a pair has
// evictions. If Moved is set, none may be in a pool of objects.
type Group struct {
	Pairs []Pair // at least one
	Cost  int64  // at least 0
	Moved bool   // a pair counts if its buffers do not coincide, and not if they share bytes
	All   bool   // the price is paid if all pairs count, and not if one does
}

// Paid are the words of files for Moved and All.
var Paid = [4]string{"if one shares", "if all share", "unless all coincide", "unless one coincides"}

// When returns the place of a group in Paid.
func (g *Group) When() (k int) {
	if g.All {
		k++
	}
	if g.Moved {
		k += 2
	}
	return k
}

// SetWhen sets Moved and All, by a place in Paid.
func (g *Group) SetWhen(k int) { g.Moved, g.All = k >= 2, k%2 == 1 }

// Counts reports whether a pair of a group counts in a plan. The buffers have no parts.
func (c *Conflicts) Counts(g *Group, pair Pair, plan *Plan) bool {
	i, j := int(pair[0]), int(pair[1])
	a, b, one := plan.Offsets[i], plan.Offsets[j], plan.PoolOf(i) == plan.PoolOf(j)
	conflict := c.Conflict(i, j)
	if g.Moved {
		return !one || a != b || conflict
	}
	return one && !conflict && !c.SameBody(i, j) && a < b+c.p.Buffers[j].Size && b < a+c.p.Buffers[i].Size
}

// Pays reports whether a plan pays for a group.
func (c *Conflicts) Pays(g *Group, plan *Plan) bool {
	for _, pair := range g.Pairs {
		if c.Counts(g, pair, plan) != g.All {
			return !g.All
		}
	}
	return g.All
}

// groups checks the groups. It returns what they cost at most.
func (v *validator) groups(r *Rules) (sum int64) {
	for k := range r.Groups {
		g := &r.Groups[k]
		field := fmt.Sprintf("groups[%d]", k)
		switch {
		case len(g.Pairs) == 0:
			v.add(-1, field, "", "has no pair of buffers")
		case g.Cost < 0 || g.Cost > MaxSum:
			v.add(-1, field+".cost", itoa(g.Cost), fmt.Sprintf("must be from 0 to %d", int64(MaxSum)))
		case g.Cost > MaxSum-sum:
			v.add(-1, field+".cost", itoa(g.Cost), fmt.Sprintf("makes the sum of the groups exceed %d", int64(MaxSum)))
			return sum
		default:
			sum += g.Cost
		}
		if !v.pairs(field, len(g.Pairs), func(k int) Pair { return g.Pairs[k] }) {
			continue
		}
		for _, pair := range g.Pairs {
			for _, i := range pair {
				if v.p.Buffers[i].MayLeave() {
					v.add(-1, field, v.p.Buffers[i].ID, "a buffer with evictions can be in no group")
				}
				for q := range r.Pools {
					if g.Moved && r.Pools[q].Objects && v.p.Buffers[i].MayUse(int32(q)) {
						v.add(-1, field, v.p.Buffers[i].ID, "may be in pool "+r.Pools[q].ID+", which is divided into objects; those have no "+
							"offsets in common")
					}
				}
			}
		}
	}
	return sum
}

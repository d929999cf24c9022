// Package heights looks for low plans of several pools if buffers may choose their pool and the objective begins with a
// height.
//
//	heights.go   the problem: bodies, their pools, and at which distances they may lie
//	order.go     the plan of an order
//	shared.go    pools that are divided into objects
//	keep.go      borders, and buffers of different kinds, which share no page
//	descend.go   better orders
//	balance.go   pools whose loads are even
//	split.go     pools whose loads have a low sum, and a bound of it
//	branch.go    the same by branch and bound
//	divide.go    a bound of the highest pool: whole bodies of a few sections
//	objects.go   pools that have one body at a time
//
// Source: the greedy is what compilers and drivers do by themselves: the largest buffer first, into the pool in which
// it ends lowest.
package heights

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/assign"
	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/model"
)

// Idea: everything that the rules say about two bodies in one pool is a list of forbidden distances, and everything
// that they say about one body is a set of pools, with the places that suit the alignment there. Whoever places bodies
// one after the other needs no more, whatever the rules.
//
// Invariant: a body keeps its members together, in one pool. Two bodies of one pool lie at no forbidden distance.
//
// Complexity: O(pairs of bodies that share a section), at most mostMeetings.

const (
	mostLoose    = 2_000
	mostMeetings = 4_000_000
)

// A Field is a problem as bodies that may be placed one after the other.
type Field struct {
	p        *model.Problem
	pools    []model.Pool
	sections int
	goals    []goal // the heights that lead the objective
	bodies   []body
	near     [][]distance // of each body, what its neighbours forbid
	groups   [][]int32    // of each section, the bodies in it

	walls []model.Pool // the pools with their borders and granularities; nil without Keep
	spans []bool       // of each buffer, whether it may lie on both sides of a border
	paged [][]page     // of each body; nil without pages

	alien [][]int32 // of each body, those with which it shares no object; nil without objects (shared.go)
	step  []int64   // of each pool of objects, a multiple of all alignments there
}

// A body is a set of buffers that lie together.
type body struct {
	members []int32
	at      []int64      // how far above its origin each member begins
	size    int64        // from its origin to its highest end
	area    int64        // size times sections
	uses    []assign.Use // its bytes in use, by sections
	pools   []int32      // in which it may be
	grid    []lower.Grid // of each of these, the origins that suit the alignments
	fixed   int64        // its origin, or -1
	kind    int32        // of its members, the last one; 0 without Keep
}

// A distance says that the origin of a body minus the origin of another body is not in the open range (low, high).
type distance struct {
	other     int32
	low, high int64
}

// Leading returns the measures of height before cost and penalty.
func Leading(objective []model.Measure) (all []model.Measure) {
	for _, m := range objective {
		switch m {
		case model.MeasureEviction:
		case model.MeasureCost, model.MeasurePenalty, model.MeasureObjects:
			return all
		default:
			all = append(all, m)
		}
	}
	return all
}

// New prepares a problem without evictions. It returns nil if the problem is too large, if some body has no place, or
// if a pool is divided into objects: what bodies may do there is no matter of who is live beside them.
func New(l *lower.Lowering, c *assign.Choices, objective []model.Measure) *Field {
	if l.Problem.Rules.HasObjects() {
		return nil
	}
	return newField(l, c, objective)
}

func newField(l *lower.Lowering, c *assign.Choices, objective []model.Measure) *Field {
	if len(c.Bodies) > mostLoose || len(c.Bodies)*len(l.Pools) > mostMeetings {
		return nil
	}
	f := &Field{p: l.Problem, pools: l.Pools, sections: c.Sections, bodies: make([]body, len(c.Bodies))}
	for _, m := range objective {
		f.goals = append(f.goals, f.goal(m))
	}
	_, at := l.Conflicts.Bodies()
	for k := range c.Bodies {
		if !f.bodies[k].set(l, &c.Bodies[k], at) {
			return nil
		}
	}
	if !f.meet(l, c) {
		return nil
	}
	return f
}

// set describes a body. It returns false if no pool suits its alignments.
func (b *body) set(l *lower.Lowering, from *assign.Body, at []int64) bool {
	p := l.Problem
	b.members, b.at, b.fixed, b.area, b.uses = from.Members, make([]int64, len(from.Members)), -1, from.Area(), from.Uses
	for m, i := range b.members {
		if at != nil {
			b.at[m] = at[i]
		}
	}
	lowest := slices.Min(b.at)
	for m, i := range b.members {
		b.at[m] -= lowest
		b.size = max(b.size, b.at[m]+p.Buffers[i].Size)
		if fixed := p.Buffers[i].Fixed; fixed != nil {
			b.fixed = *fixed - b.at[m]
		}
	}
	for _, q := range from.Pools {
		grid, ok := lower.Grid{Step: 1}, true
		for m, i := range b.members {
			for _, align := range [...]int64{p.Buffers[i].Align(), max(1, l.Pools[q].Alignment)} {
				if ok {
					grid, ok = grid.And(b.at[m], align)
				}
			}
		}
		if ok && (b.fixed < 0 || grid.Up(b.fixed) == b.fixed) {
			b.pools, b.grid = append(b.pools, q), append(b.grid, grid)
		}
	}
	return len(b.pools) > 0
}

// meet lists the distances that bodies forbid each other. It returns false if there are too many.
func (f *Field) meet(l *lower.Lowering, c *assign.Choices) bool {
	present := make([][]int32, c.Sections)
	sum := 0
	for k := range c.Bodies {
		for _, u := range c.Bodies[k].Uses {
			for t := u.First; t < u.Last; t++ {
				present[t] = append(present[t], int32(k))
			}
			if sum += int(u.Last - u.First); sum > mostMeetings {
				return false
			}
		}
	}
	f.groups, f.near = present, make([][]distance, len(f.bodies))
	pairs, seen := places.NewPairs(f.p, l.Conflicts), make([]int32, len(f.bodies))
	sum = 0
	for k := range f.bodies {
		for _, u := range c.Bodies[k].Uses {
			for t := u.First; t < u.Last; t++ {
				for _, o := range present[t] {
					if int(o) < k && seen[o] != int32(k)+1 {
						seen[o] = int32(k) + 1
						f.between(pairs, int32(k), o)
						sum++
					}
				}
			}
			if sum > mostMeetings {
				return false
			}
		}
	}
	return true
}

// between lists the distances that two bodies forbid each other.
func (f *Field) between(pairs *places.Pairs, k, o int32) {
	a, b := &f.bodies[k], &f.bodies[o]
	for m, i := range a.members {
		for n, j := range b.members {
			pairs.Between(i, j, func(low, high int64) {
				if low+1 < high {
					low, high := low-a.at[m]+b.at[n], high-a.at[m]+b.at[n]
					f.near[k] = append(f.near[k], distance{o, low, high})
					f.near[o] = append(f.near[o], distance{k, -high, -low})
				}
			})
		}
	}
}

// A goal is a measure of height, or the number of objects.
type goal struct {
	count   bool    // the number of objects
	most    bool    // the most of all pools, not their sum
	pool    int     // the only pool that counts, or -1
	reaches []int64 // a pool is at least as high as this, by its reserved ranges
}

// goal returns what a measure counts.
func (f *Field) goal(m model.Measure) goal {
	kind, name, one := strings.Cut(string(m), ":")
	g := goal{count: m == model.MeasureObjects, most: strings.HasPrefix(kind, "max_"), pool: -1, reaches: make([]int64, len(f.pools))}
	for q := range f.pools {
		if one && f.pools[q].ID == name {
			g.pool = q
		}
		if strings.HasSuffix(kind, string(model.MeasurePeak)) {
			for _, r := range f.pools[q].Reserved {
				g.reaches[q] = max(g.reaches[q], r.Upper)
			}
		}
	}
	return g
}

// value returns the measure by the height of each pool.
func (g *goal) value(height []int64) (value int64) {
	if g.count {
		return 0 // at the beginning
	}
	for q, h := range height {
		if h = max(h, g.reaches[q]); g.pool >= 0 && q != g.pool {
			continue
		}
		if g.most {
			value = max(value, h)
		} else {
			value += h
		}
	}
	return value
}

// raised returns the measure after a pool has become higher, from its value before.
func (g *goal) raised(value int64, pool int32, from, to int64) int64 {
	reach := g.reaches[pool]
	switch {
	case g.pool >= 0 && int(pool) != g.pool:
		return value
	case g.most:
		return max(value, to, reach)
	}
	return value + max(to, reach) - max(from, reach)
}

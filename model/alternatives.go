package model

import (
	"fmt"
	"slices"
)

// Idea: a compiler may give a buffer one of several forms: a ring with more or fewer stages, a tensor in one of several
// tilings, a copy in one of several layouts. Each form is a buffer of its own, with its size, lifespan, pools and costs. A
// list of Rules.Alternatives has the forms, and a plan chooses one of each list.
//
//	chosen      has its place, and all rules hold for it
//	not chosen  has the offset Absent, and the pool Absent if the plan has pools; no rule says anything of it
//
// So a plan is right if it is a plan of the problem that Only leaves of the chosen buffers.
//
// Complexity: O(buffers + rules) for Only.

// Absent is the offset, and the pool, of a buffer that a plan does not choose. See Rules.Alternatives.
const Absent = -1

// Has reports whether a plan has buffer i: it is not one of several alternatives, or it is the chosen one.
func (p *Plan) Has(i int) bool { return p.Offsets[i] != Absent }

// Chosen returns the buffers that a plan has, in ascending order.
func (p *Plan) Chosen() (all []int) {
	for i := range p.Offsets {
		if p.Has(i) {
			all = append(all, i)
		}
	}
	return all
}

// Only returns the problem of some buffers of p, in ascending order, with the rules among them. A rule says nothing of the
// other buffers: a pair with one of them is gone, and lists are shorter. p is valid and has rules. What the buffers point to
// is shared with p.
func Only(p *Problem, keep []int) *Problem {
	q, r := *p, *p.Rules
	to := make([]int32, len(p.Buffers))
	for i := range to {
		to[i] = Absent
	}
	q.Buffers = make([]Buffer, 0, len(keep))
	for k, i := range keep {
		to[i] = int32(k)
		q.Buffers = append(q.Buffers, p.Buffers[i])
	}
	within := func(x Pair) (Pair, bool) {
		y := Pair{to[x[0]], to[x[1]]}
		return y, y[0] >= 0 && y[1] >= 0
	}
	pairs := func(of []Pair) (all []Pair) {
		for _, x := range of {
			if y, ok := within(x); ok {
				all = append(all, y)
			}
		}
		return all
	}
	r.Apart, r.MayOverlap = pairs(r.Apart), pairs(r.MayOverlap)
	r.Distances, r.Penalties, r.Groups, r.Together = nil, nil, nil, nil
	for _, x := range p.Rules.Distances {
		if y, ok := within(x.Buffers); ok {
			r.Distances = append(r.Distances, Distance{y, x.Distance})
		}
	}
	for _, x := range p.Rules.Penalties {
		if y, ok := within(x.Buffers); ok {
			r.Penalties = append(r.Penalties, Penalty{y, x.Cost})
		}
	}
	for _, g := range p.Rules.Groups {
		all := len(g.Pairs)
		if g.Pairs = pairs(g.Pairs); len(g.Pairs) > 0 && (len(g.Pairs) == all || !g.All) {
			r.Groups = append(r.Groups, g)
		}
	}
	for _, t := range p.Rules.Together {
		var left Together
		for k, i := range t.Buffers {
			if to[i] < 0 {
				continue
			}
			left.Buffers = append(left.Buffers, to[i])
			if t.At != nil {
				left.At = append(left.At, t.At[k])
			}
		}
		if len(left.Buffers) > 1 {
			r.Together = append(r.Together, left)
		}
	}
	for _, x := range r.Listings() {
		var all [][]int32
		for _, list := range *x.Lists {
			var left []int32
			for _, i := range list {
				if to[i] >= 0 {
					left = append(left, to[i])
				}
			}
			if len(left) > 1 || len(left) > 0 && x.Name == "kinds" {
				all = append(all, left)
			}
		}
		*x.Lists = all
	}
	q.Rules = &r
	return &q
}

// Among returns a plan of the problem that Only leaves, cut down to it.
func (p *Plan) Among(keep []int) *Plan {
	q := &Plan{Height: p.Height}
	for k, i := range keep {
		q.Offsets = append(q.Offsets, p.Offsets[i])
		if p.Pools != nil {
			q.Pools = append(q.Pools, p.Pools[i])
		}
		for _, x := range p.Parts {
			if int(x.Buffer) == i {
				q.Parts = append(q.Parts, Parts{int32(k), x.Parts})
			}
		}
	}
	return q
}

// Widened returns a plan of the problem that Only leaves as one of the whole problem, with n buffers. The others are absent.
func (p *Plan) Widened(keep []int, n int) Plan {
	q := Plan{Height: p.Height, Offsets: slices.Repeat([]int64{Absent}, n)}
	if p.Pools != nil {
		q.Pools = slices.Repeat([]int32{Absent}, n)
	}
	for k, i := range keep {
		q.Offsets[i] = p.Offsets[k]
		if p.Pools != nil {
			q.Pools[i] = p.Pools[k]
		}
	}
	for _, x := range p.Parts {
		q.Parts = append(q.Parts, Parts{int32(keep[x.Buffer]), x.Parts})
	}
	return q
}

// HasAlternatives reports whether r has lists of alternatives.
func (r *Rules) HasAlternatives() bool { return r != nil && len(r.Alternatives) > 0 }

// MayLack reports for each buffer whether a plan may lack it: it is in a list of alternatives.
func (p *Problem) MayLack() []bool {
	lack := make([]bool, len(p.Buffers))
	if p.Rules != nil {
		for _, list := range p.Rules.Alternatives {
			for _, i := range list {
				lack[i] = true
			}
		}
	}
	return lack
}

// once checks that each buffer is in one list of a rule at most.
func (v *validator) once(rule string, lists [][]int32) {
	of := make(map[int32]int)
	for k, list := range lists {
		field := fmt.Sprintf("%s[%d]", rule, k)
		for _, i := range list {
			if i < 0 || int(i) >= len(v.p.Buffers) {
				v.add(-1, field, itoa(int64(i)), fmt.Sprintf("there is no buffer of this index; there are %d", len(v.p.Buffers)))
			} else if first, again := of[i]; again {
				v.add(-1, field, v.p.Buffers[i].ID, fmt.Sprintf("the buffer is in %s[%d] already", rule, first))
			}
			of[i] = k
		}
	}
}

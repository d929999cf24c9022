package explain

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: what is true of the least form of each list of alternatives is true of each choice. So reasons are looked for
// in a problem without alternatives, in which one buffer stands for a list:
//
//	size       the least of its forms
//	lifespan   the time at which all of them live
//	pools      those of any form
//
// Invariant: a plan of p has a plan of this problem in it. So what proves that there is none holds for p.
//
// Complexity: O(buffers + rules).

// leastOf returns the problem of the least forms, and which buffers of p its buffers stand for. Lists whose forms are
// not plain are left out.
func leastOf(p *model.Problem) (q *model.Problem, of []int) {
	if !p.Rules.HasAlternatives() {
		of = make([]int, len(p.Buffers))
		for i := range of {
			of[i] = i
		}
		return p, of
	}
	shares := make([]bool, len(p.Buffers)) // may share bytes with a buffer that it meets
	for _, t := range p.Rules.Together {
		for _, i := range t.Buffers {
			shares[i] = true
		}
	}
	for _, x := range p.Rules.MayOverlap {
		shares[x[0]], shares[x[1]] = true, true
	}
	for _, x := range p.Rules.Distances {
		shares[x.Buffers[0]], shares[x.Buffers[1]] = true, true
	}
	lacks := p.MayLack()
	for i := range p.Buffers {
		if !lacks[i] {
			of = append(of, i)
		}
	}
	forms := map[int]model.Buffer{}
	for _, list := range p.Rules.Alternatives {
		if b, ok := leastForm(p, list, shares); ok {
			forms[int(list[0])] = b
			of = append(of, int(list[0]))
		}
	}
	slices.Sort(of)
	// no rule is about the buffers that stand for lists
	about := func(i int32) bool { _, ok := forms[int(i)]; return ok }
	rules := *p.Rules
	rules.Apart = slices.DeleteFunc(slices.Clone(rules.Apart), func(x model.Pair) bool { return about(x[0]) || about(x[1]) })
	for _, x := range rules.Listings() {
		var lists [][]int32
		for _, list := range *x.Lists {
			if list = slices.DeleteFunc(slices.Clone(list), about); len(list) > 1 {
				lists = append(lists, list)
			}
		}
		*x.Lists = lists
	}
	rules.Groups, rules.Penalties = nil, nil
	whole := *p
	whole.Rules, whole.Buffers = &rules, slices.Clone(p.Buffers)
	for i, b := range forms {
		whole.Buffers[i] = b
	}
	q = model.Only(&whole, of)
	q.Rules.Alternatives = nil
	return q, of
}

// leastForm returns what each form of a list has at least.
func leastForm(p *model.Problem, list []int32, shares []bool) (b model.Buffer, ok bool) {
	b = model.Buffer{ID: p.Buffers[list[0]].ID, Lower: math.MinInt64, Upper: math.MaxInt64, Size: math.MaxInt64}
	anywhere := false
	var pools []int32
	for _, i := range list {
		x := &p.Buffers[i]
		if shares[i] || len(x.Gaps) > 0 || x.MayLeave() || x.HasExtents() || p.Rules.Threads > 0 || p.Rules.Period > 0 {
			return b, false
		}
		b.Lower, b.Upper, b.Size = max(b.Lower, x.Lower), min(b.Upper, x.Upper), min(b.Size, x.Size)
		if anywhere = anywhere || x.Extra == nil || x.Extra.Pools == nil; !anywhere {
			pools = append(pools, x.Extra.Pools...)
		}
	}
	if !anywhere {
		slices.Sort(pools)
		b.Extra = &model.Extra{Pools: slices.Compact(pools), Spans: true}
	} else {
		b.Extra = &model.Extra{Spans: true}
	}
	return b, b.Lower < b.Upper
}

// whole completes a set of buffers: if it has one form of a list, it gets the others too.
func whole(p *model.Problem, set []int) []int {
	set = slices.Clone(set)
	for _, list := range p.Rules.Alternatives {
		if slices.ContainsFunc(list, func(i int32) bool { return slices.Contains(set, int(i)) }) {
			for _, i := range list {
				set = append(set, int(i))
			}
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// closed leaves out of a set the forms of each list that it does not have as a whole.
func closed(p *model.Problem, set []int) []int {
	for _, list := range p.Rules.Alternatives {
		if slices.ContainsFunc(list, func(i int32) bool { return !slices.Contains(set, int(i)) }) {
			set = slices.DeleteFunc(slices.Clone(set), func(i int) bool { return slices.Contains(list, int32(i)) })
		}
	}
	return set
}

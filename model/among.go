package model

import "slices"

// Idea: a question about some buffers of a problem with rules is a problem of its own. It has the rules among these
// buffers and nothing to minimise, so any plan of it is as good as any other. A tie may lead over a buffer that is left
// out, so bodies are tied anew.
//
// Invariant: a plan of p, cut down to the buffers, is a plan of the question. So if the question has no plan, p has
// none.
//
// Complexity: O(buffers + rules).

// Among returns the problem of some buffers of p, in ascending order, with the rules among them and no measure to
// minimise. p is valid and has rules. What the buffers point to is shared with p.
func Among(p *Problem, keep []int) *Problem {
	r := *p.Rules
	q := &Problem{Name: p.Name, Capacity: p.Capacity, Rules: &r, Buffers: make([]Buffer, 0, len(keep))}
	to := make([]int32, len(p.Buffers))
	for i := range to {
		to[i] = -1
	}
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
	r.Apart, r.MayOverlap = pairs(p.Rules.Apart), pairs(p.Rules.MayOverlap)
	r.Distances, r.Together, r.Penalties, r.Groups, r.Objective = nil, nil, nil, nil, []Measure{MeasurePenalty}
	for _, x := range p.Rules.Distances {
		if y, ok := within(x.Buffers); ok {
			r.Distances = append(r.Distances, Distance{Buffers: y, Distance: x.Distance})
		}
	}
	lists := func(of [][]int32, one bool) (all [][]int32) {
		for _, list := range of {
			var left []int32
			for _, i := range list {
				if to[i] >= 0 {
					left = append(left, to[i])
				}
			}
			if len(left) > 1 || one && len(left) > 0 {
				all = append(all, left)
			}
		}
		return all
	}
	for _, x := range r.Listings() {
		*x.Lists = lists(*x.Lists, x.Name == "kinds")
	}
	body, at, _ := BodiesOf(p)
	of := map[int32]int{}
	for k, i := range keep {
		if body == nil {
			break
		}
		t, there := of[body[i]]
		if !there {
			t = len(r.Together)
			of[body[i]] = t
			r.Together = append(r.Together, Together{})
		}
		r.Together[t].Buffers, r.Together[t].At = append(r.Together[t].Buffers, int32(k)), append(r.Together[t].At, at[i])
	}
	r.Together = slices.DeleteFunc(r.Together, func(t Together) bool { return len(t.Buffers) < 2 })
	return q
}

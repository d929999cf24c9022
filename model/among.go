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
// minimise. p is valid and has rules, but no alternatives. What the buffers point to is shared with p.
func Among(p *Problem, keep []int) *Problem {
	q := Only(p, keep)
	r := q.Rules
	r.Together, r.Penalties, r.Groups, r.Objective = nil, nil, nil, []Measure{MeasurePenalty}
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

package plan

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// mostListed is the number of buffers that Describe names.
const mostListed = 20

// String returns the explanation as one sentence, with buffers as indices into
// Problem.Buffers. Describe has their names.
func (x Explanation) String() string { return x.Describe(nil) }

// Describe returns the explanation as one sentence, with the IDs of the buffers. p is the problem that was explained;
// if it is nil, the sentence has indices in place of IDs. It lists at most 20 buffers.
func (x Explanation) Describe(p *model.Problem) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	span := func(from, to int64) string { return "[" + n(from) + ", " + n(to) + ")" }
	switch {
	case x.Status.HasPlan():
		return x.Status.String() + ": the buffers fit " + n(x.Capacity)
	case x.Status != model.Infeasible:
		return x.Status.String() + ": a limit came first, so it is not known whether the buffers fit " + n(x.Capacity)
	}
	s := x.Status.String() + ": "
	switch {
	case len(x.Buffers) == 1:
		s += "buffer "
	case p == nil:
		s += "the buffers with the indices "
	default:
		s += "the buffers "
	}
	for k, i := range x.Buffers {
		if k == mostListed {
			s += " and " + strconv.Itoa(len(x.Buffers)-k) + " more"
			break
		}
		if k > 0 && k == len(x.Buffers)-1 {
			s += " and "
		} else if k > 0 {
			s += ", "
		}
		if p == nil || i >= len(p.Buffers) {
			s += strconv.Itoa(i)
		} else {
			s += p.Buffers[i].ID
		}
	}
	switch c := x.Collision; {
	case x.Reason != "":
		s += " keep the rules in no plan: " + x.Reason
	case c != nil:
		s += " have fixed offsets that collide: both use bytes " + span(c.Start, c.End) + " at times " +
			span(c.Lower, c.Upper)
	case len(x.Buffers) == 1:
		s += " alone cannot fit " + n(x.Capacity)
	default:
		s += " cannot fit " + n(x.Capacity) + " together: they use up to " + n(x.Load) + " bytes at once, in " +
			span(x.At[0], x.At[1])
	}
	if !x.Irreducible {
		s += "; a limit came, so a part of them may already be too much"
	}
	return s
}

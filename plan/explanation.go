package plan

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// mostListed is the number of buffers that Describe names.
const mostListed = 20

// String says in a sentence what was found, with the buffers by their numbers. Describe
// has their names.
func (x Explanation) String() string { return x.Describe(nil) }

// Describe says in a sentence what was found, with the names of the buffers of p, the
// problem that the explanation is about; their numbers if p is nil. Of many buffers it
// names the first 20.
func (x Explanation) Describe(p *model.Problem) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	span := func(from, to int64) string { return "[" + n(from) + ", " + n(to) + ")" }
	switch {
	case x.Status.HasPlan():
		return x.Status.String() + ": the buffers fit " + n(x.Capacity)
	case x.Status != model.Infeasible:
		return x.Status.String() + ": a limit came before it was known whether the buffers fit " + n(x.Capacity)
	}
	s := x.Status.String() + ": "
	switch {
	case len(x.Buffers) == 1:
		s += "buffer "
	case p == nil:
		s += "the buffers with the numbers "
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
	case c != nil:
		s += " have fixed offsets that collide: both use bytes " + span(c.Start, c.End) + " at times " + span(c.Lower, c.Upper)
	case len(x.Buffers) == 1:
		s += " alone cannot fit " + n(x.Capacity)
	default:
		s += " cannot fit " + n(x.Capacity) + " together: they use up to " + n(x.Load) + " bytes at once, in " + span(x.At[0], x.At[1])
	}
	if !x.Irreducible {
		s += "; a limit came, and some of them may be enough"
	}
	return s
}

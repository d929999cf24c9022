package explain

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: one place words the reason why nothing fits, for the command and for the C library. Why words an Explanation,
// which a planner has searched for. Reason words what needs no search. It reads the problem itself, in O(n log n),
// after a run that has proven that nothing fits.

// Local says why a problem with rules has no plan if one of these is the reason: a buffer has no place, two buffers
// have none beside each other, or a moment is too full. It has no capital letter and no full stop. It is empty if none
// of these is the reason.
func Local(p *model.Problem) string {
	if proof := prove(p); proof != nil {
		return proof.Reason
	}
	if f := fullest(p); f != nil {
		return f.words(p)
	}
	return ""
}

// mostNamed is the number of buffers of an overfull section that Reason names.
const mostNamed = 3

// Reason says why no plan of p fits the capacity. The caller knows from a run that no plan is lower than lowerBound.
// The reasons are: fixed offsets that collide, a fixed offset or a size above the capacity, or the moment that is too
// full and by how much. If it is none of these, the reason is the arrangement, and Reason says how far the bound is
// above the capacity. name is how an ID is written. If the problem has rules, Reason says what Local says. If Local is
// empty, it says only that no plan keeps the rules.
func Reason(p *model.Problem, capacity, lowerBound int64, name func(id string) string) string {
	if p.Ruled() {
		if why := Local(p); why != "" {
			return name("No plan keeps the rules. " + sentence(why))
		}
		return "No plan keeps the rules."
	}
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	over := func(x int64) string {
		return n(x) + ", which is " + n(x-capacity) + " more than the capacity of " + n(capacity)
	}
	if c := verify.Collide(p); c != nil {
		return "The " + Collides(c, name(p.Buffers[c.A].ID), name(p.Buffers[c.B].ID)) + ", so no capacity is enough."
	}
	if top, end := bound.TopFixed(p); end > capacity {
		return "Buffer " + EndsAt(name(p.Buffers[top].ID), &p.Buffers[top]) + ", above the capacity of " + n(capacity) + "."
	}
	if i, ok := tooLarge(p, capacity); ok {
		return "Buffer " + name(p.Buffers[i].ID) + " alone takes " + over(p.Buffers[i].Size) + "."
	}
	tl := timeline.New(p)
	load, at := bound.Peak(tl.Load)
	moment := ""
	if len(tl.Load) > 0 {
		moment = "[" + n(tl.Starts[at]) + ", " + n(tl.Ends[at]) + ")"
	}
	if load <= capacity {
		return "At most " + n(load) + " are in use at once, in " + moment + ", and the capacity is " + n(capacity) +
			". But no arrangement of the buffers is that low: no plan is lower than " + n(lowerBound) + "."
	}
	members := membersOf(tl, at)
	// two at least: none is too large alone
	s := "In " + moment + " " + n(int64(len(members))) + " buffers take " + over(load) + ". " +
		upper(listed(p, members, name))
	if lowerBound > load {
		return s + ". No plan is lower than " + n(lowerBound) + "."
	}
	return s + "."
}

// Why says why the buffers of an explanation cannot fit, or returns "" if that is not known.
// subset has these buffers. name is how an ID is written.
func Why(x *plan.Explanation, subset *model.Problem, name func(id string) string) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	span := func(from, to int64) string { return "[" + n(from) + ", " + n(to) + ")" }
	if x.Status != model.Infeasible {
		return ""
	}
	if x.Reason != "" {
		return name(x.Reason)
	}
	if c := x.Collision; c != nil {
		return "Both use bytes " + span(c.Start, c.End) + " in " + span(c.Lower, c.Upper) + ", so that no capacity is enough."
	}
	if b := FixedAbove(x, subset); b != nil {
		return EndsAt(name(b.ID), b) + ", above " + n(x.Capacity) + "."
	}
	if x.Load > x.Capacity {
		takes := " they take "
		if len(x.Buffers) == 1 {
			takes = " it takes "
		}
		return "In " + span(x.At[0], x.At[1]) + takes + n(x.Load) + ", which is " + n(x.Load-x.Capacity) + " too much."
	}
	return "They take at most " + n(x.Load) + " at once, in " + span(x.At[0], x.At[1]) +
		", but no arrangement of them fits."
}

// mostShown is the number of buffers that Told names.
const mostShown = 8

// Told says in a few sentences which buffers of p cannot fit, and why. It is for pictures and pages, which have no room
// for a table. It returns "" if that is not known. name is how an ID is written.
func Told(x *plan.Explanation, p *model.Problem, name func(id string) string) string {
	if x.Status != model.Infeasible {
		return ""
	}
	if c := x.Collision; c != nil {
		return "The " + Collides(c, name(p.Buffers[c.A].ID), name(p.Buffers[c.B].ID)) + ", so no capacity is enough."
	}
	names := ""
	for k, i := range x.Buffers[:min(len(x.Buffers), mostShown)] {
		switch {
		case k > 0 && k == len(x.Buffers)-1:
			names += " and "
		case k > 0:
			names += ", "
		}
		names += name(p.Buffers[i].ID)
	}
	if more := len(x.Buffers) - mostShown; more > 0 {
		names += " and " + strconv.Itoa(more) + " more"
	}
	if x.Reason != "" {
		return names + ": no plan keeps the rules. " + name(x.Reason)
	}
	capacity := strconv.FormatInt(x.Capacity, 10)
	if len(x.Buffers) == 1 {
		return names + " alone cannot fit " + capacity + ". " + Why(x, Subset(p, x), name)
	}
	s := names + " cannot fit " + capacity + " together. " + Why(x, Subset(p, x), name)
	if x.Irreducible {
		s += " " + AloneFit(len(x.Buffers))
	}
	return s
}

// NextCall says what to ask of a library whose answer is that nothing fits. collides reports whether fixed offsets are
// why.
func NextCall(p *model.Problem, collides bool) string {
	switch {
	case p.Ruled():
		return "explain names the buffers and rules that cannot go together"
	case collides:
		return "solve plans anew if the fixed offsets are left out"
	}
	return "explain names the buffers that cannot fit; solve without a capacity looks for the lowest plan"
}

// AloneFit says in words what it means that a set of n buffers is irreducible.
func AloneFit(n int) string {
	if n == 1 {
		return "It cannot fit even alone."
	}
	return "If any one of them is left out, the others of this set fit; the whole problem may still not."
}

// Subset returns the buffers of an explanation as a problem.
func Subset(p *model.Problem, x *plan.Explanation) *model.Problem {
	return subset(p, x.Buffers, x.Capacity)
}

// FixedAbove returns the buffer that ends above the capacity because of its fixed offset, or
// nil if that is not the reason.
func FixedAbove(x *plan.Explanation, subset *model.Problem) *model.Buffer {
	if x.Reason != "" {
		return nil
	}
	top, end := bound.TopFixed(subset)
	if x.Status != model.Infeasible || x.Collision != nil || end <= x.Capacity {
		return nil
	}
	return &subset.Buffers[top]
}

// EndsAt says where a fixed buffer ends. The caller gives the name to write.
func EndsAt(name string, b *model.Buffer) string {
	return name + " is fixed at " + strconv.FormatInt(*b.Fixed, 10) + " and ends at " +
		strconv.FormatInt(*b.Fixed+b.Size, 10)
}

// Collides says where two fixed buffers overlap. The caller gives the names to write.
func Collides(c *model.Collision, a, b string) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	return "buffers " + a + " and " + b + " have fixed offsets that collide: both use bytes [" + n(c.Start) + ", " +
		n(c.End) + ") at times [" + n(c.Lower) + ", " + n(c.Upper) + ")"
}

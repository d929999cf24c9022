package explain

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: why nothing fits, in a sentence, as the command and the C library say it. A
// program that does not ask has none of it.

// Why says why the buffers of an explanation, which are those of subset, cannot fit; ""
// where they are not known not to. name is how an ID is written.
func Why(x *plan.Explanation, subset *model.Problem, name func(id string) string) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	span := func(from, to int64) string { return "[" + n(from) + ", " + n(to) + ")" }
	if x.Status != model.Infeasible {
		return ""
	}
	if c := x.Collision; c != nil {
		return "Both use bytes " + span(c.Start, c.End) + " in " + span(c.Lower, c.Upper) + ", so that no capacity is enough."
	}
	if b := FixedAbove(x, subset); b != nil {
		return EndsAt(name(b.ID), b) + ", above " + n(x.Capacity) + "."
	}
	if x.Load > x.Capacity {
		return "In " + span(x.At[0], x.At[1]) + " they take " + n(x.Load) + ", which is " + n(x.Load-x.Capacity) + " too much."
	}
	return "They never take more than " + n(x.Load) + " at once, in " + span(x.At[0], x.At[1]) + ", but no arrangement of them fits."
}

// Subset returns the buffers of an explanation as a problem of their own.
func Subset(p *model.Problem, x *plan.Explanation) *model.Problem {
	subset := &model.Problem{Name: p.Name, Capacity: x.Capacity}
	for _, i := range x.Buffers {
		subset.Buffers = append(subset.Buffers, p.Buffers[i])
	}
	return subset
}

// FixedAbove returns the buffer whose fixed offset makes it end above the capacity, nil
// where that is not the reason.
func FixedAbove(x *plan.Explanation, subset *model.Problem) *model.Buffer {
	top, end := bound.TopFixed(subset)
	if x.Status != model.Infeasible || x.Collision != nil || end <= x.Capacity {
		return nil
	}
	return &subset.Buffers[top]
}

// EndsAt says where a buffer with a fixed offset ends, under a name for it.
func EndsAt(name string, b *model.Buffer) string {
	return name + " is fixed at " + strconv.FormatInt(*b.Fixed, 10) + " and ends at " + strconv.FormatInt(*b.Fixed+b.Size, 10)
}

// Collides says where two buffers with fixed offsets meet, under names for them.
func Collides(c *model.Collision, a, b string) string {
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	return "buffers " + a + " and " + b + " are fixed where both use bytes [" + n(c.Start) + ", " + n(c.End) + ") at times [" + n(c.Lower) + ", " + n(c.Upper) + ")"
}

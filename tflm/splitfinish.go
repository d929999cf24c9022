package tflm

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: the last plan of the best choice has the time of the options. Its model is written, and the front is that of
// all
// choices that were planned.
//
// Complexity: that of the last plan.

// finish plans the best choice with the time of the options, and fills in out.
func (c *chooser) finish(ctx context.Context) error {
	c.out.Planned = len(c.known)
	if c.best == nil {
		if c.out.Why == "" {
			c.out.Why = "no choice of strips has a smaller arena"
		}
		if c.out.Stopped != "" {
			c.out.Why = "no strips with a smaller arena were found in time"
		}
		return nil
	}
	c.out.Why = ""
	if x, err := c.plan(ctx, c.best.chains, c.rest(), rowSearch{start: c.best.plan.planned}, true); err != nil {
		return err
	} else if x != nil && c.better(x, c.best) {
		c.best = x
	}
	c.known[nameOf(c.best.chains)], c.out.Larger = c.best, c.best.larger
	c.out.scratch = c.scratchOf(c.best.plan.Model)
	if err := c.best.plan.compare(context.WithoutCancel(ctx), c.options.bars); err != nil {
		return err
	}
	m, err := c.best.plan.Model.Written()
	if err != nil {
		return err
	}
	c.best.plan.Model = m
	c.out.Plan, c.out.Choice = c.best.plan, *c.best
	c.out.Plan.InStrips = &c.out
	for _, x := range c.known {
		if x != nil {
			c.out.Front = append(c.out.Front, *x)
		}
	}
	slices.SortFunc(c.out.Front, func(x, y Choice) int {
		return cmp.Or(cmp.Compare(x.Arena, y.Arena), cmp.Compare(x.MACs, y.MACs),
			strings.Compare(nameOf(x.chains), nameOf(y.chains)))
	})
	least := int64(-1)
	c.out.Front = slices.DeleteFunc(c.out.Front, func(x Choice) bool {
		worse := least >= 0 && x.MACs >= least
		if !worse {
			least = x.MACs
		}
		return worse
	})
	c.out.Added = added(c.m, m)
	return nil
}

// added returns the kinds of operators that a model has only in strips.
func added(was, m *tflite.Model) (out []string) {
	for k := range m.Operators {
		name := m.Operators[k].Name()
		has := func(o tflite.Operator) bool { return o.Name() == name }
		if !slices.ContainsFunc(was.Operators, has) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

package poolchoice

import (
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: these bounds of heights hold for every choice of pools. In a section all bytes in use lie in some pool:
//
//	height              >= max over sections of the bytes in use
//	height of a pool    >= max over sections of the bytes in use of bodies that are in the pool in every plan
//
// A body is in a pool in every plan if it may be in no other. If cost is the first measure, it is also so if each other
// pool's excess alone makes a plan dearer than the best.
//
// Invariant: the bounds hold for all plans that cost no more than the best. The measures after the cost need no more.
//
// Complexity: O(uses · sections of a life), once for each cost of the best plan.

// floors are the bounds for plans up to a cost.
type floors struct {
	known bool
	cost  int64
	total int64   // of all pools
	of    []int64 // of each pool
}

// floor returns the bounds for plans that cost no more than the best.
func (c *chooser) floor() *floors {
	cost := int64(-1)
	if c.costFirst && c.best != nil {
		cost = model.ValueOf(c.best.Measures, model.MeasureCost)
	}
	f := &c.floors
	if f.known && f.cost == cost {
		return f
	}
	*f = floors{known: true, cost: cost, of: make([]int64, len(c.lowering.Pools))}
	total, in := make([]int64, c.loads.Sections), make([][]int64, len(c.lowering.Pools))
	for q := range in {
		in[q] = make([]int64, c.loads.Sections)
	}
	for k := range c.loads.Bodies {
		b := &c.loads.Bodies[k]
		pool := c.poolOf(k, cost)
		for _, u := range b.Uses {
			for t := u.First; t < u.Last; t++ {
				total[t] += u.To - u.From
				f.total = max(f.total, total[t])
				if pool >= 0 {
					in[pool][t] += u.To - u.From
					f.of[pool] = max(f.of[pool], in[pool][t])
				}
			}
		}
	}
	return f
}

// poolOf returns the pool of a body in every plan up to a cost, which is -1 for all plans. It returns -1 if there are
// several.
func (c *chooser) poolOf(body int, cost int64) int32 {
	b := &c.loads.Bodies[body]
	if body < c.loads.Single {
		return b.Pools[0]
	}
	if cost < 0 {
		return -1
	}
	pool, gap := int32(-1), c.loads.Prices.Gap(cost)
	for n, excess := range c.loads.Prices.Excess[body-c.loads.Single] {
		if excess > gap {
			continue
		}
		if pool >= 0 {
			return -1
		}
		pool = b.Pools[n]
	}
	return pool
}

// leastOf returns a lower bound of a measure. It holds for all plans. If cost is the first measure, it holds for all
// plans that cost no more than the best.
func (c *chooser) leastOf(m model.Measure) (least int64) {
	if m == model.MeasureCost {
		return c.loads.Low
	}
	least = c.raised[m]
	f := c.floor()
	kind, _, _ := strings.Cut(string(m), ":")
	peak := strings.HasSuffix(kind, string(model.MeasurePeak))
	if !peak && !strings.HasSuffix(kind, string(model.MeasureHeight)) {
		return least
	}
	height := int64(0)
	// As total of internal/ruled/pools has it, for pools that may not have been planned.
	for q := range c.lowering.Pools {
		if kind != string(m) && m != model.HeightIn(c.lowering.Pools[q].ID) && m != model.PeakIn(c.lowering.Pools[q].ID) {
			continue
		}
		h := f.of[q]
		if peak {
			for _, r := range c.lowering.Pools[q].Reserved {
				h = max(h, r.Upper)
			}
		}
		if strings.HasPrefix(kind, "max_") {
			height = max(height, h)
		} else {
			height += h
		}
	}
	least = max(least, height)
	switch m {
	case model.MeasureHeight, model.MeasurePeak:
		least = max(least, f.total)
	case model.MeasureMaxHeight, model.MeasureMaxPeak:
		pools := int64(len(c.lowering.Pools))
		least = max(least, (f.total+pools-1)/pools)
	}
	return least
}

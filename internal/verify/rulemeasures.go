package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// The measures of a plan of a problem with rules, from its stays. See rules.go.

// price returns what a buffer costs in a pool.
func (c *ruled) price(b *model.Buffer, pool int32) int64 {
	if b.Extra != nil {
		for _, x := range b.Extra.Costs {
			if x.Pool == pool {
				return x.Cost
			}
		}
	}
	return c.pools[pool].Cost * b.Size
}

// penalty returns the penalties that the plan pays.
func (c *ruled) penalty() (paid int64) {
	for _, v := range c.rules.Penalties {
		i, j := v.Buffers[0], v.Buffers[1]
		pair := ordered(i, j)
		if c.apart[pair] || c.root(i) == c.root(j) {
			continue
		}
		for _, x := range c.of(i) {
			for _, y := range c.of(j) {
				if c.share(&x, &y) && (c.free[pair] || !c.meet(&x, &y)) {
					paid = add(paid, v.Cost)
				}
			}
		}
	}
	for k := range c.rules.Groups {
		if g := &c.rules.Groups[k]; c.counting(g) == len(g.Pairs) || !g.All && c.counting(g) > 0 {
			paid = add(paid, g.Cost)
		}
	}
	return paid
}

// counting returns how many pairs of a group count: those that share bytes, or those that are not at one place.
func (c *ruled) counting(g *model.Group) (n int) {
	for _, pair := range g.Pairs {
		if c.absent[pair[0]] || c.absent[pair[1]] {
			continue
		}
		x, y := &c.placed[c.first[pair[0]]], &c.placed[c.first[pair[1]]]
		key := ordered(pair[0], pair[1])
		body := c.root(pair[0]) == c.root(pair[1])
		conflict := !body && (c.apart[key] || !c.free[key] && c.meet(x, y))
		if g.Moved && (conflict || x.pool != y.pool || x.at != y.at) || !g.Moved && !conflict && !body && c.share(x, y) {
			n++
		}
	}
	return n
}

// measures computes every measure. Sums stop at the largest int64.
func (c *ruled) measures() []model.Value {
	heights, peaks := make([]int64, len(c.pools)), make([]int64, len(c.pools))
	var cost, evicted, height, peak int64
	for k := range c.placed {
		x := &c.placed[k]
		b := &c.p.Buffers[x.buffer]
		if k > 0 && c.placed[k-1].buffer == x.buffer {
			for _, e := range b.Extra.Evictions {
				if e.Lower == c.placed[k-1].upper {
					evicted = add(evicted, e.Cost)
				}
			}
		}
		if x.pool >= 0 {
			heights[x.pool] = max(heights[x.pool], add(x.at, b.Size))
			cost = add(cost, c.price(b, x.pool))
		}
	}
	for k := range c.pools {
		if c.pools[k].Objects {
			heights[k] = max(heights[k], c.objectHeight(int32(k)))
		}
		peaks[k] = heights[k]
		for _, r := range c.pools[k].Reserved {
			peaks[k] = max(peaks[k], r.Upper)
		}
		height, peak = add(height, heights[k]), add(peak, peaks[k])
		if sizes := c.pools[k].Sizes; len(sizes) > 0 && heights[k] > 0 {
			price := int64(math.MaxInt64)
			for _, x := range sizes {
				if heights[k] <= x.Bytes {
					price = min(price, x.Price)
				}
			}
			if price < math.MaxInt64 { // otherwise the plan is above the capacity
				cost = add(cost, price)
			}
		}
	}
	values := []model.Value{
		{Measure: model.MeasureHeight, Value: height},
		{Measure: model.MeasureMaxHeight, Value: slices.Max(heights)},
		{Measure: model.MeasurePeak, Value: peak},
		{Measure: model.MeasureMaxPeak, Value: slices.Max(peaks)},
		{Measure: model.MeasureCost, Value: cost},
		{Measure: model.MeasurePenalty, Value: c.penalty()},
		{Measure: model.MeasureEviction, Value: evicted},
	}
	if slices.ContainsFunc(c.pools, func(q model.Pool) bool { return q.Objects }) {
		values = append(values, model.Value{Measure: model.MeasureObjects, Value: c.countObjects()})
	}
	for k := range c.pools {
		if c.pools[k].ID != "" {
			values = append(values, model.Value{Measure: model.HeightIn(c.pools[k].ID), Value: heights[k]},
				model.Value{Measure: model.PeakIn(c.pools[k].ID), Value: peaks[k]})
		}
	}
	c.height = height
	return values
}

// countObjects returns the number of objects: the different first bytes in each pool of objects.
func (c *ruled) countObjects() (n int64) {
	for pool := range c.pools {
		if !c.pools[pool].Objects {
			continue
		}
		var at []int64
		for _, x := range c.placed {
			if x.pool == int32(pool) {
				at = append(at, x.at)
			}
		}
		slices.Sort(at)
		n += int64(len(slices.Compact(at)))
	}
	return n
}

// claims checks the height and the measures that are claimed.
func (c *ruled) claims(claimed, measures []model.Value) {
	if c.plan.Height >= 0 && c.plan.Height != c.height {
		c.add(model.RuleHeight, -1, -1,
			fmt.Sprintf("the height claimed is %d, but the highest ends of the pools add up to %d", c.plan.Height, c.height))
	}
	if slices.Equal(claimed, measures) {
		return
	}
	values := make(map[model.Measure]int64, len(measures)) // each pool has a measure, and pools may be many
	for _, x := range measures {
		values[x.Measure] = x.Value
	}
	for _, x := range claimed {
		switch value, ok := values[x.Measure]; {
		case !ok:
			c.add(model.RuleMeasure, -1, -1, fmt.Sprintf("the plan claims %s, which is no measure", quote(string(x.Measure))))
		case value != x.Value:
			c.add(model.RuleMeasure, -1, -1, fmt.Sprintf("the plan claims %s %d, but it is %d", x.Measure, x.Value, value))
		}
	}
}

package oracle

import (
	"math"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: the measures of the pieces that are placed, and the plan that they make. See rules.go.
//
// Complexity: O(pieces² + pools · sizes).

// values returns the measures of the pieces that are placed. What the others cost at least is added. The penalty is
// that of the pairs, the larger number first, that pay, and of the groups that do.
func (o *ruled) values(placed func(m int) bool, pays func(m, n int) bool, fee func(g int) bool) []int64 {
	heights, peaks := make([]int64, len(o.pools)), make([]int64, len(o.pools))
	for q := range o.pools {
		for _, r := range o.pools[q].Reserved {
			peaks[q] = max(peaks[q], r.Upper)
		}
	}
	var cost, penalty int64
	price := func(i, pool int) int64 {
		b := &o.p.Buffers[i]
		if b.Extra != nil {
			for _, c := range b.Extra.Costs {
				if int(c.Pool) == pool {
					return c.Cost
				}
			}
		}
		return o.pools[pool].Cost * b.Size
	}
	for m, x := range o.pieces {
		if !placed(m) {
			least := int64(math.MaxInt64)
			for q := range o.pools {
				least = min(least, price(x.buffer, q))
			}
			cost += least
			continue
		}
		heights[x.pool] = max(heights[x.pool], x.at+o.p.Buffers[x.buffer].Size)
		cost += price(x.buffer, x.pool)
		for n := range m {
			if o.links[m][n].cost > 0 && placed(n) && pays(m, n) {
				penalty += o.links[m][n].cost
			}
		}
	}
	objects := o.objects(placed)
	for _, x := range objects {
		heights[x.pool] = max(heights[x.pool], x.at+x.bytes())
	}
	for q := range peaks {
		peaks[q] = max(peaks[q], heights[q])
	}
	for g := range o.rules.Groups {
		if fee(g) {
			penalty += o.rules.Groups[g].Cost
		}
	}
	return o.vector(heights, peaks, cost, penalty, int64(len(objects)))
}

// vector returns the measures of the objective, from the heights and peaks of the pools, and the others.
func (o *ruled) vector(heights, peaks []int64, cost, penalty, objects int64) []int64 {
	for q, height := range heights { // a pool that is used has one of its sizes
		price := int64(-1)
		for _, x := range o.pools[q].Sizes {
			if height > 0 && height <= x.Bytes && (price < 0 || x.Price < price) {
				price = x.Price
			}
		}
		cost += max(price, 0)
	}
	sum := func(values []int64) (sum int64) {
		for _, v := range values {
			sum += v
		}
		return sum
	}
	var vector []int64
	for _, m := range o.measures() {
		kind, q, one := m.kind, m.pool, m.pool >= 0
		v := int64(0)
		switch {
		case one && kind == "height":
			v = heights[q]
		case one:
			v = peaks[q]
		case kind == "height":
			v = sum(heights)
		case kind == "max_height":
			v = slices.Max(heights)
		case kind == "peak":
			v = sum(peaks)
		case kind == "max_peak":
			v = slices.Max(peaks)
		case kind == "cost":
			v = cost
		case kind == "penalty":
			v = penalty
		case kind == "eviction":
			v = o.evicted
		case kind == "objects":
			v = objects
		default:
			panic("oracle: no measure " + kind)
		}
		vector = append(vector, v)
	}
	return vector
}

// named is a measure, and the pool that it names or -1.
type named struct {
	kind string
	pool int
}

// measures returns the objective, taken apart once.
func (o *ruled) measures() []named {
	if o.objective == nil {
		for _, m := range o.p.Objective() {
			kind, id, one := strings.Cut(string(m), ":")
			o.objective = append(o.objective,
				named{kind, slices.IndexFunc(o.pools, func(q model.Pool) bool { return one && q.ID == id })})
		}
	}
	return o.objective
}

// keep makes the plan of the pieces.
func (o *ruled) keep() {
	n := len(o.p.Buffers)
	o.plan = &model.Plan{Offsets: make([]int64, n)}
	if len(o.pools) > 1 {
		o.plan.Pools = make([]int32, n)
	}
	heights := make([]int64, len(o.pools))
	for i := range n {
		var parts []model.Part
		for _, x := range o.pieces {
			if x.buffer == i {
				parts = append(parts, model.Part{Lower: x.lower, Upper: x.upper, Pool: int32(x.pool), Offset: x.at})
				heights[x.pool] = max(heights[x.pool], x.at+o.p.Buffers[i].Size)
			}
		}
		if parts == nil {
			if o.plan.Offsets[i] = -1; o.plan.Pools != nil {
				o.plan.Pools[i] = -1
			}
			continue
		}
		slices.SortFunc(parts, func(x, y model.Part) int { return int(x.Lower - y.Lower) })
		o.plan.Offsets[i] = parts[0].Offset
		if o.plan.Pools != nil {
			o.plan.Pools[i] = parts[0].Pool
		}
		if len(parts) > 1 {
			o.plan.Parts = append(o.plan.Parts, model.Parts{Buffer: int32(i), Parts: parts})
		}
	}
	for _, h := range heights {
		o.plan.Height += h
	}
}

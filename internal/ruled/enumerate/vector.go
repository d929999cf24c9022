package enumerate

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: a measure of height is a sum or a maximum over the heights of some pools. For a peak, the height of a pool is
// at least the end of its highest reserved range. The same formula over the least heights of the pools is a bound.
//
// Invariant: if no value is below its bound, the values are not lexicographically below the bounds.
//
// Complexity: O(measures · pools), and in finish the product of the fronts, less what the bounds cut off.

// gauge is a measure as a formula over pools.
type gauge struct {
	measure model.Measure // cost, penalty, eviction, objects; empty for heights
	pools   []int         // the pools whose heights count
	peak    bool          // the height of a pool is at least the end of its highest reserved range
	highest bool          // the largest height counts, not the sum
}

// gauge makes formulas of the measures.
func (x *search) gauge(measures []model.Measure, pools []model.Pool) {
	for _, m := range measures {
		if m == model.MeasureCost || m == model.MeasurePenalty || m == model.MeasureEviction || m == model.MeasureObjects {
			x.gauges = append(x.gauges, gauge{measure: m})
			continue
		}
		kind, id, one := strings.Cut(string(m), ":")
		g := gauge{highest: strings.HasPrefix(kind, "max_"), peak: strings.HasSuffix(kind, string(model.MeasurePeak))}
		for q := range pools {
			if !one || pools[q].ID == id {
				g.pools = append(g.pools, q)
			}
		}
		x.gauges = append(x.gauges, g)
	}
}

// heights reports whether the height of a pool counts.
func (x *search) heights(pool int) bool {
	return slices.ContainsFunc(x.gauges, func(g gauge) bool {
		return slices.Contains(g.pools, pool) || g.measure == model.MeasureCost && x.p.AllPools()[pool].Sizes != nil
	})
}

// pays reports whether penalties count.
func (x *search) pays() bool {
	return slices.ContainsFunc(x.gauges, func(g gauge) bool { return g.measure == model.MeasurePenalty })
}

// counts reports whether objects count.
func (x *search) counts() bool {
	return slices.ContainsFunc(x.gauges, func(g gauge) bool { return g.measure == model.MeasureObjects })
}

// values returns the measures, from a point of each pool, or the best of its front in each measure. rest is the cost of
// bodies without a pool.
func (x *search) values(of func(pool int) *point, rest int64) []int64 {
	v := make([]int64, len(x.gauges))
	for k := range x.gauges {
		switch g := &x.gauges[k]; g.measure {
		case model.MeasureCost:
			v[k] = x.cost + rest
			for pool, l := range x.lanes {
				if l.pool.Sizes != nil {
					v[k] += l.pool.PriceOf(of(pool).height)
				}
			}
		case model.MeasureEviction:
			v[k] = x.evicted
		case model.MeasurePenalty:
			for pool := range x.lanes {
				v[k] += of(pool).paid
			}
		case model.MeasureObjects:
			for pool := range x.lanes {
				v[k] += of(pool).objects
			}
		default:
			for _, pool := range g.pools {
				h := of(pool).height
				if g.peak {
					h = max(h, x.lanes[pool].highest)
				}
				if g.highest {
					v[k] = max(v[k], h)
				} else {
					v[k] += h
				}
			}
		}
	}
	return v
}

// least returns bounds of the measures for the whole subtree.
func (x *search) least(rest int64) []int64 {
	v := x.values(func(pool int) *point { return &x.at[pool].ideal }, rest)
	for k, floor := range x.floors {
		v[k] = max(v[k], floor)
	}
	return v
}

// finish chooses a point of the front of each pool. All bodies have a pool.
func (x *search) finish() {
	at := make([]*point, len(x.lanes))
	x.combine(at, 0)
}

// combine chooses the points of the pools from one on.
func (x *search) combine(at []*point, pool int) {
	v := x.values(func(q int) *point {
		if q < pool {
			return at[q]
		}
		return &x.at[q].ideal
	}, 0)
	if x.best != nil && slices.Compare(v, x.best) >= 0 {
		return
	}
	if pool == len(at) {
		x.best = v
		x.keep(at)
		return
	}
	if x.over() {
		return
	}
	for n := range x.at[pool].points {
		at[pool] = &x.at[pool].points[n]
		x.combine(at, pool+1)
	}
}

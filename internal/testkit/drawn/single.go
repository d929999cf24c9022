package drawn

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: problems that are hard for one rule each, for the tests of what plans it.

// OnePool returns a problem as Ruled does, with penalties, one pool and no evictions. It asks for the penalty alone.
func OnePool(r *rand.Rand) *model.Problem {
	for {
		p := Ruled(r)
		if len(p.AllPools()) > 1 || len(p.Rules.Penalties) == 0 || slices.Contains(FeaturesOf(p), "evictions") {
			continue
		}
		p.Rules.Objective = []model.Measure{model.MeasurePenalty}
		return p
	}
}

// Crowd draws a problem in which some penalties must be paid: buffers of one pool with a penalty on each two that
// follow closely.
func Crowd(r *rand.Rand, n int) *model.Problem {
	p := &model.Problem{Capacity: 1, Rules: &model.Rules{Objective: []model.Measure{model.MeasurePenalty}}}
	for i := range n {
		lower := r.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Size: 1 + r.Int64N(20), Lower: lower, Upper: lower + 1 + r.Int64N(9),
			Alignment: 1 + r.Int64N(2),
		})
	}
	for i := range n {
		for j := range i {
			if a, b := &p.Buffers[i], &p.Buffers[j]; a.Lower < b.Upper+5 && b.Lower < a.Upper+5 {
				p.Rules.Penalties = append(p.Rules.Penalties,
					model.Penalty{Buffers: model.Pair{int32(j), int32(i)}, Cost: 1 + r.Int64N(3)})
			}
		}
	}
	for at := range int64(2 * n) {
		load := int64(0)
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Lower <= at && at < b.Upper {
				load += b.Size + b.Align() - 1
			}
		}
		p.Capacity = max(p.Capacity, load*3/2)
	}
	return p
}

// Spilled draws buffers for a fast pool with a capacity near what is live, and a slow one without.
func Spilled(r *rand.Rand, n int) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "fast"}, {ID: "slow", Cost: 1}}}}
	for i := range n {
		b := model.Buffer{ID: strconv.Itoa(i), Size: 1 + r.Int64N(6), Lower: r.Int64N(int64(n))}
		b.Upper = b.Lower + 1 + r.Int64N(5)
		if r.IntN(2) == 0 {
			b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: b.Size * (1 + r.Int64N(4))}}}
		}
		p.Buffers = append(p.Buffers, b)
	}
	p.Rules.Pools[0].Capacity = max(6, load(p)*(50+r.Int64N(50))/100)
	return p
}

// Several adds up to three pools to a problem as Spilled draws it: without a capacity and dearer than the slow one, or
// with little room, an alignment or a reserved range, at costs of their own. Some buffers may not be in all of them,
// and some are apart.
func Several(r *rand.Rand, n int) *model.Problem {
	p := Spilled(r, n)
	for k := range int32(1 + r.IntN(3)) {
		q := model.Pool{ID: "pool" + strconv.Itoa(int(k)), Cost: r.Int64N(4)}
		if r.IntN(3) > 0 {
			q.Capacity = 2 + r.Int64N(8)
			q.Alignment = 1 + r.Int64N(3)
			if r.IntN(3) == 0 {
				q.Reserved = []model.Range{{Lower: 1, Upper: 2}}
			}
		} else {
			q.Cost = 5
		}
		p.Rules.Pools = append(p.Rules.Pools, q)
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		for q := range p.Rules.Pools {
			if r.IntN(5) == 0 {
				if b.Extra == nil {
					b.Extra = &model.Extra{}
				}
				if !slices.ContainsFunc(b.Extra.Costs, func(c model.PoolCost) bool { return int(c.Pool) == q }) {
					b.Extra.Costs = append(b.Extra.Costs, model.PoolCost{Pool: int32(q), Cost: r.Int64N(20)})
				}
			}
		}
		if r.IntN(4) == 0 {
			if b.Extra == nil {
				b.Extra = &model.Extra{}
			}
			b.Extra.Pools = []int32{1}
			for q := range int32(len(p.Rules.Pools)) {
				if q != 1 && r.IntN(2) == 0 {
					b.Extra.Pools = append(b.Extra.Pools, q)
				}
			}
		}
		if j := r.IntN(n); j < i && r.IntN(6) == 0 {
			p.Rules.Apart = append(p.Rules.Apart, model.Pair{int32(j), int32(i)})
		}
	}
	return p
}

// Tight draws a problem as Spilled does, of few times and several alignments, so that what fits by its loads often does
// not pack.
func Tight(r *rand.Rand, n int) *model.Problem {
	p := Spilled(r, n)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Size, b.Lower, b.Extra = 1+r.Int64N(20), r.Int64N(7), nil
		b.Upper = b.Lower + 1 + r.Int64N(4)
		b.Alignment = []int64{1, 4, 6}[r.IntN(3)]
	}
	p.Rules.Pools[0].Capacity = max(20, load(p)*(60+r.Int64N(35))/100)
	return p
}

// Loaded draws a problem of up to 12 evictions whose loads are above its capacity, in one pool or two.
func Loaded(r *rand.Rand) *model.Problem {
	pools := []model.Pool{{ID: "x", Capacity: 20}, {ID: "y", Capacity: 10}}
	p := &model.Problem{Rules: &model.Rules{Pools: pools[:1+r.IntN(2)]}}
	if r.IntN(3) == 0 {
		p.Rules.Period = 12
	}
	many := 0
	for i := range 8 {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(6), Size: 1 + r.Int64N(9), Extra: &model.Extra{}}
		b.Upper = b.Lower + 4 + r.Int64N(8)
		if r.IntN(4) == 0 {
			b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Lower + 2 + r.Int64N(3)}}
		}
		if r.IntN(2) == 0 {
			b.Extra.Pools = []int32{int32(r.IntN(len(p.Rules.Pools)))}
		}
		at := b.Lower + 1
		for range 2 {
			if end := at + 1 + r.Int64N(5); end < b.Upper && r.IntN(4) > 0 && many < 12 {
				b.Extra.Evictions = append(b.Extra.Evictions, model.Eviction{Lower: at, Upper: end, Cost: r.Int64N(20)})
				at, many = end+1, many+1
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// load returns the most bytes that are live at a time.
func load(p *model.Problem) (most int64) {
	for i := range p.Buffers {
		sum := int64(0)
		for k := range p.Buffers {
			if b := &p.Buffers[k]; b.Lower <= p.Buffers[i].Lower && p.Buffers[i].Lower < b.Upper {
				sum += b.Size
			}
		}
		most = max(most, sum)
	}
	return most
}

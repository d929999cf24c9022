package drawn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Bank returns a valid problem as Broad or Ruled does, with the features of want, if these may stand together. These
// may be of BankRules, too. Without any in want, the problem has some of BankRules.
func Bank(r *rand.Rand, want ...string) *model.Problem {
	var rest, banks []string
	for _, f := range want {
		if slices.Contains(BankRules, f) {
			banks = append(banks, f)
		} else {
			rest = append(rest, f)
		}
	}
	if len(banks) == 0 {
		banks = []string{BankRules[r.IntN(len(BankRules))], BankRules[r.IntN(len(BankRules))]}
	}
	for {
		var p *model.Problem
		lockstep, extents := slices.Contains(banks, "lockstep"), slices.Contains(banks, "extents")
		apart := extents && len(rest) == 0 && r.IntN(2) == 0
		switch lists := slices.ContainsFunc(banks, func(f string) bool { return f == "different_pools" || f == "same_pool" }); {
		case lists:
			p, apart = PoolListed(r, rest...), false
		case apart:
			p = textured(r)
		case lockstep:
			p = Broad(r, append([]string{"pools"}, rest...)...)
		case r.IntN(2) == 0:
			p = Ruled(r)
		default:
			p = Broad(r, rest...)
		}
		q, rules := *p, *p.Rules
		if q.Rules = &rules; !apart && (extents || slices.Contains(banks, "objects")) {
			divide(r, &q)
		}
		if extents && !apart && !extend(r, &q) {
			continue
		}
		if slices.Contains(banks, "granularity") {
			page(r, &q)
		}
		if slices.Contains(banks, "sizes") {
			price(r, &q)
		}
		if slices.Contains(banks, "borders") && !border(r, &q) || lockstep && !inStep(r, &q) {
			continue
		}
		if slices.Contains(banks, "groups") {
			gather(r, &q)
		}
		if slices.Contains(banks, "alternatives") && !choose(r, &q) {
			continue
		}
		has := FeaturesOf(&q)
		if model.Validate(&q) == nil && !slices.ContainsFunc(slices.Concat(banks, rest),
			func(f string) bool { return !slices.Contains(has, f) }) {
			return &q
		}
	}
}

// price gives some pools sizes with prices. Cost is mostly the first measure, or among them.
func price(r *rand.Rand, p *model.Problem) {
	rules := p.Rules
	if rules.Pools = slices.Clone(rules.Pools); len(rules.Pools) == 0 {
		rules.Pools, p.Capacity = []model.Pool{{ID: "x", Capacity: p.Capacity}}, 0
	}
	for k := range rules.Pools {
		q := &rules.Pools[k]
		if r.IntN(4) == 0 {
			continue
		}
		if q.Capacity == 0 {
			for i := range p.Buffers {
				q.Capacity += p.Buffers[i].Size
			}
		}
		unit := max(1, q.Capacity/8)
		for at, paid := q.Capacity, int64(12); at > 0 && len(q.Sizes) < 4; at -= 1 + r.Int64N(4*unit) {
			q.Sizes = append([]model.Size{{Bytes: at, Price: paid * unit}}, q.Sizes...)
			if paid -= r.Int64N(5); r.IntN(6) == 0 || paid < 0 {
				paid = r.Int64N(12)
			}
		}
	}
	if o := rules.Objective; len(o) > 0 && !slices.Contains(o, model.MeasureCost) && r.IntN(5) > 0 {
		rules.Objective = slices.Insert(slices.Clone(o), r.IntN(len(o)+1), model.MeasureCost)
	}
}

// page gives pools a granularity, and most buffers a kind.
func page(r *rand.Rand, p *model.Problem) {
	rules := p.Rules
	if rules.Pools = slices.Clone(rules.Pools); len(rules.Pools) == 0 {
		rules.Pools, p.Capacity = []model.Pool{{ID: "x", Capacity: p.Capacity}}, 0
	}
	largest := int64(1)
	rules.Kinds = make([][]int32, 2+r.IntN(2))
	for i := range p.Buffers {
		largest = max(largest, p.Buffers[i].Size)
		if k := r.IntN(len(rules.Kinds) + 1); k > 0 || r.IntN(2) == 0 {
			rules.Kinds[max(0, k-1)] = append(rules.Kinds[max(0, k-1)], int32(i))
		}
	}
	rules.Kinds = slices.DeleteFunc(rules.Kinds, func(list []int32) bool { return len(list) == 0 })
	for k := range rules.Pools {
		if q := &rules.Pools[k]; !q.Objects && r.IntN(4) > 0 {
			q.Granularity = 1 + r.Int64N(largest+2)
		}
	}
}

// gather makes groups of pairs. The penalty is mostly the first measure, or among them.
func gather(r *rand.Rand, p *model.Problem) {
	if len(p.Buffers) < 2 {
		return
	}
	for range 1 + r.IntN(3) {
		g := model.Group{Cost: r.Int64N(9), Moved: r.IntN(2) == 0, All: r.IntN(3) == 0}
		for range 1 + r.IntN(3) {
			i := r.IntN(len(p.Buffers))
			j := (i + 1 + r.IntN(len(p.Buffers)-1)) % len(p.Buffers)
			g.Pairs = append(g.Pairs, model.Pair{int32(i), int32(j)})
		}
		p.Rules.Groups = append(p.Rules.Groups, g)
	}
	if o := p.Objective(); !slices.Contains(o, model.MeasurePenalty) && r.IntN(6) > 0 {
		p.Rules.Objective = slices.Insert(slices.Clone(o), r.IntN(len(o)+1), model.MeasurePenalty)
	}
}

// border gives some pools borders, and lets some buffers span them.
func border(r *rand.Rand, p *model.Problem) bool {
	p.Rules.Pools, p.Buffers = slices.Clone(p.Rules.Pools), slices.Clone(p.Buffers)
	if len(p.Rules.Pools) == 0 {
		p.Rules.Pools, p.Capacity = []model.Pool{{ID: "x", Capacity: p.Capacity}}, 0
	}
	largest := int64(1)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if largest = max(largest, b.Size); r.IntN(5) == 0 {
			x := model.Extra{}
			if b.Extra != nil {
				x = *b.Extra
			}
			x.Spans = true
			b.Extra = &x
		}
	}
	for k := range p.Rules.Pools {
		q := &p.Rules.Pools[k]
		for at := int64(0); !q.Objects && r.IntN(4) > 0; {
			if at += 1 + r.Int64N(largest+largest/2+1); q.Capacity > 0 && at >= q.Capacity {
				break
			}
			q.Borders = append(q.Borders, at)
		}
	}
	return p.Rules.HasBorders()
}

// inStep puts some buffers into lockstep, mostly those that are in different pools.
func inStep(r *rand.Rand, p *model.Problem) bool {
	one := r.IntN(3) > 0 // some buffers have their pools
	var can []int32
	p.Buffers = slices.Clone(p.Buffers)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		x := model.Extra{}
		if b.Extra != nil {
			x = *b.Extra
		}
		if one && x.Pools == nil && r.IntN(4) > 0 {
			x.Pools = []int32{int32(r.IntN(len(p.Rules.Pools)))}
		}
		b.Extra = &x
		objects := false
		for k := range p.Rules.Pools {
			objects = objects || p.Rules.Pools[k].Objects && b.MayUse(int32(k))
		}
		if !b.MayLeave() && !objects {
			can = append(can, int32(i))
		}
	}
	for len(can) > 1 && (len(p.Rules.Lockstep) == 0 || r.IntN(3) == 0) {
		r.Shuffle(len(can), func(a, b int) { can[a], can[b] = can[b], can[a] })
		p.Rules.Lockstep = append(p.Rules.Lockstep, slices.Clone(can[:2+r.IntN(min(2, len(can)-1))]))
	}
	return len(p.Rules.Lockstep) > 0
}

// Choosing returns a problem of Ruled with alternatives.
func Choosing(r *rand.Rand) *model.Problem {
	for {
		p, rules := *Ruled(r), model.Rules{}
		if p.Rules != nil {
			rules = *p.Rules
		}
		if p.Rules = &rules; choose(r, &p) && model.Validate(&p) == nil {
			return &p
		}
	}
}

// choose makes alternatives of some buffers. If the problem is small, some get a copy of another size and lifespan
// first, which may be cheaper in some pools.
func choose(r *rand.Rand, p *model.Problem) bool {
	n := len(p.Buffers)
	p.Buffers = slices.Clone(p.Buffers)
	taken := make([]bool, n)
	for k := range 1 + r.IntN(2) {
		i := r.IntN(n)
		if b := p.Buffers[i]; n+k < 6 && !taken[i] && r.IntN(4) > 0 {
			b.ID, b.Gaps = fmt.Sprintf("%s'%d", b.ID, k), slices.Clone(b.Gaps)
			if b.HasExtents() {
				x := *b.Extra
				b.Extra = &x
				b.SetExtents(extents(r, len(x.Extents)))
			} else if b.Size = 1 + r.Int64N(b.Size+2); b.HasWindow() || b.Size < 1 {
				b.Size, b.Gaps = p.Buffers[i].Size, nil
			}
			if pools := p.AllPools(); r.IntN(2) == 0 && pools[0].ID != "" {
				x := model.Extra{}
				if b.Extra != nil {
					x = *b.Extra
				}
				x.Costs = nil
				for q := range pools {
					x.Costs = append(x.Costs, model.PoolCost{Pool: int32(q), Cost: r.Int64N(1 + 2*b.Size)})
				}
				b.Extra = &x
			}
			p.Buffers = append(p.Buffers, b)
			taken = append(taken, true)
			taken[i] = true
			p.Rules.Alternatives = append(p.Rules.Alternatives, []int32{int32(i), int32(len(p.Buffers) - 1)})
			continue
		}
		var free []int32
		for j := range n {
			if !taken[j] {
				free = append(free, int32(j))
			}
		}
		if len(free) > 1 {
			r.Shuffle(len(free), func(a, b int) { free[a], free[b] = free[b], free[a] })
			list := free[:2+r.IntN(min(2, len(free)-1))]
			for _, j := range list {
				taken[j] = true
			}
			p.Rules.Alternatives = append(p.Rules.Alternatives, slices.Clone(list))
		}
	}
	return p.Rules.HasAlternatives()
}

// divide divides some pools into objects. Some problems are to have few objects, if oracle.Ruled can say how many.
func divide(r *rand.Rand, p *model.Problem) {
	rules := p.Rules
	rules.Pools = slices.Clone(rules.Pools)
	if len(rules.Pools) == 0 {
		rules.Pools, p.Capacity = []model.Pool{{ID: "x", Capacity: p.Capacity}}, 0
	}
	one := r.IntN(len(rules.Pools))
	for k := range rules.Pools {
		rules.Pools[k].Objects = k == one || r.IntN(2) == 0
	}
	small := !slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return max(b.Size, b.Alignment) > 256 }) &&
		!slices.ContainsFunc(rules.Pools, func(q model.Pool) bool { return q.Alignment > 256 })
	if small && r.IntN(3) == 0 {
		o := p.Objective()
		rules.Objective = slices.Insert(slices.Clone(o), r.IntN(len(o)+1), model.MeasureObjects)
	}
}

// extents draws a size of several dimensions.
func extents(r *rand.Rand, dims int) (x []int64) {
	for range dims {
		x = append(x, 1+r.Int64N(int64(5-dims)))
	}
	return x
}

// mostBeside is the largest size and alignment beside sizes of several dimensions, which only oracle.Ruled decides.
const mostBeside = 24

// extend gives sizes of several dimensions to the buffers that may be in a pool of objects. Buffers with rules that
// forbid that lose these or go to other pools. It returns false if they can do neither, or if numbers are too large.
func extend(r *rand.Rand, p *model.Problem) bool {
	rules, dims := p.Rules, 2+r.IntN(2)
	var others []int32
	for k := range rules.Pools {
		if rules.Pools[k].Alignment > mostBeside {
			return false
		}
		if rules.Pools[k].Objects {
			rules.Pools[k].Reserved = nil
		} else {
			others = append(others, int32(k))
		}
	}
	listed := map[int32]bool{}
	for _, t := range rules.Together {
		for _, i := range t.Buffers {
			listed[i] = true
		}
	}
	for _, d := range rules.Distances {
		listed[d.Buffers[0]], listed[d.Buffers[1]] = true, true
	}
	p.Buffers = slices.Clone(p.Buffers)
	for i := range p.Buffers {
		b, x := &p.Buffers[i], model.Extra{}
		if b.Extra != nil {
			x = *b.Extra
		}
		b.Extra = &x
		if r.IntN(6) > 0 {
			b.Alignment = 0
		}
		if r.IntN(2) == 0 {
			b.Fixed = nil
		}
		if r.IntN(2) == 0 && b.HasWindow() {
			b.Gaps = nil
		}
		if !listed[int32(i)] && b.Align() <= 1 && b.Fixed == nil && !b.HasWindow() {
			b.SetExtents(extents(r, dims))
			continue
		}
		x.Pools = slices.DeleteFunc(slices.Clone(others), func(k int32) bool { return !b.MayUse(k) })
		if len(x.Pools) == 0 || max(b.Size, b.Align()) > mostBeside {
			return false
		}
	}
	return true
}

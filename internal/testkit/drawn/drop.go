package drawn

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Without returns a copy of a problem with rules, without one of RuledFeatures or BankRules. The copy may be invalid,
// since another rule may need the feature.
//
//	pools      every buffer is in the first pool
//	clocks     time is the clock of the first thread
//	windows    gaps stay, and nothing of a buffer is in use in them
//	objective  the default is minimised
func Without(p *model.Problem, feature string) *model.Problem {
	q, rules := *p, *p.Rules
	q.Rules, q.Buffers, rules.Pools = &rules, slices.Clone(p.Buffers), slices.Clone(rules.Pools)
	for i := range q.Buffers {
		b := &q.Buffers[i]
		b.Gaps = slices.Clone(b.Gaps)
		extra := model.Extra{}
		if b.Extra != nil {
			extra = *b.Extra
		}
		b.Extra = &extra
		withoutIn(b, feature)
	}
	switch feature {
	case "pools":
		rules.Pools = rules.Pools[:min(1, len(rules.Pools))]
	case "capacity":
		q.Capacity = 0
	case "together":
		rules.Together = nil
	case "apart":
		rules.Apart = nil
	case "may_overlap":
		rules.MayOverlap = nil
	case "different_pools":
		rules.DifferentPools = nil
	case "same_pool":
		rules.SamePool = nil
	case "lockstep":
		rules.Lockstep = nil
	case "groups":
		rules.Groups = nil
	case "alternatives":
		rules.Alternatives = nil
	case "distances":
		rules.Distances = nil
	case "penalties":
		rules.Penalties = nil
	case "clocks":
		rules.Threads = 0
	case "period":
		rules.Period = 0
	case "objective":
		rules.Objective = nil
	case "objects":
		rules.Objective = slices.DeleteFunc(slices.Clone(rules.Objective),
			func(m model.Measure) bool { return m == model.MeasureObjects })
	}
	for k := range rules.Pools {
		pool := &rules.Pools[k]
		switch feature {
		case "capacity":
			pool.Capacity, pool.Sizes = 0, nil
		case "reserved":
			pool.Reserved = nil
		case "costs":
			pool.Cost = 0
		case "objects":
			pool.Objects = false
		case "granularity":
			pool.Granularity = 0
		case "sizes":
			pool.Sizes = nil
		case "borders":
			pool.Borders = nil
		case "alignment":
			pool.Alignment = 0
		}
	}
	return &q
}

// withoutIn does the part of Without that is of one buffer.
func withoutIn(b *model.Buffer, feature string) {
	switch feature {
	case "pools":
		b.Extra.Pools, b.Extra.Costs = nil, nil
	case "choice":
		b.Extra.Pools = nil
	case "costs":
		b.Extra.Costs = nil
	case "alignment":
		b.Alignment = 0
	case "fixed":
		b.Fixed = nil
	case "gaps":
		b.Gaps = nil
	case "windows":
		for k := range b.Gaps {
			b.Gaps[k].Window = nil
		}
	case "clocks":
		if x := b.Extra.Clocks; x != nil {
			b.Lower, b.Upper = x.Lower[0], x.Upper[0]
		}
		b.Extra.Clocks = nil
	case "evictions":
		b.Extra.Evictions = nil
	case "extents":
		b.Extra.Extents = nil
	}
}

package drawn

import (
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
		switch lists := slices.ContainsFunc(banks, func(f string) bool { return f != "objects" }); {
		case lists:
			p = PoolListed(r, rest...)
		case r.IntN(2) == 0:
			p = Ruled(r)
		default:
			p = Broad(r, rest...)
		}
		q, rules := *p, *p.Rules
		if q.Rules = &rules; slices.Contains(banks, "objects") {
			divide(r, &q)
		}
		has := FeaturesOf(&q)
		if model.Validate(&q) == nil && !slices.ContainsFunc(slices.Concat(banks, rest),
			func(f string) bool { return !slices.Contains(has, f) }) {
			return &q
		}
	}
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

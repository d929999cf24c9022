package drawn

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/model"
)

// PoolListed returns a problem as Broad or Ruled does, with several pools and with lists of buffers that are in
// different pools, or all in one.
func PoolListed(r *rand.Rand, want ...string) *model.Problem {
	for {
		p := Broad(r, append([]string{"pools"}, want...)...)
		if len(want) == 0 && r.IntN(2) == 0 {
			p = Ruled(r)
		}
		n := len(p.Buffers)
		if len(p.Rules.Pools) < 2 || n < 2 {
			continue
		}
		list := func() (list []int32) {
			for _, k := range r.Perm(n)[:2+r.IntN(min(n, len(p.Rules.Pools))-1)] {
				list = append(list, int32(k))
			}
			return list
		}
		rules := *p.Rules
		for range r.IntN(3) {
			rules.DifferentPools = append(rules.DifferentPools, list())
		}
		for range r.IntN(2) {
			rules.SamePool = append(rules.SamePool, list()[:2])
		}
		q := *p
		if q.Rules = &rules; rules.ListsPools() && model.Validate(&q) == nil {
			return &q
		}
	}
}

package lower

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Whole returns the strip of a problem with all of its buffers in one pool that has no capacity, and in which nothing
// is aligned or fixed. It says which bytes of each body are in use in which sections, relative to the body. So loads
// can be added up from it. Its slots are the sections. p has rules.
//
// Complexity: that of a strip.
func Whole(p *model.Problem) *Strip {
	q := *p
	q.Capacity, q.Buffers = 0, slices.Clone(p.Buffers)
	all := make([]int32, len(q.Buffers))
	for i := range q.Buffers {
		b := &q.Buffers[i]
		all[i] = int32(i)
		b.Alignment, b.Fixed, b.Hint = 0, nil, nil
		if b.Extra != nil {
			b.Extra = &model.Extra{Clocks: b.Extra.Clocks}
		}
	}
	rules := *p.Rules
	rules.Pools, rules.Penalties, rules.Objective = nil, nil, nil
	q.Rules = &rules
	return New(&q).Strip(0, all, nil)
}

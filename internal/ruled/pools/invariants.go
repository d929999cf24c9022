package pools

import (
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/model"
)

// check checks the pools' heights and penalties, and that the bound of a measure is not above its value.
func (s *Search) check(m model.Measure, value, bound int64) {
	invariants.Must(bound <= value, "above the value is the bound of "+string(m), int(value), int(bound))
	for k := range s.pools {
		q := &s.pools[k]
		top := q.strip.Height(q.offsets)
		invariants.Equal(q.height, top, "height of pool", k)
		invariants.Must(q.capacity == 0 || top <= q.capacity, "above its capacity is pool", k)
		invariants.Must(!q.minimised || q.least <= s.paidIn(q), "above what it pays is the least of pool", k)
	}
}

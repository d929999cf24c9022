package enumerate

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: the choices so far are inequalities between offsets,
//
//	offset(to) >= offset(from) + by
//
// Each offset starts at the least that the body may have alone. If an offset is too low for an inequality, it rises to
// the least offset that keeps the inequality, is aligned, and is free of reserved bytes. This is repeated until no
// offset rises.
//
// Invariant: no solution has an offset below the offset here, since each step is monotone. So if the steps come to an
// end, the offsets are the least solution: no measure can be lower with these inequalities.
//
// Complexity: O(inequalities) a round. If more rounds than bound.Passes follow the last jump over a reserved range,
// they never end. There are at most bodies · ranges such jumps.

// more says that offset(to) >= offset(from) + by. from and to are indices in the set.
//
// With a page, the sum is rounded up to a multiple of it, and less is taken off that.
type more struct {
	from, to   int32
	by         int64
	page, less int64
}

// least returns the least offset of to.
func (m *more) least(low []int64) int64 {
	if m.page > 0 {
		return bound.Up(low[m.from]+m.by, m.page) - m.less
	}
	return low[m.from] + m.by
}

// lookRounds is how many rounds pass between two looks at the limits.
const lookRounds = 1 << 10

// lift returns the least offset, at or above at, that a body may have alone.
func (l *lane) lift(place int32, at int64) int64 {
	for {
		at = bound.Up(at, l.align[place])
		risen := false
		for _, r := range l.never[place] {
			if r.Above < at && at < r.Below {
				at, risen = r.Below, true
			}
		}
		if !risen {
			return at
		}
	}
}

// rise raises offsets until they keep to every inequality. It reports whether there are such offsets.
func (k *packer) rise(low []int64) bool {
	never := int64(0) // rounds after which the rise never ends; 0 until it is computed
	for round := int64(1); ; round++ {
		risen := false
		for _, m := range k.above {
			if at := m.least(low); at > low[m.to] {
				if at = k.lane.lift(k.places[m.to], at); at > k.high[m.to] {
					return false
				}
				low[m.to], risen = at, true
			}
		}
		if !risen {
			return true
		}
		if round%lookRounds != 0 {
			continue
		}
		if never == 0 {
			never = k.passes()
		}
		if round > never {
			return false
		}
		if k.search.over() {
			return false
		}
	}
}

// passes returns the number of rounds after which the rise never ends.
func (k *packer) passes() int64 {
	if k.lane.page > 0 { // offsets end at high
		return math.MaxInt64
	}
	aligns, jumps := make([]int64, len(k.places)), int64(1)
	for n, place := range k.places {
		aligns[n] = k.lane.align[place]
		jumps += int64(len(k.lane.never[place]))
	}
	if rounds := bound.Passes(aligns); rounds < math.MaxInt64/jumps {
		return rounds * jumps
	}
	return math.MaxInt64
}

package enumerate

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: the places that are taken are inequalities between offsets,
//
//	offset(to) >= offset(from) + by
//
// Offsets begin at the least that each body may have by itself. An offset that is too low for an inequality rises to
// the least one that is not, is aligned, and is free of reserved bytes. This is repeated until nothing rises.
//
// Invariant: no solution has an offset below these, since each step is monotone. So if the steps come to an end, they
// are the least solution: no measure can be lower with these inequalities.
//
// Complexity: O(inequalities) a round. If more rounds than bound.Passes says follow on the last jump over a reserved
// range, they never end. There are at most bodies · ranges such jumps.

// more says that offset(to) >= offset(from) + by. The numbers are those of the set in hand.
type more struct {
	from, to int32
	by       int64
}

// lookRounds is how many rounds are gone without a look at the limits.
const lookRounds = 1 << 10

// lift returns the least offset from at on that a place may have by itself.
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
	never := int64(0) // rounds after which it would go on for ever; 0 as long as that is not counted
	for round := int64(1); ; round++ {
		risen := false
		for _, m := range k.above {
			if at := low[m.from] + m.by; at > low[m.to] {
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

// passes returns after how many rounds there is no end.
func (k *packer) passes() int64 {
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

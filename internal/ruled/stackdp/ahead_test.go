package stackdp

import (
	"math"
	"testing"
)

// TestRest: a set that is listed has its own rest. Any other has what the cheapest one has that was cut off, less what
// its items that live on have already paid, or none if nothing was cut off.
func TestRest(t *testing.T) {
	w := &walk{
		question: &Question{Items: []Item{{In: 3, Out: 1}, {In: 0, Out: 5}}},
		bit:      []int8{0, 1},
		ahead: []reach{
			{at: []goal{{set: 1, rest: 7}}, other: 10, on: []int32{0, 1}}, {at: []goal{{set: 2, rest: 4}}, other: math.MaxInt64},
		},
	}
	for _, x := range []struct {
		t    int
		set  uint64
		want int64
	}{
		{0, 1, 7},
		{0, 0, 10 - 1 - 5},
		{0, 2, 10 - 1 - 0},
		{0, 3, 10 - 3 - 0},
		{1, 2, 4},
		{1, 1, math.MaxInt64},
	} {
		if got := w.rest(x.t, x.set); got != x.want {
			t.Errorf("section %d, set %b: %d, want %d", x.t, x.set, got, x.want)
		}
	}
	w.ahead[0].other = 2
	if got := w.rest(0, 0); got != 0 {
		t.Errorf("more is paid than the cheapest costs: %d", got)
	}
}

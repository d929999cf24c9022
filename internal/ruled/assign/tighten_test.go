package assign

import (
	"math/rand/v2"
	"testing"
)

// TestMostOf compares the largest sum that fits with all sums.
func TestMostOf(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 1))
	less := 0
	for range 3_000 {
		cells, sum := make([]int64, 1+r.IntN(9)), int64(0)
		unit := 1 + r.Int64N(3)
		for k := range cells {
			cells[k] = unit * (1 + r.Int64N(200))
			sum += cells[k]
		}
		room := r.Int64N(sum + 10)
		want := int64(0)
		for set := range 1 << len(cells) {
			if got := sumOf(cells, set); got <= room {
				want = max(want, got)
			}
		}
		if sum <= room {
			want = room
		}
		if got, _ := mostOf(cells, room, tightenEffort); got != want {
			t.Fatalf("%v within %d: %d, want %d", cells, room, got, want)
		}
		if want < room {
			less++
		}
		if got, took := mostOf(cells, room, 0); got != room || took != 0 {
			t.Fatalf("%d with no effort", got)
		}
	}
	if less < 1_000 {
		t.Errorf("%d rooms are too large", less)
	}
}

// sumOf adds up the numbers that are in a set of bits.
func sumOf(x []int64, set int) (sum int64) {
	for k := range x {
		if set>>k&1 == 1 {
			sum += x[k]
		}
	}
	return sum
}

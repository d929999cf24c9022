package sorting

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/thresholds"
)

// TestBy compares the order, ties included, with that of package slices.
func TestBy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, run - 1, run, run + 1, 2 * run, 5*run + 3, stretch + 1, 3*stretch + 5} {
		for k, spread := range []int{1, 3, n + 1, 10*n + 1, 10*n + 1, 10*n + 1} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = uint64(r.IntN(spread)) * [...]uint64{0x123456789ab, 3 << 40}[k%2] // many low bits are the same
			}
			if k == 4 {
				slices.Sort(keys) // there is nothing to do
			}
			want := Count(n)
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
			less := func(a, b int32) bool { return keys[a] < keys[b] }
			if got := Order(n, less); !slices.Equal(got, want) {
				t.Errorf("%d keys up to %d: merged %v, want %v", n, spread, got, want)
			}
			if got := Keys(keys); !slices.Equal(got, want) {
				t.Errorf("%d keys up to %d: by digits %v, want %v", n, spread, got, want)
			}
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(a, b) })
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[b], keys[a]) })
			if got, _ := Digits(Count(n), make([]int32, n), keys, math.MaxUint64, nil); n > 0 && !slices.Equal(got, want) {
				t.Errorf("%d keys up to %d: descending %v, want %v", n, spread, got, want)
			}
		}
	}
}

func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{0, 5, 100, 3 * thresholds.DigitsLeast} {
		x := []int64{math.MaxInt64, math.MinInt64, 0, -1, 1}[:min(n, 5)]
		for len(x) < n {
			x = append(x, int64(r.Uint64())>>r.IntN(63))
		}
		want := slices.Clone(x)
		slices.Sort(want)
		if Times(x); !slices.Equal(x, want) {
			t.Errorf("%d numbers: %v, want %v", n, x, want)
		}
	}
}

// TestLimit lets the limit fall at every look: items stay a permutation, and the list is sorted if it does not fall.
func TestLimit(t *testing.T) {
	const n = 3*stretch + 7
	for at := 0; ; at++ {
		items := Count(n)
		looks := 0
		sorted := Within(items, make([]int32, n), func(a, b int32) bool { return a*7919%n < b*7919%n }, func() bool {
			looks++
			return looks > at
		})
		seen := make([]bool, n)
		for _, i := range items {
			if seen[i] {
				t.Fatalf("limit at look %d: %d is there twice", at, i)
			}
			seen[i] = true
		}
		if sorted != (looks <= at) {
			t.Fatalf("limit at look %d of %d: sorted %v", at, looks, sorted)
		}
		if sorted {
			if at < 10 || !slices.IsSortedFunc(items, func(a, b int32) int { return int(a*7919%n - b*7919%n) }) {
				t.Fatalf("%d looks; not sorted", at)
			}
			return
		}
	}
}

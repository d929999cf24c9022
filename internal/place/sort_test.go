package place

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
)

// stretch is what package sorting merges between looks.
const stretch = 4096

// Sort is a stable sort, and under a limit that falls anywhere it loses nothing.
func TestSort(t *testing.T) {
	for _, n := range []int{0, 1, 2, stretch, stretch + 1, 3*stretch + 5, 8 * stretch} {
		rng := rand.New(rand.NewPCG(uint64(n), 51))
		key, items := make([]int, n), make([]int32, n)
		for i := range items {
			key[i], items[i] = rng.IntN(n/3+1), int32(i)
		}
		rng.Shuffle(n, func(i, j int) { items[i], items[j] = items[j], items[i] })
		compare := func(a, b int32) int { return cmp.Compare(key[a], key[b]) }
		want := slices.Clone(items)
		slices.SortStableFunc(want, compare)
		for look := int64(0); ; look++ {
			got := slices.Clone(items)
			w := run.NewWatch(run.EndAtLook(context.Background(), look))
			done := Sort(w, got, compare)
			w.Close()
			if done {
				if !slices.Equal(got, want) {
					t.Fatalf("%d items are not sorted", n)
				}
				break
			}
			slices.Sort(got)
			for i := range got {
				if got[i] != int32(i) {
					t.Fatalf("%d items, look %d: %d is lost", n, look, i)
				}
			}
		}
	}
}

package place

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Sort sorts items by compare, ties in the order in which they are. It returns
// false where a limit came first, and items are then in no particular order. No
// watch (nil) means no limit.
func Sort(w *run.Watch, items []int32, compare func(a, b int32) int) bool {
	var over func() bool
	if w != nil {
		over = w.Over
	}
	return sorting.Within(items, make([]int32, len(items)), func(a, b int32) bool { return compare(a, b) < 0 }, over)
}

package place

import (
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/sorting"
)

// Sort sorts items by compare. Ties keep their order. If a limit comes first, it returns
// false, and the items are in no particular order. No watch (nil) means no limit.
func Sort(w *run.Watch, items []int32, compare func(a, b int32) int) bool {
	var over func() bool
	if w != nil {
		over = w.Over
	}
	return sorting.Within(items, make([]int32, len(items)), func(a, b int32) bool { return compare(a, b) < 0 }, over)
}

package engine

import "github.com/stowage-go/stowage/internal/sorting"

// sortBy sorts a list of buffers, in scratch that is kept. In a huge partition it
// leaves the list in some order where the run is over.
func (k *kernel) sortBy(list []Buffer, less func(i, j Buffer) bool) {
	if len(list) > len(k.sorted) {
		k.sorted = make([]Buffer, len(list))
	}
	var over func() bool
	if k.huge {
		over = k.watch.Over
	}
	sorting.Within(list, k.sorted, less, over)
}

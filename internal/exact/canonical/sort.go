package canonical

import (
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/sorting"
)

// sortBy sorts a list of buffers. If the run ends meanwhile, it leaves the list of a huge partition in some order.
func (k *Kernel) sortBy(list []common.Buffer, less func(i, j common.Buffer) bool) {
	if len(list) > len(k.sorted) {
		k.sorted = make([]common.Buffer, len(list))
	}
	var over func() bool
	if k.huge {
		over = k.Watch.Over
	}
	sorting.Within(list, k.sorted, less, over)
}

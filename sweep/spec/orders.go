package spec

import (
	"strings"

	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/tflm"
)

// Orders of operators.
const (
	Exported  = "exported"  // as the model's file has it
	Reordered = "reordered" // with the lowest peak that is found
)

// What results may lie over, after an order and a plus; alone, in the order of the file.
const (
	InPlace  = "in-place"  // operands of element-wise operators, at the same place
	diagonal = "diagonal=" // operands, as closely as the kernels of a library permit; its name follows
)

// An Order is how a model runs.
type Order = models.Order

// OrderOf reads an order. It must be one of orders.
func OrderOf(name string) (o Order) {
	for part := range strings.SplitSeq(name, "+") {
		switch kernels, ok := strings.CutPrefix(part, diagonal); {
		case ok:
			o.Kernels = tflm.Kernels(kernels)
		case part == InPlace:
			o.InPlace = true
		case part == Reordered:
			o.Reordered = true
		}
	}
	return o
}

// orders returns the names of all orders.
func orders() []string {
	all := []string{Exported, Reordered}
	over := []string{InPlace}
	for _, library := range tflm.KernelLibraries() {
		over = append(over, diagonal+string(library))
	}
	for _, x := range over {
		all = append(all, x, Reordered+"+"+x)
	}
	return all
}

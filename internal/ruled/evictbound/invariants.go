package evictbound

import (
	"slices"

	"github.com/stowage-go/stowage/internal/invariants"
)

// check checks the bytes that are left to free.
func (c *selection) check() {
	fresh := newSelection(c.all, c.families)
	for n, taken := range c.taken {
		fresh.set(n, taken)
	}
	for k := range c.left {
		invariants.Must(slices.Equal(c.left[k], fresh.left[k]), "not what is left is that of family", k)
	}
}

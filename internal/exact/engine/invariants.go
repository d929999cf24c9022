package engine

import (
	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/model"
)

// check compares the incumbent with its height, the bound and the roof.
func (n *interval) check(p *model.Problem) {
	if n.best == nil {
		return
	}
	invariants.Equal(n.height, model.HeightOf(p, n.best), "height of the incumbent")
	invariants.Must(n.height <= n.roof, "the incumbent is above the roof:", int(n.height), int(n.roof))
	invariants.Must(n.bound <= n.height, "the bound is above the incumbent:", int(n.bound), int(n.height))
}

//go:build invariants

package engine

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// check compares the incumbent with its height, the bound and the roof.
func (n *interval) check(p *model.Problem) {
	if n.best != nil && (model.HeightOf(p, n.best) != n.height || n.height > n.roof || n.bound > n.height) {
		panic("exact: invariant broken: a plan of height " + strconv.FormatInt(model.HeightOf(p, n.best), 10) + " is said to have " +
			strconv.FormatInt(n.height, 10) + ", with the bound " + strconv.FormatInt(n.bound, 10) + " and the roof " + strconv.FormatInt(n.roof, 10))
	}
}

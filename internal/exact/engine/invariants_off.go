//go:build !invariants

package engine

import "github.com/stowage-go/stowage/model"

// Without the tag invariants nothing is checked (invariants.go), and these cost
// nothing.

type snapshot struct{}

func (*kernel) check(component) {}

func (*kernel) checkSettled(component) {}

func (*kernel) snap() snapshot { return snapshot{} }

func (*kernel) restored(snapshot) {}

func (*interval) check(*model.Problem) {}

// Package moves lets the planners exact and auto tell of what they try
// (plan.Options.Moves) where it is imported, as image/png does for its format:
//
//	import _ "github.com/stowage-go/stowage/planner/moves"
//
// It is a package of its own so that programs that do not look on are linked without it.
package moves

import "github.com/stowage-go/stowage/internal/exact"

func init() { exact.Telling() }

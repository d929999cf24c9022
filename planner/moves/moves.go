// Package moves makes the planners exact and auto call plan.Options.Moves. Import it
// for its side effect, as with image/png:
//
//	import _ "github.com/stowage-go/stowage/planner/moves"
//
// It is a separate package so that programs which do not import it are smaller.
package moves

import "github.com/stowage-go/stowage/internal/exact"

func init() { exact.Telling() }

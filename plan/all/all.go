// Package all adds the planners of Stowage that its default planner does not need: `boxing`
// (idealloc), `tela` (TelaMalloc), `minimalloc`, `core` and `sweep`. The root package has the others.
//
// Import it for its side effect, as with image/png:
//
//	import _ "github.com/stowage-go/stowage/plan/all"
//
// It needs only the standard library. The command, the libraries for C and Python, the package
// for npm and stowage-sweep import it. The planners of compilers and runtimes, and the baselines of
// papers, are in the laboratory: see lab/baselines and lab/milp.
package all

import (
	_ "github.com/stowage-go/stowage/internal/planners/boxing"
	_ "github.com/stowage-go/stowage/internal/planners/core"
	_ "github.com/stowage-go/stowage/internal/planners/minimalloc"
	_ "github.com/stowage-go/stowage/internal/planners/sweep"
	_ "github.com/stowage-go/stowage/internal/planners/tela"
)

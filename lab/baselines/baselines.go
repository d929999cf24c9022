// Package baselines adds planners to package stowage, for comparison: MiniMalloc,
// TelaMalloc, idealloc, the constraint programs of their papers, and the planners of
// compilers and runtimes. It also adds `sweep`: passes through time, which auto has as
// a part of its portfolio, as a planner by itself.
//
// Import it for its side effect, as with image/png:
//
//	import _ "github.com/stowage-go/stowage/lab/baselines"
//
// It needs only the standard library. The mixed integer program is in lab/milp,
// which is heavy; learned backtracking is in lab/learn.
package baselines

import (
	_ "github.com/stowage-go/stowage/internal/sweep"
	_ "github.com/stowage-go/stowage/lab/baseline/boxing"
	_ "github.com/stowage-go/stowage/lab/baseline/cp"
	_ "github.com/stowage-go/stowage/lab/baseline/framework"
	_ "github.com/stowage-go/stowage/lab/baseline/heuristic"
	_ "github.com/stowage-go/stowage/lab/baseline/minimalloc"
	_ "github.com/stowage-go/stowage/lab/baseline/rectpack"
	_ "github.com/stowage-go/stowage/lab/baseline/tela"
)

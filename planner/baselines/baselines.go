// Package baselines adds other people's planners to package stowage, to hold
// its own against: MiniMalloc, TelaMalloc, idealloc, the constraint programs of their papers,
// and what compilers and runtimes ship; and `sweep`, the passes through time that auto has as
// lines of its portfolio, as a planner by itself.
//
// Import it for its side effect, as image/png is:
//
//	import _ "github.com/stowage-go/stowage/planner/baselines"
//
// It needs nothing beyond the standard library. The mixed integer program is in
// planner/milp, which is heavy, and learned backtracking in research/learn.
package baselines

import (
	_ "github.com/stowage-go/stowage/internal/baseline/boxing"
	_ "github.com/stowage-go/stowage/internal/baseline/cp"
	_ "github.com/stowage-go/stowage/internal/baseline/framework"
	_ "github.com/stowage-go/stowage/internal/baseline/heuristic"
	_ "github.com/stowage-go/stowage/internal/baseline/minimalloc"
	_ "github.com/stowage-go/stowage/internal/baseline/rectpack"
	_ "github.com/stowage-go/stowage/internal/baseline/tela"
	_ "github.com/stowage-go/stowage/internal/sweep"
)

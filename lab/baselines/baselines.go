// Package baselines adds planners to package stowage, for comparison: the planners of compilers
// and runtimes, and the constraint programs of papers. It also adds those of package plan/all.
//
// Import it for its side effect, as with image/png:
//
//	import _ "github.com/stowage-go/stowage/lab/baselines"
//
// It needs only the standard library. The mixed integer program is in lab/milp, which is heavy.
package baselines

import (
	_ "github.com/stowage-go/stowage/lab/baseline/cp"
	_ "github.com/stowage-go/stowage/lab/baseline/framework"
	_ "github.com/stowage-go/stowage/lab/baseline/heuristic"
	_ "github.com/stowage-go/stowage/lab/baseline/rectpack"
	_ "github.com/stowage-go/stowage/plan/all"
)

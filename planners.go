package stowage

// The planners that auto runs, and auto. Others register themselves where they
// are imported: see plan/all, and lab/baselines and lab/milp of the laboratory.
import (
	_ "github.com/stowage-go/stowage/internal/auto"
	_ "github.com/stowage-go/stowage/internal/climb"
	_ "github.com/stowage-go/stowage/internal/exact"
	_ "github.com/stowage-go/stowage/internal/greedy"
	_ "github.com/stowage-go/stowage/internal/merge"
)

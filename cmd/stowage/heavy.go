package main

// The command has every planner.
import (
	_ "github.com/stowage-go/stowage/planner/baselines"
	_ "github.com/stowage-go/stowage/planner/milp"
)

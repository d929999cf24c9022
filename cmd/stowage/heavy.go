package main

// The command has every planner, also those that report their moves.
import (
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/learn"
	_ "github.com/stowage-go/stowage/lab/milp"
)

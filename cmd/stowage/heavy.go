package main

// The command has every planner, and they tell of what they try.
import (
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/learn"
	_ "github.com/stowage-go/stowage/lab/milp"
)

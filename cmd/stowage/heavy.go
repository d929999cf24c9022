package main

// The planners that are not light: the command has them all.
import _ "github.com/stowage-go/stowage/planner/milp"

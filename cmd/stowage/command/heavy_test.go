package command

// The tests run the command with the planners that it is built with.
import (
	_ "github.com/stowage-go/stowage/lab/baselines"
	_ "github.com/stowage-go/stowage/lab/learn"
	_ "github.com/stowage-go/stowage/lab/milp"
)

//go:build !invariants

package engine

// pauseChecks does nothing without the tag invariants.
func pauseChecks() (resume func()) { return func() {} }

//go:build !invariants

package greedy

// Without the tag invariants nothing is checked (invariants.go).

func (*Sweeper) checkSpace(*sweptPart, int, int32, []int32, int) {}

func (*Sweeper) checkHeights() {}

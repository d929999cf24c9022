//go:build !invariants

package pairwise

import "testing"

// TestNoAllocation places and pops without allocating once arrays have grown.
func TestNoAllocation(t *testing.T) {
	e := stacked(t, 60)
	run := func() {
		for j := range int32(e.Len()) {
			lo, _ := e.Range(j)
			if !e.Place(j, lo) {
				t.Fatal("conflict in a full overlap with room for all")
			}
		}
		e.PopTo(0)
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

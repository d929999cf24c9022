package lent_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/lent"
)

// TestTake: parts are zero and apart, also those that the array had no room for.
func TestTake(t *testing.T) {
	var shelf lent.Shelf[int]
	for round := range 4 {
		var parts [][]int
		for n := range 5 {
			part := shelf.Take(n + round)
			for k, x := range part {
				if x != 0 {
					t.Fatalf("round %d: a part of %d has %d", round, n, x)
				}
				part[k] = n + 1
			}
			parts = append(parts, append(part, -1)[:len(part)])
		}
		for n, part := range parts {
			for _, x := range part {
				if len(part) != n+round || x != n+1 {
					t.Fatalf("round %d: part %d is %v", round, n, part)
				}
			}
		}
		shelf.Back()
	}
}

// TestSecondCall: what was taken once is there the second time.
func TestSecondCall(t *testing.T) {
	var shelf lent.Shelf[int64]
	call := func() {
		shelf.Back()
		shelf.Take(7)
		shelf.Take(100)
	}
	call()
	call() // the array grows
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := len((*lent.Shelf[byte])(nil).Take(3)); n != 3 {
		t.Errorf("no shelf lends %d", n)
	}
}

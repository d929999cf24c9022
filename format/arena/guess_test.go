package arena_test

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestGuess has two steps that differ, as the first two of a training loop do: the first makes a state (900
// bytes) that stays. Gradients (100 and 50 bytes) of the first end in the second, so those of the second
// are taken to end there in the third. The state, and what has no like in the step before, is not planned.
func TestGuess(t *testing.T) {
	const recorded = `stowage-arena-trace 1
b 1 0 -
a 100 64 0 0
a 50 64 0 0
a 900 64 0 0
e 1 0
b 1 0 -
a 70 64 0 0
f 0 0
a 30 64 0 0
f 1 0
f 3 0
a 100 64 0 0
a 50 64 0 0
a 900 64 0 0
e 1 0
end 16 -
`
	read := must.Get(arena.ReadTrace(strings.NewReader(recorded), "steps.trace"))(t)
	plans := arena.Fold(read, arena.FoldOptions{})
	if len(plans) != 1 || plans[0].Period != 5 {
		t.Fatalf("%d plans: %+v", len(plans), plans)
	}
	// 70 bytes end before the third allocation; 30 bytes are never freed; 100 and 50 go on into the next step.
	want := [][2]int64{{0, 2}, {1, 1}, {2, 6}, {3, 7}, {4, 4}}
	for i, a := range plans[0].Lanes[0].Allocations {
		if got := [2]int64{a.Lower, a.Upper}; got != want[i] {
			t.Errorf("allocation %d of %d bytes lives %v, want %v", i, a.Size, got, want[i])
		}
	}
}

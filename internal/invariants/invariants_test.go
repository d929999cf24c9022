package invariants_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/invariants"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestMessages has each kind of check pass and fail.
func TestMessages(t *testing.T) {
	for _, tc := range []struct {
		check func()
		says  string
	}{
		{func() { invariants.Must(true, "rank of buffer", 3) }, ""},
		{func() { invariants.Equal(12, 12, "load of section", 7) }, ""},
		{func() { invariants.Equal([2]int{1, 2}, [2]int{1, 2}, "extent of buffer", 7) }, ""},
		{func() { invariants.Must(false, "rank of buffer", 3, 9) }, "invariant broken: rank of buffer 3 9"},
		{func() { invariants.Must(false, "100% of the queue") }, "invariant broken: 100% of the queue"},
		{func() {
			invariants.Equal(12, 13, "load of section", 7)
		}, "invariant broken: load of section 7 is 12, from scratch 13"},
		{func() { invariants.Equal(1, 2, "number of roots") }, "invariant broken: number of roots is 1, from scratch 2"},
		{func() { invariants.Fail("page %d of %q", 1, "a") }, `invariant broken: page 1 of "a"`},
	} {
		if got := plantest.Caught(tc.check); got != tc.says {
			t.Errorf("%q, want %q", got, tc.says)
		}
	}
}

// TestNoAllocation: a check that passes allocates nothing, since millions of them run in a test.
func TestNoAllocation(t *testing.T) {
	at, size := 1000, int64(1<<40)
	if n := testing.AllocsPerRun(100, func() {
		invariants.Must(size > 0, "size of buffer", at)
		invariants.Equal(size, size, "size of buffer", at)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

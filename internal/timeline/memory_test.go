//go:build !invariants

package timeline

import (
	"runtime"
	"testing"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestLinearMemory prepares 20,000 buffers of which most pairs overlap, more than the 18,692 of pangu_2.6B. A table of
// the pairs would take 50 MB even at a bit for each.
func TestLinearMemory(t *testing.T) {
	for _, tc := range []struct {
		gaps  float64
		bytes int64 // per buffer
	}{{0, 120}, {1, 600}} {
		const n = 20_000
		p := longLived(t, n, tc.gaps)
		var tl *Timeline
		perBuffer := allocated(func() {
			tl = New(p)
			tl.AppendConflicts(make([]int32, 0, n), 0)
		}) / n
		t.Logf("gaps %g: %d bytes per buffer, %d sections", tc.gaps, perBuffer, tl.Sections())
		if perBuffer > tc.bytes {
			t.Errorf("gaps %g: %d bytes allocated per buffer, want at most %d", tc.gaps, perBuffer, tc.bytes)
		}
		conflicts := 0
		dst := make([]int32, 0, n)
		for i := 0; i < n; i += 199 {
			conflicts += len(tl.AppendConflicts(dst, i))
		}
		if mean := conflicts / (n/199 + 1); mean < n/2 {
			t.Errorf("gaps %g: a buffer has %d conflicts, too few for this test", tc.gaps, mean)
		}
		if a := testing.AllocsPerRun(10, func() { tl.AppendConflicts(dst, 7); tl.Distance(7, 8); tl.Overlaps(7, 9) }); a > 0 {
			t.Errorf("gaps %g: a query allocates %v times", tc.gaps, a)
		}
	}
}

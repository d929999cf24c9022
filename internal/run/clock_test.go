package run

import (
	"testing"
	"time"
)

// TestPlanUntil sets aside what comes after the planner, more if there are gaps, and no more than half of what is left.
func TestPlanUntil(t *testing.T) {
	began := time.Now()
	for _, tc := range []struct {
		took, timeout time.Duration
		gaps          bool
		want          time.Duration
	}{
		{100 * time.Millisecond, 2 * time.Second, false, 1800 * time.Millisecond},
		{100 * time.Millisecond, 2 * time.Second, true, 1500 * time.Millisecond},
		{100 * time.Millisecond, 500 * time.Millisecond, true, 300 * time.Millisecond},
		{100 * time.Millisecond, 50 * time.Millisecond, true, 50 * time.Millisecond},
	} {
		if got := PlanUntil(began, began.Add(tc.took), tc.timeout, tc.gaps).Sub(began); got != tc.want {
			t.Errorf("prepared after %v of %v, gaps %v: until %v, want %v", tc.took, tc.timeout, tc.gaps, got, tc.want)
		}
	}
}

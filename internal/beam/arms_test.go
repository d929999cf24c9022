package beam

import "testing"

// TestShare: the arm that takes more off the plan for its time has favoured times the time of the other one. If that
// one becomes better it has it soon. If nobody gains both have as much, and a closed arm has nothing.
func TestShare(t *testing.T) {
	s := share{span: 200}
	spend := func(turns int, gains [arms]int64) float64 {
		times, spent := [arms]int64{10, 30}, [arms]int64{}
		for range turns {
			i := s.next()
			spent[i] += times[i]
			s.note(i, gains[i], times[i])
		}
		return float64(spent[byOffsets]) / float64(spent[byOffsets]+spent[byOrders])
	}
	about := func(name string, got, want float64) {
		t.Helper()
		if got < want-0.02 || got > want+0.02 {
			t.Errorf("%s: passes with offsets have %.2f of the time, not %.2f", name, got, want)
		}
	}
	about("nobody gains", spend(3000, [arms]int64{}), 0.5)
	about("by orders", spend(3000, [arms]int64{1, 30}), 1.0/(1+favoured))
	spend(100, [arms]int64{20, 30})
	about("by offsets", spend(3000, [arms]int64{20, 30}), favoured/(1.0+favoured))
	spend(100, [arms]int64{})
	about("nobody gains any more", spend(3000, [arms]int64{}), 0.5)
	s.arms[byOrders].closed = true
	about("one is closed", spend(3000, [arms]int64{}), 1)
	s.arms[byOffsets].closed = true
	if i := s.next(); i != arms {
		t.Errorf("both are closed, and %d is next", i)
	}
}

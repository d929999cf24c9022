package splitmix

import "testing"

// TestNext has the first numbers of state 0, as the reference implementation gives them.
func TestNext(t *testing.T) {
	var state uint64
	for _, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Next(&state); got != want {
			t.Errorf("got %#x, want %#x", got, want)
		}
	}
}

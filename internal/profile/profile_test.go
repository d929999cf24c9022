package profile_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
)

// TestNew compares the load with what each buffer uses at each time.
func TestNew(t *testing.T) {
	gaps := 0
	for seed := range uint64(2000) {
		p := drawn.Tiny(seed)
		f := profile.New(p)
		lower, upper := profile.Horizon(p)
		var peak int64
		k := -1
		for at := lower; at < upper; at++ {
			if k+1 < len(f.Times) && f.Times[k+1] == at {
				k++
			}
			var want, got int64
			for i := range p.Buffers {
				from, to := oracle.Used(&p.Buffers[i], at)
				want += to - from
			}
			if k >= 0 {
				got = f.Loads[k]
			}
			if got != want {
				t.Fatalf("seed %d: load %d at %d, want %d\n%s", seed, got, at, want, drawn.Describe(p))
			}
			if want > peak {
				peak = want
				if f.Loads[f.At] == want && f.Peak == want && f.Times[f.At] != at {
					t.Fatalf("seed %d: the first peak is at %d, not at %d", seed, at, f.Times[f.At])
				}
			}
			if want == 0 {
				gaps++
			}
		}
		if f.Peak != peak || len(f.Loads) > 0 && f.Loads[len(f.Loads)-1] != 0 {
			t.Fatalf("seed %d: peak %d, want %d, then %v", seed, f.Peak, peak, f.Loads)
		}
	}
	if gaps < 20 {
		t.Errorf("only %d times at which nothing is in use", gaps)
	}
}

package session

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestWalks asks the search and the walks by themselves. What they return is right, the early walks find plans
// that the search in depth does not, and so do the late ones.
func TestWalks(t *testing.T) {
	const lateMost = 25 // late walks that fail take a tenth of a second
	searches := []func(*call) (Answer, placing, error){(*call).repair, (*call).earlyWalks, (*call).lateWalks}
	var plans, more [3]int
	asked := 0
	for seed := range plantest.Share(uint64(400), 150) {
		s := draw(t, seed, 24, Options{})
		b := wide(s, seed)
		if b.Size == 0 {
			continue
		}
		i := s.insert(b)
		found := false // by the search
		for k, search := range searches {
			if k == 2 {
				if found || asked == lateMost {
					break
				}
				asked++
			}
			c, done := s.begin(context.Background(), []int32{i})
			if c.keep(); c.fit() {
				done()
				break
			}
			_, p := must.Two(search(c))(t)
			if p.at != nil {
				if fault := verify.First(&s.p, p.at, s.p.Capacity, -1); fault != "" {
					t.Fatalf("seed %d: %s", seed, fault)
				}
				if plans[k]++; !found {
					more[k]++
				}
				found = found || k == 0
			}
			done()
		}
	}
	if plans[0] < 5 || more[1] < 5 || more[2] < 5 {
		t.Errorf("the search and the walks found %v plans, and %v that the search did not", plans, more)
	}
}

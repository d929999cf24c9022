package session

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestGuided asks the search and the walks by themselves. What they return is right, the short walks find plans
// that the search in depth does not, and the long walks find plans that neither does.
func TestGuided(t *testing.T) {
	const longMost = 25 // a long round that fails takes a tenth of a second
	searches := []func(*call) (Answer, []int64, error){(*call).repair, (*call).guided, (*call).wander}
	var plans, more [3]int
	long := 0
	for seed := range plantest.Share(uint64(400), 150) {
		s := draw(t, seed, 24, Options{})
		b := wide(s, seed)
		if b.Size == 0 {
			continue
		}
		i := s.insert(b)
		any := false
		for k, search := range searches {
			if k == 2 {
				if any || long == longMost {
					break
				}
				long++
			}
			c, done := s.begin(context.Background(), []int32{i})
			if c.keep(); c.fit() {
				done()
				break
			}
			_, at, err := search(c)
			if err != nil {
				t.Fatal(err)
			}
			if at != nil {
				if fault := verify.First(&s.p, at, s.p.Capacity, -1); fault != "" {
					t.Fatalf("seed %d: %s", seed, fault)
				}
				if plans[k]++; !any {
					more[k]++
				}
				any = true
			}
			done()
		}
	}
	if plans[0] < 5 || plans[1] < 5 || more[1] < 1 || more[2] < 1 {
		t.Errorf("the search and the walks found %v plans, and %v that none before did", plans, more)
	}
}

package session

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
)

// TestGuided asks the two searches of the step repair by themselves. What they return is right, and the walk finds
// plans that the search in depth does not.
func TestGuided(t *testing.T) {
	searched, walked, more := 0, 0, 0
	for seed := range plantest.Share(uint64(400), 150) {
		s := draw(t, seed, 24, Options{})
		b := wide(s, seed)
		if b.Size == 0 {
			continue
		}
		i := s.insert(b)
		var found [2]bool
		for k, search := range []func(*call) (Answer, []int64, error){(*call).repair, (*call).guided} {
			c, done := s.begin(context.Background(), []int32{i})
			if c.keep(); c.fit() {
				done()
				break
			}
			_, at, err := search(c)
			if err != nil {
				t.Fatal(err)
			}
			if found[k] = at != nil; found[k] {
				if fault := verify.First(&s.p, at, s.p.Capacity, -1); fault != "" {
					t.Fatalf("seed %d: %s", seed, fault)
				}
			}
			done()
		}
		if found[0] {
			searched++
		}
		if found[1] {
			walked++
		}
		if found[1] && !found[0] {
			more++
		}
	}
	if searched < 5 || walked < 5 || more < 1 {
		t.Errorf("the search found %d plans, the walk %d, and %d more than the search", searched, walked, more)
	}
}

package drawn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// apartForGood are pairs of features that no problem can have together.
func apartForGood(a, b string) bool {
	return a == "clocks" && slices.Contains([]string{"gaps", "windows", "period", "evictions", "distances"}, b)
}

// TestBroad: every pair of features is drawn on request. The enumeration answers nearly all problems, about half have
// no plan, and some have large numbers.
func TestBroad(t *testing.T) {
	plans, none, given, large := 0, 0, 0, 0
	r := rand.New(rand.NewPCG(25, 9))
	for range 4 {
		for _, a := range drawn.RuledFeatures {
			for _, b := range drawn.RuledFeatures {
				if apartForGood(a, b) || apartForGood(b, a) {
					continue
				}
				p := drawn.Broad(r, a, b)
				if err := model.Validate(p); err != nil {
					t.Fatal(err)
				}
				if has := drawn.FeaturesOf(p); !slices.Contains(has, a) || !slices.Contains(has, b) {
					t.Fatalf("%s and %s were asked for; drawn are %v", a, b, has)
				}
				_, plan, decided := oracle.Chains(p, 20_000)
				switch {
				case !decided:
					given++
				case plan != nil:
					plans++
				default:
					none++
				}
				if p.Buffers[0].Size > 1<<32 {
					large++
				}
			}
		}
	}
	t.Logf("%d with a plan, %d without, %d given up, %d large", plans, none, given, large)
	if plans < 450 || none < 450 || given > 30 || large < 50 {
		t.Errorf("%d with a plan, %d without, %d given up, %d large", plans, none, given, large)
	}
}

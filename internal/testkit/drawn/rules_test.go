package drawn

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestRuled: drawn problems are valid and the same each time. Every pair of features that may stand together comes up.
func TestRuled(t *testing.T) {
	never := map[[2]string]bool{}
	for _, other := range []string{"gaps", "windows", "period", "evictions", "distances"} {
		never[[2]string{"clocks", other}], never[[2]string{other, "clocks"}] = true, true
	}
	count := map[[2]string]int{}
	for seed := range uint64(3000) {
		p := Ruled(rand.New(rand.NewPCG(seed, 1)))
		if err := model.Validate(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if q := Ruled(rand.New(rand.NewPCG(seed, 1))); DescribeRuled(p) != DescribeRuled(q) {
			t.Fatalf("seed %d differs from itself", seed)
		}
		features := FeaturesOf(p)
		for _, a := range features {
			for _, b := range features {
				count[[2]string{a, b}]++
			}
		}
	}
	for _, a := range RuledFeatures {
		for _, b := range RuledFeatures {
			if n := count[[2]string{a, b}]; (n == 0) != never[[2]string{a, b}] {
				t.Errorf("%s with %s: %d", a, b, n)
			}
		}
	}
}

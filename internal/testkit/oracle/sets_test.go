package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestSets compares Sets with the plain enumeration, and its plans with the rules.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 2))
	both, plans := 0, 0
	for range plantest.Share(20_000, 2_000, 800) {
		p := drawn.Ruled(r)
		want, _, decided := oracle.Ruled(p, 100_000)
		got, plan, known := oracle.Sets(p, 0)
		if !decided || !known {
			continue
		}
		if both++; want != nil {
			plans++
		}
		if !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Fatalf("%v, want %v\n%s", got, want, drawn.DescribeRuled(p))
		}
		if plan != nil && !oracle.Legal(p, plan) {
			t.Fatalf("an illegal plan\n%s", drawn.DescribeRuled(p))
		}
	}
	t.Log(both, "problems,", plans, "with a plan")
	if both < 300 || plans < both/5 {
		t.Error("lopsided")
	}
}

package agree

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestBanked decides small problems in several pools without a limit. go run ./lab/bench/agree -banked asks about more.
func TestBanked(t *testing.T) {
	t.Parallel()
	var tally BankedTally
	seeds := plantest.Share[uint64](5_000, 400, 150)
	for seed := range seeds {
		if p, fault := tally.Banked(seed, []string{"auto", "auto", "exact"}[seed%3]); fault != "" {
			t.Errorf("seed %d: %s\n%s", seed, fault, drawn.DescribeRuled(p))
		}
	}
	t.Log(tally)
	if tally.Plans < tally.None/3 || tally.None < tally.Plans/3 || tally.Undecided*20 > int(seeds) {
		t.Error("lopsided")
	}
}

// TestBankedOnceFalse plays seeds that had a false answer: with one more eviction a pair with gaps began to pay a
// penalty.
func TestBankedOnceFalse(t *testing.T) {
	t.Parallel()
	var tally BankedTally
	for _, seed := range []uint64{339486, 371902} {
		if p, fault := tally.Banked(seed, "auto"); fault != "" {
			t.Errorf("seed %d: %s\n%s", seed, fault, drawn.DescribeRuled(p))
		}
	}
}

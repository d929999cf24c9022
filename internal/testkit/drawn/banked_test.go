package drawn_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// TestBanked checks that every feature, measure, rank and number of pools is drawn often, and that brute force answers
// nearly all.
func TestBanked(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 3))
	const problems = 1_500
	features, measures, pools, ranks := map[string]int{}, map[string]int{}, map[int]int{}, map[int]int{}
	buffers, plans, undecided := map[int]int{}, 0, 0
	for range problems {
		p := drawn.Banked(r)
		if err := model.Validate(p); err != nil {
			t.Fatal(err)
		}
		for _, f := range drawn.FeaturesOf(p) {
			features[f]++
		}
		for _, m := range p.Rules.Objective {
			kind, _, one := strings.Cut(string(m), ":")
			if one {
				kind += ":"
			}
			measures[kind]++
		}
		pools[len(p.Rules.Pools)]++
		ranks[len(p.Rules.Objective)]++
		buffers[len(p.Buffers)]++
		best, _, decided := oracle.Sets(p, 200_000)
		if best != nil {
			plans++
		}
		if !decided {
			undecided++
		}
	}
	t.Log(features, measures, pools, ranks, buffers, plans, "with a plan", undecided, "undecided")
	for _, f := range drawn.RuledFeatures {
		if features[f] < problems/40 {
			t.Errorf("%s in %d", f, features[f])
		}
	}
	for _, m := range []string{
		"height", "max_height", "peak", "max_peak", "cost", "penalty", "eviction", "height:", "peak:",
	} {
		if measures[m] < problems/10 {
			t.Errorf("%s in %d", m, measures[m])
		}
	}
	for k := 3; k <= 5; k++ {
		if pools[k] < problems/5 {
			t.Errorf("%d pools in %d", k, pools[k])
		}
	}
	for k := 1; k <= 4; k++ {
		if ranks[k] < problems/8 {
			t.Errorf("%d measures in %d", k, ranks[k])
		}
	}
	if plans < problems/4 || plans > problems*3/4 || undecided > problems/20 {
		t.Error("lopsided")
	}
}

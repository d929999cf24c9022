package oracle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// TestChainsRuled compares the two enumerations with each other: one tries every offset, the other those on which
// bodies can rest.
func TestChainsRuled(t *testing.T) {
	plans, none := 0, 0
	for seed := range uint64(1500) {
		p := drawn.Ruled(rand.New(rand.NewPCG(seed, 3)))
		want, _, decided := Ruled(p, 200_000)
		best, plan, also := Chains(p, 200_000)
		if !decided || !also {
			continue
		}
		if !slices.Equal(best, want) || (plan == nil) != (want == nil) {
			t.Fatalf("seed %d: %v, want %v\n%s", seed, best, want, drawn.DescribeRuled(p))
		}
		if plan == nil {
			none++
			continue
		}
		plans++
		if !Legal(p, plan) {
			t.Fatalf("seed %d: the plan breaks a rule\n%s", seed, drawn.DescribeRuled(p))
		}
	}
	t.Logf("%d with a plan, %d without", plans, none)
	if plans < 300 || none < 300 {
		t.Errorf("%d with a plan, %d without: lopsided", plans, none)
	}
}

// TestChainsScaled multiplies everything that is bytes: the best values of bytes are multiplied as well.
func TestChainsScaled(t *testing.T) {
	const by = 1 << 40
	compared := 0
	for seed := range uint64(300) {
		p := drawn.Ruled(rand.New(rand.NewPCG(seed, 4)))
		best, _, decided := Chains(p, 100_000)
		wide, _, also := Chains(drawn.Scaled(p, by), 100_000)
		if !decided || !also {
			continue
		}
		for k, m := range p.Objective() {
			if best != nil && m != model.MeasurePenalty && m != model.MeasureEviction {
				best[k] *= by
			}
		}
		if !slices.Equal(best, wide) {
			t.Fatalf("seed %d: %v, want %v\n%s", seed, wide, best, drawn.DescribeRuled(p))
		}
		compared++
	}
	if compared < 290 {
		t.Errorf("%d compared", compared)
	}
}

// TestChainsInTurn has two bodies that rise in turn until both are aligned: b at least 1 above a, a at most 3 below b,
// a at a multiple of 4, b of 6. From 0 they rise to 4 and 6. No body of this plan lies where the floor or the other
// one's last offset puts it.
func TestChainsInTurn(t *testing.T) {
	p := &model.Problem{
		Buffers: []model.Buffer{
			{ID: "a", Lower: 0, Upper: 1, Size: 1, Alignment: 4},
			{ID: "a above", Lower: 1, Upper: 2, Size: 4},
			{ID: "b", Lower: 0, Upper: 1, Size: 5, Alignment: 6},
			{ID: "b above", Lower: 1, Upper: 2, Size: 1},
		},
		Rules: &model.Rules{Together: []model.Together{
			{Buffers: []int32{0, 1}, At: []int64{0, 4}},
			{Buffers: []int32{2, 3}, At: []int64{0, 0}},
		}},
	}
	for name, ask := range map[string]func(*model.Problem, int) ([]int64, *model.Plan,
		bool){"Ruled": Ruled, "Chains": Chains} {
		best, plan, decided := ask(p, 0)
		if !decided || !slices.Equal(best, []int64{12}) || !slices.Equal(plan.Offsets, []int64{4, 8, 6, 6}) {
			t.Errorf("%s: %v, %v, decided %t", name, best, plan, decided)
		}
	}
}

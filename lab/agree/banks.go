package agree

import (
	"math/rand/v2"
	"slices"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
)

// BankPairs are the pairs of a rule of banks and another feature that a problem can have together.
var BankPairs = bankPairs()

func bankPairs() (pairs [][]string) {
	for k, a := range drawn.BankRules {
		for _, b := range slices.Concat(drawn.BankRules[k:], drawn.RuledFeatures) {
			pairs = append(pairs, []string{a, b})
		}
	}
	return pairs
}

// BankCaseOf is RuledCaseOf for a problem with rules of banks. About half of the problems have no plan.
func BankCaseOf(seed uint64) *RuledCase {
	r := rand.New(rand.NewPCG(seed, 0x62616e6b73))
	p := drawn.Bank(r, BankPairs[seed%uint64(len(BankPairs))]...)
	if r.IntN(4) > 0 {
		p, _ = tight(r, p)
	}
	c := &RuledCase{Problem: p}
	c.Best, _, c.Decided = oracle.Best(p, mostNodes)
	return c
}

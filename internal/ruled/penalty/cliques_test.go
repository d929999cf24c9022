package penalty

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// TestCliques compares the bound by cliques with brute force.
func TestCliques(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 7))
	above, met, problems := 0, 0, 0
	for problems < plantest.Share(1500, 500, 200) {
		q := onePool(r)
		p := q.Problem
		best, _, decided := oracle.Ruled(p, 300_000)
		if !decided || best == nil || best[0] == 0 {
			continue
		}
		problems++
		bound := q.field().LeastByCliques(context.Background())
		if bound > best[0] {
			t.Fatalf("a bound of %d, the least is %d\n%s", bound, best[0], drawn.DescribeRuled(p))
		}
		if bound > 0 {
			above++
		}
		if bound == best[0] {
			met++
		}
	}
	t.Logf("%d problems, %d with a bound above 0, %d with the optimum", problems, above, met)
	if above < problems/2 || met < problems/4 {
		t.Errorf("%d problems, %d with a bound above 0, %d with the optimum", problems, above, met)
	}
}

// TestCliquePrices checks that cliques grown with three prices bound more than those with the best of them.
func TestCliquePrices(t *testing.T) {
	bounds := func() (sum int64) {
		r := rand.New(rand.NewPCG(25, 12))
		for range 20 {
			p := drawn.Crowd(r, 30)
			p.Capacity = p.Capacity * 2 / 3
			sum += lowerOne(p).field().LeastByCliques(context.Background())
		}
		return sum
	}
	all, kept := bounds(), pairPrices
	defer func() { pairPrices = kept }()
	for _, x := range kept {
		pairPrices = [...]int{x, x, x}
		if one := bounds(); one >= all {
			t.Errorf("%d with the price %d alone, %d with all", one, x, all)
		}
	}
}

// TestCliquesByHand has bounds that can be worked out.
func TestCliquesByHand(t *testing.T) {
	bound := func(p *model.Problem) int64 {
		if err := model.Validate(p); err != nil {
			t.Fatal(err)
		}
		return lowerOne(p).field().LeastByCliques(context.Background())
	}
	// Twelve of one size in the place of four: three in each place, so three pairs in each at 2.
	if got := bound(equals(12, 4)); got != 24 {
		t.Errorf("twelve in the place of four pay at least 24, not %d", got)
	}
	if got := bound(equals(4, 4)); got != 0 {
		t.Errorf("four in the place of four pay nothing, not %d", got)
	}
	// Reserved bytes are no place.
	p := equals(4, 4)
	p.Rules.Pools = []model.Pool{{ID: "x", Capacity: p.Capacity, Reserved: []model.Range{{Lower: 8, Upper: 9}}}}
	p.Capacity = 0
	if got := bound(p); got != 2 {
		t.Errorf("four in the place of nearly four pay at least 2, not %d", got)
	}
	// Two groups without a penalty between them, the second with one cheaper penalty: sums, and the cheapest.
	p, other := equals(6, 4), equals(6, 4)
	for _, b := range other.Buffers {
		b.ID, b.Lower, b.Upper = "second "+b.ID, b.Lower+100, b.Upper+100
		p.Buffers = append(p.Buffers, b)
	}
	for _, x := range slices.Clone(other.Rules.Penalties) {
		p.Rules.Penalties = append(p.Rules.Penalties, model.Penalty{Buffers: model.Pair{
			x.Buffers[0] + 6,
			x.Buffers[1] + 6,
		}, Cost: x.Cost})
	}
	p.Rules.Penalties[len(p.Rules.Penalties)-1].Cost = 1
	if got := bound(p); got != 4+3 {
		t.Errorf("two groups pay at least 7, not %d", got)
	}
	// A clique of conflicts is not counted as one that may pay.
	p = equals(5, 4)
	for i := range p.Buffers[:4] {
		p.Buffers[i].Lower, p.Buffers[i].Upper = 0, 1
	}
	p.Rules.Penalties = slices.DeleteFunc(p.Rules.Penalties, func(x model.Penalty) bool { return x.Buffers[1] < 4 })
	p.Rules.Penalties[0].Cost = 1
	if got := bound(p); got != 1 {
		t.Errorf("the fifth pays at least 1, not %d", got)
	}
}

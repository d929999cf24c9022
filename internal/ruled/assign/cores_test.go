package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
)

// hidden are sets of bodies that do not pack.
type hidden [][]int32

// held returns the first set that an assignment has in pool 0, or -1.
func (h hidden) held(c *Choices, of Assignment) int {
	return slices.IndexFunc(h, func(set []int32) bool {
		return !slices.ContainsFunc(set, func(k int32) bool { return c.Bodies[c.Single+int(k)].Pools[of[k]] != 0 })
	})
}

// TestChecked compares the checked branches with every assignment. The sets that do not pack are drawn. The check
// names their unsure bodies, or is undecided and guesses.
func TestChecked(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 1))
	all, proven, refusals, sure, guesses, unproven, wider := 0, 0, 0, 0, 0, 0, 0
	for range plantest.Share(3_000, 500, 200) {
		p := drawn.Spilled(r, 8+r.IntN(5))
		for i := range p.Buffers {
			p.Buffers[i].Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: 1 + r.Int64N(600)}}}
		}
		c, _, dearest := chosen(p)
		if c == nil {
			continue
		}
		c.Cheapest(context.Background(), func() bool { return false },
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return ctx, func() {}
			})
		if !c.CanCheck() {
			continue
		}
		var sets hidden
		for range 1 + r.IntN(8) {
			var set []int32
			for k := range c.Bodies[c.Single:] {
				if r.IntN(3) == 0 {
					set = append(set, int32(k))
				}
			}
			if len(set) > 0 {
				sets = append(sets, set)
			}
		}
		least := int64(math.MaxInt64)
		c.each(func(of Assignment) {
			if sets.held(c, of) < 0 {
				least = min(least, c.Cost(of))
			}
		})
		if least == math.MaxInt64 {
			continue
		}
		all++
		doubt := r.IntN(3) == 0
		for _, upper := range []int64{dearest + 1, least + 1, least} {
			best, undecided := upper, false
			low := c.Checked(context.Background(), upper, func(of Assignment) Check {
				for _, free := range c.RoomOf(of) {
					if len(free) > 0 && slices.Min(free) < 0 {
						t.Fatal("an assignment whose loads do not fit")
					}
				}
				n := sets.held(c, of)
				if n < 0 && !(doubt && r.IntN(4) == 0) {
					best = min(best, c.Cost(of))
					return Packs
				}
				var free []int32
				set := []int32{}
				if n >= 0 {
					set = sets[n]
				} else { // all that is in the pool
					for k := range of {
						if c.Bodies[c.Single+k].Pools[of[k]] == 0 {
							set = append(set, int32(k))
						}
					}
				}
				for _, k := range set {
					switch c.Sure(k) {
					case -1:
						free = append(free, k)
					case 0:
						t.Fatal("a body that is sure to be elsewhere is in the pool")
					default:
						sure++
					}
				}
				if n < 0 {
					guesses++
					undecided = true
					c.AddGuess(0, free, int64(len(free))-1)
					return Undecided
				}
				refusals++
				most := int64(len(free)) - 1
				// Another body that makes a hidden set with any but one of them.
				for k := range int32(len(of)) {
					if most < 0 || c.Sure(k) >= 0 || slices.Contains(set, k) {
						continue
					}
					if !slices.ContainsFunc(free, func(i int32) bool {
						rest := append(slices.DeleteFunc(slices.Clone(set), func(j int32) bool { return i == j }), k)
						return !slices.ContainsFunc(sets, func(x []int32) bool {
							return !slices.ContainsFunc(x, func(j int32) bool { return !slices.Contains(rest, j) })
						})
					}) {
						free = append(free, k)
						wider++
						break
					}
				}
				c.AddCore(0, free, most)
				return Refused
			})
			if low > min(least, upper) || best < least {
				t.Fatalf("within %d: bound %d, found %d, best %d\n%s", upper, low, best, least, drawn.DescribeRuled(p))
			}
			switch {
			case low == best && best == min(least, upper):
				proven++
			case undecided:
				unproven++
			default:
				t.Fatalf("within %d: bound %d, found %d, best %d without doubt\n%s", upper, low, best, least,
					drawn.DescribeRuled(p))
			}
		}
	}
	t.Log(all, "problems,", proven, "proven", refusals, "refusals", sure, "sure", guesses, "guesses", unproven, "unproven",
		wider, "wider")
	if all < 100 || refusals < all || sure < all/2 || guesses < all/10 || proven < 2*all {
		t.Errorf("%d problems, %d proven, %d refusals, %d sure, %d guesses", all, proven, refusals, sure, guesses)
	}
}

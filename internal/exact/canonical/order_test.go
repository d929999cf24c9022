package canonical

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
)

// TestRanks compares the ranks with the preordering: at the root and after placements, for the
// whole and for parts that are ranked anew, and for orders that begin with T and with other keys.
func TestRanks(t *testing.T) {
	defer pauseChecks()()
	for seed := range uint64(30) {
		kind := []string{"inference", "random", "high-overlap"}[seed%3]
		p := must.Get(gen.Generate(kind, gen.Options{Buffers: 20 + int(seed)*9, Seed: seed}))(t)
		tl := timeline.New(p)
		k := New(tl, &tl.Partitions[0], switchesOf(nil), common.Limits{}, run.NewWatch(context.Background()))
		for _, order := range []string{"TWA", "TC", "T", "TAW", "WTZ", "ALUC", "O"} {
			k.ranks.order = order
			k.SetCapacity(tl.LowerBound * 2)
			c := k.root()
			check := func(c component, when string) {
				t.Helper()
				list := slices.Clone(k.listOf(c))
				want := slices.Clone(list)
				slices.SortFunc(list, func(a, b common.Buffer) int { return int(k.ranks.of[a] - k.ranks.of[b]) })
				slices.SortFunc(want, func(a, b common.Buffer) int {
					if k.before(a, b) {
						return -1
					}
					return 1
				})
				if !slices.Equal(list, want) {
					t.Errorf("%s, seed %d, %s, %s: %v, want %v", kind, seed, order, when, list, want)
				}
			}
			check(c, "root")
			for step := range 6 {
				j, _ := k.firstOf(c)
				if j == common.Nobody {
					break
				}
				k.place(j)
				part := c
				if step%2 == 1 { // a part of the sections, as after a cut
					part.last = c.first + (c.last-c.first)/2
				}
				if part.last > part.first {
					k.rankAll(part)
					check(part, "after a placement")
				}
			}
		}
	}
}

// TestCalm places candidates. If calm says that nobody waits after a placement, nobody does.
func TestCalm(t *testing.T) {
	defer pauseChecks()()
	calm, not := 0, 0
	for seed := range uint64(60) {
		p := must.Get(gen.Generate([]string{"inference", "random", "perfect"}[seed%3],
			gen.Options{Buffers: 20 + int(seed)*3, Seed: seed}))(t)
		tl := timeline.New(p)
		k := New(tl, &tl.Partitions[0], switchesOf(nil), common.Limits{}, run.NewWatch(context.Background()))
		k.ranks.order = "TWA"
		k.SetCapacity(tl.LowerBound + tl.LowerBound/10)
		c := k.root()
		k.findWaiting(c)
		for step := range k.n {
			if !k.infer(c) {
				break
			}
			if next := k.following(c, k.limit, common.Nobody, make([]common.Buffer, 0, 4)); step%5 == 4 && len(next) == 4 {
				// The first two have failed and wait.
				c.off, c.rank = k.lb[next[2]], k.ranks.of[next[2]]
				k.findWaiting(c)
			}
			j, _ := k.firstOf(c)
			if j == common.Nobody {
				break
			}
			said := k.waiting.calm
			c.off, c.rank = k.lb[j], k.ranks.of[j]
			k.place(j)
			k.findWaiting(c)
			for _, i := range k.listOf(c) {
				if said && k.waiting.has(i) {
					t.Fatalf("seed %d: %d waits", seed, i)
				}
			}
			if said {
				calm++
			} else {
				not++
			}
		}
	}
	if calm < 1000 || not < 100 {
		t.Errorf("calm %d times, and %d times not", calm, not)
	}
}

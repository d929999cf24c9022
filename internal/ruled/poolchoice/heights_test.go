package poolchoice

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestRounds: further rounds lower sums of heights, and raise none.
func TestRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 11))
	lower := 0
	for range 2 {
		p := &model.Problem{Rules: &model.Rules{Objective: []model.Measure{model.MeasureHeight}}}
		for q := range 8 {
			p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: strconv.Itoa(q)})
		}
		for k := range 100 {
			at := r.Int64N(100)
			b := model.Buffer{ID: strconv.Itoa(k), Lower: at, Upper: at + 1 + r.Int64N(24), Size: 1 + r.Int64N(999)}
			b.Extra = &model.Extra{Pools: []int32{r.Int32N(8)}}
			for q := range int32(8) {
				if q != b.Extra.Pools[0] && r.IntN(2) == 0 {
					b.Extra.Pools = append(b.Extra.Pools, q)
				}
			}
			slices.Sort(b.Extra.Pools)
			p.Buffers = append(p.Buffers, b)
		}
		c, ok := chooserOf(p, find(t, "auto"))
		if !ok {
			t.Fatal("no choice of pools")
		}
		must.Do(t, c.lowHeights(t.Context()))
		once := c.best.Height
		for round := range uint64(8) {
			must.Do(t, c.byLoad(t.Context(), 1+round))
		}
		more := c.best.Height
		if more > once {
			t.Errorf("%d after more rounds, %d after one", more, once)
		}
		if more < once {
			lower++
		}
	}
	if lower == 0 {
		t.Error("no sum is lower after more rounds")
	}
}

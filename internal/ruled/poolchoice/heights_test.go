package poolchoice

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestRounds: with a limit that is not reached otherwise, further rounds lower sums of heights, and raise none.
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
		height := func(nodes int64) int64 {
			o := plan.Options{Minimize: true, NodeLimit: nodes}
			return must.Get(Plan(context.Background(), p, find(t, "auto"), o, plan.Stats{}))(t).Height
		}
		once, more := height(0), height(200_000)
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

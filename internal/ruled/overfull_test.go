package ruled_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/ruled"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestOverfull has 300 buffers that take more at one moment than three pools have together. Any buffer may be in any
// pool, so the loads of single pools prove nothing. The answer was unknown after a search.
func TestOverfull(t *testing.T) {
	known := must.Get(plan.Find("auto"))(t)
	r := rand.New(rand.NewPCG(3, 40))
	p := &model.Problem{Rules: &model.Rules{}}
	var load [800]int64
	for i := range 300 {
		lower := r.Int64N(600)
		b := model.Buffer{ID: strconv.Itoa(i), Lower: lower, Upper: lower + 2 + r.Int64N(60), Size: 64 + r.Int64N(8000)}
		for at := b.Lower; at < b.Upper; at++ {
			load[at] += b.Size
		}
		p.Buffers = append(p.Buffers, b)
	}
	var most int64
	for _, x := range load {
		most = max(most, x)
	}
	for k := range int64(3) {
		p.Rules.Pools = append(p.Rules.Pools, model.Pool{ID: strconv.FormatInt(k, 10), Capacity: (most - 1 - k) / 3})
	}
	got, err := ruled.Solve(context.Background(), p, run.Prepared(known), plan.Options{NodeLimit: 2000})
	if err != nil || got.Status != model.Infeasible || got.ProvedBy != "loads" || got.Stats.Nodes != 0 {
		t.Errorf("%v by %q in %d nodes, %v", got.Status, got.ProvedBy, got.Stats.Nodes, err)
	}
}

package traces

import (
	"bytes"
	"testing"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestEditRules follows edits with rules. The trace can be read, so it names only existing buffers, pairs meet where
// they must, and each removed rule existed.
func TestEditRules(t *testing.T) {
	seen := map[trace.Kind]int{}
	for seed := range uint64(6) {
		base := must.Get(gen.Generate("random", gen.Options{Seed: seed, Buffers: 40, MaxSize: 4096, MinSize: 64}))(t)
		offsets, height := stacked(base)
		o := EditOptions{Seed: seed, Changes: 300, Capacity: height, Pins: 0.05, Rules: 0.5}
		if seed%2 == 1 {
			base.Rules = &model.Rules{
				Pools:    []model.Pool{{ID: "x", Capacity: height}, {ID: "y", Alignment: 64}},
				Together: []model.Together{{Buffers: []int32{0, 1, 2}, At: []int64{offsets[0], offsets[1], offsets[2]}}},
				Apart:    []model.Pair{{3, 4}}, MayOverlap: []model.Pair{{5, 6}},
			}
			o.Pools, o.Capacity = make([]int32, len(base.Buffers)), 0
		}
		tr := must.Get(Edit(base, offsets, o))(t)
		var text, again bytes.Buffer
		must.Do(t, trace.Write(&text, tr))
		back := must.Get(trace.Read(bytes.NewReader(text.Bytes()), "edit"))(t, "seed %d", seed)
		if err := trace.Write(&again, back); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) || !back.Ruled() {
			t.Fatalf("seed %d: %v, or another trace", seed, err)
		}
		pairs := map[[2]string]int{} // apart
		for _, x := range tr.Rules.Apart {
			pairs[x]++
		}
		rolled := false
		for _, op := range tr.Ops {
			seen[op.Kind]++
			rolled = rolled || op.Kind == trace.Rollback
			for _, x := range op.Rules.Apart {
				if pairs[x] == 0 && op.Kind == trace.Unbind && !rolled {
					t.Fatalf("seed %d: %v goes, and was not there", seed, x)
				}
				pairs[x]++
			}
			if op.Pool != nil && int(*op.Pool) >= len(tr.Pools) {
				t.Fatalf("seed %d: pool %d", seed, *op.Pool)
			}
		}
	}
	for _, kind := range []trace.Kind{trace.Place, trace.Bind, trace.Unbind, trace.Limit, trace.Pin} {
		if seen[kind] < 20 {
			t.Errorf("%s came %d times", kind, seen[kind])
		}
	}
}

// TestEditRefusesPrices has bases that no session takes.
func TestEditRefusesPrices(t *testing.T) {
	for _, p := range []model.Problem{
		{Rules: &model.Rules{Pools: []model.Pool{{ID: "x", Cost: 1}}}, Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1}}},
		{Rules: &model.Rules{Objective: []model.Measure{model.MeasureHeight}}, Buffers: []model.Buffer{
			{ID: "a", Upper: 1, Size: 1},
		}},
		{Rules: &model.Rules{}, Buffers: []model.Buffer{
			{ID: "a", Upper: 9, Size: 1, Extra: &model.Extra{Evictions: []model.Eviction{{Lower: 2, Upper: 3}}}},
		}},
	} {
		if _, err := Edit(&p, []int64{0}, EditOptions{}); err == nil || err.Error() != errPrices.Error() {
			t.Error(err)
		}
	}
}

package npm

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage"
	format "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// TestWaits: the package lists the same waits as Go, for plans of random problems with every rule of the model.
func TestWaits(t *testing.T) {
	nodeOrSkip(t)
	pages(t)
	r := rand.New(rand.NewPCG(3, 26))
	var list []map[string]any
	waits, features := 0, map[string]int{}
	for k := range 200 {
		var p *model.Problem
		switch k % 3 {
		case 0:
			p = drawn.Tiny(uint64(k))
		case 1:
			p = drawn.Ruled(r)
		case 2:
			p = drawn.Broad(r, drawn.RuledFeatures[k%len(drawn.RuledFeatures)])
		}
		made := must.Get(stowage.Solve(context.Background(), p, stowage.Options{NodeLimit: 1000}))(t)
		if !made.Status.HasPlan() {
			continue
		}
		want := must.Get(stowage.Barriers(p, &made.Plan))(t)
		all := []any{}
		for _, w := range want {
			all = append(all, map[string]any{"buffer": w.Buffer, "at": w.At, "behind": w.For, "until": w.Until, "turn": w.Turn})
			waits++
		}
		for _, feature := range drawn.FeaturesOf(p) {
			features[feature] += len(want)
		}
		var text bytes.Buffer
		plan := &format.Plan{Planner: made.Planner, Status: made.Status, Offsets: made.Offsets, Pools: made.Pools, Parts: made.Parts}
		must.Do(t, format.Write(&text, p, plan))
		list = append(list, map[string]any{"problem": json.RawMessage(text.Bytes()), "waits": all})
	}
	for _, feature := range drawn.RuledFeatures {
		if features[feature] == 0 {
			t.Errorf("no waits in problems with %s", feature)
		}
	}
	text := must.Get(json.Marshal(list))(t)
	path := filepath.Join(t.TempDir(), "waits.json")
	must.Do(t, os.WriteFile(path, text, 0o666))
	tests(t, "the same waits", "STOWAGE_WAITS="+path)
	t.Logf("%d waits of %d plans are the same", waits, len(list))
}

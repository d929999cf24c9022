package npm

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stowage-go/stowage"
	format "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// TestWaits: the package lists the same waits as Go, for plans of random problems with every rule of the model.
func TestWaits(t *testing.T) {
	node := nodeOrSkip(t)
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
		made, err := stowage.Solve(context.Background(), p, stowage.Options{NodeLimit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if !made.Status.HasPlan() {
			continue
		}
		want, err := stowage.Barriers(p, &made.Plan)
		if err != nil {
			t.Fatal(err)
		}
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
		if err := format.Write(&text, p, plan); err != nil {
			t.Fatal(err)
		}
		list = append(list, map[string]any{"problem": json.RawMessage(text.Bytes()), "waits": all})
	}
	for _, feature := range drawn.RuledFeatures {
		if features[feature] == 0 {
			t.Errorf("no waits in problems with %s", feature)
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "waits.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "--test", "--test-name-pattern", "the same waits", "test/")
	c.Env = append(os.Environ(), "STOWAGE_WAITS="+path)
	run(t, c)
	t.Logf("%d waits of %d plans are the same", waits, len(list))
}

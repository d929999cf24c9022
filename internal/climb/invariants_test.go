package climb

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestCorrupted breaks one thing at a time. The check names each.
func TestCorrupted(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 0, Upper: 2, Size: 1},
		{ID: "c", Lower: 1, Upper: 3, Size: 2},
	}}
	for _, tc := range []struct {
		says    string
		corrupt func(c *critical)
	}{
		{"twice in the order", func(c *critical) { c.order[0] = c.order[1] }},
		{"height of the offsets", func(c *critical) { c.height++ }},
		{"height of first fit", func(c *critical) { c.offsets[2] += 3; c.height += 3 }},
		{"no link of the chain", func(c *critical) { c.chain[0], c.chain[1] = c.chain[1], c.chain[0] }},
	} {
		watch := run.NewWatch(t.Context())
		defer watch.Close()
		w := &worker{search: &search{tl: timeline.New(p), watch: watch}, rng: rand.New(rand.NewPCG(0, 0))}
		w.reorder([]int64{0, 4, 5}, 1<<20, 1<<20)
		if what := plantest.Caught(w.check); what != "" || len(w.critical.chain) < 2 {
			t.Fatal("caught where nothing is wrong, or no chain:", what)
		}
		tc.corrupt(&w.critical)
		if what := plantest.Caught(w.check); !strings.Contains(what, tc.says) {
			t.Errorf("%q is caught as %q", tc.says, what)
		}
	}
}

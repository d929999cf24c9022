package drawn

import (
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestDrawn checks that what is drawn is valid, the same each time, of the size asked for,
// and that each feature is in some problems and absent from most.
func TestDrawn(t *testing.T) {
	aligned, gapped, hinted, all := 0, 0, 0, 0
	for _, kind := range DrawnKinds() {
		for seed := range uint64(40) {
			p := Drawn(kind, seed, 8, 200)
			if err := model.Validate(p); err != nil {
				t.Fatalf("%s %d: %v", kind, seed, err)
			}
			if q := Drawn(kind, seed, 8, 200); Describe(p) != Describe(q) {
				t.Fatalf("%s %d differs from itself", kind, seed)
			}
			if n := len(p.Buffers); n < 4 || n > 220 || p.Capacity != 0 {
				t.Errorf("%s %d has %d buffers, capacity %d", kind, seed, n, p.Capacity)
			}
			all++
			a, g, h := false, false, false
			for i := range p.Buffers {
				b := &p.Buffers[i]
				a, g, h = a || b.Align() > 1, g || len(b.Gaps) > 0, h || b.Hint != nil
			}
			for _, f := range []struct {
				has   bool
				count *int
			}{{a, &aligned}, {g, &gapped}, {h, &hinted}} {
				if f.has {
					*f.count++
				}
			}
		}
	}
	for name, count := range map[string]int{"alignments": aligned, "gaps": gapped, "hints": hinted} {
		if count < all/50 || count > all*2/3 {
			t.Errorf("%d of %d have %s", count, all, name)
		}
	}
}

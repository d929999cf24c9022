package drawn

import (
	"reflect"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestAwkward checks that awkward problems are valid, the same every time, that fixed buffers leave one another alone,
// and that each feature is in some and absent from most.
func TestAwkward(t *testing.T) {
	var mixed, gapped, windowed, fixed int
	const problems = 400
	for seed := range uint64(problems) {
		p := Awkward(seed)
		if !reflect.DeepEqual(p, Awkward(seed)) {
			t.Fatalf("seed %d: two problems", seed)
		}
		if err := model.Validate(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		alignments := map[int64]bool{}
		var hasGaps, hasWindows, hasFixed bool
		for i := range p.Buffers {
			b := &p.Buffers[i]
			alignments[b.Align()] = true
			for _, g := range b.Gaps {
				hasGaps = true
				hasWindows = hasWindows || g.Window != nil
			}
			if b.Fixed == nil {
				continue
			}
			hasFixed = true
			for k := range i {
				c := &p.Buffers[k]
				if c.Fixed != nil && c.Lower < b.Upper && b.Lower < c.Upper && *c.Fixed < *b.Fixed+b.Size &&
					*b.Fixed < *c.Fixed+c.Size {
					t.Fatalf("seed %d: fixed buffers %s and %s meet", seed, c.ID, b.ID)
				}
			}
		}
		for _, f := range []struct {
			has bool
			in  *int
		}{{len(alignments) > 2, &mixed}, {hasGaps, &gapped}, {hasWindows, &windowed}, {hasFixed, &fixed}} {
			if f.has {
				*f.in++
			}
		}
	}
	for what, in := range map[string]int{
		"three alignments": mixed, "gaps": gapped, "windows": windowed, "fixed buffers": fixed,
	} {
		if in < problems/8 || in > problems*3/4 {
			t.Errorf("%d of %d problems have %s", in, problems, what)
		}
	}
}

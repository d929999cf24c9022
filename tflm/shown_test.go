package tflm_test

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/tflm"
)

// TestCoverings has plans whose results lie over operands: what is shown is valid, and each covering shares bytes at
// the distance of its overlay, while both buffers live.
func TestCoverings(t *testing.T) {
	seen := 0
	for seed := range uint64(16) {
		m := parsed(t, tflitemade.Images(seed, 4+int(seed)/2), "network")
		o := options(m)
		o.Kernels = tflm.ReferenceKernels
		p := must.Get(tflm.Make(context.Background(), m, o))(t)
		shown, offsets := p.Shown()
		if report := verify.Check(shown, offsets, 0); len(report.Violations) > 0 {
			t.Errorf("seed %d: %v", seed, report.Violations[0].Message)
		}
		coverings := p.Coverings()
		if len(coverings) != len(p.Overlays) {
			t.Fatalf("seed %d: %d coverings of %d overlays", seed, len(coverings), len(p.Overlays))
		}
		for k, c := range coverings {
			y, x := &shown.Buffers[c.Result], &shown.Buffers[c.Operand]
			lower, upper := max(offsets[c.Result], offsets[c.Operand]), min(offsets[c.Result]+y.Size, offsets[c.Operand]+x.Size)
			alive := x.Lower <= c.Lower && c.Lower < x.Upper && y.Lower < c.Upper && c.Upper <= y.Upper
			if lower >= upper || offsets[c.Operand]-offsets[c.Result] != p.Overlays[k].Distance || !alive {
				t.Errorf("seed %d: %+v of buffers %+v and %+v at %d and %d", seed, c, y, x, offsets[c.Result], offsets[c.Operand])
			}
			seen++
		}
		if p.Kernels == "" && coverings != nil {
			t.Errorf("seed %d: coverings without a library", seed)
		}
	}
	if seen < 20 {
		t.Errorf("only %d coverings", seen)
	}
}

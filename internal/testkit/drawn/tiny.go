package drawn

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Tiny returns a problem of at most 7 buffers with sizes to 6 and times to 8, small enough for the brute force of
// testkit/oracle. The seed decides which of alignment, gaps, windows and fixed offsets it has: one seed in four gives
// none of them. Fixed offsets may collide, in which case there is no plan at any height.
func Tiny(seed uint64) *model.Problem {
	r := gen.NewRNG(seed, "tiny")
	plain := r.Chance(0.25)
	aligned, gapped, fixed := r.Chance(0.5), r.Chance(0.5), r.Chance(0.3)
	p := &model.Problem{Name: "tiny-seed-" + strconv.FormatUint(seed, 10), Buffers: make([]model.Buffer, r.Within(1, 7))}
	horizon := r.Within(2, 8)
	for i := range p.Buffers {
		b := model.Buffer{ID: "b" + strconv.Itoa(i), Lower: r.Below(horizon), Size: r.Within(1, 6)}
		b.Upper = r.Within(b.Lower+1, horizon)
		if !plain && aligned && r.Chance(0.5) {
			b.Alignment = r.Within(1, 5)
		}
		if !plain && gapped && r.Chance(0.7) {
			b.Gaps = r.Gaps(&b, 0.6)
			// Gaps may also reach the ends of the lifespan, or cover it.
			if len(b.Gaps) > 0 && r.Chance(0.2) {
				b.Gaps[0].Lower = b.Lower
			}
			if last := len(b.Gaps) - 1; last >= 0 && r.Chance(0.2) {
				b.Gaps[last].Upper = b.Upper
			}
		}
		if !plain && fixed && r.Chance(0.3) {
			at := r.Below(10)
			at -= at % b.Align()
			b.Fixed = &at
		}
		p.Buffers[i] = b
	}
	return p
}

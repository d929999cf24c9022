package drawn

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Idea: a problem of middle size with a known optimum and every feature. A rectangle is cut edge to edge
// (internal/gen/perfect.go), so the load is its height at all times. Then two pieces are joined into a buffer with a
// gap: a piece beside another in space becomes its window, and a piece that comes later at the same place leaves a
// gap between. Joining moves nothing, so the load stays, and the cut stays a plan.
//
// Invariant: Offsets is a plan of height Optimum, which is the load at all times.

// Cut returns such a problem of some 8 to 60 buffers. It is scaled in space and time, its alignments divide its cuts,
// it may have twins, and in a share of the problems a few buffers are fixed at their places in the cut.
func Cut(seed uint64) *gen.Instance {
	r := gen.NewRNG(seed, "cut")
	horizon, height := r.Within(6, 60), r.Within(8, 90)
	in, err := r.Perfect(horizon, height, int(r.Within(8, 60)), []float64{0, 0.3, 0.7}[r.Below(3)])
	for err != nil { // more pieces than there is room for
		in, err = r.Perfect(horizon, height, 8, 0.3)
	}
	unit := r.Pick(1, 1, 2, 6, 64, 1000, 1<<40)
	in.Problem.Name = "cut-seed-" + strconv.FormatUint(seed, 10)
	in.Problem.Capacity, in.Optimum = height*unit, height*unit
	for i := range in.Problem.Buffers {
		in.Problem.Buffers[i].Size *= unit
		in.Offsets[i] *= unit
	}
	if r.Chance(0.6) {
		join(r, in, len(in.Problem.Buffers)/4)
	}
	aligned, fixed := r.Chance(0.4), r.Chance(0.3)
	scale, shift := r.Pick(1, 1, 7, 1<<30), r.Pick(0, 0, -5, 100)
	for i := range in.Problem.Buffers {
		b := &in.Problem.Buffers[i]
		for _, a := range []int64{18, 9, 6, 4, 3, 2} {
			if aligned && in.Offsets[i]%a == 0 && r.Chance(0.4) {
				b.Alignment = a
				break
			}
		}
		if fixed && r.Chance(0.1) {
			at := in.Offsets[i]
			b.Fixed = &at
		}
		b.Lower, b.Upper = (b.Lower+shift)*scale, (b.Upper+shift)*scale
		for k := range b.Gaps {
			b.Gaps[k].Lower, b.Gaps[k].Upper = (b.Gaps[k].Lower+shift)*scale, (b.Gaps[k].Upper+shift)*scale
		}
	}
	return in
}

// join makes one buffer of two, up to count times.
func join(r *gen.RNG, in *gen.Instance, count int) {
	p := in.Problem
	for range 20 * count {
		n := int64(len(p.Buffers))
		if count == 0 || n < 4 {
			return
		}
		i, j := int(r.Below(n)), int(r.Below(n))
		x, y := &p.Buffers[i], &p.Buffers[j]
		from, to := in.Offsets[j]-in.Offsets[i], in.Offsets[j]-in.Offsets[i]+y.Size
		if x.Upper > y.Lower || from < 0 || to > x.Size || len(y.Gaps) > 0 {
			continue
		}
		if x.Upper < y.Lower {
			x.Gaps = append(x.Gaps, model.Gap{Lower: x.Upper, Upper: y.Lower})
		}
		if from > 0 || to < x.Size {
			x.Gaps = append(x.Gaps, model.Gap{Lower: y.Lower, Upper: y.Upper, Window: &model.Window{Lower: from, Upper: to}})
		}
		x.Upper = y.Upper
		p.Buffers = slices.Delete(p.Buffers, j, j+1)
		in.Offsets = slices.Delete(in.Offsets, j, j+1)
		count--
	}
}

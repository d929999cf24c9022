package drawn

import (
	"strconv"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Idea: problems of 10 to 16 buffers, too many for the brute-force oracle and few enough for a person to read. As in
// Wide, features are mixed: alignments that do not divide each other, windows that interlock, buffers that are fixed
// among the others. What makes such a problem hard differs from one to the next. So lifespans, sizes, alignments,
// gaps and pins are drawn independently, each from several kinds, and no feature is in all problems.

// Awkward returns a valid problem without a capacity. Fixed buffers leave one another alone.
func Awkward(seed uint64) *model.Problem {
	r := gen.NewRNG(seed, "awkward")
	p := &model.Problem{Name: "awkward-seed-" + strconv.FormatUint(seed, 10)}
	p.Buffers = make([]model.Buffer, r.Within(10, 16))
	for i := range p.Buffers {
		p.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	awkwardLives(r, p)
	awkwardSizes(r, p)
	awkwardGaps(r, p)
	awkwardAlignments(r, p)
	if r.Chance(0.15) {
		twins(r, p)
	}
	awkwardScale(r, p)
	if r.Chance(0.3) {
		awkwardFixed(r, p)
	}
	return p
}

func awkwardLives(r *gen.RNG, p *model.Problem) {
	n := int64(len(p.Buffers))
	horizon := r.Pick(4, 6, 8, 12, 20, 40)
	shape := r.Below(12)
	for i := range p.Buffers {
		b, at := &p.Buffers[i], int64(i)
		switch shape {
		case 0: // all alike, except some that end early
			b.Lower, b.Upper = 0, horizon
			if r.Chance(0.3) {
				b.Upper = r.Within(1, horizon)
			}
		case 1: // stairs: each meets several
			b.Lower, b.Upper = at, at+r.Within(3, 7)
		case 2: // all meet in the middle
			b.Lower, b.Upper = r.Below(n), n+r.Within(1, n)
		case 3, 4: // short ones, and long ones that hold them together
			b.Lower = r.Below(horizon)
			b.Upper = b.Lower + r.Within(1, 2)
			if r.Chance(0.3) {
				b.Upper = r.Within(b.Lower+1, horizon)
			}
		case 5, 6: // long
			b.Lower = r.Below((horizon + 1) / 2)
			b.Upper = r.Within(max(b.Lower+1, horizon/2), horizon)
		default:
			b.Lower = r.Below(horizon)
			b.Upper = r.Within(b.Lower+1, horizon)
		}
	}
}

func awkwardSizes(r *gen.RNG, p *model.Problem) {
	kind, unit := r.Below(6), r.Pick(4, 6, 10, 20, 60, 200, 1000)
	for i := range p.Buffers {
		size := r.Within(1, unit)
		switch kind {
		case 0: // powers of two, and nearly
			size = 1<<r.Below(7) + r.Below(2)*r.Below(3)
		case 1: // a few large ones
			if r.Chance(0.7) {
				size = r.Within(1, max(1, unit/5))
			}
		case 2: // nearly equal
			size = unit + r.Within(1, max(1, unit/4))
		}
		p.Buffers[i].Size = size
	}
}

// awkwardGaps draws gaps in two problems of three.
func awkwardGaps(r *gen.RNG, p *model.Problem) {
	kind, share := r.Below(9), []float64{0.25, 0.6, 1}[r.Below(3)]
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if !r.Chance(share) {
			continue
		}
		switch kind {
		case 0, 1, 2:
		case 3: // without windows
			b.Gaps = r.Gaps(b, 0)
		case 4:
			b.Gaps = r.Gaps(b, 0.8)
		case 5: // a wedge: less in use from slot to slot, or more
			up := r.Chance(0.5)
			for at := b.Lower + 1; at < b.Upper && at < b.Lower+b.Size; at++ {
				w := model.Window{Lower: 0, Upper: b.Size - (at - b.Lower)}
				if up {
					w = model.Window{Lower: at - b.Lower, Upper: b.Size}
				}
				b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1, Window: &w})
			}
		case 6: // a step that moves through the buffer
			step := max(1, b.Size/max(1, b.Upper-b.Lower))
			for at := b.Lower; at < b.Upper && (at-b.Lower+1)*step <= b.Size; at++ {
				w := model.Window{Lower: (at - b.Lower) * step, Upper: (at - b.Lower + 1) * step}
				b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1, Window: &w})
			}
		default:
			b.Gaps = slots(r, b)
		}
	}
}

// awkwardAlignments draws no alignment, one for all, or several that mostly do not divide each other.
func awkwardAlignments(r *gen.RNG, p *model.Problem) {
	sets := [][]int64{
		{2, 3}, {4, 6}, {4, 6, 9}, {3, 5, 7}, {6, 10, 15}, {8, 12}, {16, 24, 36}, {1, 2, 4, 8}, {7, 11, 13}, {2, 3, 5, 7, 11},
	}
	set := sets[r.Below(int64(len(sets)))]
	kind, share := r.Below(6), []float64{0.3, 0.7, 1}[r.Below(3)]
	for i := range p.Buffers {
		switch {
		case kind == 0 || !r.Chance(share):
		case kind == 1:
			p.Buffers[i].Alignment = set[0]
		default:
			p.Buffers[i].Alignment = r.Pick(set...)
		}
	}
}

// awkwardScale multiplies sizes in a share of the problems, alignments with them or not, and takes a few bytes off.
func awkwardScale(r *gen.RNG, p *model.Problem) {
	if !r.Chance(0.3) {
		return
	}
	k := r.Pick(2, 3, 8, 12, 64, 100, 1<<10, 1<<16)
	alignments, uneven := k < 100 && r.Chance(0.5), r.Chance(0.4)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		less := int64(0)
		if uneven {
			less = r.Below(min(k, 64))
		}
		if alignments {
			b.Alignment = b.Align() * k
		}
		b.Size = b.Size*k - less
		for j := range b.Gaps {
			if w := b.Gaps[j].Window; w != nil {
				w.Lower, w.Upper = w.Lower*k, min(w.Upper*k, b.Size)
			}
		}
	}
}

// awkwardFixed pins one to four buffers where they do not meet.
func awkwardFixed(r *gen.RNG, p *model.Problem) {
	var sum int64
	for i := range p.Buffers {
		sum += p.Buffers[i].Size
	}
	for range r.Within(1, 4) {
		i := r.Below(int64(len(p.Buffers)))
		b := &p.Buffers[i]
		if b.Fixed != nil {
			continue
		}
		at := r.Below(max(1, sum/2))
		if r.Chance(0.3) {
			at = 0
		}
		at -= at % b.Align()
		meets := false
		for k := range p.Buffers {
			c := &p.Buffers[k]
			if c.Fixed != nil && c.Lower < b.Upper && b.Lower < c.Upper && *c.Fixed < at+b.Size && at < *c.Fixed+c.Size {
				meets = true
			}
		}
		if !meets {
			b.Fixed = &at
		}
	}
}

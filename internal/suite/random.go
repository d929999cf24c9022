package suite

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Problems drawn at random, with no optimum known.

// random draws sizes, lengths of life and starts evenly from their ranges.
func random(o Options) (*Instance, error) {
	return &Instance{Problem: newRNG(o.Seed, "random").problem(o)}, nil
}

func (r *rng) problem(o Options) *model.Problem {
	p := &model.Problem{Capacity: o.Capacity, Buffers: make([]model.Buffer, o.Buffers)}
	for i := range p.Buffers {
		life := r.within(o.MinLife, o.MaxLife)
		b := model.Buffer{
			ID:        "b" + strconv.Itoa(i),
			Lower:     r.within(0, o.Horizon-life),
			Size:      r.within(o.MinSize, o.MaxSize),
			Alignment: o.Alignment,
		}
		b.Upper = b.Lower + life
		if r.chance(o.Gaps) {
			b.Gaps = r.gaps(&b, o.Windows)
		}
		p.Buffers[i] = b
	}
	return p
}

// gaps draws one gap or two inside the lifespan; none where it is too short to
// leave a slot on both sides.
func (r *rng) gaps(b *model.Buffer, windows float64) []model.Gap {
	var gaps []model.Gap
	at := b.Lower
	for range r.within(1, 2) {
		if b.Upper-at < 3 {
			break
		}
		g := model.Gap{Lower: r.within(at+1, b.Upper-2)}
		g.Upper = r.within(g.Lower+1, b.Upper-1)
		if r.chance(windows) {
			lower := r.below(b.Size)
			g.Window = &model.Window{Lower: lower, Upper: r.within(lower+1, b.Size)}
		}
		gaps = append(gaps, g)
		at = g.Upper
	}
	return gaps
}

// highOverlap draws lifespans of 20% to 60% of the horizon: most pairs of
// buffers are live together, yet no moment has them all, in the way of the
// synthetic suite of section 8.3 of the MiniMalloc paper (which is not public).
// Lives of 40% and more were tried: nearly all share the middle, and any order
// of stacking is then a lowest plan.
func highOverlap(o Options) (*Instance, error) {
	o.MinLife = max(1, o.Horizon/5)
	o.MaxLife = max(o.MinLife, o.Horizon/5*3)
	return &Instance{Problem: newRNG(o.Seed, "high-overlap").problem(o)}, nil
}

// Tiny returns a problem of at most 7 buffers with sizes to 6 and times to 8,
// small enough for the oracle. The seed decides which of alignment, gaps,
// windows and fixed offsets it has: one seed in four gives none of them. Fixed
// offsets may collide, in which case there is no plan at any height.
func Tiny(seed uint64) *model.Problem {
	r := newRNG(seed, "tiny")
	plain := r.chance(0.25)
	aligned, gapped, fixed := r.chance(0.5), r.chance(0.5), r.chance(0.3)
	p := &model.Problem{Name: "tiny-seed-" + strconv.FormatUint(seed, 10), Buffers: make([]model.Buffer, r.within(1, 7))}
	horizon := r.within(2, 8)
	for i := range p.Buffers {
		b := model.Buffer{ID: "b" + strconv.Itoa(i), Lower: r.below(horizon), Size: r.within(1, 6)}
		b.Upper = r.within(b.Lower+1, horizon)
		if !plain && aligned && r.chance(0.5) {
			b.Alignment = r.within(1, 5)
		}
		if !plain && gapped && r.chance(0.7) {
			b.Gaps = r.gaps(&b, 0.6)
			// Gaps may also reach the ends of the lifespan, or cover it.
			if len(b.Gaps) > 0 && r.chance(0.2) {
				b.Gaps[0].Lower = b.Lower
			}
			if last := len(b.Gaps) - 1; last >= 0 && r.chance(0.2) {
				b.Gaps[last].Upper = b.Upper
			}
		}
		if !plain && fixed && r.chance(0.3) {
			at := r.below(10)
			at -= at % b.Align()
			b.Fixed = &at
		}
		p.Buffers[i] = b
	}
	return p
}

package gen

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Problems drawn at random, with no optimum known.

// random draws sizes, lengths of life and starts evenly from their ranges.
func random(o Options) (*Instance, error) {
	return &Instance{Problem: NewRNG(o.Seed, "random").problem(o)}, nil
}

func (r *RNG) problem(o Options) *model.Problem {
	p := &model.Problem{Capacity: o.Capacity, Buffers: make([]model.Buffer, o.Buffers)}
	for i := range p.Buffers {
		life := r.Within(o.MinLife, o.MaxLife)
		b := model.Buffer{
			ID:        "b" + strconv.Itoa(i),
			Lower:     r.Within(0, o.Horizon-life),
			Size:      r.Within(o.MinSize, o.MaxSize),
			Alignment: o.Alignment,
		}
		b.Upper = b.Lower + life
		if r.Chance(o.Gaps) {
			b.Gaps = r.Gaps(&b, o.Windows)
		}
		p.Buffers[i] = b
	}
	return p
}

// Gaps draws one gap or two inside the lifespan of b; none if it is too short to leave a slot on
// both sides. windows is the share of the gaps that have a window.
func (r *RNG) Gaps(b *model.Buffer, windows float64) []model.Gap {
	var gaps []model.Gap
	at := b.Lower
	for range r.Within(1, 2) {
		if b.Upper-at < 3 {
			break
		}
		g := model.Gap{Lower: r.Within(at+1, b.Upper-2)}
		g.Upper = r.Within(g.Lower+1, b.Upper-1)
		if r.Chance(windows) {
			lower := r.Below(b.Size)
			g.Window = &model.Window{Lower: lower, Upper: r.Within(lower+1, b.Size)}
		}
		gaps = append(gaps, g)
		at = g.Upper
	}
	return gaps
}

// highOverlap draws lifespans of 20% to 60% of the horizon, as in the synthetic suite of section 8.3 of the MiniMalloc
// paper (which is not public). Most pairs of buffers are live together, but no moment has them all. With lives of 40%
// and more nearly all buffers share the middle of the horizon, and any order of stacking is a lowest plan.
func highOverlap(o Options) (*Instance, error) {
	o.MinLife = max(1, o.Horizon/5)
	o.MaxLife = max(o.MinLife, o.Horizon/5*3)
	return &Instance{Problem: NewRNG(o.Seed, "high-overlap").problem(o)}, nil
}

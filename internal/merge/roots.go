package merge

import (
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: the roots are a problem of their own, with sections as time. Each plan of the roots is a plan of the buffers,
// since each root has its parts at fixed places. But if the roots have no plan, the buffers may still have one.

// problem returns the roots as buffers, in the order of live.
func (f *forest) problem(tl *timeline.Timeline) *model.Problem { return f.without(tl, nil) }

// without is problem without sections that are set aside, except some.
func (f *forest) without(tl *timeline.Timeline, with []bool) *model.Problem {
	p := &model.Problem{Buffers: make([]model.Buffer, len(f.live))}
	if f.base.aside != nil {
		clock := f.newClock(with)
		for k, r := range f.live {
			c, b := &f.all[r], &p.Buffers[k]
			b.Size, b.Alignment = c.size, c.align
			if c.sealed {
				f.sealed(clock, tl, int(r), b)
			} else {
				f.root(clock, k, b)
			}
		}
		return p
	}
	for k, r := range f.live {
		c, b := &f.all[r], &p.Buffers[k]
		if c.shape == single {
			tl.Part(b, int(r), c.first, c.last)
		} else {
			b.Lower, b.Upper, b.Size, b.Alignment = int64(c.first), int64(c.last), c.size, c.align
		}
	}
	return p
}

// expand turns offsets of the roots into offsets of the buffers. A buffer that is never
// active lies at its fixed offset, or at 0.
func (f *forest) expand(p *model.Problem, offsets []int64) []int64 {
	at := make([]int64, len(p.Buffers))
	for i := range at {
		if fixed := p.Buffers[i].Fixed; fixed != nil {
			at[i] = *fixed
		}
	}
	for k, r := range f.live {
		f.offsets(r, offsets[k], at)
	}
	return at
}

// offsets writes the offsets of the buffers in composite p, which lies at the offset at.
func (f *forest) offsets(p id, at int64, into []int64) {
	c := &f.all[p]
	if c.shape == single {
		into[p] = at
		return
	}
	up := f.ups(c)
	for k, q := range c.part[:c.count()] {
		f.offsets(q, at+up[k], into)
	}
}

// ups returns how far each part lies above the composite's offset.
func (f *forest) ups(c *composite) (up [5]int64) {
	switch c.shape {
	case stack:
		up[1] = f.all[c.part[0]].size
	case wheel:
		up[2] = f.all[c.part[0]].size
		up[3], up[4] = up[2], f.all[c.part[1]].size
	}
	return up
}

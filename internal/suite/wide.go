package suite

import (
	"slices"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/model"
)

// Idea: faults hide where features meet, so small problems are drawn to have all
// of them together and far from round numbers: sizes of 1 and of nearly MaxSum,
// alignments that share no divisor, windows that interlock, buffers fixed where
// they collide or at the top, hints, twins, negative times. A problem is drawn in
// small units first, then scaled in space and in time, so that its shape stays
// one that brute force can answer (orders.go).
//
// What is drawn is a share of each: every feature is absent from most problems,
// since a failure with few of them is easier to read and some faults need the
// absence of one.

// wideAlignments are such that most pairs of them have a step of heights that
// neither has.
var wideAlignments = []int64{1, 2, 3, 4, 6, 9, 18, 64}

// maxWide is the largest number of buffers of a wide problem.
const maxWide = 9

// wideCounts are the numbers of buffers, by how often they are drawn.
var wideCounts = sync.OnceValue(func() (counts []int) {
	for n, share := range [maxWide + 1]int{0, 4, 16, 20, 24, 28, 16, 4, 1, 1} {
		for range share {
			counts = append(counts, n)
		}
	}
	return counts
})

// Wide returns a valid problem of at most nine buffers, most of them of three to
// six, with every feature of the model. It has no capacity. Fixed offsets may
// collide. Lowest answers it.
func Wide(seed uint64) *model.Problem {
	r := newRNG(seed, "wide")
	p := &model.Problem{Name: "wide-seed-" + strconv.FormatUint(seed, 10)}
	p.Buffers = make([]model.Buffer, wideCounts()[r.below(int64(len(wideCounts())))])
	for i := range p.Buffers {
		p.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	r.wideLives(p)
	unit := r.pick(2, 4, 6, 6, 12, 30)
	for i := range p.Buffers {
		p.Buffers[i].Size = r.within(1, unit)
	}
	r.wideGaps(p)
	aligned := r.below(4) // none, one alignment for all, mixed, mixed and rare
	if aligned > 0 {
		all := r.pick(wideAlignments...)
		for i := range p.Buffers {
			switch {
			case aligned == 1:
				p.Buffers[i].Alignment = all
			case aligned == 2 || r.chance(0.3):
				p.Buffers[i].Alignment = r.pick(wideAlignments...)
			}
		}
	}
	if r.chance(0.25) {
		r.twins(p)
	}
	r.wideScale(p)
	if r.chance(0.3) {
		r.wideFixed(p)
	}
	r.wideTimes(p)
	if r.chance(0.15) {
		for i := range p.Buffers {
			if r.chance(0.5) {
				at := r.below(min(1+2*p.Buffers[i].Size, model.MaxSum))
				p.Buffers[i].Hint = &at
			}
		}
	}
	// Fixed offsets that are far up may be too much beside sizes near the limit.
	if model.Validate(p) != nil {
		for i := range p.Buffers {
			p.Buffers[i].Fixed = nil
		}
	}
	return p
}

// wideLives draws lifespans in a horizon of a few slots.
func (r *rng) wideLives(p *model.Problem) {
	horizon := r.within(1, 10)
	shape := r.below(10)
	for i := range p.Buffers {
		b, at := &p.Buffers[i], int64(i)
		switch shape {
		case 0: // all alike
			b.Lower, b.Upper = 0, horizon
		case 1: // nested
			b.Lower, b.Upper = at, 2*maxWide-at
		case 2: // a chain: each meets the next
			b.Lower, b.Upper = at, at+2
		case 3: // stairs: each meets several
			b.Lower, b.Upper = at, at+r.within(2, 5)
		case 4: // all meet in the middle
			b.Lower, b.Upper = r.below(4), 4+r.within(1, 4)
		default:
			b.Lower = r.below(horizon)
			b.Upper = r.within(b.Lower+1, horizon)
		}
	}
}

// wideGaps draws gaps in a share of the problems.
func (r *rng) wideGaps(p *model.Problem) {
	kind := r.below(10)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch {
		case kind < 4 || kind < 7 && r.chance(0.3):
		case kind < 5:
			b.Gaps = r.gaps(b, 0)
		case kind < 6:
			b.Gaps = r.gaps(b, 0.7)
			// Gaps may also reach the ends of the lifespan, or cover it.
			if last := len(b.Gaps) - 1; last >= 0 && r.chance(0.3) {
				b.Gaps[0].Lower, b.Gaps[last].Upper = b.Lower, b.Upper
			}
		default:
			b.Gaps = r.slots(b)
		}
	}
}

// slots draws for each slot of a lifespan whether all, a part or nothing of the
// buffer is in use: windows that change from slot to slot interlock.
func (r *rng) slots(b *model.Buffer) []model.Gap {
	var gaps []model.Gap
	for at := b.Lower; at < b.Upper; at++ {
		state := r.below(5)
		if state < 2 {
			continue
		}
		g := model.Gap{Lower: at, Upper: at + 1}
		if state > 2 {
			from := r.below(b.Size)
			g.Window = &model.Window{Lower: from, Upper: r.within(from+1, b.Size)}
			if state == 3 { // narrow, so that others fit above and below
				g.Window.Upper = from + 1
			}
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// twins makes some buffers copies of others.
func (r *rng) twins(p *model.Problem) {
	for i := 1; i < len(p.Buffers); i++ {
		if r.chance(0.5) {
			id := p.Buffers[i].ID
			p.Buffers[i] = p.Buffers[r.below(int64(i))]
			p.Buffers[i].ID = id
			p.Buffers[i].Gaps = cloneGaps(p.Buffers[i].Gaps)
		}
	}
}

func cloneGaps(gaps []model.Gap) []model.Gap {
	gaps = slices.Clone(gaps)
	for k := range gaps {
		if w := gaps[k].Window; w != nil {
			copied := *w
			gaps[k].Window = &copied
		}
	}
	return gaps
}

// wideScale multiplies all sizes, and alignments with them or not.
func (r *rng) wideScale(p *model.Problem) {
	k := int64(1)
	switch r.below(10) {
	case 5, 6:
		k = r.pick(2, 3, 4, 5, 6, 8, 9, 12, 16, 18, 64, 100, 4096)
	case 7:
		k = 1 << r.within(1, 40)
	case 8:
		k = r.within(2, 1<<40)
	case 9: // as large as a problem may be, with room for fixed offsets or without
		var sum int64
		for i := range p.Buffers {
			sum += p.Buffers[i].Size + p.Buffers[i].Align()
		}
		k = model.MaxSum / (sum * r.pick(1, 1, 3))
	}
	if k == 1 {
		return
	}
	alignments, uneven := r.chance(0.5), r.chance(0.3)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Size *= k
		for j := range b.Gaps {
			if w := b.Gaps[j].Window; w != nil {
				w.Lower, w.Upper = w.Lower*k, w.Upper*k
			}
		}
		if alignments && (b.Alignment > 1 || r.chance(0.5)) {
			b.Alignment = b.Align() * k
		} else if uneven {
			b.Size -= r.below(min(k, 1<<20))
			for j := range b.Gaps {
				if w := b.Gaps[j].Window; w != nil {
					w.Upper = min(w.Upper, b.Size)
				}
			}
		}
	}
	// Beside large alignments that do not divide each other windows could ask the
	// oracle for as many steps as they have bytes.
	if alignments && k > 64 {
		for i := range p.Buffers {
			for j := range p.Buffers[i].Gaps {
				p.Buffers[i].Gaps[j].Window = nil
			}
		}
	}
}

// wideFixed pins some buffers: at the ground, among the others, or at the top.
func (r *rng) wideFixed(p *model.Problem) {
	var sum int64
	for i := range p.Buffers {
		sum += p.Buffers[i].Size
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if !r.chance(0.35) {
			continue
		}
		var at int64
		switch r.below(5) {
		case 0:
		case 1: // on another
			at = p.Buffers[r.below(int64(len(p.Buffers)))].Size
		case 2: // where stacking ends
			at = sum - b.Size
		case 3:
			at = r.below(sum)
		default: // near the ground, in steps of its own
			at = r.below(6) * b.Align()
		}
		at -= at % b.Align()
		b.Fixed = &at
	}
}

// wideTimes moves and stretches time in a share of the problems.
func (r *rng) wideTimes(p *model.Problem) {
	end := int64(1)
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
	scale, shift := int64(1), int64(0)
	switch r.below(10) {
	case 6:
		scale = r.within(2, 1000)
	case 7:
		shift = -r.within(1, 2*end)
	case 8:
		scale = 1 << r.within(1, 50)
		shift = -scale * r.within(0, end)
	case 9:
		scale = r.within(1, model.MaxSum/end)
		shift = r.pick(-model.MaxSum, model.MaxSum-end*scale, 0)
	}
	if scale == 1 && shift == 0 {
		return
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Lower, b.Upper = shift+b.Lower*scale, shift+b.Upper*scale
		for j := range b.Gaps {
			g := &b.Gaps[j]
			g.Lower, g.Upper = shift+g.Lower*scale, shift+g.Upper*scale
		}
	}
}

// Pinned returns p with the offsets of a plan fixed, all of them or a share, as a
// plan file is when it is read as a problem.
func Pinned(p *model.Problem, offsets []int64, seed uint64) *model.Problem {
	r := newRNG(seed, "pinned")
	q := &model.Problem{Name: p.Name + "-pinned", Capacity: p.Capacity, Buffers: slices.Clone(p.Buffers)}
	share := []float64{0.2, 0.5, 0.9, 1}[r.below(4)]
	for i := range q.Buffers {
		if r.chance(share) {
			at := offsets[i]
			q.Buffers[i].Fixed = &at
		}
	}
	return q
}

// Boundary returns a capacity at or near the lowest height of p, as often one
// that p does not fit into as not: the height itself, one less, a step of
// alignment up or down, the least load, or far above.
func Boundary(p *model.Problem, height int64, seed uint64) int64 {
	r := newRNG(seed, "boundary")
	step := p.Buffers[r.below(int64(len(p.Buffers)))].Align()
	capacity := height
	switch r.below(8) {
	case 0, 1, 2:
		capacity = height - 1
	case 3:
		capacity = height - step
	case 4:
		capacity = height + min(step, model.MaxSum-height) - 1
	case 5:
		capacity = height - height/r.within(2, 50)
	}
	return min(max(capacity, 1), model.MaxSum)
}

package drawn

import (
	"slices"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Idea: faults hide where features meet. So small problems are drawn with all of them together and far from round
// numbers: sizes of 1 and of nearly MaxSum, alignments without a common divisor, windows that interlock, buffers
// fixed so that they collide or at the top, hints, twins, negative times. A problem is drawn in small units first,
// then scaled in space and in time. So brute force can still answer it (internal/testkit/oracle).
//
// Every feature is absent from most problems. A failure with few features is easier to read, and some faults need the
// absence of one.

// wideAlignments are such that the heights of most pairs of them have a step that neither has alone.
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

// Wide returns a valid problem of at most nine buffers, most of them of three to six, with every feature of the model.
// It has no capacity. Fixed offsets may collide. oracle.Lowest answers it.
func Wide(seed uint64) *model.Problem {
	r := gen.NewRNG(seed, "wide")
	p := &model.Problem{Name: "wide-seed-" + strconv.FormatUint(seed, 10)}
	p.Buffers = make([]model.Buffer, wideCounts()[r.Below(int64(len(wideCounts())))])
	for i := range p.Buffers {
		p.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	wideLives(r, p)
	unit := r.Pick(2, 4, 6, 6, 12, 30)
	for i := range p.Buffers {
		p.Buffers[i].Size = r.Within(1, unit)
	}
	wideGaps(r, p)
	aligned := r.Below(4) // none, one alignment for all, mixed, mixed and rare
	if aligned > 0 {
		all := r.Pick(wideAlignments...)
		for i := range p.Buffers {
			switch {
			case aligned == 1:
				p.Buffers[i].Alignment = all
			case aligned == 2 || r.Chance(0.3):
				p.Buffers[i].Alignment = r.Pick(wideAlignments...)
			}
		}
	}
	if r.Chance(0.25) {
		twins(r, p)
	}
	wideScale(r, p)
	if r.Chance(0.3) {
		wideFixed(r, p)
	}
	wideTimes(r, p)
	if r.Chance(0.15) {
		for i := range p.Buffers {
			if r.Chance(0.5) {
				at := r.Below(min(1+2*p.Buffers[i].Size, model.MaxSum))
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
func wideLives(r *gen.RNG, p *model.Problem) {
	horizon := r.Within(1, 10)
	shape := r.Below(10)
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
			b.Lower, b.Upper = at, at+r.Within(2, 5)
		case 4: // all meet in the middle
			b.Lower, b.Upper = r.Below(4), 4+r.Within(1, 4)
		default:
			b.Lower = r.Below(horizon)
			b.Upper = r.Within(b.Lower+1, horizon)
		}
	}
}

// wideGaps draws gaps in a share of the problems.
func wideGaps(r *gen.RNG, p *model.Problem) {
	kind := r.Below(10)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch {
		case kind < 4 || kind < 7 && r.Chance(0.3):
		case kind < 5:
			b.Gaps = r.Gaps(b, 0)
		case kind < 6:
			b.Gaps = r.Gaps(b, 0.7)
			// Gaps may also reach the ends of the lifespan, or cover it.
			if last := len(b.Gaps) - 1; last >= 0 && r.Chance(0.3) {
				b.Gaps[0].Lower, b.Gaps[last].Upper = b.Lower, b.Upper
			}
		default:
			b.Gaps = slots(r, b)
		}
	}
}

// slots draws for each slot of a lifespan whether all, a part or nothing of the
// buffer is in use: windows that change from slot to slot interlock.
func slots(r *gen.RNG, b *model.Buffer) []model.Gap {
	var gaps []model.Gap
	for at := b.Lower; at < b.Upper; at++ {
		state := r.Below(5)
		if state < 2 {
			continue
		}
		g := model.Gap{Lower: at, Upper: at + 1}
		if state > 2 {
			from := r.Below(b.Size)
			g.Window = &model.Window{Lower: from, Upper: r.Within(from+1, b.Size)}
			if state == 3 { // narrow, so that others fit above and below
				g.Window.Upper = from + 1
			}
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// twins makes some buffers copies of others.
func twins(r *gen.RNG, p *model.Problem) {
	for i := 1; i < len(p.Buffers); i++ {
		if r.Chance(0.5) {
			id := p.Buffers[i].ID
			p.Buffers[i] = p.Buffers[r.Below(int64(i))]
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
func wideScale(r *gen.RNG, p *model.Problem) {
	k := int64(1)
	switch r.Below(10) {
	case 5, 6:
		k = r.Pick(2, 3, 4, 5, 6, 8, 9, 12, 16, 18, 64, 100, 4096)
	case 7:
		k = 1 << r.Within(1, 40)
	case 8:
		k = r.Within(2, 1<<40)
	case 9: // as large as a problem may be, with room for fixed offsets or without
		var sum int64
		for i := range p.Buffers {
			sum += p.Buffers[i].Size + p.Buffers[i].Align()
		}
		k = model.MaxSum / (sum * r.Pick(1, 1, 3))
	}
	if k == 1 {
		return
	}
	alignments, uneven := r.Chance(0.5), r.Chance(0.3)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Size *= k
		for j := range b.Gaps {
			if w := b.Gaps[j].Window; w != nil {
				w.Lower, w.Upper = w.Lower*k, w.Upper*k
			}
		}
		if alignments && (b.Alignment > 1 || r.Chance(0.5)) {
			b.Alignment = b.Align() * k
		} else if uneven {
			b.Size -= r.Below(min(k, 1<<20))
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
func wideFixed(r *gen.RNG, p *model.Problem) {
	var sum int64
	for i := range p.Buffers {
		sum += p.Buffers[i].Size
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if !r.Chance(0.35) {
			continue
		}
		var at int64
		switch r.Below(5) {
		case 0:
		case 1: // on another
			at = p.Buffers[r.Below(int64(len(p.Buffers)))].Size
		case 2: // where stacking ends
			at = sum - b.Size
		case 3:
			at = r.Below(sum)
		default: // near the ground, in steps of its own
			at = r.Below(6) * b.Align()
		}
		at -= at % b.Align()
		b.Fixed = &at
	}
}

// wideTimes moves and stretches time in a share of the problems.
func wideTimes(r *gen.RNG, p *model.Problem) {
	end := int64(1)
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
	scale, shift := int64(1), int64(0)
	switch r.Below(10) {
	case 6:
		scale = r.Within(2, 1000)
	case 7:
		shift = -r.Within(1, 2*end)
	case 8:
		scale = 1 << r.Within(1, 50)
		shift = -scale * r.Within(0, end)
	case 9:
		scale = r.Within(1, model.MaxSum/end)
		shift = r.Pick(-model.MaxSum, model.MaxSum-end*scale, 0)
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
	r := gen.NewRNG(seed, "pinned")
	q := &model.Problem{Name: p.Name + "-pinned", Capacity: p.Capacity, Buffers: slices.Clone(p.Buffers)}
	share := []float64{0.2, 0.5, 0.9, 1}[r.Below(4)]
	for i := range q.Buffers {
		if r.Chance(share) {
			at := offsets[i]
			q.Buffers[i].Fixed = &at
		}
	}
	return q
}

// Boundary returns a capacity at or near the lowest height of p, as often one that p does not fit into as not: the
// height itself, one less, a step of alignment up or down, the least load, or far above.
func Boundary(p *model.Problem, height int64, seed uint64) int64 {
	r := gen.NewRNG(seed, "boundary")
	step := p.Buffers[r.Below(int64(len(p.Buffers)))].Align()
	capacity := height
	switch r.Below(8) {
	case 0, 1, 2:
		capacity = height - 1
	case 3:
		capacity = height - step
	case 4:
		capacity = height + min(step, model.MaxSum-height) - 1
	case 5:
		capacity = height - height/r.Within(2, 50)
	}
	return min(max(capacity, 1), model.MaxSum)
}

package timeline

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
)

// bound sets MaxLoad and LowerBound.
//
//	LowerBound = max(load of each section, each size, offset + size of each fixed buffer,
//	                 alignedLoad of each partition and alignment)
//
// The load of a section is a bound, because the windows in it are disjoint in space.
// alignedLoad is a sharper one, because it counts the bytes that alignments waste.
func (t *Timeline) bound(m *Memory) {
	t.MaxLoad, _ = bound.Peak(t.Load)
	if t.LowerBound = t.MaxLoad; t.Plain {
		return // no buffer is larger than the load, and none is fixed or aligned
	}
	_, fixed := bound.TopFixed(t.Problem)
	t.LowerBound = max(t.MaxLoad, fixed)
	for i := range t.Problem.Buffers {
		t.LowerBound = max(t.LowerBound, t.Problem.Buffers[i].Size)
	}
	for k := range t.Partitions {
		p := &t.Partitions[k]
		t.LowerBound = max(t.LowerBound, t.alignedLoad(m, p, bound.CommonAlignment(t.Problem, p.Buffers)))
		var seen [alignmentsMost]int64
		for _, i := range p.Buffers {
			g := t.Problem.Buffers[i].Align()
			if at := slices.Index(seen[:], 0); g > 1 && at >= 0 && at*len(p.Buffers) < alignedMost &&
				!slices.Contains(seen[:], g) {
				seen[at] = g
				t.LowerBound = max(t.LowerBound, t.alignedLoad(m, p, g))
			}
		}
	}
}

// Step returns bound.Step of the problem.
func (t *Timeline) Step() int64 {
	if t.Plain && t.sizes != nil {
		return bound.Divisor(t.sizes)
	}
	return bound.Step(t.Problem)
}

// bound looks at no more than alignmentsMost alignments of a partition, and at no more than
// alignedMost buffers, counted once for each alignment. That takes about ten milliseconds.
const alignmentsMost, alignedMost = 8, 1 << 18

// aligned returns the size of a buffer rounded up to g, and its tail: the bytes that rounding
// adds. If the buffer need not begin at a multiple of g, aligned returns the size itself and
// -1. If the buffer has a window, ok is false, because the buffer may then use any bytes.
func (t *Timeline) aligned(i int32, g int64) (rounded, tail int64, ok bool) {
	b := &t.Problem.Buffers[i]
	if b.HasWindow() {
		return 0, 0, false
	}
	if b.Align()%g != 0 {
		return b.Size, -1, true
	}
	rounded = bound.Up(b.Size, g)
	return rounded, rounded - b.Size, true
}

// alignedLoad returns a bound for the aligned buffers of a partition, those whose offsets
// are multiples of g. It returns 0 if alignment adds nothing to the load. In one section:
//
//	height >= sum of the rounded sizes of the aligned buffers
//	        + sum of the sizes of the k large others
//	        - sum of the k + 1 largest tails
//
// Aligned buffers begin at distinct multiples of g. So from the beginning of one to the beginning of the next there are
// at least as many bytes as the lower one has, rounded up to g. The tail of the lower one is wasted, unless other
// buffers lie in it. An other buffer is large if it is larger than every tail: it does not fit into one. It may still
// make use of one tail, together with bytes beyond. So k large buffers save at most k tails, and the end of the plan
// saves one more. A small buffer may lie in a tail and cost nothing, so the bound leaves it out.
func (t *Timeline) alignedLoad(m *Memory, p *Partition, g int64) int64 {
	if g == 1 {
		return 0
	}
	wasted := false
	for _, i := range p.Buffers {
		if _, tail, _ := t.aligned(i, g); tail > 0 {
			wasted = true
			break
		}
	}
	if !wasted {
		return 0
	}
	loads := bound.Loads(m.longs.Take(int(p.Last-p.First) + 1))
	for _, i := range p.Buffers {
		rounded, _, ok := t.aligned(i, g)
		for s := t.Spans(int(i)); ok && len(s) > 0; s = s[1:] {
			loads.Add(s[0].First-p.First, s[0].Last-p.First, rounded)
		}
	}
	_, at := bound.Peak(loads.Sum())
	at += p.First
	var stacked int64
	tails, others := m.tails[:0], m.others[:0]
	for _, i := range p.Buffers {
		for _, s := range t.Spans(int(i)) {
			if s.First <= at && at < s.Last {
				switch rounded, tail, ok := t.aligned(i, g); {
				case !ok:
				case tail < 0:
					others = append(others, rounded)
				default:
					stacked += rounded
					tails = append(tails, tail)
				}
			}
		}
	}
	m.tails, m.others = tails, others
	if len(tails) == 0 {
		return 0
	}
	sorting.Times(tails)
	largest := tails[len(tails)-1]
	used := 1
	for _, size := range others {
		if size > largest {
			stacked += size
			used++
		}
	}
	for _, tail := range tails[max(0, len(tails)-used):] {
		stacked -= tail
	}
	return stacked
}

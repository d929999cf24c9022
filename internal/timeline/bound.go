package timeline

import (
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
)

// bound sets MaxLoad and LowerBound.
//
// The load of a section bounds the height from below: its windows are disjoint
// in space. Alignment sharpens it (alignedLoad). A fixed offset bounds the height by
// its own end.
func (t *Timeline) bound() {
	t.MaxLoad, _ = bound.Peak(t.Load)
	_, fixed := bound.TopFixed(t.Problem)
	t.LowerBound = max(t.MaxLoad, fixed)
	for i := range t.Problem.Buffers {
		t.LowerBound = max(t.LowerBound, t.Problem.Buffers[i].Size)
	}
	for k := range t.Partitions {
		p := &t.Partitions[k]
		t.LowerBound = max(t.LowerBound, t.alignedLoad(p, bound.CommonAlignment(t.Problem, p.Buffers)))
		var seen [alignmentsMost]int64
		for _, i := range p.Buffers {
			g := t.Problem.Buffers[i].Align()
			if at := slices.Index(seen[:], 0); g > 1 && at >= 0 && at*len(p.Buffers) < alignedMost && !slices.Contains(seen[:], g) {
				seen[at] = g
				t.LowerBound = max(t.LowerBound, t.alignedLoad(p, g))
			}
		}
	}
}

// alignmentsMost is how many alignments of a partition are looked at, and alignedMost
// how many buffers, counted anew for each: some ten milliseconds.
const alignmentsMost, alignedMost = 8, 1 << 18

// aligned returns the size of a buffer rounded up to g and what that adds; its size and
// -1 where it need not begin at a multiple of g. It is not ok where the buffer
// has a window, since it may use any bytes.
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

// alignedLoad returns the bound by the buffers of a partition whose offsets are
// multiples of g, 0 where it says nothing beyond the load.
//
// In a section these begin at distinct multiples of g, so between one and the next is
// the size of the lower one rounded up to g: its tail is wasted, unless others lie
// in it. Of the others, those that are larger than any tail do not fit into one by themselves.
// Each of them may use up one tail more, with others at that, and so may the end
// of the plan. So at least the rounded sizes, and those of the others that are larger
// than any tail, k of them, less the k + 1 largest tails, are stacked. The smaller
// others may be in tails for nothing.
func (t *Timeline) alignedLoad(p *Partition, g int64) int64 {
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
	loads := bound.NewLoads(int(p.Last - p.First))
	for _, i := range p.Buffers {
		rounded, _, ok := t.aligned(i, g)
		for s := t.Spans(int(i)); ok && len(s) > 0; s = s[1:] {
			loads.Add(s[0].First-p.First, s[0].Last-p.First, rounded)
		}
	}
	_, at := bound.Peak(loads.Sum())
	at += p.First
	var stacked int64
	var tails, others []int64
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

package timeline

import "github.com/stowage-go/stowage/internal/bound"

// bound sets MaxLoad and LowerBound.
//
// The load of a section bounds the height from below: its windows are disjoint
// in space. Alignment sharpens it. Where all offsets in a partition without
// windows are multiples of g, the buffers of a section start at distinct
// multiples of g, so each but the topmost takes its size rounded up to g: the
// bound is the rounded load less the largest rounding of a member. A fixed
// offset bounds the height by its own end.
func (t *Timeline) bound() {
	t.MaxLoad, _ = bound.Peak(t.Load)
	_, fixed := bound.TopFixed(t.Problem)
	t.LowerBound = max(t.MaxLoad, fixed)
	for i := range t.Problem.Buffers {
		t.LowerBound = max(t.LowerBound, t.Problem.Buffers[i].Size)
	}
	for _, p := range t.Partitions {
		t.LowerBound = max(t.LowerBound, t.alignedLoad(p))
	}
}

// alignedLoad returns the alignment bound of a partition, 0 where it says
// nothing beyond the load.
func (t *Timeline) alignedLoad(p Partition) int64 {
	g := bound.CommonAlignment(t.Problem, p.Buffers)
	if g == 1 {
		return 0
	}
	profile := bound.NewProfile(int(p.Last - p.First))
	for _, i := range p.Buffers {
		size := bound.Up(t.Problem.Buffers[i].Size, g)
		for _, s := range t.Spans(int(i)) {
			profile.Add(s.First-p.First, s.Last-p.First, size)
		}
	}
	peak, at := bound.Peak(profile.Sum())
	at += p.First
	var padding int64
	for _, i := range p.Buffers {
		for _, s := range t.Spans(int(i)) {
			if s.First <= at && at < s.Last {
				size := t.Problem.Buffers[i].Size
				padding = max(padding, bound.Up(size, g)-size)
			}
		}
	}
	return peak - padding
}

package timeline

// bound sets MaxLoad and LowerBound.
//
// The load of a section bounds the height from below: its windows are disjoint
// in space. Alignment sharpens it. Where all offsets in a partition without
// windows are multiples of g, the buffers of a section start at distinct
// multiples of g, so each but the topmost takes its size rounded up to g: the
// bound is the rounded load less the largest rounding of a member. A fixed
// offset bounds the height by its own end.
func (t *Timeline) bound() {
	for _, load := range t.Load {
		t.MaxLoad = max(t.MaxLoad, load)
	}
	t.LowerBound = t.MaxLoad
	for i := range t.Problem.Buffers {
		b := &t.Problem.Buffers[i]
		end := b.Size
		if b.Fixed != nil {
			end += *b.Fixed
		}
		t.LowerBound = max(t.LowerBound, end)
	}
	for _, p := range t.Partitions {
		t.LowerBound = max(t.LowerBound, t.alignedLoad(p))
	}
}

// alignedLoad returns the alignment bound of a partition, 0 where it says
// nothing beyond the load.
func (t *Timeline) alignedLoad(p Partition) int64 {
	g := t.CommonAlignment(p)
	if g == 1 {
		return 0
	}
	change := make([]int64, p.Last-p.First+1)
	for _, i := range p.Buffers {
		size := roundUp(t.Problem.Buffers[i].Size, g)
		for _, s := range t.Spans(int(i)) {
			change[s.First-p.First] += size
			change[s.Last-p.First] -= size
		}
	}
	var load, peak int64
	at := p.First
	for k, c := range change {
		if load += c; load > peak {
			peak, at = load, p.First+int32(k)
		}
	}
	var slack int64
	for _, i := range p.Buffers {
		for _, s := range t.Spans(int(i)) {
			if s.First <= at && at < s.Last {
				size := t.Problem.Buffers[i].Size
				slack = max(slack, roundUp(size, g)-size)
			}
		}
	}
	return peak - slack
}

// CommonAlignment returns the greatest number that divides every alignment in
// the partition; 1 where any buffer has a window, since the bytes in use may
// then start anywhere.
func (t *Timeline) CommonAlignment(p Partition) int64 {
	var g int64
	for _, i := range p.Buffers {
		b := &t.Problem.Buffers[i]
		for _, gap := range b.Gaps {
			if gap.Window != nil {
				return 1
			}
		}
		for a := b.Align(); a != 0; {
			g, a = a, g%a
		}
		if g == 1 {
			return 1
		}
	}
	return max(g, 1)
}

func roundUp(x, multiple int64) int64 {
	if r := x % multiple; r != 0 {
		x += multiple - r
	}
	return x
}

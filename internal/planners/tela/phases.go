package tela

import "github.com/stowage-go/stowage/internal/timeline"

// Idea: buffers that meet in a stretch of high contention constrain one another most. Stretches with a trough between
// them constrain one another little. So a threshold comes down from the peak. Each stretch of time that reaches it
// claims its buffers that no higher stretch has claimed. These buffers form a phase. Phases are numbered in that
// order: high contention first, then by time.
//
// The contention between two adjacent sections is that of the buffers that are in both. Only if time lies between the
// sections can there be a trough.
//
// Invariant: each buffer is in exactly one phase; a phase is not empty.
//
// Complexity: O(thresholds × (sections + buffers)).
//
// Source: figure 9 of the paper. The paper starts at 100% of the capacity. Here 100% is the partition's own peak, so
// the phases do not depend on the capacity. The paper does not give the step; here it is the parameter threshold-step.

// phases returns the phase of each buffer of the partition and their number.
func phases(tl *timeline.Timeline, p *timeline.Partition, percent int) (of []int32, count int32) {
	n, m := len(p.Buffers), int(p.Last-p.First)
	load := tl.Load[p.First:p.Last]
	peak := int64(0)
	for _, l := range load {
		peak = max(peak, l)
	}
	cut := troughs(tl, p)
	of = make([]int32, n)
	for j := range of {
		of[j] = -1
	}
	left := n
	stretch := make([]int32, m) // section → stretch at the threshold, -1 for none
	names := make([]int32, m)   // stretch → its phase, -1 for none yet
	for at := 100; left > 0; at -= percent {
		// peak·at/100 without overflow. The last threshold is 0, which everything reaches.
		threshold := peak/100*int64(at) + peak%100*int64(at)/100
		if at <= 0 {
			threshold = 0
		}
		stretches := int32(0)
		for s := range m {
			if load[s] < threshold {
				stretch[s] = -1
				continue
			}
			if s == 0 || stretch[s-1] < 0 || cut[s-1] < threshold {
				names[stretches] = -1
				stretches++
			}
			stretch[s] = stretches - 1
		}
		// Claims go in order of time, so that phases of one threshold do too: p.Buffers are ordered by first section.
		for j, i := range p.Buffers {
			if of[j] >= 0 {
				continue
			}
			if k := firstStretch(tl, int(i), p.First, stretch); k >= 0 {
				if names[k] < 0 {
					names[k] = count
					count++
				}
				of[j] = names[k]
				left--
			}
		}
	}
	return of, count
}

// firstStretch returns the first stretch that buffer i is active in, -1 for none.
func firstStretch(tl *timeline.Timeline, i int, first int32, stretch []int32) int32 {
	for _, span := range tl.Spans(i) {
		for s := span.First; s < span.Last; s++ {
			if k := stretch[s-first]; k >= 0 {
				return k
			}
		}
	}
	return -1
}

// troughs returns the contention between each section of the partition and the next.
func troughs(tl *timeline.Timeline, p *timeline.Partition) []int64 {
	m := int(p.Last - p.First)
	cut := make([]int64, m+1)
	for _, i := range p.Buffers {
		for _, span := range tl.Spans(int(i)) {
			if span.Last-span.First > 1 {
				cut[span.First-p.First] += span.Upper - span.Lower
				cut[span.Last-1-p.First] -= span.Upper - span.Lower
			}
		}
	}
	for s := 1; s < m; s++ {
		cut[s] += cut[s-1]
	}
	for s := range m - 1 {
		if at := p.First + int32(s); tl.Ends[at] >= tl.Starts[at+1] {
			cut[s] = min(tl.Load[at], tl.Load[at+1])
		}
	}
	return cut
}

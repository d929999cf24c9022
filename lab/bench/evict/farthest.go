package main

import "github.com/stowage-go/stowage/model"

// Idea: the baseline walks through time. If the live tensors do not fit, it evicts the tensor that is not in use and
// whose next use is farthest, the largest of several, until the others fit. It counts bytes only: there are no
// offsets, so holes between buffers cost it nothing.
//
// Complexity: O(slots · evictions).
//
// Source: the rule is L. Belady's (A study of replacement algorithms for a virtual-storage computer, IBM Systems
// Journal 5(2), 1966); tt-mlir spills so.

// farthest returns the price of the evictions, or false if they are not enough.
func farthest(p *model.Problem) (price int64, fits bool) {
	type absence struct {
		model.Eviction
		size  int64
		taken bool
	}
	var all []*absence
	end := int64(0)
	begin := p.Buffers[0].Lower
	for i := range p.Buffers {
		b := &p.Buffers[i]
		begin, end = min(begin, b.Lower), max(end, b.Upper)
		if b.Extra != nil {
			for _, e := range b.Extra.Evictions {
				all = append(all, &absence{e, b.Size, false})
			}
		}
	}
	load := make([]int64, end-begin)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		for x := range b.Pieces {
			for t := x.Lower; t < x.Upper; t++ {
				load[t-begin] += x.To - x.From
			}
		}
	}
	for now := begin; now < end; now++ {
		for load[now-begin] > p.Capacity {
			var best *absence
			for _, x := range all {
				if x.taken || now < x.Lower || x.Upper <= now {
					continue
				}
				if best == nil || x.Upper > best.Upper || x.Upper == best.Upper && x.size > best.size {
					best = x
				}
			}
			if best == nil {
				return 0, false
			}
			best.taken = true
			price += best.Cost
			for t := best.Lower; t < best.Upper; t++ {
				load[t-begin] -= best.size
			}
		}
	}
	return price, true
}

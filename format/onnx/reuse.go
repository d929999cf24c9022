package onnx

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: ONNX Runtime places tensors in two steps. Before it runs, tensors of the same size take turns: a tensor takes
// the storage of one that ended, the last that did. Storage is held from its first tensor to the last, also in between.
// In the first run it then places each storage when it is made, in the gap that fits best, and later runs do the same.
//
// So strips of the same size hold their storage from strip to strip, and storage of many sizes leaves gaps. The bytes
// that are live say too little.
//
// Complexity: O(tensors × what is free or live).
//
// Source: ONNX Runtime, allocation_planner.cc, FindReusableTensor, and mem_pattern_planner.h (00ca168).

// A lived is bytes that are in use from one time until another.
type lived struct{ size, from, to int64 }

// turns lets those of the same size take turns, and returns what is held.
func turns(all []lived) (held []lived) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y lived) int { return cmp.Compare(x.from, y.from) })
	var busy, free []int // of held: busy in any order, free the last to end at the end
	for _, x := range all {
		var ended []int
		busy = slices.DeleteFunc(busy, func(k int) bool {
			over := held[k].to <= x.from
			if over {
				ended = append(ended, k)
			}
			return over
		})
		slices.SortStableFunc(ended, func(j, k int) int { return cmp.Compare(held[j].to, held[k].to) })
		free = append(free, ended...)
		at := len(free) - 1
		for at >= 0 && held[free[at]].size != x.size {
			at--
		}
		k := len(held)
		if at >= 0 {
			k = free[at]
			free = slices.Delete(free, at, at+1)
			held[k].to = x.to
		} else {
			held = append(held, x)
		}
		busy = append(busy, k)
	}
	return held
}

// loadOf returns the most bytes that are in use at once.
func loadOf(all []lived) (most int64) {
	change := make(map[int64]int64, 2*len(all))
	var times []int64
	for _, x := range all {
		change[x.from] += x.size
		change[x.to] -= x.size
		times = append(times, x.from, x.to)
	}
	slices.Sort(times)
	live := int64(0)
	for _, t := range slices.Compact(times) {
		live += change[t]
		most = max(most, live)
	}
	return most
}

// placed returns how many bytes ONNX Runtime takes for buffers.
func placed(p *model.Problem) (height int64) {
	var all []lived
	for i := range p.Buffers {
		b := &p.Buffers[i]
		all = append(all, lived{b.Size, b.Lower, b.Upper})
	}
	type block struct{ from, to, dies int64 }
	var live []block // by offset
	for _, x := range turns(all) {
		live = slices.DeleteFunc(live, func(y block) bool { return y.dies <= x.from })
		at, least, end := int64(-1), int64(-1), int64(0)
		for k := range len(live) + 1 {
			from := height
			if k < len(live) {
				from = live[k].from
			}
			if gap := from - end; gap >= x.size && (least < 0 || gap < least) {
				at, least = end, gap
			}
			if k < len(live) {
				end = max(end, live[k].to)
			}
		}
		if at < 0 {
			at = end
		}
		height = max(height, at+x.size)
		k, _ := slices.BinarySearchFunc(live, at, func(x block, at int64) int { return cmp.Compare(x.from, at) })
		live = slices.Insert(live, k, block{at, at + x.size, x.to})
	}
	return height
}

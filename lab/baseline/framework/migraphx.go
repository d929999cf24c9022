package framework

import (
	"cmp"
	"slices"
)

// Idea: MIGraphX colours the graph of conflicts with stretches of memory. The allocation with the most conflicts goes
// first; on a tie the larger, then the later one. It starts at 0 if that leaves room below the lowest of its placed
// conflicts, else in the first hole between two of them, else on top of the highest. Then all are placed anew, three
// times over. Each keeps its new place if that does not raise the top.
//
// Quirks that are kept:
//
//   - A hole at 0 must be larger than the allocation, not only as large.
//   - A hole is missed if, of the conflicts that start before it, the last one does not end highest.
//   - A new place that is higher than the old one is taken, too, if it is below the top.
//
// Sizes are rounded up to a common multiple of all alignments, which there is the largest.
//
// Complexity: O(conflicts · log n) for each of the four passes.
//
// Source: MIGraphX, memory_coloring.cpp (f729a52).

func init() {
	register(planner{
		name:    "migraphx",
		summary: "most conflicts first, each in the first hole; then placed again three times",
		source:  "MIGraphX, memory_coloring.cpp (f729a52)",
		gaps:    true,
		place:   migraphx,
	})
}

// A stretch is the memory of a placed buffer.
type stretch struct{ from, to int64 }

func migraphx(t *task) error {
	n := len(t.buffers)
	sizes, err := t.units()
	if err != nil {
		return err
	}
	degrees := t.degrees()
	order := t.sorted(keys(
		func(a, b int) int { return cmp.Compare(degrees[b], degrees[a]) }, t.larger,
		func(a, b int) int { return cmp.Compare(b, a) },
	))
	placed := make([]stretch, n) // to is 0 where not placed
	t.offsets = make([]int64, n)
	var (
		conflicts []int32
		live      []stretch
		top       int64
	)
passes:
	for pass := range 4 {
		for _, i := range order {
			if t.stopped() || pass > 0 && t.enough() {
				if pass > 0 {
					break passes // the plan stands
				}
				return errStopped
			}
			conflicts = t.tl.AppendConflicts(conflicts[:0], int(i))
			live = live[:0]
			for _, j := range conflicts {
				if placed[j].to > 0 {
					live = append(live, placed[j])
				}
			}
			slices.SortFunc(live, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
			live = slices.Compact(live)
			at := holeBetween(live, sizes[i])
			old, s := placed[i], stretch{at, at + sizes[i]}
			switch {
			case pass == 0:
				placed[i], top = s, max(top, s.to)
			case s.to <= top:
				if placed[i] = s; old.to == top && s.to < top {
					top = 0
					for k := range placed {
						top = max(top, placed[k].to)
					}
				}
			}
		}
		t.nodes += int64(n)
	}
	for i := range placed {
		t.offsets[i] = placed[i].from
	}
	return nil
}

// holeBetween returns the place for so many bytes among different stretches sorted by their start. A hole counts only
// if the last stretch before it is the one that ends highest, as in the source.
func holeBetween(live []stretch, size int64) int64 {
	if len(live) == 0 || live[0].from > size {
		return 0
	}
	var end int64 // of the stretches before the k-th
	for k, s := range live {
		if k+1 < len(live) && live[k+1].from-s.to >= size && end <= s.to {
			return s.to
		}
		end = max(end, s.to)
	}
	return end
}

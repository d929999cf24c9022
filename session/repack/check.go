package repack

import (
	"cmp"
	"fmt"
	"slices"
)

// Idea: the checker reads the rules of a call once more, block by block and slice by slice. It knows neither bodies nor
// orders. Two parts clash if they meet in time and in bytes, and their blocks are not of one group.
//
// Complexity: O(n log n + pairs that meet in time) for n blocks and slices.

// A part is a slice, or a block without slices.
type part struct {
	block        int
	start, end   int64 // both included
	offset, size int64
}

// Check returns what is wrong with a plan of the blocks of a call, or "". It does not ask for the capacity, and leaves
// the wanted block out.
func Check(c *Call, offsets []int64, order [][]Slice) string {
	if len(offsets) != len(c.Blocks) || len(order) != len(c.Blocks) {
		return fmt.Sprintf("%d blocks have %d offsets and %d orders of slices", len(c.Blocks), len(offsets), len(order))
	}
	var parts []part
	groups := map[int32]int{}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if offsets[i] < 0 || c.Alignment > 1 && offsets[i]%c.Alignment != 0 {
			return fmt.Sprintf("the offset %d of block %d is no multiple of %d", offsets[i], i+1, max(c.Alignment, 1))
		}
		if j, there := groups[b.Group]; b.Group != 0 && there && offsets[i] != offsets[j] {
			return fmt.Sprintf("blocks %d and %d of one group lie at %d and %d", j+1, i+1, offsets[j], offsets[i])
		} else if !there {
			groups[b.Group] = i
		}
		if (b.Slices == nil) != (order[i] == nil) || !sameSlices(b.Slices, order[i]) {
			return fmt.Sprintf("the slices of block %d are not those given in another order", i+1)
		}
		if b.Slices == nil {
			parts = append(parts, part{block: i, start: b.Start, end: b.End, offset: offsets[i], size: b.Size})
			continue
		}
		at := offsets[i]
		for _, s := range order[i] {
			parts = append(parts, part{block: i, start: s.Start, end: b.End, offset: at, size: s.Size})
			at += s.Size
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.start, b.start) })
	var live []part
	for _, x := range parts {
		live = slices.DeleteFunc(live, func(y part) bool { return y.end < x.start })
		for _, y := range live {
			g := c.Blocks[x.block].Group
			if x.block == y.block || g != 0 && g == c.Blocks[y.block].Group {
				continue
			}
			if x.offset < y.offset+y.size && y.offset < x.offset+x.size {
				return fmt.Sprintf("blocks %d and %d share bytes at time %d", min(x.block, y.block)+1,
					max(x.block, y.block)+1, x.start)
			}
		}
		live = append(live, x)
	}
	return ""
}

// sameSlices reports whether b has the sizes of a in their order, and the starts of each size.
func sameSlices(a, b []Slice) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k].Size != b[k].Size {
			return false
		}
	}
	sorted := func(x []Slice) []Slice {
		x = slices.Clone(x)
		slices.SortFunc(x, func(p, q Slice) int {
			return cmp.Or(cmp.Compare(p.Size, q.Size), cmp.Compare(p.Start, q.Start))
		})
		return x
	}
	return slices.Equal(sorted(a), sorted(b))
}

package canonical

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
)

// This file says how far apart buffers must lie. Its rule is that of package timeline (timeline/conflict.go):
//
//	distance(i, j) = max over common sections s of upper(i, s) - lower(j, s)
//
// It is here a second time because its numbers are the kernel's: sizes are rounded up or effective (effective.go), and
// windows are shifted (shift.go). Without gaps it is the size of i, which one load finds. A test compares the two.

// distance returns the least difference of offsets with which j lies above i. If the two never meet, ok is false.
//
// Complexity: O(1), or O(pieces of both) if there are gaps and no table (shift.go).
func (k *Kernel) distance(i, j common.Buffer) (d int64, ok bool) {
	if a, b := &k.of[i], &k.of[j]; b.first >= a.last || a.first >= b.last {
		return 0, false
	}
	if k.plain {
		return k.size[i], true
	}
	if k.distances != nil {
		d = k.distances[int(i)*int(k.n)+int(j)]
		return d, d != math.MinInt64
	}
	for x, y := Piece(i), Piece(j); x != none && y != none; {
		a, b := &k.span[x], &k.span[y]
		if a.first < b.last && b.first < a.last {
			if end := a.lower + k.block[x].size - b.lower; !ok || end > d {
				d, ok = end, true
			}
		}
		if a.last <= b.last {
			x = k.next[x]
		} else {
			y = k.next[y]
		}
	}
	return d, ok
}

// alignUp rounds an offset up to buffer j's alignment.
func (k *Kernel) alignUp(j common.Buffer, offset int64) int64 {
	f := &k.of[j]
	return bound.Up(offset+f.shift, f.align) - f.shift
}

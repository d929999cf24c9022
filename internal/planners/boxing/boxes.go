package boxing

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: buffers and boxes are rows of the same columns, known by index. The buffers come first and stay. A try
// appends its boxes, and the next try drops them. What a box holds is a stretch of one common list: a buffer is in
// one box, that box in another one, and so on.
//
// Invariant: the columns have one length; kids[k] of a buffer is empty.
//
// Complexity: memory is linear in buffers and boxes. Each level has fewer boxes than there are buffers.
//
// Source: cappadokes/idealloc (a21f84d), Job and JobSet.

// id names a buffer or a box.
type id = int32

// boxes is the arena of one worker.
type boxes struct {
	lower, upper []int32 // open interval of doubled sections
	size         []int64
	kids         []kids
	held         []id // what the boxes hold, box by box

	watch *run.Watch // nil for no limit

	buffers int  // how many of the rows are buffers; the dummy comes last
	dummy   bool // the last buffer is not the problem's
}

// kids are the contents of a box: held[from:to].
type kids struct{ from, to int32 }

// sizeBits is how many bits the largest size may have.
const sizeBits = 40

// newBoxes returns an arena with the buffers that are ever active. Buffer i of the arena is all[i] of the problem.
// Very large sizes are scaled down, because the dummy of Theorem 16 is 2217 times the smallest size, and its heights
// are floating-point numbers. That is allowed, since boxes give an order and no offsets.
func newBoxes(tl *timeline.Timeline) (b *boxes, all []int32) {
	b = &boxes{}
	var most int64
	for i := range tl.Problem.Buffers {
		most = max(most, tl.Problem.Buffers[i].Size)
	}
	scale := max(bits.Len64(uint64(most))-sizeBits, 0)
	for i := range tl.Problem.Buffers {
		first, last := tl.Extent(i)
		if first == last {
			continue
		}
		all = append(all, int32(i))
		b.add(2*first, 2*last, max(tl.Problem.Buffers[i].Size>>scale, 1))
	}
	b.buffers = len(all)
	return b, all
}

// clone returns an arena with the same buffers and no boxes, for another worker.
func (b *boxes) clone() *boxes {
	n := b.buffers
	return &boxes{
		lower: slices.Clone(b.lower[:n]), upper: slices.Clone(b.upper[:n]), size: slices.Clone(b.size[:n]),
		kids: make([]kids, n), buffers: n, dummy: b.dummy, watch: b.watch,
	}
}

// add appends a row.
func (b *boxes) add(lower, upper int32, size int64) id {
	b.lower = append(b.lower, lower)
	b.upper = append(b.upper, upper)
	b.size = append(b.size, size)
	b.kids = append(b.kids, kids{})
	return id(len(b.size) - 1)
}

// box appends a box of the given height around contents, which it copies.
func (b *boxes) box(contents []id, height int64) id {
	lower, upper := b.lower[contents[0]], b.upper[contents[0]]
	from := int32(len(b.held))
	b.held = append(b.held, contents...)
	for _, i := range contents[1:] {
		lower = min(lower, b.lower[i])
		upper = max(upper, b.upper[i])
	}
	k := b.add(lower, upper, height)
	b.kids[k] = kids{from: from, to: int32(len(b.held))}
	return k
}

// contents returns what box k holds; nothing for a buffer.
func (b *boxes) contents(k id) []id { return b.held[b.kids[k].from:b.kids[k].to] }

// mark and release drop all boxes since a mark.
type mark struct{ rows, held int }

func (b *boxes) mark() mark { return mark{rows: len(b.size), held: len(b.held)} }

func (b *boxes) release(m mark) {
	b.lower, b.upper = b.lower[:m.rows], b.upper[:m.rows]
	b.size, b.kids = b.size[:m.rows], b.kids[:m.rows]
	b.held = b.held[:m.held]
}

// heights returns the smallest and the largest size.
func (b *boxes) heights(items []id) (least, most int64) {
	least, most = b.size[items[0]], b.size[items[0]]
	for _, i := range items[1:] {
		least = min(least, b.size[i])
		most = max(most, b.size[i])
	}
	return least, most
}

// A cut is the panic that ends a try if a limit comes. Half a try is of no use.
type cut struct{}

// look ends the try if a limit has come.
func (b *boxes) look() {
	if b.watch != nil && b.watch.Over() {
		panic(cut{})
	}
}

// unlessCut calls f and reports whether it came to its end.
func unlessCut(f func()) (whole bool) {
	defer func() {
		if what := recover(); what != nil {
			if _, ok := what.(cut); !ok {
				panic(what)
			}
		}
	}()
	f()
	return true
}

// sort sorts items, ties as they are.
func (b *boxes) sort(items []id, compare func(i, j id) int) {
	if !place.Sort(b.watch, items, compare) {
		panic(cut{})
	}
}

// sortByStart sorts by start; of equal starts the longest comes first.
func (b *boxes) sortByStart(items []id) {
	b.sort(items, func(i, j id) int {
		if c := cmp.Compare(b.lower[i], b.lower[j]); c != 0 {
			return c
		}
		if c := cmp.Compare(b.upper[j], b.upper[i]); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
}

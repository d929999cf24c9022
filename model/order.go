package model

import (
	"errors"
	"fmt"
	"math/bits"
)

// Idea: an order says for each buffer above which others it lies. Offsets follow from the sizes, for any sizes: each
// buffer lies at the highest end among those below it, rounded up to its alignment. Ends grow with the sizes, so what
// fits at the largest sizes fits at all.
//
// An order is a list of words, the same in Go, C, Python and JavaScript, so that a plan is written once and placed
// anywhere. After Magic and the number of buffers, each buffer has a record, those below it before:
//
//	its index | count<<8 | kind | two words, low first, if kind is 62 or 63 | the count indices of buffers below it
//
// A kind up to 61 is the exponent of the alignment. After 62 the alignment follows, after 63 the fixed offset.
//
// Complexity: Place is O(buffers + pairs), and makes no object.

// OrderMagic is the first word of an order: sto1.
const OrderMagic = 0x73746f31

const (
	kindAligned = 62 // the alignment follows
	kindFixed   = 63 // the offset follows
	mostBelow   = 1<<24 - 1
)

// An Order says above which others each buffer lies. Offsets for any sizes follow from it: see Place.
type Order struct{ words []uint32 }

// NewOrder makes an order of the buffers of p. below has, for each buffer, the indices of those that it must lie above;
// pools has the pool of each, whose alignment holds too, and is nil for one pool without rules. The error says that an
// index is none, or that buffers lie above each other in a circle.
func NewOrder(p *Problem, below [][]int32, pools []int32) (*Order, error) {
	n := len(p.Buffers)
	if len(below) != n {
		return nil, fmt.Errorf("there are lists for %d of %d buffers", len(below), n)
	}
	above, waits := make([][]int32, n), make([]int, n)
	for i, list := range below {
		if waits[i] = len(list); len(list) > mostBelow {
			return nil, fmt.Errorf("buffer %s lies above more than %d others", p.Buffers[i].ID, mostBelow)
		}
		for _, j := range list {
			if j < 0 || int(j) >= n {
				return nil, fmt.Errorf("buffer %s lies above number %d, and there are %d", p.Buffers[i].ID, j, n)
			}
			above[j] = append(above[j], int32(i))
		}
	}
	o := &Order{words: []uint32{OrderMagic, uint32(n)}}
	var ready []int32
	for i := range n {
		if waits[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	for k := 0; k < len(ready); k++ {
		i := ready[k]
		o.record(&p.Buffers[i], i, p.AlignIn(int(i), pools), below[i])
		for _, j := range above[i] {
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	for i := range n {
		if waits[i] > 0 {
			return nil, fmt.Errorf("buffer %s lies above itself, by way of others", p.Buffers[i].ID)
		}
	}
	return o, nil
}

// AlignIn returns the alignment of buffer i in its pool: a multiple of its own and of the pool's. pools has the pool of
// each buffer; nil for the first.
func (p *Problem) AlignIn(i int, pools []int32) int64 {
	b, pool := &p.Buffers[i], 0
	if p.Rules == nil || len(p.Rules.Pools) == 0 {
		return b.Align()
	}
	if pools != nil {
		pool = int(pools[i])
	}
	x, y := b.Align(), max(1, p.Rules.Pools[pool].Alignment)
	for y != 0 {
		x, y = y, x%y
	}
	return b.Align() / x * max(1, p.Rules.Pools[pool].Alignment)
}

// record appends the record of a buffer.
func (o *Order) record(b *Buffer, i int32, align int64, below []int32) {
	kind, value := uint32(bits.TrailingZeros64(uint64(align))), int64(0)
	switch {
	case b.Fixed != nil:
		kind, value = kindFixed, *b.Fixed
	case align != 1<<kind:
		kind, value = kindAligned, align
	}
	o.words = append(o.words, uint32(i), uint32(len(below))<<8|kind)
	if kind >= kindAligned {
		o.words = append(o.words, uint32(value), uint32(value>>32))
	}
	for _, j := range below {
		o.words = append(o.words, uint32(j))
	}
}

// Words returns the order as words, for stowage_place in C and its twins. They must not be changed.
func (o *Order) Words() []uint32 { return o.words }

// ErrFixed is the error of Place if a buffer with a fixed offset would lie on another: the sizes are larger than those
// that the order was made for.
var ErrFixed = errors.New("the buffers below a fixed one reach above its offset")

// Place computes the offset of each buffer from its size, and returns the largest offset + size. offsets and sizes are
// in the order of the buffers. The error says that a size is negative, that a sum exceeds MaxSum, or ErrFixed.
func (o *Order) Place(sizes, offsets []int64) (height int64, err error) {
	w := o.words
	if n := int(w[1]); len(sizes) != n || len(offsets) != n {
		return 0, fmt.Errorf("%d sizes and %d offsets for %d buffers", len(sizes), len(offsets), n)
	}
	for w = w[2:]; len(w) > 0; {
		i, kind, count := w[0], w[1]&255, int(w[1]>>8)
		w = w[2:]
		value := int64(0)
		if kind >= kindAligned {
			value = int64(w[0]) | int64(w[1])<<32
			w = w[2:]
		}
		at := int64(0)
		for _, j := range w[:count] {
			at = max(at, offsets[j]+sizes[j])
		}
		w = w[count:]
		switch {
		case kind < kindAligned:
			at = (at + 1<<kind - 1) &^ (1<<kind - 1)
		case kind == kindAligned:
			at = (at + value - 1) / value * value
		case at > value:
			return 0, ErrFixed
		default:
			at = value
		}
		if sizes[i] < 0 || sizes[i] > MaxSum || at > MaxSum-sizes[i] {
			return 0, fmt.Errorf("size %d of buffer number %d is negative, or its end exceeds %d", sizes[i], i+1, int64(MaxSum))
		}
		offsets[i] = at
		height = max(height, at+sizes[i])
	}
	return height, nil
}

// Below returns, for each buffer, those that it must lie above.
func (o *Order) Below() [][]int32 {
	below := make([][]int32, o.words[1])
	for w := o.words[2:]; len(w) > 0; {
		i, kind, count := w[0], w[1]&255, int(w[1]>>8)
		if w = w[2:]; kind >= kindAligned {
			w = w[2:]
		}
		below[i] = make([]int32, count)
		for k, j := range w[:count] {
			below[i][k] = int32(j)
		}
		w = w[count:]
	}
	return below
}

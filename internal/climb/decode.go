package climb

import (
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: first fit in an order, ended at the first buffer that is too high. A
// move changes the order from some position on, and keeps all that is placed
// before: so the placed buffers, one list by offset, are kept at checkpoints
// along the order, and decoding goes on from the last one before the change.
//
// Only for small problems without gaps or fixed offsets; the others are placed
// from the start.
//
// Invariant: checkpoint k is the list after the first k·stride buffers of base,
// the order that was kept last.
//
// Complexity: O(p) a buffer, p the buffers placed, a nanosecond each.
//
// Measured: a move takes 14 µs on A and 70 µs on K, without checkpoints 15 and
// 177 µs.

// strides is how many checkpoints there are.
const strides = 12

// decoder turns orders into plans. It belongs to one worker.
type decoder struct {
	tl    *timeline.Timeline
	steps int64 // buffers placed

	memory place.Memory // where lists will not do
	now    *column      // nil there
	points []column     // points[k] is valid for k < ready
	ready  int
	stride int
	resume bool // whether checkpoints are in use
}

// column is the placed buffers by ascending offset.
type column struct {
	*place.List
	height int64
}

func (c *column) set(d *column) {
	c.CopyFrom(d.List)
	c.height = d.height
}

func (c *column) reset() {
	c.Reset()
	c.height = 0
}

func newDecoder(tl *timeline.Timeline, resume bool) *decoder {
	n := len(tl.Problem.Buffers)
	d := &decoder{tl: tl, stride: max(1, (n+strides-1)/strides), resume: resume}
	if place.Listable(tl) {
		d.now = &column{List: place.NewList(n)}
		d.points = make([]column, strides+1)
		for k := range d.points {
			d.points[k].List = place.NewList(n)
		}
	}
	return d
}

// forget drops the checkpoints: the next order has nothing to do with base.
func (d *decoder) forget() { d.ready = 0 }

// keep makes order, which has just been decoded, the base: its checkpoints up
// to the first changed position are those of the former base.
func (d *decoder) keep(changed int) { d.ready = min(d.ready, changed/d.stride+1) }

// decode places the buffers in order and returns the height; ok is false where
// that is not under below, or ctx ends, and offsets is then of no use. Up to
// position changed the order is that of base, and so are the offsets, which the
// caller has set; decode writes the others.
func (d *decoder) decode(ctx limit, order []int32, changed int, offsets []int64, below int64) (height int64, ok bool) {
	if d.now == nil {
		d.steps += int64(len(order))
		got, height, _ := d.memory.Below(ctx.Watch, d.tl, order, place.FirstFit, below)
		if got == nil {
			return 0, false
		}
		copy(offsets, got)
		return height, true
	}
	k := 0
	c := d.now
	if d.resume && d.ready > 0 {
		k = min(d.ready-1, changed/d.stride)
		c.set(&d.points[k])
	} else {
		c.reset()
	}
	buffers := d.tl.Problem.Buffers
	d.steps += int64(len(order) - k*d.stride)
	for k := k * d.stride; k < len(order); k++ {
		i := order[k]
		b := &buffers[i]
		first, last := d.tl.Extent(int(i))
		offset := c.Put(first, last, b.Size, b.Align(), place.FirstFit)
		offsets[i] = offset
		if c.height = max(c.height, offset+b.Size); c.height >= below {
			return 0, false
		}
	}
	return c.height, true
}

// base decodes an order from the start and sets all checkpoints.
func (d *decoder) base(order []int32, offsets []int64) {
	if d.now == nil || !d.resume {
		return
	}
	k := 0
	c := d.now
	if d.ready > 0 {
		k = d.ready - 1
		c.set(&d.points[k])
	} else {
		c.reset()
	}
	buffers := d.tl.Problem.Buffers
	for at := k * d.stride; at < len(order); at++ {
		if at%d.stride == 0 {
			d.points[at/d.stride].set(c)
			d.ready = at/d.stride + 1
		}
		b := &buffers[order[at]]
		first, last := d.tl.Extent(int(order[at]))
		// The offset is known; the list is not.
		c.Enter(offsets[order[at]], first, last, b.Size)
		c.height = max(c.height, offsets[order[at]]+b.Size)
	}
}

// unlimited is a height that every plan is under.
const unlimited = place.Unlimited

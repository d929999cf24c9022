package strips

import (
	"fmt"
	"math/bits"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: to compute lines [lo, hi) of its results, an operator is called on the lines that these read. Four kinds of
// operators need more:
//
//	a convolution   its lines are padded by PAD, and its padding becomes VALID. What lies outside of the image counts as
//	                zero to the kernel, and PAD writes what stands for zero
//	a pool          what lies outside does not count at all. If its windows stay inside of the image, VALID is right. If
//	                not, the call keeps SAME, on such lines that SAME puts its windows where they belong. At the ends of
//	                these lines are results too many, which are cut off. So may a convolution run (Chain.Crop)
//	a stretch       a RESIZE, a TRANSPOSE_CONV or a DEPTH_TO_SPACE makes some lines of each line that it reads. All of
//	                these are made, and those too many are cut off
//	PAD             it pads what it did, as far as that is before or behind the lines
//
// A resize computes the place that it reads in floats or in 1/1024. Both are exact for strips if it enlarges by a power
// of two, or reduces by a whole number.
//
// Invariant: the lines [lo, hi) that a call computes are those of the whole operator, bit for bit.
//
// Complexity: O(lines) for each call; of a pool at its edges, O(window²) more.

// A span is successive lines: first, and those before end.
type span struct{ first, end int }

// within reports whether a span is inside another.
func (s span) within(o span) bool { return s.first >= o.first && s.end <= o.end }

// A call is an operator on some lines.
type call struct {
	made    span // the lines that its kernel computes: those that are asked for, and what is to be cut off
	padding tflite.Padding
	reads   []read
}

// A read is what a call needs of an operand: some lines, and zeros before and behind them.
type read struct {
	place  int   // among the operands
	tensor int32 // which it is
	span
	before, after int
}

// call returns how an operator of a chain is called for some lines of its results, or why it cannot be.
func (s *Splitter) call(k int, in *Chain, want span) (call, string) {
	d, l := s.operators[k].d, s.along(k, in.Axis)
	at := 1 + int(in.Axis)
	n := d.Results[0].Shape[at]
	c := call{made: want}
	for more := 1; !l.find(&c); more++ { // nothing but padding: the nearest line that reads something is made, too
		if more > n {
			return c, fmt.Sprintf("its %s are padding alone", in.Axis)
		}
		if c.made = (span{max(0, want.first-more), want.end}); !l.find(&c) {
			c.made = span{want.first, min(n, want.end+more)}
		}
	}
	want = c.made
	switch d.Kind {
	case "CONV_2D", "DEPTHWISE_CONV_2D":
		switch {
		case in.Crop && l.fused != nil && l.fused.pad >= in.First && l.fused.without(&c, d, at, want):
		case in.Crop && s.cropped(&c, d, at, want):
		default:
			s.padded(&c, d, at, want)
		}
	case "MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D":
		if !s.cropped(&c, d, at, want) {
			return c, fmt.Sprintf("no lines have the padding of lines %d to %d", want.first, want.end-1)
		}
	case "PAD", "PADV2":
		r, pads := &c.reads[0], d.Operands[1].Data
		begin := int(pads[2*at]) // the place of line 0 in the result
		r.before, r.after = r.first+begin-want.first, want.end-r.end-begin
	case "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "TRANSPOSE_CONV", "DEPTH_TO_SPACE":
		return c, stretched(&c, d, at, want)
	}
	return c, ""
}

// find sets the lines that a call reads. It returns false if an operand has none of them.
func (l *lines) find(c *call) bool {
	c.reads = nil
	for place, reads := range l.reads {
		if reads == nil {
			continue
		}
		r := read{place: place, tensor: l.operands[place], span: span{1 << 30, 0}}
		for _, x := range reads[c.made.first:c.made.end] {
			if x.First <= x.Last {
				r.first, r.end = min(r.first, x.First), max(r.end, x.Last+1)
			}
		}
		if r.first >= r.end {
			return false
		}
		c.reads = append(c.reads, r)
	}
	return true
}

// padded pads what a convolution reads.
func (s *Splitter) padded(c *call, d *distance.Operator, at int, want span) {
	if d.Padding == distance.Same {
		c.padding = tflite.ValidPadding
	}
	w, _ := distance.WindowOf(d, at)
	r := &c.reads[0]
	r.before = r.first - (want.first*w.Stride - w.Before)
	r.after = (want.end-1)*w.Stride - w.Before + w.Span - r.end
	if s.narrow && r.first > 0 && r.end-r.first > 1 {
		r.first++
		r.before++
	}
}

// inside reports whether all windows of some lines stay inside of the image.
func inside(d *distance.Operator, at int, want span) bool {
	w, _ := distance.WindowOf(d, at)
	return want.first*w.Stride >= w.Before && (want.end-1)*w.Stride-w.Before+w.Span <= d.Operands[0].Shape[at]
}

// cropped calls a window so that nothing has to be padded. It returns false if it cannot be.
func (s *Splitter) cropped(c *call, d *distance.Operator, at int, want span) bool {
	across := 3 - at
	r := &c.reads[0]
	if inside(d, across, span{0, d.Results[0].Shape[across]}) && inside(d, at, want) {
		if d.Padding == distance.Same {
			c.padding = tflite.ValidPadding
		}
		if s.narrow && r.end-r.first > 1 && r.first > 0 { // a line further up, so that the size stays
			r.first, r.end = r.first-1, r.end-1
		}
		return true
	}
	w, _ := distance.WindowOf(d, at)
	return c.crop(w, d.Operands[0].Shape[at], want)
}

// widest bounds the lines that a call reads too many on each side.
const widest = 64

// crop widens what a call reads of an image of n lines, until SAME puts the windows where they belong.
func (c *call) crop(w distance.Window, n int, want span) bool {
	r, need := c.reads[0].span, covered(w, want, n)
	best, more := -1, min(w.Span+w.Stride, widest)
	for first := r.first; first >= max(0, r.first-more); first-- {
		for end := r.end; end <= min(n, r.end+more); end++ {
			if best >= 0 && end-first >= best {
				continue
			}
			// Line j of the call begins at first + j × stride − before.
			before, made := centred(w, end-first)
			shift := first - before + w.Before
			lines := span{shift / w.Stride, shift/w.Stride + made}
			if shift%w.Stride != 0 || !want.within(lines) || !need.within(span{first, end}) {
				continue
			}
			best, c.made = end-first, lines
			c.reads[0].span = span{first, end}
		}
	}
	return best >= 0
}

// covered returns the lines of an image of n lines that windows cover for some lines of the result.
func covered(w distance.Window, lines span, n int) span {
	return span{max(lines.first*w.Stride-w.Before, 0), min((lines.end-1)*w.Stride-w.Before+w.Span, n)}
}

// stretch returns how many lines an operator makes of each line that it reads, or how many it reads for each line that
// it makes: one of the two is 1. Or why that is not the same in strips.
func stretch(d *distance.Operator, at int) (up, down int, why string) {
	n, m := d.Operands[imageOf(d.Kind)].Shape[at], d.Results[0].Shape[at]
	switch d.Kind {
	case "DEPTH_TO_SPACE":
		return d.BlockSize, 1, ""
	case "TRANSPOSE_CONV":
		up = max(d.Stride[at-1], 1)
		if filter := d.Operands[1].Shape[at]; d.Padding == distance.Same && m != n*up ||
			d.Padding == distance.Valid && m != (n-1)*up+filter {
			return up, 1, fmt.Sprintf("its result has %d lines for %d with stride %d", m, n, up)
		}
		return up, 1, ""
	}
	switch {
	case d.AlignCorners:
		why = "it aligns corners, so each line is interpolated from its own place"
	case m%n == 0 && bits.OnesCount(uint(m/n)) == 1:
		return m / n, 1, ""
	case n%m == 0:
		return 1, n / m, ""
	default:
		why = fmt.Sprintf("it makes %d lines of %d: exact are powers of two, and reductions by whole numbers", m, n)
	}
	return 1, 1, why
}

// stretched widens what is read and made to whole steps.
func stretched(c *call, d *distance.Operator, at int, want span) string {
	up, down, _ := stretch(d, at)
	r := &c.reads[0]
	n := d.Operands[r.place].Shape[at]
	r.first, r.end = r.first/down*down, min((r.end+down-1)/down*down, n)
	c.made = span{r.first * up / down, r.end * up / down}
	if d.Kind == "TRANSPOSE_CONV" && d.Padding == distance.Valid {
		c.made.end += d.Operands[1].Shape[at] - up
	}
	if !want.within(c.made) {
		return fmt.Sprintf("what it reads for lines %d to %d makes other lines", want.first, want.end-1)
	}
	return ""
}

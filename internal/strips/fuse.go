package strips

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
)

// Idea: some converters write a convolution as a PAD and a convolution with VALID padding, Keras those with stride 2.
// The padded image is a second copy of what the PAD reads. If SAME puts the windows at the same places, and zero is the
// same number on both sides of the PAD, the convolution can read the image itself, with SAME padding. In a strip only
// the other axis has to agree: along the axis of the lines, those are read on which SAME is right (cropped, in calls.go).
//
// The PAD must be in the chain, and nobody else may read what it makes.

// A fused is a PAD that a convolution does without.
type fused struct {
	pad    int   // the operator
	image  int32 // what the PAD reads
	before int   // lines of padding before the image
	lines  int   // of the image
}

// fuse returns the PAD that an operator does without in strips along an axis, nil for none.
func (s *Splitter) fuse(k, at int) *fused {
	o, d := &s.m.Operators[k], s.operators[k].d
	if d.Kind != "CONV_2D" && d.Kind != "DEPTHWISE_CONV_2D" || d.Padding != distance.Valid {
		return nil
	}
	t := o.Inputs[0]
	p := s.maker[t]
	if p < 0 || len(s.readers[t]) != 1 || s.ends[t] || s.along(p, Axis(at-1)).refused != "" {
		return nil
	}
	pad := s.operators[p].d
	if pad.Kind != "PAD" || d.Operands[0].Type.Name == "FLOAT32" && !s.m.Finite(int(o.Inputs[1])) {
		return nil
	}
	pads, across := pad.Operands[1].Data, 3-at
	image := s.m.Operators[p].Inputs[0]
	w, ok := distance.WindowOf(d, across)
	n, m := pad.Operands[0].Shape[across], d.Results[0].Shape[across]
	before, made := centred(w, n)
	if !ok || made != m || int64(before) != pads[2*across] || !s.m.SameQuantization(int(image), int(t)) ||
		slices.Max([]int64{pads[0], pads[1], pads[6], pads[7]}) > 0 {
		return nil
	}
	return &fused{p, image, int(pads[2*at]), pad.Operands[0].Shape[at]}
}

// centred returns where SAME puts the first window on an image of n lines, as lines before it, and how many lines it
// makes.
func centred(w distance.Window, n int) (before, made int) {
	made = (n + w.Stride - 1) / w.Stride
	return max(0, (made-1)*w.Stride+w.Span-n) / 2, made
}

// without makes a call read what the PAD reads. It returns false if no lines of that are right.
func (f *fused) without(c *call, d *distance.Operator, at int, want span) bool {
	w, _ := distance.WindowOf(d, at)
	w.Before = f.before
	r := c.reads[0]
	r.tensor, r.span = f.image, covered(w, want, f.lines)
	out := call{made: want, padding: tflite.SamePadding, reads: []read{r}}
	if r.first >= r.end || !out.crop(w, f.lines, want) {
		return false
	}
	*c = out
	return true
}

package ops

import (
	"sync"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: ONNX Runtime convolves images in blocks of channels: 8 or 16, depending on the processor on which it saved the
// model. ReorderInput brings an image into blocks, and fills up the last block. The next nodes work on whole blocks, so
// their shapes have the channels of the padded image. ReorderOutput brings back the channels that the image really has.
//
// The weights of the convolutions, which are padded too, tell how many channels those are: Scope.Padded looks there.
//
// Source: the schemas of com.microsoft.nchwc in ONNX Runtime 1.32.

// blocked has the operators of com.microsoft.nchwc.
var blocked = sync.OnceValue(func() map[string]rule {
	return map[string]rule{
		"Conv": conv, "MaxPool": pool, "AveragePool": pool, "GlobalAveragePool": globalPool, "GlobalMaxPool": globalPool,
		"ReorderInput": reorderInput, "ReorderOutput": reorderOutput, "Upsample": upsampleBlocked,
	}
})

func reorderInput(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	switch {
	case dims == nil:
		return ""
	case len(dims) < 3:
		return "its input has fewer than three dimensions"
	}
	channels, spatial := dims[1], dims[2:]
	if c.integer("channels_last", 0) != 0 {
		channels, spatial = dims[len(dims)-1], dims[1:len(dims)-1]
	}
	c.set(0, c.elem(0), join(dims[:1], []int64{c.Scope.Padded(c.Node, channels)}, spatial))
	return ""
}

func reorderOutput(c *Call) string {
	dims, channels := c.dims(0), c.integer("channels", -1)
	c.set(0, c.elem(0), nil)
	switch {
	case dims == nil:
		return ""
	case len(dims) < 3 || channels < 1:
		return "it does not say how many channels the image has"
	case c.integer("channels_last", 0) != 0:
		c.set(0, c.elem(0), join(dims[:1], dims[2:], []int64{shape.Fits(channels)}))
	default:
		c.set(0, c.elem(0), join(dims[:1], []int64{shape.Fits(channels)}, dims[2:]))
	}
	return ""
}

// upsampleBlocked has whole numbers as scales.
func upsampleBlocked(c *Call) string {
	dims, scales := c.dims(0), c.integers("scales")
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	if len(scales) != len(dims) {
		return "its scales do not fit its input"
	}
	out := make([]int64, len(dims))
	for i := range out {
		out[i] = shape.Times(dims[i], scales[i])
	}
	c.set(0, c.elem(0), out)
	return ""
}

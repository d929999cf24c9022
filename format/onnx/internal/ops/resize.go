package ops

import (
	"math"
	"slices"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// The rules of operators that give an image another resolution, by scales and sizes, by
// blocks of channels, or by a grid of places to look at.

// depthToSpace and spaceToDepth move blocks between channels and an image.
func depthToSpace(c *Call) string {
	return c.blocks(func(dims []int64, b int64) []int64 {
		out := []int64{dims[0], -1, shape.Times(dims[2], b), shape.Times(dims[3], b)}
		if dims[1] >= 0 {
			out[1] = dims[1] / (b * b)
		}
		return out
	})
}

func spaceToDepth(c *Call) string {
	return c.blocks(func(dims []int64, b int64) []int64 {
		out := []int64{dims[0], shape.Times(dims[1], b*b), -1, -1}
		for i := 2; i < 4; i++ {
			if dims[i] >= 0 {
				out[i] = dims[i] / b
			}
		}
		return out
	})
}

func (c *Call) blocks(change func(dims []int64, b int64) []int64) string {
	dims, b := c.dims(0), c.integer("blocksize", 0)
	c.set(0, c.elem(0), shape.Open(4))
	switch {
	case dims == nil:
		return ""
	case len(dims) != 4 || b < 1 || b > 1<<20:
		return "its input must have four dimensions and its blocksize be at least 1"
	}
	c.set(0, c.elem(0), change(dims, b))
	return ""
}

// resize has scales, or sizes since version 11.
func resize(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	scales, sizes := c.floats(1), []int64(nil)
	if c.Opset >= 11 {
		scales, sizes = c.floats(2), c.ints(3)
	}
	axes := c.integers("axes")
	if axes == nil {
		for i := range dims {
			axes = append(axes, int64(i))
		}
	}
	if len(sizes) == 0 && len(scales) == 0 {
		c.set(0, c.elem(0), shape.Open(len(dims)))
		return c.unknown(3, "size") + c.unknown(2, "scale") + c.unknown(1, "scale")
	}
	if len(sizes) > 0 && len(sizes) != len(axes) || len(sizes) == 0 && len(scales) != len(axes) {
		return "its sizes or scales do not fit its input " + shape.Text(dims)
	}
	out := slices.Clone(dims)
	policy := c.text("keep_aspect_ratio_policy", "stretch")
	scale := 0.0
	if len(sizes) > 0 && policy != "stretch" {
		for k, a := range axes {
			at, ok := shape.Axis(a, len(dims))
			if !ok || dims[at] <= 0 {
				c.set(0, c.elem(0), shape.Open(len(dims)))
				return ""
			}
			s := float64(sizes[k]) / float64(dims[at])
			if k == 0 || policy == "not_larger" && s < scale || policy == "not_smaller" && s > scale {
				scale = s
			}
		}
	}
	for k, a := range axes {
		at, ok := shape.Axis(a, len(dims))
		if !ok {
			return "it resizes a dimension that does not exist in its input " + shape.Text(dims)
		}
		switch {
		case len(sizes) > 0 && policy == "stretch":
			out[at] = shape.Fits(sizes[k])
		case len(sizes) > 0:
			out[at] = shape.Fits(int64(math.Floor(scale*float64(dims[at]) + 0.5)))
		default:
			out[at] = scaled(dims[at], scales[k])
		}
	}
	c.set(0, c.elem(0), out)
	return ""
}

// scaled returns a dimension times a scale, as arithmetic in FLOAT rounds it.
func scaled(d int64, scale float64) int64 {
	if d < 0 || !whole(scale) || scale < 0 || scale > 1<<20 {
		return -1
	}
	return shape.Fits(int64(math.Floor(float64(float32(d) * float32(scale)))))
}

func upsample(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), nil)
	if dims == nil {
		return ""
	}
	var scales []float64
	if c.Opset < 9 {
		if a := c.attribute("scales"); a != nil {
			scales = a.Floats
		}
	} else {
		scales = c.floats(1)
	}
	if len(scales) != len(dims) {
		c.set(0, c.elem(0), shape.Open(len(dims)))
		return c.unknown(1, "scale")
	}
	out := make([]int64, len(dims))
	for i := range out {
		out[i] = scaled(dims[i], scales[i])
	}
	c.set(0, c.elem(0), out)
	return ""
}

func gridSample(c *Call) string {
	dims, grid := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if len(dims) < 2 || len(grid) != len(dims) {
		return ""
	}
	c.set(0, c.elem(0), append([]int64{dims[0], dims[1]}, grid[1:len(grid)-1]...))
	return ""
}

func affineGrid(c *Call) string {
	size := c.asked(1)
	c.set(0, c.elem(0), nil)
	if len(size) < 4 || len(size) > 5 {
		return c.unknown(1, "size")
	}
	c.set(0, c.elem(0), append(append([]int64{size[0]}, size[2:]...), int64(len(size)-2)))
	return ""
}

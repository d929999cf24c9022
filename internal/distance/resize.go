package distance

import (
	"fmt"
	"math"
)

// Idea: a resize writes its result by rows and columns, as a window does, and for each row and
// column reads one or two of the operand. Which ones is computed in floats, or in 1/1024 for integers, and rounding
// decides. So the kernel's own arithmetic is done here, step by step. A compiler may round once instead of
// twice for a·b − c, so both are done and the lower row counts.
//
// RESIZE_BILINEAR reads and writes channel by channel, RESIZE_NEAREST_NEIGHBOR copies a pixel by memcpy.
//
// Source: tensorflow/lite/kernels/internal/reference/resize_bilinear.h, resize_nearest_neighbor.h; micro/kernels/
// resize_bilinear.cc.

// resize returns a window whose places are given for each row and column: the first of n that is read for index i of m.
func resize(op *Operator, place func(i, n, m int64) int64) (w *window, refused string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	x, y := &op.Operands[0], &op.Results[0]
	in, _ := x.dims(max(4, len(x.Shape)))
	out, _ := y.dims(max(4, len(y.Shape)))
	if len(in) != 4 || len(out) != 4 || in[0] != out[0] || in[3] != out[3] || x.Type.Name != y.Type.Name {
		return nil, fmt.Sprintf("its operand is %s %v, its result %s %v", x.Type.Name, x.Shape, y.Type.Name, y.Shape)
	}
	const far = 1 << 20 // 1024 times as many are still an int32_t
	if max(in[1], in[2], out[1], out[2]) > far {
		return nil, fmt.Sprintf("its operand has shape %v, its result %v", x.Shape, y.Shape)
	}
	if op.AlignCorners && op.HalfPixelCenters {
		return nil, "it has both align_corners and half_pixel_centers"
	}
	w = &window{in: in, out: out, read: x.size(), written: y.size()}
	for i, places := range []*[]run{&w.rows, &w.columns} {
		for k := range out[1+i] {
			at := place(k, in[1+i], out[1+i])
			if at < 0 || at >= in[1+i] {
				return nil, fmt.Sprintf("it reads row or column %d of %d", at, in[1+i])
			}
			*places = append(*places, run{count: 1, first: at})
		}
	}
	return w, ""
}

// bilinear is RESIZE_BILINEAR.
func bilinear(op *Operator) ([]Permit, string) {
	place := op.lower
	if len(op.Results) > 0 && op.Results[0].Type.Name != "FLOAT32" {
		place = op.lowerInteger
	}
	w, refused := resize(op, place)
	if refused != "" {
		return nil, refused
	}
	return []Permit{w.slide(channels(w.in[3], 1, 1, w.read, w.written)).permit(0, 0)}, ""
}

// lower returns the lower of the two places of n that floats are interpolated from, for index i of m.
func (op *Operator) lower(i, n, m int64) int64 {
	scale := float32(n) / float32(m)
	if op.AlignCorners && m > 1 {
		scale = float32(n-1) / float32(m-1)
	}
	at := float32(i) * scale
	if op.HalfPixelCenters {
		product := float64(float32(i)+0.5) * float64(scale) // of two floats, so without rounding
		at = min(float32(product-0.5), float32(product)-0.5)
	}
	low := math.Floor(float64(at))
	return min(max(int64(low), 0), int64(math.Ceil(float64(at))), n-1)
}

// lowerInteger returns the same for integers.
func (op *Operator) lowerInteger(i, n, m int64) int64 {
	scale := (n<<10 + m/2) / m
	if op.AlignCorners && m > 1 {
		scale = ((n-1)<<10 + (m-1)/2) / (m - 1)
	}
	at := i * scale
	if op.HalfPixelCenters {
		at += scale/2 - 1<<9
	}
	return min(max(at/1024, 0), (at+1023)/1024, n-1)
}

// nearest is RESIZE_NEAREST_NEIGHBOR.
func nearest(op *Operator) ([]Permit, string) {
	w, refused := resize(op, op.neighbour)
	if refused != "" {
		return nil, refused
	}
	return []Permit{w.slide(copies(w.in[3]*w.read)).permit(0, 0)}, ""
}

// neighbour returns the place of n that is copied to index i of m.
func (op *Operator) neighbour(i, n, m int64) int64 {
	scale := float32(n) / float32(m)
	if op.AlignCorners && m > 1 {
		scale = float32(n-1) / float32(m-1)
	}
	at := float64(float32(i) * scale)
	if op.HalfPixelCenters {
		at = float64((float32(i) + 0.5) * scale)
	}
	if op.AlignCorners {
		at = math.Round(at)
	}
	return max(min(int64(math.Floor(at)), n-1), 0)
}

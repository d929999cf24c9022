package distance_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/operators"
)

// Idea: the loops of each kernel are written out here once more, plainly, index by index, with a call for each read
// and each write. The recorded calls give the distance by its definition: the end of the writes before a read, less
// the start of the read. The table has to give the same for operators drawn at random. The loops are from TensorFlow
// Lite Micro's sources and do not use nests and runs.

// A trace is what a kernel does, in order: for each pair of an operand and a result the largest distance.
type trace struct {
	op      *distance.Operator
	written []int64                       // by result: the end of what is written
	least   map[[2]int]int64              // by operand and result
	sizes   [2][]int64                    // of elements, of operands and results
	shapes  [2][][]int                    // with leading ones up to 5 dimensions
	follow  func(operand, result, at int) // if set, called with each element: one of the two is below zero
}

func newTrace(op *distance.Operator) *trace {
	t := &trace{op: op, written: make([]int64, len(op.Results)), least: map[[2]int]int64{}}
	for k, all := range [][]distance.Tensor{op.Operands, op.Results} {
		for _, x := range all {
			shape := []int{1, 1, 1, 1, 1}
			copy(shape[5-len(x.Shape):], x.Shape)
			t.sizes[k] = append(t.sizes[k], int64(x.Type.Bytes))
			t.shapes[k] = append(t.shapes[k], shape)
		}
	}
	for r := range t.written {
		t.written[r] = math.MinInt64
	}
	return t
}

// read records that an element of an operand is read.
func (t *trace) read(operand, at int) {
	if t.follow != nil {
		t.follow(operand, -1, at)
	}
	for r, w := range t.written {
		if w == math.MinInt64 {
			continue
		}
		pair := [2]int{operand, r}
		d := w - int64(at)*t.sizes[0][operand]
		if old, ok := t.least[pair]; !ok || d > old {
			t.least[pair] = d
		}
	}
}

// write records that an element of a result is written.
func (t *trace) write(result, at int) {
	if t.follow != nil {
		t.follow(-1, result, at)
	}
	t.written[result] = max(t.written[result], int64(at+1)*t.sizes[1][result])
}

// memcpy records a copy of n elements in an order that is not known: all are written before any is read.
func (t *trace) memcpy(result, to, operand, from, n int) {
	if t.follow != nil {
		for i := range n {
			t.follow(operand, -1, from+i)
			t.follow(-1, result, to+i)
		}
		return
	}
	if n > 0 {
		t.write(result, to+n-1)
		t.read(operand, from)
	}
}

// in and out return an element's index, by the last dimensions of a tensor.
func (t *trace) in(operand int, at ...int) int { return index(t.shapes[0][operand], at) }
func (t *trace) out(result int, at ...int) int { return index(t.shapes[1][result], at) }

func index(shape, at []int) int {
	i := 0
	for d, n := range shape[5-len(at):] {
		i = i*n + at[d]
	}
	return i
}

// each calls f for all indices of a shape, the last dimension fastest.
func each(shape []int, f func(at []int)) {
	at := make([]int, len(shape))
	var loop func(d int)
	loop = func(d int) {
		if d == len(shape) {
			f(at)
			return
		}
		for at[d] = 0; at[d] < shape[d]; at[d]++ {
			loop(d + 1)
		}
	}
	loop(0)
}

// padding is what lies before the image, as padding.h has it.
func padding(op *distance.Operator, d, image, result, filter int) int {
	if op.Padding == distance.Valid {
		return 0
	}
	return max(0, (result-1)*op.Stride[d]+(filter-1)*max(1, op.Dilation[d])+1-image) / 2
}

// window is the loop nest of convolutions and pools: channels says which channels of the image one of the result reads.
func window(t *trace, fh, fw int, channels func(c int) (from, to int)) {
	x, y, op := t.op.Operands[0].Shape, t.op.Results[0].Shape, t.op
	top, left := padding(op, 0, x[1], y[1], fh), padding(op, 1, x[2], y[2], fw)
	each(y, func(at []int) {
		for ky := range fh {
			for kx := range fw {
				iy := at[1]*op.Stride[0] - top + ky*max(1, op.Dilation[0])
				ix := at[2]*op.Stride[1] - left + kx*max(1, op.Dilation[1])
				if iy < 0 || iy >= x[1] || ix < 0 || ix >= x[2] {
					continue
				}
				from, to := channels(at[3])
				for c := from; c < to; c++ {
					t.read(0, t.in(0, at[0], iy, ix, c))
				}
			}
		}
		t.write(0, t.out(0, at...))
	})
}

// elementwise reads the same element of all operands, then writes it.
func elementwise(t *trace) {
	for i := range int(t.op.Results[0].Elements()) {
		for k := range t.op.Operands {
			if !t.op.Operands[k].Constant {
				t.read(k, i)
			}
		}
		t.write(0, i)
	}
}

// broadcast is BroadcastBinaryOpSimple of broadcast_loop.h, with its strides and its united dimensions.
func broadcast(t *trace) {
	var stride [2][]int // of the loops, the innermost first; 0: broadcast
	var count []int
	y, step := t.shapes[1][0], [2]int{1, 1}
	for d := 4; d >= 0; d-- {
		var s [2]int
		for k := range s {
			if n := t.shapes[0][k][d]; n != 1 || y[d] == 1 {
				s[k] = step[k]
			}
		}
		last := len(count) - 1
		fuse := last >= 0
		for k := range s {
			if fuse && y[d] != 1 {
				fuse = (stride[k][last] == 0) == (s[k] == 0)
			}
		}
		if fuse {
			count[last] *= y[d]
		} else {
			count = append(count, y[d])
			stride[0], stride[1] = append(stride[0], s[0]), append(stride[1], s[1])
		}
		step[0], step[1] = step[0]*t.shapes[0][0][d], step[1]*t.shapes[0][1][d]
	}
	n := 0
	var loop func(d, a, b int)
	loop = func(d, a, b int) {
		if d == 0 && stride[0][0] == 0 {
			t.read(0, a)
		}
		if d == 0 && stride[1][0] == 0 {
			t.read(1, b)
		}
		for i := range count[d] {
			p, q := a+i*stride[0][d], b+i*stride[1][d]
			if d > 0 {
				loop(d-1, p, q)
				continue
			}
			if stride[0][0] != 0 {
				t.read(0, p)
			}
			if stride[1][0] != 0 {
				t.read(1, q)
			}
			t.write(0, n)
			n++
		}
	}
	loop(len(count)-1, 0, 0)
}

// prelu is BroadcastPrelu4DSlowFloat, which reads all for each element.
func prelu(t *trace) {
	each(t.shapes[1][0], func(at []int) {
		for k := range 2 {
			var from [5]int
			for d, n := range t.shapes[0][k] {
				if n > 1 {
					from[d] = at[d]
				}
			}
			t.read(k, t.in(k, from[:]...))
		}
		t.write(0, t.out(0, at...))
	})
}

func connected(t *trace) {
	y, deep := t.op.Results[0].Shape, t.op.Operands[1].Shape[1]
	each(y, func(at []int) {
		for i := range deep {
			t.read(0, at[0]*deep+i)
		}
		t.write(0, t.out(0, at...))
	})
}

// rows reads each row, then reads and writes it element by element.
func rows(t *trace) {
	n := t.shapes[1][0][4]
	for row := range int(t.op.Results[0].Elements()) / n {
		for i := range n {
			t.read(0, row*n+i)
		}
		for i := range n {
			t.read(0, row*n+i)
			t.write(0, row*n+i)
		}
	}
}

// pad goes through the result; mirrored says which element lies at an edge, and it is −1 if none does.
func pad(t *trace, mirrored func(i, n int) int) {
	x, y, p := t.op.Operands[0].Shape, t.op.Results[0].Shape, t.op.Operands[1].Data
	each(y, func(at []int) {
		from, inside := make([]int, len(at)), true
		for d, i := range at {
			from[d] = mirrored(i-int(p[2*d]), x[d])
			inside = inside && from[d] >= 0
		}
		if inside {
			t.read(0, t.in(0, from...))
		}
		t.write(0, t.out(0, at...))
	})
}

// around returns the elements before an axis and after it.
func around(shape []int, axis int) (at, outer, inner int) {
	at, outer, inner = (axis+len(shape))%len(shape), 1, 1
	for d, n := range shape {
		if d < at {
			outer *= n
		} else if d > at {
			inner *= n
		}
	}
	return at, outer, inner
}

func concatenation(t *trace) {
	at, outer, inner := around(t.op.Results[0].Shape, t.op.Axis)
	to := 0
	for k := range outer {
		for i, x := range t.op.Operands {
			n := x.Shape[at] * inner
			t.memcpy(0, to, i, k*n, n)
			to += n
		}
	}
}

func pack(t *trace) {
	_, outer, inner := around(t.op.Results[0].Shape, t.op.Axis)
	n := len(t.op.Operands)
	for i := range n {
		for k := range outer {
			for j := range inner {
				t.read(i, inner*k+j)
				t.write(0, (k*n+i)*inner+j)
			}
		}
	}
}

func unpack(t *trace) {
	_, outer, inner := around(t.op.Operands[0].Shape, t.op.Axis)
	n := len(t.op.Results)
	for i := range n {
		for k := range outer {
			for j := range inner {
				t.read(0, (k*n+i)*inner+j)
				t.write(i, inner*k+j)
			}
		}
	}
}

func split(t *trace, operand, where int) {
	at, outer, inner := around(t.op.Operands[operand].Shape, int(t.op.Operands[where].Data[0]))
	from := 0
	for k := range outer {
		for i, y := range t.op.Results {
			n := y.Shape[at] * inner
			for j := range n {
				t.read(operand, from)
				t.write(i, k*n+j)
				from++
			}
		}
	}
}

func slice(t *trace) {
	n := 0
	each(t.op.Results[0].Shape, func(at []int) {
		from := make([]int, len(at))
		for d, i := range at {
			from[d] = i + int(t.op.Operands[1].Data[d])
		}
		t.read(0, t.in(0, from...))
		t.write(0, n)
		n++
	})
}

// stridedSlice takes begin:end:stride of each dimension, as Python does.
func stridedSlice(t *trace) {
	op := t.op
	var places [][]int
	var shape []int
	for d, n := range op.Operands[0].Shape {
		b, e, s := int(op.Operands[1].Data[d]), int(op.Operands[2].Data[d]), int(op.Operands[3].Data[d])
		var all []int
		for i := range n {
			at := i // in the order in which they are taken
			if s < 0 {
				at = n - 1 - i
			}
			from, to := b, e
			if from < 0 {
				from += n
			}
			if to < 0 {
				to += n
			}
			if from = max(from, 0); s < 0 {
				from = min(from, n-1)
			}
			if b+n < 0 && s < 0 {
				from = -1
			}
			if op.BeginMask>>d&1 != 0 {
				if from = 0; s < 0 {
					from = n - 1
				}
			}
			if op.EndMask>>d&1 != 0 {
				if to = n; s < 0 {
					to = -1
				}
			}
			if op.ShrinkAxisMask>>d&1 != 0 {
				to = from + 1
			}
			if s > 0 && at >= from && at < to && (at-from)%s == 0 || s < 0 && at <= from && at > to && (from-at)%-s == 0 {
				all = append(all, at)
			}
		}
		places, shape = append(places, all), append(shape, len(all))
	}
	last, n := len(shape)-1, 0
	rows := op.Operands[3].Data[last] == 1
	if rows {
		shape[last] = 1
	}
	each(shape, func(at []int) {
		from := make([]int, len(at))
		for d, i := range at {
			from[d] = places[d][i]
		}
		if rows {
			t.memcpy(0, n, 0, t.in(0, from...), len(places[last]))
			n += len(places[last])
			return
		}
		t.read(0, t.in(0, from...))
		t.write(0, n)
		n++
	})
}

func bilinear(t *trace) {
	op, x, y := t.op, t.op.Operands[0].Shape, t.op.Results[0].Shape
	pair := func(i, n, m int) (int, int) {
		if op.Results[0].Type.Name != "FLOAT32" {
			scale := int32((1024*n + m/2) / m)
			if op.AlignCorners && m > 1 {
				scale = int32((1024*(n-1) + (m-1)/2) / (m - 1))
			}
			v := int32(i) * scale
			if op.HalfPixelCenters {
				v += scale/2 - 512
			}
			return int(max(v/1024, 0)), int(min((v+1023)/1024, int32(n-1)))
		}
		scale := float32(n) / float32(m)
		if op.AlignCorners && m > 1 {
			scale = float32(n-1) / float32(m-1)
		}
		v := float32(float32(i) * scale)
		if op.HalfPixelCenters {
			v = float32(float32(float32(i)+0.5)*scale) - 0.5
		}
		return max(int(math.Floor(float64(v))), 0), min(int(math.Ceil(float64(v))), n-1)
	}
	each(y, func(at []int) {
		y0, y1 := pair(at[1], x[1], y[1])
		x0, x1 := pair(at[2], x[2], y[2])
		for _, p := range [][2]int{{y0, x0}, {y1, x0}, {y0, x1}, {y1, x1}} {
			t.read(0, t.in(0, at[0], p[0], p[1], at[3]))
		}
		t.write(0, t.out(0, at...))
	})
}

func nearest(t *trace) {
	op, x, y := t.op, t.op.Operands[0].Shape, t.op.Results[0].Shape
	near := func(i, n, m int) int {
		scale, offset := float32(n)/float32(m), float32(0)
		if op.AlignCorners && m > 1 {
			scale = float32(n-1) / float32(m-1)
		}
		if op.HalfPixelCenters {
			offset = 0.5
		}
		v := float64((float32(i) + offset) * scale)
		if op.AlignCorners {
			return min(int(math.Round(v)), n-1)
		}
		return min(int(math.Floor(v)), n-1)
	}
	each(y[:3], func(at []int) {
		from := t.in(0, at[0], near(at[1], x[1], y[1]), near(at[2], x[2], y[2]), 0)
		t.memcpy(0, t.out(0, at[0], at[1], at[2], 0), 0, from, y[3])
	})
}

func spaceToDepth(t *trace) {
	b, c := t.op.BlockSize, t.op.Operands[0].Shape[3]
	each(t.op.Operands[0].Shape, func(at []int) {
		t.read(0, t.in(0, at...))
		t.write(0, t.out(0, at[0], at[1]/b, at[2]/b, at[3]+(at[1]%b*b+at[2]%b)*c))
	})
}

func depthToSpace(t *trace) {
	b, c := t.op.BlockSize, t.op.Results[0].Shape[3]
	each(t.op.Results[0].Shape, func(at []int) {
		t.read(0, t.in(0, at[0], at[1]/b, at[2]/b, at[3]+(at[1]%b*b+at[2]%b)*c))
		t.write(0, t.out(0, at...))
	})
}

// tiles calls f for the batches, rows and columns of the tensor with more batches, with the place in the image.
func tiles(t *trace, image, tiles []int, f func(at, from [3]int, inside bool)) {
	wide := func(s []int) (n, h, w int) {
		if len(s) == 3 {
			return s[0], s[1], 1
		}
		return s[0], s[1], s[2]
	}
	batches, rows, columns := wide(image)
	n, h, w := wide(tiles)
	block, edges := t.op.Operands[1].Data, t.op.Operands[2].Data
	bh, bw, top, left := int(block[0]), 1, int(edges[0]), 0
	if len(block) > 1 {
		bw, left = int(block[1]), int(edges[2])
	}
	each([]int{n, h, w}, func(at []int) {
		phase := at[0] / batches
		y, x := at[1]*bh+phase/bw-top, at[2]*bw+phase%bw-left
		f([3]int(at), [3]int{at[0] % batches, y, x}, y >= 0 && y < rows && x >= 0 && x < columns)
	})
}

// flat is the index of a pixel's first channel.
func flat(shape []int, at [3]int) int {
	columns := 1
	if len(shape) == 4 {
		columns = shape[2]
	}
	return ((at[0]*shape[1]+at[1])*columns + at[2]) * shape[len(shape)-1]
}

func spaceToBatch(t *trace) {
	x, y := t.op.Operands[0].Shape, t.op.Results[0].Shape
	c := x[len(x)-1]
	tiles(t, x, y, func(at, from [3]int, inside bool) {
		if inside {
			t.memcpy(0, flat(y, at), 0, flat(x, from), c)
		} else {
			t.write(0, flat(y, at)+c-1)
		}
	})
}

func batchToSpace(t *trace) {
	x, y := t.op.Operands[0].Shape, t.op.Results[0].Shape
	tiles(t, y, x, func(at, from [3]int, inside bool) {
		if inside {
			t.memcpy(0, flat(y, from), 0, flat(x, at), x[len(x)-1])
		}
	})
}

// run records what the reference kernel of an operator does.
func run(t *trace) bool {
	op := t.op
	switch op.Kind {
	case "CONV_2D":
		f, groups := op.Operands[1].Shape, op.Operands[0].Shape[3]/op.Operands[1].Shape[3]
		window(t, f[1], f[2], func(c int) (from, to int) {
			from = c / (f[0] / groups) * f[3]
			return from, from + f[3]
		})
	case "DEPTHWISE_CONV_2D":
		f := op.Operands[1].Shape
		window(t, f[1], f[2], func(c int) (from, to int) { return c / op.DepthMultiplier, c/op.DepthMultiplier + 1 })
	case "MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D":
		window(t, op.Filter[0], op.Filter[1], func(c int) (from, to int) { return c, c + 1 })
	case "FULLY_CONNECTED":
		connected(t)
	case "SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION":
		rows(t)
	case "PAD", "PADV2":
		pad(t, func(i, n int) int {
			if i < n {
				return i
			}
			return -1
		})
	case "MIRROR_PAD":
		edge := 1
		if op.Symmetric {
			edge = 0
		}
		pad(t, func(i, n int) int {
			if i < 0 {
				return -i - 1 + edge
			} else if i >= n {
				return 2*n - 1 - i - edge
			}
			return i
		})
	case "CONCATENATION":
		concatenation(t)
	case "PACK":
		pack(t)
	case "UNPACK":
		unpack(t)
	case "SPLIT":
		split(t, 1, 0)
	case "SPLIT_V":
		split(t, 0, 2)
	case "SLICE":
		slice(t)
	case "STRIDED_SLICE":
		stridedSlice(t)
	case "RESIZE_BILINEAR":
		bilinear(t)
	case "RESIZE_NEAREST_NEIGHBOR":
		nearest(t)
	case "SPACE_TO_DEPTH":
		spaceToDepth(t)
	case "DEPTH_TO_SPACE":
		depthToSpace(t)
	case "SPACE_TO_BATCH_ND":
		spaceToBatch(t)
	case "BATCH_TO_SPACE_ND":
		batchToSpace(t)
	case "PRELU":
		if op.Results[0].Type.Name == "FLOAT32" {
			prelu(t)
		} else {
			broadcast(t)
		}
	case "RESHAPE", "SQUEEZE":
		return false
	default:
		if len(op.Operands) == 2 && !op.Operands[1].Constant && op.Kind != "ADD_N" {
			broadcast(t)
		} else {
			elementwise(t)
		}
	}
	return true
}

// TestModels compares every rule of the reference kernels with the loops that are written out: the distances are equal.
func TestModels(t *testing.T) {
	draws := 3000
	if testing.Short() {
		draws = 500
	}
	for _, kind := range operators.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(23, 1))
			permitted := 0
			for range draws {
				op := operators.Draw(r, kind)
				m := newTrace(op)
				if !run(m) {
					return // not a distance: see TestEqual
				}
				got, refused := distance.Of(distance.Reference, op)
				permitted += len(got)
				if why := differs(m, got, refused); why != "" {
					t.Fatalf("%s\n%+v\n%+v, %q", why, op, got, refused)
				}
			}
			if permitted == 0 {
				t.Error("nothing was permitted")
			}
		})
	}
}

// differs says what is wrong with the permits for an operator whose accesses are recorded.
func differs(m *trace, got []distance.Permit, refused string) string {
	permits := map[[2]int]distance.Permit{}
	for _, p := range got {
		permits[[2]int{p.Operand, p.Result}] = p
	}
	if len(permits) != len(got) {
		return "a pair has two permits"
	}
	if (refused == "") != (len(got) > 0) || refused != "" && !strings.HasPrefix(refused, m.op.Kind+": ") {
		return "a refusal does not go with its permits"
	}
	for o := range m.op.Operands {
		x := &m.op.Operands[o]
		for k := range m.op.Results {
			y := &m.op.Results[k]
			want := -x.Elements() * int64(x.Type.Bytes)
			if d, ok := m.least[[2]int{o, k}]; ok {
				want = max(want, d)
			}
			p, ok := permits[[2]int{o, k}]
			same := x.Type == y.Type || strings.HasSuffix(x.Type.Name, "INT8") || strings.HasSuffix(y.Type.Name, "INT8")
			if none := x.Constant || !same || want >= y.Elements()*int64(y.Type.Bytes); none == ok {
				return fmt.Sprintf("operand %d, result %d: permitted is %v, the distance is %d", o, k, ok, want)
			}
			if ok && (p.Equal || p.Distance != want) {
				return fmt.Sprintf("operand %d, result %d: %+v instead of %d", o, k, p, want)
			}
		}
	}
	return ""
}

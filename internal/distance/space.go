package distance

import "fmt"

// Idea: these operators move blocks of rows and columns into channels or batches, and back. SPACE_TO_DEPTH goes
// through its operand, the others through their result or batch by batch; a loop over a row is split into one over
// blocks and one inside of a block, after which all moves are fixed.
//
// Source: tensorflow/lite/kernels/internal/reference/space_to_depth.h, depth_to_space.h, batch_to_space_nd.h,
// space_to_batch_nd.h.

// spaceToDepth is SPACE_TO_DEPTH.
func spaceToDepth(op *Operator) ([]Permit, string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	wide, deep, b, refused := op.blocked(&op.Operands[0], &op.Results[0])
	if refused != "" {
		return nil, refused
	}
	size := op.Results[0].size()
	in, out, c := strides(wide, size), strides(deep, size), wide[3]*size
	return []Permit{nest(element(size), every(deep[0], out[0], in[0]),
		every(deep[1], out[1], b*in[1]), every(b, b*c, in[1]),
		every(deep[2], out[2], b*in[2]), every(b, c, in[2]), every(wide[3], size, size)).permit(0, 0)}, ""
}

// depthToSpace is DEPTH_TO_SPACE.
func depthToSpace(op *Operator) ([]Permit, string) {
	if why := op.has(1, 1); why != "" {
		return nil, why
	}
	wide, deep, b, refused := op.blocked(&op.Results[0], &op.Operands[0])
	if refused != "" {
		return nil, refused
	}
	size := op.Results[0].size()
	out, in, c := strides(wide, size), strides(deep, size), wide[3]*size
	return []Permit{nest(element(size), every(deep[0], out[0], in[0]),
		every(deep[1], b*out[1], in[1]), every(b, out[1], b*c),
		every(deep[2], b*out[2], in[2]), every(b, out[2], c), every(wide[3], size, size)).permit(0, 0)}, ""
}

// blocked returns the shapes of a wide tensor and of a deep one, and the side of a block, or what is wrong.
func (op *Operator) blocked(wide, deep *Tensor) (w, d []int64, block int64, refused string) {
	block = int64(op.BlockSize)
	if len(wide.Shape) == 4 && len(deep.Shape) == 4 && block > 0 && block < 1<<16 && wide.Type.Name == deep.Type.Name {
		w, _ = wide.dims(4)
		d, _ = deep.dims(4)
		if w[0] == d[0] && w[1] == d[1]*block && w[2] == d[2]*block && w[3]*block*block == d[3] {
			return w, d, block, ""
		}
	}
	return nil, nil, 0, fmt.Sprintf("its operand has shape %v, its result %v, its block %d", op.Operands[0].Shape,
		op.Results[0].Shape, op.BlockSize)
}

// A tiling is how rows and columns of an image are dealt out to batches.
type tiling struct {
	wide, deep    []int64  // shapes of the image and of the tensor with more batches
	block, before [2]int64 // rows, columns: sides of a block; padding or cropping in front
	size          int64
}

// tiled returns the tiling of an operator with a constant block and constant edges, or what is wrong.
func (op *Operator) tiled(wide, deep *Tensor) (*tiling, string) {
	wrong := fmt.Sprintf("its operand has shape %v, its result %v", op.Operands[0].Shape, op.Results[0].Shape)
	rank := len(wide.Shape)
	if len(deep.Shape) != rank || rank < 3 || rank > 4 || wide.Type.Name != deep.Type.Name {
		return nil, wrong
	}
	block, edges := op.Operands[1].Data, op.Operands[2].Data
	if len(block) != rank-2 || len(edges) != 2*(rank-2) {
		return nil, "its block and its edges are not known"
	}
	extended := func(t *Tensor) []int64 { // a missing dimension stands for columns
		s, _ := t.dims(rank)
		if rank == 3 {
			return []int64{s[0], s[1], 1, s[2]}
		}
		return s
	}
	t := &tiling{extended(wide), extended(deep), [2]int64{1, 1}, [2]int64{}, wide.size()}
	for i := range block {
		if block[i] < 1 || block[i] > 1<<10 || !within(edges[2*i]) || !within(edges[2*i+1]) || edges[2*i] < 0 ||
			edges[2*i+1] < 0 {
			return nil, fmt.Sprintf("its block is %v, its edges are %v", block, edges)
		}
		t.block[i], t.before[i] = block[i], edges[2*i]
	}
	if t.deep[0] != t.wide[0]*t.block[0]*t.block[1] || t.wide[3] != t.deep[3] {
		return nil, wrong
	}
	return t, ""
}

// places returns, for a phase of a dimension (0 rows, 1 columns), which indices of the deep tensor are in
// the image: the first, how many, and the first's place in the image.
func (t *tiling) places(dimension int, phase int64) (first, count, at int64) {
	b, n := t.block[dimension], t.wide[1+dimension]
	shift := phase - t.before[dimension]
	if shift < 0 {
		first = (-shift + b - 1) / b
	}
	at = first*b + shift
	if at < n {
		count = (n - at + b - 1) / b
	}
	return first, min(count, max(0, t.deep[1+dimension]-first)), at
}

// spaceToBatch is SPACE_TO_BATCH_ND: for each batch of the result, row, column: memcpy of a pixel, or padding.
func spaceToBatch(op *Operator) ([]Permit, string) {
	if why := op.has(3, 1); why != "" {
		return nil, why
	}
	t, refused := op.tiled(&op.Operands[0], &op.Results[0])
	if refused != "" {
		return nil, refused
	}
	in, out, all := strides(t.wide, t.size), strides(t.deep, t.size), idle()
	for phase := range t.block[0] * t.block[1] {
		loops := []loop{every(t.wide[0], out[0], in[0])}
		for d, p := range []int64{phase / t.block[1], phase % t.block[1]} {
			first, count, at := t.places(d, p)
			l := loop{result: out[1+d], operand: in[1+d]}
			rest := t.deep[1+d] - first - count
			if first >= t.deep[1+d] {
				first, count, rest = t.deep[1+d], 0, 0
			}
			for _, r := range []run{
				{count: first, blind: true}, {count: count, first: at, step: t.block[d]}, {count: rest, blind: true},
			} {
				if r.count > 0 {
					l.runs = append(l.runs, r)
				}
			}
			loops = append(loops, l)
		}
		all = all.then(nest(copies(in[2]), loops...).moved(phase*t.wide[0]*out[0], 0))
	}
	return []Permit{all.permit(0, 0)}, ""
}

// batchToSpace is BATCH_TO_SPACE_ND: for each batch of the operand, row, column: memcpy of a pixel that is not cropped.
func batchToSpace(op *Operator) ([]Permit, string) {
	if why := op.has(3, 1); why != "" {
		return nil, why
	}
	t, refused := op.tiled(&op.Results[0], &op.Operands[0])
	if refused != "" {
		return nil, refused
	}
	in, out, all := strides(t.deep, t.size), strides(t.wide, t.size), idle()
	for phase := range t.block[0] * t.block[1] {
		body, some := copies(out[2]), true
		for d := 1; d >= 0; d-- {
			first, count, at := t.places(d, []int64{phase / t.block[1], phase % t.block[1]}[d])
			if some = some && count > 0; some {
				body = body.times(count, t.block[d]*out[1+d], in[1+d]).moved(at*out[1+d], first*in[1+d])
			}
		}
		if some {
			all = all.then(body.times(t.wide[0], out[0], in[0]).moved(0, phase*t.wide[0]*in[0]))
		}
	}
	return []Permit{all.permit(0, 0)}, ""
}

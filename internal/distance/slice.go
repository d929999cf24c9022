package distance

import "fmt"

// Idea: SLICE and STRIDED_SLICE write their result from first to last, and in each dimension read places in
// arithmetic progression. Where the last stride is 1, STRIDED_SLICE copies whole rows by memcpy.
//
// Source: tensorflow/lite/kernels/internal/reference/slice.h, strided_slice.h, strided_slice_logic.h,
// portable_tensor.h; micro/kernels/slice.cc, strided_slice_common.cc.

// slice is SLICE.
func slice(op *Operator) ([]Permit, string) {
	if why := op.has(3, 1); why != "" {
		return nil, why
	}
	x, y := &op.Operands[0], &op.Results[0]
	begin, size, rank := op.Operands[1].Data, op.Operands[2].Data, len(x.Shape)
	if len(begin) != rank || len(size) != rank {
		return nil, "where it begins and how much it takes is not known"
	}
	if len(y.Shape) != rank || x.Type.Name != y.Type.Name || rank > 5 {
		return nil, fmt.Sprintf("its operand is %s %v, its result %s %v", x.Type.Name, x.Shape, y.Type.Name, y.Shape)
	}
	var runs []run
	for d := range rank {
		n := size[d]
		if n == -1 && within(begin[d]) {
			n = int64(x.Shape[d]) - begin[d]
		}
		if begin[d] < 0 || n != int64(y.Shape[d]) || n > int64(x.Shape[d])-begin[d] {
			return nil, fmt.Sprintf("it begins at %v and takes %v of shape %v, its result has shape %v", begin, size,
				x.Shape, y.Shape)
		}
		runs = append(runs, run{count: n, first: begin[d], step: 1})
	}
	return []Permit{sliced(op, runs, element(y.size())).permit(0, 0)}, ""
}

// sliced returns the run of loops over the dimensions of the first operand; those beyond the runs are done by inner.
func sliced(op *Operator, runs []run, inner steps) steps {
	x := &op.Operands[0]
	in, _ := x.dims(len(x.Shape))
	out := make([]int64, len(in)) // the result's shape before dimensions of 1 are dropped
	for d := range out {
		out[d] = int64(1)
	}
	for d, r := range runs {
		out[d] = r.count
	}
	if len(runs) < len(in) {
		last := len(in) - 1
		out[last] = op.Results[0].Elements()
		for d := range last {
			out[last] /= out[d]
		}
	}
	read, written := strides(in, x.size()), strides(out, op.Results[0].size())
	var loops []loop
	for d, r := range runs {
		loops = append(loops, loop{[]run{r}, written[d], read[d]})
	}
	return nest(inner, loops...)
}

// stridedSlice is STRIDED_SLICE, without ellipsis and new axes, which the kernel does not know.
func stridedSlice(op *Operator) ([]Permit, string) {
	if why := op.has(4, 1); why != "" {
		return nil, why
	}
	x, y := &op.Operands[0], &op.Results[0]
	begin, end, stride, rank := op.Operands[1].Data, op.Operands[2].Data, op.Operands[3].Data, len(x.Shape)
	if len(begin) != rank || len(end) != rank || len(stride) != rank {
		return nil, "where it begins and ends and its strides are not known for each dimension"
	}
	if x.Type.Name != y.Type.Name || rank > 4 || rank == 0 || op.EllipsisMask != 0 || op.NewAxisMask != 0 {
		return nil, fmt.Sprintf("its operand is %s %v, its result %s %v, its masks are %b and %b", x.Type.Name, x.Shape,
			y.Type.Name, y.Shape, op.EllipsisMask, op.NewAxisMask)
	}
	var runs []run
	elements := int64(1)
	for d := range rank {
		if !within(begin[d]) || !within(end[d]) || !within(stride[d]) || stride[d] == 0 {
			return nil, fmt.Sprintf("it goes from %v to %v by %v", begin, end, stride)
		}
		r := op.span(d, int64(x.Shape[d]), begin[d], end[d], stride[d])
		if elements *= r.count; r.count < 1 || elements > y.Elements() || r.first < 0 || r.first >= int64(x.Shape[d]) {
			return nil, fmt.Sprintf("it goes from %v to %v by %v in shape %v, its result has shape %v", begin, end, stride,
				x.Shape, y.Shape)
		}
		runs = append(runs, r)
	}
	if elements != y.Elements() {
		return nil, fmt.Sprintf("it goes from %v to %v by %v in shape %v, its result has shape %v", begin, end, stride,
			x.Shape, y.Shape)
	}
	if last := runs[rank-1]; last.step == 1 {
		row := copies(last.count*y.size()).moved(0, last.first*x.size())
		return []Permit{sliced(op, runs[:rank-1], row).permit(0, 0)}, ""
	}
	return []Permit{sliced(op, runs, element(y.size())).permit(0, 0)}, ""
}

// span returns the places of a dimension of n elements; its count is 0 if there are none.
func (op *Operator) span(d int, n, begin, end, stride int64) run {
	bit := func(mask int) bool { return mask>>d&1 != 0 }
	low, high := int64(0), n // limits of begin and end
	if stride < 0 {
		low, high = -1, n-1
	}
	from := begin
	if from < 0 {
		from += n
	}
	from = min(max(from, low), high)
	if bit(op.BeginMask) {
		if from = 0; stride < 0 {
			from = n - 1
		}
	}
	to := end
	if op.Offset {
		to += from
	}
	if to < 0 {
		to += n
	}
	to = min(max(to, low), high)
	if bit(op.EndMask) {
		if to = n; stride < 0 {
			to = -1
		}
	}
	if bit(op.ShrinkAxisMask) {
		to = from + 1
		if from >= n || stride < 0 {
			return run{}
		}
	}
	count := (to - from + stride - 1) / stride
	if stride < 0 {
		count = (from - to - stride - 1) / -stride
	}
	return run{count: max(count, 0), first: from, step: stride}
}

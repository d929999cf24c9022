package distance

import "fmt"

// Idea: these operators put operands side by side along an axis, or take one apart. Seen from one
// operand and one result, the elements before the axis are a loop around a block of bytes.
//
//	CONCATENATION  for each outer index: for each operand: memcpy of its block
//	PACK           for each operand: for each outer index: its block, element by element
//	UNPACK         for each result: for each outer index: its block, element by element
//	SPLIT          for each outer index: for each result: its block, element by element
//
// memcpy may copy in any order, so a block and its target must be apart.
//
// Trials: docs/lab/tflm.md (an exact offset for an operand of CONCATENATION saves most, but is undefined in C).
//
// Source: tensorflow/lite/kernels/internal/reference/concatenation.h; micro/kernels/pack.cc, unpack.cc, split.cc,
// split_v.cc.

// blocks returns the number of elements before an axis and after it.
func blocks(shape []int, at int) (outer, inner int64) {
	outer, inner = 1, 1
	for i, d := range shape {
		switch {
		case i < at:
			outer *= int64(d)
		case i > at:
			inner *= int64(d)
		}
	}
	return outer, inner
}

// concatenation is CONCATENATION.
func concatenation(op *Operator) (permits []Permit, refused string) {
	if why := op.has(max(1, len(op.Operands)), 1); why != "" {
		return nil, why
	}
	y := &op.Results[0]
	at, ok := axis(op.Axis, len(y.Shape))
	if !ok {
		return nil, fmt.Sprintf("its axis is %d, its result has shape %v", op.Axis, y.Shape)
	}
	outer, inner := blocks(y.Shape, at)
	row, sum := int64(y.Shape[at])*inner*y.size(), int64(0)
	for i := range op.Operands {
		x := &op.Operands[i]
		if len(x.Shape) != len(y.Shape) || x.Type.Name != y.Type.Name {
			return nil, fmt.Sprintf("operand %d is %s %v, its result %s %v", i, x.Type.Name, x.Shape, y.Type.Name, y.Shape)
		}
		for d := range x.Shape {
			if d != at && x.Shape[d] != y.Shape[d] {
				return nil, fmt.Sprintf("operand %d has shape %v, its result %v", i, x.Shape, y.Shape)
			}
		}
		n := int64(x.Shape[at]) * inner * x.size()
		block := idle()
		if sum > 0 {
			block = writes(sum)
		}
		block = block.then(copies(n).moved(sum, 0)).then(writes(row))
		permits = append(permits, nest(block, every(outer, row, n)).permit(i, 0))
		sum += n
	}
	if sum != row {
		return nil, fmt.Sprintf("its operands have %d bytes along the axis, its result %d", sum, row)
	}
	return permits, ""
}

// pack is PACK.
func pack(op *Operator) (permits []Permit, refused string) {
	if why := op.has(max(1, len(op.Operands)), 1); why != "" {
		return nil, why
	}
	y := &op.Results[0]
	at, ok := axis(op.Axis, len(y.Shape))
	if !ok || y.Shape[at] != len(op.Operands) {
		return nil, fmt.Sprintf("its axis is %d, its result has shape %v, with %d operands", op.Axis, y.Shape,
			len(op.Operands))
	}
	outer, inner := blocks(y.Shape, at)
	n, size := int64(len(op.Operands)), y.size()
	for i := range op.Operands {
		x := &op.Operands[i]
		if x.Elements() != outer*inner || x.Type.Name != y.Type.Name {
			return nil, fmt.Sprintf("operand %d is %s %v, its result %s %v", i, x.Type.Name, x.Shape, y.Type.Name, y.Shape)
		}
		before := idle()
		if i > 0 {
			before = writes(((outer-1)*n + int64(i)) * inner * size)
		}
		own := nest(element(size), every(outer, n*inner*size, inner*size),
			every(inner, size, size)).moved(int64(i)*inner*size, 0)
		permits = append(permits, before.then(own).permit(i, 0))
	}
	return permits, ""
}

// unpack is UNPACK.
func unpack(op *Operator) (permits []Permit, refused string) {
	if why := op.has(1, max(1, len(op.Results))); why != "" {
		return nil, why
	}
	x, n := &op.Operands[0], int64(len(op.Results))
	at, ok := axis(op.Axis, len(x.Shape))
	if !ok || int64(x.Shape[at]) != n {
		return nil, fmt.Sprintf("its axis is %d, its operand has shape %v, with %d results", op.Axis, x.Shape, n)
	}
	outer, inner := blocks(x.Shape, at)
	size := x.size()
	for i := range op.Results {
		y := &op.Results[i]
		if y.Elements() != outer*inner || x.Type.Name != y.Type.Name {
			return nil, fmt.Sprintf("its operand is %s %v, result %d %s %v", x.Type.Name, x.Shape, i, y.Type.Name, y.Shape)
		}
		own := nest(element(size), every(outer, inner*size, n*inner*size), every(inner, size, size)).moved(0,
			int64(i)*inner*size)
		if int64(i) < n-1 {
			own = own.then(reads((int64(i) + 1) * inner * size)) // the next result's first element
		}
		permits = append(permits, own.permit(0, i))
	}
	return permits, ""
}

// split returns the rule of SPLIT or SPLIT_V, which have their operands in another order.
func split(operand, where int) rule {
	return func(op *Operator) (permits []Permit, refused string) {
		if why := op.has(max(operand, where)+1, max(1, len(op.Results))); why != "" {
			return nil, why
		}
		x, a := &op.Operands[operand], op.Operands[where].Data
		if len(a) != 1 || !within(a[0]) {
			return nil, "its axis is not known"
		}
		at, ok := axis(int(a[0]), len(x.Shape))
		if !ok {
			return nil, fmt.Sprintf("its axis is %d, its operand has shape %v", a[0], x.Shape)
		}
		outer, inner := blocks(x.Shape, at)
		row, size, sum := int64(x.Shape[at])*inner*x.size(), x.size(), int64(0)
		for i := range op.Results {
			y := &op.Results[i]
			if len(y.Shape) != len(x.Shape) || y.Elements()%outer != 0 || x.Type.Name != y.Type.Name {
				return nil, fmt.Sprintf("its operand is %s %v, result %d %s %v", x.Type.Name, x.Shape, i, y.Type.Name, y.Shape)
			}
			n := y.Elements() / outer
			block := reads(0).then(nest(element(size), every(n, size, size)).moved(0, sum))
			if sum += n * size; sum < row {
				block = block.then(reads(sum))
			}
			permits = append(permits, nest(block, every(outer, n*size, row)).permit(operand, i))
		}
		if sum != row {
			return nil, fmt.Sprintf("its results have %d bytes along the axis, its operand %d", sum, row)
		}
		return permits, ""
	}
}

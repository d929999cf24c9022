package onnx

import "math"

// Idea: exporters compute shapes in the model: Shape, Gather, arithmetic, Concat, and
// at the end a Reshape. Where all inputs of such a node are small and known, its
// result is computed here, in whole numbers of 64 bits, or in fractions rounded as
// the type rounds them. What is known so is a constant too.
//
// Invariant: elements that are not computed as a runtime would are not given: where
// a type is too narrow for a result, or a division is by zero, nothing is known.
//
// Complexity: O(elements of inputs and result), at most maxFold each.
//
// Source: the definitions of the operators in onnx 1.23.2.

// fold computes the results of a node whose inputs are known. What has been found by
// the rule stays.
func (c *call) fold() {
	if len(c.out) == 0 || !c.given(0) || !standard(c.n.domain) || c.w.foldLeft <= 0 {
		return
	}
	f := folders[c.n.op]
	if f == nil {
		return
	}
	for k := range c.in {
		if c.in[k] != nil && c.w.known(c.in[k]) == nil {
			return
		}
	}
	for k := range c.out {
		if c.out[k].data != nil || c.n.op != "NonZero" && (!foldable(c.out[k].elem, c.out[k].dims)) {
			return
		}
	}
	for k := range c.in {
		if v := c.in[k]; v != nil { // what it costs to go through the elements
			c.w.foldLeft -= (len(v.data.ints) + len(v.data.floats)) * (1 + len(v.dims)/4)
		}
	}
	f(c)
	for k := range c.out {
		r := &c.out[k]
		if r.data == nil {
			continue
		}
		n := elements(r.dims)
		if int64(len(r.data.ints)+len(r.data.floats)) != n || r.elem.integer() != (r.data.ints != nil) || !r.data.fits(r.elem) {
			r.data = nil
			continue
		}
		c.w.foldLeft -= int(n) * (8 + len(r.dims)/4)
	}
}

// fits reports whether every number is one of the type.
func (d *data) fits(elem Type) bool {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	switch elem {
	case typeBool:
		low, high = 0, 1
	case typeUint8:
		low, high = 0, math.MaxUint8
	case typeInt8:
		low, high = math.MinInt8, math.MaxInt8
	case typeUint16:
		low, high = 0, math.MaxUint16
	case typeInt16:
		low, high = math.MinInt16, math.MaxInt16
	case typeInt32:
		low, high = math.MinInt32, math.MaxInt32
	case typeUint32:
		low, high = 0, math.MaxUint32
	case typeUint64:
		low = 0
	}
	for _, x := range d.ints {
		if x < low || x > high {
			return false
		}
	}
	return true
}

var folders map[string]func(c *call)

func makeFolders() {
	folders = map[string]func(c *call){
		"Identity": foldSame, "Reshape": foldSame, "Squeeze": foldSame, "Unsqueeze": foldSame, "Flatten": foldSame,
		"ConstantOfShape": foldFilled, "Cast": foldCast, "Concat": foldConcat, "Gather": foldGather, "Slice": foldSlice,
		"Split": foldSplit, "Transpose": foldTranspose, "Expand": foldExpand, "Tile": foldTile, "Range": foldRange, "Where": foldWhere,
		"NonZero": foldNonZero, "ReduceProd": foldReduce, "ReduceSum": foldReduce, "ReduceMax": foldReduce, "ReduceMin": foldReduce,
		"Not": foldUnary, "Neg": foldUnary, "Abs": foldUnary, "Floor": foldUnary, "Ceil": foldUnary, "Sqrt": foldUnary, "Sign": foldUnary,
		"Round": foldUnary, "Relu": foldUnary, "Reciprocal": foldUnary,
	}
	for op := range arithmetic() {
		folders[op] = foldBinary
	}
}

// input returns the elements of an input that is known.
func (c *call) input(k int) *data { return c.in[k].data }

package ops

import (
	"sync"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: exporters compute shapes in the model: Shape, Gather, arithmetic, Concat, and at the end a Reshape. If all
// inputs of such a node are small and known, its result is computed here, in whole numbers of 64 bits, or in
// fractions rounded as the type rounds them. Such a result is a constant, too.
//
// Invariant: elements are those that a runtime computes. If a type is too narrow for a result, or a division is by
// zero, nothing is known.
//
// Complexity: O(elements of inputs and result), at most shape.MaxFold each.
//
// Source: the definitions of the operators in onnx 1.23.2.

// Fold computes the results of a node whose inputs are known. It keeps what the rule has found.
func (c *Call) Fold() {
	if len(c.Out) == 0 || !c.given(0) || !graph.Standard(c.Node.Domain) || !c.Budget.Spare(0) {
		return
	}
	f := folders()[c.Node.Op]
	if f == nil {
		return
	}
	for k := range c.In {
		if c.In[k] != nil && c.In[k].Known(c.Budget) == nil {
			return
		}
	}
	for k := range c.Out {
		if c.Out[k].Data != nil || c.Node.Op != "NonZero" && (!shape.Foldable(c.Out[k].Elem, c.Out[k].Dims)) {
			return
		}
	}
	for k := range c.In {
		if v := c.In[k]; v != nil { // what it costs to go through the elements
			c.Budget.Spare((len(v.Data.Ints) + len(v.Data.Floats)) * (1 + len(v.Dims)/4))
		}
	}
	f(c)
	for k := range c.Out {
		r := &c.Out[k]
		if r.Data == nil {
			continue
		}
		n := shape.Elements(r.Dims)
		if int64(len(r.Data.Ints)+len(r.Data.Floats)) != n || r.Elem.Integer() != (r.Data.Ints != nil) ||
			!r.Data.Fits(r.Elem) {
			r.Data = nil
			continue
		}
		c.Budget.Spare(int(n) * (8 + len(r.Dims)/4))
	}
}

// folders has the operators that are computed.
var folders = sync.OnceValue(makeFolders)

func makeFolders() map[string]func(c *Call) {
	folders := map[string]func(c *Call){
		"Identity": foldSame, "Reshape": foldSame, "Squeeze": foldSame, "Unsqueeze": foldSame, "Flatten": foldSame,
		"ConstantOfShape": foldFilled, "Cast": foldCast, "Concat": foldConcat, "Gather": foldGather,
		"Slice": foldSlice, "Split": foldSplit, "Transpose": foldTranspose, "Expand": foldExpand, "Tile": foldTile,
		"Range": foldRange, "Where": foldWhere, "NonZero": foldNonZero, "ReduceProd": foldReduce,
		"ReduceSum": foldReduce, "ReduceMax": foldReduce, "ReduceMin": foldReduce, "Not": foldUnary,
		"Neg": foldUnary, "Abs": foldUnary, "Floor": foldUnary, "Ceil": foldUnary, "Sqrt": foldUnary,
		"Sign": foldUnary, "Round": foldUnary, "Relu": foldUnary, "Reciprocal": foldUnary,
	}
	for op := range arithmetic() {
		folders[op] = foldBinary
	}
	return folders
}

// input returns the elements of an input that is known.
func (c *Call) input(k int) *shape.Data { return c.In[k].Data }

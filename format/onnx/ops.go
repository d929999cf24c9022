package onnx

import (
	"math"
	"sync"
)

// Idea: a rule for each operator says what follows for its results from what is known
// of its inputs. Rules know the differences between versions of the operator sets,
// and never guess: what they cannot tell stays open, with a reason where there is
// a better one than that an input is open.
//
// Source: the definitions of the operators in onnx 1.23.2, and their type and shape
// inference for what those leave unsaid.

// A call is one node with what is known of its inputs.
type call struct {
	w     *walker
	n     *node
	opset int64
	in    []*value // nil for one left out
	out   []result
}

// A rule fills c.out and returns why it could not, "" where it could or where the
// inputs are not known.
type rule func(c *call) string

// infer applies the rule of the node's operator.
func (c *call) infer() string {
	if len(c.out) == 0 {
		return ""
	}
	var r rule
	switch {
	case standard(c.n.domain):
		r = rules[c.n.op]
	case c.n.domain == "com.microsoft":
		r = contributed[c.n.op]
	}
	if r == nil {
		return "the operator " + c.n.operator() + " is not supported: its result sizes cannot be derived"
	}
	return r(c)
}

// deterministic reports whether a node computes the same from the same inputs each
// time, as far as is known.
func deterministic(n *node) bool {
	switch n.op {
	case "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial":
		return false
	case "Dropout":
		return len(n.in) < 3
	}
	if standard(n.domain) {
		return rules[n.op] != nil
	}
	return n.domain == "com.microsoft" && contributed[n.op] != nil
}

// generates reports whether a node makes something of nothing.
func generates(n *node) bool {
	return n.op == "Constant" || n.op == "SequenceEmpty" || n.op == "Optional"
}

// attribute returns an attribute of a node, nil for none. In a function that may be
// one of the node that calls it.
func (w *walker) attribute(n *node, name string) *attribute {
	f := w.frame
	for depth := 0; depth <= maxCalls; depth++ {
		a := find(n.attributes, name)
		if a == nil || a.reference == "" {
			return a
		}
		if f == nil || f.call == nil {
			return nil
		}
		name = a.reference
		if b := find(f.call.attributes, name); b == nil {
			return find(f.function.defaults, name)
		}
		n, f = f.call, f.caller
	}
	return nil
}

func find(list []attribute, name string) *attribute {
	for k := range list {
		if list[k].name == name {
			return &list[k]
		}
	}
	return nil
}

// integer returns an attribute that is a number, or what it is without.
func (w *walker) integer(n *node, name string, without int64) int64 {
	if a := w.attribute(n, name); a != nil && a.set&setInt != 0 {
		return a.i
	}
	return without
}

// integers returns an attribute that is a list of numbers; nil where there is none.
func (w *walker) integers(n *node, name string) []int64 {
	if a := w.attribute(n, name); a != nil && a.set&setLong == 0 {
		return a.ints
	}
	return nil
}

func (c *call) integer(name string, without int64) int64 { return c.w.integer(c.n, name, without) }
func (c *call) integers(name string) []int64             { return c.w.integers(c.n, name) }

func (c *call) has(name string) bool { return c.w.attribute(c.n, name) != nil }

func (c *call) text(name, without string) string {
	if a := c.w.attribute(c.n, name); a != nil && a.set&setString != 0 {
		return a.s
	}
	return without
}

// given reports whether an input is there.
func (c *call) given(k int) bool { return k < len(c.in) && c.in[k] != nil }

// dims returns the dimensions of an input; nil where its rank is not known.
func (c *call) dims(k int) []int64 {
	if !c.given(k) {
		return nil
	}
	return c.in[k].dims
}

// elem returns the element type of an input, 0 where it is not known.
func (c *call) elem(k int) Type {
	if !c.given(k) {
		return 0
	}
	return c.in[k].elem
}

// ints returns the elements of an input of whole numbers, nil where they are not
// known.
func (c *call) ints(k int) []int64 {
	if !c.given(k) {
		return nil
	}
	if d := c.w.known(c.in[k]); d != nil {
		return d.ints
	}
	return nil
}

// floats is ints for an input of fractions.
func (c *call) floats(k int) []float64 {
	if !c.given(k) {
		return nil
	}
	if d := c.w.known(c.in[k]); d != nil {
		return d.floats
	}
	return nil
}

// known returns the elements of a value, nil where they are not known. Those of an
// initialiser are decoded the first time.
func (w *walker) known(v *value) *data {
	if v.data == nil && v.stored != nil && v.constant && !v.tried {
		v.tried, v.data = true, w.decode(v.stored)
	}
	return v.data
}

// decode returns the elements of a tensor of the file, where that is worth its price.
func (w *walker) decode(t *tensor) *data {
	if w.foldLeft <= 0 || t.opaque || !foldable(t.elem, t.dims) || len(t.body) > maxBody {
		return nil
	}
	w.foldLeft -= 8*int(elements(t.dims)) + len(t.body)
	return t.decode()
}

// axesOf returns axes that are an attribute up to a version and an input from then
// on, and whether there are any. They are nil where they are not known.
func (c *call) axesOf(name string, input int, since int64) (axes []int64, given bool) {
	if c.opset < since {
		return c.integers(name), c.has(name)
	}
	return c.ints(input), c.given(input)
}

// set says what a result is.
func (c *call) set(k int, elem Type, dims []int64) {
	if k < len(c.out) {
		c.out[k].elem, c.out[k].dims = elem, dims
	}
}

// axisOf returns an axis counted from the front.
func axisOf(axis int64, rank int) (int, bool) {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), axis >= 0 && axis < int64(rank)
}

// open returns a shape of a rank with every dimension open.
func open(rank int) []int64 {
	dims := make([]int64, rank)
	for i := range dims {
		dims[i] = -1
	}
	return dims
}

// small reports whether numbers are so small that arithmetic on them and on
// dimensions does not overflow.
func small(list []int64) bool {
	for _, x := range list {
		if x > 1<<18 || x < -1<<18 {
			return false
		}
	}
	return true
}

// fits returns a dimension, open where it is none that a tensor can have.
func fits(d int64) int64 {
	if d < 0 || d > maxElements {
		return -1
	}
	return d
}

// times returns the product of two dimensions, -1 where one is open or it is none.
func times(a, b int64) int64 {
	switch {
	case a < 0 || b < 0:
		return -1
	case a == 0 || b == 0:
		return 0
	case a > maxElements/b:
		return -1
	}
	return a * b
}

// sum returns the sum of two dimensions, -1 where one is open.
func sum(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return fits(a + b)
}

// broadcast returns the shape of an element-wise result, and whether there is one.
func broadcast(shapes ...[]int64) ([]int64, bool) {
	rank := 0
	for _, s := range shapes {
		if s == nil {
			return nil, true
		}
		rank = max(rank, len(s))
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = 1
		unknown := false
		for _, s := range shapes {
			at := i - (rank - len(s))
			if at < 0 || s[at] == 1 {
				continue
			}
			switch {
			case s[at] < 0:
				unknown = true
			case out[i] == 1:
				out[i] = s[at]
			case out[i] != s[at]:
				return nil, false
			}
		}
		if unknown && out[i] == 1 {
			out[i] = -1
		}
	}
	return out, true
}

// rules has the operators of ONNX itself. What is not there is not known.
var rules map[string]rule

// contributed has those of com.microsoft that ONNX Runtime's optimiser writes most.
var contributed map[string]rule

// tables sees that the tables of this package are there: a program that has it, but no
// model to read, starts without them.
func tables() { once.Do(func() { makeRules(); makeFolders() }) }

var once sync.Once

func makeRules() {
	rules = map[string]rule{
		"Cast": cast, "CastLike": castLike, "BitCast": bitCast, "Where": where, "Dropout": dropout, "Clip": same,
		"PRelu": same, "BatchNormalization": batchNormalization, "LayerNormalization": layerNormalization,
		"Identity": identity, "Constant": constant, "ConstantOfShape": constantOfShape,
		"RandomNormal": random, "RandomUniform": random, "RandomNormalLike": like, "RandomUniformLike": like,
		"Bernoulli": like, "Multinomial": multinomial, "EyeLike": like, "Range": span,
		"HannWindow": window, "HammingWindow": window, "BlackmanWindow": window, "MelWeightMatrix": melWeights,
		"QuantizeLinear": quantize, "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamicQuantize,
		"NegativeLogLikelihoodLoss": loss, "SoftmaxCrossEntropyLoss": loss, "Det": determinant,

		"Conv": conv, "ConvInteger": convInteger, "QLinearConv": convQuantized, "ConvTranspose": convTranspose, "DeformConv": conv,
		"MaxPool": pool, "AveragePool": pool, "LpPool": pool, "GlobalAveragePool": globalPool, "GlobalMaxPool": globalPool,
		"GlobalLpPool": globalPool, "MaxUnpool": unpool, "MaxRoiPool": maxRoiPool, "RoiAlign": roiAlign, "Col2Im": columns,

		"Shape": shapeOf, "Size": sizeOf, "Reshape": reshape, "Flatten": flatten, "Squeeze": squeeze, "Unsqueeze": unsqueeze,
		"Transpose": transpose, "Expand": expand, "Tile": tile, "Concat": concat, "Split": split, "Slice": slice, "Pad": pad,
		"DepthToSpace": depthToSpace, "SpaceToDepth": spaceToDepth, "Resize": resize, "Upsample": upsample,
		"CenterCropPad": cropPad, "GridSample": gridSample, "AffineGrid": affineGrid,

		"Gather": gather, "GatherElements": gatherElements, "GatherND": gatherND, "Compress": compress, "NonZero": nonZero,
		"OneHot": oneHot, "TopK": topK, "ArgMax": argument, "ArgMin": argument, "Unique": unique,
		"NonMaxSuppression": nonMaxSuppression,

		"MatMul": matMul, "MatMulInteger": matMulInteger, "QLinearMatMul": matMulQuantized, "Gemm": gemm, "Einsum": einsum,
		"RNN": recurrent, "GRU": recurrent, "LSTM": recurrent, "DFT": fourier, "STFT": shortFourier, "Attention": attention,

		"SequenceEmpty": sequenceEmpty, "SequenceConstruct": sequenceConstruct, "SequenceInsert": sequenceInsert,
		"SequenceErase": sequenceErase, "SequenceAt": sequenceAt, "SequenceLength": sequenceLength,
		"Optional": optional, "OptionalGetElement": optionalGet, "OptionalHasElement": optionalHas,
		"SplitToSequence": splitToSequence, "ConcatFromSequence": concatFromSequence,
	}
	for _, op := range []string{
		"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Celu", "Cos", "Cosh", "CumProd", "CumSum",
		"Elu", "Erf", "Exp", "Floor", "Gelu", "GroupNormalization", "HardSigmoid", "HardSwish", "Hardmax", "InstanceNormalization",
		"LRN", "LeakyRelu", "Log", "LogSoftmax", "LpNormalization", "MeanVarianceNormalization", "Mish", "Neg", "Not",
		"RMSNormalization", "Reciprocal", "Relu", "ReverseSequence", "RotaryEmbedding", "Round", "Scatter", "ScatterElements",
		"ScatterND", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Swish",
		"Tan", "Tanh", "TensorScatter", "ThresholdedRelu", "Trilu", "ImageScaler", "ScaledTanh", "ParametricSoftplus",
	} {
		rules[op] = same
	}
	for _, op := range []string{
		"Add", "Sub", "Mul", "Div", "Pow", "Mod", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Sum", "Mean", "Max", "Min", "SwiGLU",
	} {
		rules[op] = elementwise
	}
	for _, op := range []string{"And", "Or", "Xor", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"} {
		rules[op] = comparison
	}
	for _, op := range []string{"IsInf", "IsNaN"} {
		rules[op] = predicate
	}
	for _, op := range []string{
		"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
		"ReduceSum", "ReduceSumSquare",
	} {
		rules[op] = reduce
	}
	contributed = map[string]rule{
		"FusedConv": conv, "FusedGemm": gemm, "BiasGelu": same, "FastGelu": same, "Gelu": same, "QuickGelu": same,
		"SkipLayerNormalization": same, "SkipSimplifiedLayerNormalization": same,
		"QuantizeLinear": quantize, "DequantizeLinear": dequantize, "QLinearSigmoid": same, "QLinearLeakyRelu": same,
	}
}

// float32Of rounds as arithmetic in FLOAT does.
func float32Of(elem Type, x float64) float64 {
	if elem == typeFloat {
		return float64(float32(x))
	}
	return x
}

// whole reports whether a fraction converts to a number of 64 bits.
func whole(x float64) bool { return !math.IsNaN(x) && x > -1<<62 && x < 1<<62 }

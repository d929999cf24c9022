package ops

import (
	"maps"
	"slices"
	"sync"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
)

// A rule fills c.Out and returns the reason if it cannot. It returns "" if it can, or if the inputs are not known.
type rule func(c *Call) string

// rules has the operators of ONNX itself. What is not there is not known. The table is made when it is first needed: a
// program that has this package, but no model to read, starts without it.
var rules = sync.OnceValue(makeRules)

// The domains of ONNX Runtime's own operators.
const (
	domainFused   = "com.microsoft"
	domainBlocked = "com.microsoft.nchwc"
)

// ruleOf returns the rule of a node's operator, nil if there is none.
func ruleOf(n *graph.Node) rule {
	switch {
	case graph.Standard(n.Domain):
		return rules()[n.Op]
	case n.Domain == domainFused:
		return contributed()[n.Op]
	case n.Domain == domainBlocked:
		return blocked()[n.Op]
	}
	return nil
}

// Operators returns the names of a domain's operators that have a rule.
func Operators(domain string) []string {
	switch domain {
	case domainFused:
		return slices.Sorted(maps.Keys(contributed()))
	case domainBlocked:
		return slices.Sorted(maps.Keys(blocked()))
	}
	return slices.Sorted(maps.Keys(rules()))
}

func makeRules() map[string]rule {
	rules := map[string]rule{
		"Cast": cast, "CastLike": castLike, "BitCast": bitCast, "Where": where, "Dropout": dropout, "Clip": same,
		"PRelu": same, "BatchNormalization": batchNormalization, "LayerNormalization": layerNormalization,
		"SimplifiedLayerNormalization": layerNormalization, // of ONNX Runtime, in ONNX's domain
		"Identity":                     identity, "Constant": constant, "ConstantOfShape": constantOfShape,
		"RandomNormal": random, "RandomUniform": random, "RandomNormalLike": like, "RandomUniformLike": like,
		"Bernoulli": like, "Multinomial": multinomial, "EyeLike": like, "Range": span,
		"HannWindow": window, "HammingWindow": window, "BlackmanWindow": window, "MelWeightMatrix": melWeights,
		"QuantizeLinear": quantize, "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamicQuantize,
		"NegativeLogLikelihoodLoss": loss, "SoftmaxCrossEntropyLoss": loss, "Det": determinant,

		"Conv": conv, "ConvInteger": convInteger, "QLinearConv": convQuantized, "ConvTranspose": convTranspose,
		"DeformConv": conv, "MaxPool": pool, "AveragePool": pool, "LpPool": pool, "GlobalAveragePool": globalPool,
		"GlobalMaxPool": globalPool, "GlobalLpPool": globalPool, "MaxUnpool": unpool, "MaxRoiPool": maxRoiPool,
		"RoiAlign": roiAlign, "Col2Im": columns,

		"Shape": shapeOf, "Size": sizeOf, "Reshape": reshape, "Flatten": flatten, "Squeeze": squeeze,
		"Unsqueeze": unsqueeze, "Transpose": transpose, "Expand": expand, "Tile": tile, "Concat": concat,
		"Split": split, "Slice": slice, "Pad": pad, "DepthToSpace": depthToSpace,
		"SpaceToDepth": spaceToDepth, "Resize": resize, "Upsample": upsample, "CenterCropPad": cropPad,
		"GridSample": gridSample, "AffineGrid": affineGrid,

		"Gather": gather, "GatherElements": gatherElements, "GatherND": gatherND, "Compress": compress,
		"NonZero": nonZero, "OneHot": oneHot, "TopK": topK, "ArgMax": argument, "ArgMin": argument,
		"Unique": unique, "NonMaxSuppression": nonMaxSuppression,

		"MatMul": matMul, "MatMulInteger": matMulInteger, "QLinearMatMul": matMulQuantized, "Gemm": gemm,
		"Einsum": einsum, "RNN": recurrent, "GRU": recurrent, "LSTM": recurrent, "DFT": fourier,
		"STFT": shortFourier, "Attention": attention,

		"SequenceEmpty": sequenceEmpty, "SequenceConstruct": sequenceConstruct, "SequenceInsert": sequenceInsert,
		"SequenceErase": sequenceErase, "SequenceAt": sequenceAt, "SequenceLength": sequenceLength,
		"Optional": optional, "OptionalGetElement": optionalGet, "OptionalHasElement": optionalHas,
		"SplitToSequence": splitToSequence, "ConcatFromSequence": concatFromSequence,
	}
	for _, op := range []string{
		"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Celu", "Cos", "Cosh",
		"CumProd", "CumSum", "Elu", "Erf", "Exp", "Floor", "Gelu", "GroupNormalization", "HardSigmoid",
		"HardSwish", "Hardmax", "InstanceNormalization", "LRN", "LeakyRelu", "Log", "LogSoftmax",
		"LpNormalization", "MeanVarianceNormalization", "Mish", "Neg", "Not", "RMSNormalization", "Reciprocal",
		"Relu", "ReverseSequence", "RotaryEmbedding", "Round", "Scatter", "ScatterElements", "ScatterND", "Selu",
		"Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Swish", "Tan",
		"Tanh", "TensorScatter", "ThresholdedRelu", "Trilu", "ImageScaler", "ScaledTanh", "ParametricSoftplus",
	} {
		rules[op] = same
	}
	for _, op := range []string{
		"Add", "Sub", "Mul", "Div", "Pow", "Mod", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Sum",
		"Mean", "Max", "Min", "SwiGLU",
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
	return rules
}

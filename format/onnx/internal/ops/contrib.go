package ops

import (
	"slices"
	"sync"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: ONNX Runtime writes operators of its own into the models that it saves: fused ones, quantised ones, and
// convolutions in blocks of channels (blocked.go). Most of them are an operator of ONNX with other inputs, so their
// rules call those of ONNX.
//
// Only ONNX Runtime runs these models. So if the schema of an operator and its kernel differ, the rule follows the
// kernel. format/onnx/testdata/contrib_peer.py runs the operators and compares.
//
// Source: the schemas in ONNX Runtime 1.32, and the outputs of its kernels.

// runtimeOpset is the version of ONNX's operators whose rules the kernels of ONNX Runtime follow.
const runtimeOpset = 22

// contributed has the operators of com.microsoft.
var contributed = sync.OnceValue(makeContributed)

func makeContributed() map[string]rule {
	rules := map[string]rule{
		"FusedConv": conv, "FusedGemm": gemm, "MaxpoolWithMask": pool, "NhwcMaxPool": lastChannels(pool),
		"ConvTransposeWithDynamicPads": convTransposePadded, "NhwcConv": lastChannels(conv),
		"NhwcFusedConv": lastChannels(conv),
		"QLinearConv":   eitherChannels(convQuantized), "QLinearAveragePool": eitherChannels(pool),
		"QLinearGlobalAveragePool": eitherChannels(globalPool),

		"FusedMatMul": matMulFused, "TransposeMatMul": matMulFused, "FusedMatMulActivation": matMulFused,
		"SparseToDenseMatMul": matMulFused, "GemmFastGelu": matMul, "MatMulInteger16": matMulInteger,
		"MatMulIntegerToFloat": matMulToFloat, "DynamicQuantizeMatMul": matMulToFloat, "MatMulNBits": matMulPacked,
		"MatMulBnb4": matMulPacked, "MatMulFpQ4": matMulShaped, "QGemm": gemmQuantized,
		"DynamicQuantizeLSTM": recurrentQuantized, "AttnLSTM": recurrent, "CDist": distances,

		"QuantizeLinear": quantize, "DequantizeLinear": dequantize, "QLinearConcat": concatQuantized,
		"QLinearAdd": elementwiseQuantized, "QLinearMul": elementwiseQuantized, "QLinearWhere": whereQuantized,
		"QLinearReduceMean": reduceQuantized, "ReduceSumInteger": reduceInteger, "MulInteger": multiplyInteger,

		"SkipLayerNormalization": skipNormalization, "SkipSimplifiedLayerNormalization": skipNormalization,
		"SkipGroupNorm": skipNormalization, "EmbedLayerNormalization": embedNormalization,
		"QEmbedLayerNormalization": embedNormalization,

		"Attention": attentionFused, "QAttention": attentionFused, "MultiHeadAttention": multiHead,
		"DecoderMaskedMultiHeadAttention": multiHead, "GroupQueryAttention": groupQuery, "SparseAttention": groupQuery,
		"RelativePositionBias": relativeBias,

		"BiasDropout": dropout, "BitmaskDropout": dropoutPacked, "BitmaskBiasDropout": dropoutPacked,
		"BiasSplitGelu": splitGelu, "ComplexMul": elementwise, "ComplexMulConj": elementwise,
		"CropAndResize": cropAndResize, "ExpandDims": expandDims, "GatherND": gatherND,
		"GatherBlockQuantized": gatherQuantized, "GridSample": gridSample, "MurmurHash3": hash, "Pad": pad,
		"Range": span, "TorchEmbedding": embed, "UnfoldTensor": unfold, "Unique": unique,
		"NGramRepeatBlock": second, "LinearAttentionGate": gates, "EngramGate": gates,
	}
	for _, op := range []string{
		"BiasAdd", "BiasGelu", "BiasSoftmax", "BranchwiseRMSNorm", "FastGelu", "GatedAdd", "GatedRMSNorm", "Gelu",
		"GroupNorm", "HyperConnectionPostMix", "Inverse", "MRotaryEmbedding", "MoE", "QLinearLeakyRelu", "QLinearSigmoid",
		"QLinearSoftmax", "QMoE", "QuickGelu", "RotaryEmbedding", "SampleOp", "ScaledSiLU", "Trilu",
	} {
		rules[op] = same
	}
	return rules
}

// lastChannels applies a rule to an image whose channels are its last dimension, and so are the result's.
func lastChannels(r rule) rule {
	return func(c *Call) string {
		turned := *c
		turned.In = slices.Clone(c.In)
		if c.given(0) {
			image := *c.In[0]
			if d := image.Dims; len(d) > 2 {
				image.Dims = slices.Concat(d[:1], d[len(d)-1:], d[1:len(d)-1])
			}
			turned.In[0] = &image
		}
		reason := r(&turned)
		for k := range c.Out {
			if d := c.Out[k].Dims; len(d) > 2 {
				c.Out[k].Dims = slices.Concat(d[:1], d[2:], d[1:2])
			}
		}
		return reason
	}
}

// eitherChannels is lastChannels if the node says so.
func eitherChannels(r rule) rule {
	return func(c *Call) string {
		if c.integer("channels_last", 0) != 0 {
			return lastChannels(r)(c)
		}
		return r(c)
	}
}

// convTransposePadded has its padding as an input.
func convTransposePadded(c *Call) string {
	reason := c.transposed(c.ints(2))
	if reason == "" && c.given(2) && c.ints(2) == nil {
		if d := c.Out[0].Dims; len(d) > 2 {
			c.set(0, c.elem(0), append(slices.Clone(d[:2]), shape.Open(len(d)-2)...))
		}
		return c.unknown(2, "padding")
	}
	return reason
}

// second has the type and shape of the second input.
func second(c *Call) string {
	c.set(0, c.elem(1), c.dims(1))
	return ""
}

// gates has two results like its first input.
func gates(c *Call) string {
	c.set(0, c.elem(0), c.dims(0))
	c.set(1, c.elem(0), c.dims(0))
	return ""
}

func concatQuantized(c *Call) string {
	// The scale and the zero point of the result, then each input with its own.
	inner := *c
	inner.In = nil
	for k := 2; k < len(c.In); k += 3 {
		inner.In = append(inner.In, c.In[k])
	}
	reason := concat(&inner)
	c.Out[0].Elem = c.elem(1)
	return reason
}

func elementwiseQuantized(c *Call) string { return c.broadcast(c.elem(0), 0, 3) }

func multiplyInteger(c *Call) string { return c.broadcast(shape.TypeInt32, 0, 2) }

func whereQuantized(c *Call) string { return c.broadcast(c.elem(1), 0, 1, 4) }

// broadcast gives the shape that some of the inputs broadcast to.
func (c *Call) broadcast(elem shape.Type, inputs ...int) string {
	var shapes [][]int64
	for _, k := range inputs {
		shapes = append(shapes, c.dims(k))
	}
	dims, ok := shape.Broadcast(shapes...)
	c.set(0, elem, dims)
	if !ok {
		return "its inputs' shapes do not match"
	}
	return ""
}

// reduceQuantized and reduceInteger have their axes as an attribute.
func reduceQuantized(c *Call) string {
	c.Opset = 13
	return reduce(c)
}

func reduceInteger(c *Call) string {
	reason := reduceQuantized(c)
	c.Out[0].Elem = shape.TypeInt32
	if c.elem(0) == shape.TypeUint8 {
		c.Out[0].Elem = shape.TypeUint32
	}
	return reason
}

// skipNormalization has the mean and the deviation of each row as further results, and the sum of its inputs.
func skipNormalization(c *Call) string {
	dims := c.dims(0)
	c.set(0, c.elem(0), dims)
	if c.Node.Op == "SkipGroupNorm" {
		c.set(1, c.elem(0), dims)
		return ""
	}
	var rows []int64
	if len(dims) > 0 {
		rows = append(slices.Clone(dims[:len(dims)-1]), 1)
	}
	c.set(1, shape.TypeFloat, rows)
	c.set(2, shape.TypeFloat, rows)
	c.set(3, c.elem(0), dims)
	return ""
}

// embedNormalization looks up words; its further results are the length of each text, and the sum before normalization.
func embedNormalization(c *Call) string {
	ids, words := c.dims(0), c.dims(2)
	elem := c.elem(2)
	if c.Node.Op == "QEmbedLayerNormalization" {
		elem = c.elem(8)
	}
	c.set(0, elem, nil)
	c.set(1, shape.TypeInt32, nil)
	c.set(2, elem, nil)
	if len(ids) != 2 || len(words) != 2 {
		return ""
	}
	out := []int64{ids[0], ids[1], words[1]}
	c.set(0, elem, out)
	c.set(1, shape.TypeInt32, []int64{ids[0]})
	c.set(2, elem, out)
	return ""
}

// dropoutPacked has its mask as bits of 32-bit words.
func dropoutPacked(c *Call) string {
	c.set(0, c.elem(0), c.dims(0))
	words := []int64{-1}
	if n := shape.Elements(c.dims(0)); n >= 0 {
		words[0] = (n + 31) / 32
	}
	c.set(1, shape.TypeUint32, words)
	return ""
}

// splitGelu multiplies one half of the last dimension with the other.
func splitGelu(c *Call) string {
	dims := slices.Clone(c.dims(0))
	if n := len(dims) - 1; n >= 0 && dims[n] >= 0 {
		dims[n] /= 2
	}
	c.set(0, c.elem(0), dims)
	return ""
}

func cropAndResize(c *Call) string {
	size := c.ints(3)
	if len(size) != 2 {
		c.regions(-1, -1)
		return c.unknown(3, "size")
	}
	return c.regions(size[0], size[1])
}

func expandDims(c *Call) string {
	dims, at := c.dims(0), c.ints(1)
	c.set(0, c.elem(0), nil)
	if len(at) != 1 || dims == nil || len(dims) == shape.MaxRank {
		return c.unknown(1, "axis")
	}
	a, ok := shape.Axis(at[0], len(dims)+1)
	if !ok {
		return "its axis does not exist in its result"
	}
	c.set(0, c.elem(0), slices.Insert(slices.Clone(dims), a, 1))
	return ""
}

// gatherQuantized looks up rows of a table whose elements may be packed into bytes.
func gatherQuantized(c *Call) string {
	dims, indices := slices.Clone(c.dims(0)), c.dims(1)
	c.set(0, c.elem(2), nil)
	if dims == nil || indices == nil || len(dims)+len(indices) > shape.MaxRank {
		return ""
	}
	at, ok := shape.Axis(c.integer("gather_axis", 0), len(dims))
	if !ok {
		return "its axis does not exist in its input " + shape.Text(dims)
	}
	if bits := c.integer("bits", 4); c.elem(0) == shape.TypeUint8 && bits > 0 && bits < 8 {
		dims[len(dims)-1] = shape.Times(dims[len(dims)-1], 8/bits)
	}
	c.set(0, c.elem(2), join(dims[:at], indices, dims[at+1:]))
	return ""
}

func hash(c *Call) string {
	elem := shape.TypeUint32
	if c.integer("positive", 1) == 0 {
		elem = shape.TypeInt32
	}
	c.set(0, elem, c.dims(0))
	return ""
}

func embed(c *Call) string {
	table, indices := c.dims(0), c.dims(1)
	c.set(0, c.elem(0), nil)
	if len(table) == 2 && indices != nil && len(indices) < shape.MaxRank {
		c.set(0, c.elem(0), join(indices, table[1:]))
	}
	return ""
}

// unfold gives slices of a dimension, each in a dimension of its own.
func unfold(c *Call) string {
	dims := slices.Clone(c.dims(0))
	c.set(0, c.elem(0), nil)
	size, step := c.integer("size", -1), c.integer("step", 1)
	at, ok := shape.Axis(c.integer("dim", -1), len(dims))
	switch {
	case dims == nil || len(dims) == shape.MaxRank:
		return ""
	case !ok || size < 1 || step < 1 || dims[at] >= 0 && size > dims[at]:
		return "its slices do not fit its input " + shape.Text(dims)
	case dims[at] >= 0:
		dims[at] = (dims[at]-size)/step + 1
	}
	c.set(0, c.elem(0), append(dims, shape.Fits(size)))
	return ""
}

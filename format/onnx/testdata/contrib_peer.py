"""Runs ONNX Runtime's own operators, and prints the type and shape of what they make, and which operators it has.

    contrib_peer.py FOLDER

FOLDER gets a model of one node for each case. Inputs that a shape follows from are stored in it.
"""

import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

onnxruntime.set_default_logger_severity(4)
random = numpy.random.default_rng(5)
MS, BLOCKED = "com.microsoft", "com.microsoft.nchwc"


def f(*shape, dtype=numpy.float32):
    return (random.random(shape) * 0.5 + 0.1).astype(dtype)


def i(*shape, dtype=numpy.int32, high=4):
    return random.integers(0, high, shape).astype(dtype)


def u8(*shape):
    return i(*shape, dtype=numpy.uint8, high=200)


def s8(*shape):
    return i(*shape, dtype=numpy.int8, high=100)


class Fixed:
    """An input that is stored in the model."""

    def __init__(self, value, dtype=None):
        self.value = numpy.asarray(value, dtype)


scale, zero, zero8 = numpy.float32(0.02), numpy.uint8(3), numpy.int8(0)
CASES = []


def case(op, inputs, outputs=1, domain=MS, **attributes):
    """outputs is a number, or a list that says which are there."""
    CASES.append((domain, op, inputs, [True] * outputs if isinstance(outputs, int) else outputs, attributes))


x = f(2, 3, 8)
for op in ("Gelu", "QuickGelu", "Inverse", "SampleOp"):
    case(op, [f(2, 4, 4)])
case("ScaledSiLU", [x])
case("FastGelu", [x, f(8)])
case("BiasGelu", [x, f(8)])
case("Trilu", [f(4, 5)], upper=0)
case("FusedGemm", [f(5, 3), f(7, 5), f(7)], transA=1, transB=1, activation="Relu")
for a, b, t in (((2, 3, 4), (2, 4, 5), {}), ((2, 4, 3), (4, 5), {"transA": 1}), ((3, 4), (2, 5, 4), {"transB": 1}), ((4,), (4, 5), {}),
                ((2, 6, 3, 4), (6, 3, 4, 5), {"transBatchA": 1}), ((6, 2, 3, 4), (4, 6, 2, 5), {"transBatchB": 1})):
    case("FusedMatMul", [f(*a), f(*b)], **t)
    if not any("Batch" in k for k in t):
        case("TransposeMatMul", [f(*a), f(*b)], **t)
for a, b, want in (((6, 4, 3), (4, 6, 5), {"transBatchA": 1, "transA": 1}), ((4, 6, 3), (6, 3, 5), {"transBatchA": 1})):
    case("FusedMatMul", [f(*a), f(*b)], **want)
case("MatMulIntegerToFloat", [u8(2, 3, 4), u8(4, 6), scale, scale, zero, zero])
case("DynamicQuantizeMatMul", [f(2, 3, 4), Fixed(s8(4, 6)), Fixed(scale), Fixed(zero8)])
case("MatMulInteger16", [i(3, 4, dtype=numpy.int16), i(4, 5, dtype=numpy.int16)])
case("MatMulNBits", [f(2, 3, 32), Fixed(numpy.zeros((48, 1, 16), numpy.uint8)), Fixed(numpy.ones(48, numpy.float32))], K=32, N=48, bits=4, block_size=32)
case("MatMulBnb4", [f(2, 32), Fixed(numpy.zeros(32 * 48 // 2, numpy.uint8)), Fixed(numpy.ones(48, numpy.float32))], K=32, N=48, block_size=32, quant_type=1)
case("QGemm", [u8(3, 4), scale, zero, u8(4, 5), scale, zero])
case("QGemm", [u8(4, 3), scale, zero, u8(4, 5), scale, zero, "", scale, zero], transA=1)
case("CDist", [f(3, 4), f(5, 4)], metric="euclidean")
for direction, n in (("forward", 1), ("bidirectional", 2)):
    case("DynamicQuantizeLSTM", [f(5, 2, 6), Fixed(s8(n, 6, 16)), Fixed(s8(n, 4, 16)), f(n, 32), "", "", "", "", Fixed(f(n)), Fixed(s8(n) * 0),
                                 Fixed(f(n)), Fixed(s8(n) * 0)], outputs=3, hidden_size=4, direction=direction)

case("QuantizeLinear", [x, scale, zero])
case("DequantizeLinear", [u8(2, 3), scale, zero])
case("DequantizeLinear", [u8(2, 3), numpy.float16(0.1), zero])
for op in ("QLinearSigmoid", "QLinearLeakyRelu"):
    case(op, [u8(2, 3, 4), scale, zero, scale, zero])
case("QLinearSoftmax", [u8(2, 3, 4), scale, zero, scale, zero], axis=-1, opset=13)
for op in ("QLinearAdd", "QLinearMul"):
    case(op, [u8(2, 3, 4), scale, zero, u8(3, 1), scale, zero, scale, zero])
    case(op, [s8(4), scale, zero8, s8(2, 3, 4), scale, zero8, scale, zero8])
case("QLinearConcat", [scale, zero, u8(2, 3, 4), scale, zero, u8(2, 5, 4), scale, zero], axis=1)
case("QLinearWhere", [random.random((2, 3)) > 0.5, u8(2, 3), scale, zero, u8(3), scale, zero, scale, zero])
for last in (0, 1):
    image = (1, 9, 7, 4) if last else (1, 4, 9, 7)
    case("QLinearGlobalAveragePool", [u8(*image), scale, zero, scale, zero], channels_last=last)
    for ceil in (0, 1):
        case("QLinearAveragePool", [u8(*image), scale, zero, scale, zero], channels_last=last, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0], ceil_mode=ceil)
    for pads in ([0, 0, 0, 0], [1, 2, 1, 0]):
        case("QLinearConv", [u8(*image), scale, zero, Fixed(s8(6, 4, 3, 3)), Fixed(scale), Fixed(zero8), scale, zero], channels_last=last, pads=pads, strides=[2, 1])
        case("QLinearConv", [u8(*image), scale, zero, Fixed(s8(4, 1, 3, 3)), Fixed(scale), Fixed(zero8), scale, zero], channels_last=last, pads=pads, group=4)
for ceil in (0, 1):
    case("NhwcMaxPool", [u8(1, 9, 8, 4)], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=ceil)
case("FusedConv", [f(1, 3, 8, 9), Fixed(f(5, 3, 3, 3))], strides=[2, 2], pads=[1, 1, 1, 1], activation="Relu")
case("ConvTransposeWithDynamicPads", [f(1, 3, 5, 6), Fixed(f(3, 2, 3, 3)), Fixed([1, 1, 1, 1], numpy.int64)], strides=[2, 2])
case("MaxpoolWithMask", [f(1, 2, 8, 8), i(1, 2, 8, 8)], kernel_shape=[2, 2], strides=[2, 2])

for op, more in (("SkipLayerNormalization", [f(8), f(8), f(8)]), ("SkipSimplifiedLayerNormalization", [f(8), f(8)])):
    case(op, [x, f(2, 3, 8), *more])
    case(op, [x, f(2, 3, 8), *more], outputs=[True, False, False, True])
for version in (1, 17):
    case("SimplifiedLayerNormalization", [x, f(8)], domain="", axis=-1)
case("LayerNormalization", [x, f(8), f(8)], outputs=3, domain="", axis=1)
case("EmbedLayerNormalization", [i(2, 5), i(2, 5, high=2), f(9, 8), f(6, 8), f(2, 8), f(8), f(8), i(2, 5, high=2)], outputs=3)
case("EmbedLayerNormalization", [i(2, 5), "", f(9, 8), f(6, 8), "", f(8), f(8)], outputs=2)

case("Attention", [f(2, 5, 8), f(8, 24), f(24)], num_heads=2)
case("Attention", [f(2, 5, 8), f(8, 24), f(24)], outputs=2, num_heads=2, unidirectional=1)
case("Attention", [f(2, 5, 8), f(8, 24), f(24), "", f(2, 2, 2, 3, 4)], outputs=2, num_heads=2)
case("Attention", [f(2, 5, 8), f(8, 28), f(28)], num_heads=2, qkv_hidden_sizes=[8, 8, 12])
case("QAttention", [u8(2, 5, 8), Fixed(s8(8, 24)), f(24), scale, scale, "", zero, zero8], outputs=1, num_heads=2)
case("QAttention", [u8(2, 5, 8), Fixed(s8(8, 24)), f(24), scale, scale, "", zero, zero8, f(2, 2, 2, 3, 4)], outputs=2, num_heads=2, unidirectional=1)
case("MultiHeadAttention", [f(2, 5, 8), f(2, 6, 8), f(2, 6, 12)], num_heads=2)
case("MultiHeadAttention", [f(2, 5, 8), f(2, 5, 8), f(2, 5, 8), "", "", "", f(2, 2, 3, 4), f(2, 2, 3, 4)], outputs=3, num_heads=2)
case("MultiHeadAttention", [f(2, 5, 8), f(2, 5, 8), f(2, 5, 8), "", "", ""], outputs=3, num_heads=2)
case("MultiHeadAttention", [f(2, 5, 8), f(2, 2, 6, 4), f(2, 2, 6, 4)], num_heads=2)
case("MultiHeadAttention", [f(2, 5, 8), f(2, 6, 8), f(2, 6, 8)], outputs=[True, False, False, True], num_heads=2)
case("DecoderMaskedMultiHeadAttention", [f(2, 1, 8), f(2, 1, 8), f(2, 1, 8), "", "", f(2, 2, 9, 4), f(2, 2, 9, 4), Fixed([3], numpy.int32)], outputs=3,
     num_heads=2, past_present_share_buffer=1)
case("DecoderMaskedMultiHeadAttention", [f(2, 1, 8), f(2, 2, 6, 4), f(2, 2, 6, 4)], num_heads=2)
for past, total in ((None, 5), (3, 8), (12, 8)):
    kept = ["", ""] if past is None else [f(1, 2, past, 8), f(1, 2, past, 8)]
    case("GroupQueryAttention", [f(1, 5, 32), f(1, 5, 16), f(1, 5, 16), *kept, Fixed([total - 1], numpy.int32), Fixed(total, numpy.int32)], outputs=3, num_heads=4, kv_num_heads=2)
    case("GroupQueryAttention", [f(1, 5, 64), "", "", *kept, Fixed([total - 1], numpy.int32), Fixed(total, numpy.int32)], outputs=3, num_heads=4, kv_num_heads=2)
case("RotaryEmbedding", [f(1, 5, 16), i(1, 5, dtype=numpy.int64), f(9, 4), f(9, 4)], num_heads=2)
case("RotaryEmbedding", [f(1, 2, 5, 8), i(1, 5, dtype=numpy.int64), f(9, 4), f(9, 4)])

case("CropAndResize", [f(1, 3, 8, 8), f(4, 4), i(4, high=1), Fixed([5, 6], numpy.int32)])
case("ExpandDims", [f(2, 3), Fixed(-1, numpy.int32)])
case("ExpandDims", [f(2, 3), Fixed(0, numpy.int32)])
case("GatherND", [f(2, 3, 4), i(5, 2, dtype=numpy.int64, high=2)])
case("GridSample", [f(1, 2, 5, 6), f(1, 3, 4, 2)])
case("MurmurHash3", [i(3, 2)])
case("MurmurHash3", [i(3, 2)], positive=0)
case("Pad", [f(2, 3), Fixed([1, 0, 2, 1], numpy.int64)])
case("Range", [Fixed(2, numpy.int32), Fixed(9, numpy.int32)])
case("Range", [Fixed(2.0, numpy.float32), Fixed(9.0, numpy.float32), Fixed(2.0, numpy.float32)])
case("UnfoldTensor", [f(2, 9, 3)], dim=1, size=4, step=2)
case("NGramRepeatBlock", [i(2, 5, dtype=numpy.int64), f(2, 9)], ngram_size=2)
case("GatherBlockQuantized", [Fixed(numpy.zeros((6, 16), numpy.uint8)), i(2, 3, dtype=numpy.int64), Fixed(f(6, 2))], bits=4, block_size=16, gather_axis=0, quantize_axis=1)
case("GatherBlockQuantized", [Fixed(numpy.zeros((6, 32), numpy.uint8)), i(4, dtype=numpy.int64), Fixed(f(6, 2))], bits=8, block_size=16, gather_axis=0, quantize_axis=1)
case("GatedRMSNorm", [f(1, 2, 8), f(8), f(1, 2, 8)])
case("GatedAdd", [f(1, 2, 8), f(1, 2, 8), f(1, 2, 1)])
case("BranchwiseRMSNorm", [f(1, 2, 3, 8), f(8)])
case("LinearAttentionGate", [f(1, 2, 3), f(3), f(3), f(1, 2, 3)], outputs=2)

for trial in range(24):
    kernel, stride, dilation = (random.integers(1, 4, 2).tolist() for _ in range(3))
    image = [2, 16, *random.integers(9, 15, 2).tolist()]
    pads = [int(random.integers(0, k)) for k in kernel * 2]
    ceil = trial % 2
    case("Conv", [f(*image), Fixed(f(32, 16, *kernel))], domain=BLOCKED, kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation)
    case("Conv", [f(*image), Fixed(f(16, 1, *kernel))], domain=BLOCKED, group=16, strides=stride, auto_pad=("SAME_UPPER", "SAME_LOWER", "VALID")[trial % 3])
    case("MaxPool", [f(*image)], domain=BLOCKED, kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation, ceil_mode=ceil)
    case("AveragePool", [f(*image)], domain=BLOCKED, kernel_shape=kernel, strides=stride, pads=pads, ceil_mode=ceil)
    case("NhwcMaxPool", [u8(image[0], image[2], image[3], 5)], kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation, ceil_mode=ceil)
    case("QLinearAveragePool", [u8(*image), scale, zero, scale, zero], kernel_shape=kernel, strides=stride, pads=pads, ceil_mode=ceil)
case("Conv", [f(1, 3, 9, 9), Fixed(f(16, 3, 3, 3))], domain=BLOCKED, strides=[2, 2])
for op in ("GlobalMaxPool", "GlobalAveragePool"):
    case(op, [f(2, 32, 5, 6)], domain=BLOCKED)
case("ReorderInput", [f(2, 32, 5, 6)], domain=BLOCKED)
case("ReorderInput", [f(2, 20, 5, 6)], domain=BLOCKED)
case("ReorderInput", [f(2, 5, 6, 32)], domain=BLOCKED, channels_last=1)
case("ReorderOutput", [f(2, 32, 5, 6)], domain=BLOCKED, channels=20)
case("ReorderOutput", [f(2, 32, 5, 6)], domain=BLOCKED, channels=28, channels_last=1)
case("Upsample", [f(2, 16, 5, 6)], domain=BLOCKED, scales=[1, 1, 2, 3])

folder, out = pathlib.Path(sys.argv[1]), []
for number, (domain, op, inputs, there, attributes) in enumerate(CASES):
    names, stored, given, feeds = [], [], [], {}
    for k, value in enumerate(inputs):
        if isinstance(value, str):
            names.append("")
            continue
        names.append("x%d" % k)
        if isinstance(value, Fixed):
            stored.append(numpy_helper.from_array(value.value, names[-1]))
        else:
            feeds[names[-1]] = numpy.asarray(value)
            given.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(feeds[names[-1]].dtype), feeds[names[-1]].shape))
    results = ["y%d" % k if ok else "" for k, ok in enumerate(there)]
    node = helper.make_node(op, names, results, domain=domain, **attributes)
    graph = helper.make_graph([node], "one", given, [helper.make_tensor_value_info(r, 1, None) if r == "y3" else helper.make_empty_tensor_value_info(r) for r in results if r], stored)
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MS, 1), helper.make_opsetid(BLOCKED, 1)])
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        made = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)
    except Exception as why:
        sys.exit("%s.%s %d: %s" % (domain, op, number, why))
    path = folder / ("%d_%s.onnx" % (number, op))
    onnx.save(model, path)
    tensors = {r: {"type": helper.np_dtype_to_tensor_dtype(m.dtype), "shape": list(m.shape)} for r, m in zip(filter(None, results), made) if m is not None}
    out.append({"file": path.name, "tensors": tensors})
kernels = {k.op_name for k in get_all_opkernel_def() if k.domain == MS and k.provider == "CPUExecutionProvider"}
json.dump({"cases": out, "kernels": sorted(kernels)}, sys.stdout)

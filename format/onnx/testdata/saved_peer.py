"""Saves models by ONNX Runtime, runs them, and prints the type and shape of every tensor between their nodes.

    saved_peer.py FOLDER [LEVEL | MODEL.onnx]...

Without a model, it makes models of its own: small networks of the usual kinds, and quantised ones. A level is basic,
extended or all; without one it is all, ONNX Runtime's default. What ONNX Runtime saved goes to FOLDER, without the
weights, which planning does not read. DIMS, in the environment, settles open dimensions of inputs: a name or INPUT:AXIS, =
and a number; 1 for all others. VALUES settles inputs of one number.
"""

import json
import os
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(4)
LEVELS = {
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def given(name):
    return {k: int(v) for k, v in (d.rsplit("=", 1) for d in os.environ.get(name, "").split())}


DIMS, VALUES = given("DIMS"), given("VALUES")


class Net:
    """A model that grows node by node. Each method returns the name of its result."""

    def __init__(self, *shape, kind=TensorProto.FLOAT, opset=17):
        self.nodes, self.stored, self.opset, self.count = [], [], opset, 0
        self.random = numpy.random.default_rng(1)
        self.inputs = [helper.make_tensor_value_info("x", kind, shape)]
        self.domains = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]

    def op(self, op, *inputs, outputs=1, domain="", **attributes):
        self.count += 1
        names = ["%s%d" % (op.lower(), self.count)] + ["%s%d_%d" % (op.lower(), self.count, k) for k in range(1, outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0], domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def weights(self, *shape, scale=0.2):
        self.count += 1
        data = (self.random.standard_normal(shape) * scale).astype(numpy.float32)
        return self.store(data)

    def store(self, data):
        self.count += 1
        name = "w%d" % self.count
        self.stored.append(numpy_helper.from_array(numpy.asarray(data), name))
        return name

    def conv(self, x, into, out, kernel=3, stride=1, group=1, act="Relu"):
        pad = kernel // 2
        y = self.op("Conv", x, self.weights(out, into // group, kernel, kernel), self.weights(out),
                    pads=[pad] * 4, strides=[stride] * 2, group=group, kernel_shape=[kernel] * 2)
        return self.op(act, y) if act else y

    def dense(self, x, into, out):
        return self.op("Add", self.op("MatMul", x, self.weights(into, out)), self.weights(out))

    def norm(self, x, width):
        return self.op("LayerNormalization", x, self.store(numpy.ones(width, numpy.float32)), self.weights(width), axis=-1)

    def model(self, *outputs):
        graph = helper.make_graph(self.nodes, "net", self.inputs,
                                  [helper.make_empty_tensor_value_info(o) for o in outputs], self.stored)
        model = helper.make_model(graph, opset_imports=self.domains, ir_version=9)
        model = onnx.shape_inference.infer_shapes(model)
        return model


def residual():
    n = Net("batch", 3, 18, 18)
    x = n.conv("x", 3, 20, 3, 2)
    y = n.conv(n.conv(x, 20, 20), 20, 20, act=None)
    x = n.op("Relu", n.op("Add", x, y))
    y = n.op("BatchNormalization", n.op("Conv", x, n.weights(24, 20, 1, 1), strides=[2, 2]),
             *(n.store(numpy.ones(24, numpy.float32)) for _ in range(4)))
    z = n.conv(n.conv(x, 20, 24, 3, 2), 24, 24, act=None)
    x = n.op("Relu", n.op("Add", y, z))
    x = n.op("Flatten", n.op("GlobalAveragePool", x))
    return n.model(n.op("Gemm", x, n.weights(10, 24), n.weights(10), transB=1))


def mobile():
    n = Net(1, 3, 17, 17)
    x = n.conv("x", 3, 16, 3, 2, act="HardSwish")
    for stride in (1, 2):
        y = n.op("Clip", n.conv(x, 16, 32, 1, act=None), n.store(numpy.float32(0)), n.store(numpy.float32(6)))
        y = n.op("Clip", n.conv(y, 32, 32, 3, stride, 32, act=None), n.store(numpy.float32(0)), n.store(numpy.float32(6)))
        y = n.conv(y, 32, 16, 1, act=None)
        x = n.op("Add", x, y) if stride == 1 else y
    x = n.op("Flatten", n.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1))
    return n.model(n.op("Softmax", n.op("Gemm", x, n.weights(144, 7), n.weights(7)), axis=-1))


def excite():
    n = Net(2, 12, 9, 7)
    x = n.conv("x", 12, 32)
    s = n.op("GlobalAveragePool", x)
    s = n.conv(n.conv(s, 32, 8, 1), 8, 32, 1, act="Sigmoid")
    x = n.op("Mul", x, s)
    y = n.conv(x, 32, 32, 1, act=None)
    y = n.op("Mul", y, n.op("Sigmoid", y))
    return n.model(n.op("Add", x, y))


def inception():
    n = Net(1, 16, 13, 11)
    x = n.conv("x", 16, 24)
    parts = [n.conv(x, 24, 16, 1), n.conv(n.conv(x, 24, 12, 1), 12, 24, 3), n.conv(n.conv(x, 24, 16, 1), 16, 32, 5)]
    p = n.op("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])
    parts.append(n.conv(p, 24, 16, 1))
    x = n.op("Concat", *parts, axis=1)
    x = n.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    return n.model(n.op("GlobalMaxPool", n.conv(x, 88, 16, 1)))


def unet():
    n = Net(1, 3, 16, 24)
    a = n.conv("x", 3, 16)
    b = n.conv(n.op("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2]), 16, 32)
    c = n.conv(n.op("MaxPool", b, kernel_shape=[2, 2], strides=[2, 2]), 32, 32)
    up = n.op("Resize", c, "", n.store(numpy.array([1, 1, 2, 2], numpy.float32)), mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    x = n.conv(n.op("Concat", up, b, axis=1), 64, 16)
    x = n.op("ConvTranspose", x, n.weights(16, 16, 2, 2), strides=[2, 2], kernel_shape=[2, 2])
    x = n.conv(n.op("Concat", x, a, axis=1), 32, 8)
    return n.model(n.op("Sigmoid", n.conv(x, 8, 2, 1, act=None)))


def attention(width=32, heads=4):
    n = Net("batch", "length", kind=TensorProto.INT64)
    x = n.op("Gather", n.weights(50, width), "x")
    x = n.norm(x, width)
    split = n.store(numpy.array([0, 0, heads, width // heads], numpy.int64))
    q, k, v = (n.op("Reshape", n.dense(x, width, width), split) for _ in range(3))
    q, v = (n.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    k = n.op("Transpose", k, perm=[0, 2, 3, 1])
    a = n.op("Div", n.op("MatMul", q, k), n.store(numpy.float32(2.5)))
    a = n.op("MatMul", n.op("Softmax", a, axis=-1), v)
    a = n.op("Reshape", n.op("Transpose", a, perm=[0, 2, 1, 3]), n.store(numpy.array([0, 0, width], numpy.int64)))
    x = n.norm(n.op("Add", n.dense(a, width, width), x), width)
    y = n.dense(x, width, 2 * width)
    half = n.op("Mul", y, n.store(numpy.float32(0.5)))
    erf = n.op("Erf", n.op("Div", y, n.store(numpy.float32(2 ** 0.5))))
    y = n.op("Mul", half, n.op("Add", erf, n.store(numpy.float32(1))))
    return n.model(n.norm(n.op("Add", n.dense(y, 2 * width, width), x), width))


def decoder(width=32):
    n = Net(1, "length", width)
    x = n.op("SimplifiedLayerNormalization", "x", n.store(numpy.ones(width, numpy.float32)), axis=-1)
    q = n.op("MatMulNBits", x, n.store(numpy.zeros((3 * width, 1, 16), numpy.uint8)),
             n.store(numpy.ones(3 * width, numpy.float32)), domain="com.microsoft", K=width, N=3 * width, bits=4, block_size=32)
    lengths, total = n.store(numpy.array([6], numpy.int32)), n.store(numpy.array(7, numpy.int32))
    a = n.op("GroupQueryAttention", q, "", "", "", "", lengths, total, outputs=3, domain="com.microsoft", num_heads=4, kv_num_heads=4)
    y = n.op("SkipSimplifiedLayerNormalization", a[0], "x", n.store(numpy.ones(width, numpy.float32)), domain="com.microsoft")
    y = n.op("QuickGelu", y, domain="com.microsoft")
    return n.model(n.op("Add", y, "x"), a[1], a[2])


def lstm():
    n = Net("length", 2, 12)
    y = n.op("LSTM", "x", n.weights(2, 64, 12), n.weights(2, 64, 16), n.weights(2, 128), hidden_size=16,
             direction="bidirectional", outputs=3)
    x = n.op("Reshape", n.op("Transpose", y[0], perm=[0, 2, 1, 3]), n.store(numpy.array([0, 0, -1], numpy.int64)))
    return n.model(n.op("Relu", n.dense(x, 32, 8)), y[1], y[2])


def gru():
    n = Net(9, 1, 10)
    y = n.op("GRU", "x", n.weights(1, 36, 10), n.weights(1, 36, 12), n.weights(1, 72), hidden_size=12, outputs=2)
    x = n.op("Squeeze", y[0], n.store(numpy.array([1], numpy.int64)))
    return n.model(n.op("Tanh", n.dense(x, 12, 5)), y[1])


def half():
    model = excite()
    from onnxruntime.transformers.float16 import convert_float_to_float16
    return convert_float_to_float16(model)


def segment():
    """A network for quantisation: it has an operator of each kind that has a quantised form."""
    n = Net(1, 3, 16, 16)
    a = n.conv("x", 3, 16)
    b = n.conv(n.op("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2]), 16, 16, act=None)
    b = n.op("LeakyRelu", b, alpha=0.1)
    c = n.op("AveragePool", b, kernel_shape=[2, 2], strides=[2, 2])
    c = n.op("Add", n.conv(c, 16, 16, 3, group=16, act="Sigmoid"), c)
    s = n.conv(n.op("GlobalAveragePool", c), 16, 16, 1, act="Sigmoid")
    c = n.op("Mul", c, s)
    up = n.op("Resize", c, "", n.store(numpy.array([1, 1, 2, 2], numpy.float32)), mode="nearest")
    x = n.conv(n.op("Concat", up, b, axis=1), 32, 10, 1)
    x = n.op("Flatten", n.op("GlobalAveragePool", x))
    return n.model(n.op("Softmax", n.op("MatMul", x, n.weights(10, 6)), axis=-1))


class Calibration:
    def __init__(self):
        random = numpy.random.default_rng(2)
        self.left = [{"x": random.random((1, 3, 16, 16), dtype=numpy.float32)} for _ in range(2)]

    def get_next(self):
        return self.left.pop() if self.left else None

    def set_range(self, *_):
        pass


def quantized(kind, folder):
    from onnxruntime import quantization as q
    given, out = folder / "given.tmp", folder / "quantized.tmp"
    if kind.startswith("dynamic"):
        onnx.save({"dynamic": attention, "dynamic_lstm": lstm}[kind](), given)
        q.quantize_dynamic(given, out, weight_type=q.QuantType.QInt8)
    else:
        onnx.save(segment(), given)
        q.quantize_static(given, out, Calibration(), quant_format=q.QuantFormat.QDQ if kind == "qdq" else q.QuantFormat.QOperator,
                          activation_type=q.QuantType.QUInt8, weight_type=q.QuantType.QInt8, per_channel=kind == "qdq")
    model = onnx.load(out)
    given.unlink()
    out.unlink()
    return model


OWN = {f.__name__: f for f in (residual, mobile, excite, inception, unet, attention, decoder, lstm, gru, half, segment)}
QUANTIZED = ("qdq", "qoperator", "dynamic", "dynamic_lstm")


def feed(model):
    """Random inputs, and the dimensions that they settle, by INPUT:AXIS."""
    random, feeds, dims = numpy.random.default_rng(3), {}, {}
    stored = {s.name for s in model.graph.initializer}
    for value in model.graph.input:
        kind, shape = value.type.tensor_type, []
        if value.name in stored:
            continue
        for axis, d in enumerate(kind.shape.dim):
            key = "%s:%d" % (value.name, axis)
            if d.HasField("dim_value"):
                shape.append(d.dim_value)
                continue
            shape.append(DIMS.get(key, DIMS.get(d.dim_param, {"length": 7, "batch": 2}.get(d.dim_param, 1))))
            dims[key] = shape[-1]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if value.name in VALUES:
            feeds[value.name] = numpy.full(shape, VALUES[value.name], dtype)
        elif numpy.issubdtype(dtype, numpy.floating):
            feeds[value.name] = random.random(shape).astype(dtype)
        else:
            feeds[value.name] = numpy.ones(shape, dtype)
    return feeds, dims


def save(model, path, level):
    """Saves a model as ONNX Runtime runs it, and returns it."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.optimized_model_filepath = LEVELS[level], str(path)
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(path)


def tensors(model, feeds):
    """The values that the nodes of the graph make, as ONNX Runtime makes them, with type and shape."""
    names = [o for n in model.graph.node for o in n.output if o]
    seen = onnx.ModelProto()
    seen.CopyFrom(model)
    del seen.graph.output[:]
    seen.graph.output.extend(helper.make_empty_tensor_value_info(n) for n in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(seen.SerializeToString(), options, providers=["CPUExecutionProvider"])
    out = {}
    for name, made in zip(names, session.run(None, feeds)):
        if isinstance(made, numpy.ndarray):
            out[name] = {"type": helper.np_dtype_to_tensor_dtype(made.dtype), "shape": list(made.shape)}
    return out


def strip(graph):
    """Takes the weights out of a graph, as if they were in another file."""
    for s in graph.initializer:
        if len(s.raw_data) > 256:
            s.ClearField("raw_data")
            s.data_location = TensorProto.EXTERNAL
            entry = s.external_data.add()
            entry.key, entry.value = "location", "weights.bin"
    for node in graph.node:
        for a in node.attribute:
            strip(a.g)


def main(folder, *arguments):
    folder = pathlib.Path(folder)
    levels = [a for a in arguments if a in LEVELS] or ["all"]
    files = [a for a in arguments if a not in LEVELS]
    models = {pathlib.Path(f).stem: onnx.load(f) for f in files}
    if not files:
        models = {name: make() for name, make in OWN.items()}
        models.update({kind: quantized(kind, folder) for kind in QUANTIZED})
    out = []
    for name, model in models.items():
        for level in levels:
            path = folder / (name + ("" if level == "all" else "_" + level) + ".onnx")
            saved = save(model, path, level)
            feeds, dims = feed(saved)
            made = tensors(saved, feeds)
            strip(saved.graph)
            saved.graph.ClearField("value_info")
            saved.graph.ClearField("doc_string")
            onnx.save(saved, path)
            out.append({"file": path.name, "dims": dims, "values": {k: v for k, v in VALUES.items() if k in feeds}, "tensors": made})
    json.dump(out, sys.stdout)


main(*sys.argv[1:])

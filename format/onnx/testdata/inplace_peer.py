"""Which elements of an operand an element of the result depends on, by onnx's own evaluator.

Arguments: operator, number of the operand. Two shapes are tried: a vector and an image. Prints "ok", or
the first place where changing one element of the operand changes another element of the result.
"""

import sys

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

OPERANDS = {"Add": 2, "Sub": 2, "Mul": 2, "Div": 2, "Pow": 2, "Max": 3, "Min": 3, "Mean": 3, "Sum": 3, "PRelu": 2,
            "And": 2, "Or": 2, "Xor": 2, "BitwiseAnd": 2, "BitwiseOr": 2, "BitwiseXor": 2, "BatchNormalization": 5,
            "Clip": 3, "Dropout": 1}
LOGICAL = ("And", "Or", "Xor", "Not")
BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")


def shapes_of(op, count, shape):
    if op == "BatchNormalization":
        return [shape] + [(shape[1],)] * 4
    if op == "Clip":
        return [shape, (), ()]
    return [shape] * count


def main(op, number):
    kind, dtype = TensorProto.FLOAT, np.float32
    if op in LOGICAL:
        kind, dtype = TensorProto.BOOL, np.bool_
    elif op in BITWISE:
        kind, dtype = TensorProto.INT32, np.int32
    draw = np.random.default_rng(7)
    for shape in ((5, 3), (2, 3, 2, 2)):
        shapes = shapes_of(op, OPERANDS.get(op, 1), shape)
        names = ["x%d" % k for k in range(len(shapes))]
        graph = helper.make_graph(
            [helper.make_node(op, names, ["y"])], "one",
            [helper.make_tensor_value_info(n, kind, s) for n, s in zip(names, shapes)],
            [helper.make_tensor_value_info("y", kind, None)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)])
        run = ReferenceEvaluator(model)
        values = []
        for s in shapes:
            v = draw.uniform(0.1, 0.9, s) if dtype == np.float32 else draw.integers(0, 2, s)
            values.append(np.asarray(v, dtype=dtype))
        if op == "Clip":
            values[1:] = [np.float32(0.3), np.float32(0.7)]
        (result,) = run.run(None, dict(zip(names, values)))
        if result.shape != shape or result.dtype != dtype:
            return "the result is %s %s" % (result.dtype, result.shape)
        for at in range(result.size):
            changed = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
            x = changed[number].reshape(-1)
            x[at] = ~x[at] if dtype != np.float32 else 1.25 * x[at] + 0.01
            (other,) = run.run(None, dict(zip(names, changed)))
            differ = np.nonzero(other.reshape(-1) != result.reshape(-1))[0]
            if any(d != at for d in differ):
                return "element %d of the operand changes element %d of the result" % (at, [d for d in differ if d != at][0])
    return "ok"


for line in sys.stdin:
    op, number = line.split()
    print(op, number, main(op, int(number)), flush=True)

"""Checks that the models given.onnx and moved.onnx of each folder named are valid and compute the same.

It prints "equal" for each folder. The inputs are random, the same for both.
"""

import pathlib
import sys

import numpy
import onnx
from onnx.reference import ReferenceEvaluator


def outputs(path):
    model = onnx.load(path)
    onnx.checker.check_model(model)
    rng = numpy.random.default_rng(1)
    feeds = {}
    for value in model.graph.input:
        kind = value.type.tensor_type
        shape = [d.dim_value or 1 for d in kind.shape.dim]
        element = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        feeds[value.name] = rng.normal(size=shape).astype(element)
    return ReferenceEvaluator(model).run(None, feeds)


for folder in map(pathlib.Path, sys.argv[1:]):
    given, moved = outputs(folder / "given.onnx"), outputs(folder / "moved.onnx")
    for a, b in zip(given, moved, strict=True):
        assert numpy.array_equal(a, b, equal_nan=True), folder
    print("equal")

"""Holds claims of what a line of a result is computed from against onnx's reference evaluator.

Each claim names a model of one node, an input, an axis (0: rows, 1: columns), and for each line of the result the first
and the last line of the input. One line of the input is changed at a time. A line of the result that differs then must be
one that is computed from it. Away from the edges, the outermost lines of windows must make a difference.
"""

import json
import sys

import numpy
import onnx
from onnx.reference import ReferenceEvaluator

EXACT = {"Conv", "MaxPool", "Pad", "Concat", "Relu"}
random = numpy.random.default_rng(1)
held = 0
with open(sys.argv[1], encoding="utf-8") as file:
    claims = json.load(file)
for claim in claims:
    model = onnx.load(claim["File"])
    run = ReferenceEvaluator(model)
    feeds = {}
    for i in model.graph.input:
        dims = [d.dim_value for d in i.type.tensor_type.shape.dim]
        feeds[i.name] = random.random(dims, dtype=numpy.float32)
    axis = 2 + claim["Axis"]
    base = run.run(None, feeds)[0]
    x = feeds[claim["Input"]]
    at = axis - (4 - x.ndim)
    seen = [[] for _ in claim["Spans"]]
    for line in range(x.shape[at] if at >= 0 else 0):
        changed = x.copy()
        numpy.moveaxis(changed, at, 0)[line] += 10
        result = run.run(None, {**feeds, claim["Input"]: changed})[0]
        differs = (result != base) & ~(numpy.isnan(result) & numpy.isnan(base))
        lines = numpy.moveaxis(differs, axis, 0).reshape(result.shape[axis], -1).any(axis=1)
        for j in numpy.nonzero(lines)[0]:
            seen[j].append(line)
    for j, span in enumerate(claim["Spans"]):
        if any(i < span["First"] or i > span["Last"] for i in seen[j]):
            sys.exit(f"{claim}: line {j} depends on {seen[j]}")
        inside = 0 < span["First"] and span["Last"] < x.shape[at] - 1
        if claim["Op"] in EXACT and inside and (seen[j][0], seen[j][-1]) != (span["First"], span["Last"]):
            sys.exit(f"{claim}: line {j} depends on {seen[j]} only")
    held += 1
print(f"{held} hold")

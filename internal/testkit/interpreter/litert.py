"""Runs TensorFlow Lite models in LiteRT, with its reference kernels and with the default ones.

One JSON request a line on standard input, one JSON answer a line on standard
output. What they hold is in interpreter.go.
"""
import hashlib
import json
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType

KERNELS = (OpResolverType.BUILTIN_REF, OpResolverType.AUTO)


def value(detail, random):
    shape, kind = tuple(detail["shape"]), numpy.dtype(detail["dtype"])
    if kind.kind == "f":
        return random.standard_normal(shape).astype(kind)
    low, high = (-128, 128) if kind.itemsize == 1 else (-1000, 1000)
    if kind.kind == "u":
        low, high = 0, 200
    return random.integers(low, high, shape).astype(kind)


def outputs(path, kernels, request):
    interpreter = Interpreter(model_path=path, experimental_op_resolver_type=kernels, num_threads=1)
    interpreter.allocate_tensors()
    random, digest = numpy.random.default_rng(request.get("seed", 0)), hashlib.sha256()
    for _ in range(request.get("runs", 0)):
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(detail["index"], value(detail, random))
        interpreter.invoke()
        for detail in interpreter.get_output_details():
            digest.update(interpreter.get_tensor(detail["index"]).tobytes())
    return digest.hexdigest()


def answer(request):
    try:
        return {"outputs": " ".join(outputs(request["model"], kernels, request) for kernels in KERNELS)}
    except (RuntimeError, ValueError) as error:
        return {"error": str(error)}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

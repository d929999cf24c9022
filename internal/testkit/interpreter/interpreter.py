"""Runs TensorFlow Lite models in the interpreter of TensorFlow Lite Micro.

One JSON request a line on standard input, one JSON answer a line on standard
output. What they hold is in interpreter.go.
"""
import hashlib
import json
import os
import re
import sys
import tempfile

import numpy
from tflite_micro.python.tflite_micro import _runtime, runtime

schema = runtime.schema_fb

STEP = 16  # the runtime's alignment: no arena in between behaves otherwise


class Quiet:
    """What the interpreter prints: it writes to file descriptor 2."""

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.saved = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def text(self):
        self.file.seek(0)
        return self.file.read().decode("utf-8", "replace")

    def __exit__(self, *_):
        os.dup2(self.saved, 2)
        os.close(self.saved)
        self.file.close()


def variables(data):
    """The resource variables of a model, as the package counts them."""
    model = schema.Model.GetRootAsModel(data, 0)
    codes = []
    for i in range(model.OperatorCodesLength()):
        code = model.OperatorCodes(i)
        codes.append(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()))
    if schema.BuiltinOperator.VAR_HANDLE not in codes:
        return 0
    return runtime.count_resource_variables(data)


def make(data, count, arena, preserve=False):
    kinds = _runtime.PythonInterpreterConfig
    kind = kinds.kPreserveAllTensors if preserve else kinds.kAllocationRecording
    return _runtime.InterpreterWrapper(data, [], arena, count, kind, 0)


def tensors(model, which):
    graph = model.Subgraphs(0)
    return graph.InputsLength() if which == "inputs" else graph.OutputsLength()


def feed(model, interpreter, random):
    for i in range(tensors(model, "inputs")):
        details = interpreter.GetInputTensorDetails(i)
        shape, kind = tuple(int(n) for n in details["shape"]), numpy.dtype(details["dtype"])
        if kind.kind == "f":
            value = random.standard_normal(shape).astype(kind)
        elif kind.kind == "b":
            value = random.integers(0, 2, shape).astype(kind)
        else:
            low, high = (-128, 128) if kind.itemsize == 1 else (-1000, 1000)
            if kind.kind == "u":
                low, high = 0, 200
            value = random.integers(low, high, shape).astype(kind)
        interpreter.SetInputTensor(numpy.ascontiguousarray(value), i)


def outputs(data, interpreter, runs, seed):
    """A digest of the outputs of some runs on seeded inputs."""
    model = schema.Model.GetRootAsModel(data, 0)
    random = numpy.random.default_rng(seed)
    digest = hashlib.sha256()
    for _ in range(runs):
        feed(model, interpreter, random)
        interpreter.Invoke()
        for i in range(tensors(model, "outputs")):
            digest.update(interpreter.GetOutputTensor(i).tobytes())
    return digest.hexdigest()


def allocations(interpreter):
    with Quiet() as quiet:
        interpreter.PrintAllocations()
        text = quiet.text()
    found = dict(re.findall(r"Arena allocation (\w+) (\d+) bytes", text))
    return {key: int(value) for key, value in found.items()}, text


def fits(data, count, arena):
    """Whether the model's tensors can be allocated in an arena. In a process of
    its own: far too small an arena crashes the interpreter."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            make(data, count, arena)
        except RuntimeError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def answer(request):
    with open(request["model"], "rb") as file:
        data = file.read()
    count = variables(data)
    arena = request["arena"]
    runs, seed = request.get("runs", 0), request.get("seed", 0)
    out = {}
    with Quiet() as quiet:
        try:
            interpreter = make(data, count, arena, request.get("preserve", False))
            if runs:
                out["outputs"] = outputs(data, interpreter, runs, seed)
        except (RuntimeError, ValueError) as error:
            said = [line for line in quiet.text().splitlines() if line.strip()]
            return {"error": "; ".join(said[:2] + [str(error)])}
    if request.get("preserve"):
        return out
    out["sizes"], out["report"] = allocations(interpreter)
    del interpreter
    if request.get("smallest"):
        # What is in use is a good guess, and a lower bound but for alignment.
        low, high = 0, arena // STEP * STEP
        guess = (out["sizes"]["total"] // STEP - 4) * STEP
        if 0 < guess < high and not fits(data, count, guess):
            low = guess
        if guess + 8 * STEP < high and fits(data, count, guess + 8 * STEP):
            high = guess + 8 * STEP
        while high - low > STEP:
            middle = (low + high) // 2 // STEP * STEP
            if fits(data, count, middle):
                high = middle
            else:
                low = middle
        out["smallest"] = high
        if runs:
            interpreter = make(data, count, high)
            out["smallest_outputs"] = outputs(data, interpreter, runs, seed)
    return out


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

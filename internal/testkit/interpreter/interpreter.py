"""Runs TensorFlow Lite models in the interpreter of TensorFlow Lite Micro.

One JSON request a line on standard input, one JSON answer a line on standard
output. What they hold is in interpreter.go.
"""
import ctypes
import hashlib
import json
import os
import re
import sys
import tempfile
import time

import numpy
from tflite_micro.python.tflite_micro import _runtime, runtime

schema = runtime.schema_fb

PLANNER = ctypes.CDLL(sys.argv[1]) if len(sys.argv) > 1 else None  # takes the place of the runtime's
INVOKED = [0.0]  # seconds of processor time in invocations, for this request
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
        began = time.process_time()
        interpreter.Invoke()
        INVOKED[0] += time.process_time() - began
        for i in range(tensors(model, "outputs")):
            digest.update(interpreter.GetOutputTensor(i).tobytes())
    return digest.hexdigest()


def run(data, count, arena, request, preserve=False):
    """Runs a model for each seed in an interpreter of its own, and returns the
    last of these and a digest for each seed."""
    runs, first = request.get("runs", 0), request.get("seed", 0)
    digests, interpreter = [], None
    for seed in range(first, first + max(request.get("seeds", 0), 1)):
        del interpreter  # its arena may be large
        interpreter = make(data, count, arena, preserve)
        if runs:
            digests.append(outputs(data, interpreter, runs, seed))
    return interpreter, " ".join(digests)


def allocations(interpreter):
    with Quiet() as quiet:
        interpreter.PrintAllocations()
        text = quiet.text()
    found = dict(re.findall(r"Arena allocation (\w+) (\d+) bytes", text))
    return {key: int(value) for key, value in found.items()}, text


def fits(data, count, arena):
    """Whether the model's tensors can be allocated in an arena: "fits", "refused"
    or "crashed". In a process of its own, since far too small an arena crashes the
    interpreter."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            make(data, count, arena)
        except RuntimeError:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return {0: "fits", 1: "refused"}.get(os.waitstatus_to_exitcode(status), "crashed")


def smallest(data, count, arena, guesses):
    """The smallest arena that works, and how one with a step less fails."""
    low, high, below = 0, arena // STEP * STEP, ""

    def attempt(size):
        nonlocal low, high, below
        if low < size < high:
            found = fits(data, count, size)
            if found == "fits":
                high = size
            else:
                low, below = size, found

    for guess in guesses:
        attempt(guess // STEP * STEP)
    while high - low > STEP:
        attempt((low + high) // 2 // STEP * STEP)
    return high, below


def answer(request):
    with open(request["model"], "rb") as file:
        data = file.read()
    count = variables(data)
    arena, out = request["arena"], {}
    INVOKED[0] = 0.0
    with Quiet() as quiet:
        try:
            interpreter, out["outputs"] = run(data, count, arena, request, request.get("preserve", False))
        except (RuntimeError, ValueError) as error:
            said = [line for line in quiet.text().splitlines() if line.strip()]
            return {"error": "; ".join(said[:2] + [str(error)])}
    if request.get("preserve"):
        return out
    out["seconds"] = INVOKED[0]
    out["sizes"], out["report"] = allocations(interpreter)
    del interpreter
    if request.get("smallest"):
        # What is in use is a good guess, and a lower bound but for alignment.
        expected, total = request.get("expected", 0), out["sizes"]["total"]
        guesses = [expected, expected - STEP, total - 4 * STEP, total + 8 * STEP]
        out["smallest"], out["below"] = smallest(data, count, arena, guesses)
        if request.get("runs", 0):
            out["smallest_outputs"] = run(data, count, out["smallest"], request)[1]
    if PLANNER:
        out["level"] = PLANNER.stowage_level()
    return out


def main():
    if PLANNER and PLANNER.stowage_swap(_runtime.__file__.encode()) != 0:
        sys.exit("the planner of the package cannot be replaced")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

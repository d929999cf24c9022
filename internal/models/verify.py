"""Runs two models of TensorFlow Lite Micro on the same inputs, and says whether their outputs are the same bytes.

Arguments: the first model and its arena in bytes, the second model and its arena. One line on standard output: equal,
different, or why it was not run.
"""
import sys

import numpy
from tflite_micro.python.tflite_micro import _runtime, runtime

SEEDS, RUNS = 3, 3


def outputs(path, arena):
    """The outputs of all runs."""
    with open(path, "rb") as file:
        data = file.read()
    graph = runtime.schema_fb.Model.GetRootAsModel(data, 0).Subgraphs(0)
    for seed in range(SEEDS):
        random = numpy.random.default_rng(seed)
        kind = _runtime.PythonInterpreterConfig.kAllocationRecording
        interpreter = _runtime.InterpreterWrapper(data, [], int(arena), 0, kind, 0)
        for _ in range(RUNS):
            for i in range(graph.InputsLength()):
                details = interpreter.GetInputTensorDetails(i)
                shape, kind = tuple(int(n) for n in details["shape"]), numpy.dtype(details["dtype"])
                if kind.kind == "f":
                    value = random.standard_normal(shape).astype(kind)
                else:
                    low, high = (0, 2) if kind.kind == "b" else (0, 256) if kind.kind == "u" else (-128, 128)
                    value = random.integers(low, high, shape).astype(kind)
                interpreter.SetInputTensor(numpy.ascontiguousarray(value), i)
            interpreter.Invoke()
            for i in range(graph.OutputsLength()):
                yield interpreter.GetOutputTensor(i).tobytes()


try:
    want = list(outputs(sys.argv[1], sys.argv[2]))
except RuntimeError as error:
    print("not run: the interpreter does not run the model as it is: %s" % " ".join(str(error).split()))
    sys.exit()
try:
    got = list(outputs(sys.argv[3], sys.argv[4]))
except RuntimeError as error:
    print("different: the interpreter refuses the new model: %s" % " ".join(str(error).split()))
    sys.exit()
print("equal" if want == got else "different: the outputs are not the same")

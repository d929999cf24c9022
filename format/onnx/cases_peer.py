# Writes onnx's own test cases of operators as models into the folder given, and prints
# what each really computes: the types and shapes of its outputs, and the elements of
# small ones. What the models say of their outputs' shapes is taken out. Each case is
# there twice: as it is, and with its small inputs as initialisers.
import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

folder = sys.argv[1]
SMALL = 64


def plain(x):
    return isinstance(x, np.ndarray) and x.dtype.kind in "iubf" and x.dtype.name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "float32", "float64")


out = []
for case in collect_testcases(None):
    if case.model is None or not case.data_sets:
        continue
    inputs, outputs = case.data_sets[0]
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    types = {}
    for o in model.graph.output:
        if o.type.HasField("tensor_type"):
            types[o.name] = o.type.tensor_type.elem_type
            o.type.tensor_type.ClearField("shape")
    expected = []
    for o, x in zip(model.graph.output, outputs):
        e = {"name": o.name}
        if o.name in types and hasattr(x, "shape"):
            e.update(tensor=True, type=types[o.name], shape=list(x.shape))
            if plain(x) and x.size <= SMALL:
                v = x.flatten()
                e["elements"] = [str(int(i)) if x.dtype.kind in "iub" else repr(float(i)) for i in v]
        expected.append(e)
    for baked in (False, True):
        if baked:
            changed = False
            for i, x in list(zip(model.graph.input, inputs)):
                if plain(x) and x.size <= SMALL:
                    model.graph.initializer.append(onnx.numpy_helper.from_array(x, i.name))
                    model.graph.input.remove(i)
                    changed = True
            if not changed:
                continue
        path = os.path.join(folder, case.name + ("_baked" if baked else "") + ".onnx")
        onnx.save(model, path)
        out.append({"path": path, "baked": baked, "outputs": expected})
json.dump(out, sys.stdout)

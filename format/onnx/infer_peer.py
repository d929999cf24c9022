# Prints what onnx.shape_inference says of models: for each file given, and for each
# model that the onnx wheel carries, its values with types and shapes. DIMS, in the
# environment, settles open dimensions of inputs: a name or INPUT:AXIS, = and a number.
import glob
import json
import os
import sys

import onnx
from onnx import shape_inference

# VALUES makes inputs that are one number initialisers with a value.
values = {k: int(v) for k, v in (d.rsplit("=", 1) for d in os.environ.get("VALUES", "").split())}
given = dict(d.rsplit("=", 1) for d in os.environ.get("DIMS", "").split())
root = os.path.join(os.path.dirname(onnx.__file__))
files = sys.argv[1:] or sorted(glob.glob(root + "/**/*.onnx", recursive=True))


def shape(t):
    if not t.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") else -1 for d in t.shape.dim]


def collect(graph, values):
    for v in list(graph.value_info) + list(graph.output):
        if v.type.HasField("tensor_type"):
            s = shape(v.type.tensor_type)
            if s is not None:
                values.setdefault(v.name, []).append({"type": v.type.tensor_type.elem_type, "shape": s})
    for n in graph.node:
        for a in n.attribute:
            if a.HasField("g"):
                collect(a.g, values)


def open_dims(model, default):
    dims = {}
    for i in model.graph.input:
        if not i.type.HasField("tensor_type"):
            continue
        for k, d in enumerate(i.type.tensor_type.shape.dim):
            if d.HasField("dim_value") and d.dim_value >= 0:
                continue
            key = d.dim_param or "%s:%d" % (i.name, k)
            dims[key] = int(given.get(key, default))
            d.ClearField("dim_param")
            d.dim_value = dims[key]
    return dims


out = []
for path in files:
    model = onnx.load(path, load_external_data=False)
    dims = open_dims(model, 1)
    fixed = {i.name: values[i.name] for i in model.graph.input if i.name in values}
    for i in [i for i in model.graph.input if i.name in fixed]:
        t = i.type.tensor_type
        model.graph.initializer.append(onnx.helper.make_tensor(i.name, t.elem_type, shape(t), [fixed[i.name]]))
        model.graph.input.remove(i)
    entry = {"path": path, "dims": dims, "fixed": fixed, "values": {}}
    try:
        inferred = shape_inference.infer_shapes(model, data_prop=True)
        collect(inferred.graph, entry["values"])
    except Exception as e:
        entry["error"] = str(e)
    out.append(entry)
json.dump(out, sys.stdout)

# Runs two ONNX models on the same random inputs: ORIGINAL PLANNED DIMENSIONS. Prints "equal ..." or "different ...".
# Kernels may add in another order for another size, so results count as equal within 1/1000 of the largest one.
import json
import sys

import numpy
import onnxruntime

SEEDS = 3
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
given, planned = (onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]) for path in sys.argv[1:3])
dims = json.loads(sys.argv[3]) or {}
types = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(uint8)": "u1", "tensor(int8)": "i1", "tensor(int32)": "i4", "tensor(int64)": "i8"}
worst = 0.0
for seed in range(SEEDS):
    random = numpy.random.default_rng(seed)
    feeds = {}
    for x in given.get_inputs():
        shape = [d if isinstance(d, int) else dims.get(d, dims.get(f"{x.name}:{k}", 1)) for k, d in enumerate(x.shape)]
        kind = numpy.dtype(types[x.type])
        feeds[x.name] = random.standard_normal(shape).astype(kind) if kind.kind == "f" else random.integers(0, 127, shape).astype(kind)
    for k, (a, b) in enumerate(zip(given.run(None, feeds), planned.run(None, feeds))):
        if a.tobytes() == b.tobytes():
            continue
        if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind not in "fiu":
            print(f"different: output {k}, seed {seed}, has another type or shape")
            sys.exit(1)
        a, b = a.astype("f8"), b.astype("f8")
        far = float(abs(a - b).max() / max(abs(a).max(), 1e-30)) if numpy.isfinite(a).all() else float("inf")
        if not far <= 1e-3:
            print(f"different: output {k}, seed {seed}, by {far:.2g} of its largest element")
            sys.exit(1)
        worst = max(worst, far)
print(f"equal {f'within {worst:.1g} of the largest element' if worst else 'bits'}: {SEEDS} seeds in onnxruntime {onnxruntime.__version__}")

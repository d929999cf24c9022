"""ONNX models in strips in ONNX Runtime: python3 lab/bench/onnxstrips/run.py STOWAGE [MODEL...] prints the table of its README.

STOWAGE is the command, MODEL a name as the table has it; without names all are measured. The models are the light ones of the package onnx, whose weights are constants: here they get random
weights, so that outputs say something. Each model is split by `stowage plan --split`. Both run in ONNX Runtime at its
default options, with one thread, on three random inputs. Its arena's own statistics say what was in use at most in four
invocations, without weights: by default, where chunks are not divided, and with an arena that gives each request its own size.
ONNX Runtime does not always order its nodes alike, so each figure is the median of PROCESSES processes.
"""

import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
from stowage.onnxruntime import _default, _session  # noqa: E402

PROCESSES = 5
LIGHT = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/light")


def weighted(path, into):
    """Writes a light model with random weights of its own shapes."""
    model = onnx.load(path)
    random, shapes = np.random.default_rng(43), {x.name: numpy_helper.to_array(x) for x in model.graph.initializer}
    stay = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape":
            stay.append(node)
            continue
        shape = shapes[node.input[0]]
        x = random.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:]))) * 1.4 if len(shape) > 1 else random.uniform(0.5, 1, shape)
        model.graph.initializer.append(numpy_helper.from_array(x.astype("f4"), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(stay)
    model.ir_version = max(model.ir_version, 4)  # from then on an initialiser that is an input is a default
    inputs = [x for x in model.graph.input if x.name not in shapes]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    onnx.save(model, into)


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feeds(path, seed):
    random = np.random.default_rng(seed)
    return {x.name: random.standard_normal(x.shape).astype("f4") for x in session(path).get_inputs()}


def used(path, how):
    """Prints what was in use at most; in a process of its own."""
    adapter, entry = _session.shared.library(_session.ORT)._name, ""
    if how == "exact":
        memory = onnxruntime.OrtMemoryInfo("Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT)
        onnxruntime.create_and_register_allocator(memory, onnxruntime.OrtArenaCfg(0, 1, -1, 1))
        entry = "session.use_env_allocators"
    print(_default.taken(adapter, path, feeds(path, 0), entry)[1])


def median(path, how):
    """Returns the median of what was in use at most, and by how much of it one process differed from it."""
    run = [sys.executable, __file__, "--used", path, how]
    all_ = [int(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(PROCESSES)]
    middle = statistics.median(all_)
    return middle, max(abs(x - middle) for x in all_) / middle


def measure(stowage, path, folder):
    name = os.path.basename(path)[len("light_") : -len(".onnx")]
    given, split = os.path.join(folder, name + ".onnx"), os.path.join(folder, name + ".split.onnx")
    weighted(path, given)
    said = json.loads(subprocess.run([stowage, "plan", "--split", "--json", "-o", split, given], capture_output=True, text=True, check=True).stdout)
    worst, same = 0.0, True
    for seed in range(3):
        x = feeds(given, seed)
        for a, b in zip(session(given).run(None, x), session(split).run(None, x), strict=True):
            same &= a.tobytes() == b.tobytes()
            worst = max(worst, float(np.abs(a - b).max() / np.abs(a).max()))
    cells = [name, f"{said['split']['extra_macs'] / said['split']['macs']:.1%}" if said["split"]["split"] else "not split", said["nodes"]]
    for how in ("default", "exact"):
        (a, from_a), (b, from_b) = (median(p, how) for p in (given, split))
        cells += [f"{a:,}", f"{b:,}", f"{1 - b / a:.1%}", f"{max(from_a, from_b):.1%}"]
    return [*cells, "same bits" if same else f"within {worst:.1g}"]


def main(stowage, *names):
    print("| model | arithmetic | nodes | in use, default | split | less | spread | in use, own sizes | split | less | spread | outputs |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
    for path in sorted(glob.glob(LIGHT + "/light_*.onnx")):
        if names and os.path.basename(path)[len("light_") : -len(".onnx")] not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            print("|", " | ".join(map(str, measure(stowage, path, folder))), "|", flush=True)


if __name__ == "__main__":
    used(*sys.argv[2:]) if sys.argv[1] == "--used" else main(*sys.argv[1:])

"""Models in ONNX Runtime, with and without an arena of Stowage's: outputs, bytes beside ONNX Runtime's arena, times.

Usage, where ./python, onnxruntime, numpy and the packages of MODELS are installed:

    python3 lab/bench/onnxruntime/run.py              # or names of models

Each model gets inputs at random, another one for each run. One session is ONNX Runtime's own, one has an arena in guard mode
that is poisoned before each run, and one has an arena as users have it. Outputs of the first two are compared byte by byte,
and the first and the third take turns for the times.

Beside the plan stand four figures, all without weights. `arena` is what ONNX Runtime's own arena holds after four runs;
`used` is what was in use of it at most. `as requested` is what it holds with arena_extend_strategy kSameAsRequested. `malloc` is
what glibc takes for the same runs without any arena, which is enable_cpu_mem_arena = False. Bytes are exact; times are as good as the machine is quiet.
"""

import argparse
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime

import stowage.onnxruntime
from stowage.onnxruntime import _default, _session

RUNS = 20


def pictures(name, *shape):
    """Returns what makes an input of floats between 0 and 1."""
    return lambda random: {name: random.random(shape, "float32")}


def silence(random):
    """A piece of sound for silero-vad, at 16 kHz, with the state of the model."""
    return {"input": random.random((1, 512), "float32") - 0.5, "state": np.zeros((2, 1, 128), "float32"), "sr": np.array(16000)}


# Name, package of PyPI and the file in it, inputs.
MODELS = {
    "PP-OCRv4 detection, 640 x 640": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_det_infer.onnx", pictures("x", 1, 3, 640, 640)),
    "PP-OCRv4 recognition, 6 lines": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx", pictures("x", 6, 3, 48, 320)),
    "PP-OCRv2 classification, 6 lines": ("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", pictures("x", 6, 3, 48, 192)),
    "ddddocr detection (YOLOX)": ("ddddocr", "common_det.onnx", pictures("images", 1, 3, 416, 416)),
    "ddddocr recognition": ("ddddocr", "common.onnx", pictures("input1", 1, 1, 64, 200)),
    "magika, 32 files": ("magika", "models/standard_v3_3/model.onnx", lambda random: {"bytes": random.integers(0, 256, (32, 2048), "int32")}),
    "silero-vad": ("silero_vad", "data/silero_vad.onnx", silence),
}


def model_of(package, file):
    """Returns the path of a model; None if its package is not installed."""
    found = importlib.util.find_spec(package)
    return found and str(pathlib.Path(found.submodule_search_locations[0]) / file)


def threads(options):
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return options


def session(path, **more):
    return stowage.onnxruntime.InferenceSession(path, threads(onnxruntime.SessionOptions()), wait=120, **more)


def as_requested(path, file, names):
    """Prints what ONNX Runtime's arena holds if it takes what it is asked for; in a process of its own."""
    adapter = _session.shared.library(_session.ORT)._name
    memory = onnxruntime.OrtMemoryInfo("Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT)
    onnxruntime.create_and_register_allocator(memory, onnxruntime.OrtArenaCfg(0, 1, -1, -1))
    with np.load(file) as found:
        print(*_default.taken(adapter, path, {name: found[name] for name in names}, "session.use_env_allocators"))


def default(path, feeds, *flags):
    """Returns what another process prints: of _default.py, or of this file with a flag."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "inputs.npz")
        np.savez(file, **({name: x for name, x in feeds.items()} if flags else {f"i{k}": x for k, x in enumerate(feeds.values())}))
        words = [__file__, *flags] if flags else [_default.__file__, _session.shared.library(_session.ORT)._name]
        done = subprocess.run([sys.executable, *words, path, str(file), *feeds], capture_output=True, text=True, check=True)
        return [int(word) for word in done.stdout.split()]


def malloc(path, feeds):
    """Returns what glibc takes for a run without an arena and with the reuse of ONNX Runtime's own."""
    options = threads(stowage.onnxruntime.options())
    options.enable_mem_reuse = True
    plain, a = onnxruntime.InferenceSession(path, options), stowage.onnxruntime.arena(record=4)
    for _ in range(4):
        with a:
            plain.run(None, feeds)
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        trace.write_text(a.trace(), encoding="ascii")
        replay = pathlib.Path(__file__).resolve().parents[1] / "torch/malloc.py"
        return int(subprocess.run([sys.executable, str(replay), str(trace)], capture_output=True, text=True, check=True).stdout)


def measure(name):
    """Returns the figures of a model; None if it is not there."""
    package, file, make = MODELS[name]
    path = model_of(package, file)
    if path is None or not pathlib.Path(path).exists():
        print(f"{name}: the package {package} is not installed", file=sys.stderr)
        return None
    random = np.random.default_rng(0)
    plain, guarded, served = onnxruntime.InferenceSession(path, threads(onnxruntime.SessionOptions())), session(path, guard=True, poison=True), session(path)
    equal, times = True, []
    for _ in range(RUNS):
        feeds = make(random)
        outputs, ratios = [], []
        for s in (plain, guarded):
            outputs.append(s.run(None, feeds))
        equal &= all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in zip(*outputs, strict=True))
        for s in (plain, served):
            begin = time.perf_counter()
            s.run(None, feeds)
            ratios.append(time.perf_counter() - begin)
        times.append(ratios)
    stats, last = served.stats(), served.arena._read().last
    counts = guarded.arena._read().all
    after = counts.served + counts.missed + counts.refused + counts.kept
    held, used = default(path, feeds)
    requested = default(path, feeds, "--as-requested")[0]
    return {
        "model": name, "allocations": last.served + last.missed + last.refused + last.kept, "equal": bool(equal), "served": counts.served / after,
        "kept": last.kept, "plan": stats.height, "bound": stats.bound, "peak": stats.peak, "arena": held, "used": used, "requested": requested, "malloc": malloc(path, feeds),
        "plain_ms": 1000 * statistics.median(p for p, _ in times[4:]), "ratio": statistics.median(q / p for p, q in times[4:]), "damaged": guarded.stats().damaged + guarded.arena.check(),
    }  # fmt: skip


def row(f):
    """A line of the table in README.md."""
    over = [f"{100 * (f[x] / f['peak'] - 1):+.1f}%" if f[x] else "0 bytes" for x in ("used", "requested", "malloc")]
    return (
        f"| {f['model']} | {f['allocations']:,} | {'equal' if f['equal'] and not f['damaged'] else '**NOT EQUAL**'} | {f['served']:.2%} | {f['plan']:,} | "
        f"{'yes' if f['plan'] == f['bound'] else 'no'} | {f['peak']:,} | {f['arena']:,} | {1 - f['peak'] / f['arena']:.1%} | {' | '.join(over)} | {f['plain_ms']:.1f} | {100 * (f['ratio'] - 1):+.1f}% |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="of " + "; ".join(MODELS))
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("--as-requested", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.as_requested:
        path, file, *names = arguments.as_requested
        as_requested(path, file, names)
        return
    if unknown := [name for name in arguments.models if name not in MODELS]:
        parser.error(f"no model {unknown[0]}: {'; '.join(MODELS)}")
    print("| model | allocations a run | outputs | served | plan, bytes | proven | peak | ONNX Runtime's arena | saved | used | as requested | malloc | plain, ms | with arena |")
    print("|---|---:|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    found = []
    for name in arguments.models or MODELS:
        if f := measure(name):
            print(row(f), flush=True)
            found.append(f)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

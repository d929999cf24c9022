"""Plans networks by ExecuTorch's exporter, with its greedy and with Stowage, runs both
programs, and prints the table of python/bench/README.md.

    export PYTHONPATH=python PATH="$PWD/bin:$PATH"
    python python/bench/tables.py --into python/bench/README.md

It needs executorch with torch. Rows of torchvision's networks, at their published
sizes and with random weights, come where it is installed. --raw FILE keeps what was
measured, --names A,B takes some of the rows.
"""

import argparse
import copy
import json
import logging
import os
import platform
import tempfile
import time
import warnings

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import Runtime, Verification
from torch.export import export

import networks
from stowage_executorch import Stowage

# torchvision's networks by name: what they are made with, and the side of an image.
PUBLISHED = {
    "densenet121": ({}, 224),
    "inception_v3": ({"init_weights": False}, 299),
    "googlenet": ({"init_weights": False}, 224),
    "mobilenet_v2": ({}, 224),
    "mobilenet_v3_small": ({}, 224),
    "shufflenet_v2_x1_0": ({}, 224),
    "efficientnet_b0": ({}, 224),
    "squeezenet1_1": ({}, 224),
    "resnet18": ({}, 224),
}


class Timed(Stowage):
    """The algorithm, and how long it took beyond ExecuTorch's own."""

    __name__, seconds = "stowage", 0.0

    def __call__(self, *args):
        start = time.perf_counter()
        try:
            return super().__call__(*args)
        finally:
            self.seconds += time.perf_counter() - start


def published():
    try:
        from torchvision import models
    except ImportError:
        return {}

    def make(name):
        options, side = PUBLISHED[name]
        torch.manual_seed(0)
        return getattr(models, name)(weights=None, **options).eval(), (torch.randn(1, 3, side, side),)

    return {name: lambda name=name: make(name) for name in PUBLISHED}


def run(program, args):
    method = Runtime.get().load_program(program.buffer, verification=Verification.Minimal).load_method("forward")
    return [value.clone() for value in method.execute(list(args))]


def measure(name, make):
    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite

    module, args = make()
    edge = to_edge(export(module, args))
    ours = Timed()
    programs, sizes = [], []
    for algorithm in (None, ours):
        chosen = MemoryPlanningAlgorithmSuite(algorithm and [algorithm])
        config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(memory_planning_algo=chosen))
        programs.append(copy.deepcopy(edge).to_executorch(config))
        sizes.append(sum(programs[-1].executorch_program.execution_plan[0].non_const_buffer_sizes))
    outputs = [run(program, args) for program in programs]
    with torch.no_grad():
        wanted = module(*args)
    arenas = ours.arenas
    return {
        "network": name,
        "tensors": sum(a.tensors for a in arenas),
        "greedy": sizes[0],
        "stowage": sizes[1],
        "lower_bound": sum(a.lower_bound for a in arenas),
        "proven": all(a.proven for a in arenas),
        "milliseconds": round(1000 * ours.seconds, 1),
        "same_outputs": all(torch.equal(a, b) for a, b in zip(*outputs)),
        "off_eager": max(float((a - b).abs().max()) for a, b in zip(outputs[1], wanted if isinstance(wanted, tuple) else [wanted])),
    }


def table(rows):
    lines = [
        "| network | tensors | greedy | Stowage | less | least possible | planning, ms | outputs |",
        "|---|---:|---:|---:|---:|---|---:|---|",
    ]
    for r in rows:
        lines.append(
            f"| {r['network']} | {r['tensors']} | {r['greedy']:,} | {r['stowage']:,} | {100 - 100 * r['stowage'] / r['greedy']:.1f}% "
            f"| {'proven' if r['proven'] else format(r['lower_bound'], ',')} | {r['milliseconds']:.0f} "
            f"| {'the same' if r['same_outputs'] else '**differ**'} |"
        )
    return lines


def write_into(path, lines):
    """Replaces the marked block of a document as a whole."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    first, last = "<!-- bench:executorch -->\n", "<!-- /bench:executorch -->\n"
    if text.count(first) != 1 or text.count(last) != 1 or text.index(last) < text.index(first):
        raise SystemExit(f"{path} has no block between {first.strip()} and {last.strip()}")
    text = text[: text.index(first) + len(first)] + "\n".join(lines) + "\n" + text[text.index(last) :]
    replace(path, text)


def replace(path, text):
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as f:
        f.write(text)
    os.chmod(f.name, 0o644)
    os.replace(f.name, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", metavar="FILE", help="write the table into the document FILE")
    parser.add_argument("--raw", metavar="FILE", help="write what was measured to FILE as JSON")
    parser.add_argument("--names", metavar="A,B", help="these networks only")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)

    known = {name: lambda name=name: networks.make(name) for name in networks.NETWORKS} | published()
    names = options.names.split(",") if options.names else list(known)
    for name in names:
        if name not in known:
            parser.error(f"--names: there is no network {name!r}; there are {', '.join(known)}")
    rows = []
    for name in names:
        rows.append(measure(name, known[name]))
        print(table(rows)[-1], flush=True)
    from importlib.metadata import version

    about = ", ".join(f"{p} {version(p)}" for p in ("executorch", "torch", "torchvision") if p != "torchvision" or published())
    lines = [*table(rows), "", f"{about}; Python {platform.python_version()}, {platform.system().lower()}/{platform.machine()}; {time.strftime('%Y-%m-%d')}."]
    if options.raw:
        replace(options.raw, json.dumps({"about": about, "date": time.strftime("%Y-%m-%d"), "rows": rows}, indent=1, ensure_ascii=False) + "\n")
    if options.into:
        write_into(options.into, lines)
    if any(r["stowage"] > r["greedy"] or not r["same_outputs"] for r in rows):
        raise SystemExit("a program is larger than greedy's, or its outputs differ")


if __name__ == "__main__":
    main()

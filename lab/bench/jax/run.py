"""Programs of JAX on a CPU with their heaps planned by XLA and anew: bytes as XLA reports them, outputs compared.

python3 run.py [--runs N] [--timeout SECONDS] [--times N] [--json FILE] [PROGRAM ...]

It prints a row of Markdown for each program. A program that stowage.jax refuses has its reason in place of figures."""

import argparse
import json
import os
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
from programs import PROGRAMS

import stowage.jax
from stowage.jax import _run


def ratios(old, new, given, rounds):
    """Returns the median ratios of wall time and of processor time, the new function's over the old one's.

    They run in turn, and every other round the new one runs first. One round before is not counted."""
    out = []
    for k in range(rounds + 1):
        took = {}
        for function in (old, new) if k % 2 else (new, old):
            args, kwargs = jax.block_until_ready(jax.tree.map(lambda x: jax.numpy.array(x, copy=True), given))
            begin = time.perf_counter(), time.process_time()
            jax.block_until_ready(function(*args, **kwargs))
            took[function] = time.perf_counter() - begin[0], time.process_time() - begin[1]
        if k > 0:
            out.append([a / b for a, b in zip(took[new], took[old], strict=True)])
    return [statistics.median(x) for x in zip(*out, strict=True)]


def measure(name, runs, timeout, rounds):
    function, shapes = PROGRAMS[name]()
    compiled = function.lower(*shapes).compile()
    row = {"program": name, "xla": compiled.memory_analysis().temp_size_in_bytes}
    try:
        better, report = stowage.jax.replan(compiled, runs=runs, timeout=timeout)
    except stowage.jax.Refused as err:
        return {**row, "refused": str(err)}
    given = _run._random(compiled.args_info, compiled.in_tree, 0)
    times = dict(zip(("time", "processor"), ratios(compiled, better, given, rounds), strict=True)) if rounds and better is not compiled else {}
    return {
        **row, "stowage": better.memory_analysis().temp_size_in_bytes, "bound": report.bound, "status": report.status, "buffers": report.buffers,
        "steps": report.steps, "loops": report.kinds.get("while", 0), "runs": report.runs, "seconds": report.seconds,
        **times,
    }  # fmt: skip


def row(r):
    if "refused" in r:
        return f"| {r['program']} | {r['xla']:,} | refused: {r['refused']} |"
    proof = "yes" if r["status"] == "optimal" else f"at least {r['bound']:,}"
    same = f"equal in {r['runs']}" if r["stowage"] < r["xla"] else "not rewritten"
    time = f" {100 * r['time'] - 100:+.1f}% | {100 * r['processor'] - 100:+.1f}% |" if "time" in r else ""
    less = f"{100 - 100 * r['stowage'] / r['xla']:.2f}%"
    return (
        f"| {r['program']} | {r['buffers']:,} | {r['loops']} | {r['xla']:,} | {r['stowage']:,} | {less} | {proof} | {same} | "
        f"{r['seconds']:.2f} |{time}"
    )


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--runs", type=int, default=20, help="runs in which outputs are compared, each on other random inputs")
    p.add_argument("--timeout", type=float, default=10, help="seconds for planning")
    p.add_argument("--times", type=int, default=0, metavar="N", help="also run both N times in turn, and print the median ratios of wall time and processor time")
    p.add_argument("--json", help="a file for the figures")
    p.add_argument("programs", nargs="*", help="names of programs; all if none is given")
    a = p.parse_args()
    rows = []
    print("| program | buffers | loops | XLA | Stowage | less | proven | outputs | seconds |" + " time | processor time |" * (a.times > 0))
    print("|---|---:|---:|---:|---:|---:|---|---|---:|" + "---:|---:|" * (a.times > 0))
    for name in a.programs or PROGRAMS:
        rows.append(measure(name, a.runs, a.timeout, a.times))
        print(row(rows[-1]), flush=True)
        if a.json:
            with open(a.json, "w") as f:
                json.dump({"jaxlib": __import__("jaxlib").__version__, "runs": a.runs, "rows": rows}, f, indent=1)
                f.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

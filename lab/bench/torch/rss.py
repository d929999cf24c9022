#!/usr/bin/env python3
"""Resident memory of PyTorch programs with and without an arena, as a table in Markdown:

    pip install ./python torch
    apt-get install libjemalloc2                  # for the columns of jemalloc
    python3 lab/bench/torch/rss.py --into docs/pytorch.md       # or names of programs

What a user sees is the memory of the process, so that is what is read: /proc/self/status, in a process for each
program and allocator, of which each runs three times in turn. "whole" is the most resident memory of all steps, "steady"
that after the first eight, both less what the process had before the first step. "cpu" is the processor time of the
steady steps. The losses must be equal bit by bit.

"plain" is PyTorch as it is: glibc's malloc. "mmap" is plain with MALLOC_MMAP_THRESHOLD_=131072 and
MALLOC_TRIM_THRESHOLD_=131072, so that malloc gives memory back at once. "jemalloc" is plain with LD_PRELOAD. "arena" records
and plans within the run, "file" has a plan from a run before.
"""

from __future__ import annotations

import argparse
import datetime
import glob
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile

WARM, STEPS, RUNS = 8, 20, 3
SYSTEM_ONLY = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}


def loop(_: int = 1):
    """The program of the README."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Sequential(*[torch.nn.Conv2d(3 if i == 0 else 32, 32, 3, padding=1) for i in range(8)])
    optimizer = torch.optim.AdamW(model.parameters())

    def step(_: int) -> float:
        optimizer.zero_grad()
        loss = model(torch.randn(8, 3, 64, 64)).relu().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def status(key: str) -> int:
    """Returns a field of the process's status, in KiB."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise SystemExit(f"/proc/self/status has no {key}")


def one(name: str, way: str, plan: str) -> dict:
    """Runs a program in this process."""
    import contextlib

    import torch

    torch.set_num_threads(1)
    arena = contextlib.nullcontext()
    if way in ("arena", "file"):
        import stowage.torch

        arena = stowage.torch.arena(wait=120, file=plan if way == "file" else None)
    if name == "loop":
        step = loop()
    else:
        from programs import PROGRAMS

        step = PROGRAMS[name]()
    before, whole, losses = status("VmRSS"), 0, []
    for i in range(STEPS):
        if i == WARM:
            whole = status("VmHWM")
            pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM begins anew
            began = resource.getrusage(resource.RUSAGE_SELF)
        with arena:
            losses.append(step(i))
    ended = resource.getrusage(resource.RUSAGE_SELF)
    steady = status("VmHWM")
    return {
        "whole": max(whole, steady) - before,
        "steady": steady - before,
        "rest": status("VmRSS") - before,
        "cpu": ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime,
        "losses": [x.hex() if isinstance(x, float) else repr(x) for x in losses],
        "state": str(arena.stats()) if way in ("arena", "file") else "",
    }


def measure(name: str) -> dict[str, dict]:
    """Returns the medians of a program, by allocator."""
    ways = {"plain": {}, "arena": {}, "file": {}, "mmap": SYSTEM_ONLY}
    if found := glob.glob("/usr/lib/*/libjemalloc.so.2"):
        ways["jemalloc"] = {"LD_PRELOAD": found[0]}
    all_runs: dict[str, list[dict]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan")
        for run in range(RUNS + 1):  # the first run makes the plan in the file, and warms the caches of the disk
            for way, environment in ways.items():
                args = [sys.executable, __file__, "--one", name, way, plan]
                out = subprocess.run(args, env=os.environ | environment, capture_output=True, text=True, check=False)
                if out.returncode:
                    raise SystemExit(f"{name}, {way}: {out.stderr}")
                got = json.loads(out.stdout.splitlines()[-1])
                if run:
                    all_runs[way].append(got)
                if got["losses"] != (all_runs["plain"] or [got])[0]["losses"]:
                    raise SystemExit(f"{name}, {way}: the losses differ from those without an arena")
                print(name, way, {k: v for k, v in got.items() if k != "losses"}, file=sys.stderr)
    return {
        way: {key: statistics.median(r[key] for r in runs) for key in ("whole", "steady", "rest", "cpu")}
        for way, runs in all_runs.items()
    }


HEAD = """| program | plain | arena | file | jemalloc | mmap | cpu: arena | jemalloc | mmap |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def table(found: dict[str, dict[str, dict]]) -> str:
    import torch

    rows = []
    for name, ways in found.items():
        plain = ways["plain"]
        cells = []
        for way in ("plain", "arena", "file", "jemalloc", "mmap"):
            w = ways.get(way)
            cells.append(f"{w['whole'] / 1024:.0f} / {w['steady'] / 1024:.0f}" if w else "")
        for way in ("arena", "jemalloc", "mmap"):
            cells.append(f"{ways[way]['cpu'] / plain['cpu']:.2f}" if way in ways else "")
        rows.append("| " + " | ".join([name, *cells]) + " |\n")
    return HEAD + "".join(rows) + (
        f"\ntorch {torch.__version__.split('+')[0]}, one thread, medians of {RUNS} runs; "
        f"Python {platform.python_version()}, {sys.platform}/{platform.machine()}; {datetime.date.today()}.\n"
    )


def into(path: str, text: str) -> None:
    """Puts the table into the marked block of a document."""
    page = pathlib.Path(path).read_text()
    before, rest = page.split("<!-- bench:rss -->\n", 1)
    _, after = rest.split("<!-- /bench:rss -->\n", 1)
    pathlib.Path(path).write_text(f"{before}<!-- bench:rss -->\n{text}<!-- /bench:rss -->\n{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=["loop"])
    parser.add_argument("--into", metavar="FILE", help="put the table into the document FILE")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(*given.one)))
        return
    text = table({name: measure(name) for name in given.programs})
    print(text)
    if given.into:
        into(given.into, text)


if __name__ == "__main__":
    main()

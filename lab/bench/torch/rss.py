#!/usr/bin/env python3
"""Resident memory of PyTorch programs with and without an arena, as a table in Markdown:

    pip install ./python torch torchvision timm transformers diffusers torch_geometric lightning accelerate pytorch-ignite
    apt-get install libjemalloc2                  # for the column of jemalloc
    python3 lab/bench/torch/rss.py --into docs/pytorch.md       # or names of programs; --runs 1 is faster

What a user sees is the memory of the process, so that is what is read, by this process from outside: /proc/PID/status, of a process for each
program and way. A program stops before its first step and where its steady state begins; its VmHWM is read and set anew there. "whole" is
the most of all steps, "steady" the most of the steady state, both less the resident memory before the first step. "cpu" is user and
system time of the steady state, with that of all processes that were started and have ended. Outputs must be equal bit by bit.

The ways: "plain" is PyTorch as it is, with glibc's malloc. "arena" records and plans within the run, "file" has a plan from a run
before. "jemalloc" is plain with LD_PRELOAD. "mmap" is plain with MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ of 131072, so that
malloc gives memory back at once. "trim" is plain with malloc_trim after every step. All ways of a program take turns.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import glob
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import rsstable

HERE = pathlib.Path(__file__).resolve().parent
SYSTEM_ONLY = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
TICK = os.sysconf("SC_CLK_TCK")


class Trim(contextlib.AbstractContextManager):
    """Gives back after every step what malloc does not use."""

    def __exit__(self, *_: object) -> None:
        ctypes.CDLL(None).malloc_trim(0)


def one(name: str, way: str, plan: str, threads: int) -> None:
    """Runs a program in this process, and tells the process outside what it needs to know."""
    import torch
    from real import PROGRAMS

    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(0)
    say, sys.stdout = sys.stdout, sys.stderr  # libraries print too
    arena: Any = Trim() if way == "trim" else contextlib.nullcontext()
    if way in ("arena", "file"):
        import stowage.torch

        arena = stowage.torch.arena(wait=120, file=plan if way == "file" else None)

    def mark(where: str) -> None:
        print(where, file=say, flush=True)
        sys.stdin.readline()

    out = PROGRAMS[name](arena, mark)
    mark("end")
    said = {}
    if way in ("arena", "file"):
        s = arena.stats()
        said = {"stats": {**s._asdict(), "text": str(s), "share": s.share, "fall": s.saved}}
    print(json.dumps({"values": hashlib.sha256(repr(out).encode()).hexdigest()[:16], "count": len(out), **said}), file=say, flush=True)


def status(pid: int, key: str) -> int:
    """Returns a field of a process's status, in KiB."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise SystemExit(f"/proc/{pid}/status has no {key}")


def cpu(pid: int) -> float:
    """Returns the processor time of a process and of those that it has waited for, in seconds."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / TICK


def run(name: str, way: str, plan: str, environment: dict[str, str], threads: int, program: str = __file__) -> dict[str, Any]:
    """Runs a program in a process of its own, and reads its memory from here."""
    words = [sys.executable, program, "--one", name, way, plan, "--threads", str(threads)]
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(
        words, env=os.environ | environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        found: dict[str, Any] = {}
        high, last = 0, ""
        for line in child.stdout:
            where = last = line.strip()
            if where not in ("before", "steady", "end"):
                continue
            found[where], found["cpu " + where] = status(child.pid, "VmHWM"), cpu(child.pid)
            if where == "before":
                found["rss before"] = status(child.pid, "VmRSS")
            else:
                high = max(high, found[where])
            found["rest"] = status(child.pid, "VmRSS")
            pathlib.Path(f"/proc/{child.pid}/clear_refs").write_text("5")  # VmHWM begins anew
            child.stdin.write("go on\n")
            child.stdin.flush()
        if child.wait() or not last.startswith("{"):
            errors.seek(0)
            raise SystemExit(f"{name}, {way}: {errors.read()[-3000:]}")
    before = found["rss before"]
    return {
        "whole": high - before, "steady": found["end"] - before, "rest": found["rest"] - before, "before": before,
        "cpu": found["cpu end"] - found["cpu steady"], **json.loads(last),
    }  # fmt: skip


def measure(name: str, given: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Returns all runs of a program, by way."""
    ways: dict[str, dict[str, str]] = {"plain": {}, "arena": {}, "file": {}, "mmap": SYSTEM_ONLY, "trim": {}}
    if found := glob.glob("/usr/lib/*/libjemalloc.so.2"):
        ways["jemalloc"] = {"LD_PRELOAD": found[0]}
    if given.ways:
        ways = {way: ways[way] for way in given.ways.split(",")}
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan")
        if "file" in ways:
            run(name, "file", plan, {}, given.threads)  # makes the plan
        for k in range(given.runs):
            for way, environment in ways.items():
                if k >= 3 and way in ("jemalloc", "mmap", "trim"):
                    continue
                got = run(name, way, plan, environment, given.threads)
                runs[way].append(got)
                first = next(r[0] for r in runs.values() if r)
                if (got["values"], got["count"]) != (first["values"], first["count"]):
                    raise SystemExit(f"{name}, {way}: the outputs differ from those without an arena")
                print(name, way, {k: v for k, v in got.items() if k not in ("values", "count", "stats")}, got.get("stats", {}).get("text", ""), file=sys.stderr)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--into", metavar="FILE", help="put the table into the document FILE")
    parser.add_argument("--runs", type=int, default=5, help="runs of plain, arena and file; of the others three at most")
    parser.add_argument("--ways", help="some of plain, arena, file, mmap, trim, jemalloc, with commas")
    parser.add_argument("--threads", type=int, default=1, help="0: as many as PyTorch takes by itself")
    parser.add_argument("--json", metavar="FILE", help="add the raw runs to FILE, a line for each program")
    parser.add_argument("--from", metavar="FILE", dest="source", help="make the table of raw runs in FILE instead of running anything")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one, given.threads)
        return
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    if given.source:
        for line in pathlib.Path(given.source).read_text().splitlines():
            found |= json.loads(line)
    else:
        from real import PROGRAMS

        for name in given.programs or PROGRAMS:
            found[name] = measure(name, given)
            if given.json:
                with open(given.json, "a") as f:
                    f.write(json.dumps({name: found[name]}) + "\n")
    text = rsstable.table(found) + rsstable.foot(found)
    print(text)
    if given.into:
        rsstable.into(given.into, text)


if __name__ == "__main__":
    main()

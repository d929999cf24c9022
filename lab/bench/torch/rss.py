#!/usr/bin/env python3
"""Resident memory of PyTorch programs with and without an arena, as a table in Markdown:

    pip install ./python torch torchvision timm transformers diffusers torch_geometric lightning accelerate pytorch-ignite
    apt-get install libjemalloc2                  # for the column of jemalloc
    python3 lab/bench/torch/rss.py --default --into lab/bench/torch/README.md       # or names of programs; --runs 1 is faster

What a user sees is the memory of the process, so that is what is read, by this process from outside: /proc/PID/status, of a process for each
program and way. A program stops before its first step, where its steady state begins, and after each step; its VmHWM is read and set anew
there. "whole" is the most of all steps, "steady" the most of the steady state, "steps" the most of each, all less the resident memory before the first step. "cpu" is user and
system time of the steady state, with that of all processes that were started and have ended. Outputs must be equal bit by bit.

The ways: "plain" is PyTorch as it is, with glibc's malloc. "arena" records and plans within the run, "file" has a plan from a run
before. "jemalloc" is plain with LD_PRELOAD. "mmap" is plain with MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ of 131072, so that
malloc gives memory back at once. "trim" is plain with malloc_trim after every step. "twin" is arena with a planner that fails: up to the
planning it is the same process, then it goes on with malloc alone. So it shows what this very process takes without a plan.

Runs come in rounds. In each, all ways of a program take turns on one core, with the same hash seed of Python and no randomised
addresses, so that malloc's heap is the same in all of them before the first step; each round has another seed. Without that,
processes of plain differ by as much as a plan saves. Each core runs one program at a time. The runs are kept in a file as they end, with
the commit they are of; what is there is not run again, so a measurement that was stopped goes on. The tables are made of that file.
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
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Optional

import rsstable
import stowage._command

HERE = pathlib.Path(__file__).resolve().parent
SYSTEM_ONLY = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
OURS = rsstable.OURS
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
    if way in OURS:
        import stowage.torch

        arena = stowage.torch.arena(wait=120, file=plan if way == "file" else None)

    def mark(where: str) -> None:
        if way in OURS and where != "before":
            arena.stats()  # it reads VmHWM, which the process outside then sets anew
        print(where, file=say, flush=True)
        sys.stdin.readline()

    out = PROGRAMS[name](arena, mark)
    mark("end")
    said = {}
    if way in OURS:
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


def run(
    name: str, way: str, plan: str, environment: dict[str, str], threads: int, program: str = __file__, core: Optional[int] = None, heap: int = 0
) -> dict[str, Any]:  # fmt: skip
    """Runs a program in a process of its own, on one core and with one layout of the heap if they are given, and reads its memory from here."""
    pinned = ["taskset", "-c", str(core)] if core is not None else []
    if heap:
        pinned += ["setarch", "-R"]
        environment = environment | {"PYTHONHASHSEED": str(heap)}
    words = [*pinned, sys.executable, program, "--one", name, "arena" if way == "twin" else way, plan, "--threads", str(threads)]
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(
        words, env=os.environ | environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        found: dict[str, Any] = {}
        last = ""
        most: list[int] = [0]  # of what is before the first step, before the steady state, in it
        steps: list[list[int]] = [[]]
        for line in child.stdout:
            where = last = line.strip()
            if where not in ("before", "step", "steady", "end"):
                continue
            now, spent, found["rest"] = status(child.pid, "VmHWM"), cpu(child.pid), status(child.pid, "VmRSS")
            if where == "before":
                found["rss before"] = found["rest"]
            else:
                most[-1] = max(most[-1], now)
            if where == "step":
                steps[-1].append(now - found["rss before"])
            else:
                found["cpu " + where] = spent
                most.append(0)
                steps.append([])
            pathlib.Path(f"/proc/{child.pid}/clear_refs").write_text("5")  # VmHWM begins anew
            child.stdin.write("go on\n")
            child.stdin.flush()
        if child.wait() or not last.startswith("{"):
            errors.seek(0)
            raise RuntimeError(f"{name}, {way}: {errors.read()[-3000:]}")
    before = found["rss before"]
    return {
        "whole": max(most[1:3]) - before, "steady": most[2] - before, "steps": steps[1:3], "rest": found["rest"] - before, "before": before,
        "cpu": found["cpu end"] - found["cpu steady"], "cpu whole": found["cpu end"] - found["cpu before"], "cpu all": found["cpu end"], **json.loads(last),
    }  # fmt: skip


def planners(folder: pathlib.Path) -> tuple[str, str]:
    """Returns names of the planner and of one that fails, of the same length: a longer word in the environment would move what lies in the heap."""
    found = []
    for name, command in (("plan", stowage._command.command()), ("none", shutil.which("false") or "false")):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(os.path.abspath(command))
        found.append(os.path.abspath(folder / name))
    return found[0], found[1]


def revision() -> str:
    """Returns the last commit that changed more than documents and the laboratory."""
    words = ["git", "-C", str(HERE), "log", "-1", "--format=%h", "--", ":/", ":(exclude,top)docs", ":(exclude,top)lab", ":(exclude,top)*.md"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


class Runs:
    """Raw runs, in a file that each is added to as it ends, so that a run that is interrupted goes on where it was."""

    def __init__(self, path: str) -> None:
        self.path, self.lock = pathlib.Path(path), threading.Lock()
        self.runs: list[dict[str, Any]] = []
        if self.path.exists():
            self.runs = [json.loads(line) for line in self.path.read_text().splitlines()]

    def has(self, name: str, way: str, threads: int, code: str, busy: bool, heap: int) -> bool:
        """Returns whether a program has run. What other allocators take does not depend on our code, but plain's time is compared with ours."""
        wanted = name, way, threads, busy, heap
        return any(
            (r["program"], r["way"], r["threads"], r["busy"], r.get("heap", 0)) == wanted and (way not in ("plain", *OURS) or r["code"] == code)
            for r in self.runs
        )

    def add(self, got: dict[str, Any]) -> None:
        with self.lock:
            for other in self.runs:
                if (other["program"], other["threads"]) == (got["program"], got["threads"]) and other["values"] != got["values"]:
                    raise RuntimeError(f"{got['program']}, {got['way']}: the outputs differ from those of {other['way']}")
            self.runs.append(got)
            with self.path.open("a") as f:
                f.write(json.dumps(got) + "\n")


def measure(runs: Runs, given: argparse.Namespace) -> int:
    """Runs what is not there yet, on each core one program at a time, and returns how many runs failed."""
    code, end = revision(), time.monotonic() + given.minutes * 60
    folder = runs.path.with_name(runs.path.name + ".plans")
    folder.mkdir(exist_ok=True)
    planner, none = planners(folder) if given.runs else ("", "")
    ways: dict[str, dict[str, str]] = {
        "plain": {}, "twin": {"STOWAGE": none}, "arena": {"STOWAGE": planner}, "file": {"STOWAGE": planner}, "mmap": SYSTEM_ONLY, "trim": {},
    }  # fmt: skip
    if found := glob.glob("/usr/lib/*/libjemalloc.so.2"):
        ways["jemalloc"] = {"LD_PRELOAD": found[0]}
    ways = {way: ways[way] for way in given.ways.split(",")} if given.ways else ways
    jobs: queue.SimpleQueue[tuple[str, int, dict[str, dict[str, str]]]] = queue.SimpleQueue()
    for k in range(given.runs):
        for name in given.programs:
            jobs.put((name, k + 1, {way: environment for way, environment in ways.items() if k < 3 or way in ("plain", *OURS)}))
    failed = []

    def take(name: str, heap: int, those: dict[str, dict[str, str]], threads: int, core: Optional[int]) -> None:
        plan = folder / f"{name}.{code}"
        for way, environment in those.items():
            if runs.has(name, way, threads, code, given.busy, heap) or given.minutes and time.monotonic() > end:
                continue
            try:
                if way == "file" and not plan.exists():
                    run(name, way, str(plan), environment, threads, core=core, heap=heap)  # makes the plan
                got = run(name, way, str(plan), environment, threads, core=core, heap=heap)
                runs.add({"program": name, "way": way, "threads": threads, "code": code, "busy": given.busy, "heap": heap, **got})
                figures = (f"{key} {got[key]:.7g}" for key in ("whole", "steady", "cpu", "cpu whole", "cpu all"))
                print(name, way, threads, *figures, got.get("stats", {}).get("text", ""), file=sys.stderr, flush=True)
            except RuntimeError as err:
                failed.append(err)
                print(f"FAILED: {err}", file=sys.stderr, flush=True)

    def work(core: int) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                take(*jobs.get_nowait(), 1, core)

    workers = [threading.Thread(target=work, args=(core,), daemon=True) for core in sorted(os.sched_getaffinity(0))]
    for name in given.programs if given.default else ():
        take(name, 1, {way: {} for way in ("plain", "arena")}, 0, None)
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(failed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--raw", metavar="FILE", default="rss.jsonl", help="the raw runs: what is there is not run again [rss.jsonl]")
    parser.add_argument("--into", metavar="FILE", help="put the tables into the document FILE")
    parser.add_argument("--runs", type=int, default=5, help="rounds; other ways than plain, twin, arena and file in three at most; 0 makes the tables alone [5]")
    parser.add_argument("--minutes", type=float, default=0, help="begin no run after so many minutes [0: all runs]")
    parser.add_argument("--ways", help="some of plain, twin, arena, file, mmap, trim, jemalloc, with commas")
    parser.add_argument("--busy", action="store_true", help="other programs run on the machine: the processor time of these runs does not count")
    parser.add_argument("--default", action="store_true", help="first, one run of plain and arena with as many threads as PyTorch takes by itself")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one, given.threads)
        return
    from real import LENGTHS, PROGRAMS, VARIED

    runs = Runs(given.raw)
    given.programs = given.programs or [name for name in PROGRAMS if name not in LENGTHS]
    failed = measure(runs, given)
    text = rsstable.text(runs.runs, PROGRAMS, VARIED)
    print(text)
    if given.into:
        rsstable.into(given.into, text)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

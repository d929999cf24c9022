#!/usr/bin/env python3
"""Lifespans by vector clocks: `auto` beside all of OmniMalloc's allocators, as a Markdown table.

    pip install omnimalloc==1.0.0 deap
    make build
    python3 lab/bench/clocks/clocks.py --stowage bin/stowage --buffers 64

The problems are those of OmniMalloc's own sources: its eleven patterns of synchronisation, its tilings with three
numbers of messages, and its 2+2 with and without noise (two clocks). --seed has others of the same kinds than its defaults have, and
--shuffle puts the buffers in an order that the source did not make. Each goes to every allocator of OmniMalloc that takes vector clocks, with its default options.
Stowage then gets, as its timeout, the time of the one with the lowest plan (the fastest, if several have it), but not less
than --least: a process must start and read its file. A second run has --again seconds. Every plan of Stowage is checked here: buffers that are not ordered
by their clocks share no byte.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from omnimalloc.allocators.base import BaseAllocator
from omnimalloc.analysis import antichain_pressure
from omnimalloc.benchmark.sources.adversarial import TwoPlusTwoSource
from omnimalloc.benchmark.sources.concurrent_tiling import ConcurrentTilingSource
from omnimalloc.benchmark.sources.sync_patterns import SYNC_PATTERNS, SyncPatternSource

TILING_SYNCS = (0, 16, 256)


def sources(buffers, threads, seed):
    """Yield the name and the source of each problem. The seed is the source's default if it is None."""
    options = {} if seed is None else {"seed": seed}
    for pattern in SYNC_PATTERNS:
        yield str(pattern), SyncPatternSource(num_allocations=buffers, num_threads=threads, pattern=pattern, **options)
    for syncs in TILING_SYNCS:
        source = ConcurrentTilingSource(num_allocations=buffers, num_threads=threads, num_syncs=syncs, **options)
        yield f"tiling, {syncs} messages", source
    if threads == 2:
        for noise in (0.0, 0.5):
            yield f"2+2, noise {noise}", TwoPlusTwoSource(num_allocations=buffers, noise=noise, **options)


def problems(buffers, threads, seed, shuffle):
    for name, source in sources(buffers, threads, seed):
        allocations = list(source.get_allocations())
        if shuffle is not None:
            random.Random(shuffle).shuffle(allocations)
        yield name, tuple(allocations)


def before(a, b):
    return all(end <= start for end, start in zip(a.end, b.start))


def best_of(allocations):
    """Return the lowest height of OmniMalloc, who reached it first, and how long that took."""
    best = None
    for name, kind in BaseAllocator.registry().items():
        if not kind.supports_vector_time:
            continue
        began = time.monotonic()
        placed = kind().allocate(allocations)
        seconds = time.monotonic() - began
        found = (max(a.offset + a.size for a in placed), seconds, name)
        best = min(best or found, found)
    return best


def stowage(program, allocations, timeout):
    """Return status, height, bound and seconds of a process of Stowage; the height is None if there is no plan."""
    problem = {
        "version": 2,
        "threads": len(allocations[0].start),
        "buffers": [{"id": str(a.id), "lower": list(a.start), "upper": list(a.end), "size": a.size} for a in allocations],
    }
    with tempfile.TemporaryDirectory() as folder:
        path, plan, stats = (os.path.join(folder, name) for name in ("problem.json", "plan.json", "stats.json"))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(problem, file)
        began = time.monotonic()
        run = subprocess.run([program, "solve", "-q", "--timeout", f"{timeout}s", "--stats", stats, "-o", plan, path])
        seconds = time.monotonic() - began
        if run.returncode not in (0, 4):
            sys.exit(f"stowage ended with {run.returncode}")
        with open(stats, encoding="utf-8") as file:
            said = json.load(file)
        if run.returncode == 4:
            return said["status"], None, said["lower_bound"], seconds
        with open(plan, encoding="utf-8") as file:
            offsets = json.load(file)["plan"]["offsets"]
    for k, a in enumerate(allocations):
        for i in range(k):
            b = allocations[i]
            if not before(a, b) and not before(b, a) and offsets[k] < offsets[i] + b.size and offsets[i] < offsets[k] + a.size:
                sys.exit(f"{a.id} and {b.id} share bytes")
    height = max(at + a.size for at, a in zip(offsets, allocations))
    if height != said["height"]:
        sys.exit(f"the height is {height}, and not {said['height']}")
    return said["status"], height, said["lower_bound"], seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stowage", default="stowage", help="the program")
    parser.add_argument("--buffers", type=int, default=64)
    parser.add_argument("--threads", default="2,4,8", help="numbers of clocks")
    parser.add_argument("--least", type=float, default=0.1, help="least timeout, in seconds")
    parser.add_argument("--again", type=float, default=10, help="timeout of a second run")
    parser.add_argument("--seed", type=int, help="seed of the sources, in place of their default")
    parser.add_argument("--shuffle", type=int, help="shuffle the buffers with this seed")
    parser.add_argument("--timeout", type=float, default=0, help="timeout in place of OmniMalloc's time")
    args = parser.parse_args()
    counts = {}
    print("| problem | clocks | antichain | OmniMalloc's best | by | s | auto | bound | status | s | again | status | s |")
    print("|---|---:|---:|---:|---|---:|---:|---:|---|---:|---:|---|---:|")
    for threads in map(int, args.threads.split(",")):
        for name, allocations in problems(args.buffers, threads, args.seed, args.shuffle):
            height, seconds, who = best_of(allocations)
            status, ours, bound, took = stowage(args.stowage, allocations, args.timeout or max(seconds, args.least))
            status2, ours2, _, took2 = stowage(args.stowage, allocations, args.again)
            group = name.split(",")[0] if name[0] in "t2" and "," in name else "pattern"
            row = counts.setdefault(group, [0] * 6)
            for k, yes in enumerate((True, ours is None or ours > height, ours is not None and ours < height,
                                     status == "optimal", ours2 > height, status2 == "optimal")):
                row[k] += yes
            cells = (name, threads, antichain_pressure(allocations), height, who, f"{seconds:.3f}", ours, bound, status, f"{took:.3f}",
                     ours2, status2, f"{took2:.3f}")
            print("|", " | ".join(map(str, cells)), "|", flush=True)
    print("\n| buffers | problems | number | above OmniMalloc | below | proven | above again | proven again |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    for group, row in counts.items():
        print("|", " | ".join(map(str, (args.buffers, group, *row))), "|")


if __name__ == "__main__":
    main()

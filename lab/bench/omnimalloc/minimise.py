#!/usr/bin/env python3
"""Minimise beside OmniMalloc's supermalloc, as a Markdown table:

    pip install omnimalloc==1.0.0
    go build -o stowage ./cmd/stowage
    python3 lab/bench/omnimalloc/minimise.py --stowage ./stowage FOLDER/*.csv

Each problem (id, lower, upper, size; half-open) is made as low as can be, by supermalloc
with each number of threads, and by whole processes of Stowage with two workers, once
for each seed. A cell has the height and the seconds. Every plan is checked here: no two
buffers that are live at once may share a byte.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [(r["id"], int(r["lower"]), int(r["upper"]), int(r["size"])) for r in csv.DictReader(file)]


def height(buffers, offsets):
    """Return the height of a plan, which must be one."""
    for k, (a, lower, upper, size) in enumerate(buffers):
        for b, begin, end, other in buffers[:k]:
            if lower < end and begin < upper and offsets[a] < offsets[b] + other and offsets[b] < offsets[a] + size:
                sys.exit(f"{a} and {b} share bytes")
    return max(offsets[name] + size for name, _, _, size in buffers)


def load(buffers):
    return max(sum(size for _, begin, end, size in buffers if begin <= lower < end) for _, lower, _, _ in buffers)


def supermalloc(buffers, threads, timeout):
    from omnimalloc import Allocation, set_max_threads
    from omnimalloc.allocators import SupermallocAllocator

    set_max_threads(threads)
    allocations = tuple(Allocation(id=name, size=size, start=lower, end=upper) for name, lower, upper, size in buffers)
    began = time.monotonic()
    placed = SupermallocAllocator(timeout=timeout, num_threads=threads).allocate(allocations)
    seconds = time.monotonic() - began
    return height(buffers, {a.id: a.offset for a in placed}), seconds


def stowage(program, path, buffers, seed, timeout):
    with tempfile.TemporaryDirectory() as folder:
        plan, stats = os.path.join(folder, "plan.csv"), os.path.join(folder, "stats.json")
        began = time.monotonic()
        subprocess.run(
            [program, "solve", "-q", "--workers", "2", "--seed", str(seed), "--timeout", f"{timeout}s", "--stats", stats, "-o", plan, path],
            check=True,
        )
        seconds = time.monotonic() - began
        with open(plan, newline="", encoding="utf-8") as file:
            offsets = {r["id"]: int(r["offset"]) for r in csv.DictReader(file)}
        with open(stats, encoding="utf-8") as file:
            return height(buffers, offsets), seconds, json.load(file)["status"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stowage", default="stowage", help="the program")
    parser.add_argument("--threads", default="2,12", help="of supermalloc")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each run")
    parser.add_argument("--seeds", type=int, default=5, help="runs of Stowage")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    threads = [int(t) for t in args.threads.split(",")]
    print("| problem | load |", " | ".join(f"supermalloc, {t} threads" for t in threads), "| stowage, 2 workers: heights | median s (least–most) | proven |")
    print("|---|---:|" + "---:|" * (len(threads) + 3))
    total = 0.0
    for path in args.files:
        buffers = read(path)
        cells = [os.path.basename(path).split(".")[0], f"{load(buffers):,}"]
        for t in threads:
            h, s = supermalloc(buffers, t, args.timeout)
            cells.append(f"{h:,} ({s:.2f} s)")
        runs = [stowage(args.stowage, path, buffers, seed, args.timeout) for seed in range(args.seeds)]
        seconds = [s for _, s, _ in runs]
        total += statistics.median(seconds)
        cells.append(", ".join(f"{h:,}" for h in sorted({h for h, _, _ in runs})))
        cells.append(f"{statistics.median(seconds):.3f} ({min(seconds):.3f}–{max(seconds):.3f})")
        cells.append(f"{sum(status == 'optimal' for _, _, status in runs)} of {len(runs)}")
        print("|", " | ".join(cells), "|", flush=True)
    print(f"\nSum of Stowage's medians: {total:.3f} s.")


if __name__ == "__main__":
    main()

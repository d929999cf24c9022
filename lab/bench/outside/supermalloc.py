#!/usr/bin/env python3
"""Plan with OmniMalloc's SuperMalloc:

    pip install omnimalloc==1.0.0
    python3 lab/bench/outside/supermalloc.py [--timeout S] [--threads N] FILE.csv ...

Files are Stowage's CSV: id, lower, upper, size. SuperMalloc minimises, and ends at its limit
if it has not reached the load. One JSON object a line goes to standard output: name, status,
height, seconds, offsets by id. The seconds are of the call alone.
"""

import argparse
import csv
import json
import os
import time

from omnimalloc import Allocation, set_max_threads
from omnimalloc.allocators import SupermallocAllocator


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [(r["id"], int(r["lower"]), int(r["upper"]), int(r["size"])) for r in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--timeout", type=float, default=10, help="seconds for each file")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    set_max_threads(args.threads)
    for path in args.files:
        allocations = tuple(Allocation(id=name, size=size, start=lower, end=upper) for name, lower, upper, size in read(path))
        began = time.monotonic()
        placed = SupermallocAllocator(timeout=args.timeout, num_threads=args.threads).allocate(allocations)
        seconds = time.monotonic() - began
        offsets = {a.id: a.offset for a in placed}
        height = max(a.offset + a.size for a in placed)
        name = os.path.basename(path).split(".")[0]
        print(json.dumps({"name": name, "status": "feasible", "height": height, "seconds": seconds, "offsets": offsets}), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Plan with STAlloc's planner:

    git clone https://github.com/infinigence/STAlloc
    pip install numpy scikit-learn matplotlib
    python3 lab/bench/outside/stalloc.py --stalloc STAlloc FILE.csv ...

STAlloc (Huang and others, EuroSys 2026) plans the static tensors of a training step with
Synthesizer/allocator.py, by its algorithm "split and fuse", which is its default. Its other one,
"group", wants the phases of a training step, which a problem of buffers does not have.

Its clock counts events: each allocation and each release has a time of its own. So lifespans
become ranks of events here, releases before allocations of the same moment. Sizes are rounded
up to 512 bytes by STAlloc itself. It repeats the second iteration's lifespans; a problem here is
one iteration, so that iteration begins after the end.

Files are Stowage's CSV: id, lower, upper, size. One JSON object a line goes to standard output:
name, status, height, seconds, offsets by id. The seconds are those of the planner's call.
"""

import argparse
import contextlib
import csv
import json
import os
import sys
import tempfile
import time


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [(r["id"], int(r["lower"]), int(r["upper"]), int(r["size"])) for r in csv.DictReader(file)]


def ranks(buffers):
    """Return the first and the last event of each buffer."""
    events = sorted([(lower, 1, k) for k, (_, lower, _, _) in enumerate(buffers)] + [(upper, 0, k) for k, (_, _, upper, _) in enumerate(buffers)])
    spans = [[0, 0] for _ in buffers]
    for rank, (_, starts, k) in enumerate(events, 1):
        spans[k][0 if starts else 1] = rank
    return spans


def plan(allocator, buffers):
    """Return the offsets, the height that STAlloc states, and the seconds."""
    spans = ranks(buffers)
    end = 2 * len(buffers) + 1
    allocator.global_max_time = 0
    allocator.iter1_start, allocator.iter1_end, allocator.iter_length = end, end + 1, 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        with open(path, "w", encoding="utf-8") as file:
            for (_, _, _, size), (first, last) in zip(buffers, spans):
                file.write(f"{first} {last} {size}\n")
        with contextlib.redirect_stdout(sys.stderr):
            blocks = allocator.load_from_file(path)
            began = time.monotonic()
            placed, height = allocator.allocate_group(None, blocks, group=False)
            seconds = time.monotonic() - began
    # The first event of a block is its own, whatever became of its number.
    owner = {first: name for (name, _, _, _), (first, _) in zip(buffers, spans)}
    return {owner[b.start_time]: int(b.offset) for b in placed}, height, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stalloc", required=True, help="a clone of STAlloc")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    sys.path.insert(0, os.path.join(args.stalloc, "Synthesizer"))
    import allocator

    for path in args.files:
        buffers = read(path)
        offsets, stated, seconds = plan(allocator, buffers)
        height = max(offsets[name] + size for name, _, _, size in buffers)
        name = os.path.basename(path).split(".")[0]
        print(json.dumps({"name": name, "status": "feasible", "height": height, "stated": stated, "seconds": seconds, "offsets": offsets}), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The peak of a program's first steps, plain and while an arena records them, over many heaps:

    python3 lab/bench/torch/heaps.py loop --heaps 24

What malloc's heap grows to depends on where small pieces lie when the first step begins, so one program has many peaks: loop jumps by 4 MiB, the
size of its tensors, from process to process. Python's hash seed and the layout of addresses decide which: with `PYTHONHASHSEED=0 setarch -R` each run of
rss.py has the same peak. Here each heap is a fork of this process, after pieces of random sizes were taken and half of them freed. A fork
maps pages of files anew, so these do not count. It prints the median and all peaks in MiB above the resident memory before.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import statistics
from typing import Any

import rss


def peak(name: str, way: str, seed: int) -> float:
    """Returns the peak of the steps before the steady state, in a fork."""
    import real
    import torch

    mine, its = os.pipe()
    if not os.fork():
        drawn = random.Random(seed)
        pieces = [bytearray(drawn.randint(600, 9000)) for _ in range(400)]
        drawn.shuffle(pieces)
        del pieces[:200]
        torch.manual_seed(0)
        arena: Any = contextlib.nullcontext()
        if way == "recorded":
            import stowage.torch

            arena = stowage.torch.arena(record=10_000)
        before = []

        def mark(where: str) -> None:
            if where == "before":
                before.append(rss.status(os.getpid(), "RssAnon"))
                return
            if where == "step":
                return
            os.write(its, str(rss.status(os.getpid(), "VmHWM") - rss.status(os.getpid(), "RssFile") - before[0]).encode())
            os._exit(0)

        real.PROGRAMS[name](arena, mark)
    os.close(its)
    with open(mine) as f:
        found = f.read()
    os.wait()
    if not found:
        raise SystemExit(f"{name}, {way}, heap {seed}: it ended before its steady state")
    return int(found) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--heaps", type=int, default=24)
    given = parser.parse_args()
    import stowage.torch
    import torch

    torch.set_num_threads(1)
    stowage.torch.arena().close()  # compiles it
    for way in ("plain", "recorded"):
        peaks = sorted(peak(given.program, way, seed) for seed in range(given.heaps))
        print(way, f"{statistics.median(peaks):.1f}:", *(f"{x:.0f}" for x in peaks), flush=True)


if __name__ == "__main__":
    main()

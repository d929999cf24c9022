#!/usr/bin/env python3
"""Twelve PyTorch programs with and without an arena, as two tables in Markdown, of bytes and of steps:

    pip install ./python torch numpy
    python3 lab/bench/torch/run.py                                  # or names of programs
    pip install 'nvidia-cuda-crt==13.2.*' scikit-learn matplotlib    # for the columns caching, expandable and stalloc
    python3 lab/bench/torch/run.py --stalloc FOLDER --bytes         # a clone of STAlloc; bytes alone, without times

Each program has a process. Three copies of it take turns, step by step, each with its own random numbers: one
plain, one with an arena in guard mode that is poisoned before each step, one with an arena as users have
it, for the time. All losses must be equal bit by bit. Of the heights beside the plan's, malloc is
what glibc took for the recorded steps, caching and expandable are PyTorch's own allocator for CUDA over a stand-in
for the GPU, stalloc is STAlloc's planner (peers.py has these), and the rest are planners of Stowage that imitate
others. --json FILE keeps the raw figures.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import peers


def beside(name: str, plan: pathlib.Path, given: argparse.Namespace) -> dict[str, int]:
    """Returns what the allocators of peers.py take for the steps of a plan."""
    found = {}
    try:
        if given.built:
            found |= peers.caching(plan, given.built)
        if given.stalloc:
            found |= peers.stalloc(plan, given.stalloc, given.seconds)
    except peers.Missing as e:
        print(f"{name}: {e}", file=sys.stderr)
    return found


def malloc(arena) -> int:
    """Returns what glibc takes for the steps that an arena has recorded: malloc.py makes them in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        trace.write_text(arena.trace(), encoding="ascii")
        words = [sys.executable, pathlib.Path(__file__).with_name("malloc.py"), trace]
        return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout or 0)


def one(name: str, given: argparse.Namespace) -> dict:
    import torch
    from programs import PROGRAMS

    import stowage.torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder, "plan")
        arenas = [None, stowage.torch.arena(guard=True, poison=True, wait=120), stowage.torch.arena(wait=120, file=plan)]
        copies, states = [], []
        for _ in arenas:
            copies.append(PROGRAMS[name]())
            states.append(torch.get_rng_state())
        losses, times = [[], [], []], [[], [], []]
        third = None
        count = 6 if given.bytes else given.steps
        for i in range(count):
            for k in (0, 1, 2) if i % 2 else (2, 1, 0):
                torch.set_rng_state(states[k])
                begin = time.perf_counter()
                if arenas[k] is None:
                    loss = copies[k](i)
                else:
                    with arenas[k]:
                        loss = copies[k](i)
                times[k].append(time.perf_counter() - begin)
                losses[k].append(loss)
                states[k] = torch.get_rng_state()
            if i == 1:
                third = [a._read() if a else None for a in arenas]
        stats = [a.stats() if a else None for a in arenas]
        if any(a is not None and a.check() for a in arenas):
            raise SystemExit(f"{name}: the arena's tables or its poison are damaged")
        at, now = third[1].all, arenas[1]._read().all
        asked = sum(getattr(now, x) - getattr(at, x) for x in ("served", "missed", "refused", "kept", "outside"))
        baselines = {line.split()[2]: int(line.split()[1]) for line in plan.read_text().splitlines() if line.startswith("d ")}
        # A ratio of neighbours in time: other work on the machine slows both.
        first = min(5, count - 1)
        ratio = statistics.median(b / a for a, b in zip(times[0][first:], times[2][first:]))
        return {
            "program": name, "steps": count, "allocations": asked // (count - 2), "equal": losses[0] == losses[1] == losses[2], "served": (now.served - at.served) / asked,
            "missed": now.missed - at.missed, "refused": now.refused - at.refused, "height": stats[2].height, "bound": stats[2].bound, "peak": stats[2].peak,
            "malloc": malloc(arenas[1]), **baselines, **beside(name, plan, given), "plain_ms": statistics.median(times[0][first:]) * 1e3, "arena_ms": statistics.median(times[2][first:]) * 1e3,
            "ratio": ratio, "torch": torch.__version__,
        }  # fmt: skip


BESIDE = ("malloc", "caching", "expandable", "caching x64", "expandable x64", "stalloc", "first-fit", "bfc", "ggml")


def heights(rows: list[dict]) -> str:
    """Returns what each program takes by each allocator."""
    names = [n for n in BESIDE if any(n in r for r in rows)]
    lines = ["| program | allocations a step | plan, bytes | proven | " + " | ".join(names) + " |", "|---|---:|---:|---|" + "---:|" * len(names)]
    for r in rows:
        over = " | ".join(f"{100 * (r[n] / r['height'] - 1):+.1f}%" if n in r else "" for n in names)
        lines.append(f"| {r['program']} | {r['allocations']:,} | {r['height']:,} | {'yes' if r['height'] == r['bound'] else 'no'} | {over} |")
    both = [r for r in rows if "caching" in r]
    if both:
        lines.append(f"\nThe simulation of PyTorch's allocator in Go agrees with it on {sum(r['caching'] == r['cuda-caching'] for r in both)} of {len(both)} programs.")
    return "\n".join(lines)


def steps(rows: list[dict]) -> str:
    """Returns how the steps of each program went."""
    lines = ["| program | losses | served | peak | plain, ms | with arena |", "|---|---|---:|---:|---:|---:|"]
    for r in rows:
        lines.append(f"| {r['program']} | {'equal' if r['equal'] else 'DIFFERENT'} | {100 * r['served']:.2f}% | {r['peak']:,} | {r['plain_ms']:.1f} | {100 * (r['ratio'] - 1):+.1f}% |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--bytes", action="store_true", help="6 steps, for bytes alone")
    parser.add_argument("--stalloc", type=pathlib.Path, help="a clone of STAlloc")
    parser.add_argument("--seconds", type=float, default=600, help="how long STAlloc may plan a program")
    parser.add_argument("--built", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.programs[0], given)))
        return
    names = given.programs
    if not names:
        from programs import PROGRAMS

        names = list(PROGRAMS)
    flags = ["--steps", str(given.steps), "--seconds", str(given.seconds)] + ["--bytes"] * given.bytes
    if given.stalloc:
        flags += ["--stalloc", str(given.stalloc)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            peers.build(pathlib.Path(folder))
            flags += ["--built", folder]
        except peers.Missing as e:
            print(f"caching and expandable are left out: {e}", file=sys.stderr)
        for name in names:
            done = subprocess.run([sys.executable, __file__, "--one", name, *flags], stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                print(f"{name} failed", file=sys.stderr)
                continue
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(heights(rows[-1:]).splitlines()[2], steps(rows[-1:]).splitlines()[2], sep="\n", file=sys.stderr, flush=True)
            if given.json:
                given.json.write_text("".join(json.dumps(r) + "\n" for r in rows))
    print(heights(rows))
    if not given.bytes:
        print(f"\n{steps(rows)}")
    if len(rows) < len(names) or not all(r["equal"] for r in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

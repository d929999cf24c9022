#!/usr/bin/env python3
"""Twelve PyTorch programs with and without an arena, as a Markdown table:

    pip install ./python torch numpy
    python3 lab/bench/torch/run.py              # or names of programs

Each program has a process. Three copies of it take turns, step by step, each with its own random numbers: one
plain, one with an arena in guard mode that is poisoned before each step, one with an arena as users have
it, for the time. All losses must be equal bit by bit. Heights beside the plan's are simulations of the planner,
and for malloc what glibc took for the recorded steps. --json FILE keeps the raw figures.
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


def one(name: str, steps: int) -> dict:
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
        for i in range(steps):
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
        ratio = statistics.median(b / a for a, b in zip(times[0][5:], times[2][5:]))
        return {
            "program": name, "steps": steps, "allocations": asked // (steps - 2), "equal": losses[0] == losses[1] == losses[2], "served": (now.served - at.served) / asked,
            "missed": now.missed - at.missed, "refused": now.refused - at.refused, "height": stats[2].height, "bound": stats[2].bound, "peak": stats[2].peak,
            "malloc": stats[2].baseline, **baselines, "plain_ms": statistics.median(times[0][5:]) * 1e3, "arena_ms": statistics.median(times[2][5:]) * 1e3,
            "ratio": ratio, "torch": torch.__version__,
        }  # fmt: skip


def table(rows: list[dict]) -> str:
    names = [n for n in ("malloc", "cuda-caching", "bfc", "ggml", "first-fit") if n in rows[0]]
    lines = ["| program | allocations a step | losses | served | plan, bytes | proven | peak | " + " | ".join(names) + " | plain, ms | with arena |"]
    lines.append("|---|---:|---|---:|---:|---|---:|" + "---:|" * len(names) + "---:|---:|")
    for r in rows:
        over = " | ".join(f"{100 * (r[n] / r['height'] - 1):+.1f}%" for n in names)
        lines.append(
            f"| {r['program']} | {r['allocations']:,} | {'equal' if r['equal'] else 'DIFFERENT'} | {100 * r['served']:.2f}% | {r['height']:,} | "
            f"{'yes' if r['height'] == r['bound'] else 'no'} | {r['peak']:,} | {over} | {r['plain_ms']:.1f} | {100 * (r['ratio'] - 1):+.1f}% |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.programs[0], given.steps)))
        return
    names = given.programs
    if not names:
        from programs import PROGRAMS

        names = list(PROGRAMS)
    rows = []
    for name in names:
        done = subprocess.run([sys.executable, __file__, "--one", name, "--steps", str(given.steps)], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{name} failed", file=sys.stderr)
            continue
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(table(rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
        if given.json:
            given.json.write_text("".join(json.dumps(r) + "\n" for r in rows))
    print(table(rows))
    if len(rows) < len(names) or not all(r["equal"] for r in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

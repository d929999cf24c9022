#!/usr/bin/env python3
"""The programs of programs.py on a GPU: PyTorch's caching allocator, with and without expandable segments, and an arena:

    pip install ./python torch
    python3 lab/bench/torch/cuda.py --json cuda.json        # a table; about four minutes on one GPU

Each allocator has a process, in which the programs run one after the other with --scale times the batch. `arena+poison`
fills what is not in use before each step, and its losses must be the same bits as the others'. Bytes are what an allocator
has taken from the GPU in a program at most, weights and the optimizer's states included: what
torch.cuda.max_memory_reserved says. For the arena it is counted from the fifth step on, when the plan serves. `least` is the most that
was in use at one time: no allocator takes less.

Without a network or a compiler: build the adapter elsewhere by `python3 -m stowage.torch._cuda FILE` (from the folder
python of a clone), and name it by STOWAGE_TORCH_CUDA, the command by STOWAGE, and that folder by PYTHONPATH.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import traceback

MODES = ("caching", "expandable", "arena", "arena+poison")


def run(mode: str, names: list[str], steps: int, scale: int) -> None:
    """Runs programs with one allocator, and prints a line of JSON for each."""
    import torch

    ours = mode.startswith("arena")
    if ours:
        import stowage.torch
    from programs import PROGRAMS

    torch.set_default_device("cuda")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.backends.cudnn.benchmark = False
    torch.zeros(64, 64) @ torch.zeros(64, 64)  # what libraries keep for themselves
    torch.cuda.synchronize()

    for name in names:
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        free = torch.cuda.mem_get_info()[0]
        try:
            step, arena = PROGRAMS[name](scale), None
            if ours:
                arena = stowage.torch.cuda(wait=60, poison=mode != "arena")
            losses, times = [], []
            for i in range(steps):
                if ours and i == 5:
                    torch.cuda.reset_peak_memory_stats()
                torch.cuda.synchronize()
                begin = time.perf_counter()
                if arena is None:
                    losses.append(step(i))
                else:
                    with arena:
                        losses.append(step(i))
                torch.cuda.synchronize()
                times.append(time.perf_counter() - begin)
            row = {
                "program": name, "mode": mode, "losses": losses, "ms": statistics.median(times[5:]) * 1e3, "reserved": torch.cuda.max_memory_reserved(),
                "used": free - torch.cuda.mem_get_info()[0], "gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "steps": steps, "scale": scale,
            }  # fmt: skip
            if arena is None:
                row["least"] = torch.cuda.max_memory_allocated()
            else:
                s = arena.stats()
                row |= {**s._asdict(), "share": s.share, "faults": arena.check()}
                arena.close()
            del step, arena
        except Exception:
            row = {"program": name, "mode": mode, "error": traceback.format_exc()[-2000:]}
        print(json.dumps(row), flush=True)


def table(rows: list[dict]) -> str:
    lines = ["| program | least | caching | expandable | arena | served | proven | losses | caching, ms | arena, ms |", "|---|---:|---:|---:|---:|---:|---|---|---:|---:|"]
    by = {(r["program"], r["mode"]): r for r in rows}
    for name in dict.fromkeys(r["program"] for r in rows):
        of = [by.get((name, mode), {"error": "it did not run"}) for mode in MODES]
        if any("error" in r for r in of):
            lines.append(f"| {name} | " + "; ".join(f"{m}: {r['error'].strip().splitlines()[-1]}" for m, r in zip(MODES, of) if "error" in r) + " |")
            continue
        caching, expandable, arena, poisoned = of
        equal = all(r["losses"] == caching["losses"] for r in of)
        # Some kernels add in any order. Then PyTorch's own two allocators differ as well.
        differ = "not repeatable" if caching["losses"] != expandable["losses"] else "DIFFERENT"
        lines.append(
            f"| {name} | {caching['least']:,} | {caching['reserved']:,} | {expandable['reserved']:,} | {arena['reserved']:,} | {100 * arena['share']:.2f}% | "
            f"{'yes' if arena['height'] == arena['bound'] else 'no'} | {'equal' if equal else differ}{'' if not poisoned['faults'] else ', FAULTS'} | "
            f"{caching['ms']:.2f} | {arena['ms']:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--scale", type=int, default=32)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--mode", choices=MODES, help="run in this process, with one allocator, and print JSON")
    given = parser.parse_args()
    names = given.programs
    if not names:
        from programs import PROGRAMS

        names = list(PROGRAMS)
    if given.mode:
        run(given.mode, names, given.steps, given.scale)
        return
    rows: list[dict] = []
    for mode in MODES:
        environment = {**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
        if mode == "expandable":
            environment |= {"PYTORCH_ALLOC_CONF": "expandable_segments:True", "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
        process = subprocess.Popen(
            [sys.executable, __file__, "--mode", mode, "--steps", str(given.steps), "--scale", str(given.scale), *names], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            rows.append(json.loads(line))
            print(mode, rows[-1]["program"], rows[-1].get("reserved", "failed"), file=sys.stderr, flush=True)
            if given.json:
                given.json.write_text("".join(json.dumps(r) + "\n" for r in rows))
        process.wait()
    print(table(rows))


if __name__ == "__main__":
    main()

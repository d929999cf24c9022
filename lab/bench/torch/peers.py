"""What other allocators take for the steps of a plan: PyTorch's own caching allocator, and STAlloc's planner.

Idea: a plan file has the size and the lifespan of each allocation of a step. Replayed over some steps in a row, that is
what an allocator sees. PyTorch's allocator for CUDA is run itself, not imitated: the wheel of PyTorch has it compiled
(libc10_cuda.so), and nogpu.c stands in for the GPU, so addresses are handed out and counted without any memory. It
runs with default settings, and with expandable segments, which map pages of 2 and 20 MiB as they are needed; and both once
more with sizes 64 times as large, as a larger batch has them, since such pages are a lot beside a step of some MiB.

STAlloc plans one step. The step is cut where the fewest bytes are live. If some are live there all the same, STAlloc
gets as many steps in a row as the allocators, and plans these as one.

A column that cannot be measured is left out, and Missing says why."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable

HERE = pathlib.Path(__file__).parent
CYCLES = 3  # as in the baselines of `stowage arena plan`
MODES = {"caching": "", "expandable": "expandable_segments:True"}
LARGE = 64

Allocation = tuple[int, int, int]  # size, begin, end; end is at most a period after begin


class Missing(Exception):
    """What a baseline needs is not there."""


def read(plan: pathlib.Path) -> tuple[int, list[Allocation]]:
    """Returns the period and the allocations that a plan serves."""
    period, found = 0, []
    for line in plan.read_text().splitlines():
        words = line.split()
        if words[0] == "period":
            if period:
                raise Missing(f"{plan} has several plans")
            period = int(words[1])
        elif words[0] == "p" and words[5] != words[6]:
            found.append((int(words[1]), int(words[5]), int(words[6])))
    return period, found


def events(period: int, allocations: list[Allocation]) -> Iterable[tuple[int, bool, int, int]]:
    """Returns what happens in some steps in a row, in order: time, whether it begins, number, size. Ends come first."""
    n = len(allocations)
    for c in range(CYCLES):
        for k, (size, lower, upper) in enumerate(allocations):
            yield lower + c * period, True, c * n + k, size
            yield upper + c * period, False, c * n + k, size


def build(folder: pathlib.Path) -> None:
    """Compiles caching.cpp and nogpu.c."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        raise Missing("PyTorch is not installed")
    site = pathlib.Path(torch.origin).parent.parent
    if not (site / "torch/lib/libc10_cuda.so").exists():
        raise Missing("PyTorch's wheel here is without CUDA, so its allocator is not in it")
    runtimes = sorted(site.glob("nvidia/*/include/cuda_runtime_api.h"))
    if not runtimes or not (runtimes[-1].parent / "crt/host_defines.h").exists():
        raise Missing("the headers of CUDA are not here: pip install nvidia-cuda-runtime nvidia-cuda-crt")
    include = runtimes[-1].parent
    both = [f"-I{site}/torch/include", f"-I{include}", "-O1"]
    stub = folder / "libnvidia-ml.so.1"
    for command in (
        ["cc", "-std=gnu11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wl,-soname,libnvidia-ml.so.1", *both, HERE / "nogpu.c", "-o", stub],
        ["c++", "-std=c++20", *both, HERE / "caching.cpp", "-o", folder / "caching", stub, f"-L{site}/torch/lib", "-lc10_cuda", "-lc10",
         "-Wl,--allow-shlib-undefined", f"-Wl,-rpath,$ORIGIN:{site}/torch/lib:{include.parent}/lib"],
    ):  # fmt: skip
        try:
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        except OSError as e:
            raise Missing(f"there is no compiler: {e}") from e
        if done.returncode:
            raise Missing(f"{command[0]} failed: {done.stderr[-600:]}")


def caching(plan: pathlib.Path, folder: pathlib.Path) -> dict[str, int]:
    """Returns what PyTorch's allocator reserves, by mode. With large sizes it is divided by what they are larger by. It was built
    in the folder."""
    period, allocations = read(plan)
    order = sorted(events(period, allocations), key=lambda e: e[:2])
    found = {}
    for name, configuration in MODES.items():
        for times in (1, LARGE):
            text = "".join(f"a {k} {times * size}\n" if begins else f"f {k}\n" for _, begins, k, size in order)
            environment = {**os.environ, "PYTORCH_ALLOC_CONF": configuration, "PYTORCH_CUDA_ALLOC_CONF": configuration}
            done = subprocess.run([folder / "caching"], input=text, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Missing(f"PyTorch's allocator failed: {done.stderr[-600:]}")
            reserved, allocated, given = map(int, done.stdout.split())
            # The allocator's own account and that of nogpu.c are kept apart, and must be one.
            if reserved != given or reserved < allocated:
                raise SystemExit(f"{plan}: the allocator says {reserved} bytes, {allocated} of them in use; nogpu.c gave {given}")
            found[name if times == 1 else f"{name} x{times}"] = -(-reserved // times)
    return found


def step(period: int, allocations: list[Allocation]) -> list[Allocation]:
    """Returns a step as a planner without cycles sees it."""
    begun: dict[int, int] = {}
    ended: dict[int, int] = {}
    for size, lower, upper in allocations:
        for c in (-1, 0):
            begun[lower + c * period] = begun.get(lower + c * period, 0) + size
            ended[upper + c * period] = ended.get(upper + c * period, 0) + size
    live, least, cut = 0, None, 0
    for at in sorted(begun.keys() | ended.keys()):
        live -= ended.get(at, 0)
        if 0 <= at < period and (least is None or live < least):
            least, cut = live, at
        live += begun.get(at, 0)
    shifted = [(size, (lower - cut) % period, (lower - cut) % period + upper - lower) for size, lower, upper in allocations]
    if all(upper <= period for _, _, upper in shifted):
        return shifted
    return [(size, lower + c * period, upper + c * period) for c in range(CYCLES) for size, lower, upper in allocations]


def stalloc(plan: pathlib.Path, tree: pathlib.Path, seconds: float) -> dict[str, int]:
    """Returns the height of STAlloc's plan. It must be valid."""
    found = step(*read(plan))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "step.csv")
        file.write_text("id,lower,upper,size\n" + "".join(f"{k},{lower},{upper},{size}\n" for k, (size, lower, upper) in enumerate(found)))
        peer = [sys.executable, HERE.parent / "stalloc/peer.py", "--stalloc", tree, file]
        try:
            done = subprocess.run(peer, capture_output=True, text=True, check=False, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Missing(f"STAlloc has no plan after {seconds:.0f} s") from None
    if done.returncode:
        raise Missing(f"STAlloc failed: {done.stderr[-600:]}")
    said = json.loads(done.stdout.splitlines()[-1])
    placed = [(said["offsets"][str(k)], size, lower, upper) for k, (size, lower, upper) in enumerate(found)]
    active: list[tuple[int, int, int, int]] = []
    for one in sorted(placed, key=lambda p: p[2]):
        active = [p for p in active if p[3] > one[2]]
        for p in active:
            if p[0] < one[0] + one[1] and one[0] < p[0] + p[1]:
                raise SystemExit(f"{plan}: STAlloc's plan gives bytes of {p} to {one}")
        active.append(one)
    return {"stalloc": said["height"]}

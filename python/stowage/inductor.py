"""PyTorch's Inductor with Stowage's plans: torch.compile generates code whose pools lie as Stowage plans them.

    import stowage.inductor

    with stowage.inductor.planned() as pools:
        compiled = torch.compile(model)
        compiled(x)                          # compiles; later calls may be outside of the with
    for pool in pools:
        print(pool)

Idea: with torch._inductor.config.memory_planning, Inductor puts the buffers of a graph into pools, each of which it plans as a tree
of splits. After it has done so, each pool is planned again by the command `stowage`, and the offsets are
written to where the generator of code reads them. Which buffer is in which pool stays as it is.

Invariant: a pool is never higher than Inductor's own plan. If Stowage's is not lower, or a size is known
only at run time, or the command fails, Inductor's is kept. Each plan is checked here, against the lifespans that
Inductor gave.

By itself, Inductor plans no graph that is trained, because its plans took more memory there. planned(training=True) plans them too.
docs/inductor.md has the rest.

Source: pytorch 2.15.0, torch/_inductor/codegen/memory_planning.py and wrapper.py.
"""

from __future__ import annotations

import contextlib
import csv
import os
import subprocess
import tempfile
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple, Optional

from ._command import command
from ._errors import Error
from ._units import Seconds, seconds

__all__ = ["Pool", "planned"]

ALIGNMENT = 64  # of offsets in a pool; Inductor's own


class Pool(NamedTuple):
    """A pool of generated code. Sizes are bytes."""

    name: str
    """As in the code."""
    device: str
    training: bool
    """It is of a graph that is trained."""
    buffers: int
    """How many buffers are in it."""
    inductor: int
    """The height of Inductor's own plan; 0 if it is known only at run time."""
    height: int
    """The height of the plan in the code."""
    bound: int
    """A proven bound: no plan of this pool with these lifespans is lower; 0 if unknown."""
    why: str
    """Why Inductor's plan was kept; "" if Stowage's is in the code."""

    def __str__(self) -> str:
        proven = ", the least possible for these lifespans" if self.height == self.bound else ""
        kept = f"; Inductor's plan is kept: {self.why}" if self.why else ""
        return f"{self.name} on {self.device}: {self.buffers} buffers, Inductor {self.inductor:,} bytes, now {self.height:,}{proven}{kept}"


class _Root:
    """Stands for the tree of a pool: it has the same lifespans and another height."""

    def __init__(self, tree: Any, height: int) -> None:
        self._tree, self._height = tree, height
        self.allocations: list[Any] = []  # no buffer is the whole pool

    def get_live_ranges(self) -> Any:
        return self._tree.get_live_ranges()

    def get_symbolic_size(self) -> Any:
        return import_module("sympy").Integer(self._height)

    def get_size_hint(self) -> int:
        return self._height


def _plan(rows: list[tuple[int, int, int]], limit: Optional[float]) -> tuple[list[int], int]:
    """Returns offsets for buffers of lower, upper and size, and a bound."""
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        problem, plan, stats = (os.path.join(folder, name) for name in ("pool.csv", "plan.csv", "stats.json"))
        with open(problem, "w", newline="", encoding="ascii") as f:
            csv.writer(f).writerows([("id", "lower", "upper", "size", "alignment"), *((k, *row, ALIGNMENT) for k, row in enumerate(rows))])
        timeout = ["--timeout", f"{limit:.9f}s"] if limit else []
        done = subprocess.run([command(), "solve", *timeout, "-o", plan, "--stats", stats, problem], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise Error(done.stderr.strip().removeprefix("stowage: ").partition("\n")[0] or f"the planner ended with code {done.returncode}")
        with open(plan, newline="", encoding="ascii") as f:
            offsets = {int(row["id"]): int(row["offset"]) for row in csv.DictReader(f)}
        with open(stats, encoding="utf-8") as f:
            bound = int(import_module("json").load(f)["lower_bound"])
    return [offsets[k] for k in range(len(rows))], bound


def _check(rows: list[tuple[int, int, int]], offsets: list[int]) -> None:
    """Raises an Error unless buffers that are live together are disjoint and aligned."""
    order = sorted(range(len(rows)), key=lambda k: offsets[k])
    for i, k in enumerate(order):
        lower, upper, size = rows[k]
        if offsets[k] < 0 or offsets[k] % ALIGNMENT:
            raise Error(f"offset {offsets[k]} is not a multiple of {ALIGNMENT}")
        for j in order[i + 1 :]:
            if offsets[j] >= offsets[k] + size:
                break
            if rows[j][0] < upper and lower < rows[j][1]:
                raise Error(f"buffers {k} and {j} overlap")


def _replan(pool: Any, allocations: list[Any], training: bool, limit: Optional[float]) -> Pool:
    """Plans a pool again, and returns what came of it."""
    integer = import_module("sympy").Integer
    was = pool.root.get_symbolic_size()
    said = (pool.name, str(pool.device), training, len(allocations))
    try:
        rows = [(int(a.live_range.begin), max(int(a.live_range.end), int(a.live_range.begin) + 1), int(a.symbolic_size)) for a in allocations]
        height = int(was)
    except (TypeError, ValueError, OverflowError):
        return Pool(*said, 0, 0, 0, "sizes are known only at run time")
    # A buffer without bytes has no place to be planned.
    real = [k for k, row in enumerate(rows) if row[2] > 0]
    if len(real) < 2:
        return Pool(*said, height, height, height, "there is one buffer")
    try:
        chosen = [rows[k] for k in real]
        offsets, bound = _plan(chosen, limit)
        _check(chosen, offsets)
    except (Error, OSError, KeyError, ValueError) as err:
        return Pool(*said, height, height, 0, str(err))
    planned = max(offset + size for offset, (_, _, size) in zip(offsets, chosen, strict=True))
    if planned >= height:
        return Pool(*said, height, height, bound, "it is not higher than Stowage's")
    for a in allocations:
        a.offset = integer(0)
    for k, offset in zip(real, offsets, strict=True):
        allocations[k].offset = integer(offset)
    pool.root = _Root(pool.root, planned)
    return Pool(*said, height, planned, bound, "")


def _known(planning: Any, wrapper: Any, torch: Any) -> None:
    """Raises an Error if this Inductor is another one than is known here."""
    for where, names in (
        (planning.MemoryPlanner, ("allocate_groups",)), (planning.AllocationPool, ("finalize", "codegen_create")), (planning.BufferGroup, ("make_allocation",)),
        (wrapper, ("run_wrapper_ir_passes", "memory_plan")),
    ):  # fmt: skip
        for name in names:
            if not hasattr(where, name):
                raise Error(f"stowage.inductor does not know the memory planner of PyTorch {torch.__version__}: {where.__name__} has no {name}")


@contextlib.contextmanager
def planned(*, training: bool = True, timeout: Optional[Seconds] = 10) -> Iterator[list[Pool]]:
    """Plans the memory of all graphs that Inductor compiles meanwhile, and yields the list to which each pool is added.

    training plans graphs that are trained too, forward and backward [True]; Inductor by itself does not. timeout is
    the limit for each pool, in seconds or as a text [10]. Inductor's caches are off meanwhile, since they do not know who
    has planned. Code that is compiled keeps its plan afterwards. One thread at a time may be within."""
    limit = seconds(timeout)
    torch: Any = import_module("torch")
    planning: Any = import_module("torch._inductor.codegen.memory_planning")
    wrapper: Any = import_module("torch._inductor.codegen.wrapper").PythonWrapperCodegen
    config: Any = import_module("torch._inductor.config")
    _known(planning, wrapper, torch)
    pools: list[Pool] = []
    allocate, passes = planning.MemoryPlanner.allocate_groups, wrapper.run_wrapper_ir_passes
    trained = [False]

    def allocate_groups(self: Any) -> None:
        allocate(self)
        members: dict[int, tuple[Any, list[Any]]] = {}
        for group in self.buffer_groups:
            pool = group.allocation.pool
            members.setdefault(id(pool), (pool, []))[1].append(group.allocation)
        pools.extend(_replan(pool, allocations, trained[0], limit) for pool, allocations in members.values())

    def run_wrapper_ir_passes(self: Any, is_inference: bool) -> None:
        trained[0] = not is_inference
        passes(self, is_inference or training)

    planning.MemoryPlanner.allocate_groups, wrapper.run_wrapper_ir_passes = allocate_groups, run_wrapper_ir_passes
    try:
        with config.patch({"memory_planning": True, "force_disable_caches": True}):
            yield pools
    finally:
        planning.MemoryPlanner.allocate_groups, wrapper.run_wrapper_ir_passes = allocate, passes

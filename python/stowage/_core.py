"""Plans without the library and without the command, by stowage_core.c.

Idea: the C file is in the package. If neither the library nor the command is there, it is compiled at the first use, which
takes some seconds, and kept. It plans problems without rules and windows, and what stowage_arena.c recorded. The core
takes 32-bit times, so larger ones are replaced by their ranks. Whatever else is asked for is an error that names the wheel.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import time
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, Optional

from ._errors import Error, InputError
from ._plan import Plan, Status, Stopped
from ._problem import NONE, Problem

if TYPE_CHECKING:
    from ._library import Options

NODES = 2_000_000  # of the search, divided by the buffers: a node takes that much longer
SEARCHED = 20_000  # buffers; of more, heuristics plan alone
WHEEL = "the wheel of Stowage has both: pip install stowage"
OPTIMAL, FEASIBLE, UNDECIDED, INFEASIBLE, INVALID = 0, 1, 2, 3, -1

_CANCEL = ctypes.CFUNCTYPE(c_int, c_void_p)


class _Buffer(Structure):
    _fields_ = (("lower", c_int32), ("upper", c_int32), ("size", c_int64), ("alignment", c_int64))


class _Gap(Structure):
    _fields_ = (("buffer", c_int32), ("lower", c_int32), ("upper", c_int32))


class _Problem(Structure):
    _fields_ = (
        ("buffers", c_void_p), ("count", c_int32), ("fixed", c_void_p), ("links", c_void_p), ("link_count", c_int32),
        ("gaps", c_void_p), ("gap_count", c_int32),
    )  # fmt: skip


class _Options(Structure):
    _fields_ = (("capacity", c_int64), ("nodes", c_int64), ("cancel", _CANCEL), ("context", c_void_p))


class _Result(Structure):
    _fields_ = (("height", c_int64), ("bound", c_int64), ("nodes", c_int64), ("workspace", c_size_t), ("level", c_int32))


class _Planning(Structure):
    _fields_ = (
        ("alignment", ctypes.c_uint64), ("guard", ctypes.c_uint64), ("nodes", c_int64), ("all", c_int), ("apart", c_int),
        ("cancel", _CANCEL), ("context", c_void_p),
    )  # fmt: skip


@functools.lru_cache(maxsize=None)
def _load() -> Any:
    from ._arena import build

    try:
        lib = ctypes.CDLL(str(build.build(build.core())))
    except (Error, OSError) as err:
        raise Error(f"there is neither the library nor the command stowage, and stowage_core.c cannot take their place: {err}; {WHEEL}") from err
    lib.stowage_core_workspace.restype, lib.stowage_core_workspace.argtypes = c_size_t, (c_void_p, c_int)
    lib.stowage_core_plan.argtypes = (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)
    lib.stowage_arena_plan_trace.restype = c_void_p
    lib.stowage_arena_plan_trace.argtypes = (c_char_p, c_size_t, c_void_p, POINTER(c_size_t), c_char_p, c_size_t)
    lib.free.argtypes = (c_void_p,)
    return lib


def refuse(what: str) -> Error:
    """Returns the error of a call that the core does not take."""
    return Error(f"{what} needs the library or the command, and neither is there; {WHEEL}")


def plan(p: Problem, o: Options, more: bool = False) -> Plan:
    """Plans a problem. more says that a start, or a callback for progress, was given."""
    gaps = [p.gaps.rows(i) if p.gaps is not None else [] for i in range(p.count)]
    for given, what in (
        (p.rules is not None, "a problem with rules"), (any(len(gap) == 4 for of in gaps for gap in of), "a gap with a window"),
        (more, "start or progress"), (o.planner not in ("", "core"), f"the planner {o.planner}"), (bool(o.without or o.params), "without or params"),
    ):  # fmt: skip
        if given:
            raise refuse(what)
    lib = _load()
    began = time.monotonic()
    columns = [(c_int64 * p.count).from_address(at) if at and p.count else None for at in p.at]
    size, alignment, fixed = columns[2:5]
    lives, gaps = _whole(p, columns, gaps)
    times = sorted({x for life in lives for x in life} | {x for of in gaps for gap in of for x in gap})
    small = not times or -(1 << 31) <= times[0] and times[-1] < 1 << 31
    rank = {x: x if small else i for i, x in enumerate(times)}
    buffers = (_Buffer * p.count)()
    for i, (b, (begin, end)) in enumerate(zip(buffers, lives)):
        b.lower, b.upper, b.size, b.alignment = rank[begin], rank[end], size[i], alignment[i] if alignment else 1  # type: ignore[index]
    listed = [(i, rank[gap[0]], rank[gap[1]]) for i, of in enumerate(gaps) for gap in of]
    of_gaps = (_Gap * max(1, len(listed)))(*(_Gap(*row) for row in listed))
    problem = _Problem(ctypes.addressof(buffers), p.count, ctypes.addressof(fixed) if fixed else None, None, 0, ctypes.addressof(of_gaps), len(listed))
    capacity = o.capacity or p.capacity
    late = _late(o.timeout)
    nodes = o.nodes or max(1, NODES // max(1, p.count))
    asked = _Options(0 if o.minimize else capacity, nodes, late, None)
    room = lib.stowage_core_workspace(byref(problem), 1 if p.count > SEARCHED else 3)
    workspace, result = ctypes.create_string_buffer(room or 1), _Result()
    offsets, at = p._room()
    code = lib.stowage_core_plan(byref(problem), byref(asked), workspace, room, at, byref(result))
    if code == INVALID:
        raise InputError("the sizes add up to more than stowage_core takes")
    if code < INVALID:
        raise MemoryError
    fits = code in (OPTIMAL, FEASIBLE) and (not capacity or result.height <= capacity)
    if code == OPTIMAL and not fits:
        code = INFEASIBLE  # the lowest plan is above the capacity
    status: Status = "infeasible" if code == INFEASIBLE else "unknown" if not fits else "optimal" if code == OPTIMAL else "feasible"
    stopped: Stopped = ""
    if status == "unknown" or status == "feasible" and (o.minimize or not capacity):
        stopped = "timeout" if late(None) else "nodes" if o.nodes and result.nodes >= o.nodes else "effort"
    reason = f"no plan is lower than {result.bound} bytes" if status == "infeasible" and result.bound > capacity else ""
    if status == "infeasible" and not reason:
        reason = "fixed offsets collide, or the capacity is too small"
    return Plan(
        p, p._given(offsets) if fits else None, result.height if fits else 0, result.bound, status, stopped, capacity, "core", "",
        result.nodes, 0, time.monotonic() - began, reason, "core" if fits else "", "core" if status in ("optimal", "infeasible") else "",
        stopped or ("proof" if status in ("optimal", "infeasible") else "fits"),
    )  # fmt: skip


def _whole(p: Problem, columns: list[Any], gaps: list[list[tuple[int, ...]]]) -> tuple[list[tuple[int, int]], list[list[tuple[int, ...]]]]:
    """Checks the buffers, and returns lifespans and gaps as the core takes them.

    A gap at an end shortens the lifespan, and gaps that touch are one.
    """
    lower, upper, size, alignment, fixed = columns[:5]
    lives, kept = [], []
    for i in range(p.count):
        b, begin, end = f"buffer {p.names[i] if p.names else i}", lower[i], upper[i]
        rows: list[tuple[int, ...]] = []
        if begin >= end:
            raise InputError(f"{b}: lower is {begin} and upper {end}: it must be above lower")
        if size[i] < 1:
            raise InputError(f"{b}: size is {size[i]}, must be at least 1")
        if alignment and alignment[i] < 0:
            raise InputError(f"{b}: alignment is {alignment[i]}, must not be below 0")
        if fixed and fixed[i] != NONE and (fixed[i] < 0 or alignment and fixed[i] % max(1, alignment[i])):
            raise InputError(f"{b}: offset is {fixed[i]}, must be a multiple of the alignment, and not below 0")
        last = begin
        for gap in sorted(gaps[i]):
            if not last <= gap[0] < gap[1] <= end:
                raise InputError(f"{b}: the gap {gap} must lie within the lifespan, and overlap no other gap")
            last = gap[1]
            if gap[0] == begin:
                begin = last
            elif rows and rows[-1][1] == gap[0]:
                rows[-1] = (rows[-1][0], last)
            else:
                rows.append(gap)
        if rows and last == end:
            end = rows.pop()[0]
        if begin == end:
            raise refuse(f"{b}, which is in gaps for its whole lifespan,")
        lives.append((begin, end))
        kept.append(rows)
    return lives, kept


def plan_trace(trace: bytes, alignment: int = 0, guard: int = 0, every: bool = False, apart: bool = False, timeout: float = 0) -> bytes:
    """Plans a trace, and returns the text of the plans."""
    lib, n, error, late = _load(), c_size_t(), ctypes.create_string_buffer(200), _late(timeout)
    how = _Planning(alignment, guard, 0, every, apart, late, None)
    at = lib.stowage_arena_plan_trace(trace, len(trace), byref(how), byref(n), error, len(error))
    if not at:
        raise InputError(error.value.decode())
    try:
        return ctypes.string_at(at, n.value)
    finally:
        lib.free(at)


def _late(timeout: float) -> Any:
    """Returns a callback that ends a search after so many seconds; 0: never."""
    end = time.monotonic() + timeout if timeout else float("inf")
    return _CANCEL(lambda _: int(time.monotonic() >= end))


def words(trace: str, to: str, every: bool, timeout: float) -> list[str]:
    """Returns the words of a process that plans the trace in a file, as `stowage arena plan` does, into a file."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); from stowage import _core; sys.exit(_core.main(*sys.argv[2:]))"
    return [sys.executable, "-c", code, os.path.dirname(os.path.dirname(os.path.abspath(__file__))), trace, to, str(int(every)), str(timeout)]


def main(trace: str, to: str, every: str, timeout: str) -> Optional[str]:
    """Is called in the process of words. Returns what is wrong."""
    try:
        with open(trace, "rb") as f:
            plans = plan_trace(f.read(), every=every == "1", apart=every == "1", timeout=float(timeout))
    except Error as err:
        return str(err)
    with open(to, "wb") as f:
        f.write(plans)
    return None

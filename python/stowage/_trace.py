"""Traces of running programs, planned by the command; without it by stowage_core.c."""

from __future__ import annotations

from typing import Optional

from . import _command, _core, _units
from ._units import Seconds, Size


def plan_trace(
    trace: str,
    *,
    alignment: Optional[Size] = None,
    guard: Optional[Size] = None,
    every_step: bool = False,
    timeout: Optional[Seconds] = None,
    planner: Optional[str] = None,
) -> str:
    """Plans what stowage_arena.c recorded. The trace is its text. Returns the plan as text, which
    stowage_arena_load takes; docs/arena.md has both formats.

    alignment    bytes to which every allocation is aligned at least; 64 if it is None
    guard        bytes that stay free behind each allocation, for guard mode
    every_step   plan steps that come only once, too
    timeout, planner: as for plan; without a timeout it is 20 seconds"""
    if _command.absent():
        if planner not in (None, "core"):
            raise _core.refuse(f"the planner {planner}")
        least, free = (_units.size(name, x, 1) if x is not None else 0 for name, x in (("alignment", alignment), ("guard", guard)))
        return _core.plan_trace(trace.encode(), least, free, every_step, timeout=_units.seconds(timeout)).decode()
    flags = ["arena", "plan", "-q", "--baselines", "none"]
    for name, value in (("alignment", alignment), ("guard", guard)):
        if value is not None:
            flags += ["--" + name, str(_units.size(name, value, 1))]
    if every_step:
        flags.append("--all")
    if seconds := _units.seconds(timeout):
        flags += ["--timeout", f"{seconds:.9f}s"]
    if planner is not None:
        flags += ["--planner", planner]
    return _command.run([*flags, "-"], trace)[1]

"""A serialised executable with another plan of its heap.

Idea: buffers (_lives.py) are planned as any other problem, with XLA's own plan to start from. Then every slice in the
program, every offset in the table of buffers and the size of the heap are set anew, and the result is read again
and checked (_check.py). The table of buffers is for people and statistics: what runs are the slices.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass
from typing import Optional, Union

from .._api import plan as plan_of, valid
from .._errors import InputError
from .._problem import Problem
from .._units import Seconds
from . import _lives, _scratch
from ._check import check
from ._thunks import ALIGNMENT, Executable, Refused, instructions, read


# XLA on the CPU has two schedulers. The usual one goes breadth first, so that steps can run at the same time. This switches
# to the other one, which goes depth first, for memory (openxla/xla, CpuCompiler::CreateHloSchedule).
FOR_MEMORY = {"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"}


@dataclass(frozen=True)
class Report:
    """What was planned. Sizes are bytes of XLA's heap: what memory_analysis() calls temp_size_in_bytes."""

    before: int
    """The heap as XLA planned it."""
    after: int
    """The heap now. If it equals before, nothing was rewritten."""
    bound: int
    """No plan of the buffers that were found is lower while the steps keep their order: it is proven."""
    status: str
    """optimal: after is the bound, so no plan is lower in this order of the steps; feasible: a lower plan may exist."""
    buffers: int
    """How many buffers were planned."""
    steps: int
    """How many steps the program has, those of loops and branches counted once."""
    kinds: dict[str, int]
    """How many thunks there are of each kind: kernel, convolution, while, and so on."""
    seconds: float
    """The time that the planner took."""
    runs: int = 0
    """Runs in which old and new executable had the same outputs, bit by bit; 0 if they were not run."""
    floor: int = 0
    """No order of the steps needs less: the most bytes that one step reads and writes. 0 if unknown."""
    order: str = "usual"
    """The order of the steps: usual, or that of XLA's scheduler for memory. Then before is the heap in the usual order."""

    @property
    def saved(self) -> int:
        """Bytes saved: before - after."""
        return self.before - self.after

    def __str__(self) -> str:
        share = f" ({self.saved / self.before:.1%} less)" if self.saved else ", as it was"
        least = f", at least {self.bound:,} in this order of the steps"
        if self.status == "optimal":
            least = ", the least possible in this order of the steps"
            if self.after <= self.floor:
                least = ", the least possible in any order of the steps"
            elif self.floor:
                least += f" (every order needs at least {self.floor:,}{'; for another order: order=True' if self.order == 'usual' else ''})"
        runs = f"; outputs equal in {self.runs} runs" if self.runs else ""
        other = "" if self.order == "usual" else ", in another order of the steps"
        return f"heap of {self.before:,} bytes is {self.after:,}{share}{other}{least}; {self.buffers} buffers in {self.steps} steps{runs}"


def executable(data: bytes, timeout: Optional[Seconds]) -> tuple[bytes, Report]:
    """Rewrites an executable as JAX's client serialises it."""
    e = read(data)
    scratch = _scratch.find(e)
    _scratch.take(e, scratch)
    found = _lives.buffers(e)
    problem = Problem(
        [b.lower for b in found], [b.upper for b in found], [b.end - b.base for b in found], ALIGNMENT, gaps=[b.gaps for b in found],
        names=range(len(found)),
    )  # fmt: skip
    old = [b.base for b in found]
    # XLA's plan is a start, unless a value lies in the space between parts of another that are united here.
    plan = plan_of(problem, timeout=timeout, start=old if valid(problem, old) else None)
    if plan.offsets is None:
        raise Refused(f"the heap could not be planned: {plan.reason or plan.status}")
    offsets, height = [int(x) for x in plan.offsets], plan.height
    after = min(height, e.size)
    report = Report(
        e.size, after, min(plan.lower_bound, after), "optimal" if plan.optimal else "feasible", len(found), len(e.steps), e.kinds, plan.seconds, floor=_floor(e),
    )  # fmt: skip
    if height >= e.size:
        return data, report
    _set(e, found, offsets, height)
    new = e.dump()
    was, now = read(data), read(new)
    for x in (was, now):
        _scratch.take(x, scratch)
    check(was, now)
    return new, report


def _floor(e: Executable) -> int:
    """Returns the most bytes that one step reads and writes: its slices share the same bytes in every plan (_check.py)."""
    most = 0
    for s in e.steps:
        bytes_, end = 0, 0
        for lower, upper in sorted((a.lower, a.upper) for a in s.slices()):
            if upper > end:
                bytes_, end = bytes_ + upper - max(lower, end), upper
        most = max(most, bytes_)
    return most


def _set(e: Executable, found: list[_lives.Buffer], offsets: list[int], height: int) -> None:
    """Sets slices, the table of buffers and the size of the heap."""
    for b, offset in zip(found, offsets):
        for a in b.accesses:
            a.slice.set(1, a.lower - b.base + offset)
    for s in e.steps:
        for a in s.slices():
            if a.upper == a.lower:
                a.slice.set(1, 0)
    names = instructions(e.result)
    wanted = {}  # buffers of XLA: the instruction that each is made by
    for logical in e.result.only(2, "buffer_assignment").opened(1, "logical_buffers"):
        for at in logical.opened(3, "defined_at"):
            wanted[logical.integer(1, "id")] = names.get(at.integer(4, "instruction_id"), (at.text(2, "instruction_name"), ""))[0]
    for assigned in e.heap.opened(9, "assigned"):
        lower, size = assigned.integer(2, "offset"), assigned.integer(3, "size")
        name = wanted.get(assigned.integer(1, "logical_buffer_id"))
        fits = [(name not in b.writers, k) for k, b in enumerate(found) if b.base <= lower and lower + size <= b.end]
        offset = 0  # no step touches it, such as the table of a tuple
        if fits:
            _, k = min(fits)
            offset = lower - found[k].base + offsets[k]
        if size > height:
            raise Refused(f"executable: no step uses a buffer of {size} bytes ({name}), which is more than the planned heap")
        assigned.set(2, offset if offset + size <= height else 0)
    e.heap.set(2, height)


def payload(data: bytes, timeout: Optional[Seconds]) -> tuple[bytes, Report]:
    """Rewrites a payload of jax.experimental.serialize_executable.

    It is a pickle in which the executable stands as ("exec", bytes). The pickle is not run: its opcodes are listed, and
    those bytes are replaced. Frames, which are optional and have a length, are left out of what is written."""
    at: list[tuple[int, int, bytes]] = []  # from, until, executable
    frames: list[int] = []
    opened: Optional[tuple[int, bytes]] = None
    last: Union[str, None] = None
    try:
        for op, arg, pos in pickletools.genops(data):
            if pos is None:
                raise ValueError("an opcode has no place")
            if opened is not None:
                at.append((opened[0], pos, opened[1]))
                opened = None
            if op.name == "FRAME":
                frames.append(pos)
            elif op.name in ("BINBYTES", "BINBYTES8", "SHORT_BINBYTES") and last == "exec" and isinstance(arg, bytes):
                opened = (pos, arg)
            elif "UNICODE" in op.name:
                last = str(arg)
    except (ValueError, IndexError, UnicodeDecodeError, OverflowError) as err:
        raise InputError(f"payload: it is not a pickle of jax.experimental.serialize_executable: {err}") from None
    if len(at) != 1:
        raise Refused(f"payload: there are {len(at)} executables in it, not 1")
    lower, upper, old = at[0]
    new, report = executable(old, timeout)
    if new == old:
        return data, report
    cut = [(p, p + 9, b"") for p in frames]
    cut.append((lower, upper, b"\x8e" + len(new).to_bytes(8, "little") + new))  # BINBYTES8
    out, i = bytearray(), 0
    for a, b, instead in sorted(cut):
        out += data[i:a] + instead
        i = b
    return bytes(out + data[i:]), report

"""The algorithm that ExecuTorch's MemoryPlanningAlgorithmSuite calls.

Idea: ExecuTorch's own greedy runs first. It sets the alignment of the specs, resolves
specs that are stored in others, and returns the size of each arena (mem_id). Then each
arena is a problem of its own, with a buffer for every spec that has bytes and is not
stored in another one; the buffer is live as long as the spec. If Stowage's plan is lower,
the specs of that arena get its offsets. Otherwise they keep those of greedy. So no arena
is ever larger than with greedy.

Room: if a graph has cond, while, map or scan, its arena begins with the room in which
their submodules were planned (input_mem_buffer_sizes). This room is kept for the whole
graph, as greedy keeps it. ExecuTorch does not copy the result of a branch out of it but
moves the reference, so the bytes stay in use after the branch has ended.

Source: ExecuTorch 1.5.1, exir/memory_planning.py. It calls the algorithm once for each
device. It does not pass graph inputs, outputs and mutable buffers that are not to be
planned, nor tensors without an upper bound.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Optional

from stowage._units import Seconds

from . import transport

log = logging.getLogger("stowage_executorch")


@dataclass(frozen=True)
class Arena:
    """The result for one arena of one graph. Sizes are in bytes, and include the room for
    submodules and the padding that a delegate asks for."""

    mem_id: int  # the number that the algorithm gets; with several devices ExecuTorch renumbers
    tensors: int  # number of specs in the arena
    room: int  # bytes at the bottom for submodules of control flow
    greedy: int  # bytes with ExecuTorch's greedy
    size: int  # bytes now; never more than greedy
    lower_bound: int  # no plan takes fewer bytes
    proven: bool  # it is proven that no plan takes fewer bytes than size


class Stowage:
    """An algorithm for MemoryPlanningAlgorithmSuite.

    command is the path of a program stowage, which then plans [default: the environment
    variable STOWAGE, else the library plans]. timeout and nodes limit the search of each
    arena: timeout is in seconds, or a text such as "500ms". Without a limit the search ends
    by itself, and an export gives the same bytes each time.

    After an export, arenas has an Arena for each arena of each graph; submodules come before
    the graphs that call them.
    """

    __name__ = "stowage"  # by which a suite tells its algorithms apart

    def __init__(
        self, command: Optional[str] = None, *, timeout: Optional[Seconds] = None, nodes: Optional[int] = None
    ) -> None:
        self.command, self.timeout, self.nodes = command, timeout, nodes
        self.arenas: list[Arena] = []

    def __call__(
        self, alignment: int, specs: Any, graph_module: Any, graph_signature: Any, extra_padding: int = 0
    ) -> Any:
        from executorch.exir.memory_planning import greedy, SpecAllocResult  # type: ignore[import-untyped,unused-ignore]

        if type(alignment) is not int or alignment <= 0:
            raise ValueError(f"alignment is {alignment!r}, must be a whole number above 0")
        specs = list(specs)
        result = greedy(alignment, specs, graph_module, graph_signature, extra_padding)
        rooms = getattr(graph_module, "input_mem_buffer_sizes", None) or []
        of_arena: dict[int, list[Any]] = defaultdict(list)
        for spec in specs:
            of_arena[result.spec_dict[spec].mem_id].append(spec)
        # Greedy leaves out the room of an arena in which the graph has no spec of its own.
        result.bufsizes.extend([0] * (len(rooms) - len(result.bufsizes)))
        for mem_id, room in enumerate(rooms):
            result.bufsizes[mem_id] = max(result.bufsizes[mem_id], room)

        for mem_id, members in sorted(of_arena.items()):
            room = rooms[mem_id] if mem_id < len(rooms) else 0
            taken = result.bufsizes[mem_id]
            bottom = -(-room // alignment) * alignment
            placed = [s for s in members if s.storage_base is None and s.allocated_memory > 0]
            plan = transport.plan(
                [_buffer(s, alignment) for s in placed], command=self.command, timeout=self.timeout, nodes=self.nodes
            )
            size = bottom + plan.height + extra_padding
            if size < taken:
                offsets = {spec: bottom + offset for spec, offset in zip(placed, plan.offsets)}
                _check(offsets, alignment, bottom + plan.height)
                for spec in members:
                    # One object for the whole arena, because two specs that share bytes must
                    # name the same object.
                    result.spec_dict[spec] = SpecAllocResult(mem_id, 0, _offset(spec, offsets, bottom))
                result.bufsizes[mem_id] = size
            arena = Arena(
                mem_id=mem_id, tensors=len(members), room=room, greedy=taken, size=min(size, taken),
                lower_bound=min(bottom + plan.lower_bound + extra_padding, taken),
                proven=min(size, taken) <= bottom + plan.lower_bound + extra_padding,
            )  # fmt: skip
            self.arenas.append(arena)
            log.info("arena %d: %d bytes, greedy has %d%s", mem_id, arena.size, taken, ", proven" * arena.proven)
        return result


def suite(command: Optional[str] = None, *, timeout: Optional[Seconds] = None, nodes: Optional[int] = None) -> Any:
    """Returns a value for memory_planning_algo of MemoryPlanningPass."""
    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite

    return MemoryPlanningAlgorithmSuite([Stowage(command, timeout=timeout, nodes=nodes)])


def _buffer(spec: Any, alignment: int) -> transport.Buffer:
    first, last = spec.lifetime
    if first is None or last is None or last < first:
        raise ValueError(f"the lifetime of {spec!r} is {spec.lifetime!r}, must be a first and a last node")
    return transport.Buffer(first, last + 1, spec.allocated_memory, alignment)


def _offset(spec: Any, offsets: dict[Any, int], bottom: int) -> int:
    """Returns the offset of a spec: inside the spec that it is stored in, or its own. A spec
    without bytes is at the bottom. Greedy has checked that the chain of specs ends."""
    inside = 0
    while spec.storage_base is not None:
        inside += spec.storage_base_offset
        spec = spec.storage_base
    return offsets.get(spec, bottom) + inside


def _check(offsets: dict[Any, int], alignment: int, top: int) -> None:
    """Raises an error if the plan is wrong. Stowage verifies its plans; this compares the
    result with the specs themselves, and so checks the translation too.

    Complexity: the number of specs times the number of specs that are live at once.
    """
    live: list[Any] = []
    for spec in sorted(offsets, key=lambda s: s.lifetime[0]):
        start, end = offsets[spec], offsets[spec] + spec.allocated_memory
        if start % alignment or end > top:
            raise transport.StowageError(f"the plan puts {spec!r} at [{start}, {end}), which is not aligned or ends above the height of the plan")
        live = [s for s in live if s.lifetime[1] >= spec.lifetime[0]]
        for other in live:
            if start < offsets[other] + other.allocated_memory and offsets[other] < end:
                raise transport.StowageError(f"the plan puts {spec!r} and {other!r} at the same bytes while both are live")
        live.append(spec)

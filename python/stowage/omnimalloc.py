"""An allocator for OmniMalloc. Its harness can then run Stowage beside its own allocators.

    import stowage.omnimalloc  # registers it under the name stowage
    from omnimalloc import allocate
    from omnimalloc.benchmark import run_benchmark

    allocate(pool, "stowage")
    run_benchmark(allocators=("omni", "supermalloc", "stowage"), variants=(1000, 10000))

Lifetimes must be scalar. Vector clocks are refused, as by OmniMalloc's own allocators for scalar
lifetimes. An allocation that has an offset keeps it. Tested with omnimalloc 1.0.0.
"""

from __future__ import annotations

import inspect
from typing import Any, Optional

from omnimalloc.allocators import BaseAllocator
from omnimalloc.primitives import Allocation

import stowage
from stowage._units import Seconds


class StowageAllocator(BaseAllocator):
    """Stowage as an allocator of OmniMalloc.

    timeout is the time for one allocation: seconds, or a text such as "500ms" [default: no
    limit; the search ends by itself]. If a limit comes before there is a plan, the placement is
    that of the planner first-fit, which needs no search: OmniMalloc's anytime allocators return
    a placement too. options are those of stowage.plan. If a capacity is given and no placement
    fits it, a RuntimeError has the reason."""

    supports_vector_time = False
    supports_pinned = True

    def __init__(self, timeout: Optional[Seconds] = None, **options: Any) -> None:
        inspect.signature(stowage.plan).bind([], **options)  # a wrong name is a TypeError here, not in the harness
        self._timeout, self._options = timeout, options

    def _allocate(self, allocations: tuple[Allocation, ...]) -> tuple[Allocation, ...]:
        pinned = [a.offset for a in allocations]
        starts: list[Any] = [a.start for a in allocations]
        ends: list[Any] = [a.end for a in allocations]
        problem = stowage.Problem(starts, ends, [a.size for a in allocations], offset=pinned if any(x is not None for x in pinned) else None)
        plan = stowage.plan(problem, timeout=self._timeout, **self._options)
        if plan.status == "unknown":
            plan = stowage.plan(problem, planner="first-fit", capacity=self._options.get("capacity"))
        if plan.offsets is None:
            raise RuntimeError(f"Stowage found no plan: {plan.status}. {plan.reason}")
        return tuple(a.with_offset(offset) for a, offset in zip(allocations, plan.offsets))

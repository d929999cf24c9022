"""An allocator for OmniMalloc, with which its harness runs Stowage beside its own.

    import stowage.omnimalloc  # registers it under the name stowage
    from omnimalloc import allocate
    from omnimalloc.benchmark import run_benchmark

    allocate(pool, "stowage")
    run_benchmark(allocators=("omni", "supermalloc", "stowage"), variants=(1000, 10000))

Lifetimes are on one line of time: vector clocks are refused, as by its own allocators
of that kind. Offsets that are there already are kept. Tested with omnimalloc 1.0.0.
"""

from __future__ import annotations

from typing import Any, Optional

from omnimalloc.allocators import BaseAllocator
from omnimalloc.primitives import Allocation

import stowage


class StowageAllocator(BaseAllocator):
    """Stowage. timeout is in seconds (None: until it ends by itself); options are those
    of stowage.plan."""

    supports_vector_time = False
    supports_pinned = True

    def __init__(self, timeout: Optional[float] = None, **options: Any) -> None:
        self._timeout, self._options = timeout, options

    def _allocate(self, allocations: tuple[Allocation, ...]) -> tuple[Allocation, ...]:
        pinned = [a.offset for a in allocations]
        plan = stowage.solve(
            [a.start for a in allocations],
            [a.end for a in allocations],
            [a.size for a in allocations],
            offset=pinned if any(x is not None for x in pinned) else None,
            timeout=self._timeout,
            **self._options,
        )
        if plan.offsets is None:
            raise RuntimeError(f"Stowage found no plan: {plan.status}")
        return tuple(a.with_offset(offset) for a, offset in zip(allocations, plan.offsets))

"""Arenas of several memories: each spec gets a mem_id and an offset.

Idea: each bank is a pool. A byte of a tensor costs the place of its bank in the list, so the first is for free. Plans
that cost least come first, among these the lowest. A mem_id that a pass has set is the only pool of its spec. If that
names no bank, its arena is planned as well, but has no size to keep to.

Room: as in algorithm.py, the room for submodules of control flow (input_mem_buffer_sizes) lies at the bottom of an arena.
Here it is a reserved range. Padding is taken off the size of each bank, whether the bank is used or not.

Source: ExecuTorch after 1.5.1 (pytorch/executorch 26aed9f), exir/banked_memory_planning.py, whose BankedGreedy takes
the same banks. Its rule: the largest tensor first, into the first bank that holds it without growing, or has room for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence

import stowage
from stowage._units import Seconds

from .transport import StowageError


@dataclass(frozen=True)
class Bank:
    """One memory that may be filled. ExecuTorch's own class of this name will do, too."""

    name: str
    size: int  # bytes for this program
    mem_id: int  # the number of the arena, from 1
    alignment: Optional[int] = None  # of every offset, beside that of the program; None for no other


class Banked:
    """An algorithm for MemoryPlanningAlgorithmSuite that plans banks, the first preferred.

    timeout and nodes limit the search, as those of Stowage. After an export, costs has what each graph's plan costs
    and the least that any can: bytes of tensors, times the place of their bank in the list. Raises a ValueError for
    banks that make no sense, and StowageError if nothing fits or nothing is found; no spec is changed then.
    """

    __name__ = "stowage_banked"

    def __init__(self, banks: Iterable[Any], *, timeout: Optional[Seconds] = None, nodes: Optional[int] = None) -> None:
        self.banks, self.timeout, self.nodes = list(banks), timeout, nodes
        self.costs: list[tuple[int, int]] = []
        if not self.banks:
            raise ValueError("there is no bank")
        for bank in self.banks:
            alignment = getattr(bank, "alignment", None)
            if bank.mem_id < 1:
                raise ValueError(f"bank {bank.name} has mem_id {bank.mem_id}: the arenas of a plan begin with 1")
            if bank.size < 1 or alignment is not None and alignment < 1:
                raise ValueError(f"bank {bank.name} has {bank.size} bytes and the alignment {alignment}: they must be above 0")
            if sum(other.mem_id == bank.mem_id or other.name == bank.name for other in self.banks) > 1:
                raise ValueError(f"bank {bank.name} shares its name or its mem_id {bank.mem_id} with another")

    def __call__(self, alignment: int, specs: Any, graph_module: Any, graph_signature: Any = None, extra_padding: int = 0) -> Any:
        from executorch.exir.memory_planning import MemoryAlgoResult, SpecAllocResult  # type: ignore[import-untyped,unused-ignore]

        specs = list(specs)
        for spec in specs:
            spec.realign(alignment)
        placed = [spec for spec in specs if _base(spec) is None and spec.allocated_memory > 0]
        rooms = list(getattr(graph_module, "input_mem_buffer_sizes", None) or [])
        pools, ids = self._pools(alignment, placed, rooms, extra_padding)
        where = self._plan(alignment, placed, pools, ids)
        sizes = [0] * (max([*ids, len(rooms) - 1]) + 1)
        for mem_id, room in enumerate(rooms):
            sizes[mem_id] = room
        for spec, (mem_id, offset) in where.items():
            sizes[mem_id] = max(sizes[mem_id], offset + spec.allocated_memory)
        for mem_id in {mem_id for mem_id, _ in where.values()}:
            sizes[mem_id] += extra_padding
        result = MemoryAlgoResult({}, sizes)
        for spec in specs:
            own, inside = spec, 0
            while _base(own) is not None:
                inside += getattr(own, "storage_base_offset", 0) or 0
                own = _base(own)
            mem_id, offset = where.get(own, (own.mem_id or self.banks[0].mem_id, 0))
            # One object for the whole arena, because two specs that share bytes must name the same object.
            result.spec_dict[spec] = SpecAllocResult(mem_id, 0, offset + inside)
        return result

    def _pools(self, alignment: int, placed: Sequence[Any], rooms: Sequence[int], padding: int) -> tuple[list[stowage.Pool], list[int]]:
        """Returns the pools and their mem_ids: those of banks with room for anything, then those of other arenas."""
        pools, ids = [], []
        for place, bank in enumerate(self.banks):
            room = rooms[bank.mem_id] if bank.mem_id < len(rooms) else 0
            own = getattr(bank, "alignment", None) or alignment
            if own % alignment:
                raise StowageError(f"bank {bank.name} has the alignment {own}, which is no multiple of that of the program, {alignment}")
            if bank.size - padding > room:
                pools.append(stowage.Pool(str(bank.mem_id), bank.size - padding, own, place, [(0, room)] if room else []))
                ids.append(bank.mem_id)
        known = {bank.mem_id for bank in self.banks}
        for mem_id in sorted({spec.mem_id for spec in placed if spec.mem_id is not None} - known):
            room = rooms[mem_id] if mem_id < len(rooms) else 0
            pools.append(stowage.Pool(str(mem_id), 0, alignment, 0, [(0, room)] if room else []))
            ids.append(mem_id)
        return pools, ids

    def _plan(self, alignment: int, placed: Sequence[Any], pools: Sequence[stowage.Pool], ids: Sequence[int]) -> dict[Any, tuple[int, int]]:
        """Returns the mem_id and the offset of each spec that takes bytes."""
        if not placed:
            self.costs.append((0, 0))
            return {}
        managed = [k for k, mem_id in enumerate(ids) if any(bank.mem_id == mem_id for bank in self.banks)]
        allowed = []
        for spec in placed:
            if spec.mem_id is not None and spec.mem_id not in ids:
                raise StowageError(f"{spec!r} must lie in arena {spec.mem_id}, whose bank has no room for anything")
            allowed.append(managed if spec.mem_id is None else [ids.index(spec.mem_id)])
        if not all(allowed):
            raise StowageError("no bank has room for anything")
        try:
            plan = stowage.solve(
                [spec.lifetime[0] for spec in placed], [spec.lifetime[1] + 1 for spec in placed], [spec.allocated_memory for spec in placed],
                alignment, pools=pools, allowed=allowed, objective=["cost", "height"], timeout=self.timeout, nodes=self.nodes,
            )  # fmt: skip
        except stowage.Error as err:
            raise StowageError(f"stowage refused the problem: {err}") from err
        if plan.offsets is None:
            banks = ", ".join(f"{bank.name} (mem_id {bank.mem_id}) of {bank.size} bytes" for bank in self.banks)
            raise StowageError(f"no plan for {len(placed)} specs in {banks}: {'it is proven that none fits' if plan.status == 'infeasible' else plan.reason}")
        self.costs.append((plan.measures["cost"], plan.bounds["cost"]))
        names = plan.pools or [pools[0].id] * len(placed)
        return {spec: (int(name), int(offset)) for spec, name, offset in zip(placed, names, plan.offsets)}


def banked(banks: Iterable[Any], *, timeout: Optional[Seconds] = None, nodes: Optional[int] = None) -> Any:
    """Returns a value for memory_planning_algo of MemoryPlanningPass."""
    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite

    return MemoryPlanningAlgorithmSuite([Banked(banks, timeout=timeout, nodes=nodes)])


def _base(spec: Any) -> Any:
    """Returns the spec that a spec is stored in, or None. Newer releases have it by another name."""
    return getattr(spec, "storage_base", None) or getattr(spec, "inplace_base", None)

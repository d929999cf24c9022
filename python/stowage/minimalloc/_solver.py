"""The solver. Stowage does the work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Union

import stowage

from ._model import Duration, Problem, Solution, planned


# The switches, and the technique of the planner `minimalloc` that each one stands for.
_TECHNIQUES = {
    "canonical_only": "canonical",
    "section_inference": "section-inference",
    "dynamic_ordering": "dynamic-ordering",
    "check_dominance": "dominance",
    "unallocated_floor": "unallocated-floor",
    "static_preordering": "preordering",
    "dynamic_decomposition": "decomposition",
    "monotonic_floor": "monotonic-floor",
    "hatless_pruning": "hatless",
}


@dataclass
class SolverParams:
    """The parameters of a solver: timeout, in seconds or a Duration; minimize_capacity; and
    the switches of google/minimalloc's search. With the default switches the planner is `auto`,
    which is stronger than that search. If a switch is changed, the planner is `minimalloc`: it
    is that search, and counts its backtracks."""

    canonical_only: bool = True
    section_inference: bool = True
    dynamic_ordering: bool = True
    check_dominance: bool = True
    unallocated_floor: bool = True
    static_preordering: bool = True
    dynamic_decomposition: bool = True
    monotonic_floor: bool = True
    hatless_pruning: bool = True
    minimize_capacity: bool = False
    preordering_heuristics: list[str] = field(default_factory=lambda: ["WAT", "TAW", "TWA"])
    _timeout: Duration = field(default_factory=Duration.infinite, repr=False)

    @property
    def timeout(self) -> Duration:
        return self._timeout

    @timeout.setter
    def timeout(self, value: Union[Duration, float, None]) -> None:
        if value is None:
            value = Duration.infinite()
        elif isinstance(value, (int, float)):
            value = Duration(value)
        elif not isinstance(value, Duration):
            raise TypeError("timeout must be Duration, numeric, or None")
        self._timeout = value


class Solver:
    """Solves problems, one at a time. Ctrl-C and cancel, from another thread, end it."""

    def __init__(self, params: Optional[SolverParams] = None) -> None:
        self._params = params or SolverParams()
        self._backtracks, self._cancelled = 0, False

    def solve(self, problem: Problem) -> Optional[Solution]:
        """Returns a solution that fits the capacity, the lowest one if minimize_capacity is
        set; None if there is none or the timeout came first."""
        self._backtracks, self._cancelled = 0, False
        if not problem.buffers:
            return Solution([], 0)
        seconds = self._params.timeout.to_seconds()
        if seconds <= 0:
            return None
        if problem.capacity <= 0:
            self._backtracks = 1
            return None
        done = stowage.plan(
            planned(problem),
            capacity=problem.capacity,
            minimize=self._params.minimize_capacity,
            timeout=seconds,
            progress=lambda _: not self._cancelled,
            **self._search(),
        )
        # If a bound proves that nothing fits, the root of the search has failed.
        self._backtracks = max(done.backtracks, int(done.status == "infeasible"))
        return Solution([int(x) for x in done.offsets], done.height) if done.offsets is not None else None

    def _search(self) -> dict[str, Any]:
        """Returns the options of the search: none if no switch was changed."""
        params, first = self._params, SolverParams()
        off = [technique for switch, technique in _TECHNIQUES.items() if not getattr(params, switch)]
        if not off and params.preordering_heuristics == first.preordering_heuristics:
            return {}
        # Unknown letters are left out; - is an order without letters. The lower bound is not
        # a part of that search.
        orders = ["".join(letter for letter in order if letter in PreorderingComparator._FIELDS) or "-" for order in params.preordering_heuristics]
        return {"planner": "minimalloc", "without": [*off, "bound"], "params": {"orders": ",".join(orders or ["-"])}}

    def get_backtracks(self) -> int:
        """Returns the backtracks of the last run."""
        return self._backtracks

    def cancel(self) -> None:
        """Ends the run that another thread has begun."""
        self._cancelled = True

    def compute_irreducible_infeasible_subset(self, problem: Problem) -> Optional[list[int]]:
        """Returns the numbers of buffers that do not fit together, although the rest of them
        fit if any one is left out; None if all fit."""
        if not problem.buffers:
            return None
        return stowage.conflict(planned(problem), max(problem.capacity, 1)) or None


@dataclass
class PreorderData:
    """The properties of a buffer by which buffers are ordered."""

    area: int = 0
    lower: int = 0
    overlaps: int = 0
    sections: int = 0
    size: int = 0
    total: int = 0
    upper: int = 0
    width: int = 0
    buffer_idx: int = 0


class PreorderingComparator:
    """Returns whether a buffer comes before another. Each letter of the heuristic stands for a
    property, and the buffer with more of that property comes first. The first letter decides.
    The next letters break ties, and the number of the buffer breaks the last ones."""

    _FIELDS = {"A": "area", "C": "sections", "L": "lower", "O": "overlaps", "T": "total", "U": "upper", "W": "width", "Z": "size"}

    def __init__(self, heuristic: str) -> None:
        self._fields = [self._FIELDS[letter] for letter in heuristic if letter in self._FIELDS]

    def __call__(self, lhs: PreorderData, rhs: PreorderData) -> bool:
        return self._key(lhs) < self._key(rhs)

    def _key(self, data: PreorderData) -> list[Any]:
        return [-getattr(data, f) for f in self._fields] + [data.buffer_idx]

"""Which capacities are enough for a problem."""

from __future__ import annotations

from typing import Literal

from . import _units
from ._plan import Plan, Status
from ._units import Size

#: What is known of a capacity.
Answer = Literal["feasible", "infeasible", "unknown"]


class Sizing:
    """Which capacities are enough for a problem.

    status       "optimal": height is the least capacity; "feasible": height is enough, and a
                 smaller capacity may be; "infeasible": no capacity is enough, because two
                 fixed offsets collide; "unknown": a limit came before a plan
    height       the height of plan; 0 if there is no plan
    lower_bound  no plan is lower than this: it is proven
    plan         the Plan that was found: it fits every capacity from height up

    fits(capacity) answers any capacity. The rule is that of plan/bounds.go in Go.
    """

    __slots__ = ("plan",)

    plan: Plan

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @property
    def status(self) -> Status:
        return self.plan.status

    @property
    def height(self) -> int:
        return self.plan.height

    @property
    def lower_bound(self) -> int:
        return self.plan.lower_bound

    def fits(self, capacity: Size) -> Answer:
        """Returns "feasible" if a plan is known that fits the capacity, "infeasible" if it is
        proven that none fits, and "unknown" otherwise. capacity is a number of bytes, or a
        text such as "512KiB"; 0 is no bytes."""
        n = _units.size("capacity", capacity)
        if self.status == "infeasible" or n < self.lower_bound:
            return "infeasible"
        return "feasible" if self.plan and n >= self.height else "unknown"

    def __repr__(self) -> str:
        return f"<stowage.Sizing: {self.status}, height {self.height}, lower bound {self.lower_bound}>"

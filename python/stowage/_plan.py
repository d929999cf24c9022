"""What comes out: a plan, or why there is none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from . import _command
from ._problem import Problem

if TYPE_CHECKING:
    from re import Match

Status = Literal["optimal", "feasible", "infeasible", "unknown"]
Stopped = Literal["", "timeout", "nodes", "interrupt", "effort"]


class Plan:
    """The outcome of a run. It is true where there is a plan.

    offsets   an offset for each buffer, in their order: an array of numpy's where the
              sizes were one, else a list; None where there is no plan
    height    the largest offset + size; 0 where there is no plan
    lower_bound  proven: no plan is lower
    status    "optimal" (proven to be the lowest), "feasible", "infeasible" (proven: nothing
              fits the capacity) or "unknown" (a limit came first)
    stopped   why it ended without an answer: "timeout", "nodes", "interrupt", "effort"
              (the planner ended by itself); "" where it has its answer
    """

    __slots__ = (
        "__weakref__", "backtracks", "capacity", "height", "lower_bound", "member", "nodes", "offsets", "planner", "problem", "seconds", "status", "stopped",
    )  # fmt: skip

    problem: Problem
    offsets: Any
    height: int
    lower_bound: int
    status: Status
    stopped: Stopped
    capacity: int
    planner: str
    member: str
    nodes: int
    backtracks: int
    seconds: float

    def __init__(
        self, problem: Problem, offsets: Any, height: int, lower_bound: int, status: Status, stopped: Stopped,
        capacity: int, planner: str, member: str, nodes: int, backtracks: int, seconds: float,
    ) -> None:  # fmt: skip
        self.problem, self.offsets, self.height, self.lower_bound = problem, offsets, height, lower_bound
        self.status, self.stopped, self.capacity = status, stopped, capacity
        self.planner, self.member, self.nodes, self.backtracks, self.seconds = planner, member, nodes, backtracks, seconds

    def __bool__(self) -> bool:
        return self.offsets is not None

    def __len__(self) -> int:
        return self.problem.count

    def __repr__(self) -> str:
        if self.offsets is None:
            return f"<stowage.Plan: {self.status}, no plan of {len(self)} buffers is lower than {self.lower_bound}>"
        return f"<stowage.Plan: {self.status}, height {self.height}, lower bound {self.lower_bound}, {len(self)} buffers>"

    @property
    def optimal(self) -> bool:
        """Whether the height is proven to be the least there is."""
        return self.status == "optimal"

    def by_name(self) -> dict[str, int]:
        """Returns the offset of each buffer by its name."""
        if self.offsets is None:
            return {}
        names = self.problem.names or map(str, range(len(self)))
        return {name: int(offset) for name, offset in zip(names, self.offsets)}

    def as_dict(self) -> dict[str, Any]:
        """Returns what a JSON file of this plan has, with its problem."""
        d = self.problem.as_dict()
        if self.capacity:
            d["capacity"] = self.capacity
        d["plan"] = plan = {"planner": self.planner, "status": self.status, "height": self.height, "lower_bound": self.lower_bound}
        if self.offsets is None:
            del plan["height"]
        else:
            plan["offsets"] = [int(x) for x in self.offsets]
        return d

    def to_json(self) -> str:
        """Returns problem and plan as JSON, which every other form of Stowage reads."""
        import json

        return json.dumps(self.as_dict(), ensure_ascii=False)

    def svg(self) -> str:
        """Draws the plan, or the load over time where there is none."""
        return _command.run(["show", "--format", "svg", "-"], self.to_json())[1]

    def html(self) -> str:
        """Draws the plan as a page, with its figures."""
        return _command.run(["show", "--format", "html", "-"], self.to_json())[1]

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the plan as its file's extension says: .json, .csv, .svg, .html, .tex,
        and .h or .c for C."""
        to = os.path.abspath(os.fspath(path))
        if to.endswith((".svg", ".html", ".tex")):
            _command.run(["show", "-o", to, "-"], self.to_json())
            return
        if self.offsets is None:
            raise ValueError(f"there is no plan to write: the problem is {self.status}")
        # The offsets are demanded, so that the command has nothing to choose.
        d = self.as_dict()
        plan = d.pop("plan")
        if to.endswith(".json"):
            with open(to, "w", encoding="utf-8") as f:
                f.write(self.to_json())
            return
        for buffer, offset in zip(d["buffers"], plan["offsets"]):
            buffer["offset"] = offset
        import json

        _command.run(["solve", "--quiet", "-o", to, "-"], json.dumps(d, ensure_ascii=False))

    def _repr_html_(self) -> str:
        """For notebooks. The rules of a picture hold for the whole page that it is put
        into, so here they are for what is in a picture of ours alone."""
        import re

        head, begin, rest = self.svg().partition("<style>")
        rules, end, rest = rest.partition("</style>")
        head = head.replace("<svg ", '<svg class="stowage-plan" ', 1)
        return head + begin + re.sub(r"([^{}]+)({[^{}]*})", _within, rules) + end + rest


def _within(rule: "Match[str]") -> str:
    """Returns a rule of a style sheet for elements within a picture of ours."""
    return ",".join(".stowage-plan " + selector.strip() for selector in rule[1].split(",")) + rule[2]

"""Barriers: which buffers take over bytes of others, and must wait for them."""

from __future__ import annotations

import json
from typing import NamedTuple

from . import _command
from ._errors import InputError
from ._plan import Plan


class Wait(NamedTuple):
    """Before time at, a buffer must not begin until another one, behind, has ended at time until. The buffers are
    numbers. turn is -1 if behind is of the turn before, in problems with a period, and else 0."""

    buffer: int
    at: int
    behind: int
    until: int
    turn: int = 0


def barriers(plan: Plan) -> list[Wait]:
    """Lists what a plan makes a program wait for: for each buffer those whose bytes it takes over. It is the least
    such list: what a chain of other waits implies is left out. It is sorted by buffer, at and behind. The
    command makes it. docs/barriers.md has an example."""
    if not isinstance(plan, Plan):
        raise InputError(f"barriers takes a Plan, not {type(plan).__name__}: stowage.plan and stowage.solve return one")
    if plan.offsets is None:
        raise InputError(f"there is no plan: {plan.reason}")
    if not len(plan):
        return []
    found = json.loads(_command.run(["barriers", "--json", "-"], plan.to_json())[1])
    names = plan.problem.names or [str(i) for i in range(len(plan))]
    number = {name: i for i, name in enumerate(names)}
    return [
        Wait(number[b["buffer"]], b["at"], number[w["for"]], w["until"], w.get("turn", 0)) for b in found["barriers"] for w in b["waits"]
    ]

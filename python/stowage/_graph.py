"""Graphs of operators, planned by the command: it has the checks, and ends at Ctrl-C with the
best plan so far. A call takes some milliseconds more than the planning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Optional, TypedDict, Union

from . import _command, _units
from ._errors import InputError
from ._units import Seconds, Size


class Overlap(TypedDict):
    """A result that lies over an operand."""

    operator: str
    result: str
    operand: str
    distance: int  # offset of the operand - offset of the result
    bytes: int  # how many the two share


class Saved(TypedDict, total=False):
    """Bytes that each step saves, beyond those before it."""

    in_place: int
    distance: int
    order: int
    strips: int  # if operators run in strips


class Piece(TypedDict, total=False):
    """Lines of a value, from the first to the end."""

    value: str
    lines: list[int]
    offset: int  # of the first line; missing for constants


class Call(TypedDict, total=False):
    """An operator that is run for some lines of its results."""

    strip: int
    operator: str
    reads: list[Piece]
    makes: list[Piece]
    scratch: int  # if the operator has any


class Chain(TypedDict):
    """Successive operators that run in strips."""

    operators: list[str]
    strips: int
    work: int  # arithmetic that is added
    calls: list[Call]  # in the order in which they run


class GraphPlan(TypedDict, total=False):
    """A plan of a graph."""

    format: str
    version: int
    name: str
    planner: str
    status: str
    height: int
    lower_bound: int
    order: list[str]
    offsets: dict[str, int]
    scratch: dict[str, int]
    overlaps: list[Overlap]
    saved: Saved
    chains: list[Chain]


PERMITS = ("all", "in-place", "none")


def plan_graph(
    graph: Union[Mapping[str, object], str],
    *,
    reorder: bool = False,
    split: Union[bool, float] = False,
    permits: str = "all",
    capacity: Optional[Size] = None,
    timeout: Optional[Seconds] = None,
    planner: Optional[str] = None,
) -> GraphPlan:
    """Plans a graph: operators with operands, results, and permits for results to lie over
    operands. The graph is a dict, or its JSON text; docs/graph.md has the keys. Returns the
    plan as a dict:

    status       optimal, feasible, infeasible or unknown; without a plan the keys from order on are missing
    height       bytes that the plan takes; no plan takes fewer than lower_bound
    order        names of the operators, as they are to run
    offsets      of the values, by their names; scratch: of the operators' scratch
    overlaps     which result lies over which operand, at which distance
    saved        bytes, by permits in_place, by the others (distance), by the order, and by strips
    chains       which operators run in strips, call by call, if any do

    reorder      look for the order with the lowest plan; otherwise the order stays
    split        run operators that say which lines they read in strips: True with up to 10% more arithmetic,
                 or the share that may be added, such as 0.05
    permits      which permits count: all, in-place (exact distances, and those up to 0) or none
    capacity, timeout, planner: as for plan"""
    if permits not in PERMITS:
        raise InputError(f"permits is {permits!r}, must be one of {', '.join(PERMITS)}")
    flags = ["plan", "--json", "--permits", permits]
    if reorder:
        flags.append("--reorder")
    if split is not False:
        flags.append("--split")
        if split is not True:
            if not 0 <= split <= 10:
                raise InputError(f"split is {split!r}, must be True, False or a share from 0 to 10")
            flags += ["--max-macs", f"{100 * split:.9f}%"]
    if capacity is not None:
        flags += ["--capacity", str(_units.size("capacity", capacity, 1))]
    if seconds := _units.seconds(timeout):
        flags += ["--timeout", f"{seconds:.9f}s"]
    if planner is not None:
        flags += ["--planner", planner]
    plan: GraphPlan = json.loads(_command.run([*flags, "-"], _text("graph", graph), accept=(0, 3, 4))[1])
    return plan


def verify_graph(
    graph: Union[Mapping[str, object], str], plan: Union[Mapping[str, object], str], capacity: Optional[Size] = None
) -> str:
    """Checks a plan of a graph by replaying its operators. Both are dicts, or JSON text; the plan has the keys
    that plan_graph returns. Returns what is wrong as text, a line for each fault, or "" if the plan is valid.
    InputError says what is wrong with the graph, or with the plan as a document. The checker shares no code
    with the planner."""
    import os
    import tempfile

    flags = ["verify", "-q"]
    if capacity is not None:
        flags += ["--capacity", str(_units.size("capacity", capacity, 1))]
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        paths = []
        for name, document in (("graph", graph), ("plan", plan)):
            paths.append(os.path.join(folder, name + ".json"))
            with open(paths[-1], "w", encoding="utf-8") as f:
                f.write(_text(name, document))
        try:
            code, verdict = _command.run([*flags, "--json", "--", *paths], accept=(0, 2))
            if not verdict:  # the graph or the plan cannot be read
                _command.run([*flags, "--", *paths])
        except InputError as err:
            raise InputError(str(err).replace(folder + os.sep, "")) from None
    return "" if code == 0 else "\n".join(v["message"] for v in json.loads(verdict)["violations"])


def _text(name: str, document: Union[Mapping[str, object], str]) -> str:
    if isinstance(document, str):
        return document
    try:
        return json.dumps(document, ensure_ascii=False)
    except (TypeError, ValueError) as err:
        raise InputError(f"the {name} cannot be written as JSON: {err}") from err

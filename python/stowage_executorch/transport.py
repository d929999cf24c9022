"""Plans by the library of the package stowage. If a command is named, or if there is no
library, the command plans: it reads a problem from standard input and prints a plan.

Only this module knows how Stowage is called. Both ways give the same plan.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import Optional, Sequence

import stowage
from stowage import _library
from stowage._units import Seconds, seconds


class StowageError(RuntimeError):
    """Stowage is missing, refused the problem, failed, or found no plan."""


@dataclass(frozen=True)
class Buffer:
    """One block of memory, live from lower up to, but not including, upper."""

    lower: int
    upper: int
    size: int
    alignment: int = 1


@dataclass(frozen=True)
class Plan:
    """An offset for each buffer, and what is known about the plan."""

    offsets: list[int]
    height: int
    lower_bound: int  # no plan is lower
    status: str  # "optimal" if it is proven that no plan is lower, else "feasible"


# The meanings of the command's exit codes.
_CODES = {1: "failed", 2: "refused the problem", 3: "proved that there is no plan", 4: "found no plan within its limit"}


def find(command: Optional[str] = None) -> str:
    """Returns the path of the command. It is looked for in this order: the argument, the
    environment variable STOWAGE, the package stowage, PATH."""
    try:
        return stowage.command(command)
    except stowage.Error as err:
        if command or os.environ.get("STOWAGE"):
            raise StowageError(str(err)) from err
        raise StowageError(
            "the command stowage is not on PATH: go install github.com/stowage-go/stowage/cmd/stowage@latest, "
            "or name it by STOWAGE or by command="
        ) from err


def plan(
    buffers: Sequence[Buffer],
    *,
    command: Optional[str] = None,
    timeout: Optional[Seconds] = None,
    nodes: Optional[int] = None,
) -> Plan:
    """Looks for the lowest plan. timeout is in seconds, or a text such as "500ms"; nodes is the
    number of nodes that the search may take. Without timeout, the same buffers always give
    the same plan."""
    limit = seconds(timeout)
    if nodes is not None and nodes <= 0:
        raise ValueError(f"nodes is {nodes!r}, must be more than 0")
    if command is None and not os.environ.get("STOWAGE") and _library.load() is not None:
        return _by_library(buffers, timeout, nodes)
    arguments = [find(command), "solve", "--format", "json", "--quiet"]
    if limit:
        arguments += ["--timeout", f"{max(1, round(limit * 1e6))}us"]
    if nodes is not None:
        arguments += ["--nodes", str(nodes)]
    if not buffers:
        return Plan([], 0, 0, "optimal")
    problem = {
        "version": 1,
        "buffers": [
            {"id": str(i), "lower": b.lower, "upper": b.upper, "size": b.size, "alignment": b.alignment}
            for i, b in enumerate(buffers)
        ],
    }
    try:
        done = subprocess.run(
            [*arguments, "-"], input=json.dumps(problem), capture_output=True, text=True, encoding="utf-8", check=False
        )
    except OSError as err:
        raise StowageError(f"{arguments[0]} cannot be run: {err}") from err
    if done.returncode != 0:
        what = _CODES.get(done.returncode, f"ended with code {done.returncode}")
        raise StowageError(f"{arguments[0]} {what}: {done.stderr.strip() or 'it says nothing'}")
    return _read(done.stdout, len(buffers), arguments[0])


def _by_library(buffers: Sequence[Buffer], timeout: Optional[Seconds], nodes: Optional[int]) -> Plan:
    try:
        p = stowage.plan([(b.lower, b.upper, b.size, b.alignment) for b in buffers], timeout=timeout, nodes=nodes)
    except stowage.Error as err:
        raise StowageError(f"stowage refused the problem: {err}") from err
    if p.offsets is None:
        raise StowageError(f"stowage found no plan: {p.reason}")
    return Plan([int(x) for x in p.offsets], p.height, p.lower_bound, p.status)


def _read(text: str, count: int, program: str) -> Plan:
    """Reads the answer of the command, which may be some other program."""
    try:
        answer = json.loads(text)["plan"]
        result = Plan(answer["offsets"], answer["height"], answer["lower_bound"], answer["status"])
        numbers = [*result.offsets, result.height, result.lower_bound]
    except (ValueError, KeyError, TypeError) as err:
        raise StowageError(f"{program} answered with something that is not a plan: {text[:200]!r}") from err
    if len(result.offsets) != count or any(type(n) is not int or n < 0 for n in numbers):
        raise StowageError(f"{program} answered for {len(result.offsets)} buffers of {count}, or not with offsets")
    return result

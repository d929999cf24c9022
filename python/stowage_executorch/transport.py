"""Plans through the library that the package stowage has or, where there is none or a
command is named, through the command: a problem in on standard input, a plan out.

This is the one place that knows how Stowage is reached. Either way the plan is the same.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import Optional, Sequence

import stowage
from stowage import _library


class StowageError(RuntimeError):
    """Stowage is not there, refused the problem, failed, or gave no plan."""


@dataclass(frozen=True)
class Buffer:
    """What is to be placed. It lives from lower up to, but not including, upper."""

    lower: int
    upper: int
    size: int
    alignment: int = 1


@dataclass(frozen=True)
class Plan:
    """An offset for each buffer, and how good the plan is."""

    offsets: list[int]
    height: int
    lower_bound: int  # no plan is lower
    status: str  # "optimal" where the height is proven to be the least, else "feasible"


# What the exit codes of the command mean.
_CODES = {1: "failed", 2: "refused the problem", 3: "proved that there is no plan", 4: "found no plan within its limit"}


def find(command: Optional[str] = None) -> str:
    """Returns the path of the command: the argument's, else that of the
    environment's STOWAGE, else what the package stowage carries, else what PATH has."""
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
    timeout: Optional[float] = None,
    nodes: Optional[int] = None,
) -> Plan:
    """Looks for the lowest plan. timeout is in seconds, nodes counts the nodes of
    the search; without either the search ends by itself, and the same buffers
    always give the same plan, as they do with nodes."""
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout is {timeout!r} seconds, must be more than 0")
    if nodes is not None and nodes <= 0:
        raise ValueError(f"nodes is {nodes!r}, must be more than 0")
    if command is None and not os.environ.get("STOWAGE") and _library.load() is not None:
        return _by_library(buffers, timeout, nodes)
    arguments = [find(command), "solve", "--format", "json", "--quiet"]
    if timeout is not None:
        arguments += ["--timeout", f"{max(1, round(timeout * 1e6))}us"]
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


def _by_library(buffers: Sequence[Buffer], timeout: Optional[float], nodes: Optional[int]) -> Plan:
    try:
        p = stowage.plan([(b.lower, b.upper, b.size, b.alignment) for b in buffers], timeout=timeout, nodes=nodes)
    except stowage.Error as err:
        raise StowageError(f"stowage refused the problem: {err}") from err
    if p.offsets is None:
        raise StowageError("stowage found no plan within its limit")
    return Plan(list(p.offsets), p.height, p.lower_bound, p.status)


def _read(text: str, count: int, program: str) -> Plan:
    """Reads the command's answer. Something that is not Stowage may have given it."""
    try:
        answer = json.loads(text)["plan"]
        result = Plan(answer["offsets"], answer["height"], answer["lower_bound"], answer["status"])
        numbers = [*result.offsets, result.height, result.lower_bound]
    except (ValueError, KeyError, TypeError) as err:
        raise StowageError(f"{program} answered with what is no plan: {text[:200]!r}") from err
    if len(result.offsets) != count or any(type(n) is not int or n < 0 for n in numbers):
        raise StowageError(f"{program} answered for {len(result.offsets)} buffers of {count}, or not with offsets")
    return result

"""Sweeps: many problems by many planners, with many capacities and limits, in one call.

Idea: a run of a planner takes some microseconds to some seconds. So runs are neither
processes nor tasks of an engine: threads of this process plan by the library, and what
comes out is a table with a row for each run, ready for a DataFrame.

Invariant: a row depends only on what was asked, but for its seconds, if no row is stopped
by "timeout". The columns are those of stowage-sweep, without those that only a folder of
task files has. What one row implies for others is the rule of sweep/core; a test compares.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any, NamedTuple, Optional, SupportsIndex, Union

from . import _library, _units
from ._api import _ANY, _numbered, _seed
from ._errors import Error, InputError
from ._library import CAPACITY, FORKED, MINIMIZE, NODES, SEED, STATUSES, STOPS, TIMEOUT
from ._problem import Buffers, Problem
from ._units import Seconds, Size


# Codes of stowage.h.
MEMORY = -5
REFUSALS = (-1, -2)  # the problem is bad, or has what the planner does not take


class Row(NamedTuple):
    """The outcome of one run, or what follows from another."""

    problem: str  #: its digest: it names the problem by its content, the capacity apart
    name: str  #: of the problem; "" if it has none
    buffers: int
    load: int  #: the most bytes that are in use at once; no plan is lower
    planner: str
    share: float  #: capacity / load; 0 if capacity is 0
    capacity: int  #: in bytes; 0 if the lowest plan was asked for
    status: str  #: as of a Plan; or "refused": the planner does not take the problem; "invalid": its plan is wrong; "failed": it died
    height: int  #: of the plan; 0 without a plan
    lower_bound: int  #: no plan is lower: it is proven
    seconds: float  #: of the planner; 0 if implied
    nodes: int  #: of the search; 0 if implied
    node_limit: int  #: 0 for none
    timeout: float  #: in seconds; 0 for none
    seed: int
    stopped: str  #: what ended the run before its answer: "nodes", "timeout" or "effort"; else ""
    implied: bool  #: the planner did not run: the answer follows from another capacity's
    message: str  #: why the run was refused, is invalid or has failed; else ""
    version: str  #: of Stowage


def sweep(
    problems: Iterable[Buffers],
    *,
    planners: Union[str, Iterable[str]] = "auto",
    capacities: Iterable[Optional[Size]] = (None,),
    nodes: Union[SupportsIndex, Iterable[SupportsIndex], None] = None,
    seeds: Union[SupportsIndex, Iterable[SupportsIndex]] = 0,
    timeout: Optional[Seconds] = None,
    names: Optional[Iterable[str]] = None,
    implied: bool = True,
    at_once: Optional[SupportsIndex] = None,
    ends: Optional[str] = None,
) -> list[Row]:
    """Plans each problem by each planner, for each capacity, limit of nodes and seed. Returns a
    row for each run; pandas.DataFrame(rows) is a table of them.

    problems    each a Problem, a table or buffers, as for plan; for files map(stowage.load, paths)
    planners    names
    capacities  numbers of bytes, texts such as "2KiB", shares of the load such as "110%", or
                None for the lowest plan [default: the lowest plan]
    nodes       limits of search nodes; with them the rows are the same each time
    seeds       seeds of random choices
    timeout     the time that one run may take: a guard, since a row that it cuts depends on the
                machine. Its stopped is "timeout".
    names       what the rows call the problems [default: their own names]
    implied     if a capacity's answer follows from another's, do not run the planner again
    at_once     the number of threads [default: the number of processors]
    ends        that of plan, for all tables

    Rows are in the order of problems, planners, nodes, seeds, capacities. They do not depend
    on at_once. What a planner refuses, a problem that is not valid, and a planner that dies are rows
    with such a status. A name or a limit that is wrong is an InputError, before anything runs.
    Ctrl-C is a KeyboardInterrupt."""
    many = [_numbered(k, source, ends) for k, source in enumerate(problems)]
    called = [p.name for p in many] if names is None else list(names)
    if len(called) != len(many):
        raise InputError(f"names: there are {len(called)} for {len(many)} problems")
    by = [planners] if isinstance(planners, str) else list(planners)
    limits = [0 if nodes is None else _units.whole("nodes", n, 1) for n in _listed(nodes)]
    asked = [_capacity(c) for c in capacities]
    seconds = _units.seconds(timeout)
    jobs = list(product(range(len(many)), by, limits, [_seed(x) for x in _listed(seeds)]))
    side = _units.whole("at_once", at_once, 1) if at_once is not None else os.cpu_count() or 1
    lib = _library.load()
    if lib is None:
        raise Error("a sweep needs the library, which this package does not have; solve_many does without")
    _refuse(lib, by)
    version = lib.stowage_version().decode()
    facts: dict[int, _Facts] = {}
    done: list[list[Row]] = [[] for _ in jobs]

    def do(s: Any, j: int) -> None:
        k, planner, limit, seed = jobs[j]
        p = many[k]
        names = _set(s, p)  # noqa: F841: the library has their address until the runs are over
        of = facts.get(k) or facts.setdefault(k, _facts(s))
        there = [of.bytes(c) for c in asked]
        blank = Row(
            of.digest, called[k], p.count, of.load, planner, 0.0, 0, "refused" if of.wrong else "", 0, 0, 0.0, 0, limit, seconds, seed,
            "", False, of.wrong, version,
        )  # fmt: skip

        def run(row: Row) -> Row:
            if of.wrong:
                return row
            return row._replace(**_by_library(s, row))

        rows = _Curve(blank, run, implied).rows(there)
        done[j] = [rows[capacity] for capacity in there]

    try:
        if not _library.each(len(jobs), side, do):
            raise Error("a sweep needs the library, which cannot be used: this process was forked after it was loaded")
    except _library.Failed as err:
        raise err.cause from None
    return [row for rows in done for row in rows]


class _Facts(NamedTuple):
    """What rows say of a problem, and what is wrong with it."""

    digest: str
    load: int
    wrong: str

    def bytes(self, capacity: Union[int, Fraction]) -> int:
        """Returns a capacity as a number of bytes."""
        return capacity if isinstance(capacity, int) else min(max(1, ceil(capacity * self.load)), _ANY)


def _listed(x: Any) -> list[Any]:
    return list(x) if isinstance(x, Iterable) and not isinstance(x, str) else [x]


def _capacity(x: Optional[Size]) -> Union[int, Fraction]:
    """Reads a capacity: a number of bytes, 0 for the lowest plan, or a share of the load."""
    if x is None:
        return 0
    if isinstance(x, str) and x.rstrip().endswith("%"):
        try:
            share = Fraction(x.strip()[:-1].strip()) / 100
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if share <= 0:
            raise InputError(f'capacities: {x!r} must be a share of the load above 0, such as "110%"')
        return share
    return _units.size("capacities", x, 1)


def _refuse(lib: Any, planners: Sequence[str]) -> None:
    """Refuses planners that there are not, before anything runs."""
    s = _library.Solver(lib, False)
    for name in planners:
        if not isinstance(name, str):
            raise InputError(f"planners: {name!r} must be a name")
        _choose(s, name)


def _choose(s: Any, planner: str) -> None:
    text = json.dumps({"planner": planner}).encode()
    if (code := s.lib.stowage_set_options(s.handle, text, len(text))) < 0:
        raise s.error(code)


def _set(s: Any, p: Problem) -> Any:
    """Gives a solver a problem, without a capacity: names, too, which digests and messages have."""
    s.lib.stowage_set(s.handle, CAPACITY, 0)
    s.set(p)
    return s.name(p)


def _facts(s: Any) -> _Facts:
    digest = s.lib.stowage_digest(s.handle).decode()
    load = s.lib.stowage_load(s.handle)
    return _Facts(digest, max(load, 0), "" if load >= 0 else s.lib.stowage_error(s.handle).decode())


class _Curve:
    """A planner's answers to many capacities c, from few runs (curve.go of sweep/core):

        a plan of height h        answers every c >= h
        no plan is below bound b  answers every c < b

    The lowest plan (c = 0) comes first, if it is asked for. Of the others, the one in the middle
    of those that are open runs next."""

    def __init__(self, blank: Row, run: Callable[[Row], Row], implied: bool) -> None:
        self.blank, self.run, self.implied = blank, run, implied
        self.height = self.bound = 0  # of the lowest plan so far, 0 for none; no plan is lower
        self.done: dict[int, Row] = {}

    def rows(self, capacities: Iterable[int]) -> dict[int, Row]:
        """Returns the rows by their capacities."""
        all = sorted(set(capacities))
        if all and all[0] == 0:
            self.ask(all.pop(0))
        self.between(all)
        return self.done

    def between(self, capacities: list[int]) -> None:
        if capacities:
            middle = (len(capacities) - 1) // 2
            self.ask(capacities[middle])
            self.between(capacities[:middle])
            self.between(capacities[middle + 1 :])

    def ask(self, c: int) -> None:
        """Fills in a row by what is known, or by a run."""
        row = self.blank._replace(capacity=c, share=c / max(self.blank.load, 1))
        if self.implied and 0 < self.height <= c:
            status = "optimal" if self.height == self.bound else "feasible"
            self.done[c] = row._replace(implied=True, status=status, height=self.height, lower_bound=self.bound)
            return
        if self.implied and 0 < c < self.bound:
            self.done[c] = row._replace(implied=True, status="infeasible", lower_bound=self.bound)
            return
        row = self.done[c] = self.run(row)
        if row.status in ("optimal", "feasible") and (self.height == 0 or row.height < self.height):
            self.height = row.height
        if row.status not in ("refused", "invalid", "failed"):
            self.bound = max(self.bound, row.lower_bound)
        if row.status == "infeasible" and c > 0:  # fixed offsets may collide, and no bound says so
            self.bound = max(self.bound, c + 1)


def _by_library(s: Any, row: Row) -> dict[str, Any]:
    """Runs a planner and returns the columns of its outcome."""
    lib, handle = s.lib, s.handle
    _choose(s, row.planner)
    seed = row.seed - (1 << 64) if row.seed >= 1 << 63 else row.seed
    for option, value in ((CAPACITY, row.capacity), (MINIMIZE, int(not row.capacity)), (TIMEOUT, round(row.timeout * 1e9)), (NODES, row.node_limit), (SEED, seed)):
        if (code := lib.stowage_set(handle, option, value)) < 0:
            raise s.error(code)
    code = lib.stowage_solve(handle, None)
    if code >= 0:
        lib.stowage_get_result(handle, s.at, s.size)
        r = s.result
        return {
            "status": STATUSES[code], "height": r.height, "lower_bound": r.lower_bound, "seconds": r.elapsed * 1e-9,
            "nodes": r.nodes, "stopped": STOPS[r.stopped],
        }  # fmt: skip
    if code == FORKED:
        raise _library.Forked
    if code == MEMORY:
        raise MemoryError
    message = lib.stowage_error(handle).decode()
    return {"status": "refused" if code in REFUSALS else "invalid" if " returned an invalid plan: " in message else "failed", "message": message}

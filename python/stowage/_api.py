"""The functions of the package.

The library plans; files are read by the command, which knows every format, and the
command is what there is where the library is not.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, TypedDict, Union

from . import _command, _library
from ._errors import InputError, warn
from ._library import NO_OPTIONS, Options
from ._plan import Plan
from ._problem import Gaps, Problem, _column, whole
from ._progress import Progress

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What plan takes: a problem, a table, buffers, or the path of a file.
Source = Union[Problem, Mapping[str, Any], Iterable[Any], str, "os.PathLike[str]"]


class Limits(TypedDict, total=False):
    """The options of plan that solve takes as well, for type checkers: a test holds that
    they are the same."""

    capacity: Optional[int]
    minimize: bool
    timeout: Optional[float]
    nodes: Optional[int]
    workers: Optional[int]
    seed: int
    planner: Optional[str]
    without: Sequence[str]
    params: Optional[Mapping[str, Any]]
    start: Any
    progress: Optional[Callable[[Progress], Any]]


def solve(
    lower: Any,
    upper: Any,
    size: Any,
    alignment: Any = None,
    *,
    offset: Any = None,
    hint: Any = None,
    gaps: Optional[Sequence[Optional[Gaps]]] = None,
    names: Optional[Sequence[str]] = None,
    **options: Unpack[Limits],
) -> Plan:
    """Plans buffers that are given as columns. The options are those of plan: capacity,
    minimize, timeout, nodes, workers, seed, planner, without, params, start, progress.

    Arrays of int64 are read where they are, without a copy: numpy's, those of the
    module array, and views of them. Lists will do."""
    problem = Problem(lower, upper, size, alignment, offset=offset, hint=hint, gaps=gaps, names=names)
    return plan(problem, **options) if options else _run(problem, NO_OPTIONS, None)


def plan(
    source: Source,
    *,
    capacity: Optional[int] = None,
    minimize: bool = False,
    timeout: Optional[float] = None,
    nodes: Optional[int] = None,
    workers: Optional[int] = None,
    seed: int = 0,
    planner: Optional[str] = None,
    without: Sequence[str] = (),
    params: Optional[Mapping[str, Any]] = None,
    start: Any = None,
    progress: Optional[Callable[[Progress], Any]] = None,
    ignore_offsets: bool = False,
    dims: Optional[Mapping[str, int]] = None,
    values: Optional[Mapping[str, int]] = None,
    sizes: Optional[Mapping[str, int]] = None,
    alignment: Optional[int] = None,
    heap: Optional[str] = None,
) -> Plan:
    """Plans a problem.

    source is a Problem; a table (a DataFrame, or a dict of columns) with lower, upper,
    size and maybe id, alignment, offset, hint and gaps; buffers; or the path of a file:
    CSV, JSON, a .tflite or .onnx model, a dump of XLA, IREE or PyTorch.

    capacity   bytes to fit into: any plan that does will do, unless minimize is set.
               Without one the lowest plan is looked for.
    timeout    seconds that it may take in all
    nodes      nodes of the search that it may take, which unlike time is reproducible
    workers    threads that may search side by side; with one the same problem, seed and
               nodes give the same plan
    seed       drives every random choice
    planner, without, params  which planner, techniques of it to switch off, and what is
               set of it: `stowage planners` lists them
    start      offsets of a plan to improve on; of a file also the path of one with a plan,
               which may be the same file: its offsets then demand nothing
    progress   is called with a Progress some twenty times a second. Where it returns
               False the search ends, and the best plan so far is returned; an exception
               ends it too
    ignore_offsets  takes away the offsets that buffers must have, as a table or a file with
               a plan in it has them

    Of a file alone: dims, values, sizes and alignment settle what an ONNX model leaves
    open (the command's --dim batch=1 is dims={"batch": 1}), heap names the heap of a dump
    that is meant.

    Ctrl-C ends the search; the best plan so far is returned, with stopped "interrupt".
    """
    o = Options(
        0 if capacity is None else whole("capacity", capacity, 1), bool(minimize), _seconds(timeout), 0 if nodes is None else whole("nodes", nodes, 1),
        0 if workers is None else whole("workers", workers, 1), _seed(seed), planner or "",
        without.split(",") if isinstance(without, str) else without, params or {},
    )  # fmt: skip
    if not isinstance(o.planner, str) or "\0" in o.planner:
        raise InputError(f"planner is {planner!r}, must be a name")
    if not isinstance(o.params, Mapping):
        raise InputError(f"params is {params!r}, must be a dict")
    if progress is not None and not callable(progress):
        raise InputError(f"progress is {progress!r}, must be a function")
    if isinstance(source, (str, os.PathLike)):
        settled = _settled(dims, values, sizes, alignment, heap, ignore_offsets)
        from_file = isinstance(start, (str, os.PathLike))
        if from_file:
            settled += ["--start", os.fspath(start)]
        if from_file or start is None and progress is None:
            return _by_command(None, os.fspath(source), o, settled, progress=progress)
        source = _load(os.fspath(source), settled)
    elif any(x is not None for x in (dims, values, sizes, alignment, heap)):
        raise InputError("dims, values, sizes, alignment and heap are for files: a table has a column alignment, and so has solve")
    problem = Problem.of(source)
    if ignore_offsets:
        problem = problem.unpinned()
    elif problem is not source and problem.pinned():
        warn("every buffer has a fixed offset, so no other plan is looked for; ignore_offsets=True plans anew [pinned]")
    if start is not None:
        if isinstance(start, (str, os.PathLike)):
            raise InputError("start is the path of a file, which is for a problem that is in a file too")
        column, at, count = _column("start", start.offsets if isinstance(start, Plan) else start)
        if count != problem.count:
            raise InputError(f"start: there are {count} offsets for {problem.count} buffers")
        done = _run(problem, o._replace(start=at), progress, column)
    else:
        done = _run(problem, NO_OPTIONS if o == NO_OPTIONS else o, progress)
    return done


# A run ends by itself long before; so many seconds are 63 bits of nanoseconds.
_EVER = 9e9


def _seconds(timeout: Optional[float]) -> float:
    """Returns a timeout as a number of seconds; 0 for none."""
    if timeout is None:
        return 0.0
    try:
        seconds = float(timeout)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"timeout is {timeout!r}, must be a number of seconds") from None
    if isinstance(timeout, str) or not seconds > 0:
        raise InputError(f"timeout is {timeout!r} seconds, must be more than 0")
    return seconds if seconds < _EVER else 0.0


def _seed(seed: Any) -> int:
    if not hasattr(seed, "__index__") or not 0 <= (n := int(seed.__index__())) < 1 << 64:
        raise InputError(f"seed is {seed!r}, must be a whole number from 0 to 2**64 - 1")
    return n


def load(
    path: Union[str, "os.PathLike[str]"],
    *,
    ignore_offsets: bool = False,
    dims: Optional[Mapping[str, int]] = None,
    values: Optional[Mapping[str, int]] = None,
    sizes: Optional[Mapping[str, int]] = None,
    alignment: Optional[int] = None,
    heap: Optional[str] = None,
) -> Problem:
    """Returns the problem of a file, without planning it. What files there are, and what
    ignore_offsets, dims, values, sizes, alignment and heap are, plan says."""
    return _load(os.fspath(path), _settled(dims, values, sizes, alignment, heap, ignore_offsets))


# The largest capacity there is: everything fits.
_ANY = (1 << 61) - 1

# The tags of what the command notes of a file, for where that has become warnings already.
_NOTES = ("plan-unused", "pinned", "model", "dump", "extra-columns")


def _load(path: str, settled: list[str], but: Sequence[str] = ("plan-unused",)) -> Problem:
    """Reads the problem of a file: by the command, which writes it beside a plan that
    costs next to nothing. What the command notes becomes warnings, but for some."""
    figures, document = _command.solve(path, [*settled, "--planner", "first-fit"], but=but)
    capacity = figures["capacity"]  # the problem's own, as JSON has it
    if document is None and capacity:  # that plan does not fit it
        _, document = _command.solve(path, [*settled, "--planner", "first-fit", "--capacity", str(_ANY)], but=_NOTES)
    if document is None:
        raise InputError(f"{path}: no plan fits any capacity: fixed offsets collide")
    return _problem_of({**document, "capacity": capacity})


def _problem(source: Source) -> Problem:
    return _load(os.fspath(source), [], ("plan-unused", "pinned")) if isinstance(source, (str, os.PathLike)) else Problem.of(source)


def _run(p: Problem, o: Options, progress: Optional[Callable[[Progress], Any]], start: Any = None) -> Plan:
    if o.planner and o.planner not in _LIBRARY:
        return _by_command(p, "-", o, [], start, progress)
    done = _library.run(p, o, progress)
    return done if done is not None else _by_command(p, "-", o, [], start, progress)


# The planners that the library has; the command has others beside them.
_LIBRARY = frozenset(("auto", "exact", "merge", "climb", "first-fit", "sweep", "minimalloc"))


def _settled(
    dims: Optional[Mapping[str, int]], values: Optional[Mapping[str, int]], sizes: Optional[Mapping[str, int]],
    alignment: Optional[int], heap: Optional[str], ignore_offsets: bool = False,
) -> list[str]:  # fmt: skip
    flags = ["--ignore-offsets"] if ignore_offsets else []
    for flag, pairs in (("--dim", dims), ("--value", values), ("--size", sizes)):
        for key, value in (pairs or {}).items():
            flags += [flag, f"{key}={value}"]
    if alignment is not None:
        flags += ["--alignment", str(alignment)]
    if heap is not None:
        flags += ["--heap", heap]
    return flags


def _by_command(
    p: Optional[Problem], path: str, o: Options, flags: list[str], start: Any = None, progress: Optional[Callable[[Progress], Any]] = None
) -> Plan:
    """Plans by the command: a file, or a problem."""
    settled, flags = flags, [*flags, "--seed", str(o.seed)]
    for flag, value in (("--capacity", o.capacity), ("--nodes", o.nodes), ("--workers", o.workers), ("--planner", o.planner)):
        if value:
            flags += [flag, str(value)]
    if o.minimize:
        flags.append("--minimize")
    if o.timeout:
        flags += ["--timeout", f"{max(1, round(o.timeout * 1e9))}ns"]
    if o.without:
        flags += ["--without", ",".join(o.without)]
    for key, value in o.params.items():
        flags += ["--set", f"{key}={value}"]
    text = None
    if p is not None:
        import json

        d = p.as_dict()
        text = json.dumps(d, ensure_ascii=False)
        if start is not None:
            return _with_start(p, d, start, flags, progress)
    figures, document = _command.solve(path, flags, text, progress)
    if p is None:
        p = _problem_of(document) if document is not None else _load(path, settled, _NOTES)
    return _plan_of(p, figures, document)


def _with_start(p: Problem, d: dict[str, Any], start: Any, flags: list[str], progress: Optional[Callable[[Progress], Any]]) -> Plan:
    """Plans from a plan, which the command reads from a file."""
    import json
    import tempfile

    plan = {"status": "feasible", "offsets": [int(x) for x in start]}
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        name = os.path.join(folder, "start.json")
        with open(name, "w", encoding="utf-8") as f:
            json.dump({**d, "plan": plan}, f, ensure_ascii=False)
        return _plan_of(p, *_command.solve(name, [*flags, "--start", name], None, progress))


def _plan_of(p: Problem, figures: dict[str, Any], document: Optional[dict[str, Any]]) -> Plan:
    offsets = p.given(document["plan"]["offsets"]) if document is not None else None
    return Plan(
        p, offsets, figures["height"], figures["lower_bound"], figures["status"], figures["stopped"], figures["capacity"],
        figures["planner"], "", figures["nodes"], figures["backtracks"], figures["seconds"],
    )  # fmt: skip


def _problem_of(document: Mapping[str, Any]) -> Problem:
    """Reads a problem as the command writes it."""
    buffers = document["buffers"]

    def column(key: str, otherwise: Any) -> list[Any]:
        return [b.get(key, otherwise) for b in buffers]

    gaps = [[(g["lower"], g["upper"], *g.get("window", ())) for g in b.get("gaps", ())] for b in buffers]
    return Problem(
        column("lower", 0), column("upper", 0), column("size", 0), column("alignment", 1),
        offset=column("offset", None) if any("offset" in b for b in buffers) else None,
        hint=column("hint", None) if any("hint" in b for b in buffers) else None,
        gaps=gaps if any(gaps) else None,
        names=column("id", ""), capacity=document.get("capacity", 0), name=document.get("name", ""),
    )  # fmt: skip


def verify(source: Source, offsets: Any, capacity: Optional[int] = None) -> str:
    """Checks a plan, by code that shares a sort with the planners and nothing else. It returns "" for one
    that is valid, else what is wrong first."""
    p = _with_capacity(_problem(source), capacity)
    column, at, count = _column("offsets", offsets.offsets if isinstance(offsets, Plan) else offsets)
    if count != p.count:
        return f"there are {count} offsets for {p.count} buffers"
    answer = _library.ask(p, "verify", at) if count else (0, "")
    if answer is not None:
        return answer[1]
    import json

    plan = {"status": "feasible", "offsets": [int(x) for x in column]}
    try:
        _command.run(["verify", "-"], json.dumps({**p.as_dict(), "plan": plan}))
    except InputError as err:
        return str(err)
    return ""


def lower_bound(source: Source) -> int:
    """Returns a height that no plan is under, without planning: the most that is live at
    once, sharpened by alignment and fixed offsets."""
    p = _problem(source)
    answer = _library.ask(p, "bound")
    return answer[0] if answer is not None else _run(p, Options(planner="first-fit"), None).lower_bound


def explain(source: Source, capacity: Optional[int] = None, *, smallest: bool = False, timeout: Optional[float] = None) -> str:
    """Says in words which buffers cannot fit the capacity together, so that without any
    one of them the rest fit; that all fit; or that the timeout came first."""
    flags = ["explain"]
    if capacity is not None:
        flags += ["--capacity", str(whole("capacity", capacity, 1))]
    if smallest:
        flags.append("--smallest")
    if seconds := _seconds(timeout):
        flags += ["--timeout", f"{max(1, round(seconds * 1e9))}ns"]
    if isinstance(source, (str, os.PathLike)):
        return _command.run([*flags, "--", os.fspath(source)], accept=(0, 3, 4))[1]
    import json

    return _command.run([*flags, "-"], json.dumps(Problem.of(source).as_dict(), ensure_ascii=False), accept=(0, 3, 4))[1]


def conflict(source: Source, capacity: Optional[int] = None) -> list[int]:
    """Returns the numbers of buffers that cannot fit the capacity together, though
    without any one of them the rest do; none where all fit."""
    p = _with_capacity(_problem(source), capacity)
    room = array("q", bytes(8 * p.count))
    answer = _library.ask(p, "explain", room.buffer_info()[0]) if p.count else (0, "")
    if answer is not None:
        return room[: answer[0]].tolist()
    import json

    d = p.as_dict()
    for i, buffer in enumerate(d["buffers"]):
        buffer["id"] = str(i)
    _, said = _command.run(["explain", "-"], json.dumps(d), accept=(0, 3, 4))
    rows = said.partition("\nBUFFER ")[2].partition("\n\n")[0].splitlines()[1:]
    return [int(row.split()[0]) for row in rows]


def _with_capacity(p: Problem, capacity: Optional[int]) -> Problem:
    if capacity is None or capacity == p.capacity:
        return p
    q = p._copy()
    q._capacity = whole("capacity", capacity)
    return q

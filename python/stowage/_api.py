"""The functions of the package.

The library plans. The command reads files, because it knows every format, and it plans if
there is no library.

The options are declared once: as the keywords of plan. solve and solve_many have the same
ones, with the same types and defaults, and a test compares the three signatures and the
names that the library knows.
"""

from __future__ import annotations

import functools
import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, Optional, SupportsIndex, SupportsInt, TypeVar, Union, cast

from . import _command, _core, _library, _units
from ._errors import Error, InputError, readable, shown, warn
from ._library import NO_OPTIONS, Options
from ._plan import Plan
from ._problem import Buffers, Column, Gaps, Holes, Problem, Sizes, Times, _column, counted
from ._progress import Progress
from ._rules import LISTINGS, Allowed, Lists, Name, Pairs, Part, Pool, Triples
from ._size import Sizing
from ._times import checked, scaled
from ._units import Seconds, Size

#: What plan takes: a problem, a table, buffers, or the path of a file.
Source = Union[Buffers, str, "os.PathLike[str]"]

#: The start of a search: a plan, or its offsets.
Start = Union[Plan, Column]

_Call = TypeVar("_Call", bound=Callable[..., Plan])


def _of_columns(call: _Call) -> _Call:
    """Makes a call without columns plan what plan takes: a file, a table, buffers or a Problem."""

    @functools.wraps(call)
    def columns(*args: Any, **options: Any) -> Plan:
        if len(args) == 1 and not {"lower", "upper", "size"} & options.keys():
            return plan(args[0], **options)
        return call(*args, **options)

    return cast(_Call, columns)


@_of_columns
def solve(
    # generated: solve
    lower: Times, upper: Times, size: Sizes, alignment: Union[SupportsIndex, str, Holes, None] = None, *, offset: Optional[Holes] = None,
    hint: Optional[Holes] = None, gaps: Optional[Iterable[Optional[Gaps]]] = None, names: Optional[Iterable[object]] = None,
    pools: Optional[Iterable[Union[Pool, str, Mapping[str, object], Sequence[object]]]] = None, allowed: Optional[Allowed] = None,
    costs: Optional[Iterable[Optional[Mapping[Name, int]]]] = None,
    together: Optional[Iterable[Union[Iterable[Name], Mapping[str, object]]]] = None, apart: Optional[Pairs] = None,
    may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None, penalties: Optional[Triples] = None,
    evictions: Optional[Iterable[Optional[Iterable[Union[Iterable[SupportsInt], Mapping[str, object]]]]]] = None,
    period: Optional[SupportsIndex] = None, objective: Union[str, Iterable[str], None] = None, different_pools: Optional[Lists] = None,
    same_pool: Optional[Lists] = None, lockstep: Optional[Lists] = None, kinds: Optional[Lists] = None, alternatives: Optional[Lists] = None,
    groups: Optional[Iterable[Union[Mapping[str, object], Sequence[object]]]] = None, spans: Optional[Iterable[Name]] = None,
    extents: Optional[Iterable[Optional[Iterable[SupportsInt]]]] = None, planner: Optional[str] = None, capacity: Optional[Size] = None,
    minimize: bool = False, timeout: Optional[Seconds] = None, nodes: Optional[SupportsIndex] = None, workers: Optional[SupportsIndex] = None,
    seed: SupportsIndex = 0, without: Sequence[str] = (), params: Optional[Mapping[str, object]] = None, start: Optional[Start] = None,
    progress: Optional[Callable[[Progress], object]] = None,
    # end of solve
) -> Plan:  # fmt: skip
    """Plans buffers that are given as columns. Called with anything else than columns, such as a
    file or a table, it does what plan does.

    lower, upper  buffer i is live at the times lower[i], lower[i] + 1, … upper[i] - 1
    size          bytes, in any one unit of space; also texts such as "2KiB"
    alignment     one number for all buffers, or a column: offsets are multiples of it
    offset        fixed offsets; None for a buffer that may be anywhere
    hint          offsets to try first; the plan need not follow them
    gaps          for each buffer the times at which it is not in use: [(2, 4)] or "2-4"
    names         for messages, pictures and files; without them buffer i is named i

    The keywords from pools to extents are rules; docs/memories.md explains them.
    Buffers and pools are named by their numbers or by their names.

    pools         the memories: Pool("tcm", "64KiB"), a dict of its fields, or a name
    allowed       for each buffer the pools that it may be in; None for any
    costs         for each buffer what it costs in some pools: {"dram": 4096}; None for nothing
    together      groups of buffers that begin at one byte of one pool; or {"buffers": ["a",
                  "b"], "at": [0, 64]}, at these distances
    apart         pairs that share no byte, whatever their lifespans
    may_overlap   pairs that may share bytes although both live
    distances     (first, second, distance): first dies in the slot in which second is born. They
                  may share bytes if offset of first - offset of second >= distance
    penalties     (first, second, cost): what it costs if they share bytes
    period        the length of a step that repeats: lifespans may run over its end
    evictions     for each buffer the stretches (lower, upper, cost) in which it may be absent
    objective     what to minimise, the most important first: "height", "max_height", "peak", "max_peak",
                  "cost", "penalty", "eviction", "objects", "height:POOL" or "peak:POOL"
    different_pools, same_pool, lockstep
                  lists of buffers: any two in different pools, all in one pool, or all at one
                  offset, each in its pool
    kinds         lists of buffers of one kind; two of different kinds that conflict share no page
                  of a pool with a granularity
    alternatives  lists of buffers of which a plan has one: forms of different sizes, lifespans or costs.
                  The others have the offset -1, and None as pool
    groups        prices that are paid once for a set of pairs: {"pairs": [(a, b)], "cost": 3}; "paid"
                  is "if one shares" (bytes; the default), "if all share", "unless all coincide"
                  (at one offset of one pool) or "unless one coincides"
    spans         buffers that may lie on both sides of a border of their pool
    extents       for each buffer its width and height, and perhaps its depth: its size is then their
                  product. An object is as large as its largest buffer in each

    With a sequence of numbers for each buffer, lower and upper are lifespans by several clocks.

    The other keywords are the options of plan, which explains them. Contiguous int64 arrays
    (of numpy, or of the module array) are used without copying. Lists will do."""
    problem = Problem(
        lower, upper, size, alignment, offset=offset, hint=hint, gaps=gaps, names=names, pools=pools, allowed=allowed, costs=costs,
        together=together, apart=apart, may_overlap=may_overlap, distances=distances, penalties=penalties, period=period,
        evictions=evictions, objective=objective, different_pools=different_pools, same_pool=same_pool, lockstep=lockstep, kinds=kinds,
        alternatives=alternatives, groups=groups, spans=spans, extents=extents,
    )  # fmt: skip
    o = _options(capacity, minimize, timeout, nodes, workers, seed, planner, without, params)
    if start is None:
        return _run(problem, o, _callback(progress))
    return _started(problem, start, o, _callback(progress))


def plan(
    source: Source,
    # generated: plan
    *, planner: Optional[str] = None, capacity: Optional[Size] = None, minimize: bool = False, timeout: Optional[Seconds] = None,
    nodes: Optional[SupportsIndex] = None, workers: Optional[SupportsIndex] = None, seed: SupportsIndex = 0, without: Sequence[str] = (),
    params: Optional[Mapping[str, object]] = None, start: Union[Start, str, os.PathLike[str], None] = None,
    progress: Optional[Callable[[Progress], object]] = None, ignore_offsets: bool = False, dims: Optional[Mapping[str, int]] = None,
    values: Optional[Mapping[str, int]] = None, shapes: Optional[Mapping[str, str]] = None,
    sizes: Optional[Mapping[str, Union[int, str]]] = None, alignment: Optional[int] = None, heap: Optional[str] = None,
    ends: Optional[str] = None,
    # end of plan
) -> Plan:  # fmt: skip
    """Plans a problem, as `stowage solve` does.

    source is a Problem; a table (a DataFrame, or a dict of columns) with lower, upper, size
    and optionally id, alignment, offset, hint and gaps; buffers; or the path of a file: CSV,
    JSON (of Stowage or dsa-solver), a .tflite or .onnx model, or a dump of XLA, IREE, ggml or PyTorch.
    The height of a .tflite model is that of the arena's head. A capacity is that of the whole
    arena, as for `stowage plan`: on 32 bit, with the reference kernels.

    capacity   the number of bytes to fit into, or a text such as "2KiB". Any plan that fits
               is an answer, unless minimize is set. Without a capacity, plan looks for the
               lowest plan.
    minimize   look for the lowest plan also if there is a capacity
    timeout    the time that planning may take: seconds, or a text such as "500ms"
    nodes      the number of nodes that the search may take; unlike a time, it can be repeated
    workers    the number of threads that search side by side. With one worker the same
               problem, seed and nodes always give the same plan. [default: 1]
    seed       the seed of every random choice
    planner    the name of the planner; `stowage planners` lists them [default: auto]
    without    techniques of the planner to switch off
    params     parameters of the planner
    start      a plan to improve on: a Plan, its offsets, or, if source is a file, the path of
               a file with a plan. If that is the same file, its offsets are not fixed.
    progress   is called with a Progress about twenty times a second. If it returns False, the
               search ends and the best plan so far is returned. An exception ends it too.
    ignore_offsets  forget the fixed offsets of a table or a file

    ends       what the ends in a column end, stop, last, until or to are: "inclusive" or
               "half-open". Without it, end is read as inclusive, with an EndsWarning.

    The rest is for files. dims, values, shapes, sizes and alignment settle what an ONNX model
    leaves open: the command's --dim batch=1 is dims={"batch": 1}, and its --shape
    y=20x1x32:float32 is shapes={"y": "20x1x32:float32"}. heap names a heap of a dump.

    An outcome is never an exception: look at the status of the Plan. Bad input is an
    InputError. Ctrl-C ends the search; the best plan so far is returned, and its stopped is
    "interrupt".
    """
    o = _options(capacity, minimize, timeout, nodes, workers, seed, planner, without, params)
    progress = _callback(progress)
    if isinstance(source, (str, os.PathLike)):
        path = readable(os.fspath(source))
        if o.capacity and path.removesuffix(".gz").endswith(".tflite"):
            free = plan(
                source, planner=planner, timeout=timeout, nodes=nodes, workers=workers, seed=seed, without=without, params=params, start=start,
                progress=progress, ignore_offsets=ignore_offsets, dims=dims, values=values, shapes=shapes, sizes=sizes, alignment=alignment, heap=heap, ends=ends,
            )  # fmt: skip
            return free._within(o.capacity, o.timeout)
        settled = _settled(dims, values, shapes, sizes, alignment, heap, ignore_offsets, ends)
        if isinstance(start, (str, os.PathLike)):
            settled += ["--start", readable(os.fspath(start))]
            start = None
        elif start is not None or progress is not None:
            problem = _load(path, settled)
            return _run(problem, o, progress) if start is None else _started(problem, start, o, progress)
        return _by_command(None, path, o, settled, progress=progress)
    if any(x is not None for x in (dims, values, shapes, sizes, alignment, heap)):
        raise InputError("dims, values, shapes, sizes, alignment and heap are for files: a table has a column alignment, and so has solve")
    if isinstance(start, (str, os.PathLike)):
        raise InputError("start is the path of a file, which is only for a problem that is in a file too")
    problem = _table(source, ignore_offsets, ends)
    return _run(problem, o, progress) if start is None else _started(problem, start, o, progress)


def size(
    source: Source,
    # generated: size
    *, planner: Optional[str] = None, timeout: Optional[Seconds] = None, nodes: Optional[SupportsIndex] = None,
    workers: Optional[SupportsIndex] = None, seed: SupportsIndex = 0, without: Sequence[str] = (),
    params: Optional[Mapping[str, object]] = None, ignore_offsets: bool = False, dims: Optional[Mapping[str, int]] = None,
    values: Optional[Mapping[str, int]] = None, shapes: Optional[Mapping[str, str]] = None,
    sizes: Optional[Mapping[str, Union[int, str]]] = None, alignment: Optional[int] = None, heap: Optional[str] = None,
    ends: Optional[str] = None,
    # end of size
) -> Sizing:  # fmt: skip
    """Finds which capacities are enough for a problem, as `stowage size` does.

    One run that looks for the lowest plan answers every capacity: the plan fits from its height
    up, and the proven lower bound rules out what is below it. The capacity of the problem does
    not count. source and the keywords are those of plan:

        s = stowage.size("model.tflite", timeout="10s")
        s.height, s.status          # the least capacity, if the status is "optimal"
        s.fits("512KiB")            # "feasible", "infeasible" or "unknown"
        s.plan.offsets

    A model in whose own plan tensors share bytes while both live, as Vela's do, is "unknown": a
    plan that keeps them apart proves nothing of the model. No planner runs.
    """
    o = _options(None, True, timeout, nodes, workers, seed, planner, without, params)
    settled = _settled(dims, values, shapes, sizes, alignment, heap, ignore_offsets, ends)
    if isinstance(source, (str, os.PathLike)):
        problem = _load(readable(os.fspath(source)), settled)
    elif any(x is not None for x in (dims, values, shapes, sizes, alignment, heap)):
        raise InputError("dims, values, shapes, sizes, alignment and heap are for files: a table has a column alignment, and so has solve")
    else:
        problem = _table(source, ignore_offsets, ends)
    free = problem._copy()
    free._capacity = 0
    if problem._own_plan:
        return Sizing(_unproven(free, o.planner or "auto"))
    done = _library.run(free, o, None, "stowage_size")
    if done is None:
        done = _core.plan(free, o) if _command.absent() else _by_command(free, "-", o, [])
    return Sizing(done)


def _unproven(problem: Problem, planner: str) -> Plan:
    """The plan of a model whose own plan lets tensors share bytes: there is none. Whatever shares
    bytes, the largest tensor needs its own."""
    largest = max((problem.buffer(i).size for i in range(problem.count)), default=0)
    return Plan(problem, None, 0, largest, "unknown", "", 0, planner, "", 0, 0, 0.0, "tensors share bytes in the model's own plan: see 'stowage plan'")


def solve_many(
    problems: Iterable[Buffers],
    # generated: solve_many
    *, at_once: Optional[SupportsIndex] = None, planner: Optional[str] = None, capacity: Optional[Size] = None, minimize: bool = False,
    timeout: Optional[Seconds] = None, nodes: Optional[SupportsIndex] = None, workers: Optional[SupportsIndex] = None, seed: SupportsIndex = 0,
    without: Sequence[str] = (), params: Optional[Mapping[str, object]] = None, ends: Optional[str] = None,
    # end of solve_many
) -> list[Plan]:  # fmt: skip
    """Plans many problems and returns their plans, in the order of the problems.

    Each problem is a Problem, a table or buffers, as for plan. at_once is the number of
    problems that are planned at the same time, each in a thread [default: the number of
    processors]. It does not change the plans. The other keywords are the options of plan, for
    each problem by itself: timeout is the time for one problem, workers its threads. Without
    a capacity here, each Problem keeps its own. ends is that of plan, for all tables.

    No process is started. Ctrl-C is a KeyboardInterrupt. Bad input is an InputError with the
    number of the problem, and no problem is then planned further."""
    o = _options(capacity, minimize, timeout, nodes, workers, seed, planner, without, params)
    many = [_numbered(k, source, ends) for k, source in enumerate(problems)]
    side = _units.whole("at_once", at_once, 1) if at_once is not None else os.cpu_count() or 1
    done = _library.many(many, o, side)
    return done if done is not None else _many_by_command(many, o, side)


def _table(source: Buffers, ignore_offsets: bool, ends: Optional[str]) -> Problem:
    """Returns the problem of a table or of buffers."""
    problem = Problem.of(source, ends=ends)
    if ignore_offsets:
        return problem.unpinned()
    if problem is not source and problem.pinned():
        warn("every buffer has a fixed offset, so no other plan is looked for; ignore_offsets=True plans anew [pinned]")
    return problem


def _numbered(k: int, source: Buffers, ends: Optional[str]) -> Problem:
    checked(ends)
    try:
        return Problem.of(source, ends=ends)
    except InputError as err:
        raise InputError(f"problem {k}: {err}") from None


def _many_by_command(problems: Sequence[Problem], o: Options, at_once: int) -> list[Plan]:
    """Plans problems by the command, a process for each."""
    if _command.absent():
        return [_core.plan(p, o) for p in problems]
    plans: list[Any] = [None] * len(problems)
    failed: list[tuple[int, BaseException]] = []
    turns = iter(range(len(problems)))

    def work() -> None:
        k = -1
        try:
            for k in turns:
                if failed:
                    break
                plans[k] = _by_command(problems[k], "-", o, [], progress=lambda _: not failed)
        except BaseException as err:
            failed.append((k, err))

    _library.in_threads(work, min(at_once, len(problems)), lambda: failed.append((-1, KeyboardInterrupt())))
    if failed:
        raise _library.of_problem(*failed[0])
    return plans


def _options(
    capacity: Optional[Size], minimize: bool, timeout: Optional[Seconds], nodes: Optional[SupportsIndex], workers: Optional[SupportsIndex],
    seed: SupportsIndex, planner: Optional[str], without: Sequence[str], params: Optional[Mapping[str, object]],
) -> Options:  # fmt: skip
    """Returns the options of a run, and NO_OPTIONS if none is set."""
    if (
        capacity is None and minimize is False and timeout is None and nodes is None and workers is None
        and seed == 0 and type(seed) is int and planner is None and without == () and params is None
    ):  # fmt: skip
        return NO_OPTIONS
    if planner is not None and (not isinstance(planner, str) or "\0" in planner):
        raise InputError(f"planner is {planner!r}, must be a name")
    if params is not None and not isinstance(params, Mapping):
        raise InputError(f"params is {params!r}, must be a dict")
    return Options(
        capacity=0 if capacity is None else _units.size("capacity", capacity, 1), minimize=bool(minimize), timeout=_units.seconds(timeout),
        nodes=0 if nodes is None else _units.whole("nodes", nodes, 1), workers=0 if workers is None else _units.whole("workers", workers, 1),
        seed=_seed(seed), planner=planner or "", without=without.split(",") if isinstance(without, str) else without, params=params or {},
    )  # fmt: skip


def _callback(progress: Optional[Callable[[Progress], object]]) -> Optional[Callable[[Progress], object]]:
    if progress is not None and not callable(progress):
        raise InputError(f"progress is {progress!r}, must be a function")
    return progress


def _started(problem: Problem, start: Start, o: Options, progress: Optional[Callable[[Progress], object]]) -> Plan:
    """Plans a problem, starting from a plan."""
    if problem.rules is not None:
        raise Error("start does not go with rules")
    column, at, count = _column("start", start.offsets if isinstance(start, Plan) else start)
    if count != problem.count:
        raise InputError(f"start: {counted(count, 'offset')} for {counted(problem.count)}")
    return _run(problem, o._replace(start=at), progress, column)


def _seed(seed: SupportsIndex) -> int:
    if not hasattr(seed, "__index__") or not 0 <= (n := int(seed.__index__())) < 1 << 64:
        raise InputError(f"seed is {seed!r}, must be a whole number from 0 to 2**64 - 1")
    return n


def load(
    path: Union[str, os.PathLike[str]],
    *,
    ignore_offsets: bool = False,
    dims: Optional[Mapping[str, int]] = None,
    values: Optional[Mapping[str, int]] = None,
    shapes: Optional[Mapping[str, str]] = None,
    sizes: Optional[Mapping[str, Union[int, str]]] = None,
    alignment: Optional[int] = None,
    heap: Optional[str] = None,
    ends: Optional[str] = None,
) -> Problem:
    """Returns the problem of a file, without planning it. plan explains the keywords, and
    says which files there are."""
    return _load(readable(os.fspath(path)), _settled(dims, values, shapes, sizes, alignment, heap, ignore_offsets, ends))


# The largest capacity: every problem fits it.
_ANY = (1 << 61) - 1

# The tags of the notes about a file. The first call has made warnings of them, later ones skip them.
_NOTES = ("plan-unused", "pinned", "model", "dump", "extra-columns", "ends", "times")


def _load(path: str, settled: list[str], but: Sequence[str] = ("plan-unused",)) -> Problem:
    """Reads the problem of a file by the command, which writes it together with a plan that
    costs almost nothing. Notes become warnings, except those with a tag in but. The library reads
    JSON with rules, since the first plan of such a problem may cost much."""
    if "--ends" in settled:
        but = (*but, "ends")
    problem = _read(path, settled, but)
    problem._source = path
    return problem


def _read(path: str, settled: list[str], but: Sequence[str]) -> Problem:
    if "--ends" not in settled and path.endswith((".json", ".json.gz")) and (problem := _load_ruled(path)) is not None:
        return problem.unpinned() if "--ignore-offsets" in settled else problem
    tags: set[str] = set()
    figures, document = _command.solve(path, [*settled, "--planner", "first-fit"], but=but, tags=tags)
    capacity = figures["capacity"]  # of the problem itself, which JSON may have
    if document is None and capacity:  # the plan does not fit it
        _, document = _command.solve(path, [*settled, "--planner", "first-fit", "--capacity", str(_ANY)], but=_NOTES)
    if document is None and "objective" in figures:
        raise Error(f"{path}: the problem has rules, and first-fit finds no plan; stowage.load reads JSON of version 2 without a plan")
    if document is None:
        raise InputError(f"{path}: no plan fits any capacity: fixed offsets collide")
    problem = _problem_of({**document, "capacity": capacity})
    problem._own_plan = "own-plan" in tags
    return problem


def _load_ruled(path: str) -> Optional[Problem]:
    """Reads a problem with rules from JSON; None if it is something else, or no library can."""
    import json

    with open(path, "rb") as f:
        text = f.read()
    if path.endswith(".gz"):
        import gzip

        try:
            text = gzip.decompress(text)
        except (OSError, EOFError):
            return None  # the command says what is wrong
    try:
        document = json.loads(text)
    except ValueError:
        return None
    if not isinstance(document, dict) or document.get("version") != 2:
        return None
    buffers = document.get("buffers")
    for b in buffers if isinstance(buffers, list) else ():
        if isinstance(b, dict) and ("upper" not in b or float in (type(b["upper"]), type(b.get("lower")))):
            return None  # the command says how these times are read
    try:
        checked = _library.document("read_json", text)
    except InputError as err:
        raise InputError("\n".join(f"{path}:{line}" for line in str(err).splitlines())) from None
    return None if checked is None else _problem_of(json.loads(checked))


def _problem(source: Source, ends: Optional[str] = None) -> Problem:
    if isinstance(source, (str, os.PathLike)):
        return _load(readable(os.fspath(source)), _settled(None, None, None, None, None, None, ends=ends), ("plan-unused", "pinned"))
    return Problem.of(source, ends=ends)


def _run(p: Problem, o: Options, progress: Optional[Callable[[Progress], object]], start: Any = None) -> Plan:
    done = _library.run(p, o, progress)
    if done is None and _command.absent():
        return _core.plan(p, o, start is not None or progress is not None)
    return done if done is not None else _by_command(p, "-", o, [], start, progress)


def _settled(
    dims: Optional[Mapping[str, int]], values: Optional[Mapping[str, int]], shapes: Optional[Mapping[str, str]], sizes: Optional[Mapping[str, Union[int, str]]],
    alignment: Optional[int], heap: Optional[str], ignore_offsets: bool = False, ends: Optional[str] = None,
) -> list[str]:  # fmt: skip
    flags = ["--ignore-offsets"] if ignore_offsets else []
    if checked(ends) is not None:
        flags += ["--ends", str(ends)]
    named: tuple[tuple[str, Optional[Mapping[str, Any]]], ...] = (("--dim", dims), ("--value", values), ("--shape", shapes), ("--size", sizes))
    for flag, pairs in named:
        for key, value in (pairs or {}).items():
            flags += [flag, f"{key}={value}"]
    if alignment is not None:
        flags += ["--alignment", str(alignment)]
    if heap is not None:
        flags += ["--heap", heap]
    return flags


def _by_command(
    p: Optional[Problem], path: str, o: Options, flags: list[str], start: Any = None, progress: Optional[Callable[[Progress], object]] = None
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

        d = p._dict()
        text = json.dumps(d, ensure_ascii=False)
        if start is not None:
            return _with_start(p, d, start, flags, progress)
    figures, document = _command.solve(path, flags, text, progress, ("ends",) if "--ends" in flags else ())
    if p is None:
        p = _problem_of(document) if document is not None else _load(path, settled, _NOTES)
        p._source = path
    return _plan_of(p, figures, document)


def _with_start(p: Problem, d: dict[str, Any], start: Any, flags: list[str], progress: Optional[Callable[[Progress], object]]) -> Plan:
    """Plans by the command, starting from a plan: it is written to a file."""
    import json
    import tempfile

    plan = {"status": "feasible", "offsets": [int(x) for x in start]}
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        name = os.path.join(folder, "start.json")
        with open(name, "w", encoding="utf-8") as f:
            json.dump({**d, "plan": plan}, f, ensure_ascii=False)
        return _plan_of(p, *_command.solve(name, [*flags, "--start", name], None, progress))


def _plan_of(p: Problem, figures: dict[str, Any], document: Optional[dict[str, Any]]) -> Plan:
    offsets = p._given(document["plan"]["offsets"]) if document is not None else None
    found_by = figures["found_by"]
    plan = Plan(
        p, offsets, figures["height"], figures["lower_bound"], figures["status"], figures["stopped"], figures["capacity"],
        figures["planner"], found_by if found_by != figures["planner"] else "", figures["nodes"], figures["backtracks"], figures["seconds"],
        figures.get("reason", ""), found_by, figures["proved_by"], figures["ended"],
    )  # fmt: skip
    if p.rules is not None:
        plan._rule(figures, document["plan"] if document is not None else {})
    return plan


def _problem_of(document: Mapping[str, Any]) -> Problem:
    """Reads a problem in the form in which the command writes it."""
    buffers = document["buffers"]

    def column(key: str, otherwise: Any) -> list[Any]:
        return [b.get(key, otherwise) for b in buffers]

    offsets = [b.get("offset", b.get("fixed")) for b in buffers]  # version 2 says fixed
    gaps = [[(g["lower"], g["upper"], *g.get("window", ())) for g in b.get("gaps", ())] for b in buffers]
    rules: dict[str, Any] = {key: document[key] for key in ("pools", "together", "apart", "may_overlap", "distances", "penalties", "period", "objective", "groups", *LISTINGS) if document.get(key)}
    for keyword, key in (("allowed", "pools"), ("costs", "costs"), ("evictions", "evictions")):
        if any(key in b for b in buffers):
            rules[keyword] = column(key, None)
    if any("spans" in b for b in buffers):
        rules["spans"] = [i for i, b in enumerate(buffers) if b.get("spans")]
    sizes: list[Any] = column("size", 0)
    if any(isinstance(size, list) for size in sizes):
        rules["extents"] = [size if isinstance(size, list) else None for size in sizes]
        sizes = [prod(size) if isinstance(size, list) else size for size in sizes]
    lower, upper, scale = column("lower", 0), column("upper", 0), 1
    if any(type(x) is float for x in lower) or any(type(x) is float for x in upper):  # the command has said so
        if (made := scaled(lower, upper, gaps, rules.get("evictions"), rules.get("period"))) is not None:
            lower, upper, gaps, evictions, period, scale = made
            rules.update({key: value for key, value in (("evictions", evictions), ("period", period)) if value is not None})
    problem = Problem(
        lower, upper, sizes, column("alignment", 1),
        offset=offsets if any(x is not None for x in offsets) else None,
        hint=column("hint", None) if any("hint" in b for b in buffers) else None,
        gaps=gaps if any(gaps) else None,
        names=column("id", ""), capacity=document.get("capacity", 0), name=document.get("name", ""), **rules,
    )  # fmt: skip
    problem.scale = scale
    return problem


def valid(
    source: Source, offsets: Start, capacity: Optional[Size] = None, *, pools: Optional[Iterable[Optional[Name]]] = None, ends: Optional[str] = None
) -> bool:
    """Returns whether a plan is valid: no two buffers overlap, and all alignments, fixed
    offsets, rules and the capacity are kept. verify says what is wrong."""
    return not verify(source, offsets, capacity, pools=pools, ends=ends)


def verify(
    source: Source, offsets: Start, capacity: Optional[Size] = None, *, pools: Optional[Iterable[Optional[Name]]] = None, ends: Optional[str] = None
) -> str:
    """Checks a plan. Returns the first fault as text, or "" if the plan is valid; valid
    returns True or False. offsets is a Plan, which has its pools and parts, or a column; pools is
    then a column with the pool of each buffer, by number or name. The checker shares no code with
    the planners, except a sort. ends is that of plan."""
    p = _with_capacity(_problem(source, ends), capacity)
    if isinstance(offsets, Plan) and offsets.offsets is None:
        return f"there is no plan: {offsets.reason}"
    column, at, count = _column("offsets", offsets.offsets if isinstance(offsets, Plan) else offsets)
    if count != p.count:
        return f"{counted(count, 'offset')} for {counted(p.count)}"
    where: Optional[list[int]] = None
    parts: list[tuple[int, Part]] = []
    if isinstance(offsets, Plan):
        pools = offsets.pools if pools is None else pools
        parts = [(i, part) for i, rows in offsets.parts.items() for part in rows]
    if pools is not None and (p.rules is None or not p.rules.pools):
        raise InputError("pools: the problem has none")
    if pools is not None and p.rules is not None:
        where = p.rules.numbers("pools", pools)
        if len(where) != p.count:
            return f"{counted(len(where), 'pool')} for {counted(p.count)}"
    if p.rules is not None and len(p.rules.pools) > 1 and where is None:
        return "the plan does not say which pool each buffer is in"
    answer = _library.ask(p, "verify", at) if count and not where and not parts else (0, "") if not count else _library.verify(p, at, where, parts)
    if answer is not None:
        return shown(answer[1])
    import json

    plan: dict[str, Any] = {"status": "feasible", "offsets": [int(x) for x in column]}  # -1 is for an alternative that is not chosen
    if where is not None and p.rules is not None:
        plan["pools"] = [p.rules.pools[k].id if k >= 0 else None for k in where]
    names = p.names or [str(i) for i in range(p.count)]
    for i, part in parts:
        plan.setdefault("parts", {}).setdefault(names[i], []).append({key: x for key, x in part._asdict().items() if x is not None})
    try:
        _command.run(["verify", "-"], json.dumps({**p._dict(), "plan": plan}))
    except InputError as err:
        return str(err)
    return ""


def lower_bound(source: Source, *, ends: Optional[str] = None) -> int:
    """Returns a height that no plan is below, without planning: the largest number of bytes
    that are in use at once, sharpened by alignments and fixed offsets. ends is that of plan."""
    p = _problem(source, ends)
    if p.rules is not None:
        raise Error("lower_bound does not take a problem with rules; the bounds of a plan have one for each measure")
    answer = _library.ask(p, "bound")
    return answer[0] if answer is not None else _run(p, Options(planner="first-fit"), None).lower_bound


def explain(
    source: Source, capacity: Optional[Size] = None, *, smallest: bool = False, timeout: Optional[Seconds] = None, ends: Optional[str] = None
) -> str:
    """Explains why a problem does not fit a capacity. Returns a text with a set of buffers
    that do not fit together, although the rest fit if any one of them is left out. The text
    may also say that all buffers fit, or that the timeout came first. smallest looks for a
    set of the fewest buffers. ends is that of plan."""
    flags = ["explain"]
    if capacity is not None:
        flags += ["--capacity", str(_units.size("capacity", capacity, 1))]
    if smallest:
        flags.append("--smallest")
    if seconds := _units.seconds(timeout):
        flags += ["--timeout", f"{max(1, round(seconds * 1e9))}ns"]
    if isinstance(source, (str, os.PathLike)):
        path = readable(os.fspath(source))
        flags += _settled(None, None, None, None, None, None, ends=ends)
        return _next(_command.run([*flags, "--", path], accept=(0, 3, 4))[1], repr(path))
    import json

    return _next(_command.run([*flags, "-"], json.dumps(Problem.of(source, ends=ends)._dict(), ensure_ascii=False), accept=(0, 3, 4))[1], "problem")


def _next(text: str, source: str) -> str:
    """Returns the text of explain with a call as the next step, in place of a command."""
    import re

    text = re.sub(r"(?m)^next: stowage solve -c ([0-9]+) .*$", lambda m: f"next: stowage.plan({source}, capacity={m[1]})", text)
    return shown(text).replace("; --conflicts names several sets.", "; 'stowage explain --conflicts' names several sets.")


def conflict(source: Source, capacity: Optional[Size] = None, *, ends: Optional[str] = None) -> list[int]:
    """Returns the numbers of buffers that do not fit a capacity together, although the rest
    of them fit if any one is left out. Returns [] if all buffers fit. ends is that of plan."""
    p = _with_capacity(_problem(source, ends), capacity)
    room = array("q", bytes(8 * p.count))
    answer = _library.ask(p, "explain", room.buffer_info()[0]) if p.count else (0, "")
    if answer is not None:
        return room[: answer[0]].tolist()
    import json

    d = p._dict()
    for i, buffer in enumerate(d["buffers"]):
        buffer["id"] = str(i)
    _, said = _command.run(["explain", "-"], json.dumps(d), accept=(0, 3, 4))
    rows = said.partition("\nBUFFER ")[2].partition("\n\n")[0].splitlines()[1:]
    return [int(row.split()[0]) for row in rows]


def _with_capacity(p: Problem, capacity: Optional[Size]) -> Problem:
    if capacity is None or capacity == p.capacity:
        return p
    q = p._copy()
    q._capacity = _units.size("capacity", capacity)
    return q

"""The outcome of a run: a plan, or the reason why there is none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from . import _command
from ._errors import InputError, OutputError, shown
from ._problem import Problem, counted
from ._rules import Part

if TYPE_CHECKING:
    import matplotlib.axes  # type: ignore[import-not-found,unused-ignore]
    import numpy
    import pandas  # type: ignore[import-untyped,unused-ignore]
    from numpy.typing import NDArray

    Offsets = Union[list[int], NDArray[numpy.int64]]

# generated: words
Status = Literal["unknown", "feasible", "optimal", "infeasible"]
Stopped = Literal["", "timeout", "nodes", "interrupt", "effort"]
Ended = Literal["proof", "fits", "done", "timeout", "nodes", "interrupt", "effort"]
# end of words

# Sentences for a run that ended without its answer.
_STOPS = {
    "timeout": "The timeout came first",
    "nodes": "The node limit came first",
    "interrupt": "The search was interrupted",
    "effort": "The planner ended by itself",
}

# The forms that the command draws, by extension.
_PICTURES = (".svg", ".html", ".tex", ".png", ".pdf")


class Plan:
    """The outcome of a run. A Plan is true if there are offsets: if plan: …

    offsets      an offset for each buffer, in the order of the buffers: a numpy array if the
                 sizes were one, else a list; None if there is no plan
    height       the largest offset + size; 0 if there is no plan. For a .tflite model it is the head
                 of the runtime's arena, without what the runtime adds: `stowage plan` has the whole
    lower_bound  no plan is lower than this: it is proven
    status       "optimal": it is proven that no plan is lower; "feasible": valid, and a lower
                 plan may exist; "infeasible": it is proven that no plan fits; "unknown": a
                 limit came before an answer
    reason       in words: why nothing fits, or why the search stopped without its answer;
                 "" if it has its answer
    stopped      why the search stopped without its answer: "timeout", "nodes", "interrupt" or
                 "effort" (the planner ended by itself); "" if it has its answer
    problem      the Problem that was planned
    capacity     the number of bytes to fit into; 0 if there was none. Of a .tflite model it is that of
                 the arena, of which the height is a part
    planner      the planner that ran
    member       the part of the planner that found the plan, if it has parts; else ""
    found_by     who found the plan: the part of the planner, such as "merge" for auto, or the
                 planner; "" if there is no plan
    proved_by    who proved the outcome: a planner, "bound" (no search was needed) or
                 "collision" (of two fixed offsets); "" if nobody did
    ended        why the run ended: "proof"; "fits" (the plan fits, and a lower one was not
                 asked for); "done" (a heuristic came to its end); or what stopped says
    nodes        nodes of the search
    backtracks   nodes of the search all of whose children failed
    seconds      the time that the planner took

    With rules, height and lower_bound are sums over the pools, and there is more:

    pools        the name of the pool of each buffer; None if the problem has no pools, or there is
                 no plan
    parts        the parts of the buffers that are evicted, by their numbers: {3: [Part, Part]}; offsets
                 and pools have the first
    objective    the measures that were minimised, the first first; [] without rules
    measures     every measure of the plan: {"height": 88, "cost": 24, …}; {} without rules
    bounds       a proven lower bound of each measure of the objective, for plans with the best values of
                 the measures before it
    """

    __slots__ = (
        "__weakref__", "_limit", "backtracks", "bounds", "capacity", "ended", "found_by", "height", "lower_bound", "measures", "member", "nodes", "objective",
        "offsets", "parts", "planner", "pools", "problem", "proved_by", "reason", "seconds", "status", "stopped",
    )  # fmt: skip

    problem: Problem
    offsets: Union[Offsets, None]
    height: int
    lower_bound: int
    status: Status
    stopped: Stopped
    capacity: int
    planner: str
    member: str
    found_by: str
    proved_by: str
    ended: Ended
    nodes: int
    backtracks: int
    seconds: float
    reason: str
    pools: Optional[list[Optional[str]]]
    parts: dict[int, list[Part]]
    objective: list[str]
    measures: dict[str, int]
    bounds: dict[str, int]

    def __init__(
        self, problem: Problem, offsets: Union[Offsets, None], height: int, lower_bound: int, status: Status, stopped: Stopped,
        capacity: int, planner: str, member: str, nodes: int, backtracks: int, seconds: float, reason: str = "",
        found_by: str = "", proved_by: str = "", ended: Ended = "done",
    ) -> None:  # fmt: skip
        self.problem, self.offsets, self.height, self.lower_bound = problem, offsets, height, lower_bound
        self.status, self.stopped, self.capacity, self._limit = status, stopped, capacity, capacity  # _limit is that of the height
        self.planner, self.member, self.nodes, self.backtracks, self.seconds = planner, member, nodes, backtracks, seconds
        self.found_by, self.proved_by, self.ended = found_by, proved_by, ended
        self.reason = shown(reason)
        self.pools, self.parts, self.objective, self.measures, self.bounds = None, {}, [], {}, {}
        if stopped and not reason:
            self.reason = _STOPS[stopped] + (": a lower plan may exist." if offsets is not None else ": there is neither a plan nor a proof that nothing fits.")

    def _rule(self, figures: Mapping[str, Any], written: Mapping[str, Any]) -> None:
        """Adds what a problem with rules has of an outcome: its figures, and the plan as JSON has it, {} for none."""
        p = self.problem
        pools = p.rules.pools if p.rules is not None else ()
        only = pools[0].id if len(pools) == 1 else None
        self.pools = written.get("pools") or ([only if x >= 0 else None for x in self.offsets] if only is not None and written and self.offsets is not None else None)
        index = {name: i for i, name in enumerate(p.names or map(str, range(p.count)))} if written.get("parts") else {}
        for name, rows in written.get("parts", {}).items():
            self.parts[index[name]] = [Part(x["lower"], x["upper"], x["offset"], x.get("pool", only)) for x in rows]
        self.objective, self.measures, self.bounds = figures.get("objective", []), figures.get("measures", {}), figures.get("bounds", {})

    def __bool__(self) -> bool:
        return self.offsets is not None

    def __len__(self) -> int:
        return self.problem.count

    def __repr__(self) -> str:
        if self.offsets is None:
            return f"<stowage.Plan: {self.status}, {counted(len(self))}: {self.reason}>"
        if self.objective:
            return f"<stowage.Plan: {self.status}, {', '.join(f'{m} {self.measures[m]}' for m in self.objective)}, {counted(len(self))}>"
        of = " of the arena's head" if self._model() else ""
        return f"<stowage.Plan: {self.status}, height {self.height}{of}, lower bound {self.lower_bound}, {counted(len(self))}>"

    @property
    def optimal(self) -> bool:
        """Whether the status is "optimal"."""
        return self.status == "optimal"

    def by_name(self) -> dict[str, int]:
        """Returns the offset of each buffer by its name; {} if there is no plan."""
        if self.offsets is None:
            return {}
        names = self.problem.names or map(str, range(len(self)))
        return {name: int(offset) for name, offset in zip(names, self.offsets)}

    def as_dict(self) -> dict[str, object]:
        """Returns the content of a JSON file of this plan and its problem."""
        d = self.problem._dict()
        if self._limit:
            d["capacity"] = self._limit
        plan: dict[str, object] = {"planner": self.planner, "status": self.status, "height": self.height, "lower_bound": self.lower_bound}
        d["plan"] = plan
        if self.offsets is None:
            del plan["height"]
        else:
            plan["offsets"] = [int(x) for x in self.offsets]
        if self.problem.rules is not None and self.offsets is not None:
            if self.pools is not None:
                plan["pools"] = self.pools
            if self.parts:
                names = self.problem.names or [str(i) for i in range(len(self))]
                plan["parts"] = {names[i]: [{key: x for key, x in part._asdict().items() if x is not None} for part in rows] for i, rows in self.parts.items()}
            plan["measures"], plan["bounds"] = self.measures, self.bounds
        return d

    def to_json(self) -> str:
        """Returns the plan and its problem as JSON, which the command, the C library and the
        package for JavaScript read."""
        import json

        return json.dumps(self.as_dict(), ensure_ascii=False)

    def to_frame(self) -> pandas.DataFrame:
        """Returns the buffers as a DataFrame of pandas with the columns id, lower, upper,
        size, alignment (if the problem has one), offset and pool (if it has pools). A ValueError if
        there is no plan."""
        import pandas

        if self.offsets is None:
            raise ValueError(f"there is no plan: {self.reason}")
        p = self.problem
        columns = {"id": p.names or [str(i) for i in range(p.count)], "lower": p.lower, "upper": p.upper, "size": p.size}
        if p.alignment is not None:
            columns["alignment"] = p.alignment
        pools = {} if self.pools is None else {"pool": self.pools}
        return pandas.DataFrame({**columns, "offset": self.offsets, **pools})

    @property
    def head(self) -> Optional[int]:
        """The height, if the problem is that of a .tflite model: bytes of the head of the runtime's
        arena. None for any other problem, and without a plan."""
        return self.height if self.offsets is not None and self._model() else None

    @property
    def arena(self) -> Optional[int]:
        """The smallest arena in bytes in which TensorFlow Lite Micro runs the model with its plan, on
        32 bit with the reference kernels: the number for kTensorArenaSize. `stowage plan` has it for
        other targets and kernels. None for what is no .tflite model, and without a plan. The file is
        planned by the command at each call."""
        if self.head is None:
            return None
        import json

        report = json.loads(_command.run(["plan", "--json", self.problem._source], accept=(0, 4))[1])
        return int(report["smallest_arenas"][0].get("planned") or report["smallest_arenas"][0]["before"])

    def _within(self, capacity: int, timeout: float) -> Plan:
        """Asks the command whether the arena of a .tflite model fits. A plan that does not fit is no answer."""
        import json

        self.capacity = capacity
        if self.offsets is None:
            return self
        flags = ["--timeout", f"{max(1, round(timeout * 1e9))}ns"] if timeout else []
        fit = json.loads(_command.run(["plan", "--json", "--capacity", str(capacity), *flags, self.problem._source], accept=(0, 3, 4))[1])["fit"]
        if fit["fits"] != "yes":
            self.status, self.offsets, self.height = "infeasible" if fit["fits"] == "no" else "unknown", None, 0
            needed = f"the arena needs {fit['needed']} bytes ({fit['target']})"
            over = f", {fit['needed'] - capacity} too many" if fit["needed"] > capacity else " or more"
            self.reason = f"{needed}{over}: stowage plan --capacity {capacity} {shown(self.problem._source)} says what would make it fit"
        return self

    def _model(self) -> bool:
        return self.problem._source.removesuffix(".gz").endswith(".tflite")

    def plot(self, axes: Optional[matplotlib.axes.Axes] = None) -> matplotlib.axes.Axes:
        """Draws the plan with matplotlib and returns the axes: time across, offset up, a rectangle for
        each buffer. Buffers with gaps are drawn over their whole lifespan. axes is where to draw; None
        for new ones. A ValueError if there is no plan, or if times are of several clocks or the
        problem has several pools, which svg() and html() draw."""
        if self.offsets is None:
            raise ValueError(f"there is no plan: {self.reason}")
        p = self.problem
        if self.pools is not None and len(set(self.pools)) > 1 or p.rules is not None and p.rules.clocks is not None:
            raise ValueError("a plan of several pools or clocks is drawn by svg() and html()")
        from matplotlib import collections, patches, pyplot  # type: ignore[import-not-found,unused-ignore]

        to: Any = axes if axes is not None else pyplot.subplots()[1]
        shapes = [
            patches.Rectangle((int(a), int(y)), int(b) - int(a), int(h)) for a, b, h, y in zip(p.lower, p.upper, p.size, self.offsets)
        ]
        drawn = collections.PatchCollection(shapes, edgecolor="black", linewidth=0.3, cmap="tab20")
        drawn.set_array([i % 20 for i in range(len(shapes))])
        to.add_collection(drawn)
        to.set_xlim(min(map(int, p.lower), default=0), max(map(int, p.upper), default=1))
        to.set_ylim(0, max(self.height, 1))
        to.set_xlabel("time")
        to.set_ylabel("offset (bytes)")
        to.set_title(f"{self.status}, height {self.height}")
        return to  # type: ignore[no-any-return,unused-ignore]

    def svg(self) -> str:
        """Returns a picture of the plan as SVG, drawn by the command. Without a plan the picture
        shows the load over time."""
        return _command.run(["show", "--format", "svg", "-"], self.to_json())[1]

    def html(self) -> str:
        """Returns a page with the plan and a viewer, made by the command."""
        return _command.run(["show", "--format", "html", "-"], self.to_json())[1]

    def save(self, path: Union[str, os.PathLike[str]], *, force: bool = False) -> None:
        """Writes the plan in the form of the file's extension: .json, .csv; the pictures
        .svg, .html, .tex, .png and .pdf; and .h and .c for C. With .gz behind it, as in
        plan.csv.gz, the file is compressed. Without a plan there are only pictures. An
        OSError if the file cannot be written; it is then as it was before. The file that the
        problem was read from is replaced only with force=True; comments in it are then lost."""
        path = os.fspath(path)
        source = self.problem._source
        if source and not force and os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
            raise InputError(f"{path}: the plan would replace the file that its problem was read from: name another file, or say force=True")
        name = os.path.basename(path)
        plain = name.removesuffix(".gz")
        if plain.endswith(_PICTURES):
            content = _command.file(["show"], self.to_json(), plain)
        elif plain.endswith((".tflite", ".onnx")):
            raise InputError(
                f"{name}: a model is not written here, only a plan: .json, .csv, .h, .c or a picture ({', '.join(_PICTURES)})"
                + ("; the command writes the plan into a model: stowage plan -o OUT.tflite MODEL.tflite" if plain.endswith(".tflite") else "")
            )
        elif self.offsets is None:
            raise ValueError(f"there is no plan to write, the problem is {self.status}: {self.reason}")
        elif plain.endswith(".json"):
            content = self.to_json().encode()
        elif self.problem.rules is not None:
            raise InputError(f"{name}: a plan with rules is written as .json, which has room for pools")
        else:
            import json

            # The offsets are fixed, so that the command has nothing to choose.
            d = self.problem._dict()
            if self._limit:
                d["capacity"] = self._limit
            for buffer, offset in zip(d["buffers"], self.offsets):
                buffer["offset"] = int(offset)
            content = _command.file(["solve", "--quiet", *(["--head"] if self._model() else [])], json.dumps(d, ensure_ascii=False), plain)
        if plain != name:
            import gzip

            content = gzip.compress(content, mtime=0)
        _write(path, content)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from ._notebook import drawn

        return drawn(self)


def _write(path: str, content: bytes) -> None:
    """Writes a file as a whole or not at all."""
    try:
        if os.path.lexists(path) and not os.path.isfile(path):  # a device, or a folder, which fails
            with open(path, "wb") as f:
                f.write(content)
            return
        to = os.path.realpath(path)
        beside = os.path.join(os.path.dirname(to), f".stowage-{os.getpid()}-{id(content)}")
        with open(beside, "xb") as f:
            try:
                f.write(content)
                f.close()
                if os.path.exists(to):
                    os.chmod(beside, os.stat(to).st_mode & 0o777)
                os.replace(beside, to)
            except BaseException:
                os.unlink(beside)
                raise
    except OSError as err:
        raise OutputError(err.errno, err.strerror, path) from None

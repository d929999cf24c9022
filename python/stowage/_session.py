"""Sessions: a problem that changes, with a plan that follows.

Idea: a session lives in the library, and each method is one call of it. Buffers with more than a lifespan, a size and
an alignment go through a solver, as in stowage_session_place_with, and so do rules.

Invariant: one thread at a time is in a session. A second one gets an Error, and so does a call after the end.
"""

from __future__ import annotations

import ctypes
import json
import operator
import signal
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping
from ctypes import c_char, c_int32, c_int64, c_void_p
from types import TracebackType
from typing import Any, Literal, NamedTuple, Optional, SupportsIndex, SupportsInt, Union

from . import _api, _library, _units
from ._errors import Error, InputError, NoPlanError
from ._plan import Plan
from ._problem import Buffers, Column, Gaps, Problem, Times, _column, counted
from ._rules import Allowed, Name, Pairs, Rules, Triples
from ._units import Seconds, Size

#: The last step that a call may take.
Effort = Literal["keep", "fit", "repair", "window", "hints", "fresh"]

#: A time: a number, or one for each clock.
Time = Union[SupportsIndex, Iterable[SupportsInt]]

#: Groups of buffers: sequences of names, or {"buffers": names, "at": distances}.
Groups = Iterable[Union[Iterable[Name], Mapping[str, object]]]

_FOUR = ("together", "apart", "may_overlap", "distances")
_Four = tuple[Optional[Groups], Optional[Pairs], Optional[Pairs], Optional[Triples]]

_STEPS = ("none", "keep", "fit", "repair", "window", "hints", "fresh")
_ANSWERS: tuple[Any, ...] = ("unknown", "feasible", "feasible", "infeasible")
_CLOSED = "the session is closed"
_MOST = (1 << 63) - 1


class _Answer(ctypes.Structure):
    _fields_ = (
        ("status", c_int32), ("step", c_int32), ("least", c_int32), ("buffers", c_int32), ("cost", c_int64), ("bytes", c_int64),
        ("slots", c_int64), ("enough", c_int64), ("nodes", c_int64), ("why", c_char * 16), ("time", c_int64), ("load", c_int64),
        ("bound", c_int64), ("pools", c_void_p),
    )  # fmt: skip


class _Options(ctypes.Structure):
    _fields_ = (("alignment", c_int64), ("effort", c_int64), ("weights", c_void_p), ("pools", c_void_p))


class Moved(NamedTuple):
    """How much the other buffers moved. Those that the call is about do not count."""

    cost: int  #: bytes moved, each buffer's size times its weight
    buffers: int  #: buffers moved
    bytes: int  #: bytes moved
    slots: int  #: bytes moved times the length of their lives


class Proof(NamedTuple):
    """Why no plan exists."""

    why: Literal["load", "collision", "pin", "search", "rules"]  #: the kind of proof
    time: int  #: by load: a time at which it is too much
    load: int  #: by load: the bytes that are live then
    lower_bound: int  #: no plan is lower; 0 if nothing is known
    text: str  #: in a sentence


class Answer(NamedTuple):
    """What became of a call. It is true if the status is "feasible"."""

    #: "feasible": the change is made or, from fits, could be made; "infeasible": no plan exists, which is proven;
    #: "unknown": a limit came first. Unless it is "feasible", nothing has changed.
    status: Literal["feasible", "infeasible", "unknown"]
    step: str  #: the step that found the plan; "none" if there is no plan
    offsets: Optional[list[int]]  #: of the buffers that the call is about; None unless the status is "feasible"
    moved: Moved  #: how much the other buffers moved
    least: bool  #: no plan moves less
    proof: Optional[Proof]  #: why there is no plan; None unless the status is "infeasible"
    enough: int  #: if unknown: a capacity for which a planner found a plan; 0 if it found none
    nodes: int  #: the effort, in nodes of the planners and of the repair
    pools: Optional[list[str]] = None  #: of these buffers, the names of their pools; None if there is one pool

    def __bool__(self) -> bool:
        return self.status == "feasible"

    @property
    def offset(self) -> Optional[int]:
        """The offset of the buffer that the call is about."""
        return self.offsets[0] if self.offsets else None

    @property
    def pool(self) -> Optional[str]:
        """The pool of the buffer that the call is about."""
        return self.pools[0] if self.pools else None

    @property
    def reason(self) -> str:
        """Why there is no plan, in a sentence; "" if the status is not "infeasible"."""
        return self.proof.text if self.proof is not None else ""


class Session:
    """A problem that changes, with a valid plan that follows: buffers come, leave, grow, shift and are pinned, and as
    few bytes as possible get another offset. docs/sessions.md explains it.

        with stowage.Session([(0, 3, 4)], capacity=16) as session:
            answer = session.fits("x", 2, 6, 8)        # changes nothing
            if answer:
                session.add("x", 2, 6, 8).offset
            else:
                print(answer.reason)
            mark = session.mark()
            session.resize("x", 12)
            session.rollback(mark)
            session.snapshot().offsets

    problem    a Problem, a table or buffers, as for plan; nothing for an empty session. Buffers have names: without
               them, buffer i is named "i"
    offsets    a valid plan of it, or a Plan; without one, the session plans by itself
    capacity   the number of bytes that each plan must fit into; without one, that of the problem, or no limit
    alignment  the least alignment of each buffer
    effort     the last step that a call may take: "keep", "fit", "repair", "window", "hints" or "fresh"
    weights    what a byte of each buffer costs if it moves, from 0 to 65536 [default: 1]
    timeout    the time that each call may take: seconds, or a text such as "500ms". Answers then depend on the clock
    nodes      the nodes that the planner may search in each call [default: 500]
    seed, planner  as for plan

    The problem may have rules (docs/memories.md), but for what has a price: penalties, costs, evictions. Rules about buffers then come
    with buffers, and by bind. They are keywords as those of Problem, and name buffers of the session by their names:

        with stowage.Session(stowage.Problem([0, 4], [4, 9], [8, 8], names="ab", pools=["sram", "dram"])) as session:
            session.bind(apart=[("a", "b")])
            session.add("view", 2, 6, 2, together=[{"buffers": ("a", "view"), "at": (0, 4)}]).pool
            session.limit_pool("sram", "1KiB")

    pools      the pool of each buffer in the plan, by number or name, if offsets are a column
    rules      True: rules may come later, though the problem has none
    ends       that of plan, if the problem is a table

    A problem that has no plan is a NoPlanError. Bad input is an InputError, and changes nothing. Ctrl-C ends a call, and is
    raised; the plan is valid then. A session needs the library: the child of a fork has none."""

    __slots__ = ("__weakref__", "_answer", "_at", "_closed", "_handle", "_heeds", "_lib", "_lock", "_offset", "_offset_at", "_planner", "_pools", "_token")

    def __init__(
        self,
        problem: Buffers = (),
        offsets: Union[Plan, Column, None] = None,
        *,
        capacity: Optional[Size] = None,
        alignment: Optional[Size] = None,
        effort: Effort = "fresh",
        weights: Optional[Column] = None,
        timeout: Optional[Seconds] = None,
        nodes: Optional[SupportsIndex] = None,
        seed: SupportsIndex = 0,
        planner: Optional[str] = None,
        pools: Optional[Iterable[Name]] = None,
        rules: bool = False,
        ends: Optional[str] = None,
    ) -> None:
        self._closed, self._handle, self._token, self._heeds = True, None, None, False
        self._lib = lib = _library.load()
        if lib is None:
            raise Error(f"a session needs the library: {_library._absent}; the wheel has it: pip install stowage")
        p = Problem.of(problem, ends=ends)
        o = _api._options(capacity, False, timeout, nodes, None, seed, planner, (), None)
        at = column = where = None
        if offsets is not None:
            given = offsets.offsets if isinstance(offsets, Plan) else offsets
            if given is None:
                raise InputError("offsets: the Plan has none")
            at, column = _counted("offsets", given, p.count)
            if pools is None and isinstance(offsets, Plan) and offsets.pools is not None:
                pools = [pool for pool in offsets.pools if pool is not None]  # all of them: a session has no alternatives
        self._pools = [] if p.rules is None else [pool.id for pool in p.rules.pools]
        asked = _Options(0 if alignment is None else _units.size("alignment", alignment, 1), _step(effort), None, None)
        if pools is not None:
            if p.rules is None:
                raise InputError("pools: the problem has none")
            asked.pools, where = _counted("pools", p.rules.numbers("pools", pools), p.count)
        if weights is not None:
            asked.weights, weighed = _counted("weights", weights, p.count)
        s = _library.Solver(lib, False)
        s.set(p)
        if rules and p.rules is None:
            lib.stowage_set_pools(s.handle, 0, None, None, None, None)
        names = s.name(p)
        if (bytes_ := o.capacity or p.capacity) and (code := lib.stowage_set(s.handle, _library.CAPACITY, bytes_)) < 0:
            raise s.error(code)
        _library._set_options(s, o)
        handle = c_void_p()
        heard = _library.listen() if threading.get_ident() == _library._main else None
        try:
            if heard is not None:
                self._make_token(heard[0])
                lib.stowage_set_token(s.handle, self._token)
            code = lib.stowage_session_open(s.handle, at, ctypes.byref(asked), ctypes.sizeof(asked), ctypes.byref(handle))
        finally:
            if heard is not None:
                _library.unlisten(heard)
        del names, column, where
        if code == _library.INFEASIBLE:
            raise NoPlanError("infeasible", "no plan exists: " + lib.stowage_reason(s.handle).decode())
        if code == 0:
            raise NoPlanError("unknown", "no plan was found before the limit")
        if code < 0:
            if code == _library.FORKED:
                _library._after_fork()
            raise s.error(code)
        self._handle, self._closed, self._heeds = handle, False, heard is not None
        self._planner = planner or "auto"
        self._lock, self._answer, self._offset = threading.Lock(), _Answer(), c_int64()
        self._at, self._offset_at = ctypes.addressof(self._answer), ctypes.addressof(self._offset)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.stowage_session_free(self._handle)
        if getattr(self, "_token", None):
            self._lib.stowage_token_free(self._token)

    def __repr__(self) -> str:
        if self._closed:
            return "<stowage.Session, closed>"
        return f"<stowage.Session of {counted(len(self))}, height {self.height}>"

    def close(self) -> None:
        """Ends the session. Later calls are an Error. A second close does nothing."""
        if self._handle and not self._closed:
            self._do(self._lib.stowage_session_close)
            self._closed = True

    # ---- Questions and changes

    def fits(
        self, id: object, lower: Time, upper: Time, size: Size, alignment: Size = 1, *,
        offset: Optional[Size] = None, hint: Optional[Size] = None, gaps: Optional[Gaps] = None, allowed: Union[Name, Iterable[Name], None] = None,
        together: Optional[Groups] = None, apart: Optional[Pairs] = None, may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None,
    ) -> Answer:  # fmt: skip
        """Asks whether a buffer could be added, and changes nothing. "feasible" comes with its offset, and
        "infeasible" with a proof."""
        call, rules = self._lib.stowage_session_fits, (together, apart, may_overlap, distances)
        if all(x is None for x in (offset, hint, gaps, allowed, *rules)) and not isinstance(lower, Iterable):
            return self._ask(call, _name(id), _time("lower", lower), _time("upper", upper), *_bytes(size, alignment), count=1, one=True)
        return self.fits_all(self._one(id, lower, upper, size, alignment, offset, hint, gaps, allowed), **_ruled(rules))

    def add(
        self, id: object, lower: Time, upper: Time, size: Size, alignment: Size = 1, *,
        offset: Optional[Size] = None, hint: Optional[Size] = None, gaps: Optional[Gaps] = None, allowed: Union[Name, Iterable[Name], None] = None,
        together: Optional[Groups] = None, apart: Optional[Pairs] = None, may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None,
    ) -> Answer:  # fmt: skip
        """Adds a buffer that is live from lower up to upper, and places it. offset pins it there, hint is tried first.
        allowed are the pools that it may be in; the last four are rules about it and other buffers, by their names."""
        call, rules = self._lib.stowage_session_add, (together, apart, may_overlap, distances)
        if all(x is None for x in (offset, hint, gaps, allowed, *rules)) and not isinstance(lower, Iterable):
            return self._ask(call, _name(id), _time("lower", lower), _time("upper", upper), *_bytes(size, alignment), count=1, one=True)
        return self.place(self._one(id, lower, upper, size, alignment, offset, hint, gaps, allowed), **_ruled(rules))

    def place(
        self, buffers: Buffers, effort: Optional[Effort] = None, *, allowed: Optional[Allowed] = None,
        together: Optional[Groups] = None, apart: Optional[Pairs] = None, may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None,
    ) -> Answer:  # fmt: skip
        """Adds several buffers, all of them or none. A fixed offset pins a buffer, and a hint is tried first. effort is the last
        step that the call may take. allowed has the pools that each of them may be in, None for any. A Problem's own rules are about
        these buffers alone; those of the keywords also about others."""
        step = 0 if effort is None else _step(effort)
        call, rules = self._lib.stowage_session_place_with, (together, apart, may_overlap, distances)
        return self._all(buffers, allowed, rules, lambda s, r, room: call(self._handle, s, r, step, room))

    def fits_all(
        self, buffers: Buffers, *, allowed: Optional[Allowed] = None,
        together: Optional[Groups] = None, apart: Optional[Pairs] = None, may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None,
    ) -> Answer:  # fmt: skip
        """Asks whether several buffers could be added together, and changes nothing."""
        call, rules = self._lib.stowage_session_fits_with, (together, apart, may_overlap, distances)
        return self._all(buffers, allowed, rules, lambda s, r, room: call(self._handle, s, r, room))

    def bind(
        self, *, together: Optional[Groups] = None, apart: Optional[Pairs] = None, may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None
    ) -> Answer:
        """Adds rules about buffers of the session. Buffers that do not keep them move, and count as moved."""
        with_ = _Bound(self, (together, apart, may_overlap, distances))
        return self._ask(self._lib.stowage_session_bind, with_.handle)

    def unbind(
        self, *, together: Optional[Groups] = None, apart: Optional[Pairs] = None, may_overlap: Optional[Pairs] = None, distances: Optional[Triples] = None
    ) -> Answer:
        """Takes rules out. Each buffer of together leaves its group, and the others of the group stay tied. A pair goes in
        either order, and the number of a distance does not count."""
        with_ = _Bound(self, (together, apart, may_overlap, distances))
        return self._ask(self._lib.stowage_session_unbind, with_.handle)

    def replace(
        self, id: object, lower: Time, upper: Time, size: Size, alignment: Size = 1, *,
        offset: Optional[Size] = None, hint: Optional[Size] = None, gaps: Optional[Gaps] = None, allowed: Union[Name, Iterable[Name], None] = None,
    ) -> Answer:  # fmt: skip
        """Gives a buffer all these; what is not given it has no more. Rules about it and others stay."""
        p, s = self._one(id, lower, upper, size, alignment, offset, hint, gaps, allowed), _library.Solver(self._lib, False)
        s.set(p)
        names = s.name(p)
        answer = self._ask(self._lib.stowage_session_replace, s.handle, count=1, one=True)
        del names
        return answer

    def remove(self, id: object) -> None:
        """Takes a buffer out. The others stay where they are."""
        self._do(self._lib.stowage_session_remove, _name(id))

    def resize(self, id: object, size: Size) -> Answer:
        """Gives a buffer another size. It keeps its offset if it fits there."""
        return self._ask(self._lib.stowage_session_resize, _name(id), _units.size("size", size, 1), count=1, one=True)

    def retime(self, id: object, lower: SupportsIndex, upper: SupportsIndex) -> Answer:
        """Gives a buffer another lifespan. It keeps its offset if it fits there. If lifespans are of several clocks, replace gives
        it other ones."""
        return self._ask(self._lib.stowage_session_retime, _name(id), _time("lower", lower), _time("upper", upper), count=1, one=True)

    def pin(self, id: object, offset: Optional[Size] = None) -> Answer:
        """Fixes a buffer at an offset, or where it lies. It does not move until unpin; others in the way do. It stays in its pool."""
        at = -1 if offset is None else _units.size("offset", offset)
        return self._pinned(id, self._ask(self._lib.stowage_session_pin, _name(id), at, count=1))

    def pin_in(self, id: object, pool: Name, offset: Optional[Size] = None) -> Answer:
        """Fixes a buffer in a pool, by its number or name: at an offset, or at the one that it has."""
        at = -1 if offset is None else _units.size("offset", offset)
        return self._pinned(id, self._ask(self._lib.stowage_session_pin_in, _name(id), self._pool(pool), at, count=1))

    def _pinned(self, id: object, answer: Answer) -> Answer:
        return answer._replace(offsets=[self.offset(id)]) if answer else answer

    def unpin(self, id: object) -> None:
        """Lets a pinned buffer move again."""
        self._do(self._lib.stowage_session_unpin, _name(id))

    def limit(self, capacity: Optional[Size]) -> Answer:
        """Gives the session another capacity; None for no limit. Buffers that end above it move."""
        return self._ask(self._lib.stowage_session_limit, 0 if capacity is None else _units.size("capacity", capacity, 1))

    def limit_pool(self, pool: Name, capacity: Optional[Size]) -> Answer:
        """Gives a pool, by its number or name, another capacity; None for no limit. Buffers that end above it move."""
        return self._ask(self._lib.stowage_session_limit_pool, self._pool(pool), 0 if capacity is None else _units.size("capacity", capacity, 1))

    def replan(self, height: Optional[Size] = None, effort: Optional[Effort] = None) -> Answer:
        """Looks for a plan of at most a height, or for the lowest that the steps up to effort find. A plan that is
        not lower than the present one is not taken."""
        most = 0 if height is None else _units.size("height", height, 1)
        return self._ask(self._lib.stowage_session_replan, most, 0 if effort is None else _step(effort))

    def weigh(self, id: object, weight: SupportsIndex) -> None:
        """Says what a byte of a buffer that comes later costs if it moves: 0 to 65536."""
        self._do(self._lib.stowage_session_set_weight, _name(id), _time("weight", weight))

    # ---- Marks

    def mark(self) -> int:
        """Remembers the present state, and returns a number for it."""
        return self._do(self._lib.stowage_session_mark)

    def rollback(self, mark: int) -> None:
        """Returns to the state of a mark. The mark and all later ones are gone then."""
        self._do(self._lib.stowage_session_rollback, _time("mark", mark))

    def commit(self, mark: int) -> None:
        """Forgets a mark and all later ones. The changes stay."""
        self._do(self._lib.stowage_session_commit, _time("mark", mark))

    # ---- The session as it is

    def __len__(self) -> int:
        return self._do(self._lib.stowage_session_count)

    def __bool__(self) -> bool:
        return True  # also without buffers

    def __contains__(self, id: object) -> bool:
        try:
            return self.offset(id) >= 0
        except KeyError:
            return False

    def offset(self, id: object) -> int:
        """Returns the offset of a buffer. A KeyError says that the session does not have it."""
        try:
            return self._do(self._lib.stowage_session_offset, _name(id))
        except InputError:
            if self._closed:
                raise
            raise KeyError(id) from None

    def pool_of(self, id: object) -> Optional[str]:
        """Returns the name of the pool of a buffer; None if the problem has no pools. A KeyError says that the session does not
        have the buffer."""
        self.offset(id)
        pool = self._do(self._lib.stowage_session_pool_of, _name(id))
        return self._pools[pool] if self._pools else None

    @property
    def offsets(self) -> list[int]:
        """The offsets of all buffers, in the order in which they arrived."""
        return self._column(self._lib.stowage_session_offsets)

    @property
    def pools(self) -> Optional[list[str]]:
        """The names of the pools of all buffers, in the same order; None if the problem has no pools."""
        pools = self._column(self._lib.stowage_session_pools)
        return [self._pools[k] for k in pools] if self._pools else None

    def _column(self, call: Callable[..., int]) -> list[int]:
        room = 64
        while True:
            column = (c_int64 * room)()
            count = self._do(call, room, column)
            if count <= room:
                return column[:count]
            room = count

    @property
    def height(self) -> int:
        """The height of the plan: the largest offset + size, or the sum of these over the pools."""
        return self._do(self._lib.stowage_session_height)

    @property
    def load(self) -> int:
        """The most bytes that are live at once. Without rules no plan is lower."""
        return self._do(self._lib.stowage_session_load)

    @property
    def capacity(self) -> int:
        """The number of bytes that each plan fits into; 0 if there is no limit, or there are several pools."""
        return self._do(self._lib.stowage_session_capacity)

    def snapshot(self) -> Plan:
        """Returns a copy of the plan, with its problem, in the order in which the buffers arrived."""
        lib, s = self._lib, _library.Solver(self._lib, False)
        self._do(lib.stowage_session_snapshot, s.handle)
        document = json.loads(lib.stowage_json(s.handle, None))
        plan = document["plan"]
        offsets = plan["offsets"] if "offsets" in plan else []
        taken = Plan(
            _api._problem_of(document), offsets, plan["height"], plan["lower_bound"], "feasible", "", document.get("capacity", 0),
            self._planner, "", 0, 0, 0.0, found_by=self._planner, ended="fits",
        )  # fmt: skip
        if taken.problem.rules is not None:
            taken._rule(json.loads(lib.stowage_stats(s.handle, None)), plan)
        return taken

    # ---- Calls

    def _one(
        self, id: object, lower: Time, upper: Time, size: Size, alignment: Size, offset: Optional[Size], hint: Optional[Size], gaps: Optional[Gaps],
        allowed: Union[Name, Iterable[Name], None],
    ) -> Problem:  # fmt: skip
        """Returns a problem of one buffer."""
        bytes_, align = _bytes(size, alignment)
        at, near = (None if x is None else [_units.size(name, x)] for name, x in (("offset", offset), ("hint", hint)))
        begin: Times = [lower] if isinstance(lower, Iterable) else [_time("lower", lower)]
        end: Times = [upper] if isinstance(upper, Iterable) else [_time("upper", upper)]
        return Problem(
            begin, end, [bytes_], [align], offset=at, hint=near, gaps=None if gaps is None else [gaps], names=[_name(id).decode()],
            pools=None if allowed is None else self._pools, allowed=None if allowed is None else [allowed],
        )  # fmt: skip

    def _pool(self, pool: Name) -> int:
        """Returns the number of a pool."""
        if not isinstance(pool, str):
            return _time("pool", pool)
        if pool not in self._pools:
            raise InputError(f"pool: there is no pool {pool!r}")
        return self._pools.index(pool)

    def _all(
        self, buffers: Buffers, allowed: Optional[Allowed], rules: _Four, call: Callable[[Any, Any, Any], int]
    ) -> Answer:
        if self._closed:
            raise InputError(_CLOSED)
        p, s = Problem.of(buffers), _library.Solver(self._lib, False)
        if allowed is not None:
            if p.rules is not None:
                raise InputError("allowed: this problem has rules, so it says itself which pools are allowed")
            p = p._copy()
            p.rules = Rules(p.count, p.names, {"pools": self._pools, "allowed": allowed}, None)
        with_ = None
        if not all(x is None for x in rules) or p.rules is not None and any(p.rules._lists[name] for name in _FOUR):
            with_ = _Bound(self, rules, p)
            p = with_.rest
        s.set(p)
        names = s.name(p)
        room = (c_int64 * max(p.count, 1))()
        answer = self._ask(lambda handle: call(s.handle, None if with_ is None else with_.handle, room), count=p.count)
        del names
        return answer._replace(offsets=room[: p.count]) if answer else answer

    def _ask(self, call: Callable[..., int], *arguments: Any, count: int = 0, one: bool = False) -> Answer:
        """Makes a call that has an answer. It is about count buffers. If it is one, the call may write its offset."""
        if self._closed:
            raise InputError(_CLOSED)
        if one:
            arguments = (*arguments, self._offset_at)
        self._enter()
        try:
            lib, handle = self._lib, self._handle
            main = threading.get_ident() == _library._main
            heard = _library.listen() if main else None
            try:
                if (heard is not None) != self._heeds:
                    if heard is not None:
                        self._make_token(heard[0])
                    lib.stowage_session_set_token(handle, self._token if heard is not None else None)
                    self._heeds = heard is not None
                code = call(handle, *arguments)
            finally:
                if heard is not None:
                    _library.unlisten(heard)
            if code < 0:
                raise self._error(code)
            a = self._answer
            lib.stowage_session_get_answer(handle, self._at, ctypes.sizeof(a))
            proof = None
            if a.status == _library.INFEASIBLE:
                proof = Proof(a.why.decode(), a.time, a.load, a.bound, lib.stowage_session_proof(handle).decode())
            offsets = [self._offset.value] if one and a.status == 1 else None
            pools = [self._pools[k] for k in (c_int64 * count).from_address(a.pools)] if a.pools else None
            return Answer(
                _ANSWERS[a.status], _STEPS[a.step], offsets, Moved(a.cost, a.buffers, a.bytes, a.slots), a.least != 0, proof, a.enough, a.nodes, pools
            )
        finally:
            self._lock.release()

    def _do(self, call: Callable[..., int], *arguments: Any) -> int:
        """Makes a call without an answer."""
        if self._closed:
            raise InputError(_CLOSED)
        self._enter()
        try:
            if (code := call(self._handle, *arguments)) < 0:
                raise self._error(code)
            return code
        finally:
            self._lock.release()

    def _enter(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise Error("the session is in use: a call of another thread has not ended")

    def _error(self, code: int) -> Exception:
        if code == _library.FORKED:
            _library._after_fork()
        text = self._lib.stowage_session_error(self._handle).decode()
        return (InputError if code == -1 else MemoryError if code == -5 else Error)(text)

    def _make_token(self, socket: int) -> None:
        if self._token is None:
            self._token = self._lib.stowage_token_new()
            self._lib.stowage_token_watch(self._token, socket, signal.SIGINT)


class _Bound:
    """Rules about buffers by their names, in a solver: those that a call names, after those of its problem. The session
    checks them, since they may be about its own buffers."""

    def __init__(self, session: Session, rules: _Four, p: Optional[Problem] = None) -> None:
        lib = session._lib
        numbers: dict[str, int] = {}
        own = p.rules if p is not None else None
        self.rest: Any = p  # the problem without these rules
        if p is not None and own is not None:
            numbers.update((name, i) for i, name in enumerate(p.names or map(str, range(p.count))))
            self.rest = p._copy()
            self.rest.rules = own._without(_FOUR)
        given = Rules(0, None, _ruled(rules), None, lambda _, x: numbers.setdefault(_name(x).decode(), len(numbers)))
        self.solver, n = _library.Solver(lib, False), len(numbers)
        self.handle = self.solver.handle
        self.names, self.none = (ctypes.c_char_p * n)(*(name.encode() for name in numbers)), (c_int64 * n)()
        lib.stowage_set_buffers(self.handle, n, self.none, self.none, self.none)
        lib.stowage_set_names(self.handle, self.names)
        self.columns = []
        for name in _FOUR:
            if rows := [*(own._lists[name] if own is not None else ()), *given._lists[name]]:
                columns = [array("q", column) for column in zip(*rows)]
                self.columns.append(columns)
                if (code := getattr(lib, "stowage_set_" + name)(self.handle, len(rows), *(x.buffer_info()[0] for x in columns))) < 0:
                    raise self.solver.error(code)


def _ruled(rules: _Four) -> dict[str, Any]:
    """Returns rules as keywords."""
    return dict(zip(_FOUR, rules))


def _bytes(size: Size, alignment: Size) -> tuple[int, int]:
    return _units.size("size", size, 1), _units.size("alignment", alignment)


def _step(effort: str) -> int:
    if effort not in _STEPS[1:]:
        raise InputError(f"effort is {effort!r}, must be one of {', '.join(_STEPS[1:])}")
    return _STEPS.index(effort)


def _name(id: object) -> bytes:
    name = str(id)
    if "\0" in name:
        raise InputError(f"id is {id!r}, which has a zero byte in it")
    try:
        return name.encode()
    except UnicodeEncodeError as err:
        raise InputError(f"id is {id!r}: {err}") from None


def _time(name: str, x: object) -> int:
    n = x if type(x) is int else operator.index(x) if isinstance(x, SupportsIndex) and not isinstance(x, bool) else None
    if n is None or not -_MOST <= n <= _MOST:
        raise InputError(f"{name} is {x!r}, must be a whole number of 64 bits")
    return n


def _counted(name: str, values: Iterable[Any], n: int) -> tuple[int, Any]:
    """Returns the address of a column with n values, and the column."""
    column, at, count = _column(name, values)
    if count != n:
        raise InputError(f"{name}: {counted(count, 'value')} for {counted(n)}")
    return at, column

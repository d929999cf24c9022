"""The shared library, called through ctypes. stowage.h documents each function.

Idea: a call costs a few microseconds on top of the planner. So solvers are kept and used
again, and columns are passed by their address. ctypes releases the GIL around each call.

Ctrl-C ends a search, and the best plan so far is returned. A small problem is planned in
the foreground: during the call, Python writes the numbers of signals into a socket of
this module (signal.set_wakeup_fd), and the library watches that socket. A large problem,
and any with a progress callback, is planned in the background: Python waits in short
steps and handles its signals between them. A batch has a thread for each worker, all of
which share one token.

Forks: the child of a fork does not have the library's threads, and a call would hang
there. So the child plans by the command.

Subinterpreters: only the main interpreter has signals, and ctypes can call back only into
it. So a subinterpreter plans without them, and refuses a progress callback.

Invariant: an idle solver has no options set, no cancelled token and no run.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from ctypes import POINTER, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p
from itertools import count
from typing import Any, NamedTuple, Optional

from ._errors import Error, InputError
from ._plan import Plan, Status, Stopped
from ._problem import Problem
from ._progress import Progress
from ._rules import Part

ABI = 1
RUNNING = 4
INFEASIBLE, FORKED = 3, -4
# generated: numbers
CAPACITY, MINIMIZE, TIMEOUT, NODES, WORKERS, SEED = range(1, 7)
STATUSES: tuple[Status, ...] = ("unknown", "feasible", "optimal", "infeasible")
STOPS: tuple[Stopped, ...] = ("", "timeout", "nodes", "interrupt", "effort")
# end of numbers
SMALL = 64  # buffers; planning in the background costs some twenty microseconds more
SLICE = 50  # milliseconds between looks at signals


class Options(NamedTuple):
    """The options of a run. An option that is 0 or empty is not set."""

    # generated: options
    planner: str = ""
    capacity: int = 0
    minimize: bool = False
    timeout: float = 0.0
    nodes: int = 0
    workers: int = 0
    seed: int = 0
    without: Sequence[str] = ()
    params: Mapping[str, Any] = {}
    start: Any = None
    # end of options


NO_OPTIONS = Options()


class _Result(ctypes.Structure):
    _fields_ = (
        ("status", c_int32), ("stopped", c_int32), ("height", c_int64), ("lower_bound", c_int64), ("capacity", c_int64),
        ("nodes", c_int64), ("backtracks", c_int64), ("elapsed", c_int64), ("planner", c_char * 32), ("member", c_char * 32),
    )  # fmt: skip


class _Progress(ctypes.Structure):
    _fields_ = (("height", c_int64), ("lower_bound", c_int64), ("nodes", c_int64), ("elapsed", c_int64))


_TELL = ctypes.CFUNCTYPE(c_int, POINTER(_Progress), c_void_p, c_void_p)

_lib: Any = None
_absent: Optional[str] = None  # why there is no library, so that the command plans
_idle: list["Solver"] = []
_idle_behind: list["Solver"] = []
_lock = threading.Lock()
_wakes: Optional[tuple[Any, Any]] = None  # sockets
_main: Optional[int] = threading.main_thread().ident  # the thread that handles signals; None in a subinterpreter


def _after_fork() -> None:
    global _absent
    if _lib is not None:
        _absent = "this process was forked after the library was loaded"
        _idle.clear()
        _idle_behind.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _path() -> str:
    own = {"win32": "stowage.dll", "darwin": "libstowage.dylib"}.get(sys.platform, "libstowage.so")
    return os.environ.get("STOWAGE_LIBRARY") or os.path.join(os.path.dirname(__file__), "lib", own)


def load() -> Any:
    """Returns the library, or None if none can be used."""
    global _lib, _absent
    if _lib is not None or _absent is not None:
        return None if _absent is not None else _lib
    with _lock:
        if _lib is None and _absent is None:
            try:
                lib = ctypes.CDLL(_path())
            except OSError as err:
                if os.environ.get("STOWAGE_LIBRARY"):
                    raise Error(f"the environment's STOWAGE_LIBRARY cannot be loaded: {err}") from err
                _absent = str(err)
                return None
            if lib.stowage_abi() != ABI:
                raise Error(f"{_path()} has the ABI {lib.stowage_abi()}, this package is for {ABI}")
            p, n = c_void_p, c_int64
            for name, result, *arguments in (
                ("new", p), ("free", None, p), ("error", c_char_p, p), ("set_buffers", c_int, p, n, p, p, p),
                ("set_alignments", c_int, p, p), ("set_fixed", c_int, p, p), ("set_hints", c_int, p, p), ("set_start", c_int, p, p),
                ("set_names", c_int, p, p), ("set_gaps", c_int, p, p, p, p, p, p), ("set", c_int, p, c_int, n),
                ("set_options", c_int, p, c_char_p, c_size_t), ("on_progress", c_int, p, p, p),
                ("token_new", p), ("token_free", None, p), ("token_reset", None, p), ("token_watch", None, p, c_int, ctypes.c_ubyte), ("cancel", None, p), ("set_token", c_int, p, p),
                ("generate", c_int, p, c_char_p, c_size_t), ("json", c_char_p, p, p), ("load", n, p), ("digest", c_char_p, p),
                ("solve", c_int, p, p), ("size", c_int, p, p), ("start", c_int, p, p), ("wait", c_int, p, n), ("get_result", c_int, p, p, c_size_t),
                ("verify", n, p, p), ("explain", n, p, p), ("bound", n, p), ("reason", c_char_p, p), ("version", c_char_p),
                ("set_together", c_int, p, n, p, p, p), ("set_apart", c_int, p, n, p, p), ("set_may_overlap", c_int, p, n, p, p), ("set_distances", c_int, p, n, p, p, p),
                ("set_pools", c_int, p, n, p, p, p, p), ("verify_plan", n, p, p, p, n, p, p, p, p, p),
                ("stats", c_char_p, p, p), ("read_json", c_int, p, c_char_p, c_size_t),
                ("session_open", c_int, p, p, p, c_size_t, p), ("session_close", c_int, p), ("session_free", None, p), ("session_error", c_char_p, p), ("session_proof", c_char_p, p),
                ("session_set_token", c_int, p, p), ("session_set_weight", c_int, p, c_char_p, n), ("session_get_answer", c_int, p, p, c_size_t),
                ("session_add", c_int, p, c_char_p, n, n, n, n, p), ("session_fits", c_int, p, c_char_p, n, n, n, n, p),
                ("session_place_with", c_int, p, p, p, c_int, p), ("session_fits_with", c_int, p, p, p, p), ("session_remove", c_int, p, c_char_p),
                ("session_bind", c_int, p, p), ("session_unbind", c_int, p, p), ("session_replace", c_int, p, p, p), ("session_pin_in", c_int, p, c_char_p, n, n),
                ("session_limit_pool", c_int, p, n, n), ("session_pool_of", n, p, c_char_p), ("session_pools", n, p, n, p),
                ("session_resize", c_int, p, c_char_p, n, p), ("session_retime", c_int, p, c_char_p, n, n, p), ("session_pin", c_int, p, c_char_p, n), ("session_unpin", c_int, p, c_char_p),
                ("session_limit", c_int, p, n), ("session_replan", c_int, p, n, c_int), ("session_mark", n, p), ("session_rollback", c_int, p, n), ("session_commit", c_int, p, n),
                ("session_count", n, p), ("session_offset", n, p, c_char_p), ("session_height", n, p), ("session_load", n, p), ("session_capacity", n, p),
                ("session_offsets", n, p, n, p), ("session_snapshot", c_int, p, p),
                ("found_by", c_char_p, p), ("proved_by", c_char_p, p), ("ended", c_char_p, p),
            ):  # fmt: skip
                function = getattr(lib, "stowage_" + name)
                function.restype, function.argtypes = result, arguments
            _lib = lib
    return _lib


class Solver:
    """A handle, and what its runs use again: the structure of results, and a token."""

    __slots__ = ("at", "handle", "lib", "result", "size", "token")

    def __init__(self, lib: Any, behind: bool) -> None:
        self.lib, self.token, self.handle = lib, None, lib.stowage_new()
        if not self.handle:
            raise MemoryError
        self.result = _Result()
        self.at, self.size = ctypes.addressof(self.result), ctypes.sizeof(self.result)
        if behind:
            self.token = lib.stowage_token_new()
            lib.stowage_set_token(self.handle, self.token)

    def __del__(self) -> None:
        self.lib.stowage_free(self.handle)  # waits for a run that has not ended
        if self.token:
            self.lib.stowage_token_free(self.token)

    def set(self, p: Problem) -> None:
        """Sets the columns of a problem. One with rules goes as JSON."""
        if p.rules is not None:
            return self._read(p)
        lib, handle, at = self.lib, self.handle, p.at
        code = lib.stowage_set_buffers(handle, p.count, at[0], at[1], at[2])
        if at[3]:
            lib.stowage_set_alignments(handle, at[3])
        if at[4]:
            lib.stowage_set_fixed(handle, at[4])
        if at[5]:
            lib.stowage_set_hints(handle, at[5])
        if code >= 0 and p.gaps is not None:
            code = lib.stowage_set_gaps(handle, *p.gaps.at)
        if code < 0:
            raise self.error(code)

    def _read(self, p: Problem) -> None:
        import json

        text = json.dumps(p._dict()).encode()
        if (code := self.lib.stowage_read_json(self.handle, text, len(text))) < 0:
            err = self.error(code)
            raise type(err)("\n".join(line.removeprefix("1: ") for line in str(err).split("\n")))  # all of it is on line 1

    def error(self, code: int) -> Exception:
        text = self.lib.stowage_error(self.handle).decode()
        return (InputError if code == -1 else MemoryError if code == -5 else Error)(text)

    def name(self, p: Problem) -> Any:
        """Sets the names of the buffers and returns them; the caller keeps them until the run is
        over. Passing names costs time, so it is done only if a message may need them."""
        if p.names is None:
            return None
        names = (c_char_p * p.count)(*(name.encode() for name in p.names))
        self.lib.stowage_set_names(self.handle, names)
        return names

    def named(self, p: Problem, again: Callable[[], int], code: int) -> Exception:
        """Returns the error of a call, with the names of the buffers if they have names."""
        if p.names is None or code != -1:
            return self.error(code)
        names = self.name(p)  # noqa: F841: kept until the call is over
        return self.error(again())

    def plan(self, p: Problem, code: int, offsets: Any) -> Plan:
        """Returns the outcome of a run."""
        lib, handle = self.lib, self.handle
        lib.stowage_get_result(handle, self.at, self.size)
        r = self.result
        reason = lib.stowage_reason(handle).decode() if code == INFEASIBLE else ""
        plan = Plan(
            p, p._given(offsets) if code == 1 or code == 2 else None, r.height, r.lower_bound, STATUSES[code], STOPS[r.stopped],
            r.capacity, r.planner.decode(), r.member.decode(), r.nodes, r.backtracks, r.elapsed * 1e-9, reason,
            lib.stowage_found_by(handle).decode(), lib.stowage_proved_by(handle).decode(), lib.stowage_ended(handle).decode(),
        )  # fmt: skip
        if p.rules is not None:
            import json

            plan._rule(json.loads(lib.stowage_stats(handle, None)), json.loads(lib.stowage_json(handle, None))["plan"] if plan else {})
        return plan


def isolated() -> bool:
    """Returns whether this is a subinterpreter."""
    try:
        import _interpreters as interpreters  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            return False
    return bool(interpreters.get_current() != interpreters.get_main())


def run(p: Problem, o: Options, progress: Optional[Callable[[Progress], object]], function: str = "stowage_solve") -> Optional[Plan]:
    """Plans a problem, by stowage_solve or stowage_size. Returns None if no library can."""
    lib = load()
    if lib is None:
        return None
    if progress is not None and isolated():
        raise Error("progress cannot be told in a subinterpreter: the library's threads call back into the main interpreter alone")
    capacity = o.capacity or p.capacity
    main = threading.get_ident() == _main
    behind = function == "stowage_solve" and (progress is not None or main and (p.count > SMALL or os.name != "posix"))
    idle = _idle_behind if behind else _idle
    s = idle.pop() if idle else Solver(lib, behind)
    s.set(p)
    handle, solve = s.handle, getattr(lib, function)
    names = None
    if capacity and (code := lib.stowage_set(handle, CAPACITY, capacity)) < 0:
        raise s.error(code)
    if capacity or p.at[4] or p.rules is not None:
        names = s.name(p)  # noqa: F841: it may turn out that nothing fits, and why
    if o is not NO_OPTIONS:
        _set_options(s, o)
    offsets, at = p._room()
    if behind:
        code = _behind(s, at, progress)
    elif main:
        code = _before(s, at, solve)
    else:
        code = solve(handle, at)
    if code < 0:
        if code == FORKED:
            _after_fork()
            return None
        raise s.named(p, lambda: int(solve(handle, at)), code)
    plan = s.plan(p, code, offsets)
    if o is NO_OPTIONS and progress is None:
        if capacity:
            lib.stowage_set(handle, CAPACITY, 0)
        idle.append(s)
    return plan


def many(problems: Sequence[Problem], o: Options, workers: int) -> Optional[list[Plan]]:
    """Plans problems, at most workers at a time. Each has its own capacity unless the options
    have one. Returns None if no library can."""
    done: list[Optional[Plan]] = [None] * len(problems)

    def prepare(s: Solver) -> None:
        if o is not NO_OPTIONS:
            _set_options(s, o)

    def do(s: Solver, k: int) -> None:
        p, lib = problems[k], s.lib
        s.set(p)
        if (code := lib.stowage_set(s.handle, CAPACITY, capacity := o.capacity or p.capacity)) < 0:
            raise s.error(code)
        names = s.name(p) if capacity or p.at[4] or p.rules is not None else None  # noqa: F841
        offsets, at = p._room()
        code = lib.stowage_solve(s.handle, at)
        if code < 0:
            raise Forked if code == FORKED else s.named(p, lambda: int(lib.stowage_solve(s.handle, at)), code)
        done[k] = s.plan(p, code, offsets)

    try:
        return done if each(len(problems), workers, do, prepare) else None  # type: ignore[return-value]
    except Failed as err:
        raise of_problem(err.job, err.cause) from None


def each(jobs: int, workers: int, do: Callable[[Solver, int], None], prepare: Callable[[Solver], None] = lambda s: None) -> bool:
    """Calls do with a solver and the number of a job, for each job, in as many threads as there
    are workers. Each thread has a solver of its own, which prepare is given first. After Ctrl-C
    all runs end, and it is raised. The first error ends the rest: it is the cause of Failed.
    Returns False if no library can plan."""
    lib = load()
    if lib is None:
        return False
    failed: list[tuple[int, BaseException]] = []
    turns = count()
    token = lib.stowage_token_new()

    def work() -> None:
        k = -1
        try:
            s = Solver(lib, False)
            lib.stowage_set_token(s.handle, token)
            prepare(s)
            while not failed and (k := next(turns)) < jobs:
                do(s, k)
        except BaseException as err:
            failed.append((k, err))

    def cancel() -> None:
        failed.append((-1, KeyboardInterrupt()))
        lib.stowage_cancel(token)

    try:
        in_threads(work, min(workers, jobs), cancel)
    finally:
        lib.stowage_token_free(token)
    if failed:
        k, err = failed[0]
        if isinstance(err, Forked):
            _after_fork()
            return False
        raise Failed(k, err)
    return True


class Failed(Exception):
    """A job of each has ended with an error, its cause; job is -1 if it was none of a job."""

    def __init__(self, job: int, cause: BaseException) -> None:
        self.job, self.cause = job, cause


class Forked(Exception):
    """The process was forked after the library was loaded."""


def of_problem(k: int, err: BaseException) -> BaseException:
    """Returns an error with the number of its problem added."""
    return type(err)(f"problem {k}: {err}") if k >= 0 and type(err) in (InputError, Error) else err


def in_threads(work: Callable[[], None], workers: int, cancel: Callable[[], object]) -> None:
    """Does the work in that many threads at once. After an interrupt it calls cancel, waits for
    the threads, and raises the interrupt."""
    threads = []
    for _ in range(workers):
        try:
            thread = threading.Thread(target=work, daemon=False)
            thread.start()
        except RuntimeError:  # no more threads; a subinterpreter may have none at all
            break
        threads.append(thread)
    if not threads:
        work()
    interrupt: Optional[KeyboardInterrupt] = None
    for thread in threads:
        while thread.is_alive():
            try:
                thread.join(SLICE / 1000)
            except KeyboardInterrupt as err:
                interrupt = err
                cancel()
    if interrupt is not None:
        raise interrupt


def _set_options(s: Solver, o: Options) -> None:
    """Sets the options. A solver with options is not put back for other runs."""
    lib = s.lib
    seed = o.seed - (1 << 64) if o.seed >= 1 << 63 else o.seed
    for option, value in ((MINIMIZE, int(o.minimize)), (TIMEOUT, round(o.timeout * 1e9)), (NODES, o.nodes), (WORKERS, o.workers), (SEED, seed)):
        if value and (code := lib.stowage_set(s.handle, option, value)) < 0:
            raise s.error(code)
    if o.start is not None:
        lib.stowage_set_start(s.handle, o.start)
    named: dict[str, Any] = {}
    if o.planner:
        named["planner"] = o.planner
    if o.without:
        named["without"] = list(o.without)
    if o.params:
        named["set"] = {key: str(value) for key, value in o.params.items()}
    if named:
        import json

        text = json.dumps(named).encode()
        code = lib.stowage_set_options(s.handle, text, len(text))
        if code < 0:
            raise s.error(code)


def listen() -> Optional[tuple[int, int]]:
    """Begins a call on the main thread that a signal ends: Python writes the numbers of signals into a socket. Returns
    that socket, for a token to watch, and what unlisten needs; None in a subinterpreter, which gets no signals."""
    global _wakes, _main
    if _wakes is None:
        try:  # the module socket imports much more than this
            from _socket import socketpair
        except ImportError:
            from socket import socketpair
        _wakes = socketpair()
        for end in _wakes:
            end.setblocking(False)
    try:
        return _wakes[0].fileno(), signal.set_wakeup_fd(_wakes[1].fileno(), warn_on_full_buffer=False)
    except ValueError:  # the main thread of a subinterpreter
        _main = None
        return None


def unlisten(heard: tuple[int, int]) -> None:
    """Ends what listen began."""
    socket, before = heard
    signal.set_wakeup_fd(before)
    try:  # signals that have arrived belong to the owner of the earlier socket
        came = os.read(socket, 4096)
        if before >= 0:
            os.write(before, came)
    except BlockingIOError:
        pass


def _before(s: Solver, offsets: int, solve: Callable[[Any, int], int]) -> int:
    """Plans on this thread, which is the main one."""
    lib, handle = s.lib, s.handle
    heard = listen()
    if heard is None:
        return int(solve(handle, offsets))
    if not s.token:
        s.token = lib.stowage_token_new()
        lib.stowage_token_watch(s.token, heard[0], signal.SIGINT)
        lib.stowage_set_token(handle, s.token)
    try:
        code = solve(handle, offsets)
    except KeyboardInterrupt:
        # The call is over, but what it returned is lost.
        lib.stowage_get_result(handle, s.at, s.size)
        code = s.result.status
        if code not in (1, 2):
            raise
    finally:
        unlisten(heard)
    return int(code)


def _behind(s: Solver, offsets: int, progress: Optional[Callable[[Progress], object]]) -> int:
    """Plans in the background, while this thread handles signals and reports progress."""
    lib, handle = s.lib, s.handle
    latest = [Progress(0, 0, 0, 0.0)]

    # The library calls this from a thread of its own, so it only leaves a note here.
    def leave(q: Any, _offsets: Any, _user: Any) -> int:
        q = q.contents
        latest[:] = [Progress(q.height, q.lower_bound, q.nodes, q.elapsed * 1e-9)]
        return 0

    note = _TELL(leave)

    if progress is not None:
        lib.stowage_on_progress(handle, note, None)
    told = progress is not None
    try:
        code = lib.stowage_start(handle, offsets)
        if code < 0:
            return int(code)
        while (code := lib.stowage_wait(handle, SLICE)) == RUNNING:
            if progress is not None and progress(latest[0]) is False:
                lib.stowage_cancel(s.token)
                progress = None
    except BaseException as err:
        lib.stowage_cancel(s.token)
        while True:
            try:
                code = lib.stowage_wait(handle, -1)
                break
            except KeyboardInterrupt:  # the run is ending already
                continue
        lib.stowage_token_reset(s.token)
        if told:
            lib.stowage_on_progress(handle, None, None)
        # If the search has no plan yet, the caller gets the interrupt.
        if not isinstance(err, KeyboardInterrupt) or code not in (1, 2):
            raise
    else:
        lib.stowage_token_reset(s.token)
        if told:
            lib.stowage_on_progress(handle, None, None)
        if progress is not None:
            progress(latest[0])
    return int(code)


def document(call: str, given: bytes) -> Optional[str]:
    """Makes a problem by stowage_generate, or reads one by stowage_read_json, and returns it as the library writes it; None
    if no library can be used."""
    lib = load()
    if lib is None:
        return None
    s = Solver(lib, False)
    if (code := getattr(lib, "stowage_" + call)(s.handle, given, len(given))) == FORKED:
        _after_fork()
        return None
    if code < 0:
        raise s.error(code)
    return str(lib.stowage_json(s.handle, None).decode())


def verify(p: Problem, offsets: int, pools: Optional[Sequence[int]], parts: Sequence[tuple[int, Part]]) -> Optional[tuple[int, str]]:
    """Calls stowage_verify_plan, as ask calls others."""
    index = {pool.id: k for k, pool in enumerate(p.rules.pools)} if p.rules is not None else {}
    rows = [(i, x.lower, x.upper, index.get(x.pool or "", 0), x.offset) for i, x in parts]
    columns = [(c_int64 * max(len(rows), 1))(*column) for column in list(zip(*rows)) or [()] * 5]
    where = None if pools is None else (c_int64 * max(len(pools), 1))(*pools)
    return ask(p, "verify_plan", offsets, where, len(rows), *columns)


def ask(p: Problem, question: str, argument: int = 0, *more: Any) -> Optional[tuple[int, str]]:
    """Calls stowage_verify, stowage_verify_plan, stowage_bound or stowage_explain. Returns its answer and its
    message, or None if no library can be used."""
    lib = load()
    if lib is None:
        return None
    s = Solver(lib, False)
    s.set(p)
    if p.capacity and (code := lib.stowage_set(s.handle, CAPACITY, p.capacity)) < 0:
        raise s.error(code)
    names = s.name(p) if p.count <= 1 << 16 else None  # noqa: F841
    function = getattr(lib, "stowage_" + question)
    answer = function(s.handle) if question == "bound" else function(s.handle, argument, *more)
    if answer == FORKED:
        _after_fork()
        return None
    if answer < 0:
        raise s.error(answer)
    return answer, lib.stowage_error(s.handle).decode()

"""The arena as a context manager: what is recorded when, who plans, when a plan is used.

Idea: a state, looked at between steps only, so that nothing is added to an allocation.

    recording --(a step came twice)--> planning --(the plan is there)--> serving --(steps that missed came twice)--> planning
                                                                            `--(it costs more than it saves)--> off

The arena in C keeps of all steps those that were not served, and what they left behind. So a step of any kind gets a
plan at its second time and is served from its third on, however far apart they are: the last batch of an epoch, an evaluation, the
micro-steps of an accumulation. All kinds are planned together, and a larger step of a kind takes the place of smaller ones.

Planning runs in another process, since the library in Go would not survive a fork of this one. Steps wait
for it up to a limit in all; afterwards a plan is taken when it is there. From the fourth planning on each waits twice
as many steps as the one before, so that shapes at random cost little.

Resident memory is read at the ends of steps, and before what is freed at a peak. An arena is off if it does not serve half of what
recent steps ask for, or if they have more resident memory than steps without a plan had, for the bytes that they ask for.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple, Optional, TypeVar, Union

from .. import _core
from .._command import absent, command
from .._errors import Error, InputError, readable, warn
from .._units import Seconds, seconds, whole
from . import plans as kept
from .build import Adapter, build

MISSES = 0.01  # a step that misses more has another shape
MOSTLY = 0.75  # a step that is served less does not show what a plan saves
RENEWALS = 4  # blocks that are taken anew at most
MEASURING = 10  # seconds that stats waits for a measurement
RECENT = 16  # steps after which an arena that serves less than half, or costs more than it saves, is switched off
RECORD, ALIKE = 6, 10  # steps before the first planning, if the caller does not say how many: at least, and if one of them came twice
PATIENCE = 2  # steps more than are to be recorded, after which the last is planned though none came twice
ALMOST = 0.03  # steps that have so much less live than the largest are of its kind
GROWS = 2  # first steps, in which malloc's heap grows
LATEST = 64  # steps without a plan, and with one, of which each one's resident memory is known
APART = 1.01  # the most of served steps, as a share of the middle one, from which on it is told
COSTS = 1.03  # the resident memory of served steps, as a share of that of steps without a plan, from which on the arena is off


class Stats(NamedTuple):
    """What an arena has done so far. Sizes are bytes."""

    state: str
    """recording, planning, serving, or off and why."""
    steps: int
    """Steps that have ended."""
    plans: int
    """Plans that are loaded: one for each kind of step."""
    served: int
    """Allocations from the arena."""
    missed: int
    """Allocations of steps that the plan did not expect; the usual allocator had them."""
    refused: int
    """Allocations that the plan expected, at bytes that were still in use; the usual allocator had them."""
    kept: int
    """Allocations that the plan leaves to the usual allocator, since they outlive steps."""
    peak: int
    """The most that the arena and the usual allocator had for steps together; 0 before the plan is in use. Weights are not in it."""
    baseline: int
    """What the usual allocator takes for the same step, if that is measured or simulated, as with ONNX Runtime and on a GPU; else 0."""
    height: int
    """The height of the plan that the last step followed."""
    bound: int
    """A proven bound: no plan of the recorded lifespans is lower. If it equals the height, the plan is the least for them."""
    damaged: int
    """What guard mode has found: bytes that were written while nobody had them."""
    before: int
    """The resident memory of the process before its first step; this and those below are 0 if the system does not say it."""
    whole: int
    """The most resident memory of the whole run."""
    plain: int
    """The most resident memory of steps that were recorded without a plan, by the process's own mark if they raised it, less what the recording
    took; 0 if none was, as with plans of a file."""
    steady: int
    """The most resident memory of steps that were served for three quarters at least. The first step after each planning does not count."""
    rest: int
    """The resident memory now."""
    trimmed: int
    """What malloc_trim gave back at most before plans were loaded. That much of plain - steady a program can have without a plan."""
    plain_least: int
    """The least of the most resident memory of the steps that plain is of, without the first two and those that have less live: what malloc
    takes for the same step differs from step to step, and from process to process."""
    plain_middle: int
    """The median of the same."""
    steady_middle: int
    """The median of the most resident memory of the latest of the steps that steady is of."""

    @property
    def saved(self) -> int:
        """How much lower a step is with a plan, mostly: plain_middle - steady_middle of resident memory, or baseline - peak if there is a baseline; 0
        if it is not lower or unknown. It is what this process takes less. In another process malloc's heap is another one."""
        without, by = (self.baseline, self.peak) if self.baseline else (self.plain_middle, self.steady_middle)
        return max(without - by, 0) if without and by else 0

    @property
    def share(self) -> float:
        """The share of allocations that were served since the first plan."""
        return self.served / max(self.served + self.missed + self.refused + self.kept, 1)

    def __str__(self) -> str:
        if not self.plans:
            return f"{self.state}, {self.steps} steps"
        text = (
            f"{self.state}, {self.steps} steps: {self.served:,} allocations served ({self.share:.1%}), {self.missed:,} missed, {self.refused:,} refused"
        )
        if self.height:
            text += f"; the plan is {self.height:,} bytes high" + (", the least possible for these lifespans" if self.height == self.bound else "")
        if self.baseline:
            text += f"; peak {self.peak:,} bytes, {self.baseline:,} without: {self.saved:,} bytes saved"
        if self.steady:
            text += f"; resident memory in steps: {self.steady_middle:,} bytes with a plan"
            if self.steady > APART * self.steady_middle:
                text += f" and {self.steady:,} at most"
            if self.plain:
                more = self.steady_middle - self.plain_middle
                spread = self.plain_least < self.plain
                text += f", {self.plain_least:,} to {self.plain:,} before that, {self.plain_middle:,} in the middle" if spread else f", {self.plain:,} before that"
                text += f": {abs(more):,} {'more' if more > 0 else 'saved'}"
                if self.before:
                    steady, plain = (max(n - self.before, 0) >> 20 for n in (self.steady_middle, self.plain_middle))
                    text += f", {steady} in place of {plain} MiB above the start"
                if more < 0 and self.trimmed:
                    text += f" (malloc_trim gave back {self.trimmed:,})"
            text += f"; {self.whole:,} at most in the run, {self.rest:,} at rest"
        return text


class _Counts(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_uint64)
        for name in ("served", "missed", "refused", "kept", "outside", "served_bytes", "missed_bytes", "refused_bytes", "kept_bytes", "outside_bytes")
    )  # fmt: skip


class _Statistics(ctypes.Structure):
    _fields_ = (
        ("all", _Counts), ("last", _Counts),
        *((name, ctypes.c_uint64) for name in ("steps", "plans", "live", "peak", "block", "upstream", "total_peak", "held", "damaged", "planned", "bound", "baseline",
                                                "resident", "resident_step", "resident_peak", "live_step", "recording")),
    )  # fmt: skip


_libraries: dict[str, Any] = {}
_loading = threading.Lock()


def library(adapter: Adapter) -> Any:
    """Returns a compiled adapter with the types of its functions."""
    with _loading:
        if adapter.name not in _libraries:
            lib = ctypes.CDLL(os.fspath(build(adapter)))
            p, n, i = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
            for name, result, *arguments in (
                ("slot_new", i, i), ("slot_arena", p, i), ("slot_close", None, i),
                ("slot_enter", i, i, ctypes.c_char_p, i, p), ("slot_exit", None, i, i, p, i, i),
                ("slot_load", i, i, ctypes.c_char_p, n, i), ("slot_unload", None, i), ("slot_trimmed", ctypes.c_uint64, i),
                ("arena_abi", i), ("arena_error", n, p, p, n), ("arena_watch", None, p, i), ("arena_watched", ctypes.c_uint64, p, i),
                ("arena_rest", None, p), ("arena_followed", n, p, p, n), ("arena_trace", n, p, p, n), ("arena_write", i, p, ctypes.c_char_p),
                ("arena_stats", None, p, p, n),
                ("arena_reset_peaks", None, p), ("arena_poison", None, p), ("arena_guard", None, p, i), ("arena_check", ctypes.c_uint64, p),
                ("arena_owns", i, p, p),
            ):  # fmt: skip
                function = getattr(lib, "stowage_" + name)
                function.restype, function.argtypes = result, arguments
            _libraries[adapter.name] = lib
        return _libraries[adapter.name]


Kind = TypeVar("Kind", bound="Arena")


class Arena:
    """An arena for the steps of one program; arena makes it. It is a context manager, to be entered for every step."""

    def __init__(
        self, adapter: Adapter, device: int, record: Optional[int], plans: int, wait: float, timeout: float, every_thread: bool, guard: bool, poison: bool,
        file: Optional[str], rest: str,
    ) -> None:  # fmt: skip
        self._slot, self._adapter = -1, adapter
        self._lib = lib = library(adapter)
        slot = lib.stowage_slot_new(device)
        if slot < 0:
            raise Error({
                -1: "there are 64 arenas that have live memory: close those that are no longer used",
                -2: "there is no memory for an arena",
                -3: f"{adapter.module} cannot stand before the allocator that is there: {adapter.refuses}",
            }.get(slot, f"the arena cannot be made: code {slot}"))  # fmt: skip
        self._slot, self._at = slot, lib.stowage_slot_arena(slot)
        self._record, self._alike = record or RECORD, record or ALIKE
        self._plans, self._wait, self._timeout, self._all, self._poison = plans, wait, timeout, every_thread, poison
        self._file, self._return, self._lock = file, rest == "return", threading.RLock()
        self._frames: list[tuple[int, int, int, Any]] = []  # steps and scopes that are open: thread, slot, level, what was before
        self._attempts, self._again = 0, 0  # plannings; the step before which there is none
        self._shares = [1.0] * RECENT  # what recent steps were served
        self._costs: list[bool] = []  # whether recent steps cost more than they saved
        self._planned: list[kept.Plan] = []  # the plans that are loaded
        self._stale: set[bytes] = set()  # those of the file that nothing has followed
        self._refused = self._renewed = 0  # steps in a row that were refused much; blocks that were taken anew
        self._process: Optional[subprocess.Popen[bytes]] = None  # the planner
        self._measuring: list[tuple[subprocess.Popen[bytes], tempfile.TemporaryDirectory[str]]] = []  # what finds the baseline
        self._measured = 0  # the most that was found
        self._asking = threading.Lock()  # one thread at a time asks what was found, which may take seconds
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        self._home = self._pid = os.getpid()  # where the arena is; where the planner was started
        self._settled, self._rest = 0, 0  # steps since a plan was loaded; what of upstream is there between steps
        self._before = self._high = self._whole = self._plain = self._steady = 0  # resident memory; high: the process's own mark before
        self._asked = 0  # the bytes that were live in a step without a plan
        self._took: list[tuple[int, int]] = []  # of the latest steps before a plan: bytes that were live, resident memory
        self._serves: list[int] = []  # of the latest steps that were served: resident memory
        self._read_most = 0  # the most resident memory that was read in steps before a plan
        self._last: Optional[Stats] = None
        self._lib.stowage_arena_guard(self._at, int(guard))
        self._state = "recording"
        lib.stowage_arena_watch(self._at, 1)
        if file is not None and (text := kept.read(file)):
            found = kept.split(text)
            self._stale = {plan.digest for plan in found}
            if lib.stowage_slot_load(slot, text, len(text), 0) < 0:
                warn(f"{file}: ignored, and written anew once there is a plan: {self._said()}")
            else:
                self._planned, self._state = found, "serving"

    # ------------------------------------------------------------------------------ steps

    def __enter__(self) -> Arena:
        self._enter(None)
        return self

    def __exit__(self, kind: Optional[type[BaseException]], err: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._exit(kind is not None)

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[Arena]:
        """Begins a step of a name, as `with a.step("train")`. Within a step it is a scope: a name for a part of
        the step, at which the arena finds its place again after a miss. A step with a name is served from plans
        of that name alone. A name has letters, digits and . _ -, and at most 63 of them."""
        self._enter(name)
        failed = True
        try:
            yield self
            failed = False
        finally:
            self._exit(failed)

    def _enter(self, name: Optional[str]) -> None:
        self._fork()
        with self._lock:
            self._there()
            if not self._frames:
                self._between()
            was = (ctypes.c_void_p * 1)()
            level = self._lib.stowage_slot_enter(self._slot, name.encode(errors="replace") if name else None, int(self._all), was)
            if level < 0:
                raise MemoryError("there is no memory for a step")
            self._frames.append((threading.get_ident(), self._slot, level, was))

    def _fork(self) -> None:
        """In the child of a fork, which has one thread: forgets the others, which may have held the lock."""
        if self._home != os.getpid():
            self._home, self._lock, self._asking = os.getpid(), threading.RLock(), threading.Lock()
            self._frames = [frame for frame in self._frames if frame[0] == threading.get_ident()]

    def _exit(self, failed: bool) -> None:
        self._fork()
        with self._lock:
            # A generator may end in another thread than it began in: then the step ends for all, and that thread
            # allocates outside of steps from then on.
            own = [k for k, frame in enumerate(self._frames) if frame[0] == threading.get_ident()]
            _, slot, level, was = self._frames.pop(own[-1] if own else -1)
            self._lib.stowage_slot_exit(slot, level, was, int(bool(own)), int(self._all))
            if not self._frames and self._slot >= 0:
                self._after(failed)

    def _between(self) -> None:
        """Runs before each step: changes the state if it is time to."""
        if not self._before:
            self._before, self._high = self._resident(), _high()
        if self._state in ("recording", "serving") and self._due():
            self._plan()
        if self._process is not None:
            self._take()
        elif self._state == "serving" and not self._settled:
            self._lib.stowage_arena_rest(self._at)  # what the program has freed since it loaded the plan makes room for the block
        if self._poison:
            self._lib.stowage_arena_poison(self._at)

    def _after(self, failed: bool) -> None:
        """Runs after each step: reads what it took, and was served."""
        s = self._read()
        if s.steps <= 4 or not s.steps & (s.steps - 1) or self._settled <= 2:
            self._mark()
        if self._state == "serving" and not failed:
            self._judge(s)
        if not failed and (s.last.outside or s.last.missed) and s.last.served * 100 < s.last.outside + s.last.missed:
            took = s.resident_step
            if not s.plans and s.resident and not self._settled:
                self._read_most = max(self._read_most, took - s.recording)
                if s.steps > GROWS:
                    self._took = [*self._took[-LATEST:], (s.live_step, took - s.recording)]
                self._mark()  # it has what kernels take between two reads of resident memory
                took = max(took, self._whole)
            self._plain, self._asked = max(self._plain, took - s.recording), max(self._asked, s.live_step)
        if self._return:
            self._lib.stowage_arena_rest(self._at)

    def _mark(self) -> None:
        """Reads the process's own mark of its most resident memory, if steps have raised it."""
        if not sys.is_finalizing() and (high := _high()) > self._high:
            self._whole = max(self._whole, high)

    def _resident(self) -> int:
        if sys.is_finalizing():
            return 0
        with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", "rb") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return 0

    def _due(self) -> bool:
        """Whether there are steps to plan."""
        s = self._read()
        if self._process is not None or self._attempts >= self._plans or s.steps < max(self._again, self._record):
            return False
        if self._lib.stowage_arena_watched(self._at, 0):
            return bool(s.plans > 0 or s.steps >= self._alike)
        if not s.plans and s.steps >= self._record + PATIENCE and not any((s.all.outside, s.all.missed)):
            return True  # the planner says that it saw nothing
        lost = [share for share in self._shares if share < 1 - MISSES]
        alone = s.steps >= self._record + PATIENCE if not s.plans else len(lost) > RECENT // 2
        return alone and self._lib.stowage_arena_watched(self._at, 1) > 0

    def _judge(self, s: _Statistics) -> None:
        """Looks at the step that ended: was it what a plan expects?"""
        last = s.last
        asked = last.served + last.missed + last.refused + last.kept + last.outside
        if not asked:
            return
        self._settled += 1
        if self._settled == 1:
            # What the steps before the plan left is gone now; what is left upstream are weights and states.
            self._lib.stowage_arena_reset_peaks(self._at)
            self._rest = s.upstream
        elif last.served >= MOSTLY * asked:
            self._steady = max(self._steady, s.resident_step)
            self._serves = [*self._serves[-LATEST:], s.resident_step]
        self._rest = min(self._rest, s.upstream)
        self._shares = [*self._shares[1:], last.served / asked]
        self._refused = self._refused + 1 if last.refused > MISSES * asked else 0
        if self._refused == 2 and self._renewed < RENEWALS:
            self._renew()
        if self._plain and self._settled > 1:
            larger = max(1.0, s.live_step / max(self._asked, 1))
            expected = self._before + (self._plain - self._before) * larger
            self._costs = [*self._costs, s.resident_step > COSTS * expected][-RECENT:]
        if sum(self._shares) < RECENT / 2 and self._process is None and not self._due():
            self._off(f"less than half of {RECENT} steps was served")
        elif len(self._costs) == RECENT and sum(self._costs) > RECENT // 2 and self._process is None:
            self._off("steps take more memory with a plan than without")

    def _off(self, why: str) -> None:
        self._mark()
        self._lib.stowage_slot_unload(self._slot)
        self._ends(why)
        warn(f"the arena is {self._state}")

    def _ends(self, why: str) -> None:
        """Is off from now on: nothing is recorded any more, and what the recording took goes back."""
        self._lib.stowage_arena_watch(self._at, 0)
        self._state = f"off: {why}"

    def _renew(self) -> None:
        """Takes a new block for the plans. Something lives on in the old one where the plan expects other things:
        memory that was taken for a temporary of its size, and is kept. The old block goes when the last of it does."""
        self._renewed, self._refused = self._renewed + 1, 0
        self._lib.stowage_slot_unload(self._slot)
        self._load(kept.join(self._planned))

    def _plan(self) -> None:
        """Starts the planner on what was recorded. Without a place for the trace, as on a full disk, the program goes on as it is."""
        self._attempts += 1
        self._again = self._read().steps + (1 << max(self._attempts - 3, 0))
        twice = self._lib.stowage_arena_watched(self._at, 0) > 0
        serving = self._read().plans > 0
        # A file has the first step too. If none came twice, the last one is planned, as the one before it ended.
        self._lib.stowage_arena_watched(self._at, int(twice and self._file is not None or not twice and serving))
        every = ["--all", "--apart"] if twice or serving else []
        limit = ["--timeout", f"{self._timeout}s"] if self._timeout else []
        folder = None
        try:
            self._folder = folder = tempfile.TemporaryDirectory(prefix="stowage-")
            trace, to = os.path.join(folder.name, "trace"), os.path.join(folder.name, "plan")
            self._call(self._lib.stowage_arena_write(self._at, os.fsencode(trace)))
            with open(os.path.join(folder.name, "said"), "wb") as said:
                # In a session of its own, so that Ctrl-C in a terminal does not reach it.
                alone = absent()
                planner = _core.words(trace, to, bool(every), self._timeout or 0) if alone else [command(), "arena", "plan", trace, "-o", to, *every, *limit]
                self._process = subprocess.Popen(
                    planner, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
                )
            if words := self._measure(folder.name):
                measure = subprocess.Popen([sys.executable, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
                self._measuring.append((measure, folder))
        except (OSError, MemoryError, Error) as err:
            self._folder = None
            if folder is not None:
                self._done(folder)
            self._fails(str(err))
            return
        self._pid, self._state = os.getpid(), "planning"

    def _fails(self, why: str) -> None:
        """Goes on with the plans that are there, or without any."""
        if self._read().plans:
            self._state = "serving"
        else:
            self._ends(why)
        warn(f"the arena has no plan for these steps: {why}")

    def _take(self) -> None:
        """Takes the plan if it is there, or comes within what is left to wait."""
        process, folder = self._process, self._folder
        if process is None or folder is None or self._pid != os.getpid():  # the child of a fork has no planner
            if self._read().plans:
                self._state = "serving"
            else:
                self._ends("forked while the planner ran")
            return
        if self._wait > 0:
            begin = time.monotonic()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._wait)
            self._wait -= time.monotonic() - begin
        if process.poll() is None:
            return
        self._process = self._folder = None
        if process.returncode != 0:
            with open(os.path.join(folder.name, "said"), errors="replace") as f:
                why = f.read().strip().removeprefix("stowage: ") or f"the planner ended with code {process.returncode}"
            self._done(folder)
            self._fails(why)
            return
        with open(os.path.join(folder.name, "plan"), "rb") as f:
            text = f.read()
        self._done(folder)
        new = kept.split(text)
        known, steps = self._planned, self._followed()
        if steps and any(steps):
            self._stale = set()  # the file is of this program
        old = sorted(zip(steps, range(len(known))), key=lambda x: (-x[0], x[1]))  # the most useful first
        self._mark()
        planned = kept.merge(new, [known[k] for count, k in old if count or known[k].digest not in self._stale])
        if self._load(kept.join(planned)):
            self._planned = planned
            if self._file is not None:
                kept.keep(self._file, planned, self._stale)

    def _followed(self) -> list[int]:
        """Returns how many steps have followed each plan."""
        steps = (ctypes.c_uint64 * max(len(self._planned), 1))()
        n = self._lib.stowage_arena_followed(self._at, steps, len(self._planned))
        return list(steps)[:n] if n == len(self._planned) else [0] * len(self._planned)

    def _done(self, folder: tempfile.TemporaryDirectory[str]) -> None:
        """Removes a folder if neither planner nor measurement has it."""
        if folder is not self._folder and all(folder is not other for _, other in self._measuring):
            folder.cleanup()

    def _load(self, text: bytes) -> bool:
        """Loads plans, and returns whether that went well. If not, as without memory for the block, the program goes on."""
        if self._lib.stowage_slot_load(self._slot, text, len(text), 1) < 0:
            self._fails(self._said())
            return False
        self._state, self._settled, self._refused, self._costs = "serving", 0, 0, []
        return True

    # -------------------------------------------------------------------------- questions

    def stats(self) -> Stats:
        """Returns what the arena has done so far; after close, what it had done."""
        if self._last is not None:
            return self._last
        s = self._read()
        self._mark()
        rest = min(self._rest, s.upstream) if self._settled else 0
        return Stats(
            self._state, s.steps, s.plans, s.all.served, s.all.missed, s.all.refused, s.all.kept,
            max(s.total_peak - rest, s.block) if self._settled else 0, self._baseline(s), s.planned, s.bound, s.damaged,
            self._before, max(self._whole, s.resident_peak), self._plain, self._steady, self._resident() if s.resident else 0,
            int(self._lib.stowage_slot_trimmed(self._slot)), *self._spread(),
        )  # fmt: skip

    def _spread(self) -> tuple[int, int, int]:
        """Returns the least and the median of what steps without a plan took, of those that ask for about as much as the largest; what the
        most of all took if only the first ones are known. Then the median of served steps. What kernels take between two reads is that
        of the process's own mark."""
        most, kernels = max((live for live, _ in self._took), default=0), max(self._plain - self._read_most, 0)
        took = [took + kernels for live, took in self._took if live >= (1 - ALMOST) * most] or [self._plain]
        return min(took), _middle(took), _middle(self._serves or [self._steady])

    def _measure(self, folder: str) -> list[str]:
        """Returns the arguments of a Python process that prints what the usual allocator takes for the trace in a
        folder; none if it is not measured."""
        return []

    def _baseline(self, s: _Statistics) -> int:
        """Returns what the usual allocator takes: measured if the adapter says so, else as the planner simulated it.
        Steps do not wait for a measurement, and this does for some seconds."""
        if not self._adapter.measured:
            return 0 if s.resident else int(s.baseline)
        if self._pid != os.getpid():
            return self._measured  # the child of a fork has no such process
        with self._asking:
            for process, folder in list(self._measuring):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    found = process.communicate(timeout=MEASURING)[0].split()
                    self._measured = max(self._measured, int(found[0]) if found and found[0].isdigit() else 0)
                    self._measuring.remove((process, folder))
                    self._done(folder)
        return self._measured

    def trace(self) -> str:
        """Returns what is recorded, as `stowage arena plan` reads it."""
        length = self._lib.stowage_arena_trace(self._at, None, 0) + 1
        text = ctypes.create_string_buffer(length)
        self._lib.stowage_arena_trace(self._at, text, length)
        return text.value.decode()

    def load(self, path: Union[str, os.PathLike[str]]) -> None:
        """Loads plans of a file, beside those that are there. They are used from the next step on. A file that is
        no plan, or a damaged one, is an InputError, and nothing changes."""
        self._there()
        name = readable(os.fspath(path))
        with open(name, "rb") as f:
            text = f.read()
        code = self._lib.stowage_slot_load(self._slot, text, len(text), 0)
        if code == -1:
            raise InputError(f"{os.fspath(path)}: {self._said()}")
        self._call(code)
        self._planned += kept.split(text)
        self._state, self._settled, self._refused, self._steady, self._serves = "serving", 0, 0, 0, []

    def check(self) -> int:
        """Returns how many faults the arena finds in its own tables and, in guard mode, in bytes that nobody has."""
        self._fork()
        with self._lock:
            self._there()
            return int(self._lib.stowage_arena_check(self._at))

    def close(self) -> None:
        """Ends serving. Tensors that the arena served stay valid; its block goes when the last of them does. An
        arena that nobody refers to is closed by itself."""
        if self._slot < 0:
            return
        self._fork()
        self._last = self.stats()
        with self._lock:  # other threads may be about to enter, or to ask
            slot, self._slot = self._slot, -1
            if slot < 0:
                return
            self._lib.stowage_slot_close(slot)
            self._at = None
            self._end()

    def _end(self) -> None:
        """Ends the processes of this arena."""
        if self._pid == os.getpid():
            for process in (self._process, *(measure for measure, _ in self._measuring)):
                if process is not None:
                    process.kill()
                    process.communicate()
        folders = [self._folder, *(folder for _, folder in self._measuring)]
        self._process, self._folder, self._measuring = None, None, []
        for folder in folders:
            if folder is not None:
                folder.cleanup()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{self._adapter.module}.Arena: {'' if self._slot >= 0 else 'closed; '}{self.stats()}>"

    def _there(self) -> None:
        if self._slot < 0:
            raise Error("the arena is closed")

    def _read(self) -> _Statistics:
        self._fork()
        with self._lock:
            self._there()
            s = _Statistics()
            self._lib.stowage_arena_stats(self._at, ctypes.byref(s), ctypes.sizeof(s))
            return s

    def _said(self) -> str:
        text = ctypes.create_string_buffer(500)
        self._lib.stowage_arena_error(self._at, text, 500)
        return text.value.decode(errors="replace")

    def _call(self, code: int) -> None:
        if code < 0:
            raise MemoryError(self._said()) if code == -2 else Error(self._said())


def _middle(sizes: list[int]) -> int:
    """Returns the median, rounded down."""
    found = sorted(sizes)
    return (found[len(found) // 2] + found[(len(found) - 1) // 2]) // 2


def _high() -> int:
    """Returns the most resident memory that this process has had."""
    with contextlib.suppress(OSError), open("/proc/self/status", "rb") as f:
        for line in f:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) << 10
    return 0


def make(
    adapter: Adapter, device: int, record: Optional[int], plans: int, wait: Optional[Seconds], timeout: Optional[Seconds], every_thread: bool, guard: bool, poison: bool,
    file: Union[str, os.PathLike[str], None], kind: type[Kind] = Arena, rest: str = "keep",  # type: ignore[assignment]
) -> Kind:  # fmt: skip
    """Returns an arena over an adapter, with options as users give them."""
    if rest not in ("keep", "return"):
        raise InputError(f'rest: {rest!r} is neither "keep" nor "return"')
    return kind(
        adapter, device, None if record is None else whole("record", record, 1), whole("plans", plans, 1), seconds(wait, "wait"), seconds(timeout),
        every_thread, guard, poison, None if file is None else os.fspath(file), rest,
    )  # fmt: skip

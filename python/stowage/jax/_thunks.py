"""A serialised executable of XLA on the CPU: its heap, and the program that reads and writes it.

Idea: what XLA runs is a sequence of thunks: kernels, convolutions, loops, branches. Each says which slices of which
allocation it reads and writes. The sequence is the schedule, in the order in which it has been compiled; nothing
has to be inferred from names or from traces.

A table has the kinds of thunks that are understood, and for each the fields that hold slices. A kind or a field that the
table lacks is refused by its name, since its memory would be missed.

Invariant: every slice of the heap that the file has is an Access of the program, and is rewritten with it.
Source: openxla/xla, xla/backends/cpu/runtime/thunk.proto and while_thunk.cc, xla/service/cpu/executable.proto and
hlo.proto, for the numbers of fields and for what a thunk does; the descriptors in jaxlib 0.10.2 have the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from .._errors import InputError
from ._wire import Message, number

#: The versions of jaxlib whose executables were tried. The format is internal to jaxlib and may change with each.
VERSIONS = ("0.10.2",)

FORMAT = 3  # the version that the head of their executables has

ALIGNMENT = 64  # of XLA's buffers on the CPU: code is compiled with it in mind


class Refused(InputError):
    """The executable is not rewritten. The text names what stowage.jax does not know."""


@dataclass(eq=False)
class Access:
    """A slice of the heap that a step reads or writes."""

    slice: Message
    lower: int  # the slice is [lower, upper) in the heap
    upper: int


@dataclass(eq=False)
class Step:
    """A thunk without thunks inside it, at its point of the schedule."""

    point: int
    name: str
    call: bool = False  # a whole computation, compiled as one kernel
    reads: list[Access] = field(default_factory=list)
    writes: list[Access] = field(default_factory=list)
    scratch: list[tuple[Access, Access]] = field(default_factory=list)  # arguments that _scratch.py took from reads: (read, write)

    def slices(self) -> list[Access]:
        """Returns all slices of the step."""
        return [*self.reads, *self.writes, *(a for a, _ in self.scratch)]


@dataclass(eq=False)
class Branch:
    """A thunk that runs one of several sequences."""

    sequences: list[Sequence]


@dataclass(eq=False)
class Loop:
    """A thunk that repeats: condition, then body, as long as the condition holds. If counted, the condition may not run."""

    condition: Sequence
    body: Sequence
    counted: bool


Sequence = list[Union[Step, Branch, Loop]]


@dataclass(eq=False)
class Executable:
    """What a serialised executable has: head, and the message after it; its heap; its program."""

    head: bytes
    message: Message
    result: Message
    heap: Message  # the allocation
    size: int  # bytes of the heap
    program: Sequence
    steps: list[Step]  # of the whole program, by their points
    kinds: dict[str, int]  # how many thunks there are of each kind

    def dump(self) -> bytes:
        """Returns the executable's bytes."""
        return self.head + self.message.dump()


# How fields hold slices. A slice itself; a message with the slice in field 2, or in field 1.
SLICE, SHAPED, KERNEL = 0, 2, 1

# kind: (its field in a thunk, fields that are read, fields that are written, fields without slices). A path of two
# numbers leads into a message within the thunk.
_Slots = dict[tuple[int, ...], int]
KINDS: dict[str, tuple[int, _Slots, _Slots, tuple[int, ...]]] = {
    "kernel": (11, {(5,): KERNEL}, {(6,): KERNEL}, (1, 2, 3, 4)),
    "copy": (12, {(1,): SHAPED}, {(2,): SHAPED}, ()),
    "dot": (7, {(2,): SHAPED, (3,): SHAPED}, {(4,): SHAPED}, (1,)),
    "convolution": (17, {(4,): SHAPED, (5,): SHAPED}, {(6,): SHAPED}, (1, 2, 3, 7)),
    "ynn-fusion": (21, {(3,): SHAPED}, {(4,): SHAPED}, (1, 2)),
    "sort": (5, {(5,): SHAPED}, {(5,): SHAPED}, (1, 2, 3, 4)),
    "topk": (9, {(4,): SLICE}, {(5,): SLICE, (6,): SLICE}, (1, 2, 3)),
    "fft": (13, {(4,): SHAPED}, {(5,): SHAPED}, (1, 2, 3)),
    "rng-get-and-update-state": (8, {}, {(2,): SLICE}, (1,)),
    "partition-id": (19, {}, {(1,): SLICE}, ()),
    "replica-id": (20, {}, {(1,): SLICE}, ()),
    "custom-call": (16, {(4, 1): SHAPED}, {(4, 2): SHAPED}, (1, 2, 3)),
}
# Thunks that have sequences: field in a thunk, and the fields that are known.
CALL, CONDITIONAL, WHILE = 3, 4, 10


def read(data: bytes) -> Executable:
    """Reads a serialised executable, as the client of JAX serialises it."""
    try:
        length, i = number(data, 0)
    except ValueError as err:
        raise InputError(f"executable: {err}") from None
    if length > len(data) - i:
        raise InputError(f"executable: its head has {length} bytes, of {len(data)} in all")
    head = Message(data[i : i + length], "executable, head")
    if head.text(2, "runtime") != "pjrt_ifrt":
        raise Refused(f"executable: it is made by the runtime {head.text(2, 'runtime')!r}, not by 'pjrt_ifrt'")
    if head.integer(1, "version") != FORMAT:
        raise Refused(f"executable: its format has the version {head.integer(1, 'version')}; stowage.jax knows {FORMAT}, that of jaxlib {', '.join(VERSIONS)}")
    message = Message(data[i + length :], "executable")
    result = message.only(1, "serialized_executable")
    assignment = result.only(2, "buffer_assignment")
    heaps = []
    for a in assignment.opened(3, "buffer_allocation"):
        # Parameters (5), what may outlive the program (7), constants (12) and thread-local memory (3)
        # are not XLA's to place. What remains is the heap.
        if not any(a.integer(n, "flag") for n in (3, 5, 7, 12)):
            heaps.append(a)
    if len(heaps) != 1:
        raise Refused(f"executable: it has {len(heaps)} heaps, not 1" if heaps else "executable: it has no heap: there is nothing to plan")
    heap = heaps[0]
    if heap.integer(8, "color"):
        raise Refused(f"executable: its heap is in memory of color {heap.integer(8, 'color')}, not 0")
    calls = {name for name, opcode in instructions(result).values() if opcode == "call"}
    reader = _Reader(heap.integer(1, "index"), heap.integer(2, "size"), calls)
    program = reader.sequence(result.only(6, "thunk_sequence"), "thunks")
    e = Executable(data[: i + length], message, result, heap, reader.size, program, reader.steps, reader.kinds)
    if e.dump() != data:
        raise Refused("executable: written again unchanged, it has other bytes: its encoding is not the usual one")
    return e


class _Reader:
    """Reads thunks; points are counted over the whole program."""

    def __init__(self, index: int, size: int, calls: set[str]) -> None:
        self.index, self.size, self.calls = index, size, calls
        self.steps: list[Step] = []
        self.kinds: dict[str, int] = {}

    def sequence(self, message: Message, where: str) -> Sequence:
        out: Sequence = []
        _known(message, where, "a sequence", (1, 2))
        for k, thunk in enumerate(message.opened(1, "thunk")):
            self.thunk(thunk, f"{where}[{k}]", out)
        return out

    def thunk(self, message: Message, where: str, out: Sequence) -> None:
        kind = message.text(1, "kind")
        name = message.only(2, "info").text(1, "op_name")
        where = f"{where} ({kind} {name})"
        message.where = where
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == "call":
            inside = self.inside(message, CALL, kind, (1,))
            out.extend(self.sequence(inside.only(1, "called_sequence"), where))
        elif kind == "conditional":
            inside = self.inside(message, CONDITIONAL, kind, (1, 2))
            step = self.step(name)
            step.reads += self.accesses(inside, (2,), SLICE)
            sequences = [self.sequence(s, f"{where}, branch {k}") for k, s in enumerate(inside.opened(1, "branch_sequences"))]
            if not sequences:
                raise InputError(f"{where}: it has no branches")
            out += [step, Branch(sequences)]
        elif kind == "while":
            inside = self.inside(message, WHILE, kind, (1, 2, 3, 4))
            condition = self.sequence(inside.only(1, "cond_sequence"), f"{where}, condition")
            step = self.step(name)
            step.reads += self.accesses(inside, (4,), SLICE)
            condition.append(step)
            body = self.sequence(inside.only(2, "body_sequence"), f"{where}, body")
            counts = inside.opened(3, "trip_count")
            out.append(Loop(condition, body, any(c.integer(2, "contains_value") for c in counts)))
        elif kind in KINDS:
            at, reads, writes, others = KINDS[kind]
            paths = [*reads, *writes]
            inside = self.inside(message, at, kind, (*(p[0] for p in paths), *others))
            step = self.step(name)
            step.call = kind == "kernel" and name in self.calls
            slices: dict[tuple[int, ...], list[Access]] = {}  # what is read and written is one Access
            for slots, to in ((reads, step.reads), (writes, step.writes)):
                for path, form in slots.items():
                    if path not in slices:
                        slices[path] = self.accesses(inside, path, form)
                    to += slices[path]
            out.append(step)
        else:
            raise Refused(f"{where}: stowage.jax does not know thunks of the kind {kind!r}")

    def inside(self, message: Message, at: int, kind: str, known: tuple[int, ...]) -> Message:
        """Returns what a thunk is, after a look whether all its fields are known."""
        _known(message, message.where, "a thunk", (1, 2, at))
        inside = message.only(at, kind)
        inside.where = message.where
        _known(inside, message.where, f"a thunk of the kind {kind!r}", known)
        return inside

    def step(self, name: str) -> Step:
        self.steps.append(Step(len(self.steps), name))
        return self.steps[-1]

    def accesses(self, message: Message, path: tuple[int, ...], form: int) -> list[Access]:
        """Returns the slices of the heap in a field."""
        if len(path) > 1:
            return [a for m in message.opened(path[0], "buffers") for a in self.accesses(m, path[1:], form)]
        out = []
        for s in message.opened(path[0], "buffer"):
            if form != SLICE:
                found = s.opened(form, "slice")
                if len(found) > 1:
                    raise InputError(f"{message.where}: a buffer has {len(found)} slices")
                if not found:
                    continue
                s = found[0]
            _known(s, message.where, "a slice", (1, 2, 3, 4))
            if s.integer(3, "index") != self.index:
                continue
            lower, size = s.integer(1, "offset"), s.integer(2, "size")
            if lower + size > self.size:
                raise InputError(f"{message.where}: its slice at {lower} has {size} bytes, and the heap {self.size}")
            out.append(Access(s, lower, lower + size))
        return out


def _known(message: Message, where: str, what: str, known: tuple[int, ...]) -> None:
    for f, _, _ in message.fields:
        if f not in known:
            raise Refused(f"{where}: stowage.jax does not know field {f} of {what}")


def instructions(result: Message) -> dict[int, tuple[str, str]]:
    """Returns the module's instructions by their ids: (name, opcode)."""
    out: dict[int, tuple[str, str]] = {}
    for module in result.only(1, "hlo_module").opened(1, "hlo_module"):
        for computation in module.opened(3, "computations"):
            for x in computation.opened(2, "instructions"):
                out[x.integer(35, "id")] = (x.text(1, "name"), x.text(2, "opcode"))
    return out

"""The problem to plan: columns of numbers.

Idea: the library reads contiguous int64 arrays without copying them: arrays of numpy and
of the module array, and views of them. Every other column is copied into such an array.
numpy is never imported here: its arrays tell their address by their interface.

Invariant: a Problem keeps its columns alive and in their place, because the library has
their addresses. So a column cannot be replaced, and an array of the module array cannot
grow while a Problem has it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from math import prod
from typing import Any, NamedTuple, Optional, Protocol, SupportsIndex, SupportsInt, Union

from . import _units
from ._errors import InputError, warn
from ._rules import Allowed, Lists, Name, Pairs, Pool, Rules, Triples, clocks_of
from ._times import AMBIGUOUS, checked, inclusive, scaled, tell_ends, tell_scale, written, wrong
from ._units import Size

NONE = -1  # in a column: this buffer has no such value
ANY = 1  # the alignment of a buffer that may have any offset
_INT64 = "<i8" if sys.byteorder == "little" else ">i8"

#: Gaps of one buffer: each (lower, upper) or (lower, upper, window_lower, window_upper);
#: or a text as CSV files have it, "2-6 8-9@0:16".
Gaps = Union[str, Sequence[Sequence[int]]]

#: A column of whole numbers: a list, an array, a column of a table.
Column = Iterable[SupportsInt]

#: A column of times: whole numbers, or for each buffer a sequence of clocks.
Times = Union[Column, Iterable[Iterable[SupportsInt]]]

#: A column of sizes: whole numbers, or texts such as "2KiB".
Sizes = Iterable[Union[SupportsInt, str]]

#: A column of sizes that some buffers do not have: None for those.
Holes = Iterable[Union[SupportsInt, str, None]]


class Frame(Protocol):
    """A table with named columns: a DataFrame of pandas or polars, a table of pyarrow."""

    @property
    def columns(self) -> Iterable[object]: ...


class Values(Protocol):
    """A column of a Problem, or the offsets of a plan, for reading."""

    def __len__(self) -> int: ...
    def __getitem__(self, i: int, /) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __contains__(self, x: object, /) -> bool: ...
    def tolist(self) -> list[int]: ...


#: What Problem.of takes.
Buffers = Union["Problem", Mapping[str, Iterable[object]], Frame, Iterable[Union["Buffer", Mapping[str, object], Sequence[object]]]]


class Buffer(NamedTuple):
    """One block of memory, live from lower up to, but not including, upper."""

    lower: int
    upper: int
    size: int
    alignment: int = 1
    offset: Optional[int] = None  #: its fixed offset: the buffer may be nowhere else
    hint: Optional[int] = None  #: an offset to try first; the plan need not follow it
    gaps: Gaps = ()  #: times within its life at which it uses no space, or only a part
    id: Optional[str] = None  #: its name; without one, its number


def _of(k: int, doc: str) -> Any:
    """Returns a property that is a column of a Problem."""
    return property(lambda p: p._columns[k], doc=doc)


class Problem:
    """Buffers as columns, and a capacity if there is one.

    lower, upper, size and alignment are columns of whole numbers; contiguous int64 arrays
    are used without copying. A size, an alignment, an offset or a hint may also be a text
    with a unit, such as "2KiB". offset and hint have None (in an array: -1) for a buffer
    without one. gaps has a sequence, or a text, for each buffer. The columns of a Problem
    cannot be replaced.

    The other keywords are rules, which solve explains. If lower and upper have a sequence of
    numbers for each buffer, or are arrays of two dimensions, these are clocks; the properties lower
    and upper are then their sums.
    """

    __slots__ = ("_capacity", "_columns", "_numpy", "_own_plan", "_source", "at", "count", "gaps", "name", "names", "rules", "scale")

    at: tuple[int, ...]  #: where the columns are
    count: int
    gaps: Optional[_Gaps]
    name: str
    names: Optional[list[str]]
    rules: Optional[Rules]  #: pools and whatever else the problem has; None for one strip of bytes
    scale: int  #: what times with fractions were multiplied by; 1 if they are whole numbers

    def __init__(
        self,
        # generated: Problem
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
        extents: Optional[Iterable[Optional[Iterable[SupportsInt]]]] = None, capacity: Size = 0, name: str = "",
        # end of Problem
    ) -> None:  # fmt: skip
        starts = ends = None
        if type(lower) is not list or not lower or type(lower[0]) is not int:  # a look costs a microsecond
            starts, ends = clocks_of("lower", lower), clocks_of("upper", upper)
        if starts is not None or ends is not None:  # their sums, which the planner does not read, stand for them
            if starts is None or ends is None or starts[0] != ends[0]:
                raise InputError(f"lower and upper have {starts[0] if starts else 0} and {ends[0] if ends else 0} clocks")
            lower, upper = ([sum(times[k : k + threads]) for k in range(0, len(times), threads)] for threads, times in (starts, ends))
        self.scale = 1
        try:
            lowers, a, n = _column("lower", lower)
            uppers, b, m = _column("upper", upper)
            gaps = None if gaps is None else list(gaps)
            made = None if gaps is None else _Gaps(gaps)
        except InputError as err:
            lower, upper, gaps, evictions, period = self._whole(lower, upper, gaps, evictions, period, distances, err)
            lowers, a, n = _column("lower", lower)
            uppers, b, m = _column("upper", upper)
            made = None if gaps is None else _Gaps(gaps)
        sizes, c, k = _column("size", size)
        if not n == m == k:
            raise InputError(f"lower, upper and size have {n}, {m} and {k} values")
        self.count = n
        self._numpy = hasattr(sizes, "__array_interface__")
        self.gaps = self.names = None
        self._own_plan = False  # of a model whose own plan lets tensors share bytes
        self._source = ""  # the path of the file that it was read from
        alignments = offsets = hints = None
        d = e = f = 0
        if alignment is not None:
            one = isinstance(alignment, str) or hasattr(alignment, "__index__") and not getattr(alignment, "shape", ())
            alignments, d, k = _column("alignment", [alignment] * n if one else alignment, ANY)
            _count("alignment", k, n)
        if offset is not None:
            offsets, e, k = _column("offset", offset, NONE)
            _count("offset", k, n)
        if hint is not None:
            hints, f, k = _column("hint", hint, NONE)
            _count("hint", k, n)
        if made is not None:
            self.gaps = made
            _count("gaps", self.gaps.count, n)
        if names is not None:
            self.names = _names(names, n)
        self.rules = None
        if (
            starts is not None and ends is not None or pools is not None or allowed is not None or costs is not None or together is not None
            or apart is not None or may_overlap is not None or distances is not None or penalties is not None or period is not None
            or evictions is not None or objective is not None or different_pools is not None or same_pool is not None
            or lockstep is not None or kinds is not None or alternatives is not None or groups is not None or spans is not None
            or extents is not None
        ):  # fmt: skip
            ruled = {
                "pools": pools, "allowed": allowed, "costs": costs, "together": together, "apart": apart, "may_overlap": may_overlap,
                "distances": distances, "penalties": penalties, "period": period, "evictions": evictions, "objective": objective,
                "different_pools": different_pools, "same_pool": same_pool, "lockstep": lockstep, "kinds": kinds, "alternatives": alternatives,
                "groups": groups, "spans": spans, "extents": extents,
            }  # fmt: skip
            self.rules = Rules(n, self.names, ruled, (starts, ends) if starts is not None and ends is not None else None) or None
            if self.rules is not None and extents is not None:
                sizes, c, k = _column("size", [prod(x) if x else y for x, y in zip(self.rules.extents, sizes)])
        self._capacity, self.name = _units.size("capacity", capacity) if capacity else 0, name
        self._columns: tuple[Any, ...] = (lowers, uppers, sizes, alignments, offsets, hints)
        self.at = (a, b, c, d, e, f)

    def _whole(self, lower: Any, upper: Any, gaps: Any, evictions: Any, period: Any, distances: Any, err: InputError) -> Any:
        """Returns times that have fractions as whole numbers; raises err if that is not what is wrong."""
        for x in (lower, upper):
            if not isinstance(x, Iterable) or isinstance(x, (str, bytes, Set, Mapping)) or getattr(x, "ndim", 1) != 1 or getattr(x, "mask", None) is not None:
                raise err
        made = scaled(lower, upper, gaps, evictions, period)
        if made is None or made[5] == 1:
            raise wrong(lower=lower, upper=upper) or err
        if distances is not None:
            raise InputError("distances count time slots, so times must be whole numbers")
        self.scale = made[5]
        tell_scale(self.scale)
        return made[:5]

    @property
    def capacity(self) -> int:
        """The number of bytes to fit into; 0 if there is none."""
        return self._capacity

    lower: Values = _of(0, "The first time at which each buffer is live.")
    upper: Values = _of(1, "The first time at which each buffer is no longer live.")
    size: Values = _of(2, "The size of each buffer in bytes.")
    alignment: Optional[Values] = _of(3, "The offset of each buffer is a multiple of this; None if every offset will do.")
    offset: Optional[Values] = _of(4, "The fixed offset of each buffer, -1 for a buffer without one; None if no buffer has one.")
    hint: Optional[Values] = _of(5, "The offset to try first for each buffer, -1 for a buffer without one; None if no buffer has one.")

    @classmethod
    def of(cls, source: Buffers, *, ends: Optional[str] = None) -> Problem:
        """Makes a problem of a table with the columns of a CSV file (a DataFrame or a
        dict), or of buffers: each a Buffer, a dict of its fields, or a tuple that begins
        with lower, upper, size. A Problem is returned as it is.

        ends says whether the ends in a column end, stop, last, until or to are "inclusive" or
        "half-open". Without it, end is read as inclusive, with an EndsWarning. upper is half-open."""
        checked(ends)
        if isinstance(source, Problem):
            return source
        if isinstance(source, Mapping) or hasattr(source, "columns") or getattr(getattr(source, "dtype", None), "names", None):
            return _of_table(source, ends)
        return _of_buffers(source, ends)

    def __len__(self) -> int:
        return self.count

    def __reduce__(self) -> Any:
        """Pickles the columns without their addresses, which another process does not share."""
        gaps = None if self.gaps is None else [self.gaps.of(i) for i in range(self.count)]
        columns = (_plain(column) for column in self._columns)
        rules = self.rules
        if rules is None:
            return _again, (*columns, gaps, self.names, self.capacity, self.name, {}, self._own_plan, self.scale)
        lower, upper, *others = columns
        if (clocks := rules.clocks) is not None:
            lower, upper = clocks
        return _again, (lower, upper, *others, gaps, self.names, self.capacity, self.name, rules._given(), self._own_plan, self.scale)

    def __repr__(self) -> str:
        capacity = f", capacity {self.capacity}" if self.capacity else ""
        return f"<stowage.Problem of {counted(self.count)}{capacity}>"

    def buffer(self, i: int) -> Buffer:
        """Returns a buffer by its number."""

        def at(column: Optional[Values]) -> Optional[int]:
            return None if column is None or column[i] == NONE else int(column[i])

        return Buffer(
            int(self.lower[i]),
            int(self.upper[i]),
            int(self.size[i]),
            1 if self.alignment is None else int(self.alignment[i]) or 1,  # 0 means any offset too
            at(self.offset),
            at(self.hint),
            () if self.gaps is None else self.gaps.of(i),
            str(i) if self.names is None else self.names[i],
        )

    def pinned(self) -> bool:
        """Returns whether every buffer has a fixed offset, so that nothing is left to plan."""
        return self.count > 0 and self.offset is not None and NONE not in self.offset

    def unpinned(self) -> Problem:
        """Returns the problem without its fixed offsets."""
        q = self._copy()
        q._columns, q.at = (*self._columns[:4], None, self._columns[5]), (*self.at[:4], 0, self.at[5])
        return q

    def _copy(self) -> Problem:
        q = Problem.__new__(Problem)
        for slot in Problem.__slots__:
            setattr(q, slot, getattr(self, slot))
        return q

    def _room(self) -> tuple[Any, int]:
        """Returns an array for offsets, of the same kind as the sizes, and its address."""
        if self._numpy:
            offsets = sys.modules["numpy"].empty(self.count, "int64")
            return offsets, offsets.__array_interface__["data"][0]
        offsets = array("q", bytes(8 * self.count))
        return offsets, offsets.buffer_info()[0]

    def _given(self, offsets: Any) -> Any:
        """Returns offsets for the caller: a numpy array if the sizes are one, else a list."""
        if self._numpy:
            return offsets if hasattr(offsets, "__array_interface__") else sys.modules["numpy"].asarray(offsets, "int64")
        return list(offsets)

    def as_dict(self) -> dict[str, object]:
        """Returns the content of a JSON file of this problem."""
        return self._dict()

    def _written(self) -> Callable[[Any], Any]:
        """Returns how times are written: as they were before they were multiplied, if floats have the digits for that and
        no rule has times too."""
        scale = self.scale
        if scale == 1 or self.rules is not None or any(abs(x) >= 10**15 for x in (*self.lower, *self.upper)):
            return lambda n: n
        return lambda n: written(n, scale)

    def _dict(self) -> dict[str, Any]:
        d: dict[str, Any] = {"version": 1}
        if self.name:
            d["name"] = self.name
        if self.capacity:
            d["capacity"] = self.capacity
        d["buffers"] = buffers = []
        time = self._written()
        for i in range(self.count):
            b = self.buffer(i)
            entry: dict[str, Any] = {"id": b.id, "lower": time(b.lower), "upper": time(b.upper), "size": b.size}
            if b.alignment != 1:
                entry["alignment"] = b.alignment
            if b.gaps:
                entry["gaps"] = [
                    {"lower": time(int(g[0])), "upper": time(int(g[1])), **({"window": list(g[2:])} if len(g) > 2 else {})} for g in b.gaps
                ]
            if b.offset is not None:
                entry["offset"] = b.offset
            if b.hint is not None:
                entry["hint"] = b.hint
            buffers.append(entry)
        if self.rules is not None:
            self.rules._into(d, [entry["id"] for entry in buffers])
        return d


def _again(lower: Any, upper: Any, size: Any, alignment: Any, offset: Any, hint: Any, gaps: Any, names: Any, capacity: int, name: str, rules: Mapping[str, Any] = {}, own_plan: bool = False, scale: int = 1) -> Problem:
    problem = Problem(lower, upper, size, alignment, offset=offset, hint=hint, gaps=gaps, names=names, capacity=capacity, name=name, **rules)
    problem._own_plan, problem.scale = own_plan, scale
    return problem


class _Gaps:
    """Gaps as the library reads them: those of all buffers, one after another."""

    def __init__(self, gaps: Iterable[Optional[Gaps]]) -> None:
        self.first: array[int] = array("q", [0])
        self.columns: tuple[array[int], ...] = tuple(array("q") for _ in range(4))
        for i, of_one in enumerate(gaps):
            if isinstance(of_one, str):
                of_one = _gaps_of_cell(of_one)
            elif of_one is not None and not isinstance(of_one, Iterable):
                raise InputError(f"gaps of buffer {i}: {of_one!r} is no sequence of gaps")
            for gap in of_one or ():
                if not isinstance(gap, Sequence) or isinstance(gap, str) or len(gap) not in (2, 4):
                    raise InputError(f"gaps of buffer {i}: {gap!r} is neither (lower, upper) nor (lower, upper, window_lower, window_upper)")
                if len(gap) == 4 and gap[2] == NONE:
                    raise InputError(f"gaps of buffer {i}: {gap!r} has a window that begins below 0")
                for to, x in zip(self.columns, (*gap, NONE, NONE)):
                    to.append(_units.number("gaps", x, False))
            self.first.append(len(self.columns[0]))
        self.count: int = len(self.first) - 1
        self.at: tuple[int, ...] = tuple(column.buffer_info()[0] for column in (self.first, *self.columns))

    def of(self, i: int) -> Gaps:
        return self.rows(i)

    def rows(self, i: int) -> list[tuple[int, ...]]:
        """Returns the gaps of a buffer: pairs, or four numbers if a part stays in use."""
        rows = zip(*(column[self.first[i] : self.first[i + 1]] for column in self.columns))
        return [row[:2] if row[2] == NONE else row for row in rows]


def _count(name: str, have: int, want: int) -> None:
    if have != want:
        raise InputError(f"{name}: there are {have} values for {counted(want)}")


def counted(n: int, thing: str = "buffer") -> str:
    """Returns a number with its noun: 1 buffer, 2,000 buffers."""
    return f"{n} {thing}" if n == 1 else f"{n:,} {thing}s"


def _names(names: Iterable[Any], n: int) -> list[str]:
    texts = [x if type(x) is str else "" if _is_hole(x) else str(x) for x in names]
    _count("names", len(texts), n)
    if len(set(texts)) < n or "" in texts:
        seen: set[str] = set()
        for i, text in enumerate(texts):
            if not text or text in seen:
                raise InputError(f"names: {text!r} of buffer {i} is {'there already' if text else 'empty'}: they must be distinct and not empty")
            seen.add(text)
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        bad = next(text for text in texts if any("\ud800" <= c <= "\udfff" for c in text))
        raise InputError(f"names: {bad!r} is not text") from None
    return texts


def _plain(column: Any) -> Any:
    """Returns a column in a form that can be pickled."""
    return column.obj if type(column) is memoryview and type(column.obj) is array else column


# The columns whose values may be texts with a unit, as in a CSV file.
_BYTES = ("size", "alignment", "offset", "hint")


def _column(name: str, values: Any, otherwise: Optional[int] = None) -> tuple[Any, int, int]:
    """Returns a column as contiguous int64, its address, and how many values it has.
    otherwise is the value of a hole (None, NaN); if it is None there must be no hole."""
    if type(values) is list:  # the most common kind, so it comes first
        return _of_list(name, values, otherwise)
    if type(values) is array and values.typecode == "q":
        return _fixed(values)
    interface = getattr(values, "__array_interface__", None)
    if interface is None and (frame := getattr(values, "to_numpy", None)) is not None:  # a column of a frame
        values = frame()
        interface = getattr(values, "__array_interface__", None)
    if interface is not None:
        shape = interface["shape"]
        if interface["typestr"] == _INT64 and interface.get("strides") is None and len(shape) == 1 and not hasattr(values, "mask"):
            return values, interface["data"][0], shape[0]
        return _of_array(name, values, otherwise)
    if type(values) is memoryview and values.format in ("q", "l", "<q") and values.itemsize == 8 and values.contiguous and values.ndim == 1:
        if not values.readonly:
            return values, ctypes.addressof(ctypes.c_char.from_buffer(values)) if len(values) else 0, len(values)
        column = array("q")
        column.frombytes(values.cast("B"))
        return _fixed(column)
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, Set, Mapping)):  # a set has no order
        raise InputError(f"{name} is None, must be a column: a whole number for each buffer" if values is None else f"{name}: {values!r} is no sequence of whole numbers")
    if type(values) is memoryview and values.ndim != 1:
        raise InputError(f"{name}: the array has {values.ndim} dimensions, not one")
    return _of_list(name, list(values), otherwise)


def _of_list(name: str, values: list[Any], otherwise: Optional[int]) -> tuple[Any, int, int]:
    if otherwise is not None:
        values = [otherwise if _is_hole(x) else x for x in values]
    try:
        column = array("q", values)
    except (TypeError, OverflowError):
        text = name in _BYTES
        column = array("q", [_units.number(f"{name} of buffer {i}", x, text) for i, x in enumerate(values)])
    return _fixed(column)


def _fixed(column: "array[int]") -> tuple[Any, int, int]:
    """Returns a view of an array. While there is a view, the array cannot grow and so
    cannot move."""
    return memoryview(column), *column.buffer_info()


def _is_hole(x: Any) -> bool:
    """Returns whether x is a hole of a table: None, NaN, an empty text, or pandas' NA,
    which cannot be compared."""
    return x is None or type(x).__name__ == "NAType" or (not x.strip(" \t") if isinstance(x, str) else bool(x != x))


def _of_array(name: str, values: Any, otherwise: Optional[int]) -> tuple[Any, int, int]:
    """Copies a numpy array that is not contiguous int64, if its values are whole numbers."""
    numpy = sys.modules["numpy"]
    if getattr(values, "mask", None) is not None and numpy.any(values.mask):
        raise InputError(f"{name}: some values of the array are masked")
    values = numpy.asarray(values)
    if values.ndim != 1:
        raise InputError(f"{name}: the array has {values.ndim} dimensions, not one")
    if values.dtype.kind not in "iu":
        # Floats that are whole, NaN, objects.
        values = numpy.array(_column(name, values.tolist(), otherwise)[0], "int64")
    if values.dtype.kind == "u" and len(values) and int(values.max()) > 2**63 - 1:
        raise InputError(f"{name}: {int(values.max())} does not fit into 64 bits with a sign")
    values = numpy.ascontiguousarray(values, "int64")
    return values, values.__array_interface__["data"][0], len(values)


# The names of columns, as in CSV files. end is inclusive. A test of format/csv compares
# them with those that it reads.
COLUMNS = {
    "id": ("id", "buffer", "buffer_id"),
    "lower": ("lower", "start", "begin"),
    "upper": ("upper", "end"),
    "size": ("size",),
    "alignment": ("alignment",),
    "gaps": ("gaps",),
    "offset": ("offset",),
    "hint": ("hint",),
}


# Names that mean a column only if the table has none of the names above for it: a table may
# have an id and, beside it, a name that is something else.
SECOND_NAMES = {"name": "id", "bytes": "size"}

# Names of columns in other parts of Stowage and in other tools.
ELSEWHERE = {"align": "alignment", "fixed": "offset"}


def _meant(name: str, there: Mapping[str, Any]) -> str:
    """Returns the column that an unknown name most likely means, or "". The rule is that
    of format/csv/header.go, which says why; a test compares the two."""
    for column, names in COLUMNS.items():
        for want in names:
            if _one_slip(name, want) and (len(name) >= 3 and len(want) >= 4 or column not in there):
                return want
    column = ELSEWHERE.get(name, "")
    return "" if column in there else column


def _one_slip(a: str, b: str) -> bool:
    """Returns whether two words differ by one letter: added, left out, changed, or swapped
    with its neighbour."""
    if len(a) > len(b):
        a, b = b, a
    i = len(os.path.commonprefix((a, b)))
    if len(a) == len(b):
        return a[i + 1 :] == b[i + 1 :] or a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :]
    return len(a) + 1 == len(b) and a[i:] == b[i + 1 :]


def _found(there: list[Any], ends: Optional[str] = None) -> dict[str, Any]:
    """Returns, for each column that Stowage knows, the name that the table has for it."""
    found: dict[str, Any] = {}
    others: dict[str, Any] = {}
    known = {name: column for column, names in COLUMNS.items() for name in names}
    for name in there:
        word = str(name).strip().lower()
        column = known.get(word)
        if column in found:
            raise InputError(f"the table has the columns {found[column]} and {name}, which mean the same")
        if column is None:
            others[word] = name
        else:
            found[column] = name
    for word in [word for word in others if word in SECOND_NAMES and SECOND_NAMES[word] not in found]:
        found[SECOND_NAMES[word]] = others.pop(word)
    for word in [word for word in others if word in AMBIGUOUS]:
        if "upper" not in found:
            inclusive(others[word], ends)  # raises an error if nothing is said of it
            found["upper"] = others.pop(word)
    for word, name in others.items():
        if want := _meant(word, found):
            raise InputError(f"the table has a column {name}, which is not a known one: did you mean {want}?")
    if others:
        warn("columns with no meaning to Stowage are left aside: " + ", ".join(str(name) for name in others.values()))
    return found


def _of_table(table: Any, ends: Optional[str] = None) -> Problem:
    # Each kind has its names in another place: a dict, a DataFrame, a table of pyarrow,
    # a structured array.
    if isinstance(table, Mapping):
        there = list(table.keys())
    elif hasattr(table, "columns"):
        there = list(getattr(table, "column_names", table.columns))
    else:
        there = list(table.dtype.names)
    has = _found(there, ends)
    found: dict[str, Any] = {column: table[has[column]] if column in has else None for column in COLUMNS}
    index = getattr(table, "index", None)  # of a DataFrame: set_index("id")
    if found["id"] is None and not callable(index) and getattr(index, "name", None) in (*COLUMNS["id"], "name"):
        found["id"] = index
    missing = [column for column in ("lower", "upper", "size") if found[column] is None]
    if missing:
        raise InputError(f"the table has no column {' and no '.join(missing)}; it has {', '.join(map(str, there))}")
    lower, upper, gaps, scale = found["lower"], found["upper"], found["gaps"], 1
    last = inclusive(has["upper"], ends)
    if gaps is not None:
        gaps = [_gaps_of_cell(cell) for cell in gaps]  # not yet multiplied
    uppers: Any
    try:
        _column("lower", lower)
        uppers, _, _ = _column(str(has["upper"]), upper)
    except InputError as err:
        made = scaled(lower, upper, gaps)
        if made is None or made[5] == 1:
            raise wrong(lower=lower, **{str(has["upper"]): upper}) or err from None
        lower, uppers, gaps, _, _, scale = made
        tell_scale(scale)
    if last:
        if ends is None:
            tell_ends(has["upper"], next((str(i) for i, (x, y) in enumerate(zip(lower, uppers)) if x == y), None))
        uppers = uppers + 1 if hasattr(uppers, "__array_interface__") else [x + 1 for x in uppers]
        if gaps is not None:  # texts end as lifespans do, and sequences as those of a Buffer
            gaps = [[[gap[0], gap[1] + 1, *gap[2:]] for gap in of_one] if isinstance(cell, str) else of_one for cell, of_one in zip(found["gaps"], gaps)]
    problem = Problem(
        lower, uppers if last or scale > 1 else upper, found["size"], found["alignment"],
        offset=found["offset"], hint=found["hint"], gaps=gaps, names=found["id"],
    )  # fmt: skip
    problem.scale = max(scale, problem.scale)
    return problem


def _gaps_of_cell(cell: Any) -> Any:
    """Returns the gaps of a cell, which is a text as in a CSV file, or a sequence."""
    if cell is None or isinstance(cell, float):
        return ()
    return _units.gaps(cell) if isinstance(cell, str) else cell


def _of_records(rows: list[Any], ends: Optional[str]) -> Problem:
    """Returns the problem of dicts with the names of columns: a table, row by row."""
    has = _found(list({key: None for row in rows for key in row}), ends)
    if unknown := {key for row in rows for key in row} - set(has.values()):
        raise InputError(f"buffer {next(i for i, row in enumerate(rows) if unknown & row.keys())}: {sorted(map(str, unknown))[0]} is no field of a buffer")
    for column in ("lower", "upper", "size"):
        if column not in has:
            raise InputError(f"the buffers have no {column}")
        for i, row in enumerate(rows):
            if has[column] not in row:
                raise InputError(f"buffer {i}: it has no {has[column]}")
    table = {name: [row.get(name) for row in rows] for name in has.values()}
    if "id" in has:
        table[has["id"]] = [str(i) if x is None else x for i, x in enumerate(table[has["id"]])]
    return _of_table(table, ends)


def _of_buffers(source: Any, ends: Optional[str]) -> Problem:
    if isinstance(source, (str, os.PathLike)):
        raise InputError(f"{os.fspath(source)!r} is a path; stowage.load reads the problem of a file")
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise InputError(f"{source!r} is neither a problem, a table, buffers, nor the path of a file")
    buffers = []
    source = list(source)
    if source and all(isinstance(b, Mapping) for b in source) and any(b.keys() - set(Buffer._fields) for b in source):
        return _of_records(source, ends)
    for i, b in enumerate(source):
        try:
            buffers.append(b if isinstance(b, Buffer) else Buffer(**b) if isinstance(b, Mapping) else Buffer(*b))
        except TypeError as err:
            raise InputError(f"buffer {i}: {b!r} is no buffer: {err}") from err
    columns = list(zip(*buffers)) or [()] * len(Buffer._fields)
    lower, upper, size, alignment, offset, hint, gaps, names = columns
    return Problem(
        lower, upper, size, alignment,
        offset=offset if any(x is not None for x in offset) else None,
        hint=hint if any(x is not None for x in hint) else None,
        gaps=gaps if any(gaps) else None,
        names=[str(i) if x is None else x for i, x in enumerate(names)] if any(x is not None for x in names) else None,
    )  # fmt: skip

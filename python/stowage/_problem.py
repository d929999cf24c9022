"""What there is to plan: columns of numbers.

Idea: the library reads columns of int64 where they are. An array that is one already
(of numpy, of the module array, or a view of either) is used as it is, without a copy;
all else is made into one. numpy is never imported here: what has its interface says
where its numbers are.

Invariant: a Problem keeps alive, and where it is, what its addresses lead to: its columns
cannot be set, and an array of the module array that it has cannot grow.
"""

from __future__ import annotations

import ctypes
import os
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple, Optional, Union

from ._errors import InputError, warn

NONE = -1  # in a column: it does not apply to this buffer
ANY = 1  # the alignment of a buffer that may be anywhere
_INT64 = "<i8" if sys.byteorder == "little" else ">i8"

#: Gaps of one buffer: each (lower, upper) or (lower, upper, window_lower, window_upper);
#: or a text as CSV files have it, "2-6 8-9@0:16".
Gaps = Union[str, Sequence[Sequence[int]]]


class Buffer(NamedTuple):
    """One block of memory, live from lower up to, but not including, upper."""

    lower: int
    upper: int
    size: int
    alignment: int = 1
    offset: Optional[int] = None  #: the only offset that it may have
    hint: Optional[int] = None  #: where it may be tried first; binds nobody
    gaps: Gaps = ()  #: times within its life at which it uses no space, or a window
    id: Optional[str] = None  #: its name; its number where that is None


class Problem:
    """Buffers, as columns, and maybe a capacity.

    lower, upper, size and alignment are sequences of whole numbers; numpy's int64 is
    taken as it is. offset and hint have None (or, in an array, -1) for the buffers to
    which they do not apply. gaps has a sequence, or a text, for each buffer. The columns
    cannot be set to others.
    """

    __slots__ = ("_capacity", "_columns", "_numpy", "at", "count", "gaps", "name", "names")

    at: tuple[int, ...]  #: where the columns are
    count: int
    gaps: Optional[_Gaps]
    name: str
    names: Optional[list[str]]

    def __init__(
        self,
        lower: Any,
        upper: Any,
        size: Any,
        alignment: Any = None,
        *,
        offset: Any = None,
        hint: Any = None,
        gaps: Optional[Sequence[Optional[Gaps]]] = None,
        names: Optional[Sequence[str]] = None,
        capacity: int = 0,
        name: str = "",
    ) -> None:
        lower, a, n = _column("lower", lower)
        upper, b, m = _column("upper", upper)
        size, c, k = _column("size", size)
        if not n == m == k:
            raise InputError(f"lower, upper and size have {n}, {m} and {k} values")
        self.count = n
        self._numpy = hasattr(size, "__array_interface__")
        self.gaps = self.names = None
        d = e = f = 0
        if alignment is not None:
            if hasattr(alignment, "__index__") and not getattr(alignment, "shape", ()):
                alignment = [alignment] * n
            alignment, d, k = _column("alignment", alignment, ANY)
            _count("alignment", k, n)
        if offset is not None:
            offset, e, k = _column("offset", offset, NONE)
            _count("offset", k, n)
        if hint is not None:
            hint, f, k = _column("hint", hint, NONE)
            _count("hint", k, n)
        if gaps is not None:
            self.gaps = _Gaps(gaps)
            _count("gaps", self.gaps.count, n)
        if names is not None:
            self.names = _names(names, n)
        self._capacity, self.name = whole("capacity", capacity) if capacity else 0, name
        self._columns = (lower, upper, size, alignment, offset, hint)
        self.at = (a, b, c, d, e, f)

    capacity: Any = property(lambda self: self._capacity)
    lower: Any = property(lambda self: self._columns[0])
    upper: Any = property(lambda self: self._columns[1])
    size: Any = property(lambda self: self._columns[2])
    alignment: Any = property(lambda self: self._columns[3])
    offset: Any = property(lambda self: self._columns[4])
    hint: Any = property(lambda self: self._columns[5])

    @classmethod
    def of(cls, source: Any) -> Problem:
        """Makes a problem of one, of a table with the columns of a CSV file (a DataFrame
        or a dict), or of buffers: Buffer, dicts of its fields, or tuples that begin with
        lower, upper, size."""
        if isinstance(source, Problem):
            return source
        if isinstance(source, Mapping) or hasattr(source, "columns") or getattr(getattr(source, "dtype", None), "names", None):
            return _of_table(source)
        return _of_buffers(source)

    def __len__(self) -> int:
        return self.count

    def __reduce__(self) -> Any:
        """Pickles the columns: where they are is another matter in another process."""
        gaps = None if self.gaps is None else [self.gaps.of(i) for i in range(self.count)]
        columns = (_plain(column) for column in self._columns)
        return _again, (*columns, gaps, self.names, self.capacity, self.name)

    def __repr__(self) -> str:
        capacity = f", capacity {self.capacity}" if self.capacity else ""
        return f"<stowage.Problem of {self.count} buffers{capacity}>"

    def buffer(self, i: int) -> Buffer:
        """Returns a buffer by its number."""

        def at(column: Any) -> Optional[int]:
            return None if column is None or column[i] == NONE else int(column[i])

        return Buffer(
            int(self.lower[i]),
            int(self.upper[i]),
            int(self.size[i]),
            1 if self.alignment is None else int(self.alignment[i]),
            at(self.offset),
            at(self.hint),
            () if self.gaps is None else self.gaps.of(i),
            str(i) if self.names is None else self.names[i],
        )

    def pinned(self) -> bool:
        """Whether every buffer has a fixed offset, so that there is nothing to plan."""
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

    def room(self) -> tuple[Any, int]:
        """Returns an array for offsets, of the kind that the columns are, and where it
        is."""
        if self._numpy:
            offsets = sys.modules["numpy"].empty(self.count, "int64")
            return offsets, offsets.__array_interface__["data"][0]
        offsets = array("q", bytes(8 * self.count))
        return offsets, offsets.buffer_info()[0]

    def given(self, offsets: Any) -> Any:
        """Returns offsets as a caller gets them: of numpy where the columns are."""
        if self._numpy:
            return offsets if hasattr(offsets, "__array_interface__") else sys.modules["numpy"].asarray(offsets, "int64")
        return list(offsets)

    def as_dict(self) -> dict[str, Any]:
        """Returns what a JSON file of this problem has."""
        d: dict[str, Any] = {"version": 1}
        if self.name:
            d["name"] = self.name
        if self.capacity:
            d["capacity"] = self.capacity
        d["buffers"] = buffers = []
        for i in range(self.count):
            b = self.buffer(i)
            entry: dict[str, Any] = {"id": b.id, "lower": b.lower, "upper": b.upper, "size": b.size}
            if b.alignment not in (0, 1):
                entry["alignment"] = b.alignment
            if b.gaps:
                entry["gaps"] = [
                    {"lower": g[0], "upper": g[1], **({"window": list(g[2:])} if len(g) > 2 else {})} for g in b.gaps
                ]
            if b.offset is not None:
                entry["offset"] = b.offset
            if b.hint is not None:
                entry["hint"] = b.hint
            buffers.append(entry)
        return d


def _again(lower: Any, upper: Any, size: Any, alignment: Any, offset: Any, hint: Any, gaps: Any, names: Any, capacity: int, name: str) -> Problem:
    return Problem(lower, upper, size, alignment, offset=offset, hint=hint, gaps=gaps, names=names, capacity=capacity, name=name)


class _Gaps:
    """Gaps as the library has them: those of all buffers in a row."""

    def __init__(self, gaps: Sequence[Optional[Gaps]]) -> None:
        self.first: array[int] = array("q", [0])
        self.columns: tuple[array[int], ...] = tuple(array("q") for _ in range(4))
        for i, of_one in enumerate(gaps):
            if isinstance(of_one, str):
                of_one = _gaps_of_cell(of_one, False)
            elif of_one is not None and not isinstance(of_one, Iterable):
                raise InputError(f"gaps of buffer {i}: {of_one!r} is no sequence of gaps")
            for gap in of_one or ():
                if not isinstance(gap, Sequence) or isinstance(gap, str) or len(gap) not in (2, 4):
                    raise InputError(f"gaps of buffer {i}: {gap!r} is neither (lower, upper) nor (lower, upper, window_lower, window_upper)")
                if len(gap) == 4 and gap[2] == NONE:
                    raise InputError(f"gaps of buffer {i}: {gap!r} has a window that begins below 0")
                for to, x in zip(self.columns, (*gap, NONE, NONE)):
                    to.append(_whole("gaps", x))
            self.first.append(len(self.columns[0]))
        self.count: int = len(self.first) - 1
        self.at: tuple[int, ...] = tuple(column.buffer_info()[0] for column in (self.first, *self.columns))

    def of(self, i: int) -> Gaps:
        rows = zip(*(column[self.first[i] : self.first[i + 1]] for column in self.columns))
        return [row[:2] if row[2] == NONE else row for row in rows]


def _count(name: str, have: int, want: int) -> None:
    if have != want:
        raise InputError(f"{name}: there are {have} values for {want} buffers")


def whole(name: str, x: Any, least: int = 0) -> int:
    """Returns an option that is a whole number of 63 bits, not below the least."""
    if type(x) is not bool and hasattr(x, "__index__") and least <= (n := x.__index__()) < 1 << 63:
        return int(n)
    raise InputError(f"{name} is {x!r}, must be a whole number {'above 0' if least == 1 else 'from 0 on'}, below 2**63")


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
    """Returns a column as it can be pickled."""
    return column.obj if type(column) is memoryview and type(column.obj) is array else column


def _column(name: str, values: Any, otherwise: Optional[int] = None) -> tuple[Any, int, int]:
    """Returns a column as int64 in a row, where it is, and how many values it has.
    otherwise is what holes (None, NaN) are; without it there must be none."""
    if type(values) is list:  # the most common, so that the rest need not be asked
        return _of_list(name, values, otherwise)
    if type(values) is array and values.typecode == "q":
        return _fixed(values)
    interface = getattr(values, "__array_interface__", None)
    if interface is None and hasattr(values, "to_numpy"):  # a column of a frame
        values = values.to_numpy()
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
        raise InputError(f"{name}: {values!r} is no sequence of whole numbers")
    if type(values) is memoryview and values.ndim != 1:
        raise InputError(f"{name}: the array has {values.ndim} dimensions, not one")
    return _of_list(name, list(values), otherwise)


def _of_list(name: str, values: list[Any], otherwise: Optional[int]) -> tuple[Any, int, int]:
    if otherwise is not None:
        values = [otherwise if _is_hole(x) else x for x in values]
    try:
        column = array("q", values)
    except (TypeError, OverflowError):
        column = array("q", [_whole(name, x) for x in values])
    return _fixed(column)


def _fixed(column: "array[int]") -> tuple[Any, int, int]:
    """Returns a view of an array, which cannot grow, and so move, while there is one."""
    return memoryview(column), *column.buffer_info()


def _is_hole(x: Any) -> bool:
    """Whether x stands for nothing: None, NaN, or pandas' NA, which equals nothing and
    says so of nothing."""
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def _of_array(name: str, values: Any, otherwise: Optional[int]) -> tuple[Any, int, int]:
    """Copies an array of numpy's that is not int64 in a row, if it has whole numbers."""
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


def _whole(name: str, x: Any) -> int:
    """Returns x as a whole number: 3.0 is one, as tables have them."""
    try:
        whole = int(x)
        if whole == x and not isinstance(x, str) and -(2**63) <= whole < 2**63:
            return whole
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{name}: {x!r} is no whole number of 64 bits")


# The names of columns, as in CSV files. end is inclusive. A test of format/csv holds them
# against those that it reads.
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


# What other forms of Stowage, and other tools, call a column.
ELSEWHERE = {"align": "alignment", "fixed": "offset"}


def _meant(name: str, there: Mapping[str, Any]) -> str:
    """Returns the name of the column that a name which is none most likely stands for, ""
    for none. The rule, and why, is that of format/csv/header.go: a test holds the two
    together."""
    for column, names in COLUMNS.items():
        for want in names:
            if _one_slip(name, want) and (len(name) >= 3 and len(want) >= 4 or column not in there):
                return want
    column = ELSEWHERE.get(name, "")
    return "" if column in there else column


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter more, less or other, or two that changed places, make one word of
    another."""
    if len(a) > len(b):
        a, b = b, a
    i = len(os.path.commonprefix((a, b)))
    if len(a) == len(b):
        return a[i + 1 :] == b[i + 1 :] or a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :]
    return len(a) + 1 == len(b) and a[i:] == b[i + 1 :]


def _found(there: list[Any]) -> dict[str, Any]:
    """Returns the names, as a table has them, of the columns that mean something, by ours."""
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
    for word, name in others.items():
        if want := _meant(word, found):
            raise InputError(f"the table has a column {name}, which is not a known one: is {want} meant?")
    if others:
        warn("columns that mean nothing here are left aside: " + ", ".join(str(name) for name in others.values()))
    return found


def _of_table(table: Any) -> Problem:
    # A dict, a DataFrame, a table of pyarrow's, an array of records: each has its names.
    if isinstance(table, Mapping):
        there = list(table.keys())
    elif hasattr(table, "columns"):
        there = list(getattr(table, "column_names", table.columns))
    else:
        there = list(table.dtype.names)
    has = _found(there)
    found = {column: table[has[column]] if column in has else None for column in COLUMNS}
    index = getattr(table, "index", None)  # of a DataFrame: set_index("id")
    if found["id"] is None and not callable(index) and getattr(index, "name", None) in COLUMNS["id"]:
        found["id"] = index
    missing = [column for column in ("lower", "upper", "size") if found[column] is None]
    if missing:
        raise InputError(f"the table has no column {missing[0]}; it has {', '.join(map(str, there))}")
    upper, gaps, inclusive = found["upper"], found["gaps"], str(has["upper"]).strip().lower() == "end"
    if inclusive:
        upper, _, _ = _column("end", upper)
        upper = upper + 1 if hasattr(upper, "__array_interface__") else [x + 1 for x in upper]
    if gaps is not None:
        gaps = [_gaps_of_cell(cell, inclusive) for cell in gaps]
    return Problem(
        found["lower"], upper, found["size"], found["alignment"],
        offset=found["offset"], hint=found["hint"], gaps=gaps, names=found["id"],
    )  # fmt: skip


def _gaps_of_cell(cell: Any, inclusive: bool) -> Gaps:
    """Reads gaps as CSV has them, a-b or a-b@lo:hi with spaces between, or as they are."""
    if cell is None or isinstance(cell, float):
        return ()
    if not isinstance(cell, str):
        return cell  # type: ignore[no-any-return]
    import re

    gaps = []
    for text in cell.split():
        m = re.fullmatch(r"(-?\d+)-(-?\d+)(?:@(-?\d+):(-?\d+))?", text)
        if m is None:
            raise InputError(f"gaps: {text!r} is neither a-b nor a-b@lo:hi")
        gap = [int(x) for x in m.groups() if x is not None]
        gap[1] += inclusive
        gaps.append(gap)
    return gaps


def _of_buffers(source: Iterable[Any]) -> Problem:
    if not isinstance(source, Iterable) or isinstance(source, (str, bytes)):
        raise InputError(f"{source!r} is neither a problem, a table, buffers, nor the path of a file")
    buffers = []
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

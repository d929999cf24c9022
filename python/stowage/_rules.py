"""The rules of a problem: what one strip of bytes cannot say.

Idea: each rule is a list of rows of numbers: names of buffers and pools become numbers here. The
library and the command get the rules as JSON of version 2 or 3. They check the rest, and say what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, SupportsIndex, Union

from . import _units
from ._errors import InputError
from ._units import Size

#: A buffer or a pool: its number, or its name.
Name = Union[SupportsIndex, str]

#: The number of clocks, and the times of all buffers, one after another.
Clocks = tuple[int, "array[int]"]

#: The pools that each buffer may be in: one, several, or None for any.
Allowed = Iterable[Union[Name, Iterable[Name], None]]

#: Pairs of buffers: sequences of two, or an array of two columns.
Pairs = Iterable[Iterable[Name]]

#: Lists of buffers.
Lists = Iterable[Iterable[Name]]

#: Pairs of buffers with a number: (first, second, number); or an array of three columns.
Triples = Iterable[Union[Iterable[Name], Mapping[str, object]]]


class Pool(NamedTuple):
    """One memory."""

    id: str  #: its name
    capacity: Size = 0  #: bytes, or a text such as "64KiB"; 0 for no limit
    alignment: Size = 1  #: every offset in it is a multiple
    cost: int = 0  #: of each byte of a buffer in it, if the buffer has no cost of its own
    reserved: Sequence[Sequence[int]] = ()  #: ranges (lower, upper) of bytes that no buffer may use
    objects: bool = False  #: it is divided into objects: two buffers begin at the same byte or share none
    borders: Sequence[int] = ()  #: bytes at which a bank ends: no buffer lies on both sides, but for those of spans
    sizes: Sequence[Sequence[int]] = ()  #: (bytes, price) of the sizes that it may have, ascending
    granularity: Size = 0  #: bytes of a page: two buffers of different kinds that conflict share none; 0 for none


class Part(NamedTuple):
    """What is left of the life of a buffer between evictions."""

    lower: int  #: the first time at which it is live
    upper: int  #: the first time at which it is no longer live
    offset: int  #: in bytes
    pool: Optional[str] = None  #: the name of its pool; None if the problem has no pools


# The rules that are lists of buffers, and the lists of rows.
LISTINGS = ("different_pools", "same_pool", "lockstep", "kinds", "alternatives")
LISTS = ("reserved", "allowed", "costs", "together", "apart", "may_overlap", "distances", "penalties", "evictions", *LISTINGS, "borders", "sizes", "spans", "groups", "group_costs", "extents")

# When the price of a group is paid.
PAID = ("if one shares", "if all share", "unless all coincide", "unless one coincides")


def _rows(name: str, doc: str) -> Any:
    """Returns a property that is a list of Rules."""
    return property(lambda rules: list(rules._lists[name]), doc=doc)


class Rules:
    """The rules of a problem, for reading. Buffers and pools are numbers.

    pools        the memories
    allowed      of each buffer, the pools that it may be in; None for any
    costs        of each buffer, what it costs in some pools: {pool: cost}
    together     (first, second, distance): in one pool, second lies at that distance above first
    apart        pairs that share no byte, whatever their lifespans
    may_overlap  pairs that may share bytes although both live
    distances    (first, second, distance): in the slot where first dies and second is born they
                 may share bytes if first lies at least that distance above second
    penalties    (first, second, cost): what it costs if they share bytes
    clocks       of each buffer, its start and its end by each clock; None if time is one line
    period       the length of a step that repeats; 0 if none does
    evictions    of each buffer, (lower, upper, cost): stretches in which a plan may do without it
    objective    what is minimised, the first first; empty for the default
    different_pools, same_pool, lockstep
                 lists of buffers: any two in different pools, all in one pool, or all at one
                 offset, each in its pool
    kinds        lists of buffers of one kind
    alternatives lists of buffers of which a plan has one
    groups       prices that are paid once for a set of pairs: {"pairs", "cost", "paid"}
    spans        buffers that may lie on both sides of a border of their pool
    extents      of each buffer, its width and height, and perhaps its depth; None for a size of one number
    """

    __slots__ = ("_clocks", "_lists", "_numbers", "count", "objective", "period", "pools", "threads")

    def __init__(
        self, count: int, ids: Optional[Sequence[str]], given: Mapping[str, object], clocks: Optional[tuple[Clocks, Clocks]],
        number: Optional[Callable[[str, object], int]] = None,
    ) -> None:  # fmt: skip
        """number returns the number of a buffer that a rule names, in place of ids."""
        self.count: int = count
        self.pools: tuple[Pool, ...] = tuple(_pool(k, x) for k, x in enumerate(_many("pools", given.get("pools"))))
        buffers = number or _Names("buffer", count, ids)
        pools = _Names("pool", len(self.pools), [x.id for x in self.pools])
        lists: dict[str, list[tuple[int, ...]]] = {name: [] for name in LISTS}

        def add(name: str, *row: int) -> None:
            lists[name].append(row)

        def each(name: str) -> Iterable[tuple[str, int, Any]]:
            if isinstance(given.get(name), Mapping):
                raise InputError(f"{name} is a dict, must be a list with an entry for each of the {count:,} buffers, in their order; None for a buffer without one")
            rows = list(_many(name, given.get(name)))
            if rows and len(rows) != count:
                raise InputError(f"{name}: there are {len(rows)} values for {count:,} buffers")
            return ((f"{name} of buffer {i}", i, x) for i, x in enumerate(rows) if x is not None)

        for k, pool in enumerate(self.pools):
            for x in _many(f"reserved of pool {pool.id}", pool.reserved):
                add("reserved", k, *_row(f"reserved of pool {pool.id}", x, 2))
            for x in _many(f"borders of pool {pool.id}", pool.borders):
                add("borders", k, _whole(f"borders of pool {pool.id}", x))
            for x in _many(f"sizes of pool {pool.id}", pool.sizes):
                add("sizes", k, *_row(f"sizes of pool {pool.id}", x, 2))
        for what, i, x in each("allowed"):
            for pool_of in [x] if isinstance(x, str) or hasattr(x, "__index__") else _many(what, x):
                add("allowed", i, pools(what, pool_of))
        for what, i, x in each("costs"):
            if not isinstance(x, Mapping):
                raise InputError(f"{what}: {x!r} is no dict of pools and costs")
            for pool_of, cost in x.items():
                add("costs", i, pools(what, pool_of), _whole(what, cost))
        for what, i, x in each("evictions"):
            for stretch in _many(what, x):
                add("evictions", i, *_row(what, list(stretch.values()) if isinstance(stretch, Mapping) else stretch, 3))
        for what, i, x in each("extents"):
            extents = [_whole(what, y) for y in _many(what, x)]
            if not 2 <= len(extents) <= 3:
                raise InputError(f"{what}: {x!r} has {len(extents)} numbers, must have 2 or 3")
            add("extents", i, *extents)
        for k, group in enumerate(_many("together", given.get("together"))):
            members, at = (group.get("buffers"), group.get("at")) if isinstance(group, Mapping) else (group, None)
            what = f"together[{k}]"
            numbers = [buffers(what, x) for x in _many(what, members)]
            places = [0] * len(numbers) if at is None else [_whole(what, x) for x in at]
            if not numbers or len(places) != len(numbers):
                raise InputError(f"{what}: there are {len(numbers)} buffers and {len(places)} distances")
            for member, place in zip(numbers[1:], places[1:]):
                add("together", numbers[0], member, place - places[0])
            if number is not None and len(numbers) == 1:  # a session lets one buffer leave its group
                add("together", numbers[0], numbers[0], 0)
        for name, key in (("apart", ""), ("may_overlap", ""), ("distances", "distance"), ("penalties", "cost")):
            for k, rule in enumerate(_many(name, given.get(name))):
                what = f"{name}[{k}]"
                if key and isinstance(rule, Mapping):
                    rule = (*_many(what, rule.get("buffers")), rule.get(key))
                first, second, *value = _row(what, rule, 3 if key else 2, str)
                add(name, buffers(what, first), buffers(what, second), *(_whole(what, x) for x in value))
        for name in LISTINGS:
            for k, members in enumerate(_many(name, given.get(name))):
                what = f"{name}[{k}]"
                add(name, *(buffers(what, x) for x in _many(what, members)))
        for k, group in enumerate(_many("groups", given.get("groups"))):
            what = f"groups[{k}]"
            pairs, cost, *paid = (group.get("pairs"), group.get("cost"), group.get("paid", PAID[0])) if isinstance(group, Mapping) else _many(what, group)
            when = paid[0] if paid else PAID[0]
            if when not in PAID:
                raise InputError(f"{what}: paid: {when!r} is none of {', '.join(PAID)}")
            for pair in _many(what, pairs):
                add("groups", k, *(buffers(what, x) for x in _row(what, pair, 2, str)))
            add("group_costs", _whole(what, cost), PAID.index(when))
        for x in _many("spans", given.get("spans")):
            add("spans", buffers("spans", x))
        objective = given.get("objective")
        self.objective: tuple[str, ...] = (objective,) if isinstance(objective, str) else tuple(str(x) for x in _many("objective", objective))
        period = given.get("period")
        self.period: int = 0 if period is None else _units.whole("period", period)  # 0 is none
        self.threads: int = 0
        self._clocks: Optional[tuple[array[int], array[int]]] = None
        if clocks is not None:
            self.threads, self._clocks = clocks[0][0], (clocks[0][1], clocks[1][1])
        self._lists = lists
        self._numbers = [
            {field: _units.size(f"{field} of pool {pool.id}", getattr(pool, field)) for field in ("capacity", "alignment", "cost", "granularity")} for pool in self.pools
        ]

    def __bool__(self) -> bool:
        return bool(self.pools or self.threads or self.period or self.objective or any(self._lists.values()))

    def __repr__(self) -> str:
        said = [f"{len(rows)} {name.replace('_', ' ')}" for name, rows in self._lists.items() if rows]
        return f"<stowage.Rules: {', '.join([f'{len(self.pools)} pools', *said])}>"

    def _of_each(self, name: str) -> list[list[tuple[int, ...]]]:
        rows: list[list[tuple[int, ...]]] = [[] for _ in range(self.count)]
        for row in self._lists[name]:
            rows[row[0]].append(row[1:])
        return rows

    @property
    def allowed(self) -> list[Optional[list[int]]]:
        """Of each buffer, the pools that it may be in; None for any."""
        return [[x[0] for x in row] or None for row in self._of_each("allowed")]

    @property
    def costs(self) -> list[dict[int, int]]:
        """Of each buffer, what it costs in some pools."""
        return [{x[0]: x[1] for x in row} for row in self._of_each("costs")]

    @property
    def evictions(self) -> list[list[tuple[int, ...]]]:
        """Of each buffer, the stretches in which a plan may do without it, each (lower, upper, cost)."""
        return self._of_each("evictions")

    @property
    def extents(self) -> list[Optional[tuple[int, ...]]]:
        """Of each buffer, its width and height, and perhaps its depth; None for a size of one number."""
        return [row[0] if row else None for row in self._of_each("extents")]

    together: list[tuple[int, ...]] = _rows("together", "(first, second, distance) of buffers in one pool.")
    apart: list[tuple[int, ...]] = _rows("apart", "Pairs of buffers that share no byte.")
    may_overlap: list[tuple[int, ...]] = _rows("may_overlap", "Pairs of buffers that may share bytes although both live.")
    distances: list[tuple[int, ...]] = _rows("distances", "(first, second, distance) of buffers that may share bytes in the slot where they meet.")
    penalties: list[tuple[int, ...]] = _rows("penalties", "(first, second, cost) of buffers that had better share no byte.")
    different_pools: list[tuple[int, ...]] = _rows("different_pools", "Lists of buffers, any two of which are in different pools.")
    same_pool: list[tuple[int, ...]] = _rows("same_pool", "Lists of buffers that are all in one pool.")
    kinds: list[tuple[int, ...]] = _rows("kinds", "Lists of buffers of one kind.")
    alternatives: list[tuple[int, ...]] = _rows("alternatives", "Lists of buffers of which a plan has one.")

    @property
    def groups(self) -> list[dict[str, Any]]:
        """Prices that are paid once for a set of pairs, each with pairs, cost and paid."""
        pairs: list[list[tuple[int, int]]] = [[] for _ in self._lists["group_costs"]]
        for k, first, second in self._lists["groups"]:
            pairs[k].append((first, second))
        return [{"pairs": of, "cost": cost, "paid": PAID[when]} for of, (cost, when) in zip(pairs, self._lists["group_costs"])]

    @property
    def spans(self) -> list[int]:
        """Buffers that may lie on both sides of a border of their pool."""
        return [row[0] for row in self._lists["spans"]]

    lockstep: list[tuple[int, ...]] = _rows("lockstep", "Lists of buffers that are all at one offset, each in its own pool.")

    @property
    def clocks(self) -> Optional[tuple[list[list[int]], list[list[int]]]]:
        """Starts and ends of the buffers by each clock; None if time is one line."""
        if self._clocks is None:
            return None
        lower, upper = ([column[k : k + self.threads].tolist() for k in range(0, len(column), self.threads)] for column in self._clocks)
        return lower, upper

    def numbers(self, name: str, pools: Iterable[Optional[Name]]) -> list[int]:
        """Returns the numbers of pools that are given by number or by name; -1 for None, of an alternative that is not chosen."""
        of = _Names("pool", len(self.pools), [pool.id for pool in self.pools])
        return [-1 if x is None else of(name, x) for x in _many(name, pools)]

    def _given(self) -> dict[str, Any]:
        """Returns the keywords that make the same rules again."""
        return {
            "pools": self.pools, "allowed": self.allowed, "costs": self.costs, "together": [{"buffers": (a, b), "at": (0, at)} for a, b, at in self.together],
            "apart": self.apart, "may_overlap": self.may_overlap, "distances": self.distances, "penalties": self.penalties, "period": self.period or None,
            "evictions": self.evictions, "objective": self.objective, **{name: self._lists[name] for name in LISTINGS}, "spans": self.spans, "groups": self.groups,
            "extents": self.extents if self._lists["extents"] else None,
        }  # fmt: skip

    def _without(self, names: Iterable[str]) -> Rules:
        """Returns a copy in which these lists are empty."""
        q = Rules.__new__(Rules)
        for slot in Rules.__slots__:
            setattr(q, slot, getattr(self, slot))
        q._lists = {**self._lists, **{name: [] for name in names}}
        return q

    def _into(self, d: dict[str, Any], ids: Sequence[str]) -> None:
        """Adds the rules to the content of a JSON file with these buffers."""
        d["version"] = 3 if any(self._lists[name] for name in (*LISTINGS, "borders", "sizes", "group_costs")) or any(pool.objects or pool.granularity for pool in self.pools) else 2
        if self.pools:
            pools: list[dict[str, Any]] = [{"id": pool.id} for pool in self.pools]
            d["pools"] = pools
            for entry, numbers in zip(pools, self._numbers):
                entry.update({key: x for key, x in numbers.items() if x > (key == "alignment")})
            for entry, of in zip(pools, self.pools):
                if of.objects:
                    entry["objects"] = True
            for k, lower, upper in self._lists["reserved"]:
                pools[k].setdefault("reserved", []).append([lower, upper])
            for k, border in self._lists["borders"]:
                pools[k].setdefault("borders", []).append(border)
            for k, size, price in self._lists["sizes"]:
                pools[k].setdefault("sizes", []).append([size, price])
        if self.period:
            d["period"] = self.period
        if self.objective:
            d["objective"] = list(self.objective)
        name = [pool.id for pool in self.pools]
        for i, entry in enumerate(d["buffers"]):
            if self._clocks is not None:
                at = slice(i * self.threads, (i + 1) * self.threads)
                entry["lower"], entry["upper"] = self._clocks[0][at].tolist(), self._clocks[1][at].tolist()
        for i, pool in self._lists["allowed"]:
            d["buffers"][i].setdefault("pools", []).append(name[pool])
        for i, pool, cost in self._lists["costs"]:
            d["buffers"][i].setdefault("costs", {})[name[pool]] = cost
        for i in self.spans if d["version"] > 2 else ():
            d["buffers"][i]["spans"] = True
        for i, *extents in self._lists["extents"] if any(pool.objects for pool in self.pools) else ():
            d["buffers"][i]["size"] = extents
        for i, lower, upper, cost in self._lists["evictions"]:
            d["buffers"][i].setdefault("evictions", []).append({"lower": lower, "upper": upper, "cost": cost})
        below = {
            "together": [{"buffers": [ids[a], ids[b]], "at": [0, at]} for a, b, at in self.together],
            "apart": [[ids[a], ids[b]] for a, b in self.apart],
            "may_overlap": [[ids[a], ids[b]] for a, b in self.may_overlap],
            "distances": [{"buffers": [ids[a], ids[b]], "distance": x} for a, b, x in self.distances],
            "penalties": [{"buffers": [ids[a], ids[b]], "cost": x} for a, b, x in self.penalties],
            "groups": [{**group, "pairs": [[ids[a], ids[b]] for a, b in group["pairs"]]} for group in self.groups],
            **{name: [[ids[i] for i in row] for row in self._lists[name]] for name in LISTINGS},
        }
        d.update({key: rows for key, rows in below.items() if rows})


def clocks_of(name: str, column: Any) -> Optional[Clocks]:
    """Returns the number of clocks of a column of times, and the times one after another; None
    if each time is one number."""
    if type(column) is memoryview:
        return None
    shape = getattr(column, "shape", None)
    if shape is None and isinstance(column, (list, tuple)) and column:
        first = column[0]
        if isinstance(first, (list, tuple, array)) or hasattr(first, "shape") and len(first.shape) == 1:
            shape = (len(column), len(first))
    if shape is None or len(shape) != 2:
        return None
    times = array("q")
    for i, row in enumerate(column):
        times.extend(_row(f"{name} of buffer {i}", row, shape[1]))
    if not shape[1]:
        raise InputError(f"{name}: there is no clock")
    return shape[1], times


class _Names:
    """Numbers of buffers or pools by their names."""

    def __init__(self, what: str, count: int, ids: Optional[Sequence[str]]) -> None:
        self.what, self.count, self.ids = what, count, ids
        self.index: Optional[dict[str, int]] = None

    def __call__(self, where: str, x: Any) -> int:
        if isinstance(x, str):
            if self.index is None:
                self.index = {name: k for k, name in enumerate(self.ids if self.ids is not None else map(str, range(self.count)))}
            if x not in self.index:
                hint = "" if self.ids is not None else f": the {self.what}s have no names, so they are called by their numbers; names=[…] names them"
                raise InputError(f"{where}: there is no {self.what} {x!r}{hint}")
            return self.index[x]
        k = _whole(where, x)
        if not 0 <= k < self.count:
            raise InputError(f"{where}: there is no {self.what} of the number {k}; there are {self.count}")
        return k


def _pool(k: int, x: Any) -> Pool:
    try:
        pool = x if isinstance(x, Pool) else Pool(x) if isinstance(x, str) else Pool(**x) if isinstance(x, Mapping) else Pool(*x)
    except TypeError as err:
        raise InputError(f"pools[{k}]: {x!r} is no pool: {err}") from err
    if not isinstance(pool.id, str) or "\0" in pool.id:
        raise InputError(f"pools[{k}]: {pool.id!r} is no name of a pool")
    if not isinstance(pool.objects, bool):
        raise InputError(f"pools[{k}]: objects: {pool.objects!r} is neither True nor False")
    return pool


def _many(name: str, rows: Any) -> Iterable[Any]:
    if rows is None:
        return ()
    if hasattr(rows, "tolist"):  # an array of numpy
        rows = rows.tolist()
    if not isinstance(rows, Iterable) or isinstance(rows, (str, bytes, Mapping)):
        raise InputError(f"{name}: {rows!r} is no sequence")
    return rows


def _row(name: str, row: Any, length: int, or_text: type = int) -> list[Any]:
    values = list(_many(name, row))
    if len(values) != length:
        raise InputError(f"{name}: {row!r} has {len(values)} values, must have {length}")
    return [x if isinstance(x, or_text) and or_text is str else _whole(name, x) for x in values]


def _whole(name: str, x: Any) -> int:
    return int(_units.number(name, x, False))

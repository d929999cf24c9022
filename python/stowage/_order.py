"""The order of a plan for sizes that vary: offsets for any sizes, without planning.

Idea: the order says for each buffer above which others it lies. Its offset is the highest end among those, rounded up to
its alignment. So offsets follow from the sizes in one pass. Twins of it are Order.Place in Go, stowage_place in C and
Order in JavaScript; tests hold them to the heights that the command writes.

Complexity: O(buffers + pairs).
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any, Iterator, Mapping, Sequence, Union

from ._errors import InputError, readable

_MOST = (2**63 - 1) // 4  # no end of a buffer may be higher, as in the Go library
_TOKENS = re.compile(r"\s*(?:(\d+)|([A-Za-z_][\w.:]*)|(//|[-+*^/()]))")


class Order:
    """The order that `stowage solve -o plan.json FILE` writes for a problem of which the sizes vary.

        order = stowage.Order("plan.json")
        offsets = order.place(order.sizes(seq=16, batch=2))
        order.height                       # of the last placing: the largest offset + size, in bytes

    ids has the names of the buffers, in the order of all lists here. arena is the number of bytes that is enough for all
    sizes of the family.
    """

    def __init__(self, plan: Union[str, os.PathLike[str], Mapping[str, object]]) -> None:
        """Takes the path of a plan in JSON, or its content as json.load returns it. An InputError says what is missing."""
        try:
            document: Any = plan if isinstance(plan, Mapping) else json.loads(_text(plan))
            buffers, made = document["buffers"], document["plan"]
            below = made["below"]
            self.ids = [str(b["id"]) for b in buffers]
            self.arena = int(made["height"])
            self.scenarios: list[str] = _names(document.get("scenarios", []))
            self.symbols: list[str] = list(document.get("symbols", {}))
            self._sizes = [b.get("sizes", b.get("size")) for b in buffers]
            at = {name: i for i, name in enumerate(self.ids)}
            lists = [[at[name] for name in names] for names in below]
            aligned = [int(b.get("alignment", 1)) for b in buffers]
            self._fixed = [b.get("fixed", b.get("offset")) for b in buffers]  # the key depends on the version
            pools = {p["id"]: int(p.get("alignment", 1)) for p in document.get("pools", [])}
            self._align = [math.lcm(a, pools[p]) for a, p in zip(aligned, made["pools"])] if pools else aligned
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"the plan has no order: it comes from a problem of which sizes vary ({error!r})") from None
        self.height = 0
        self._steps = [(i, lists[i]) for i in _sorted(lists)]
        self._document = document

    def sizes(self, scenario: str = "", /, **symbols: int) -> list[int]:
        """Returns the size of each buffer, in bytes, in a scenario or at values of the symbols, which are Order.symbols.

        A symbol whose name is no word of Python is given as in sizes(**{"x:2": 48}).
        """
        if self.scenarios:
            if scenario not in self.scenarios:
                raise InputError(f"there is no scenario {scenario!r}: there are {', '.join(self.scenarios)}")
            k = self.scenarios.index(scenario)
            return [s if isinstance(s, int) else s[k] for s in self._sizes]
        if set(symbols) != set(self.symbols):
            raise InputError(f"the symbols are {', '.join(self.symbols)}; given are {', '.join(symbols) or 'none'}")
        return [s if isinstance(s, int) else _value(s, symbols) for s in self._sizes]

    def at(self, scenario: str = "", /, **symbols: int) -> Order:
        """Returns the order for a scenario or values of the symbols: that of --orders if the plan has several, else this one."""
        made = self._document["plan"]
        if "orders" not in made:
            return self
        if self.scenarios:
            if scenario not in self.scenarios:
                raise InputError(f"there is no scenario {scenario!r}: there are {', '.join(self.scenarios)}")
            value = self.scenarios.index(scenario)
        elif made["switch"] in symbols:
            value = symbols[made["switch"]]
        else:
            raise InputError(f"the value of {made['switch']} chooses the order; given are {', '.join(symbols) or 'none'}")
        k = max(0, sum(low <= value for low in made["from"]) - 1)  # from is in order
        return Order({**self._document, "plan": {**made, "below": made["orders"][k]}})

    def steps(self) -> list[tuple[int, list[int]]]:
        """Returns each buffer, by its index, with those that it lies above. These come before it."""
        return self._steps

    def place(self, sizes: Sequence[int]) -> list[int]:
        """Returns the offset of each buffer, in bytes, for any sizes in the order of ids. No two buffers that live together overlap."""
        if len(sizes) != len(self.ids):
            raise InputError(f"{len(sizes)} sizes for {len(self.ids)} buffers")
        offsets, ends, height = [0] * len(sizes), [0] * len(sizes), 0
        for i, below in self._steps:
            start = max([ends[j] for j in below], default=0)
            fixed = self._fixed[i]
            if fixed is None:
                start += -start % self._align[i]
            elif start > fixed:
                raise InputError(f"the buffers below {self.ids[i]} reach above its offset of {fixed}")
            else:
                start = fixed
            end = start + sizes[i]
            if sizes[i] < 0 or end > _MOST:
                raise InputError(f"size {sizes[i]} of buffer {self.ids[i]} is negative, or its end exceeds {_MOST}")
            offsets[i], ends[i] = start, end
            height = max(height, end)
        self.height = height
        return offsets


def _text(path: Union[str, os.PathLike[str]]) -> str:
    with open(readable(os.fspath(path)), encoding="utf-8") as file:
        return file.read()


def _names(scenarios: Any) -> list[str]:
    return [str(k) for k in range(scenarios)] if isinstance(scenarios, int) else [str(name) for name in scenarios]


def _sorted(below: list[list[int]]) -> list[int]:
    """Returns the buffers, each after those that it lies above."""
    above: list[list[int]] = [[] for _ in below]
    waits = [len(x) for x in below]
    for i, x in enumerate(below):
        for j in x:
            above[j].append(i)
    ready = [i for i, n in enumerate(waits) if n == 0]
    for i in ready:  # it grows meanwhile
        for j in above[i]:
            waits[j] -= 1
            if waits[j] == 0:
                ready.append(j)
    if len(ready) < len(below):
        raise ValueError("a buffer lies above itself, by way of others")
    return ready


def _value(text: str, symbols: Mapping[str, int]) -> int:
    """Returns the value of a formula: whole numbers, symbols, + - * ^, floor(a/b), ceil(a/b), a//b."""
    tokens: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        m = _TOKENS.match(text, at)
        if m is None:
            raise InputError(f"the formula {text!r} has an unexpected {text[at]!r}")
        tokens.append(m[0].strip())
        at = m.end()
    tokens.append("")
    stream = iter(tokens)
    return _Formula(stream, symbols, text).all()


class _Formula:
    """A formula that is evaluated while it is read."""

    def __init__(self, tokens: Iterator[str], symbols: Mapping[str, int], text: str) -> None:
        self.tokens, self.symbols, self.text = tokens, symbols, text
        self.now = next(tokens)

    def take(self, token: str = "") -> str:
        was = self.now
        if token and was != token:
            raise InputError(f"the formula {self.text!r} has {was!r} where {token!r} is expected")
        self.now = next(self.tokens, "")
        return was

    def all(self) -> int:
        value = self.sum()
        if self.now:
            raise InputError(f"the formula {self.text!r} has an unexpected {self.now!r}")
        return value

    def sum(self) -> int:
        negative = self.now == "-" and bool(self.take())
        value = -self.product() if negative else self.product()
        while self.now in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> int:
        value = self.power()
        while self.now in ("*", "//"):
            value = value * self.power() if self.take() == "*" else value // self.power()
        return value

    def power(self) -> int:
        value = self.atom()
        if self.now == "^":
            self.take()
            value = int(value ** min(16, int(self.take())))
        return value

    def atom(self) -> int:
        token = self.take()
        if token.isdigit():
            return int(token)
        if token == "(":
            value = self.sum()
            self.take(")")
            return value
        if token in ("floor", "ceil"):
            self.take("(")
            value = self.sum()
            self.take("/")
            by = self.sum()
            self.take(")")
            return value // by if token == "floor" else -(-value // by)
        if token not in self.symbols:
            raise InputError(f"the formula {self.text!r} has no value for {token!r}")
        return self.symbols[token]

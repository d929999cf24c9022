"""Sizes that a function computes from its arguments: formulas for the planner, and operations that place buffers at run time.

Idea: a dimension that is an argument of the function, a dimension of an argument, or arithmetic on these is known where the
function begins. Its formula goes to the planner, with a range for each argument. The plan is an order: it says for each
buffer above which others it lies. At the entry of the function, the bytes of each buffer are computed, then, in the order,
where each begins: the highest end among those below it, rounded up to its alignment. The highest end of all is the size of
the arena. So the arena is as large as this call needs, for any sizes, within the ranges and beyond.

Invariant: what is computed at the entry depends on arguments alone, and stands before the first use of the arena.
Complexity: operations at the entry in proportion to buffers and pairs of the order, of which there are 1 to 2 a buffer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Optional

from .. import _command, _units
from .._errors import Error
from .._order import Order
from .._units import Seconds

#: A range of an argument: the lowest value and the highest; and the step, if it is not 1.
Range = Sequence[int]
OPERATORS = {"arith.addi": "({}+{})", "arith.muli": "({}*{})", "arith.subi": "({}-{})"}
FLOORS = {"arith.divui": "floor({}/{})", "arith.floordivsi": "floor({}/{})", "arith.ceildivui": "ceil({}/{})", "arith.ceildivsi": "ceil({}/{})"}


class Plan(NamedTuple):
    """The order of some buffers, with heights and sizes of the largest shapes, in bytes."""

    order: Order
    height: int
    bound: int
    sizes: list[int]


class Entry:
    """Values that are known at the entry of a function."""

    def __init__(self, f: Any, ranges: Mapping[str, Range]) -> None:
        self.block = f.body.blocks[0]
        self.ranges = dict(ranges)
        self.hoisted: dict[Any, Any] = {}
        self.anchor: Any = None  # before which operations are put

    def formula(self, value: Any) -> tuple[str, str]:
        """Returns a value as a formula in the arguments, or "" and why there is none."""
        owner = value.owner
        if owner is self.block:
            return self._symbol((value.name_hint or f"arg{value.index}"))
        if owner.name == "arith.constant" and (n := owner.value.value.data) >= 0:
            return str(n), ""
        if owner.name == "memref.dim" and owner.source.owner is self.block and owner.index.owner.name == "arith.constant":
            source = owner.source
            return self._symbol(f"{source.name_hint or f'arg{source.index}'}:{owner.index.owner.value.value.data}")
        form = OPERATORS.get(owner.name) or FLOORS.get(owner.name)
        if form is None:
            return "", "its size is known only at run time"
        parts = []
        for operand in owner.operands:
            part, why = self.formula(operand)
            if why:
                return "", why
            parts.append(part)
        return form.format(*parts), ""

    def _symbol(self, name: str) -> tuple[str, str]:
        if name not in self.ranges:
            return "", f"its size is known only at run time: give the range of {name}, as ranges={{{name!r}: (1, 512)}}"
        return name, ""

    def bytes_of(self, op: Any, width: int) -> tuple[str, str]:
        """Returns the bytes of an allocation as a formula, or "" and why there is none."""
        dynamic = iter(op.dynamic_sizes)
        factors = [str(width)]
        for d in op.memref.type.get_shape():
            text, why = (str(d), "") if d >= 0 else self.formula(next(dynamic))
            if why:
                return "", why
            factors.append(text)
        return "*".join(factors), ""

    # ---------------------------------------------------------------- operations

    def put(self, op: Any) -> Any:
        """Puts an operation at the entry, and returns its result."""
        builder: Any = import_module("xdsl.builder").Builder
        place: Any = import_module("xdsl.rewriter").InsertPoint
        builder(place.before(self.anchor)).insert(op)
        return op.results[0]

    def constant(self, n: int) -> Any:
        arith: Any = import_module("xdsl.dialects.arith")
        builtin: Any = import_module("xdsl.dialects.builtin")
        if n not in self.hoisted:
            self.hoisted[n] = self.put(arith.ConstantOp(builtin.IntegerAttr(n, builtin.IndexType())))
        return self.hoisted[n]

    def binary(self, name: str, a: Any, b: Any) -> Any:
        return self.put(getattr(import_module("xdsl.dialects.arith"), name)(a, b))

    def value(self, value: Any) -> Any:
        """Returns a value at the entry: an argument, or a copy of the operations that compute it."""
        if value.owner is self.block:
            return value
        if value not in self.hoisted:
            operands = [self.value(v) for v in value.owner.operands]
            self.hoisted[value] = self.put(value.owner.clone(dict(zip(value.owner.operands, operands))))
        return self.hoisted[value]

    def size(self, op: Any, width: int) -> Any:
        """Returns the bytes of an allocation, computed at the entry."""
        fixed, result = width, None
        for d in op.memref.type.get_shape():
            fixed *= max(1, d) if d else 0
        for v in op.dynamic_sizes:
            result = self.value(v) if result is None else self.binary("MuliOp", result, self.value(v))
        return self.constant(fixed) if result is None else self.binary("MuliOp", result, self.constant(fixed))

    def highest(self, values: list[Any]) -> Any:
        while len(values) > 1:
            values = [self.binary("MaxSIOp", *pair) if len(pair) == 2 else pair[0] for pair in (values[k : k + 2] for k in range(0, len(values), 2))]
        return values[0]

    def place(self, plan: Plan, ops: Sequence[Any], widths: Sequence[int], alignments: Sequence[int]) -> tuple[list[Any], Any]:
        """Returns where each allocation begins, and the size of the arena, computed at the entry."""
        starts: list[Any] = [None] * len(ops)
        ends: list[Any] = [None] * len(ops)
        for i, below in plan.order.steps():
            start = self.highest([ends[j] for j in below]) if below else self.constant(0)
            if below and alignments[i] > 1:
                a = self.constant(alignments[i])
                start = self.binary("MuliOp", self.binary("FloorDivSIOp", self.binary("AddiOp", start, self.constant(alignments[i] - 1)), a), a)
            starts[i], ends[i] = start, self.binary("AddiOp", start, self.size(ops[i], widths[i]))
        return starts, self.highest(ends)


def planned(entry: Entry, spans: Sequence[tuple[int, int, list[tuple[int, int]]]], sizes: Sequence[str], alignments: Sequence[int], timeout: Optional[Seconds]) -> Plan:
    """Plans allocations of which sizes vary. sizes has their formulas."""
    buffers = []
    for i, ((lower, upper, gaps), size) in enumerate(zip(spans, sizes)):
        b: dict[str, object] = {"id": str(i), "lower": lower, "upper": upper, "size": size, "alignment": alignments[i]}
        if gaps:
            b["gaps"] = [{"lower": p, "upper": q} for p, q in gaps]
        buffers.append(b)
    family = {"version": 3, "symbols": {name: list(r) for name, r in entry.ranges.items()}, "buffers": buffers}
    figures, plan = _command.solve("-", ["--timeout", f"{limit:.9f}s"] if (limit := _units.seconds(timeout)) else [], json.dumps(family))
    if plan is None:
        raise Error(f"the allocations could not be planned: {figures.get('status')}")
    order, made = Order(plan), plan["plan"]
    return Plan(order, int(made["height"]), int(made["lower_bound"]), order.sizes(**dict(zip(order.symbols, _last(plan["symbols"].values())))))


def _last(ranges: Any) -> list[int]:
    return [high - (high - low) % step for low, high, step in ranges]

"""Allocations of a function become views of one arena.

Idea: an allocation is in use from its memref.alloc to the last access to it, by whatever name: views of it, casts, arguments
of blocks and loops, results of branches. Its lifespan is the set of nodes of the control flow (_flow.py) at which one
of these values is live, with gaps between them. The lifespans are planned as any other problem.

  memref.alloc     becomes  memref.view of the arena at the planned offset, or at one that is computed at the entry (_varied.py)
  memref.dealloc   is taken away
  the arena        is allocated at the entry of the function, and freed before each return

Not every allocation can move. One that is returned, stored, given to an operation that may keep it, or that has a size which
does not follow from arguments with a range, stays as it is, and the report says why. So does one that may be live twice at once: allocated anew in
a loop while the one before is still in use.

Invariant: two allocations share bytes only if no node has both of them live.
Complexity: nodes times values, in words of bits, for a loop some times over.
Source: liveness and dominance as in any compiler; the problem is that of upstream's static memory planner for MLIR, llvm#205125.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from math import prod
from types import MappingProxyType
from typing import Any, Optional

from .._api import plan as plan_of
from .._errors import Error
from .._problem import Problem
from .._units import Seconds
from . import _flow, _varied

#: Operations that use a memref and do not keep it. What they return may be a view of it.
PLAIN = {
    "memref.load", "memref.store", "memref.copy", "memref.subview", "memref.cast", "memref.view", "memref.reinterpret_cast", "memref.dim",
    "memref.rank", "memref.atomic_rmw", "memref.expand_shape", "memref.collapse_shape", "memref.memory_space_cast", "memref.assume_alignment",
    "memref.extract_strided_metadata", "memref.dealloc", "arith.select",
}  # fmt: skip
DIALECTS = ("scf.", "cf.", "affine.", "linalg.", "vector.")
LEAST = 16  # the alignment that malloc gives
MOST = 1 << 48  # bytes of an allocation; sums of them are whole numbers of 64 bits


@dataclass(frozen=True)
class Function:
    """What became of one function. Sizes are bytes."""

    name: str
    planned: int
    """Allocations that are views of the arena now."""
    left: dict[str, str]
    """Allocations that stay as they are: name and reason."""
    total: int
    """The sizes of the planned allocations together."""
    arena: int
    """The size of the arena. If sizes vary, total, arena and bound are of the largest."""
    bound: int
    """No plan of these lifespans is lower: it is proven."""

    def __str__(self) -> str:
        least = ", the least possible for these lifespans" if self.arena == self.bound else f", at least {self.bound:,}"
        text = f"{self.name}: {self.planned} allocations of {self.total:,} bytes in an arena of {self.arena:,}{least}" if self.planned else f"{self.name}: nothing planned"
        return "\n".join([text, *(f"  {name} stays: {why}" for name, why in self.left.items())])


@dataclass
class _Allocation:
    op: Any
    name: str
    size: int
    alignment: int
    values: set[Any]
    why: str = ""  # it stays, and why
    formula: str = ""  # of a size that varies
    width: int = 0  # bytes of an element


def function(f: Any, timeout: Optional[Seconds], ranges: Mapping[str, _varied.Range] = MappingProxyType({})) -> Function:
    """Plans a function in place."""
    flow = _flow.Flow(f)
    entry = _varied.Entry(f, ranges)
    found = [_allocation(flow, entry, node, k) for k, node in enumerate(n for n, op in enumerate(flow.ops) if op is not None and op.name == "memref.alloc")]
    for a in found:
        a.why = a.why or _stays(a)
    values = {v: None for a in found for v in a.values}
    lent = {v for a in found if any(use.operation.name == "func.call" for v in a.values for use in v.uses) for v in a.values}
    bits, before, after = flow.live(values, lent)
    for a in found:
        node = flow.begin[a.op]
        others = sum(bits[v] for v in a.values if v is not a.op.memref)
        if not a.why and (before[node] | after[node]) & others:
            a.why = "it may be live twice at once, since a loop carries it on"
    _freed(flow, found)
    moved = [a for a in found if not a.why]
    spans = [_span(flow, a, bits, before, after) for a in moved]
    gone = {v for a in moved for v in a.values}
    spaces: dict[Any, list[int]] = {}
    for k, a in enumerate(moved):
        spaces.setdefault(a.op.memref.type.memory_space, []).append(k)
    height = bound = 0
    chosen: list[tuple[Any, list[tuple[_Allocation, Any]], int]] = []  # all is planned before anything is changed, so a function that cannot be planned stays whole
    for space, ks in spaces.items():
        if any(moved[k].formula for k in ks):
            sizes = [moved[k].formula or str(moved[k].size) for k in ks]
            varied = _varied.planned(entry, [spans[k] for k in ks], sizes, [moved[k].alignment for k in ks], timeout)
            for k, size in zip(ks, varied.sizes):
                moved[k].size = size
            height, bound = height + varied.height, bound + varied.bound
            chosen.append((space, [(moved[k], varied) for k in ks], -1))
            continue
        problem = Problem(
            [spans[k][0] for k in ks], [spans[k][1] for k in ks], [moved[k].size for k in ks], [moved[k].alignment for k in ks],
            gaps=[spans[k][2] for k in ks], names=[f"{moved[k].name}.{k}" for k in ks],
        )  # fmt: skip
        plan = plan_of(problem, timeout=timeout)
        if plan.offsets is None:
            raise Error(f"{_name(f)}: the allocations could not be planned: {plan.reason or plan.status}")
        height, bound = height + plan.height, bound + plan.lower_bound
        chosen.append((space, [(moved[k], int(o)) for k, o in zip(ks, plan.offsets)], plan.height))
    for op in [op for op in flow.ops if op is not None and op.name == "memref.dealloc" and op.memref in gone]:
        op.detach()
        op.erase()
    for space, places, high in chosen:
        if high < 0:
            _rewrite_varied(f, entry, space, [a for a, _ in places], places[0][1])
        else:
            _rewrite(f, space, places, high)
    names: dict[str, int] = {}
    left = {}
    for a in found:
        names[a.name] = names.get(a.name, 0) + 1
        if a.why:
            left[a.name if names[a.name] == 1 else f"{a.name} ({names[a.name]})"] = a.why
    return Function(_name(f), len(moved), left, sum(a.size for a in moved), height, bound)


def _name(f: Any) -> str:
    return "@" + str(f.sym_name.data)


def _allocation(flow: _flow.Flow, entry: _varied.Entry, node: int, k: int) -> _Allocation:
    builtin: Any = import_module("xdsl.dialects.builtin")
    op = flow.ops[node]
    kind = op.memref.type
    a = _Allocation(op, "%" + (op.memref.name_hint or str(k)), 0, LEAST, flow.reached(op.memref))
    if op.alignment is not None:
        a.alignment = max(LEAST, op.alignment.value.data)
    for v in a.values:
        for use in v.uses:
            if use.operation.name == "memref.assume_alignment":
                a.alignment = max(a.alignment, use.operation.alignment.value.data)
    shape = kind.get_shape()
    if op.symbol_operands:
        a.why = "its size is known only at run time"
    elif not isinstance(kind.layout, builtin.NoneAttr):
        a.why = f"it has a layout: {kind.layout}"
    elif (width := _width(kind.element_type)) is None:
        a.why = f"the size of its elements is not known: {kind.element_type}"
    elif op.dynamic_sizes:
        a.width = width
        a.formula, a.why = entry.bytes_of(op, width)
        if not a.why and 0 in shape:
            a.why = "it is empty"
    else:
        a.width = width
        a.size = prod(shape) * width
        if a.size == 0:
            a.why = "it is empty"
        elif a.size >= MOST:
            a.why = f"its {a.size:,} bytes are more than a machine can have"
    return a


def _width(kind: Any) -> Optional[int]:
    """Returns the bytes of an element; None if they depend on the target."""
    builtin: Any = import_module("xdsl.dialects.builtin")
    if isinstance(kind, builtin.IndexType):
        return 8
    if isinstance(kind, builtin.FixedBitwidthType):
        n: int = kind.size
        return 1 << (n - 1).bit_length()
    if isinstance(kind, builtin.ComplexType):
        width = _width(kind.element_type)
        return width and 2 * width
    return None


def _stays(a: _Allocation) -> str:
    """Returns why an allocation cannot move for what is done with it; "" if nothing speaks against it."""
    for p in _flow.parents(a.op):
        if p.name == "func.func":
            break
        if p.name not in _flow.SEQUENTIAL:
            return f"it is inside {p.name}, whose regions may run at the same time"
    freed = any(use.operation.name == "memref.dealloc" for v in a.values for use in v.uses)
    for v in a.values:
        for use in v.uses:
            op = use.operation
            if op.name == "func.return":
                return "it is returned"
            if op.name == "memref.store" and use.index == 0:
                return "it is stored in memory"
            if op.name == "func.call":
                if not freed:
                    return f"it is given to {op.callee.string_value()}, and this function does not free it"
            elif op.name not in PLAIN and (not op.name.startswith(DIALECTS) or ".dma_" in op.name):  # a transfer goes on after it was started
                return f"it is used by {op.name}, which stowage.xdsl does not know"
    return ""


def _freed(flow: _flow.Flow, found: list[_Allocation]) -> None:
    """Leaves what a dealloc frees that may also free something else, which does not move."""
    by = {}
    for op in flow.ops:
        if op is not None and op.name == "memref.dealloc":
            by[op] = [a for a in found if op.memref in a.values]
    foreign = {v for values in _foreign(flow, found) for v in flow.reached(values)}
    changed = True
    while changed:
        changed = False
        for op, of in by.items():
            if op.memref in foreign or any(a.why for a in of):
                for a in of:
                    if not a.why:
                        a.why, changed = "its dealloc may free another memref, which stays", True


def _foreign(flow: _flow.Flow, found: list[_Allocation]) -> list[Any]:
    """Returns the memrefs that come from elsewhere: arguments, globals, results of calls."""
    known = {id(a.op.memref) for a in found}
    inside = {w for to in flow.into.values() for w in to}
    out = []
    for k, values in enumerate(flow.defines):
        for v in values:
            op = flow.ops[k]
            if id(v) not in known and (v not in inside or (op is not None and op.name == "func.call")):
                out.append(v)
    return out


def _span(flow: _flow.Flow, a: _Allocation, bits: dict[Any, int], before: list[int], after: list[int]) -> tuple[int, int, list[tuple[int, int]]]:
    """Returns the lifespan of an allocation in nodes, and its gaps."""
    mask = sum(bits[v] for v in a.values)
    nodes = [n for n in range(len(flow.ops)) if (before[n] | after[n]) & mask or n == flow.begin[a.op]]
    gaps = [(p + 1, q) for p, q in zip(nodes, nodes[1:]) if q > p + 1]
    return nodes[0], nodes[-1] + 1, gaps


def _rewrite_varied(f: Any, entry: _varied.Entry, space: Any, moved: list[_Allocation], plan: _varied.Plan) -> None:
    entry.anchor = f.body.blocks[0].first_op
    starts, size = entry.place(plan, [a.op for a in moved], [a.width for a in moved], [a.alignment for a in moved])
    arena = _arena(f, space, moved, [size], entry.anchor)
    memref: Any = import_module("xdsl.dialects.memref")
    Rewriter = import_module("xdsl.rewriter").Rewriter
    for a, start in zip(moved, starts):
        view = memref.ViewOp(arena, start, list(a.op.dynamic_sizes), a.op.memref.type)
        view.result.name_hint = a.op.memref.name_hint
        Rewriter.replace_op(a.op, [view])


def _arena(f: Any, space: Any, moved: list[_Allocation], size: list[Any], before: Any, height: Optional[int] = None) -> Any:
    """Allocates the arena before an operation, and frees it before each return."""
    builtin: Any = import_module("xdsl.dialects.builtin")
    memref: Any = import_module("xdsl.dialects.memref")
    Builder, InsertPoint = import_module("xdsl.builder").Builder, import_module("xdsl.rewriter").InsertPoint
    kind = builtin.MemRefType(builtin.i8, [builtin.DYNAMIC_INDEX if height is None else height], builtin.NoneAttr(), space)
    arena = memref.AllocOp(size, [], kind, builtin.IntegerAttr(max(a.alignment for a in moved), builtin.i64))
    arena.memref.name_hint = "arena"
    Builder(InsertPoint.before(before)).insert(arena)
    for op in list(f.walk()):
        if op.name == "func.return":
            Builder(InsertPoint.before(op)).insert(memref.DeallocOp.get(arena.memref))
    return arena.memref


def _rewrite(f: Any, space: Any, moved: list[tuple[_Allocation, int]], height: int) -> None:
    arith: Any = import_module("xdsl.dialects.arith")
    builtin: Any = import_module("xdsl.dialects.builtin")
    memref: Any = import_module("xdsl.dialects.memref")
    Rewriter = import_module("xdsl.rewriter").Rewriter
    arena = _arena(f, space, [a for a, _ in moved], [], f.body.blocks[0].first_op, height)
    for a, offset in moved:
        shift = arith.ConstantOp(builtin.IntegerAttr(offset, builtin.IndexType()))
        view = memref.ViewOp(arena, shift.result, [], a.op.memref.type)
        shift.result.name_hint, view.result.name_hint = "at", a.op.memref.name_hint
        Rewriter.replace_op(a.op, [shift, view])

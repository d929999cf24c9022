"""The control flow of a function in MLIR, and which memrefs may be which allocation.

Idea: each operation is a node; one with regions is two, where it begins and where it ends, and each block has a node at
which its arguments are set. Edges lead to what may run next: loops lead back, branches lead to either side. Of an
operation whose control flow is not known, every region may follow every other.

A memref flows from an operand to the results of an operation, from a branch to the arguments of a block, and from a yield to
the results of the operation around it. The allocations from which a value may come are its roots.

Invariant: if a program can go from one operation to the next, there is an edge. Edges and flows that no run takes are
harmless: they make lifespans longer, never shorter.
Source: the control flow of scf, cf and affine as MLIR's documentation describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

#: Operations whose regions are alternatives: one of them runs, once, or none.
ALTERNATIVES = {"scf.if", "scf.index_switch", "affine.if", "scf.execute_region", "memref.alloca_scope"}
#: Loops: the region runs again and again, or not at all.
LOOPS = {"scf.for", "affine.for"}
#: The first region runs, then the second and the first again, or the end comes.
WHILE = {"scf.while"}
SEQUENTIAL = ALTERNATIVES | LOOPS | WHILE


class Flow:
    """Nodes and edges of one function. Nodes are numbered in the order of the text."""

    def __init__(self, function: Any) -> None:
        self.ops: list[Any] = []  # of each node: the operation; None for the start of a block
        self.edges: list[set[int]] = []
        self.defines: list[list[Any]] = []  # values that a node sets
        self.uses: list[list[Any]] = []
        self.begin: dict[Any, int] = {}  # of operations
        self.starts: dict[Any, int] = {}  # of blocks
        self.into: dict[Any, set[Any]] = {}  # value: the values that it flows into
        self.ends: dict[Any, int] = {}
        self.number(function.body)
        self.connect(function.body, None)

    # ---------------------------------------------------------------- nodes

    def node(self, op: Any, defines: Iterable[Any], uses: Iterable[Any]) -> int:
        self.ops.append(op)
        self.edges.append(set())
        self.defines.append([v for v in defines if is_memory(v.type)])
        self.uses.append([v for v in uses if is_memory(v.type)])
        return len(self.ops) - 1

    def number(self, region: Any) -> None:
        for block in region.blocks:
            self.starts[block] = self.node(None, block.args, ())
            for op in block.ops:
                if not op.regions:
                    self.begin[op] = self.ends[op] = self.node(op, op.results, op.operands)
                    continue
                self.begin[op] = self.node(op, (), op.operands)
                for inner in op.regions:
                    self.number(inner)
                self.ends[op] = self.node(op, op.results, ())

    # ---------------------------------------------------------------- edges and flows

    def connect(self, region: Any, parent: Any) -> None:
        """Adds the edges in a region; parent is the operation around it, None for the function."""
        for block in region.blocks:
            before = self.starts[block]
            for op in block.ops:
                self.edges[before].add(self.begin[op])
                before = self.ends[op]
                if op.regions:
                    self.around(op)
                if op.successors:
                    for after in op.successors:
                        self.edges[before].add(self.starts[after])
                        self.flow(op.operands, after.args)
                elif not op.regions:
                    self.flow(op.operands, op.results, same=False)
            if parent is not None and block.last_op is not None and not block.last_op.successors:
                self.leave(parent, region, block.last_op, before)

    def around(self, op: Any) -> None:
        """Adds the edges into an operation's regions, and past them."""
        begin, end = self.begin[op], self.ends[op]
        regions = [r for r in op.regions if r.blocks]
        for k, region in enumerate(regions):
            if k == 0 or op.name not in WHILE:
                self.edges[begin].add(self.starts[region.blocks[0]])
            self.flow(op.operands, region.blocks[0].args)
            self.connect(region, op)
        if op.name not in WHILE:
            self.edges[begin].add(end)
        self.flow(op.operands, op.results)

    def leave(self, parent: Any, region: Any, last: Any, node: int) -> None:
        """Adds the edges from the end of a region."""
        regions = [r for r in parent.regions if r.blocks]
        if parent.name in ALTERNATIVES:
            after = []
        elif parent.name in WHILE:
            after = [regions[1]] if region is regions[0] else [regions[0]]
        else:
            after = regions
        if parent.name not in WHILE or region is regions[0]:
            self.edges[node].add(self.ends[parent])
        self.flow(last.operands, parent.results)
        for r in after:
            self.edges[node].add(self.starts[r.blocks[0]])
            self.flow(last.operands, r.blocks[0].args)

    def flow(self, of: Iterable[Any], to: Iterable[Any], same: bool = True) -> None:
        """Says that each memref of some values may become each of others, of the same type if same."""
        to = [v for v in to if is_memory(v.type)]
        for v in of:
            if is_memory(v.type):
                self.into.setdefault(v, set()).update(w for w in to if not same or w.type == v.type)

    # ---------------------------------------------------------------- answers

    def reached(self, value: Any) -> set[Any]:
        """Returns the values that a memref may become, itself among them."""
        out, todo = {value}, [value]
        while todo:
            for w in self.into.get(todo.pop(), ()):
                if w not in out:
                    out.add(w)
                    todo.append(w)
        return out

    def live(self, values: Iterable[Any], lent: Iterable[Any] = ()) -> tuple[dict[Any, int], list[int], list[int]]:
        """Returns a bit for each value, and for each node the values that are live before and after it.

        A dealloc is no use: the last access is what counts. But what is lent to another function may be kept there, in
        a memref of memrefs, and is in use until it is freed."""
        lent = set(lent)
        bits = {v: 1 << k for k, v in enumerate(values)}
        n = len(self.ops)
        sets = [sum(bits.get(v, 0) for v in set(self.defines[k])) for k in range(n)]
        uses = [_either(bits.get(v, 0) for v in self.uses[k] if _name(self.ops[k]) != "memref.dealloc" or v in lent) for k in range(n)]
        before, after = [0] * n, [0] * n
        sources: list[list[int]] = [[] for _ in range(n)]
        for k, to in enumerate(self.edges):
            for t in to:
                sources[t].append(k)
        todo = set(range(n))
        while todo:
            k = max(todo)
            todo.remove(k)
            after[k] = _either(before[t] for t in self.edges[k])
            now = after[k] & ~sets[k] | uses[k]
            if now != before[k]:
                before[k] = now
                todo.update(sources[k])
        return bits, before, after


def _either(masks: Iterable[int]) -> int:
    out = 0
    for m in masks:
        out |= m
    return out


def _name(op: Any) -> str:
    return "" if op is None else op.name


def is_memory(kind: Any) -> bool:
    """Returns whether a value of a type may hold an address: a memref, or anything that is no plain number."""
    builtin: Any = import_module("xdsl.dialects.builtin")
    scalars = (builtin.IntegerType, builtin.IndexType, builtin.AnyFloat, builtin.VectorType, builtin.ComplexType)
    return not isinstance(kind, scalars)


def parents(op: Any) -> Iterator[Any]:
    """Yields the operations around an operation, the nearest first."""
    op = op.parent_op()
    while op is not None:
        yield op
        op = op.parent_op()

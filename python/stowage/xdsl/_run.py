# mypy: disallow-subclassing-any=False, disallow-untyped-decorators=False
"""A module runs in xDSL's interpreter, and its memory is counted.

Idea: xDSL's interpreter fills what it allocates with zeros and has no views. Here fresh memory is filled with a pattern, and so is the
memory of each new view, since a program may not rely on what is in it. If a plan puts two live allocations on the same
bytes, the pattern of one is found in the other, and the results change.
"""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import Any, NamedTuple

# By their names, so that a type checker does not read all of xDSL.
builtin: Any = import_module("xdsl.dialects.builtin")
arith: Any = import_module("xdsl.dialects.arith")
memref: Any = import_module("xdsl.dialects.memref")
interpreters: Any = import_module("xdsl.interpreter")
shaped_array: Any = import_module("xdsl.interpreters.shaped_array")
ptr: Any = import_module("xdsl.interpreters.utils.ptr")
xtype_for_el_type: Any = import_module("xdsl.interpreters.builtin").xtype_for_el_type
impl: Any = interpreters.impl

PATTERN = 0x3E  # of floats a small number, of integers a large one


class Outcome(NamedTuple):
    """What a run gave."""

    results: tuple[Any, ...]
    """The results of the function; a memref as a list of its elements."""
    memory: tuple[list[Any], ...]
    """What is in the memrefs that were given as arguments, after the run."""
    peak: int
    """The most bytes that were allocated at one time, by memref.alloc."""


@interpreters.register_impls
class Memory(interpreters.InterpreterFunctions):
    """The operations that Stowage's pass writes or counts, and that xDSL's interpreter lacks."""

    def __init__(self) -> None:
        self.live: dict[int, bytearray] = {}
        self.peak = 0

    @impl(memref.AllocOp)
    def alloc(self, interpreter: Any, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        sizes = iter(args)
        shape = [next(sizes) if d < 0 else d for d in op.memref.type.get_shape()]
        xtype = xtype_for_el_type(op.memref.type.get_element_type(), interpreter.index_bitwidth)
        memory = bytearray([PATTERN]) * (prod(shape) * xtype.compile_time_size)
        self.live[id(memory)] = memory
        self.peak = max(self.peak, sum(map(len, self.live.values())))
        return (shaped_array.ShapedArray(ptr.TypedPtr(ptr.RawPtr(memory), xtype=xtype), shape),)

    @impl(memref.DeallocOp)
    def dealloc(self, interpreter: Any, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        memory = args[0].data_ptr.raw.memory
        if self.live.pop(id(memory), None) is None:
            raise ValueError(f"freed twice, or never allocated: {op}")
        return ()

    @impl(memref.ViewOp)
    def view(self, interpreter: Any, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        source, shift, *sizes = args
        left = iter(sizes)
        shape = [next(left) if d < 0 else d for d in op.result.type.get_shape()]
        xtype = xtype_for_el_type(op.result.type.get_element_type(), interpreter.index_bitwidth)
        raw, n = source.data_ptr.raw + shift, prod(shape) * xtype.compile_time_size
        if shift < 0 or raw.offset + n > len(raw.memory):
            raise ValueError(f"a view of {n} bytes at {shift} leads beyond its memref of {len(raw.memory)}: {op}")
        raw.memory[raw.offset : raw.offset + n] = bytes([PATTERN]) * n
        return (shaped_array.ShapedArray(ptr.TypedPtr(raw, xtype=xtype), shape),)

    @impl(arith.MaxSIOp)
    def most(self, interpreter: Any, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return (max(args),)

    @impl(memref.DimOp)
    def dim(self, interpreter: Any, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return (args[0].shape[args[1]],)

    @impl(memref.CopyOp)
    def copy(self, interpreter: Any, op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        source, to = args
        for k, value in enumerate(source.data):
            to.data_ptr[k] = value
        return ()


def run(module: Any, function: str, *args: Any, context: Any = None) -> Outcome:
    """Runs a function of a module. An argument for a memref is a list of its elements; the list is not changed."""
    interpreter = interpreters.Interpreter(module)
    import_module("xdsl.interpreters").register_implementations(interpreter, context or import_module("xdsl.context").Context())
    memory = Memory()
    interpreter.register_implementations(memory, override=True)
    f = next(op for op in module.walk() if op.name == "func.func" and op.sym_name.data == function)
    given: list[Any] = []
    for value, kind in zip(args, f.function_type.inputs):
        if isinstance(kind, builtin.MemRefType):
            xtype = xtype_for_el_type(kind.get_element_type(), interpreter.index_bitwidth)
            fixed = prod(d for d in kind.get_shape() if d >= 0)
            shape = [d if d >= 0 else len(value) // fixed for d in kind.get_shape()]  # one dimension may be open
            value = shaped_array.ShapedArray(ptr.TypedPtr.new(list(value), xtype=xtype), shape)
        given.append(value)
    results = interpreter.call_op(function, tuple(given))
    return Outcome(
        tuple(r.data if isinstance(r, shaped_array.ShapedArray) else r for r in results), tuple(x.data for x in given if isinstance(x, shaped_array.ShapedArray)), memory.peak
    )

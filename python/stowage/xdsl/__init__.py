# mypy: disallow-subclassing-any=False
"""One arena for the memrefs of a function in MLIR: a pass over xDSL.

    import stowage.xdsl

    for report in stowage.xdsl.plan(module):
        print(report)              # @main: 5 allocations of 3,072 bytes in an arena of 1,536, the least possible for these lifespans

In each function memref.alloc and memref.dealloc become one allocation, the arena, with a memref.view at a planned offset for each. The
module is changed in place. ArenaPass is the same as a pass of xDSL, named stowage-arena. run runs a function in
xDSL's interpreter and counts its memory, for a comparison of before and after. docs/mlir.md has the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Optional

from .._errors import InputError
from .._units import Seconds
from ._plan import Function, function

# By their names, so that a type checker does not read all of xDSL.
try:
    ModulePass: Any = import_module("xdsl.passes").ModulePass
except ImportError as err:
    raise ImportError("stowage.xdsl needs xDSL: pip install xdsl") from err

from ._run import Outcome, run

__all__ = ["ArenaPass", "Function", "Outcome", "plan", "run"]


def plan(module: Any, *, timeout: Optional[Seconds] = 10, ranges: Mapping[str, Sequence[int]] = MappingProxyType({})) -> list[Function]:
    """Plans the allocations of each function of a module in place, and returns a report for each function.

    module   a builtin.module of xDSL, which verifies
    timeout  the time for planning each function, in seconds
    ranges   for sizes that vary: the lowest and the highest value of arguments, and the step if it is not 1. An argument %n is
             "n", one without a name "arg0", and dimension 1 of an argument %x is "x:1". Values beyond a range run too: their
             arena is not known to be low"""
    if not isinstance(module, import_module("xdsl.dialects.builtin").ModuleOp):
        raise InputError(f"module is a {type(module).__name__}, not a builtin.module of xDSL")
    module.verify()
    out = [function(f, timeout, ranges) for f in list(module.walk()) if f.name == "func.func" and f.body.blocks]
    module.verify()
    return out


@dataclass(frozen=True)
class ArenaPass(ModulePass):
    """The pass for pipelines of xDSL. Its option is the time for planning each function, in seconds."""

    name = "stowage-arena"
    timeout: float = 10.0

    def apply(self, ctx: Any, op: Any) -> None:
        """Plans a module in place."""
        plan(op, timeout=self.timeout)

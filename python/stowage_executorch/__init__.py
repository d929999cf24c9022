"""Memory plans for ExecuTorch that are never larger than those of its own greedy algorithm.

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass
    from stowage_executorch import suite

    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(memory_planning_algo=suite()))
    program = edge.to_executorch(config)

The library of the package stowage plans. docs/executorch.md says what is planned, what was
measured, and how a command can plan instead.
"""

from .algorithm import Arena, Stowage, suite
from .banked import Bank, Banked, banked
from .transport import StowageError

__all__ = ["Arena", "Bank", "Banked", "Stowage", "StowageError", "banked", "suite"]

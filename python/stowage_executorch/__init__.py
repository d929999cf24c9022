"""Memory plans for ExecuTorch that are never larger than its own greedy's.

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass
    from stowage_executorch import suite

    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(memory_planning_algo=suite()))
    program = edge.to_executorch(config)

The command `stowage` does the planning; docs/executorch.md says how it is found,
what is planned and what was measured.
"""

from .algorithm import Arena, Stowage, suite
from .transport import StowageError

__all__ = ["Arena", "Stowage", "StowageError", "suite"]

"""PyTorch's memory from a plan: a training step or an inference allocates from one arena.

    import stowage.torch

    a = stowage.torch.arena()
    for batch in batches:
        with a:                    # around every step
            step(batch)
    print(a.stats())

The first ten steps are recorded, or six if none of them came twice: so many show what steps take without a plan. Then the command
`stowage arena plan` works out, in another process, at which offset of one block each allocation of a step
lies, so that the block is as small as can be. From then on, allocations are served from that
block. What the plan does not expect is allocated as before, so that losses are the same whatever the program does. If a step has other shapes, the arena
records and plans again, and keeps both plans. docs/pytorch.md has the rest.

It serves tensors of the CPU; cuda() serves those of a GPU. The library of stowage is never loaded here, so
that workers may fork.
"""

from importlib import import_module

from .._arena.arena import Arena, Stats
from ._cpu import arena
from ._cuda import cuda

__all__ = ["Arena", "Stats", "arena", "cuda"]

# By its name, so that a type checker does not read all of PyTorch. The adapter needs c10, which is loaded with it.
try:
    import_module("torch")
except ImportError as err:
    raise ImportError("stowage.torch needs PyTorch: pip install torch") from err

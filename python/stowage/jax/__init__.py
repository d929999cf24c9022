"""XLA's heap on the CPU from a better plan: a compiled function of JAX that needs less memory.

    import stowage.jax

    compiled = jax.jit(f).lower(*args).compile()
    better, report = stowage.jax.replan(compiled)
    print(report)                  # heap of 2,552,832 bytes is 2,340,864 (8.3% less), the least possible in this order …
    better(*args)                  # the same outputs, bit by bit

XLA plans the temporaries of a compiled function. On branching networks at small batch its plan is 1 to 13% above
the least in its order of the steps. replan serialises the function, reads its schedule, plans its heap anew, and loads
it again. Then it runs both on random inputs and compares the outputs. rewrite does this for a payload of
jax.experimental.serialize_executable, without running it. Both keep the order of the steps, unless replan has order=True.

The format of serialised executables is internal to one version of jaxlib: other versions than those in VERSIONS are
refused, and so is everything in an executable that is not known. docs/jax.md has the rest.
"""

from importlib import import_module

from ._rewrite import Report
from ._run import replan, rewrite
from ._thunks import VERSIONS, Refused

__all__ = ["VERSIONS", "Refused", "Report", "replan", "rewrite"]

# By its name, so that a type checker does not read all of JAX.
try:
    import_module("jax")
except ImportError as err:
    raise ImportError("stowage.jax needs JAX: pip install jax==" + VERSIONS[-1]) from err

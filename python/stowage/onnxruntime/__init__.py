"""ONNX Runtime's memory from a plan: the runs of a model allocate from one arena.

    import stowage.onnxruntime

    session = stowage.onnxruntime.InferenceSession("model.onnx")    # in the place of onnxruntime's
    for x in inputs:
        session.run(None, {"x": x})
    print(session.stats())

The first two runs are recorded. Then the command `stowage arena plan` works out, in another process, at which
offset of one block each allocation of a run lies, so that the block is as small as can be. From the third run
on, allocations are served from that block. What the plan does not expect comes from malloc, so that outputs
are the same whatever the program does. If inputs have other shapes, the arena records and plans again, and keeps both plans.

Several sessions, or sessions that other code makes, share an arena if they are made with options(), and run within `with arena():`.
docs/onnxruntime.md has the rest.
"""

from importlib import import_module

try:
    import_module("onnxruntime")
except ImportError as err:
    raise ImportError("stowage.onnxruntime needs ONNX Runtime: pip install onnxruntime") from err

from .._arena.arena import Stats
from ._session import Arena, InferenceSession, arena, options

__all__ = ["Arena", "InferenceSession", "Stats", "arena", "options"]

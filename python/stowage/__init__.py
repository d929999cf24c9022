"""Static memory plans: an offset for each buffer, if sizes and lifespans are known before the
program runs.

    import stowage

    plan = stowage.solve(lower=[0, 0, 1], upper=[2, 4, 4], size=[600, 300, 500])
    plan.offsets, plan.height, plan.status     # [0, 1100, 600], 1400, 'optimal'

    stowage.plan("model.tflite")               # a file: a model, a dump, CSV, JSON
    stowage.plan(frame, capacity="1MiB")       # a table with lower, upper, size, …

Times are logical and half-open: a buffer is live at lower, lower + 1, …, upper - 1. Every
plan has been verified. An outcome, such as that nothing fits, is a status of the plan, with
its reason. Bad input is an exception, and doubtful input a warning.

The command `stowage solve` is plan here; solve takes columns, and also what plan takes. docs/python.md has the rest.
"""

from ._api import conflict, explain, load, lower_bound, plan, size, solve, solve_many, valid, verify
from ._barriers import Wait, barriers
from ._command import command
from ._errors import Error, FolderError, InputError, InputWarning, MissingFileError, NoPlanError, OutputError, UnreadableFileError
from ._times import EndsWarning, TimesWarning
from ._generate import generate
from ._graph import plan_graph, verify_graph
from ._order import Order
from ._trace import plan_trace
from ._plan import Plan
from ._problem import Buffer, Problem
from ._progress import Progress
from ._rules import Part, Pool, Rules
from ._session import Answer, Moved, Proof, Session
from ._size import Sizing
from ._sweep import Row, sweep
from ._version import __version__

__all__ = [
    "Answer", "Buffer", "EndsWarning", "Error", "FolderError", "InputError", "InputWarning", "MissingFileError", "Moved", "NoPlanError",
    "Order", "OutputError", "Part", "Plan", "Pool", "Problem", "Progress", "Proof", "Row", "Rules", "Session", "Sizing", "TimesWarning",
    "UnreadableFileError", "Wait", "__version__", "barriers", "command", "conflict", "explain", "generate", "load", "lower_bound", "plan",
    "plan_graph", "plan_trace", "size", "solve", "solve_many", "sweep", "valid", "verify", "verify_graph",
]  # fmt: skip

# Tracebacks and documents name them as users do: stowage.InputError, not stowage._errors.InputError.
for _kind in (
    Error, InputError, NoPlanError, MissingFileError, UnreadableFileError, FolderError, OutputError, InputWarning, EndsWarning, TimesWarning,
):  # fmt: skip
    _kind.__module__ = __name__

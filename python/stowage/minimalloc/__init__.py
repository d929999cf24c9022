"""The Python API of google/minimalloc, with Stowage as its planner. To switch, change one import.

    import stowage.minimalloc as mm

    problem = mm.from_csv_file("problem.csv")
    problem.capacity = 12
    solution = mm.Solver().solve(problem)  # None if nothing fits

The classes, functions and fields are the same, and so are the checks of a problem and the kind
of result. The search differs: among the plans that fit, Stowage may return another one, and
get_backtracks counts Stowage's own backtracks. If a switch of google/minimalloc's search is
changed, that search runs, with the same backtracks.

Source: google/minimalloc 9f5cf81, python/minimalloc. This was written from its interface and
its tests.
"""

from ._model import (
    Buffer,
    Duration,
    Gap,
    Interval,
    Lifespan,
    Problem,
    SectionRange,
    Solution,
    ValidationResult,
    Window,
    validate,
)
from ._solver import PreorderData, PreorderingComparator, Solver, SolverParams
from ._sweep import (
    BufferData,
    Overlap,
    Partition,
    SectionSpan,
    SweepPoint,
    SweepPointType,
    SweepResult,
    create_points,
    sweep,
)
from .utils import from_csv, from_csv_file, to_csv, to_csv_file

__version__ = "0.1.0"

# Names for numbers.
Area = BufferIdx = Capacity = CutCount = Offset = SectionIdx = TimeValue = int

__all__ = [
    "Area", "Buffer", "BufferData", "BufferIdx", "Capacity", "CutCount", "Duration", "Gap", "Interval", "Lifespan", "Offset",
    "Overlap", "Partition", "PreorderData", "PreorderingComparator", "Problem", "SectionIdx", "SectionRange", "SectionSpan",
    "Solution", "Solver", "SolverParams", "SweepPoint", "SweepPointType", "SweepResult", "TimeValue", "ValidationResult",
    "Window", "create_points", "from_csv", "from_csv_file", "sweep", "to_csv", "to_csv_file", "validate",
]  # fmt: skip

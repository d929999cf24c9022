"""The Python API of google/minimalloc, over Stowage: its users change one import.

    import stowage.minimalloc as mm

    problem = mm.from_csv_file("problem.csv")
    problem.capacity = 12  # None comes back where there is none
    solution = mm.Solver().solve(problem)

What is the same: every class, function and field, what is asked of a problem, what
solve returns. What is not: Stowage searches in its own way, so among the plans that fit
it may return another one, and get_backtracks counts its own. Where a switch of that
program's search is changed, that search is what runs, to the count of its backtracks.

Source: google/minimalloc 9f5cf81, python/minimalloc. This is written from its interface
and its tests.
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

# Numbers, by what they are of.
Area = BufferIdx = Capacity = CutCount = Offset = SectionIdx = TimeValue = int

__all__ = [
    "Area", "Buffer", "BufferData", "BufferIdx", "Capacity", "CutCount", "Duration", "Gap", "Interval", "Lifespan", "Offset",
    "Overlap", "Partition", "PreorderData", "PreorderingComparator", "Problem", "SectionIdx", "SectionRange", "SectionSpan",
    "Solution", "Solver", "SolverParams", "SweepPoint", "SweepPointType", "SweepResult", "TimeValue", "ValidationResult",
    "Window", "create_points", "from_csv", "from_csv_file", "sweep", "to_csv", "to_csv_file", "validate",
]  # fmt: skip

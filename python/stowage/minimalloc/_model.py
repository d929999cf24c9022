"""Buffers, problems and solutions, and the check of a solution."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, field
from typing import Optional

import stowage


@functools.total_ordering
class Duration:
    """A time in seconds; Duration.infinite() has no end."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = float(seconds)

    @classmethod
    def from_seconds(cls, seconds: float) -> Duration:
        return cls(seconds)

    @classmethod
    def from_milliseconds(cls, ms: float) -> Duration:
        return cls(ms / 1e3)

    @classmethod
    def from_microseconds(cls, us: float) -> Duration:
        return cls(us / 1e6)

    @classmethod
    def infinite(cls) -> Duration:
        return cls(float("inf"))

    def to_seconds(self) -> float:
        return self._seconds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and self._seconds == other._seconds

    def __lt__(self, other: Duration) -> bool:
        return self._seconds < other._seconds

    def __hash__(self) -> int:
        return hash(self._seconds)

    def __repr__(self) -> str:
        return "Duration.infinite()" if self._seconds == float("inf") else f"Duration({self._seconds:g} seconds)"


@dataclass(frozen=True, order=True, repr=False)
class Interval:
    """Half-open: [lower, upper)."""

    lower: int = 0
    upper: int = 0

    def __repr__(self) -> str:
        return f"Interval({self.lower}, {self.upper})"


Lifespan = Window = SectionRange = Interval


@dataclass(unsafe_hash=True)
class Gap:
    """A time at which a buffer is not in use, except for the window."""

    lifespan: Interval = Interval()
    window: Optional[Interval] = None

    def __repr__(self) -> str:
        return f"Gap(lifespan={self.lifespan}, window={self.window})"


@dataclass(repr=False)
class Buffer:
    """One block of memory."""

    id: str = ""
    lifespan: Interval = Interval()
    size: int = 0
    alignment: int = 1
    gaps: list[Gap] = field(default_factory=list)
    offset: Optional[int] = None
    hint: Optional[int] = field(default=None, compare=False)

    def area(self) -> int:
        """Returns size times duration."""
        return self.size * (self.lifespan.upper - self.lifespan.lower)

    def window(self, time: int) -> Optional[Interval]:
        """Returns the window of its bytes that the buffer uses at a time within its lifespan."""
        for gap in self.gaps:
            if gap.lifespan.lower <= time < gap.lifespan.upper:
                return gap.window
        return Interval(0, self.size)

    def effective_size(self, other: Buffer) -> Optional[int]:
        """Returns the least distance from the offset of this buffer to that of the other, if
        the other lies above; None if the two are never in use at the same time."""
        lower = max(self.lifespan.lower, other.lifespan.lower)
        upper = min(self.lifespan.upper, other.lifespan.upper)
        times = {lower}
        for gap in (*self.gaps, *other.gaps):
            times.update((gap.lifespan.lower, gap.lifespan.upper))
        most = None
        for time in times:
            if lower <= time < upper:
                below, above = self.window(time), other.window(time)
                if below is not None and above is not None:
                    need = below.upper - above.lower
                    most = need if most is None else max(most, need)
        return most

    def __hash__(self) -> int:
        return hash((self.id, self.lifespan, self.size, self.alignment, tuple(self.gaps), self.offset))

    def __repr__(self) -> str:
        return (
            f"Buffer(id='{self.id}', lifespan={self.lifespan}, size={self.size}, alignment={self.alignment}, "
            f"gaps={self.gaps}, offset={self.offset}, hint={self.hint})"
        )


@dataclass
class Solution:
    """An offset for each buffer, and the largest offset + size."""

    offsets: list[int] = field(default_factory=list)
    height: int = field(default=0, compare=False)

    def __hash__(self) -> int:
        return hash(tuple(self.offsets))


@dataclass
class Problem:
    """Buffers, and the capacity to fit them into."""

    buffers: list[Buffer] = field(default_factory=list)
    capacity: int = 0

    def strip_solution(self) -> Optional[Solution]:
        """Removes the offsets from the buffers and returns them, or None if a buffer has none."""
        if any(buffer.offset is None for buffer in self.buffers):
            return None
        solution = Solution([buffer.offset for buffer in self.buffers if buffer.offset is not None])
        for buffer in self.buffers:
            buffer.offset = None
        return solution

    def __hash__(self) -> int:
        return hash((self.capacity, tuple(buffer.id for buffer in self.buffers)))


class ValidationResult(enum.Enum):
    GOOD = 0
    BAD_SOLUTION = 1
    BAD_FIXED = 2
    BAD_OFFSET = 3
    BAD_OVERLAP = 4
    BAD_ALIGNMENT = 5
    BAD_HEIGHT = 6


def planned(problem: Problem) -> stowage.Problem:
    """Returns the Problem of Stowage for a problem, without its capacity."""
    return stowage.Problem.of(
        stowage.Buffer(
            b.lifespan.lower, b.lifespan.upper, b.size, b.alignment, b.offset, b.hint,
            sorted((g.lifespan.lower, g.lifespan.upper, *((g.window.lower, g.window.upper) if g.window else ())) for g in b.gaps),
        )
        for b in problem.buffers
    )  # fmt: skip


def validate(problem: Problem, solution: Solution) -> ValidationResult:
    """Checks a solution, and returns the first rule that it breaks."""
    if len(problem.buffers) != len(solution.offsets):
        return ValidationResult.BAD_SOLUTION
    height = 0
    for buffer, offset in zip(problem.buffers, solution.offsets):
        end = offset + buffer.size
        height = max(height, end)
        if buffer.offset is not None and buffer.offset != offset:
            return ValidationResult.BAD_FIXED
        if offset < 0 or end > problem.capacity:
            return ValidationResult.BAD_OFFSET
        if end > solution.height:
            return ValidationResult.BAD_HEIGHT
        if offset % buffer.alignment:
            return ValidationResult.BAD_ALIGNMENT
    if height != solution.height:
        return ValidationResult.BAD_HEIGHT
    # The only rule that is left: two buffers must not share bytes at the same time.
    return ValidationResult.BAD_OVERLAP if stowage.verify(planned(problem), solution.offsets) else ValidationResult.GOOD

"""Sections, partitions and overlaps, as google/minimalloc defines them.

Idea: the life of a buffer is a sequence of pieces. In each piece the buffer uses one window
of its bytes: all of them, those that a gap leaves, or none. A piece begins with a LEFT point
and ends with a RIGHT point. A line sweeps over the points in their order. It closes a section
when a piece ends after another one has begun, and a partition when no buffer is live any more.

Complexity: the number of pairs of buffers that are live at the same time.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Optional

from ._model import Buffer, Interval, Problem


class SweepPointType(enum.IntEnum):
    RIGHT = 0
    LEFT = 1


@dataclass(unsafe_hash=True)
class SweepPoint:
    """One end of a piece of a buffer's life; endpoint is set if it is an end of the life itself."""

    buffer_idx: int
    time_value: int
    point_type: SweepPointType
    window: Interval
    endpoint: bool = False

    def __lt__(self, other: SweepPoint) -> bool:
        return (self.time_value, self.point_type, self.buffer_idx) < (other.time_value, other.point_type, other.buffer_idx)


@dataclass(unsafe_hash=True)
class SectionSpan:
    """Consecutive sections in which a buffer uses one window."""

    section_range: Interval = Interval()
    window: Interval = Interval()


@dataclass
class Partition:
    """Buffers that are never live together with other buffers, and their sections."""

    buffer_idxs: list[int] = field(default_factory=list)
    section_range: Interval = Interval()

    def __hash__(self) -> int:
        return hash((tuple(self.buffer_idxs), self.section_range))


@dataclass(unsafe_hash=True, order=True)
class Overlap:
    """A buffer that is live together with another one, and the room that the other needs below it."""

    buffer_idx: int = -1
    effective_size: int = 0


class BufferData:
    """What a sweep knows about a buffer."""

    def __init__(self, section_spans: Iterable[SectionSpan] = (), overlaps: Optional[Iterable[Overlap]] = None) -> None:
        self.section_spans: list[SectionSpan] = list(section_spans)
        self.overlaps = overlaps

    @property
    def overlaps(self) -> set[Overlap]:
        return self._overlaps

    @overlaps.setter
    def overlaps(self, overlaps: Optional[Iterable[Overlap]]) -> None:
        self._overlaps = set(overlaps or ())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BufferData) and (self.section_spans, self._overlaps) == (other.section_spans, other._overlaps)

    def __hash__(self) -> int:
        return hash((tuple(self.section_spans), frozenset(self._overlaps)))

    def __repr__(self) -> str:
        return f"BufferData(section_spans={self.section_spans}, overlaps={self._overlaps})"


class SweepResult:
    """Sections (sets of buffers), partitions, and the data of each buffer."""

    def __init__(
        self, sections: Optional[Iterable[Iterable[int]]] = None, partitions: Iterable[Partition] = (), buffer_data: Iterable[BufferData] = ()
    ) -> None:
        self.sections = sections or ()
        self.partitions: list[Partition] = list(partitions)
        self.buffer_data: list[BufferData] = list(buffer_data)

    @property
    def sections(self) -> list[set[int]]:
        return self._sections

    @sections.setter
    def sections(self, sections: Iterable[Iterable[int]]) -> None:
        self._sections = [set(section) for section in sections]

    def calculate_cuts(self) -> list[int]:
        """Returns, for each section, how many buffers are live in it and in the next one."""
        cuts = [0] * max(len(self._sections) - 1, 0)
        for data in self.buffer_data:
            if data.section_spans:
                for s in range(data.section_spans[0].section_range.lower, data.section_spans[-1].section_range.upper - 1):
                    cuts[s] += 1
        return cuts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SweepResult) and (self._sections, self.partitions, self.buffer_data) == (
            other._sections,
            other.partitions,
            other.buffer_data,
        )


def _pieces(buffer: Buffer) -> Iterator[tuple[int, int, Interval]]:
    """Yields each piece of a buffer's life: its first time, its end, and the window in use."""
    at, whole = buffer.lifespan.lower, Interval(0, buffer.size)
    for gap in sorted(buffer.gaps, key=lambda gap: gap.lifespan):
        # The ends of a life count even if a gap is there.
        if at < gap.lifespan.lower or gap.window is None and at == buffer.lifespan.lower:
            yield at, gap.lifespan.lower, whole
        if gap.window is not None:
            yield gap.lifespan.lower, gap.lifespan.upper, gap.window
        at = gap.lifespan.upper
    if at < buffer.lifespan.upper or buffer.gaps and max(buffer.gaps, key=lambda gap: gap.lifespan).window is None:
        yield at, buffer.lifespan.upper, whole


def create_points(problem: Problem) -> list[SweepPoint]:
    """Returns the ends of all pieces, sorted by time, with RIGHT points first."""
    points = []
    for i, buffer in enumerate(problem.buffers):
        pieces = list(_pieces(buffer))
        for k, (lower, upper, window) in enumerate(pieces):
            first, last = k == 0, k == len(pieces) - 1
            if lower < upper or first:
                points.append(SweepPoint(i, lower, SweepPointType.LEFT, window, first))
            if lower < upper or last:
                points.append(SweepPoint(i, upper, SweepPointType.RIGHT, window, last))
    return sorted(points)


def sweep(problem: Problem) -> SweepResult:
    """Sweeps over the points of a problem."""
    buffers = problem.buffers
    result = SweepResult(buffer_data=[BufferData() for _ in buffers])
    sections, partitions, data = result.sections, result.partitions, result.buffer_data
    active: set[int] = set()  # in use
    alive: set[int] = set()  # between the ends of its life
    began = [0] * len(buffers)  # the section of the piece that is open
    closed, partition = None, 0  # the time of the last section, the first section of the partition
    for point in create_points(problem):
        i = point.buffer_idx
        if closed is None:
            closed = point.time_value
        if point.point_type == SweepPointType.LEFT:
            if not alive:
                partitions.append(Partition())
            if point.endpoint:
                partitions[-1].buffer_idxs.append(i)
                for j in alive:
                    for one, other in ((i, j), (j, i)):
                        size = buffers[one].effective_size(buffers[other])
                        if size is not None:
                            data[one].overlaps.add(Overlap(other, size))
                alive.add(i)
            active.add(i)
            began[i] = len(sections)
            continue
        if closed < point.time_value:
            closed = point.time_value
            sections.append(set(active))
        active.discard(i)
        data[i].section_spans.append(SectionSpan(Interval(began[i], len(sections)), point.window))
        if point.endpoint:
            alive.discard(i)
        if not alive:
            partitions[-1].section_range = Interval(partition, len(sections))
            partition = len(sections)
    return result

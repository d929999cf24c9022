"""Whether a rewritten executable reads what the old one read.

Idea: for every byte that a step reads, the writes are listed that may have put it there, each with its distance to the
read. The two executables do the same if the lists are equal. So the check follows the program and its slices. It knows
nothing of buffers, lifespans or plans.

Beside that, two slices of one step either share the same bytes before and after, or none: kernels are compiled with what
XLA knew about that.

Complexity: the steps times the segments.
Source: reaching definitions (_reach.py), as in any compiler.
"""

from __future__ import annotations

from ._reach import Reach
from ._thunks import Access, Executable, Refused


def check(old: Executable, new: Executable) -> None:
    """Raises Refused unless both do the same with their heaps."""
    if len(old.steps) != len(new.steps):
        raise Refused(f"check: the new executable has {len(new.steps)} steps, not {len(old.steps)}")
    before, after = Reach(old), Reach(new)
    for s, t in zip(old.steps, new.steps):
        a, b = s.slices(), t.slices()
        if [(x.upper - x.lower) for x in a] != [(x.upper - x.lower) for x in b] or len(s.reads) != len(t.reads) or len(s.writes) != len(t.writes):
            raise Refused(f"check: step {s.point} ({s.name}) has other slices in the new executable")
        for i in range(len(a)):
            for j in range(len(s.reads) if i < len(s.reads) else 0, len(a)):
                if i < j and _meeting(a[i], a[j]) != _meeting(b[i], b[j]) and (i >= len(s.reads) or j >= len(s.reads)):
                    raise Refused(f"check: two slices of step {s.point} ({s.name}) lie otherwise to each other in the new executable")
        for k, (x, y) in enumerate(zip(s.reads, t.reads)):
            if x in before.places and before.pieces(s, k, x) != after.pieces(t, k, y):
                raise Refused(f"check: step {s.point} ({s.name}) would read other bytes in the new executable")


def _meeting(a: Access, b: Access) -> object:
    """Returns how two slices lie to each other if they share bytes; None if they share none."""
    return b.lower - a.lower if min(a.upper, b.upper) > max(a.lower, b.lower) else None

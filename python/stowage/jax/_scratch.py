"""Arguments of a kernel that are no inputs: scratch memory of a computation that XLA compiled as one kernel.

Idea: XLA compiles a small computation, such as a short loop over scalars, as one kernel ("call" in its module). The kernel
gets every buffer of the computation as an argument, those for its own temporaries too. Read as inputs, these would keep
alive whatever lay there before, and unite it with them.

XLA writes every value as a whole, into a slice of exactly its place and size. So if no write of exactly this slice reaches
an argument, it is no value, and the kernel cannot depend on it. It is taken from the step's reads, provided that the
kernel also writes it. If such a write does reach it, the argument stays a read, which is always safe.

Invariant: an argument of scratch memory moves with the slice that the kernel writes.
Source: openxla/xla, small calls (xla_cpu_small_call).
"""

from __future__ import annotations

from ._reach import Reach
from ._thunks import Executable

#: Of steps, by their points: which reads are scratch memory.
Scratch = dict[int, list[int]]


def find(e: Executable) -> Scratch:
    """Returns the arguments of an executable that are scratch memory."""
    calls = [s for s in e.steps if s.call and s.reads]
    if not calls:
        return {}
    reach, out = Reach(e), {}
    for s in calls:
        written = {(w.lower, w.upper) for w in s.writes}
        ks = []
        for k, a in enumerate(s.reads):
            place = (a.lower, a.upper)
            if a in reach.places and place in written and not any(n and reach.slices[n] == place for n in reach.reaching(s, k)):
                ks.append(k)
        if ks:
            out[s.point] = ks
    return out


def take(e: Executable, scratch: Scratch) -> None:
    """Takes such arguments from the reads of their steps."""
    for point, ks in scratch.items():
        s = e.steps[point]
        for k in ks:
            a = s.reads[k]
            s.scratch.append((a, next(w for w in s.writes if (w.lower, w.upper) == (a.lower, a.upper))))
        s.reads = [a for k, a in enumerate(s.reads) if k not in ks]

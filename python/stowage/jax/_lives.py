"""Which bytes of the heap belong together, and when each is in use.

Idea: the heap is cut at every end of a slice. In a segment between two cuts, values follow each other: a write begins
one, reads use it. Two questions are asked of every segment:

  when is it in use?     Backward over the program: it is live before a read, and not before a write that comes first.
  which value is it?     Forward: a write makes a new value. Whatever has to stay together is united: the segments of a
                         slice, and values that meet, at the head of a loop or after branches, and are read later.

A united value is a buffer: it is placed as a whole, and its parts keep their distances. If a step reads and writes the
same bytes, it works in place, so what it reads and what it writes are one buffer. This is what XLA does with a
dynamic-update-slice, of which only a part is written.

A buffer is in use at a point of the schedule if the step there reads or writes it, or if it is live across the step.
Where no part is in use, it has a gap; where only some parts are, a gap with a window.

Invariant: a buffer that a step reads and one that it writes are both in use at that step, so they never share bytes.
Complexity: the steps times the segments, divided by the width of a machine word, for the first question; the
changes of segments for the second. A loop is passed two or three times, and a loop within it as often again.
Source: liveness and reaching definitions as in any compiler, here for bytes in place of variables.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from ._thunks import ALIGNMENT, Access, Branch, Executable, Loop, Sequence, Step


@dataclass
class Buffer:
    """A united value: base to end in the old heap, and when it is in use."""

    base: int
    end: int
    lower: int  # points of the schedule
    upper: int
    gaps: list[tuple[int, ...]]  # (lower, upper), or (lower, upper, window's lower, window's upper)
    accesses: list[Access]
    writers: set[str]  # names of the steps that write it


class _Lives:
    def __init__(self, e: Executable) -> None:
        accesses = [a for s in e.steps for a in (*s.reads, *s.writes) if a.upper > a.lower]
        self.cuts = sorted({x for a in accesses for x in (a.lower, a.upper)})
        n = max(len(self.cuts) - 1, 0)
        self.first = {a: bisect.bisect_left(self.cuts, a.lower) for a in accesses}
        self.last = {a: bisect.bisect_left(self.cuts, a.upper) for a in accesses}
        self.reads = [self.mask(s.reads) for s in e.steps]
        self.writes = [self.mask(s.writes) for s in e.steps]
        self.used = [0] * len(e.steps)  # segments in use at each point
        self.met: dict[int, int] = {}  # segments live after a branch, or at the head of a loop, by id of the node
        self.backward(e.program, 0)

        self.parent = list(range(n))  # values; the first n are what segments have before the program begins
        self.current = list(range(n))
        self.runs: list[tuple[int, int, int, int]] = []  # value, segment, from, until
        self.open: dict[int, tuple[int, int]] = {}  # segment: value, since when
        self.now = 0  # the next point
        self.taken: list[tuple[Access, int]] = []  # accesses and the value that they have
        self.writers: list[tuple[int, str]] = []
        self.forward(e.program)
        self.close(list(self.open), len(e.steps))

    def mask(self, accesses: list[Access]) -> int:
        out = 0
        for a in accesses:
            if a in self.first:
                out |= (1 << self.last[a]) - (1 << self.first[a])
        return out

    # ---------------------------------------------------------------- when is a segment in use?

    def backward(self, sequence: Sequence, live: int) -> int:
        """Returns what is live before a sequence, given what is live after it."""
        for node in reversed(sequence):
            if isinstance(node, Step):
                p = node.point
                self.used[p] |= live | self.reads[p] | self.writes[p]
                live = live & ~self.writes[p] | self.reads[p]
            elif isinstance(node, Branch):
                self.met[id(node)] = self.met.get(id(node), 0) | live
                before = 0
                for s in node.sequences:
                    before |= self.backward(s, live)
                live = before
            else:
                live = self.loop(node, live)
        return live

    def loop(self, node: Loop, after: int) -> int:
        head = self.met.get(id(node), 0) | after if node.counted else self.met.get(id(node), 0)
        while True:
            body = self.backward(node.body, head)
            now = head | self.backward(node.condition, after | body)
            if node.counted:
                now |= after | body
            if now == head:
                self.met[id(node)] = head
                return head
            head = now

    # ---------------------------------------------------------------- which value is in a segment?

    def find(self, v: int) -> int:
        parent = self.parent
        while parent[v] != v:
            parent[v] = v = parent[parent[v]]
        return v

    def unite(self, a: int, b: int) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)

    def forward(self, sequence: Sequence) -> None:
        for node in sequence:
            if isinstance(node, Step):
                self.step(node)
            elif isinstance(node, Branch):
                self.branch(node)
            else:
                self.repeat(node)

    def step(self, s: Step) -> None:
        current, p = self.current, s.point
        self.now = p + 1
        for a in s.reads:
            if a in self.first:
                values = set(current[self.first[a] : self.last[a]])
                one = values.pop()
                for v in values:
                    self.unite(one, v)
                self.taken.append((a, one))
        before, written = self.reads[p], 0
        for a in s.writes:
            if a not in self.first:
                continue
            v = len(self.parent)
            self.parent.append(v)
            self.taken.append((a, v))
            self.writers.append((v, s.name))
            mask = (1 << self.last[a]) - (1 << self.first[a])
            for k in _bits(mask & (before | written)):
                self.unite(v, current[k])
            written |= mask
            current[self.first[a] : self.last[a]] = [v] * (self.last[a] - self.first[a])
        for a, w in s.scratch:
            self.taken.append((a, current[self.first[w]]))
        used = self.used[p]
        was = 0
        for k in self.open:
            was |= 1 << k
        self.close(list(_bits(was & (~used | written))), p)
        for k in _bits(used & (~was | written)):
            self.open[k] = (current[k], p)

    def close(self, segments: list[int], p: int) -> None:
        for k in segments:
            value, since = self.open.pop(k)
            self.runs.append((value, k, since, p))

    def turn(self) -> None:
        """Ends every run: the values may be others from here on."""
        self.close(list(self.open), self.now)

    def meet(self, others: list[list[int]], live: int) -> None:
        """Unites the values that come from elsewhere to this place, where they are live."""
        for other in others:
            for k in _bits(live):
                if self.current[k] != other[k]:
                    self.unite(self.current[k], other[k])

    def branch(self, node: Branch) -> None:
        before, ends = list(self.current), []
        for s in node.sequences:
            self.turn()
            self.current = list(before)
            self.forward(s)
            ends.append(self.current)
        self.turn()
        self.meet(ends[:-1], self.met[id(node)])

    def repeat(self, node: Loop) -> None:
        head, live = list(self.current), self.met[id(node)]
        self.forward(node.condition)
        done = list(self.current)
        if node.counted:  # from the head to the body without the condition
            self.meet([head], live)
        self.forward(node.body)
        ends = [self.current]
        self.turn()
        self.current = head
        self.meet(ends, live)
        self.current = done

    # ---------------------------------------------------------------- buffers

    def buffers(self) -> list[Buffer]:
        runs: dict[int, list[tuple[int, int, int]]] = {}
        for value, k, since, until in self.runs:
            if until > since:
                runs.setdefault(self.find(value), []).append((since, until, k))
        taken: dict[int, list[Access]] = {}
        for a, v in self.taken:
            taken.setdefault(self.find(v), []).append(a)
        writers: dict[int, set[str]] = {}
        for v, name in self.writers:
            writers.setdefault(self.find(v), set()).add(name)
        out = []
        for v, of in sorted(runs.items()):
            low, high = min(k for _, _, k in of), max(k for _, _, k in of)
            base, end = self.cuts[low] // ALIGNMENT * ALIGNMENT, self.cuts[high + 1]
            lower, upper = min(a for a, _, _ in of), max(b for _, b, _ in of)
            gaps = self.gaps(of, base, end)
            out.append(Buffer(base, end, lower, upper, gaps, taken.get(v, []), writers.get(v, set())))
        return out

    def gaps(self, runs: list[tuple[int, int, int]], base: int, end: int) -> list[tuple[int, ...]]:
        """Returns the times in a buffer's life at which it is not in use, or only in a part."""
        times = sorted({t for a, b, _ in runs for t in (a, b)})
        index = {t: i for i, t in enumerate(times)}
        low, high = [len(self.cuts)] * len(times), [-1] * len(times)
        for a, b, k in runs:
            for i in range(index[a], index[b]):
                low[i], high[i] = min(low[i], k), max(high[i], k)
        out: list[tuple[int, ...]] = []
        for i in range(len(times) - 1):
            a, b = times[i], times[i + 1]
            window: tuple[int, ...] = ()
            if high[i] >= 0:
                window = (self.cuts[low[i]] - base, self.cuts[high[i] + 1] - base)
                if window[1] == end - base and self.cuts[low[i]] // ALIGNMENT * ALIGNMENT == base:
                    continue
            if out and out[-1][1] == a and out[-1][2:] == window:
                out[-1] = (out[-1][0], b, *window)
            else:
                out.append((a, b, *window))
        return out


def _bits(mask: int) -> list[int]:
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def buffers(e: Executable) -> list[Buffer]:
    """Returns the buffers of an executable's heap."""
    return _Lives(e).buffers()

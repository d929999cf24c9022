"""Which writes may have put the bytes there that a step reads.

Idea: the heap is cut at every end of a slice. Forward over the program, each segment has a set of writes, as the bits of
a number. A write replaces the set, branches that meet unite their sets, and a loop is repeated until nothing is added.
Bit 0 is that nothing has been written.

Complexity: the steps times the segments, for a loop two or three times.
Source: reaching definitions, as in any compiler.
"""

from __future__ import annotations

import bisect

from ._thunks import Access, Branch, Executable, Sequence, Step, Loop

# For each read its pieces: (from, until, writes that reach it, each with the distance of its slice).
Pieces = list[tuple[int, int, frozenset[tuple[int, int]]]]


class Reach:
    """The writes that reach each read of a program."""

    def __init__(self, e: Executable) -> None:
        accesses = [a for s in e.steps for a in (*s.reads, *s.writes) if a.upper > a.lower]
        self.cuts = sorted({x for a in accesses for x in (a.lower, a.upper)})
        self.places = {a: (bisect.bisect_left(self.cuts, a.lower), bisect.bisect_left(self.cuts, a.upper)) for a in accesses}
        self.numbers: dict[tuple[int, int], int] = {}  # writes: (point, which of the step) and their number, from 1
        self.slices = [(0, 0)]  # where each write lies
        for s in e.steps:
            for k, a in enumerate(s.writes):
                self.numbers[s.point, k] = len(self.slices)
                self.slices.append((a.lower, a.upper))
        self.found: dict[tuple[int, int], list[int]] = {}
        self.state = [1] * max(len(self.cuts) - 1, 0)
        self.walk(e.program)

    def walk(self, sequence: Sequence) -> None:
        for node in sequence:
            if isinstance(node, Step):
                self.step(node)
            elif isinstance(node, Branch):
                before, after = list(self.state), [0] * len(self.state)
                for s in node.sequences:
                    self.state = list(before)
                    self.walk(s)
                    after = _either(after, self.state)
                self.state = after
            else:
                self.loop(node)

    def loop(self, node: Loop) -> None:
        head = self.state
        while True:
            self.state = list(head)
            self.walk(node.condition)
            done = _either(self.state, head) if node.counted else list(self.state)
            self.state = list(done)
            self.walk(node.body)
            grown = _either(head, self.state)
            if grown == head:
                self.state = done
                return
            head = grown

    def step(self, s: Step) -> None:
        for k, a in enumerate(s.reads):
            if a in self.places:
                i, j = self.places[a]
                old = self.found.get((s.point, k))
                self.found[s.point, k] = _either(old, self.state[i:j]) if old else self.state[i:j]
        for k, a in enumerate(s.writes):
            if a in self.places:
                i, j = self.places[a]
                self.state[i:j] = [1 << self.numbers[s.point, k]] * (j - i)

    def reaching(self, s: Step, k: int) -> set[int]:
        """Returns the numbers of the writes of which a byte may reach read k of a step."""
        mask = 0
        for m in self.found[s.point, k]:
            mask |= m
        return {n for n in range(mask.bit_length()) if mask >> n & 1}

    def pieces(self, s: Step, k: int, a: Access) -> Pieces:
        """Returns what reaches read k of a step, which is slice a, by its pieces."""
        out: Pieces = []
        i, _ = self.places[a]
        for d, mask in enumerate(self.found[s.point, k]):
            writes, n = set(), 0
            while mask:
                n = (mask & -mask).bit_length() - 1
                mask &= mask - 1
                writes.add((n, a.lower - self.slices[n][0] if n else 0))
            lower, upper, have = self.cuts[i + d] - a.lower, self.cuts[i + d + 1] - a.lower, frozenset(writes)
            if out and out[-1][2] == have:
                out[-1] = (out[-1][0], upper, have)
            else:
                out.append((lower, upper, have))
        return out


def _either(a: list[int], b: list[int]) -> list[int]:
    return [x | y for x, y in zip(a, b)]

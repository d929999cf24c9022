"""What two buffers may do: how far their offsets are apart, who is like whom, who all meet."""

import itertools
import math


def differences(a, b, capacity):
    """Return what b's offset less a's may be as ranges, None where the two never meet."""
    step = math.gcd(a["align"], b["align"])
    clash = set()
    for first, last, low, high in a["pieces"]:
        for begin, end, bottom, top in b["pieces"]:
            if first < end and begin < last:
                clash.add(((low - top) // step + 1, -((bottom - high) // step) - 1))
    if not clash:
        return None
    least, most = -((capacity - a["size"]) // step), (capacity - b["size"]) // step
    found = []
    for low, high in sorted(clash):
        if low > high:
            continue
        if least < low:
            found.append((least, min(low - 1, most)))
        least = max(least, high + 1)
    if least <= most:
        found.append((least, most))
    return [(low * step, high * step) for low, high in found if low <= high]


class Pairs:
    """The pairs of buffers that meet.

    near[i]     those that i meets
    may[i, j]   what j's offset less i's may be, where j counts as above i
    far[i, j]   the least of it; not there where j is never above i
    alike       (i, j): i's offset is no more than j's, without loss

    above has pairs (i, j) of which j is taken to be above i; the plans of others are left out.
    """

    def __init__(self, buffers, capacity, above=()):
        self.near, self.may, self.far, self.alike = [set() for _ in buffers], {}, {}, []
        found = {}
        for i, j in itertools.combinations(range(len(buffers)), 2):
            ranges = differences(buffers[i], buffers[j], capacity)
            found[i, j], found[j, i] = ranges, ranges and reflected(ranges)
        for i, j in itertools.combinations(range(len(buffers)), 2):
            # Two that may change places in every plan: the others cannot tell them apart.
            a, b = buffers[i], buffers[j]
            if a["fixed"] is None and b["fixed"] is None and (a["size"], a["align"]) == (b["size"], b["align"]):
                others = (k for k in range(len(buffers)) if k not in (i, j))
                if found[i, j] == found[j, i] and all(found[i, k] == found[j, k] for k in others):
                    self.alike.append((i, j))
        for i, j in itertools.combinations(range(len(buffers)), 2):
            if found[i, j] is None:
                continue
            self.near[i].add(j)
            self.near[j].add(i)
            # j counts as above i where its middle is; a range between two others goes with one.
            lift = buffers[j]["size"] - buffers[i]["size"]
            self.may[i, j] = [r for r in found[i, j] if r[0] + r[1] + lift > 0]
            self.may[j, i] = reflected([r for r in found[i, j] if r[0] + r[1] + lift <= 0])
            if (i, j) in self.alike or (i, j) in above:
                self.may[j, i] = []
            if (j, i) in above:
                self.may[i, j] = []
        for pair, ranges in self.may.items():
            if ranges:
                self.far[pair] = ranges[0][0]

    def stuck(self):
        """Report whether two meet and neither can be above the other."""
        return any(not self.may[i, j] and not self.may[j, i] for i, j in self.may)

    def ring(self, i, j, k):
        """Report whether i under j under k under i is impossible."""
        return sum(self.far.get(p, math.inf) for p in ((i, j), (j, k), (k, i))) > 0

    def cliques(self):
        """Yield the largest sets of buffers that all meet, without those in rings that are possible."""
        found = []

        def grow(done, can, seen):
            if not can and not seen:
                found.append(done)
                return
            pivot = max(can | seen, key=lambda v: len(self.near[v] & can))
            for v in sorted(can - self.near[pivot]):
                grow(done | {v}, can & self.near[v], seen & self.near[v])
                can, seen = can - {v}, seen | {v}

        grow(set(), set(range(len(self.near))), set())
        kept = []
        for members in sorted(found, key=len, reverse=True):
            while True:
                threes = itertools.combinations(sorted(members), 3)
                bad = [v for t in threes if not self.ring(*t) or not self.ring(*t[::-1]) for v in t]
                if not bad:
                    break
                members = members - {max(bad, key=bad.count)}
            if len(members) > 2 and not any(members <= other for other in kept):
                kept.append(members)
                yield sorted(members)


def reflected(ranges):
    return [(-high, -low) for low, high in reversed(ranges)]

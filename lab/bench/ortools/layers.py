"""A model for decide.py: a decision diagram for the sequence of buffers that all meet.

Idea: ranks, and for each set of buffers of which each two meet a graph: a node is the set of
those that are below, an edge puts the next one on top, a plan is a path from none to all
(A. Cire and W.-J. van Hoeve, "Multivalued decision diagrams for sequencing problems", Operations
Research 61, 2013). An edge holds the start of what it puts between the least that the set below leaves
it and the most that the set above does.

least(below, j) is a dynamic program over sets: what is below ends with one of its
members i, at least(below - i, i) or higher, and j is far[i, j] above that, rounded up; and it is no less than
for a smaller set. The most is the same upside down. Both take each two neighbours alone and of
what they may be apart the least, so that no plan is lost. Edges whose least is above their
most are left out. Complexity: n²·2ⁿ steps for n that all meet.

Tried and dropped: sets with the last two of them as states, so that the distance of a buffer from the
one under its neighbour counts; of the seven diagrams of five claims that one pass leaves open, four keep all
edges and three lose up to a twentieth.

Where that leaves no path CP-SAT has nothing to search: then it is the dynamic program that
refutes. Where there is more than one such set, or a path is left, CP-SAT searches.
"""

from collections import defaultdict

import numpy as np

NEVER = 1 << 60
EDGES = 100_000  # of a diagram; more are no help


def diagram(o, members):
    """Add the diagram of the members; report whether it is small enough to be one."""
    model, buffers, capacity, starts, below, far = o.model, o.buffers, o.capacity, o.starts, o.below, o.pairs.far
    if capacity >= NEVER // 4:
        return False
    own, n = [buffers[i] for i in members], len(members)
    low = [b["fixed"] or 0 for b in own]
    high = [(capacity - b["size"]) // b["align"] * b["align"] if b["fixed"] is None else b["fixed"] for b in own]
    align = [b["align"] if b["fixed"] is None else None for b in own]
    steps = [[far.get((i, j), NEVER) for j in members] for i in members]
    lows = least(steps, low, high, align)
    highs = -least([list(row) for row in zip(*steps)], [-x for x in high], [-x for x in low], align)

    full, edges, layer = (1 << n) - 1, [], {0}
    for _ in range(n):
        above = set()
        for under in layer:
            for j in range(n):
                if not under >> j & 1 and lows[j][under] < NEVER and lows[j][under] <= highs[j][full ^ under ^ 1 << j]:
                    edges.append((under, j))
                    above.add(under | 1 << j)
        layer = above
    if len(edges) > EDGES:
        return False

    out, into, puts = defaultdict(list), defaultdict(list), [[] for _ in own]
    for under, j in edges:
        edge = model.new_bool_var("")
        out[under].append(edge)
        into[under | 1 << j].append(edge)
        puts[j].append((under, edge))
        model.add(starts[members[j]] >= int(lows[j][under])).only_enforce_if(edge)
        model.add(starts[members[j]] <= int(highs[j][full ^ under ^ 1 << j])).only_enforce_if(edge)
    model.add_exactly_one(out[0])
    model.add_exactly_one(into[full])
    for under in (out.keys() | into.keys()) - {0, full}:
        model.add(sum(out[under]) == sum(into[under]))
    for j in range(n):
        for i in range(n):
            if i != j:
                model.add(sum(edge for under, edge in puts[j] if under >> i & 1) == below[members[i], members[j]])
    return True


def least(steps, low, high, align):
    """Return for each j and set the least start of j on top of it, NEVER where it is over j's highest.

    align[j] is None where j stands at low[j] alone.
    """
    n = len(low)

    def place(j, at):
        """Round up to where j can stand."""
        at = np.maximum(at, low[j])
        if align[j]:
            at = -(-at // align[j]) * align[j]
        return np.where(at > high[j], NEVER, at)

    found = np.full((n, 1 << n), NEVER)
    for j in range(n):
        found[j][0] = place(j, np.array([low[j]]))[0]
    count = np.array([s.bit_count() for s in range(1 << n)])
    for size in range(1, n):
        sets = np.nonzero(count == size)[0]
        for j in range(n):
            under = sets[sets >> j & 1 == 0]
            on, subset = np.full(len(under), NEVER), np.full(len(under), found[j][0])
            for i in range(n):
                if i != j:
                    at = np.nonzero(under >> i & 1)[0]
                    rest = under[at] ^ (1 << i)
                    on[at] = np.minimum(on[at], found[i][rest] + steps[i][j])
                    subset[at] = np.maximum(subset[at], found[j][rest])
            found[j][under] = np.maximum(place(j, on), subset)
    return found

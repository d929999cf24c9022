"""A model for decide.py: a path through positions.

Where all buffers meet, each with the whole of its size, a plan is a sequence, and
without loss each buffer stands on the one below, rounded up. Positions are nodes, a
buffer at the first place from a node on is an edge, and each buffer takes one edge of a
path; a path never comes back. As sizes count modulo the common multiple L of the
alignments alone, where nothing is fixed (a multiple of L can be taken out of any buffer,
all above move down with it), positions are few.
"""

import itertools
import math
from collections import defaultdict

from ortools.sat.python import cp_model

EDGES = 200_000  # more are no help


def chain(buffers, capacity):
    """Return the model, without starts; False where it does not apply."""
    for a, b in itertools.combinations(buffers, 2):
        whole = [[p for p in c["pieces"] if p[2:] == (0, c["size"])] for c in (a, b)]
        if not any(p[0] < q[1] and q[0] < p[1] for p in whole[0] for q in whole[1]):
            return False
    free = [b for b in buffers if b["fixed"] is None]
    pins = sorted((b["fixed"], b["size"]) for b in buffers if b["fixed"] is not None)
    step = math.gcd(0, *(b["align"] for b in free)) or 1
    common = math.lcm(1, *(b["align"] for b in free))
    # Kinds: alignment, size rounded up to step, what that adds. Only a buffer
    # with nothing above sticks out of its room by it.
    kinds, top = defaultdict(int), capacity
    for b in free:
        size = -(-b["size"] // step) * step
        if not pins:
            top -= (size - 1) // common * common
            less = size - (size - 1) // common * common
        else:
            less = size
        if less == common and b["align"] == step and not pins and size == b["size"]:
            top -= common  # room for it is anywhere
        else:
            kinds[b["align"], less, size - b["size"]] += 1
    rooms, at = [], 0
    for low, size in [*pins, (top, 0)]:
        if low < at:
            return []
        if -(-at // step) * step <= low:  # else no buffer that is free starts there
            rooms.append((-(-at // step) * step, low))
        at = low + size
    kinds = sorted(kinds.items())
    over = max((kind[2] for kind, _ in kinds), default=0)
    slack = sum(high - low + over for low, high in rooms) - sum(kind[1] * n for kind, n in kinds)
    if slack < 0:
        return []
    model, use, edges = cp_model.CpModel(), defaultdict(list), 0
    for low, high in rooms:
        # lost is the least that is lost under a position: what can follow is cut off by it.
        lost, out, into, todo = {low: 0}, defaultdict(list), defaultdict(list), {low}
        while todo:
            at = min(todo)
            todo.remove(at)
            out[at].append(model.new_bool_var(""))  # nothing more
            for kind, _ in kinds:
                start = -(-at // kind[0]) * kind[0]
                end, less = start + kind[1], lost[at] + start - at
                if end - kind[2] > high or less > slack:
                    continue
                if end not in lost:
                    todo.add(end)
                lost[end] = min(less, lost.get(end, less))
                edge = model.new_bool_var("")
                use[kind].append(edge)
                out[at].append(edge)
                into[end].append(edge)
                edges += 1
                if edges > EDGES:
                    return False
        for at in lost:
            model.add(sum(out[at]) == (1 if at == low else sum(into[at])))
    for kind, n in kinds:
        model.add(sum(use[kind]) == n)
    return [(model, None)]

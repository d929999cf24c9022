"""Models for decide.py of the order of buffers: sections, plain, orders, flow, ranks, cubes, layers.

sections  peer.py's no-overlaps; where alignments in a section have a common divisor,
          sizes are rounded up to it.
plain     sections without the alignments, in units of what divides all sizes, windows and
          fixed offsets. It refutes what only windows make impossible; a plan of it is none.
orders    A literal for each pair says which is below. The distance between the two
          starts is then at least the most that their windows ask for at any time,
          rounded to the common divisor of the alignments. Three orders that go
          in a ring of positive length exclude each other. In a set of buffers of which
          each two meet the order is a path, a circuit constraint, no longer than
          the capacity.
flow      orders, with the path through pairs (buffer, start modulo M), M a divisor of the
          common multiple of the alignments.
ranks     orders without its circuits and no-overlaps, and what lies below a buffer
          holds it up: in a set of buffers of which each two meet, numbers u and v
          with u[i] + v[j] no more than the distance from i to the next above, j, for all i
          and j, bound each path by their sum. A start is so at least a sum over the
          literals of those below, and the room above it one over those above. The
          numbers are the duals of the assignment of each buffer to the next. The search
          is by clauses alone: without linear relaxation.
cubes     ranks for each order of the largest four of a set of buffers of which each two meet:
          with the order the distances that no plan has fall out, and the duals are higher.
layers    ranks, and a decision diagram of each such set (layers.py).

Where the others cannot tell two buffers apart, their starts are in the order of their numbers.
"""

import itertools
import math
from collections import defaultdict

from ortools.sat.python import cp_model

import peer
from layers import diagram
from pairs import Pairs

ARCS = 3_000  # of flow, for a set of buffers
SPLIT = 4  # buffers whose orders cubes takes one by one


def starts_of(model, buffers, capacity):
    """Return an expression for each offset, None where one has no place."""
    starts = []
    for b in buffers:
        last = capacity - b["size"]
        if last < (b["fixed"] or 0):
            return None
        if b["fixed"] is not None:
            starts.append(model.new_constant(b["fixed"]))
        else:
            starts.append(b["align"] * model.new_int_var(0, last // b["align"], ""))
    return starts


def no_overlaps(model, buffers, starts):
    """Add peer.py's no-overlaps, sizes rounded up where all starts of a section allow it."""
    intervals = {}
    for members in peer.sections(buffers):
        step = math.gcd(*(buffers[k]["align"] for k, _, _ in members))
        if len({low % step for _, low, _ in members}) > 1:
            step = 1  # what is above a window does not begin where a start does
        found = []
        for k, low, high in members:
            size = -(-(high - low) // step) * step
            if (k, low, size) not in intervals:
                intervals[k, low, size] = model.new_fixed_size_interval_var(starts[k] + low, size, "")
            found.append(intervals[k, low, size])
        if len(found) > 1:
            model.add_no_overlap(found)


def sections(buffers, capacity):
    model = cp_model.CpModel()
    starts = starts_of(model, buffers, capacity)
    if starts is None:
        return []
    no_overlaps(model, buffers, starts)
    for i, j in Pairs(buffers, capacity).alike:
        model.add(starts[i] <= starts[j])
    return [(model, starts)]


def plain(buffers, capacity):
    unit = math.gcd(*(x for b in buffers for x in (b["size"], b["fixed"] or 0, *(y for p in b["pieces"] for y in p[2:]))))
    less = [
        {
            **b,
            "size": b["size"] // unit,
            "align": 1,
            "fixed": None if b["fixed"] is None else b["fixed"] // unit,
            "pieces": [(first, last, low // unit, high // unit) for first, last, low, high in b["pieces"]],
        }
        for b in buffers
    ]
    return [(model, None) for model, _ in sections(less, capacity // unit)]


class Orders:
    """The model that orders, flow, ranks and layers begin with: a literal for each pair that meets."""

    def __init__(self, buffers, capacity, above=()):
        self.buffers, self.capacity, self.model = buffers, capacity, cp_model.CpModel()
        self.starts, self.pairs, self.below = starts_of(self.model, buffers, capacity), Pairs(buffers, capacity, above), {}
        self.possible = self.starts is not None and not self.pairs.stuck()
        if self.possible:
            self.literals()
            self.rings()
            for i, j in self.pairs.alike:
                self.model.add(self.starts[i] <= self.starts[j])

    def literals(self):
        may = self.pairs.may
        for i, j in may:
            if i < j:
                both = may[i, j] and may[j, i]
                self.below[i, j] = self.model.new_bool_var("") if both else self.model.new_constant(1 if may[i, j] else 0)
                self.below[j, i] = self.below[i, j].negated()
        for (i, j), ranges in may.items():
            if ranges:
                domain, apart = cp_model.Domain.from_intervals([list(r) for r in ranges]), self.starts[j] - self.starts[i]
                self.model.add_linear_expression_in_domain(apart, domain).only_enforce_if(self.below[i, j])

    def rings(self):
        near, below = self.pairs.near, self.below
        for i, j, k in itertools.combinations(range(len(self.buffers)), 3):
            if j in near[i] and k in near[i] and k in near[j]:
                for a, b, c in ((i, j, k), (i, k, j)):
                    if self.pairs.ring(a, b, c):
                        self.model.add_bool_or(below[b, a], below[c, b], below[a, c])


def orders(buffers, capacity, modular=False):
    o = Orders(buffers, capacity)
    if not o.possible:
        return []
    no_overlaps(o.model, buffers, o.starts)
    moduli = [path(o, members, modular) for members in o.pairs.cliques()]
    return False if modular and max(moduli, default=1) == 1 else [(o.model, o.starts)]


def flow(buffers, capacity):
    return orders(buffers, capacity, modular=True)


def ranks(buffers, capacity, above=()):
    o = Orders(buffers, capacity, above)
    if not o.possible:
        return []
    for members in o.pairs.cliques():
        loads(o, members)
    return [(o.model, o.starts)]


def cubes(buffers, capacity):
    members = max(Pairs(buffers, capacity).cliques(), key=len, default=[])
    split = sorted(members, key=lambda i: -buffers[i]["size"])[:SPLIT]
    if len(split) < 2:
        return False
    made = []
    for order in itertools.permutations(split):
        made += ranks(buffers, capacity, list(itertools.combinations(order, 2)))
    return made


def layers(buffers, capacity):
    o = Orders(buffers, capacity)
    if not o.possible:
        return []
    made = False
    for members in o.pairs.cliques():
        loads(o, members)
        made = diagram(o, members) or made
    return [(o.model, o.starts)] if made else False


def path(o, members, modular):
    """Add that the members are a path from the ground to the capacity; return the modulus."""
    model, buffers, capacity, starts, below, may = o.model, o.buffers, o.capacity, o.starts, o.below, o.pairs.may
    next_to = {}
    for i in members:
        next_to[None, i], next_to[i, None] = model.new_bool_var(""), model.new_bool_var("")
        for j in members:
            if i != j:
                model.add_implication(next_to[None, i], below[i, j])
                model.add_implication(next_to[i, None], below[j, i])
                if may[i, j]:
                    next_to[i, j] = model.new_bool_var("")
                    model.add_implication(next_to[i, j], below[i, j])
    node = {i: k + 1 for k, i in enumerate(members)} | {None: 0}
    model.add_circuit([(node[i], node[j], x) for (i, j), x in next_to.items()])
    common, modulus = (math.lcm(*(buffers[i]["align"] for i in members)) if modular else 1), 1
    rests = lambda i, m: [buffers[i]["fixed"] % m] if buffers[i]["fixed"] is not None else range(0, m, math.gcd(buffers[i]["align"], m))
    if common < 100_000:
        arcs = lambda m: sum(len(rests(i, m)) for i in members) ** 2
        modulus = max((m for m in range(1, common + 1) if common % m == 0 and arcs(m) <= ARCS), key=arcs, default=1)

    def length(i, j, a, b):
        """Return how far the start of j is from that of i at least, with these rests; None where it cannot follow."""
        if i is None:
            return b if buffers[j]["fixed"] is None else buffers[j]["fixed"]
        if j is None:
            last = capacity - buffers[i]["size"]
            if buffers[i]["fixed"] is not None:
                return capacity - buffers[i]["fixed"]
            last -= last % buffers[i]["align"]
            while (last - a) % modulus:
                last -= buffers[i]["align"]
            return capacity - last
        for low, high in may[i, j]:
            if low + (b - a - low) % modulus <= high:
                return low + (b - a - low) % modulus
        return None

    at = {None: {0: 1}}
    for i in members:
        at[i] = {a: model.new_bool_var("") for a in rests(i, modulus)}
        model.add_exactly_one(at[i].values())
        if len(at[i]) > 1:
            whole = model.new_int_var(0, capacity // modulus, "")
            model.add(starts[i] == modulus * whole + sum(a * x for a, x in at[i].items()))
    out, into, lengths = defaultdict(list), defaultdict(list), []
    for (i, j), x in next_to.items():
        ways = []
        for a in at[i]:
            for b in at[j]:
                long = length(i, j, a, b)
                if long is not None:
                    way = model.new_bool_var("") if len(at[i]) * len(at[j]) > 1 else x
                    ways.append(way)
                    out[i, a].append(way)
                    into[j, b].append(way)
                    lengths.append(long * way)
        model.add(sum(ways) == x)
    for i in members if modulus > 1 else ():
        for a, x in at[i].items():
            model.add(sum(out[i, a]) == x)
            model.add(sum(into[i, a]) == x)
    model.add(sum(lengths) <= capacity)
    return modulus


def loads(o, members):
    """Add that those of the members that are below a buffer hold it up, and those above it hold it down.

    Rings of members exclude each other (paths has left out those for which they do not),
    so that a plan has them in a sequence, each two neighbours at least their far apart. The
    bound takes less: u + v of each step up to the buffer, and that for any u and v
    for which no step is shorter.
    """
    model, buffers, capacity, starts, below, far = o.model, o.buffers, o.capacity, o.starts, o.below, o.pairs.far
    never = 4 * capacity  # of a step that no plan has
    costs = [[never] + [buffers[j]["fixed"] or 0 for j in members]]  # from the ground; the first column is the capacity
    for i in members:
        b = buffers[i]
        last = capacity - b["size"]
        last = last - last % b["align"] if b["fixed"] is None else b["fixed"]
        costs.append([capacity - last] + [far.get((i, j), never) for j in members])
    u, v = duals(costs)
    weights = [x + y for x, y in zip(u, v)][1:]
    for k, j in enumerate(members):
        under = [(w, below[i, j], below[j, i]) for w, i in zip(weights, members) if i != j]
        model.add(starts[j] >= u[0] + v[k + 1] + sum(w * x for w, x, _ in under))
        model.add(capacity - starts[j] >= u[k + 1] + v[0] + sum(w * x for w, _, x in under))


def duals(costs):
    """Return integers u, v with u[a] + v[b] <= costs[a][b] and the largest sum: the Hungarian method."""
    n = len(costs)
    u, v, row = [0] * n, [0] * (n + 1), [None] * (n + 1)  # column n is where a row comes in
    for entering in range(n):
        row[n], at, gaps, back, seen = entering, n, [math.inf] * n, [n] * n, []
        while row[at] is not None:
            seen.append(at)
            a = row[at]
            todo = [b for b in range(n) if b not in seen]
            for b in todo:
                if costs[a][b] - u[a] - v[b] < gaps[b]:
                    gaps[b], back[b] = costs[a][b] - u[a] - v[b], at
            at = min(todo, key=gaps.__getitem__)
            step = gaps[at]
            for b in seen:
                u[row[b]] += step
                v[b] -= step
            for b in todo:
                gaps[b] -= step
        while at != n:
            row[at], at = row[back[at]], back[at]
    return u, v[:n]

#!/usr/bin/env python3
"""Prove with OR-Tools CP-SAT that a height is the lowest, where peer.py takes too long.

    pip install ortools
    python3 bench/ortools/decide.py --claims FILE.json FILE.csv ...

A claim is a plan, whoever made it: FILE.json has a list of offsets for each CSV file,
in the order of its buffers. Two questions go to CP-SAT for each: does the plan fit its
own height (peer.py's model with every offset fixed), and does anything fit a byte
less. Nothing of the plan but its height is in the second question, so that a wrong
claim is found out: by the first question where the plan is not valid, by the second
where it is not the lowest, and then the lower plan is the answer.

For the second question there are five models, asked in turn with four times the time
in each round; each is complete, and what one refutes is refuted.

chain     Where all buffers meet, each with the whole of its size, a plan is a
          sequence, and without loss each buffer stands on the one below, rounded up.
          Positions are nodes, a buffer at the first place from a node on is an edge,
          and each buffer takes one edge of a path; a path never comes back. As sizes
          count modulo the common multiple L of the alignments alone, where nothing is
          fixed (a multiple of L can be taken out of any buffer, all above move
          down with it), positions are few.
ranks     orders without its circuits and no-overlaps, and what lies below a buffer
          holds it up: in a set of buffers of which each two meet, numbers u and v
          with u[i] + v[j] no more than the distance from i to the next above, j, for all i
          and j, bound each path by their sum. A start is so at least a sum over the
          literals of those below, and the room above it one over those above. The
          numbers are the duals of the assignment of each buffer to the next. The search
          is by clauses alone: without linear relaxation.
sections  peer.py's no-overlaps; where alignments in a section have a common divisor,
          sizes are rounded up to it.
orders    A literal for each pair says which is below. The distance between the two
          starts is then at least the most that their windows ask for at any time,
          rounded to the common divisor of the alignments. Three orders that go
          in a ring of positive length exclude each other. In a set of buffers of which
          each two meet the order is a path, a circuit constraint, no longer than
          the capacity.
flow      orders, with the path through pairs (buffer, start modulo M), M a divisor of the
          common multiple of the alignments.

Tried beside ranks, on 20 claims that the others leave open: to split a claim by the order of
the pair with the least room, again and again, each half asked of orders for 0.1 deterministic
seconds (it comes to 20 to 60 halves in 5 s, and settles one claim; ranks 13 in 2.5 s);
ranks with the relaxation (6), more duals, other searches of CP-SAT (no more). Of 16 that
ranks with circuits and no-overlaps leaves open it settles 4 without them; of 19 that it leaves open after 1.5 s,
sums for what lies between each two settle one, rests of the alignments none.
"""

import argparse
import itertools
import json
import math
import os
import time
from collections import defaultdict

import peer
from ortools.sat.python import cp_model

EDGES = 200_000  # of chain; more are no help
ARCS = 3_000  # of flow, for a set of buffers
FIRST, TIMES = 0.3, 4  # deterministic seconds of a model in the first round, and how they grow


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


def alike(model, buffers, starts):
    """Put buffers that are alike in the order of their numbers."""
    last = {}
    for k, b in enumerate(buffers):
        if b["fixed"] is None:
            what = b["size"], b["align"], tuple(b["pieces"])
            if what in last:
                model.add(starts[last[what]] <= starts[k])
            last[what] = k


def sections(buffers, capacity):
    model = cp_model.CpModel()
    starts = starts_of(model, buffers, capacity)
    if starts is None:
        return None, None
    no_overlaps(model, buffers, starts)
    alike(model, buffers, starts)
    return model, starts


def chain(buffers, capacity):
    """Return the model and no starts; False where it does not apply, None where nothing fits."""
    for a, b in itertools.combinations(buffers, 2):
        whole = [[p for p in c["pieces"] if p[2:] == (0, c["size"])] for c in (a, b)]
        if not any(p[0] < q[1] and q[0] < p[1] for p in whole[0] for q in whole[1]):
            return False, None
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
            return None, None
        if -(-at // step) * step <= low:  # else no buffer that is free starts there
            rooms.append((-(-at // step) * step, low))
        at = low + size
    kinds = sorted(kinds.items())
    over = max((kind[2] for kind, _ in kinds), default=0)
    slack = sum(high - low + over for low, high in rooms) - sum(kind[1] * n for kind, n in kinds)
    if slack < 0:
        return None, None
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
                    return False, None
        for at in lost:
            model.add(sum(out[at]) == (1 if at == low else sum(into[at])))
    for kind, n in kinds:
        model.add(sum(use[kind]) == n)
    return model, None


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


def paths(near, ring):
    """Yield the largest sets of buffers that all meet, without those in rings of no length."""
    found = []

    def grow(done, can, seen):
        if not can and not seen:
            found.append(done)
            return
        pivot = max(can | seen, key=lambda v: len(near[v] & can))
        for v in sorted(can - near[pivot]):
            grow(done | {v}, can & near[v], seen & near[v])
            can, seen = can - {v}, seen | {v}

    grow(set(), set(range(len(near))), set())
    kept = []
    for members in sorted(found, key=len, reverse=True):
        while True:
            bad = [v for t in itertools.combinations(sorted(members), 3) if not ring(*t) or not ring(*t[::-1]) for v in t]
            if not bad:
                break
            members = members - {max(bad, key=bad.count)}
        if len(members) > 2 and not any(members <= other for other in kept):
            kept.append(members)
            yield sorted(members)


def orders(buffers, capacity, modular=False, ranked=False):
    model = cp_model.CpModel()
    starts = starts_of(model, buffers, capacity)
    if starts is None:
        return None, None
    n = len(buffers)
    near, below, far, may = [set() for _ in buffers], {}, {}, {}
    for i, j in itertools.combinations(range(n), 2):
        ranges = differences(buffers[i], buffers[j], capacity)
        if ranges is None:
            continue
        if not ranges:
            return None, None
        near[i].add(j)
        near[j].add(i)
        # j counts as above i where its middle is; a range between two others goes with one.
        lift = buffers[j]["size"] - buffers[i]["size"]
        up = [r for r in ranges if r[0] + r[1] + lift > 0]
        down = [r for r in ranges if r[0] + r[1] + lift <= 0]
        below[i, j] = model.new_bool_var("") if up and down else model.new_constant(1 if up else 0)
        below[j, i] = below[i, j].negated()
        may[i, j], may[j, i] = up, [(-high, -low) for low, high in reversed(down)]
        for pair in ((i, j), (j, i)):
            if may[pair]:
                far[pair] = may[pair][0][0]
                domain = cp_model.Domain.from_intervals([list(r) for r in may[pair]])
                apart = starts[pair[1]] - starts[pair[0]]
                model.add_linear_expression_in_domain(apart, domain).only_enforce_if(below[pair])
    ring = lambda i, j, k: sum(far.get(p, math.inf) for p in ((i, j), (j, k), (k, i))) > 0
    for i, j, k in itertools.combinations(range(n), 3):
        if j in near[i] and k in near[i] and k in near[j]:
            for a, b, c in ((i, j, k), (i, k, j)):
                if ring(a, b, c):
                    model.add_bool_or(below[b, a], below[c, b], below[a, c])
    alike(model, buffers, starts)
    if ranked:
        for members in paths(near, ring):
            loads(model, buffers, capacity, starts, members, below, far)
        return model, starts
    no_overlaps(model, buffers, starts)
    moduli = [path(model, buffers, capacity, starts, members, below, may, modular) for members in paths(near, ring)]
    if modular and max(moduli, default=1) == 1:
        return False, None
    return model, starts


def path(model, buffers, capacity, starts, members, below, may, modular):
    """Add that the members are a path from the ground to the capacity; return the modulus."""
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


def flow(buffers, capacity):
    return orders(buffers, capacity, modular=True)


def loads(model, buffers, capacity, starts, members, below, far):
    """Add that those of the members that are below a buffer hold it up, and those above it hold it down.

    Rings of members exclude each other (paths has left out those for which they do not),
    so that a plan has them in a sequence, each two neighbours at least their far apart. The
    bound takes less: u + v of each step up to the buffer, and that for any u and v
    for which no step is shorter.
    """
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


def ranks(buffers, capacity):
    return orders(buffers, capacity, ranked=True)


MODELS = {"chain": (chain, 2), "ranks": (ranks, 0), "orders": (orders, 2), "sections": (sections, 1), "flow": (flow, 2)}  # with the linearization level that does best


def fits(buffers, capacity, timeout, models):
    """Return (status, offsets): whether anything fits the capacity."""
    began, share, made = time.perf_counter(), FIRST, []
    for name in models:
        make, level = MODELS[name]
        model, starts = make(buffers, capacity)
        if model is None:
            return "infeasible", None
        if model is not False:
            made.append((model, starts, level))
    while made:
        for model, starts, level in made:
            left = timeout - (time.perf_counter() - began) if timeout else math.inf
            if left <= 0:
                return "unknown", None
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            solver.parameters.linearization_level = level
            solver.parameters.max_deterministic_time = share
            if timeout:
                solver.parameters.max_time_in_seconds = left
            status = solver.solve(model)
            if status == cp_model.MODEL_INVALID:
                raise ValueError(model.validate())
            if status == cp_model.INFEASIBLE:
                return "infeasible", None
            if status == cp_model.OPTIMAL and starts:
                return "feasible", [solver.value(s) for s in starts]
        share *= TIMES
    return "unknown", None


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--claims", required=True, help="JSON: a list of offsets for each file")
    args.add_argument("--timeout", type=float, default=0, help="seconds for each file [default: no limit]")
    args.add_argument("--models", default=",".join(MODELS), help="which models, in turn [default: %(default)s]")
    args.add_argument("files", nargs="+")
    a = args.parse_args()
    with open(a.claims, encoding="utf-8") as file:
        claims = json.load(file)
    for name, claim in zip(a.files, claims, strict=True):
        buffers, began = peer.read(name), time.perf_counter()
        height = max(o + b["size"] for o, b in zip(claim, buffers, strict=True))
        pinned = [{**b, "fixed": o} for o, b in zip(claim, buffers)]
        valid = all(o % b["align"] == 0 and b["fixed"] in (None, o) for o, b in zip(claim, buffers))
        if not valid or peer.plan(pinned, height, False, 0, 1, 0)[0] != "feasible":
            raise SystemExit(f"{name}: the claim is no plan")
        status, offsets = fits(buffers, height - 1, a.timeout, a.models.split(","))
        if status == "feasible":
            height = max(o + b["size"] for o, b in zip(offsets, buffers))
        offsets, bound = offsets or claim, height if status == "infeasible" else 0
        print(json.dumps({
            "name": os.path.basename(name).split(".")[0], "status": "optimal" if status == "infeasible" else "feasible", "height": height, "lower_bound": bound,
            "seconds": time.perf_counter() - began, "offsets": {b["id"]: o for b, o in zip(buffers, offsets)},
        }), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Plan memory with OR-Tools CP-SAT: an outside peer, and an oracle for tests.

    pip install ortools
    python3 lab/bench/ortools/peer.py [--capacity N | --minimize] FILE.csv ...

Each buffer is an interval of space, its offset a variable; each maximal section
of time, a set of buffers that are live at once and in no larger such set, is one
no-overlap over the intervals of its buffers. That is a far better model for
CP-SAT than a choice for each pair, as the papers have it: sections reason as
machines do in a job shop. --pairs takes that choice instead, as section 5.1 of the
TelaMalloc paper encodes it: for each two pieces that are live at once, one of two
literals, and the order that it stands for. --boxes takes the plain model of a packing:
each piece is a rectangle, its lifespan by its interval of space, and no two of all of them
may overlap in both (AddNoOverlap2D); --sections has the no-overlaps of the sections beside it. To minimise, the height is a variable above all ends.

Files are Stowage's CSV: id, lower, upper, size and, where they are there,
alignment, gaps (a-b, a-b@lo:hi) and offset (fixed); end in place of upper is
inclusive. A gap with a window is an interval of its own in the sections it spans. FILE.CAPACITY.csv has the capacity in its name. One JSON object a
line goes to standard output: name, status (optimal, feasible, infeasible,
unknown), height, lower_bound, seconds, offsets by id.
"""

import argparse
import csv
import json
import math
import os
import re
import threading
import time

from ortools.sat.python import cp_model

# Column names, as the format's readers take them.
ALIASES = {"buffer": "id", "buffer_id": "id", "start": "lower", "begin": "lower"}


def read(path):
    """Return buffers as dicts: id, size, align, fixed, pieces [(lower, upper, low, high)]."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file, skipinitialspace=True)
        rows.fieldnames = [ALIASES.get(n.strip(), n.strip()) for n in rows.fieldnames]
        return [buffer(path, row) for row in rows]


def buffer(path, row):
    lower = int(row["lower"])
    upper = int(row["upper"]) if row.get("upper") else int(row["end"]) + 1
    size, pieces, at = int(row["size"]), [], lower
    for gap in sorted(map(parse, (row.get("gaps") or "").split())):
        first, last, window = gap
        pieces.append((at, first, 0, size))
        if window:
            pieces.append((first, last, *window))
        at = last
    pieces.append((at, upper, 0, size))
    return {
        "id": row["id"],
        "size": size,
        "align": int(row.get("alignment") or 1) or 1,
        "fixed": int(row["offset"]) if row.get("offset") not in (None, "", "-1") else None,  # -1 is free
        "pieces": [p for p in pieces if p[0] < p[1]],
    }


def parse(gap):
    """Return (lower, upper, window) of a gap; times may be negative."""
    times, _, window = gap.partition("@")
    first, last = map(int, re.fullmatch(r"(-?\d+)-(-?\d+)", times).groups())
    return first, last, tuple(map(int, window.split(":"))) if window else ()


def sections(buffers):
    """Return the maximal sets of pieces, as (buffer, low, high), that are live at once."""
    events = []
    for i, b in enumerate(buffers):
        for lower, upper, low, high in b["pieces"]:
            events += [(upper, 0, (i, low, high)), (lower, 1, (i, low, high))]
    live, grown, found = set(), False, []
    for _, starts, i in sorted(events):
        if starts:
            live.add(i)
            grown = True
            continue
        if grown:
            found.append(sorted(live))
            grown = False
        live.remove(i)
    return found


def choices(sets):
    """Return the pairs of pieces that are live at once, of different buffers."""
    return sorted({(x, y) for members in sets for x in members for y in members if x[0] < y[0]})


def plan(buffers, capacity, minimize, timeout, workers, seed, pairs=False, boxes=False, both=False, processor=False):
    """Return (status, offsets, height, bound). pairs and boxes take another model than sections, both one with these, too."""
    unit = 0
    for b in buffers:
        unit = math.gcd(unit, b["size"], b["fixed"] or 0, *(x for p in b["pieces"] for x in p[2:]))
    for b in buffers:
        if unit % b["align"]:
            unit = math.gcd(unit, b["align"])
    unit = unit or 1
    roof = sum(b["size"] + b["align"] - 1 for b in buffers)
    roof += max([b["fixed"] + b["size"] for b in buffers if b["fixed"] is not None], default=0)
    roof = (min(roof, capacity) if capacity else roof) // unit

    model = cp_model.CpModel()
    starts, ends, intervals = [], [], {}
    for k, b in enumerate(buffers):
        size, align = b["size"] // unit, max(1, b["align"] // unit)
        if size > roof:
            return "infeasible", None, 0, capacity + 1
        if b["fixed"] is not None:
            if b["fixed"] // unit + size > roof:
                return "infeasible", None, 0, capacity + 1
            start = model.new_constant(b["fixed"] // unit)
        elif align > 1:
            start = align * model.new_int_var(0, (roof - size) // align, f"m{k}")
        else:
            start = model.new_int_var(0, roof - size, f"o{k}")
        starts.append(start)
        ends.append(start + size)
        for _, _, low, high in b["pieces"]:
            if (k, low, high) not in intervals:
                intervals[k, low, high] = model.new_fixed_size_interval_var(start + low // unit, (high - low) // unit, f"i{k}")
    sets = sections(buffers)
    for x, y in choices(sets) if pairs else ():
        below = model.new_bool_var("")  # B(X, Y) xor B(Y, X): one literal and its negation
        for (i, _, high), (j, low, _), order in ((x, y, below), (y, x, below.negated())):
            model.add(starts[i] + high // unit <= starts[j] + low // unit).only_enforce_if(order)
    if boxes:
        # A gap's window is a piece of its own, so that a buffer may be several rectangles. These
        # do not meet in time, and so their overlap in space is none.
        spans, spaces = [], []
        for k, b in enumerate(buffers):
            for lower, upper, low, high in b["pieces"]:
                if low < high:
                    spans.append(model.new_fixed_size_interval_var(lower, upper - lower, f"t{k}"))
                    spaces.append(intervals[k, low, high])
        model.add_no_overlap_2d(spans, spaces)
    for members in () if (pairs or boxes) and not both else sets:
        if len(members) > 1:
            model.add_no_overlap([intervals[i] for i in members])
    if minimize or not capacity:
        height = model.new_int_var(0, roof, "height")
        for end in ends:
            model.add(height >= end)
        model.minimize(height)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    ended = threading.Event()
    if timeout and processor:
        threading.Thread(target=stop_at, args=(solver, time.process_time() + timeout, ended), daemon=True).start()
    elif timeout:
        solver.parameters.max_time_in_seconds = timeout
    status = {cp_model.OPTIMAL: "optimal", cp_model.FEASIBLE: "feasible", cp_model.INFEASIBLE: "infeasible"}.get(
        solver.solve(model), "unknown"
    )
    ended.set()
    if status == "infeasible":
        return status, None, 0, capacity + 1
    bound = 0
    if minimize or not capacity:
        bound = max(0, math.ceil(solver.best_objective_bound - 1e-6)) * unit
    elif status == "optimal":
        status = "feasible"  # nothing was minimised
    if status == "unknown":
        return status, None, 0, bound
    offsets = [solver.value(s) * unit for s in starts]
    return status, offsets, max((o + b["size"] for o, b in zip(offsets, buffers)), default=0), bound


def stop_at(solver, end, ended):
    """Stop a search when this process has used its processor time."""
    while not ended.wait(0.02):
        if time.process_time() >= end:
            solver.stop_search()


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--capacity", type=int, default=0, help="bytes to fit into [default: that of the file's name]")
    args.add_argument("--minimize", action="store_true", help="look for the lowest plan; implied without a capacity")
    args.add_argument("--pairs", action="store_true", help="encode a choice for each pair, as the TelaMalloc paper, not a no-overlap for each section")
    args.add_argument("--boxes", action="store_true", help="one no-overlap of rectangles in time and space, not one of intervals for each section")
    args.add_argument("--sections", action="store_true", help="with --pairs or --boxes: the no-overlaps of sections, too")
    args.add_argument("--processor", action="store_true", help="count processor time, for the timeout and in the answer")
    args.add_argument("--timeout", type=float, default=0, help="seconds for each file [default: no limit]")
    args.add_argument("--workers", type=int, default=1, help="threads of CP-SAT [default: 1]")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("files", nargs="+")
    a = args.parse_args()
    for path in a.files:
        parts = os.path.basename(path).split(".")
        named = int(parts[1]) if len(parts) == 3 and parts[1].isdigit() else 0
        buffers = read(path)
        clock = time.process_time if a.processor else time.perf_counter
        began = clock()
        status, offsets, height, bound = plan(
            buffers, a.capacity or named, a.minimize, a.timeout, a.workers, a.seed, a.pairs, a.boxes, a.sections, a.processor
        )
        seconds = clock() - began
        result = {"name": parts[0], "status": status, "height": height, "lower_bound": bound, "seconds": seconds, "model": "peer"}
        if offsets is not None:
            result["offsets"] = {b["id"]: o for b, o in zip(buffers, offsets)}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()

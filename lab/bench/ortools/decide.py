#!/usr/bin/env python3
"""Prove with OR-Tools CP-SAT that a height is the lowest, where peer.py takes too long.

    pip install ortools
    python3 lab/bench/ortools/decide.py --claims FILE.json FILE.csv ...

A claim is a plan, whoever made it: FILE.json has a list of offsets for each CSV file,
in the order of its buffers. Two questions go to CP-SAT for each: does the plan fit its
own height (peer.py's model with every offset fixed), and does anything fit a byte
less. Nothing of the plan but its height is in the second question, so that a wrong
claim is found out: by the first question where the plan is not valid, by the second
where it is not the lowest, and then the lower plan is the answer.

For the second question there are eight models (chain.py, orders.py, layers.py), asked in
turn with four times the time in each round. What one refutes is refuted; all but plain are complete.
Cubes is many models, which share the time. Layers has most of its work done before CP-SAT begins, so
that it comes last, after what CP-SAT settles by search.

Tried beside ranks, on 20 claims that the others leave open: to split a claim by the order of
the pair with the least room, again and again, each half asked of orders for 0.1 deterministic
seconds (it comes to 20 to 60 halves in 5 s, and settles one claim; ranks 13 in 2.5 s);
ranks with the relaxation (6), more duals, other searches of CP-SAT (no more). Of 16 that
ranks with circuits and no-overlaps leaves open it settles 4 without them; of 19 that it leaves open after 1.5 s,
sums for what lies between each two settle one, rests of the alignments none.
"""

import argparse
import json
import math
import os
import time

import peer
from chain import chain
from orders import cubes, flow, layers, orders, plain, ranks, sections
from ortools.sat.python import cp_model

FIRST, TIMES = 0.3, 4  # deterministic seconds of a model in the first round, and how they grow

# How each is made, the linearization level that does best, and the round that it comes in. What is made is a list
# of (model, starts), of which one has a plan where anything fits, or False where the model does not apply. Without starts a plan
# says nothing, and the model is not asked again.
MODELS = {
    "chain": (chain, 2, 0),
    "plain": (plain, 1, 1),
    "ranks": (ranks, 0, 0),
    "orders": (orders, 2, 0),
    "sections": (sections, 1, 0),
    "flow": (flow, 2, 0),
    "cubes": (cubes, 0, 1),
    "layers": (layers, 0, 2),
}


def fits(buffers, capacity, timeout, models):
    """Return (status, offsets, model): whether anything fits the capacity, and which model says so."""
    began, share, turn, made, waiting = time.perf_counter(), FIRST, 0, [], list(models)
    while made or waiting:
        for name in [n for n in waiting if MODELS[n][2] <= turn]:
            waiting.remove(name)
            parts = MODELS[name][0](buffers, capacity)
            if parts is not False:
                made.append((name, parts))
        for name, parts in made[:]:
            for part in parts[:]:
                left = timeout - (time.perf_counter() - began) if timeout else math.inf
                if left <= 0:
                    return "unknown", None, None
                model, starts = part
                solver = cp_model.CpSolver()
                solver.parameters.num_workers = 1
                solver.parameters.linearization_level = MODELS[name][1]
                solver.parameters.max_deterministic_time = share / len(parts)
                if timeout:
                    solver.parameters.max_time_in_seconds = left
                status = solver.solve(model)
                if status == cp_model.MODEL_INVALID:
                    raise ValueError(model.validate())
                if status == cp_model.INFEASIBLE:
                    parts.remove(part)
                if status == cp_model.OPTIMAL and starts:
                    return "feasible", [solver.value(s) for s in starts], name
                if status == cp_model.OPTIMAL:
                    made.remove((name, parts))
                    break
            if not parts:
                return "infeasible", None, name
        share, turn = share * TIMES, turn + 1
    return "unknown", None, None


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
        status, offsets, model = fits(buffers, height - 1, a.timeout, a.models.split(","))
        if status == "feasible":
            height = max(o + b["size"] for o, b in zip(offsets, buffers))
        offsets, bound = offsets or claim, height if status == "infeasible" else 0
        print(json.dumps({
            "name": os.path.basename(name).split(".")[0], "status": "optimal" if status == "infeasible" else "feasible", "height": height, "lower_bound": bound,
            "seconds": time.perf_counter() - began, "model": model, "offsets": {b["id"]: o for b, o in zip(buffers, offsets)},
        }), flush=True)


if __name__ == "__main__":
    main()

"""Divides a pool into objects with CP-SAT: each buffer is in the object of a buffer that is at least as large.

objects.py SECONDS < problems > answers

A problem is a line of JSON: buffers, the largest first, each with lower, upper and size. An answer is a line, too:
status, value, bound and, of each buffer, the first buffer of its object. SECONDS of processor time are for each problem.
"""

import json
import sys
import threading
import time

from ortools.sat.python import cp_model


def plan(buffers, seconds):
    model = cp_model.CpModel()
    inside = [[model.new_bool_var("") for _ in range(k + 1)] for k in range(len(buffers))]
    for mine in inside:
        model.add_exactly_one(mine)
    moments = sorted({b["lower"] for b in buffers})
    sections = [[k for k, b in enumerate(buffers) if b["lower"] <= at < b["upper"]] for at in moments]
    for first in range(len(buffers)):
        for live in sections:
            inner = [inside[k][first] for k in live if k > first]
            if first in live:
                inner.append(inside[first][first])
            if len(inner) > 1:
                model.add_at_most_one(inner)
        for k in range(first + 1, len(buffers)):
            model.add_implication(inside[k][first], inside[first][first])
    model.minimize(sum(b["size"] * inside[k][k] for k, b in enumerate(buffers)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    began, over = time.process_time(), threading.Event()

    def watch():
        while not over.wait(0.05):
            if time.process_time() - began >= seconds:
                solver.stop_search()

    threading.Thread(target=watch, daemon=True).start()
    status = solver.solve(model)
    over.set()
    answer = {"status": solver.status_name(status).lower()}
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        answer.update(
            value=round(solver.objective_value),
            bound=round(solver.best_objective_bound),
            objects=[next(o for o, here in enumerate(mine) if solver.value(here)) for mine in inside],
        )
    return answer


for line in sys.stdin:
    print(json.dumps(plan(json.loads(line), float(sys.argv[1]))), flush=True)

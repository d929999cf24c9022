"""Plans buffers in pools with CP-SAT: an order for each pair that shares time and a pool.

pairwise.py SECONDS < problems > answers

A problem is a line of JSON: pools (how many), goal (height or max_height), and buffers, each with lower, upper, size
and pools (numbers). So is an answer: status, value, bound, pools and offsets of the buffers. SECONDS of processor time
are for each problem.
"""

import json
import sys
import threading
import time

from ortools.sat.python import cp_model


def plan(problem, seconds):
    buffers, model = problem["buffers"], cp_model.CpModel()
    most = sum(b["size"] for b in buffers)
    heights = [model.new_int_var(0, most, "") for _ in range(problem["pools"])]
    at = [model.new_int_var(0, most - b["size"], "") for b in buffers]
    inside = []
    for b, offset in zip(buffers, at):
        mine = {q: model.new_bool_var("") for q in b["pools"]}
        model.add_exactly_one(mine.values())
        for q, here in mine.items():
            model.add(offset + b["size"] <= heights[q]).only_enforce_if(here)
        inside.append(mine)
    for k, b in enumerate(buffers):
        for j in range(k):
            o = buffers[j]
            both = set(b["pools"]) & set(o["pools"])
            if not both or b["lower"] >= o["upper"] or o["lower"] >= b["upper"]:
                continue
            below, above = model.new_bool_var(""), model.new_bool_var("")
            model.add(at[k] + b["size"] <= at[j]).only_enforce_if(below)
            model.add(at[j] + o["size"] <= at[k]).only_enforce_if(above)
            for q in both:
                model.add_bool_or([below, above, inside[k][q].negated(), inside[j][q].negated()])
    if problem["goal"] == "max_height":
        highest = model.new_int_var(0, most, "")
        model.add_max_equality(highest, heights)
        model.minimize(highest)
    else:
        model.minimize(sum(heights))
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
            pools=[next(q for q, here in mine.items() if solver.value(here)) for mine in inside],
            offsets=[solver.value(offset) for offset in at],
        )
    return answer


for line in sys.stdin:
    print(json.dumps(plan(json.loads(line), float(sys.argv[1]))), flush=True)

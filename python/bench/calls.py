"""Measures what a call costs: python3 python/bench/calls.py, with the package installed.

Each problem is planned many times, and the least and the median time of a call are printed.
"the library alone" is the call of the C function that plans, without Python around it.
"command" plans by a process. At the end 1,000 problems are planned, one after another and by
solve_many."""

import random
import statistics
import sys
import time
from unittest import mock

import stowage
from stowage import _library


def columns(n):
    """Buffers like the values of a function: most of them live for a short time."""
    r = random.Random(n)
    lower = list(range(n))
    upper = [i + 2 + r.randrange(3) + (r.randrange(12) if r.randrange(8) == 0 else 0) for i in lower]
    return lower, upper, [64 * (1 + r.randrange(200)) for _ in lower], [64] * n


def measure(what, call, rounds):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(1e6 * (time.perf_counter() - begin))
    print(f"{what}: {min(times):.1f} us, median {statistics.median(times):.1f}")


def main():
    try:
        import numpy
    except ImportError:
        numpy = None
    if _library.load() is None:
        sys.exit("there is no library: install the wheel, or name it by STOWAGE_LIBRARY")
    for n in (20, 100, 700):
        lists = columns(n)
        rounds = 3000 if n < 200 else 300
        solver = _library.Solver(_library.load(), False)
        problem = stowage.Problem(*lists)
        solver.set(problem)
        room, at = problem._room()
        measure(f"{n} buffers, the library alone", lambda: solver.lib.stowage_solve(solver.handle, at), rounds)
        measure(f"{n} buffers, lists", lambda: stowage.solve(*lists), rounds)
        if numpy:
            arrays = [numpy.array(x, "int64") for x in lists]
            measure(f"{n} buffers, numpy", lambda: stowage.solve(*arrays), rounds)
            measure(f"{n} buffers, numpy, with a capacity", lambda: stowage.solve(*arrays, capacity=1 << 40), rounds)
        with mock.patch.object(_library, "load", lambda: None):
            measure(f"{n} buffers, command", lambda: stowage.solve(*lists), 30)
    many = [stowage.Problem(*columns(60)) for _ in range(1000)]
    for planner in ("auto", "first-fit"):
        for what, call in (
            ("one by one", lambda: [stowage.plan(p, planner=planner) for p in many]),
            ("solve_many", lambda: stowage.solve_many(many, planner=planner)),
        ):
            begin = time.perf_counter()
            call()
            print(f"1000 problems of 60 buffers, {planner}, {what}: {time.perf_counter() - begin:.3f} s")
    if numpy:
        n = 1_000_000
        r = numpy.random.default_rng(1)
        lower = r.integers(0, n, n)
        arrays = [lower, lower + r.integers(1, 50, n), r.integers(1, 1000, n)]
        begin = time.perf_counter()
        plan = stowage.solve(*arrays, timeout=20)
        whole = time.perf_counter() - begin
        print(f"{n} buffers, numpy: {whole:.2f} s, {plan.seconds:.2f} s of it in the planner; {plan!r}")


main()

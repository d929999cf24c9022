"""The program minimalloc with the flags of that package: python -m stowage.minimalloc.cli.

It is for code that calls that package's cli.main. The command `stowage minimalloc` takes the
flags of the C++ program.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from .._units import integer, seconds
from . import Solver, SolverParams, ValidationResult, from_csv_file, to_csv_file, validate
from ._solver import _TECHNIQUES


def _limit(text: str) -> Optional[float]:
    """Reads a time: 10, 10s, 5m, 1h, or inf."""
    if text in ("", "inf", "infinite", "infinity"):
        return None
    return seconds(text)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the program and returns its exit code."""
    parser = argparse.ArgumentParser(prog="minimalloc", description="Plans the buffers of a CSV file, by Stowage.")
    parser.add_argument("--input", required=True, help="the problem, as CSV")
    parser.add_argument("--output", required=True, help="where the plan goes")
    parser.add_argument("--capacity", type=integer, default=0, help="bytes to fit into")
    parser.add_argument("--validate", action="store_true", help="check the plan")
    parser.add_argument("--timeout", type=_limit, default=None, help="10s, 5m, 1h or inf")
    parser.add_argument("--minimize-capacity", action="store_true", help="look for the lowest plan")
    parser.add_argument("--preordering-heuristics", default="", help="orders to try, separated by commas, such as WAT,TAW")
    for name in _TECHNIQUES:
        parser.add_argument(f"--{name.replace('_', '-')}", action=argparse.BooleanOptionalAction, default=True, help="a technique of the search")
    args = parser.parse_args(arguments)
    problem = from_csv_file(args.input)
    if problem is None:
        return _fail(f"{args.input} is no problem as CSV")
    problem.capacity = args.capacity or (sum(b.size + b.alignment for b in problem.buffers) if args.minimize_capacity else 0)
    if problem.capacity <= 0:
        return _fail("--capacity must be above 0 unless there is --minimize-capacity")
    params = SolverParams(minimize_capacity=args.minimize_capacity)
    params.timeout = args.timeout
    for name in _TECHNIQUES:
        setattr(params, name, getattr(args, name))
    if args.preordering_heuristics:
        params.preordering_heuristics = args.preordering_heuristics.split(",")
    begin = time.monotonic()
    solution = Solver(params).solve(problem)
    if solution is None:
        return _fail("there is no plan that fits, or none was found in time")
    print(f"Elapsed time: {time.monotonic() - begin:.3f}s", file=sys.stderr)
    if args.validate:
        good = validate(problem, solution) == ValidationResult.GOOD
        print("PASS" if good else "FAIL", file=sys.stderr)
        if not good:
            return 1
    Path(args.output).parent.mkdir(parents=True, exist_ok=True)
    to_csv_file(args.output, problem, solution)
    return 0


def _fail(what: str) -> int:
    print(f"Error: {what}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""Ten modules of MLIR in xDSL's interpreter, before and after stowage.xdsl: results, and bytes.

python3 run.py

peak is the most that was allocated at one time in the run before, by all functions together; total is what all
allocations take without any sharing. Of the runs with several arguments, the one with the largest peak is shown."""

import sys

from modules import ARGUMENTS, MODULES
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser

import stowage.xdsl


def parsed(text):
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return Parser(context, text).parse_module()


def main():
    print("| module | allocations | total | peak before | arenas | peak after | proven | results |")
    print("|---|---:|---:|---:|---:|---:|---|---|")
    bad = 0
    for name, text in MODULES.items():
        before, after = parsed(text), parsed(text)
        reports = stowage.xdsl.plan(after)
        runs = [(stowage.xdsl.run(before, "main", *a), stowage.xdsl.run(after, "main", *a)) for a in ARGUMENTS]
        same = all(a.results == b.results for a, b in runs)
        bad += not same
        planned, total = sum(r.planned for r in reports), sum(r.total for r in reports)
        height, least = sum(r.arena for r in reports), all(r.arena == r.bound for r in reports)
        print(
            f"| {name} | {planned} | {total:,} | {max(a.peak for a, _ in runs):,} | {height:,} | {max(b.peak for _, b in runs):,} | "
            f"{'yes' if least else 'no'} | {'equal' if same else 'DIFFERENT'} in {len(runs)} |"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

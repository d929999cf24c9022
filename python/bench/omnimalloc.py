"""OmniMalloc's harness with Stowage beside its own allocators, as a table for
python/bench/README.md:

    pip install omnimalloc==1.0.0
    python3 python/bench/omnimalloc.py [--csv FOLDER] [--size N] [--timeout S]

Each source makes its problem with its own seed; the peak of each allocator is given
over the optimum where the source knows it, else over the load. FOLDER has the
challenging instances of google/minimalloc. Every plan passes the harness's own check.
"""

import argparse
import logging
import sys

# The folder of this file has its name, which is that of the package.
sys.path[:] = [path for path in sys.path if not path.endswith("bench")]

from omnimalloc.allocators import (  # noqa: E402
    GreedyByAllAllocator,
    HillClimbAllocator,
    OmniAllocator,
    SimulatedAnnealingAllocator,
    SupermallocAllocator,
    TabuSearchAllocator,
    TelamallocAllocator,
)
from omnimalloc.benchmark import MinimallocSource, run_benchmark  # noqa: E402

from stowage.omnimalloc import StowageAllocator  # noqa: E402

SOURCES = ("random", "uniform", "power_of2", "high_contention", "sequential", "skewed", "tiling", "pinwheel")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--csv", help="the folder of the challenging instances")
    parser.add_argument("--size", type=int, default=500, help="allocations of a made problem")
    parser.add_argument("--timeout", type=float, default=3.0, help="seconds for those that take a timeout")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    limited = (HillClimbAllocator, SimulatedAnnealingAllocator, TabuSearchAllocator, TelamallocAllocator, SupermallocAllocator)
    allocators = (GreedyByAllAllocator(), OmniAllocator(), *(a(timeout=args.timeout) for a in limited), StowageAllocator(timeout=args.timeout))
    names = [str(a) for a in allocators]
    print("| source | allocations |", " | ".join(names), "|")
    print("|---|---:|" + "---:|" * len(names))
    # A pinwheel is whole with four times so many and one.
    sources = [(name, args.size // 4 * 4 + 1 if name == "pinwheel" else args.size) for name in SOURCES]
    if args.csv:
        sources.append((MinimallocSource(csv_dir=args.csv), None))
    for source, size in sources:
        rows = {}
        for allocator in allocators:
            # One at a time: an allocator that finds nothing raises, which is its result.
            try:
                campaign = run_benchmark(allocators=(allocator,), sources=(source,), variants=size)
            except (RuntimeError, ValueError) as err:
                print(f"{source} {allocator}: {str(err).splitlines()[0]}", file=sys.stderr)
                continue
            for r in campaign.reports:
                least = r.known_optimum or r.lower_bound
                cell = f"{r.mean_peak_size / least:.3f} ({r.median_seconds:.3g} s)"
                rows.setdefault((r.source_name, r.variant_label, r.num_allocations), {})[str(allocator)] = cell
        for (name, variant, count), cells in rows.items():
            title = name if not isinstance(source, MinimallocSource) else variant
            print(f"| {title} | {count} |", " | ".join(cells.get(n, "none") for n in names), "|", flush=True)


main()

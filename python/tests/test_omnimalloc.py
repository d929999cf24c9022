"""The allocator for OmniMalloc, in its harness."""

import random
import unittest

from omnimalloc import Allocation, allocate, validate_allocation
from omnimalloc.benchmark import PinwheelSource, RandomSource, run_benchmark
from omnimalloc.primitives import Pool

import stowage.omnimalloc
from stowage.omnimalloc import StowageAllocator


class Omnimalloc(unittest.TestCase):
    def test_harness(self):
        # It is known by its name, every plan passes their check, and where the optimum is
        # known ours is that.
        sources = (RandomSource(seed=3), PinwheelSource())
        campaign = run_benchmark(allocators=("omni", "stowage"), sources=sources, variants={"random": (50, 400), "pinwheel": (129,)}, validate=True)
        peaks = {(r.allocator_name, r.source_name, r.variant_label): r for r in campaign.reports}
        ours = {key[1:]: r for key, r in peaks.items() if key[0] == "stowage"}
        self.assertGreaterEqual(len(ours), 3)
        for key, r in ours.items():
            self.assertLessEqual(r.mean_peak_size, peaks[("omni", *key)].mean_peak_size, key)
            self.assertGreaterEqual(r.mean_peak_size, r.lower_bound)

    def test_pins(self):
        pool = Pool(id="p", allocations=(Allocation("a", 10, 0, 4, offset=7), Allocation("b", 6, 2, 5), Allocation("c", 6, 4, 6)))
        done = allocate(pool, StowageAllocator(timeout=5, seed=3))
        validate_allocation(done)
        self.assertEqual((done.allocations[0].offset, max(a.height for a in done.allocations)), (7, 17))

    def test_short_timeouts(self):
        # A placement comes however short the time is, as from OmniMalloc's anytime allocators.
        r = random.Random(5)
        starts = [r.randrange(9_000) for _ in range(20_000)]
        pool = Pool(id="p", allocations=tuple(Allocation(str(i), 1 + r.randrange(5_000), x, x + 1 + r.randrange(90)) for i, x in enumerate(starts)))
        limits = [{"timeout": x, **planner} for x in (1e-9, "1us", 0.001) for planner in ({}, {"planner": "exact"})]
        for options in (*limits, {"planner": "tela", "nodes": 1}):  # the last finds nothing
            validate_allocation(allocate(pool, StowageAllocator(**options)))
        found = stowage.solve(starts, [a.end for a in pool.allocations], [a.size for a in pool.allocations], planner="tela", nodes=1)
        self.assertEqual(found.status, "unknown")
        # What does not fit is another matter.
        both = Pool(id="p", allocations=(Allocation("a", 10, 0, 4, offset=0), Allocation("b", 10, 0, 4, offset=5)))
        self.assertRaisesRegex((RuntimeError, ValueError), "no capacity is enough|collide", allocate, both, "stowage")

    def test_refuses(self):
        self.assertRaisesRegex(TypeError, "planer", StowageAllocator, planer="exact")
        self.assertRaisesRegex(ValueError, "scalar", allocate, Pool(id="p", allocations=(Allocation("a", 1, (0, 1), (2, 3)),)), "stowage")
        self.assertRaises(stowage.InputError, allocate, Pool(id="p", allocations=(Allocation("a", 1, 0, 1),)), StowageAllocator(timeout=-1))


if __name__ == "__main__":
    unittest.main()

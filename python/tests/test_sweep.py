"""Many problems, planners, capacities and limits in one call."""

import json
import os
import subprocess
import unittest
from unittest import mock

import stowage
from stowage import _library

OTHERS = ("boxing", "tela", "minimalloc")


def refused(*_, **__):
    raise AssertionError("a process is started")


def settled(rows):
    return [row._replace(seconds=0.0) for row in rows]


class Sweep(unittest.TestCase):
    def setUp(self):
        if _library.load() is None:
            self.skipTest("needs the library")
        self.problems = [stowage.generate("random", buffers=24, seed=k, max_life=300) for k in range(6)]
        self.problems += [stowage.generate("infeasible", buffers=16, seed=k) for k in range(3)]

    def test_the_same_as_one_by_one(self):
        planners, capacities = ("auto", "first-fit", "exact", *OTHERS), ("100%", None, "103.5%", 1 << 20, "140%")
        with mock.patch.object(subprocess, "Popen", refused), mock.patch.object(os, "fork", refused):
            rows = stowage.sweep(self.problems, planners=planners, capacities=capacities, nodes=(40, 4000), seeds=(0, 3), implied=False)
        self.assertEqual(len(rows), len(self.problems) * len(planners) * 2 * 2 * len(capacities))
        at = iter(rows)
        for p in self.problems:
            load = stowage.lower_bound(p)
            for planner in planners:
                for nodes in (40, 4000):
                    for seed in (0, 3):
                        for c in (load, 0, -(-load * 2070 // 2000), 1 << 20, -(-load * 7 // 5)):
                            row = next(at)
                            self.assertEqual((row.load, row.planner, row.node_limit, row.seed, row.capacity, row.name), (load, planner, nodes, seed, c, p.name))
                            self.assertEqual((row.implied, row.message, row.buffers), (False, "", p.count))
                            self.assertAlmostEqual(row.share, c / load)
                            if seed == 3 and c != load:
                                continue
                            plan = stowage.solve(p.lower, p.upper, p.size, p.alignment, capacity=c or None, planner=planner, nodes=nodes, seed=seed)
                            self.assertEqual(
                                (row.status, row.height, row.lower_bound, row.nodes, row.stopped),
                                (plan.status, plan.height, plan.lower_bound, plan.nodes, plan.stopped), row,
                            )  # fmt: skip

    def test_threads_change_nothing(self):
        ask = {"planners": ("auto", "minimalloc"), "capacities": (None, "100%", "101%", "110%", "120%"), "nodes": 500}
        want = settled(stowage.sweep(self.problems, at_once=1, **ask))
        for side in (2, 7, None):
            self.assertEqual(settled(stowage.sweep(self.problems, at_once=side, **ask)), want)
        self.assertEqual(stowage.sweep([], **ask), [])
        self.assertEqual([row.name for row in stowage.sweep([[(0, 1, 5)]], names=["x"])], ["x"])

    def test_implied(self):
        # What a row implies is what the planner proves or finds itself, and saves most runs.
        ask = {"planners": ("exact", "auto"), "capacities": [f"{k}%" for k in range(90, 122, 2)], "nodes": 20000}
        told, ran = stowage.sweep(self.problems, **ask), stowage.sweep(self.problems, implied=False, **ask)
        saved = sum(row.implied for row in told)
        self.assertGreater(saved, len(told) // 2)
        self.assertFalse(any(row.implied for row in ran))
        fits = {"optimal": True, "feasible": True, "infeasible": False}
        for a, b in zip(told, ran):
            self.assertEqual((a.problem, a.planner, a.capacity), (b.problem, b.planner, b.capacity))
            if a.status in fits and b.status in fits:
                self.assertEqual(fits[a.status], fits[b.status], (a, b))
            if a.implied:
                self.assertEqual((a.seconds, a.nodes, a.stopped), (0, 0, ""))
                self.assertTrue(0 < a.height <= a.capacity if fits[a.status] else a.height == 0 and a.capacity < a.lower_bound, a)
        # Proven, the lowest plan answers all.
        rows = stowage.sweep(self.problems[:1], capacities=("100%", None, "200%"), planners="exact")
        self.assertEqual([row.implied for row in rows], [True, False, True])
        self.assertEqual([row.status for row in rows], ["optimal" if rows[1].height == rows[1].load else "infeasible", "optimal", "optimal"])

    def test_collision(self):
        # No bound says that fixed offsets collide. What is proven for one capacity holds below it.
        p = stowage.Problem([0, 0], [2, 2], [4, 4], offset=[0, 2])
        rows = stowage.sweep([p], capacities=(8, 9, 10))
        self.assertEqual([(row.status, row.implied) for row in rows], [("infeasible", True), ("infeasible", False), ("infeasible", False)])

    def test_what_goes_wrong_is_a_row(self):
        gappy = stowage.Problem([0, 1], [9, 5], [4, 4], gaps=[[(3, 5)], None])
        crowd = stowage.Problem([0] * 4200, [9] * 4200, range(1, 4201))  # 4,200 × 4,199 / 2 pairs
        bad = stowage.Problem([2, 0], [1, 1], [1, 1], names=["odd", "even"])
        rows = stowage.sweep([gappy, crowd, bad], planners=("auto", "tela"), capacities=(1 << 30, None))
        for row in rows[8:]:
            self.assertEqual((row.status, row.height, row.load, row.implied), ("refused", 0, 0, False))
            self.assertIn('buffer odd: upper "1"', row.message)
        self.assertTrue(all(len(row.problem) == 16 for row in rows))
        self.assertEqual({row.status for row in rows[6:8]}, {"refused"})
        self.assertIn("tela cannot take this problem: 4200 buffers that depend on one another have more than 8388608", rows[6].message)
        for row in rows:
            self.assertEqual(bool(row.message), row.status == "refused")

    def test_errors(self):
        def never(*_):
            raise AssertionError("a planner runs")

        with mock.patch.object(_library, "each", never):
            for wrong, says in (
                ({"planners": ("auto", "nobody")}, "nobody"), ({"capacities": ("110 %%",)}, "share of the load"), ({"capacities": ("-5%",)}, "share"),
                ({"capacities": (0,)}, "capacities is 0"), ({"capacities": ("2 KiBs",)}, "capacities is '2 KiBs'"), ({"nodes": (5, 0)}, "nodes is 0"),
                ({"seeds": -1}, "seed is -1"), ({"names": ["a"]}, "1 for 9 problems"), ({"planners": [5]}, "must be a name"),
                ({"at_once": 0}, "at_once is 0"), ({"timeout": 0}, "timeout"),
            ):  # fmt: skip
                self.assertRaisesRegex(stowage.InputError, says, stowage.sweep, self.problems, **wrong)
        self.assertRaisesRegex(stowage.InputError, "problem 1: ", stowage.sweep, [[(0, 1, 5)], {"lower": [0]}])
        with mock.patch.object(_library, "load", lambda: None), self.assertRaisesRegex(stowage.Error, "needs the library"):
            stowage.sweep(self.problems)

    def test_timeout_is_a_guard(self):
        hard = stowage.generate("pinwheel", buffers=300, seed=1)
        row, = stowage.sweep([hard], planners="exact", timeout="50ms", capacities=["100%"])
        self.assertEqual((row.stopped, row.timeout), ("timeout", 0.05))
        self.assertLess(row.seconds, 20)

    def test_digest(self):
        # The digest is that of files of runs, and the load that of the command.
        said = subprocess.run(
            [stowage.command(), "compare", "--planner", "first-fit", "--format", "json", "-"],
            input=json.dumps(self.problems[0].as_dict()), capture_output=True, text=True, check=False,
        )  # fmt: skip
        row = stowage.sweep(self.problems[:1], planners="first-fit")[0]
        if said.returncode == 0:
            self.assertIn(row.problem, said.stdout)
        self.assertEqual(len({r.problem for r in stowage.sweep(self.problems, planners="first-fit")}), len(self.problems))


class Generate(unittest.TestCase):
    CASES = (
        ("random", {"buffers": 40, "seed": 7, "max_size": "4KiB", "alignment": 16, "gaps": 0.5, "windows": 0.5}),
        ("perfect", {"capacity": "1MiB", "seed": 1 << 63, "holes": 0.25}),
        ("random", {"horizon": 500, "min_life": 3, "max_life": 50, "min_size": 2}),
        ("paper-minimalloc", {}),
        ("infeasible", {"buffers": 16}),
    )

    def test_the_same_as_the_command(self):
        for kind, options in self.CASES:
            p = stowage.generate(kind, **options)
            flags = [x for name, value in options.items() for x in ("--" + name.replace("_", "-"), str(value))]
            said = subprocess.run([stowage.command(), "gen", kind, "--format", "json", *flags], capture_output=True, text=True, check=True).stdout
            self.assertEqual(p.as_dict() | {"version": 1}, {**json.loads(said), "version": 1}, kind)
            with mock.patch.object(_library, "load", lambda: None):
                self.assertEqual(stowage.generate(kind, **options).as_dict(), p.as_dict())

    def test_errors(self):
        for kind, options, says in (
            ("randon", {}, "no generator is named \"randon\""), ("random", {"holes": 0.5}, "takes no holes"), ("random", {"buffers": 0}, "buffers is 0"),
            ("random", {"min_size": "9", "max_size": 3}, "above max-size"), ("random", {"gaps": 2.0}, "must be from 0 to 1"),
        ):  # fmt: skip
            self.assertRaisesRegex(stowage.InputError, says, stowage.generate, kind, **options)
            with mock.patch.object(_library, "load", lambda: None), self.assertRaisesRegex(stowage.InputError, says):
                stowage.generate(kind, **options)


if __name__ == "__main__":
    unittest.main()

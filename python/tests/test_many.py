"""Many problems in one call."""

import json
import os
import random
import subprocess
import sys
import unittest
from unittest import mock

import stowage
from stowage import _library

sys.path.insert(0, os.path.dirname(__file__))
from searching import interrupting, while_searching  # noqa: E402

PLANNERS = ("first-fit", "minimalloc", "sweep", "boxing", "tela")


def made(n, seed):
    r = random.Random(seed)
    lower = [r.randrange(40) for _ in range(n)]
    return stowage.Problem(lower, [x + 1 + r.randrange(10) for x in lower], [1 + r.randrange(1000) for _ in range(n)])


def refused(*_, **__):
    raise AssertionError("a process is started")


class Many(unittest.TestCase):
    def setUp(self):
        if _library.load() is None:
            self.skipTest("needs the library")

    def test_the_same_as_one_by_one(self):
        problems = [made(60, k) for k in range(40)]
        for options in ({}, {"planner": "boxing", "nodes": 20}, {"planner": "exact", "nodes": 50, "seed": 3}, {"capacity": "9 kB", "nodes": 500}):
            want = [stowage.plan(p, **options) for p in problems]
            for side in (None, 1, 3, 64):
                with mock.patch.object(subprocess, "Popen", refused):
                    got = stowage.solve_many(problems, at_once=side, **options)
                self.assertEqual([(p.offsets, p.height, p.status, p.reason) for p in got], [(p.offsets, p.height, p.status, p.reason) for p in want], options)
                self.assertTrue(all(a.problem is b for a, b in zip(got, problems)))

    def test_a_thousand(self):
        # No process is started.
        problems = [made(60, k) for k in range(1000)]
        with mock.patch.object(subprocess, "Popen", refused), mock.patch.object(os, "fork", refused):
            for planner in (None, *PLANNERS[:1]):
                plans = stowage.solve_many(problems, planner=planner, nodes=200)
                self.assertEqual(len(plans), 1000)
                self.assertTrue(all(plans))
            for planner in PLANNERS:
                self.assertTrue(all(stowage.valid(p.problem, p) for p in stowage.solve_many(problems[:5], planner=planner, timeout=5)))

    def test_planners(self):
        # The library has every planner of the command, and says where the others are.
        listed = subprocess.run([stowage.command(), "planners", "--json"], capture_output=True, text=True, check=True)
        names = {x["name"] for x in json.loads(listed.stdout)}
        self.assertLessEqual({"auto", "exact", *PLANNERS}, names)
        with mock.patch.object(subprocess, "Popen", refused):
            for name in names:
                plan = stowage.solve([0, 1], [2, 3], [4, 5], planner=name)
                self.assertTrue(stowage.valid(plan.problem, plan), name)
            for call in (stowage.solve, lambda *p, planner: stowage.sweep([stowage.Problem(*p)], planners=planner)):
                self.assertRaisesRegex(stowage.InputError, 'planner "milp" is in stowage-lab', call, [0, 1], [2, 3], [4, 5], planner="milp")

    def test_what_is_wrong(self):
        problems = [made(5, k) for k in range(20)]
        with self.assertRaisesRegex(stowage.InputError, "problem 3: no column|problem 3: the table has no column upper"):
            stowage.solve_many([*problems[:3], {"lower": [0], "size": [1]}])
        self.assertRaisesRegex(stowage.InputError, "problem 0: 'model.tflite' is a path; stowage.load reads", stowage.solve_many, ["model.tflite"])
        with self.assertRaisesRegex(stowage.InputError, 'problem 7: buffer odd: upper "1"'):
            stowage.solve_many([*problems[:7], stowage.Problem([2], [1], [1], names=["odd"]), *problems[7:]])
        self.assertRaisesRegex(stowage.InputError, "nobody", stowage.solve_many, problems, planner="nobody")
        self.assertRaisesRegex(stowage.InputError, "at_once is 0", stowage.solve_many, problems, at_once=0)
        self.assertRaisesRegex(TypeError, r"solve_many\(\) got an unexpected keyword argument 'capactiy'", stowage.solve_many, problems, capactiy=5)
        self.assertEqual(stowage.solve_many([]), [])
        self.assertEqual([p.status for p in stowage.solve_many([[(0, 1, 5)], stowage.Problem([0], [1], [5], capacity=4)])], ["optimal", "infeasible"])

    def test_ctrl_c(self):
        r = random.Random(1)
        lower = [[r.randrange(40) for _ in range(400)] for _ in range(8)]
        problems = [stowage.Problem(x, [y + 1 + r.randrange(40) for y in x], [1 + r.randrange(5) for _ in x], [r.choice((1, 2, 3, 8)) for _ in x]) for x in lower]
        with while_searching(interrupting()), self.assertRaises(KeyboardInterrupt):
            stowage.solve_many(problems, at_once=2, timeout=600)
        self.assertEqual(stowage.solve([0], [1], [5]).height, 5)

    def test_by_the_command(self):
        problems = [made(12, k) for k in range(4)]
        want = [(p.offsets, p.height) for p in stowage.solve_many(problems)]
        with mock.patch.object(_library, "load", lambda: None):
            self.assertEqual([(p.offsets, p.height) for p in stowage.solve_many(problems, at_once=2)], want)
            self.assertRaisesRegex(stowage.InputError, "problem 1: ", stowage.solve_many, [problems[0], stowage.Problem([2], [1], [1])])


if __name__ == "__main__":
    unittest.main()

"""Plans without the library and the command, by stowage_core.c: the plans of the planner core, else errors that name the wheel."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import stowage
from stowage import _command, _core, _library

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Alone(unittest.TestCase):
    """Without library and command."""

    def setUp(self):
        if not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
            self.skipTest("there is no C compiler for stowage_core.c")
        environment = {name: x for name, x in os.environ.items() if name not in ("STOWAGE", "STOWAGE_LIBRARY")}
        which = shutil.which
        for patch in (
            mock.patch.dict(os.environ, environment, clear=True),
            mock.patch.object(_library, "_absent", "it is not there"),
            mock.patch.object(os, "access", lambda path, mode, **kw: not str(path).endswith("stowage")),
            mock.patch.object(shutil, "which", lambda name, *rest, **kw: None if name == "stowage" else which(name, *rest, **kw)),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.assertTrue(_command.absent())

    def test_plans(self):
        r, problems = random.Random(47), []
        for n in [1, 2, 5, 20, 40] * 8:
            scale = r.choice((1, 10**9))
            lower = [r.randrange(-500, 500) * scale for _ in range(n)]
            upper = [x + r.randrange(10, 300) * scale for x in lower]
            gaps = [[(x + a * scale, x + (a + 2) * scale) for a in r.sample((0, 2, 5, 8), 2)] if r.random() < 0.2 else None for x in lower]
            alignment = [r.choice((1, 4, 8)) for _ in range(n)]
            offset = [8 * r.randrange(40) if r.random() < 0.05 else -1 for _ in range(n)]
            size = [r.randrange(1, 100) for _ in range(n)]
            problems.append(stowage.Problem(lower, upper, size, alignment, offset=offset, gaps=gaps, capacity=r.choice((0, 0, 60, 600))))
        statuses = set()
        for p, plan in zip(problems, stowage.solve_many(problems, nodes=300)):
            statuses.add(plan.status)
            self.assertEqual(plan.planner, "core")
            self.assertEqual((plan.status == "infeasible", bool(plan)), (bool(plan.reason) and not plan.stopped, plan.status in ("optimal", "feasible")))
            self.plans.append((p, plan))
        self.assertTrue({"optimal", "infeasible"} <= statuses, statuses)

    plans = []

    @classmethod
    def tearDownClass(cls):
        """The plans are those of the planner core in the library, unless times are large; all are right."""
        for p, plan in cls.plans:
            same = stowage.plan(p, planner="core", nodes=300)
            small = max(p.upper) < 10**9
            if plan and small and list(same.offsets or []) != list(plan.offsets):
                raise AssertionError(f"{plan} is not {same}")
            if plan:
                stowage.verify(p, plan.offsets)
            if {plan.status, same.status} == {"optimal", "infeasible"} or plan.lower_bound > same.height > 0:
                raise AssertionError(f"{plan} contradicts {same}")

    def test_sizes_and_limits(self):
        self.assertEqual(stowage.size([(0, 2, 600), (0, 4, 300), (1, 4, 500)]).height, 1400)
        self.assertEqual(stowage.solve([], [], []).height, 0)
        self.assertEqual(stowage.solve([0, 0], [2, 2], [10, 10], capacity=15).status, "infeasible")
        self.assertEqual(stowage.solve([0, 0], [2, 2], [10, 10], capacity=25, minimize=True).height, 20)
        self.assertEqual(stowage.solve([0], [1], [1], planner="core", workers=2, seed=3).status, "optimal")

    def test_traces(self):
        text = stowage.plan_trace((ROOT / "arena/testdata/steps.trace").read_text(), alignment=128, guard=32, every_step=True)
        self.assertIn("\nalignment 256\nguard 32\n", text)
        self.assertEqual(text.count("stowage-arena-plan 1"), 3)
        with self.assertRaisesRegex(stowage.InputError, "line 2: expected an event"):
            stowage.plan_trace("stowage-arena-trace 1\nx\n")

    def test_a_process(self):
        """What the arena of PyTorch and ONNX Runtime starts if there is no command."""
        with tempfile.TemporaryDirectory() as folder:
            to = os.path.join(folder, "plan")
            for trace, every in (("steps", True), ("three", False)):
                path = ROOT / f"arena/testdata/{trace}.trace"
                subprocess.run(_core.words(str(path), to, every, 60.0), check=True)
                with open(to, "rb") as f:
                    self.assertEqual(f.read(), _core.plan_trace(path.read_bytes(), every=every, apart=every))
            with open(os.path.join(folder, "bad"), "w") as f:
                f.write("x\n")
            done = subprocess.run(_core.words(f.name, to, True, 0), capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, "line 1: expected stowage-arena-trace 1" in done.stderr), (1, True))

    def test_refuses(self):
        for call in (
            lambda: stowage.plan(ROOT / "examples/tiny.tflite"),
            lambda: stowage.solve([0], [2], [1], planner="auto"),
            lambda: stowage.solve([0], [2], [1], without=["merge"]),
            lambda: stowage.solve([0], [2], [1], progress=print),
            lambda: stowage.solve([0], [2], [1], start=[0]),
            lambda: stowage.solve([0], [4], [9], gaps=[[(1, 2, 0, 4)]]),
            lambda: stowage.solve([0], [4], [9], gaps=[[(0, 2), (2, 4)]]),
            lambda: stowage.solve([0], [2], [1], pools=[stowage.Pool("a", "64")]),
            lambda: stowage.Session([(0, 1, 2)]),
            lambda: stowage.verify([(0, 2, 1)], [0]),
            lambda: stowage.lower_bound([(0, 2, 1)]),
            lambda: stowage.explain([(0, 2, 1)], 1),
            lambda: stowage.plan_graph({}),
            lambda: stowage.generate("random"),
            lambda: stowage.solve([0], [2], [1]).svg(),
            lambda: stowage.plan_trace("", planner="auto"),
        ):
            with self.assertRaisesRegex(stowage.Error, "wheel"):
                call()

    def test_faults(self):
        for columns, others, want in (
            (([0], [0], [1]), {}, "upper 0"), (([0], [1], [0]), {}, "size is 0"), (([0], [1], [1], [-1]), {}, "alignment is -1"),
            (([0], [1], [1], [8]), {"offset": [4]}, "offset is 4"), (([0], [1], [1]), {"offset": [-5]}, "offset is -5"),
            (([0], [5], [1]), {"gaps": [[(1, 6)]]}, "gap"), (([0], [5], [1]), {"gaps": [[(1, 3), (2, 4)]]}, "gap"),
            (([0], [5], [1]), {"gaps": [[(3, 3)]]}, "gap"),
            (([0, 0], [1, 1], [1 << 61, 1 << 61]), {}, "sizes add up"),
        ):  # fmt: skip
            with self.assertRaisesRegex(stowage.InputError, want):
                stowage.solve(*columns, **others)
        with mock.patch.object(_core, "_load", side_effect=stowage.Error("no compiler")), self.assertRaisesRegex(stowage.Error, "compiler"):
            stowage.solve([0], [1], [1])

"""The package and a program that uses it, checked by mypy --strict."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import stowage

USER = '''
from __future__ import annotations
from typing import Optional
import numpy
import stowage

def use() -> int:
    plan = stowage.solve([0, 1], [2, 3], ["1KiB", 5], capacity="2KiB", timeout="500ms")
    stowage.solve(numpy.zeros(3, "int64"), numpy.ones(3, "int64"), numpy.ones(3, "int64"), 16, offset=[None, 4, None], timeout=1.5, capacity=1e9)
    stowage.plan({"id": ["a"], "lower": [0], "upper": [1], "size": [4]}, start=plan, progress=lambda p: p.height > 5)
    stowage.plan([(0, 4, 300), stowage.Buffer(0, 2, 600, id="input")])
    many: list[stowage.Plan] = stowage.solve_many([plan.problem, [(0, 1, 2)]], planner="first-fit", at_once=2)
    ruled = stowage.solve([0, 1], [2, 3], [4, 5], names="ab", pools=["x", stowage.Pool("y", "1KiB", cost=2), {"id": "z"}], allowed=[None, ["x", 1]],
        costs=[{"y": 3}, None], together=[["a", 1], {"buffers": ["a", "b"]}], apart=[("a", 1)], may_overlap=numpy.zeros((2, 2), "int64"), distances=[("a", "b", -3)],
        penalties=[{"buffers": ["a", "b"], "cost": 3}], period=9, evictions=[None, [(1, 2, 3)]], objective=["cost", "height"])
    stowage.solve([(0, 1), (1, 2)], [(2, 3), (2, 3)], [1, 2])
    lanes: list[Optional[str]] = ruled.pools or []
    rules = ruled.problem.rules
    limits: list[int] = [ruled.bounds["cost"], *(part.offset for part in ruled.parts[0]), rules.costs[0][1] if rules else len(lanes)]
    many[0].height += sum(limits)
    good: bool = stowage.valid(plan.problem, plan)
    why: str = many[0].reason
    first = stowage.conflict("model.tflite", "64KiB")[0]
    if plan.offsets is None or not good:
        return len(why) + first
    reveal_type(plan.offsets)
    return int(plan.offsets[0]) + plan.problem.lower[0] + plan.by_name()["a"]

stowage.solve([0], [1], [2], capactiy=5)
stowage.solve([0], [1], [2], timeout=[1])
stowage.plan(5)
use().bit_lengt()
'''


class Mypy(unittest.TestCase):
    there = pathlib.Path(stowage.__file__).parent

    def check(self, folder, *arguments):
        """Runs mypy in a folder, without anybody's configuration."""
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "MYPYPATH": str(self.there.parent)}
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.path.join(folder, "cache"), *arguments],
            capture_output=True, text=True, check=False, cwd=folder, env=environment,
        ).stdout  # fmt: skip

    def test_the_package(self):
        but = [] if importlib.util.find_spec("omnimalloc") else ["--exclude", "omnimalloc"]
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("Success", self.check(folder, *but, str(self.there)))

    def test_a_program(self):
        # It has four mistakes, and no others are found.
        with tempfile.TemporaryDirectory() as folder:
            user = os.path.join(folder, "user.py")
            pathlib.Path(user).write_text(USER, encoding="utf-8")
            said = self.check(folder, user)
        for words in (
            r'Unexpected keyword argument "capactiy" for "solve"', r'Argument "timeout" to "solve" has incompatible type',
            r'Argument 1 to "plan" has incompatible type "int"', r'"int" has no attribute "bit_lengt"', r"Revealed type is .*list\[(builtins.)?int\]",
        ):  # fmt: skip
            self.assertRegex(said, words)
        self.assertEqual(len(re.findall("error:", said)), 4, said)


if __name__ == "__main__":
    unittest.main()

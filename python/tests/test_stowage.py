"""The package stowage, over the library. Needs Python, the library (STOWAGE_LIBRARY, or
that of an installed wheel) and the command; what needs numpy or pandas is skipped without.
"""

import ast
import copy
import csv
import glob
import gzip
import importlib.util
import json
import os
import pathlib
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from array import array
from unittest import mock

import stowage
from stowage import _command, _errors, _library

sys.path.insert(0, os.path.dirname(__file__))
from searching import interrupting, once, while_searching  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

FIVE = ([0, 3, 0, 9, 0], [3, 9, 9, 21, 21], [4, 4, 4, 4, 4])


def made(n, seed=0, horizon=40, most=1000, aligned=False):
    """Columns of a problem; small sizes and mixed alignments make a hard one."""
    r = random.Random(seed)
    lower = [r.randrange(horizon) for _ in range(n)]
    upper = [x + 1 + r.randrange(horizon) for x in lower]
    size = [1 + r.randrange(most) for _ in range(n)]
    return lower, upper, size, [r.choice((1, 1, 2, 4, 8, 3)) for _ in range(n)] if aligned else None


def hard(n=64):
    """Columns of a problem that keeps a search busy: the least height of such many odd
    sizes is not proven soon. Up to 64 buffers are planned in the foreground."""
    return made(n, 1, 30, 100000, True) if n <= 64 else made(n, 0, 40, 5, True)


def script(text, *arguments):
    """Runs a program that uses the package; returns what it prints."""
    done = subprocess.run([sys.executable, "-c", text, *arguments], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


class Library(unittest.TestCase):
    def test_it_is_there(self):
        # Without it all would be planned by the command, and nothing here tested; unless it
        # is just that which is tested.
        if os.environ.get("STOWAGE_ALONE"):
            self.assertIsNone(_library.load())
            return
        self.assertIsNotNone(_library.load(), _library._absent)
        self.assertEqual(_library.load().stowage_version().decode(), stowage.__version__)

    def test_plans(self):
        p = stowage.solve(*FIVE)
        self.assertEqual((p.status, p.height, p.lower_bound, p.stopped, p.planner, len(p)), ("optimal", 12, 12, "", "auto", 5))
        self.assertTrue(p and p.optimal and type(p.offsets) is list)
        self.assertEqual(stowage.verify(p.problem, p.offsets), "")
        self.assertEqual(p.by_name(), {str(i): x for i, x in enumerate(p.offsets)})
        self.assertIn("optimal, height 12", repr(p))
        self.assertEqual(stowage.lower_bound(p.problem), 12)
        self.assertEqual(stowage.solve([], [], []).offsets, [])

    def test_words(self):
        # Who found the plan, who proved it, and why the run ended: the same from the library
        # as from the command, which a file is planned by.
        def words(p):
            return p.found_by, p.proved_by, p.ended

        self.assertEqual(words(stowage.solve(*FIVE, planner="exact")), ("exact", "bound", "proof"))
        self.assertEqual(words(stowage.solve(*FIVE, capacity=11)), ("", "bound", "proof"))
        self.assertEqual(words(stowage.solve([0, 0], [4, 4], [10, 10], offset=[0, 5])), ("", "collision", "proof"))
        self.assertEqual(words(stowage.solve(*hard(), planner="climb", nodes=50)), ("climb", "", "nodes"))
        p = stowage.solve(*FIVE, planner="first-fit", capacity=1000)
        self.assertEqual((p.found_by, p.member, p.planner), ("first-fit", "", "first-fit"))
        p = stowage.solve(*hard(), nodes=50)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "problem.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump(p.problem._dict(), f)
            q = stowage.plan(path, nodes=50)
        self.assertEqual((words(p), p.member, p.height), (words(q), q.member, q.height))
        self.assertEqual((p.proved_by, p.ended, bool(p.found_by)), ("", "nodes", True))

    def test_capacity(self):
        p = stowage.solve(*FIVE, capacity=11)
        self.assertFalse(p)
        self.assertEqual((p.status, p.offsets, p.height, p.capacity), ("infeasible", None, 0, 11))
        self.assertEqual(p.by_name(), {})
        self.assertTrue(stowage.solve(*FIVE, capacity=12))
        self.assertEqual(stowage.solve(*FIVE, capacity=90, minimize=True).height, 12)
        self.assertEqual(stowage.solve(*FIVE).height, 12)  # the capacity is not kept
        self.assertEqual(stowage.plan(stowage.Problem(*FIVE, capacity=11)).status, "infeasible")

    def test_sources(self):
        want = stowage.solve(*FIVE).offsets
        columns = {"lower": FIVE[0], "upper": FIVE[1], "size": FIVE[2]}
        rows = list(zip(*FIVE))
        views = [memoryview(array("q", x)) for x in FIVE]
        for source in (
            stowage.Problem(*FIVE), columns, rows, iter(rows), [stowage.Buffer(*row) for row in rows],
            [dict(zip(("lower", "upper", "size"), row)) for row in rows],
            {"start": FIVE[0], "end": [x - 1 for x in FIVE[1]], "size": FIVE[2]},
            dict(zip(columns, views)), dict(zip(columns, [v.toreadonly() for v in views])),
            dict(zip(columns, [array("i", x) for x in FIVE])), dict(zip(columns, [[float(x) for x in y] for y in FIVE])),
        ):  # fmt: skip
            self.assertEqual(list(stowage.plan(source).offsets), want)

    def test_features(self):
        p = stowage.plan(
            [
                stowage.Buffer(0, 9, 10, alignment=8, id="a"),
                stowage.Buffer(0, 9, 10, offset=40, id="b"),
                stowage.Buffer(0, 9, 10, hint=20, gaps=[(2, 4), (5, 6, 0, 3)], id="c"),
                stowage.Buffer(2, 4, 50, id="d"),
            ]
        )
        at = p.by_name()
        self.assertEqual((at["b"], at["a"] % 8, stowage.verify(p.problem, p.offsets)), (40, 0, ""))
        self.assertEqual(p.problem.buffer(2), stowage.Buffer(0, 9, 10, 1, None, 20, [(2, 4), (5, 6, 0, 3)], "c"))
        table = {"id": ["x", "y"], "lower": [0, 1], "upper": [4, 3], "size": [5, 5], "gaps": ["1-3", ""], "offset": [None, 0]}
        self.assertEqual(stowage.plan(table).height, 5)
        table = {"id": ["x", "y"], "lower": [0, 1], "end": [3, 2], "size": [5, 5], "gaps": ["1-2@0:2", None]}
        self.assertEqual((stowage.plan(table).height, stowage.plan(table).problem.buffer(0).gaps), (7, [(1, 3, 0, 2)]))
        self.assertEqual(stowage.solve([0, 2], [9, 4], [8, 6], gaps=["2-6@0:2", None]).height, 8)
        holes = stowage.plan({"lower": [0, 0], "upper": [1, 1], "size": [3, 3], "alignment": [None, float("nan")]})
        self.assertEqual((holes.height, holes.problem.buffer(0).alignment), (6, 1))
        self.assertEqual(stowage.solve([0, 0], [1, 1], [3, 3], alignment=4).height, 7)

    def test_start_and_options(self):
        first = stowage.solve(*made(60, 3))
        again = stowage.solve(*made(60, 3), start=first.offsets, nodes=1)
        self.assertLessEqual(again.height, first.height)
        p = stowage.solve(*made(60, 3), planner="exact", without=["memo"], params={}, nodes=100, seed=2**64 - 1, workers=1)
        self.assertEqual(p.planner, "exact")
        self.assertEqual(stowage.solve(*hard(), nodes=50).stopped, "nodes")
        self.assertEqual(stowage.solve(*hard(), timeout=0.05).stopped, "timeout")
        self.assertEqual(stowage.solve(*FIVE, planner="boxing").planner, "boxing")

    def test_faults(self):
        for call, words in (
            (lambda: stowage.solve([0, 5], [1, 5], [1, 1], names=["a", "b"]), 'buffer b: upper "5"'),
            (lambda: stowage.solve([0], [1], [1, 2]), "1, 1 and 2 values"),
            (lambda: stowage.solve([0], [1], [1.5]), "1.5 is no whole number"),
            (lambda: stowage.solve([0], [1], ["four"]), "size of buffer 0: 'four' is no size"),
            (lambda: stowage.solve(["4"], [5], [1]), "lower of buffer 0: '4' is no whole number"),
            (lambda: stowage.solve([0, 0, 0], [1, 1, float("nan")], [1, 1, 1]), "upper of buffer 2: nan is no whole number"),
            (lambda: stowage.solve([0, 0], [1, 1], [1, 1], start=[0]), "1 offset for 2 buffers"),
            (lambda: stowage.plan({"who": ["a"], "end": [0], "octets": [1]}), "no column lower and no size; it has who, end, octets"),
            (lambda: stowage.Problem.of("nothing.csv"), "'nothing.csv' is a path; stowage.load reads the problem of a file"),
            (lambda: stowage.solve([0], [1], [2**63]), "no whole number of 64 bits"),
            (lambda: stowage.solve([0], [1], 5), "5 is no sequence"),
            (lambda: stowage.solve([0], [1], [1], [1, 2]), "2 values for 1 buffer"),
            (lambda: stowage.solve([0], [1], [1], names=["a", "b"]), "2 values for 1"),
            (lambda: stowage.solve([0, 0], [1, 1], [1, 1], names=["a", "a"]), "distinct"),
            (lambda: stowage.solve([0], [1], [1], gaps=[[(1, 2, 3)]]), "neither"),
            (lambda: stowage.solve([0], [1], [1], nodes=0), "nodes is 0"),
            (lambda: stowage.solve([0], [1], [1], timeout=float("nan")), "timeout is nan"),
            (lambda: stowage.solve([0], [1], [1], seed=-1), "seed is -1"),
            (lambda: stowage.solve([0], [1], [1], planner="exact", without=["memory"]), 'no technique "memory"'),
            (lambda: stowage.solve([0], [1], [1], planner="nobody"), "nobody"),
            (lambda: stowage.solve([0], [1], [1], start=[0, 1]), "2 offsets for 1 buffer"),
            (lambda: stowage.plan([(0, 1, 1)], heap="x"), "are for files"),
            (lambda: stowage.plan({"lower": [0], "size": [1]}), "no column upper; it has lower, size"),
            (lambda: stowage.plan({"lower": [0], "start": [0], "upper": [1], "size": [1]}), "lower and start"),
            (lambda: stowage.plan([(1,)]), "buffer 0"),
            (lambda: stowage.plan(7), "neither a problem"),
            (lambda: stowage.plan("nothing.csv"), "nothing.csv"),
            (lambda: stowage.conflict([(0, 1, 2)]), "capacity"),
            (lambda: stowage.conflict([(0, 1, 2)], 2**64 + 2), "capacity is 18446744073709551618"),
            (lambda: stowage.explain([(0, 1, 2)], -1), "capacity is -1"),
            (lambda: stowage.explain([(0, 1, 2)], 1, timeout=float("nan")), "timeout is nan"),
            (lambda: stowage.Problem([0], [1], [1], capacity="1QiB"), "capacity is '1QiB', must be a number"),
            (lambda: stowage.solve([0], [1], [1], capacity=2**64 + 5), "below 2**63"),
            (lambda: stowage.solve([0], [1], [1], nodes=2**64), "nodes is 18446744073709551616"),
            (lambda: stowage.solve([0], [1], [1], workers=2**63), "workers is"),
            (lambda: stowage.solve([0], [1], [1], timeout="10 apples"), "timeout is '10 apples'"),
            (lambda: stowage.solve([0], [1], [1], timeout="-1s"), "must be more than 0 seconds"),
            (lambda: stowage.solve([0], [1], [1], capacity=1.5), "capacity is 1.5"),
            (lambda: stowage.solve([0], [1], [1], nodes=True), "nodes is True"),
            (lambda: stowage.solve([0], [1], [1], seed=1.5), "seed is 1.5"),
            (lambda: stowage.solve([0], [1], [1], planner=5), "planner is 5"),
            (lambda: stowage.solve([0], [1], [1], params=[1]), "params is [1]"),
            (lambda: stowage.solve([0], [1], [1], progress=5), "progress is 5"),
            (lambda: stowage.solve([0, 0], [1, 1], [1, 1], names=["a", ""]), "'' of buffer 1 is empty"),
            (lambda: stowage.solve([0, 0, 0], [1, 1, 1], [1, 1, 1], names=["a", "b", "a"]), "'a' of buffer 2 is there already"),
            (lambda: stowage.solve([0], [1], [1], names=["\ud800"]), "is not text"),
            (lambda: stowage.solve([0], [1], [1], names=[None]), "'' of buffer 0 is empty"),
            (lambda: stowage.plan({"id": ["a", float("nan")], "lower": [0, 0], "upper": [1, 1], "size": [1, 1]}), "'' of buffer 1 is empty"),
            (lambda: stowage.solve([0, 0], [1, 1], {5, 3}), "size: {3, 5} is no sequence"),
            (lambda: stowage.solve([0], [1], {1: 1}), "size: {1: 1} is no sequence"),
            (lambda: stowage.plan("a\0b.csv"), "embedded null"),
            (lambda: stowage.solve([0], [1], [1], gaps=[5]), "5 is no sequence of gaps"),
            (lambda: stowage.solve([0], [1], [1], gaps=[[None]]), "None is neither"),
            (lambda: stowage.solve([0], [9], [9], gaps=[[(1, 2, -1, 5)]]), "a window that begins below 0"),
            (lambda: stowage.solve([0], [9], [9], gaps=["1-x"]), "neither a-b"),
            (lambda: stowage.solve(memoryview(bytes(8)).cast("q", [1, 1]), [1], [1]), "2 dimensions"),
            (lambda: stowage.load("nothing.csv"), "nothing.csv"),
        ):
            with self.assertRaises(stowage.InputError) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        self.assertIn("both use bytes", stowage.verify(stowage.Problem(*FIVE), [0, 0, 0, 0, 0]))
        self.assertIn("2 offsets for 5", stowage.verify(stowage.Problem(*FIVE), [0, 0]))

    def test_columns_stay(self):
        # The library reads them where they are: they cannot go, nor move.
        size = array("q", [1, 2])
        p = stowage.Problem([0, 0], [1, 1], size)
        for change in (lambda: setattr(p, "size", [5, 5]), lambda: setattr(p, "capacity", 2**64), lambda: p.lower.append(1), lambda: size.extend(range(9999))):
            self.assertRaises((AttributeError, BufferError), change)
        self.assertEqual(stowage.plan(p).height, 3)
        del p
        size.extend(range(9999))

    def test_the_longest_timeout(self):
        for seconds in (float("inf"), 1e300, 2**63, 9.3e9):
            self.assertEqual(stowage.solve(*FIVE, timeout=seconds).status, "optimal")

    def test_reasons(self):
        # Fixed offsets that collide: no capacity is enough, so none is suggested.
        p = stowage.solve([0, 0], [4, 4], [10, 10], offset=[0, 5], names=["left", "right"])
        for said in (p.reason, repr(p), p._repr_html_()):
            self.assertRegex(said, r"left and right have fixed offsets that collide: both use bytes \[5, 10\) at times \[0, 4\).* no capacity is enough")
            self.assertNotIn("20", said.partition("</svg>")[2])
        self.assertNotIn("20", repr(p))
        p = stowage.solve([0, 0, 0], [4, 4, 9], [4, 5, 6], capacity=10, names=["a", "b", "c"])
        self.assertRegex(p.reason, r"^In \[0, 4\) 3 buffers take 15, which is 5 more than the capacity of 10.*a \(4\)")
        with mock.patch.object(_library, "load", lambda: None):
            q = stowage.solve([0, 0, 0], [4, 4, 9], [4, 5, 6], capacity=10, names=["a", "b", "c"])
        self.assertEqual(q.reason, p.reason)
        self.assertIn("no plan", stowage.verify(p.problem, p))
        self.assertEqual(stowage.solve(*FIVE).reason, "")
        self.assertEqual(stowage.solve(*hard(), nodes=50).reason, "The node limit came first: a lower plan may exist.")
        self.assertEqual(stowage.solve(*made(400, 2), capacity=stowage.lower_bound(stowage.Problem(*made(400, 2))), nodes=1, planner="exact").reason[:25], "The node limit came first")
        # The names stay with the problem that has them.
        self.assertIn(" 0 (4)", stowage.solve([0, 0], [4, 4], [4, 5], capacity=8).reason)

    def test_valid(self):
        p = stowage.solve(*FIVE)
        self.assertIs(stowage.valid(p.problem, p), True)
        self.assertIs(stowage.valid(p.problem, [0] * 5), False)
        self.assertIs(stowage.valid(p.problem, p, capacity="11B"), False)

    def test_files_that_are_not_there(self):
        # As of any file in Python, and as of any bad input.
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "nothing.csv")
            for call in (stowage.plan, stowage.load, stowage.lower_bound, lambda path: stowage.explain(path, 5), lambda path: stowage.conflict(path, 5)):
                for path, kind in ((missing, FileNotFoundError), (folder, IsADirectoryError), (pathlib.Path(missing), FileNotFoundError)):
                    with self.assertRaises(kind) as caught:
                        call(path)
                    self.assertIsInstance(caught.exception, stowage.InputError)
                    self.assertEqual((caught.exception.filename, str(path) in str(caught.exception)), (os.fspath(path), True))
            with self.assertRaises(FileNotFoundError):
                stowage.plan("-")  # standard input is none of Python's
            p = stowage.solve(*FIVE)
            there = os.path.join(folder, "plan.csv")
            p.save(there)
            self.assertRaises(FileNotFoundError, stowage.plan, there, start=missing)
            for path in (os.path.join(folder, "no", "x.svg"), os.path.join(folder, "no", "x.json"), os.path.join(there, "x.csv"), folder):
                with self.assertRaises(OSError) as caught:
                    p.save(path)
                self.assertIsInstance(caught.exception, stowage.Error)
                self.assertEqual(caught.exception.filename, path)
            if os.path.exists("/dev/full"):
                self.assertRaisesRegex(OSError, "No space", p.save, "/dev/full")
            # What fails changes nothing.
            self.assertRaisesRegex(stowage.InputError, "^plan.nothing: no such output format", p.save, os.path.join(folder, "plan.nothing"))
            self.assertEqual(os.listdir(folder), ["plan.csv"])
            os.chmod(there, 0o640)
            p.save(there)
            self.assertEqual(os.stat(there).st_mode & 0o777, 0o640)

    def test_explains(self):
        buffers = [(0, 2, 2), (0, 2, 2), (2, 5, 2), (3, 6, 2), (4, 7, 2)]
        self.assertEqual((stowage.conflict(buffers, 4), stowage.conflict(buffers, 6)), ([2, 3, 4], []))
        self.assertIn("2 of 2 buffers cannot fit 5", stowage.explain([(0, 2, 3), (0, 2, 3)], 5))
        with mock.patch.object(_library, "load", lambda: None):
            self.assertEqual((stowage.conflict(buffers, 4), stowage.conflict(buffers, 6)), ([2, 3, 4], []))

    def test_without_the_library(self):
        with_it = [stowage.solve(*made(80, k, aligned=k % 2 == 0), nodes=500, seed=k) for k in range(4)]
        with mock.patch.object(_library, "load", lambda: None):
            for k, p in enumerate(with_it):
                q = stowage.solve(*made(80, k, aligned=k % 2 == 0), nodes=500, seed=k)
                self.assertEqual((q.offsets, q.height, q.lower_bound, q.status, q.nodes), (p.offsets, p.height, p.lower_bound, p.status, p.nodes))
            self.assertEqual(stowage.solve(*FIVE, capacity=11).status, "infeasible")
            self.assertEqual(stowage.solve(*FIVE, start=[0, 0, 4, 0, 8]).height, 12)
            self.assertIn("both use bytes", stowage.verify(stowage.Problem(*FIVE), [0, 0, 0, 0, 0]))
            self.assertEqual(stowage.lower_bound(stowage.Problem(*FIVE)), 12)

    def test_pictures_and_files(self):
        p = stowage.solve(*FIVE, names=["a", "b", "c", "d", "é"])
        self.assertIn("é", p.svg())
        self.assertIn("<html", p.html())
        with tempfile.TemporaryDirectory() as folder:
            for name in ("plan.json", "plan.csv", "plan.svg", "plan.png", "plan.pdf", "plan.h", "plan.svg.gz", "plan.csv.gz"):
                p.save(pathlib.Path(folder) / name)
                self.assertGreater((pathlib.Path(folder) / name).stat().st_size, 50)
            self.assertEqual(stowage.load(os.path.join(folder, "plan.csv.gz")).offset.tolist(), p.offsets)
            self.assertIn("PLAN_ARENA_SIZE 12", pathlib.Path(folder, "plan.h").read_text())
            self.assertEqual((repr(stowage.Problem([0], [1], [1])), repr(p.problem)), ("<stowage.Problem of 1 buffer>", "<stowage.Problem of 5 buffers>"))
            back = stowage.plan(os.path.join(folder, "plan.csv"))
            self.assertEqual((back.by_name(), back.problem.offset.tolist()), (p.by_name(), p.offsets))
            self.assertEqual(json.loads(pathlib.Path(folder, "plan.json").read_text(encoding="utf-8")), p.as_dict())
            self.assertEqual(stowage.plan(pathlib.Path(folder, "plan.json")).by_name(), p.by_name())
        with self.assertRaisesRegex(ValueError, "infeasible: .* more than the capacity of 11"):
            stowage.solve(*FIVE, capacity=11).save("plan.csv")

    def test_models(self):
        examples = pathlib.Path(__file__).parents[2] / "examples"
        p = stowage.plan(examples / "tiny.onnx", dims={"batch": 2})
        self.assertTrue(p.optimal and "input" in p.by_name())
        self.assertRaisesRegex(stowage.InputError, "batch", stowage.plan, examples / "tiny.onnx")
        shaped = stowage.plan(examples / "tiny.onnx", shapes={"input": "2x3x16x16"})
        self.assertEqual(shaped.by_name(), p.by_name())
        with self.assertRaisesRegex(stowage.InputError, r'shape of input "2x4x16x16": does not fit what the model says: it is FLOAT'):
            stowage.plan(examples / "tiny.onnx", shapes={"input": "2x4x16x16"})
        unet = examples / "unet.csv"
        problem = stowage.load(unet)
        self.assertEqual((len(problem), problem.capacity, stowage.lower_bound(unet)), (36, 0, 83681280))
        self.assertEqual(stowage.load(examples / "tiny.onnx", dims={"batch": 2}).names[0], "input")
        none = stowage.plan(unet, capacity=79 << 20)
        self.assertEqual((none.status, len(none), none.problem.names), ("infeasible", 36, problem.names))
        self.assertEqual(stowage.conflict(unet, 79 << 20), [problem.names.index("down1.conv1"), problem.names.index("down1.conv2")])
        told = []
        again = stowage.plan(unet, start=stowage.plan(unet), progress=told.append)
        self.assertEqual((again.height, stowage.verify(unet, again)), (83681280, ""))
        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join(folder, "plan.json")
            stowage.plan(problem, capacity=80 << 20).save(at)
            self.assertEqual(stowage.load(at).capacity, 80 << 20)
            # Whatever the file is called, and whether its capacity is enough or not.
            with open(at) as f:
                text = f.read()
            for name, capacity in (("plan", 80 << 20), ("PLAN.JSON", 1), ("plan.json.gz", 79 << 20)):
                at = os.path.join(folder, name)
                with gzip.open(at, "wt") if name.endswith("gz") else open(at, "w") as f:
                    f.write(text.replace(f'"capacity": {80 << 20}', f'"capacity": {capacity}'))
                problem = stowage.load(at)
                self.assertEqual((problem.capacity, len(problem)), (capacity, 36))
        p = stowage.plan(str(examples / "unet.csv"), capacity=80 << 20)
        self.assertEqual((p.status, stowage.verify(p.problem, p.offsets)), ("optimal", ""))


class Reading(unittest.TestCase):
    """What is read may not be what was meant."""

    BARE = {"lower": [0, 0], "upper": [2, 2], "size": [5, 6]}

    def test_names_that_are_none(self):
        # A table refuses the names that a CSV file refuses, and says what is meant, too.
        full = {**self.BARE, "id": ["a", "b"], "alignment": [1, 1], "gaps": ["", ""], "hint": [-1, -1], "offset": [-1, -1]}
        short = {"id": ["a", "b"], **self.BARE}
        words = [
            "align", "fixed", "gap", "gape", "gapes", "siz", "szie", "sizes", "ids", "idx", "i", "uid", "ends", "send", "and", "lowr", "uper", "strat", "begins",
            "alignement", "alignments", "aligment", "offsets", "offest", "hints", "hin", "bufer", "buffers", "buffer-id", "op", "name", "kind", "x", "end2x", "Align", " gap ", "dtype",
        ]  # fmt: skip
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            for columns in (full, short):
                for word in words:
                    table = {**columns, word: ["", ""]}
                    with open(path, "w", newline="", encoding="utf-8") as f:
                        csv.writer(f).writerows([table.keys(), *zip(*table.values())])
                    said = []
                    for source in (table, path):
                        try:
                            self.assertWarnsRegex(stowage.InputWarning, word.strip(), stowage.plan, source)
                            said.append("")
                        except stowage.InputError as err:
                            said.append(re.search(r"is not a known.*: (did you mean .*\?)", str(err).replace("which is not a known one", "is not a known"))[1])
                    self.assertEqual(*said, (word, list(columns)))
                    refused += said[0] != ""
        self.assertTrue(20 < refused < 60, refused)
        for name in ("align", "gap", "fixed", "siz", "ids"):
            self.assertRaisesRegex(stowage.InputError, name, stowage.plan, {**self.BARE, name: [16, 16]})
        with self.assertWarns(stowage.InputWarning):
            self.assertEqual(stowage.plan({**self.BARE, "ALIGNMENT": [16, 16], "op": [1, 2]}).offsets, [16, 0])

    def test_a_plan_as_a_problem(self):
        first = {**self.BARE, "offset": [90, 0]}
        with self.assertWarnsRegex(stowage.InputWarning, "every buffer has a fixed offset.*ignore_offsets=True") as caught:
            self.assertEqual(stowage.plan(first).height, 95)
        self.assertEqual(os.path.basename(caught.filename), "test_stowage.py")
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            path = os.path.join(folder, "first.csv")
            stowage.solve(*self.BARE.values(), offset=[90, 0]).save(path)
            with self.assertWarnsRegex(stowage.InputWarning, "first.csv: every buffer.*ignore_offsets=True plans anew, start=.*first.csv"):
                self.assertEqual(stowage.plan(path).height, 95)
            self.assertWarnsRegex(stowage.InputWarning, "every buffer", stowage.load, path)
            for source in (first, path):
                self.assertEqual(stowage.plan(source, ignore_offsets=True).height, 11)
            self.assertIsNone(stowage.load(path, ignore_offsets=True).offset)
            self.assertEqual(stowage.plan(path, start=path).height, 11)
            self.assertEqual(stowage.plan(path, start=path, progress=lambda _: None).height, 11)
            self.assertEqual((stowage.lower_bound(path), stowage.verify(path, [90, 0])), (95, ""))
            self.assertEqual(stowage.plan({**self.BARE, "offset": [90, None]}).height, 95)
            self.assertRaisesRegex(stowage.InputError, "start is the path of a file", stowage.plan, self.BARE, start=path)

    def test_notes_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as f:
                f.write("op,id,lower,upper,size\nconv,a,0,2,5\n")
            for call in (stowage.plan, stowage.load, stowage.lower_bound):
                with self.assertWarnsRegex(stowage.InputWarning, "x.csv: columns with no meaning to Stowage.* op .extra-columns.") as caught:
                    call(path)
                self.assertEqual(len(caught.warnings), 1)
            with self.assertWarns(stowage.InputWarning) as caught:
                self.assertEqual(stowage.plan(path, capacity=4).status, "infeasible")
            self.assertEqual(len(caught.warnings), 1)
        from stowage._errors import worded

        self.assertEqual(worded("as --shape y=DIMS:TYPE, or"), 'as shapes={"y": "DIMS:TYPE"}, or')
        self.assertEqual(worded("as with --dim N=1 --dim x:2=1 --dim x:3=1"), 'as with dims={"N": 1, "x:2": 1, "x:3": 1}')
        self.assertEqual(worded("as with --dim 'a*2 + '\\''b'\\''=1' --dim n=2"), """as with dims={"a*2 + 'b'": 1, "n": 2}""")
        with self.assertRaisesRegex(stowage.InputError, 'give them, as with dims={"batch": 1}'):
            stowage.plan(pathlib.Path(__file__).parents[2] / "examples" / "tiny.onnx")


class NextSteps(unittest.TestCase):
    """A text says what to type next, in Python."""

    ROWS = [(0, 2, 600), (0, 4, 300), (1, 4, 500)]

    def test_solve_takes_what_plan_takes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.csv")
            pathlib.Path(path).write_text("lower,upper,size\n0,2,600\n0,4,300\n1,4,500\n")
            for source in (path, {"lower": [0], "upper": [2], "size": [3]}, stowage.Problem([0], [2], [3]), self.ROWS):
                self.assertEqual(stowage.solve(source, planner="exact").height, stowage.plan(source).height)
        self.assertRaisesRegex(stowage.InputError, "gone.csv", stowage.solve, "gone.csv")
        self.assertRaisesRegex(TypeError, "missing 1 required positional argument: 'size'", stowage.solve, [0], [2])
        self.assertEqual(stowage.solve(lower=[0], upper=[2], size=[3]).height, 3)

    def test_explain(self):
        said = stowage.explain(self.ROWS, 1300)
        self.assertIn("\nnext: stowage.plan(problem, capacity=1400)\n", said)
        unet = os.path.join(pathlib.Path(__file__).parents[2], "examples", "unet.csv")
        self.assertIn(f"\nnext: stowage.plan({unet!r}, capacity=83681280)", stowage.explain(unet, "79MiB"))

    def test_ends(self):
        # What the warning says is taken by each call that gives the warning.
        table = {"start": [0, 2], "end": [2, 4], "size": [6, 6]}
        for call, half, inclusive in (
            (lambda **o: stowage.conflict(table, 11, **o), [], [0, 1]),
            (lambda **o: "infeasible" in stowage.explain(table, 11, **o), False, True),
            (lambda **o: stowage.valid(table, [0, 0], **o), True, False),
            (lambda **o: stowage.lower_bound(table, **o), 6, 12),
        ):
            self.assertEqual((call(ends="half-open"), call(ends="inclusive")), (half, inclusive))


class Times(unittest.TestCase):
    """Ends that may be inclusive, and times with fractions: the cases are those of the command (ends.txt)."""

    TABLE = {"name": ["a", "b"], "start": [0, 2], "end": [2, 4], "size": [600, 600]}

    def sources(self, folder, table):
        """Returns a table in each form that is read."""
        rows = [dict(zip(table, row)) for row in zip(*table.values())]
        paths = [os.path.join(folder, "x.csv"), os.path.join(folder, "x.json")]
        with open(paths[0], "w", newline="", encoding="utf-8") as f:
            csv.writer(f).writerows([table.keys(), *zip(*table.values())])
        with open(paths[1], "w", encoding="utf-8") as f:
            json.dump([{"id" if k == "name" else k: x for k, x in row.items()} for row in rows], f)
        return [table, rows, *paths]

    def test_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            for source in self.sources(folder, self.TABLE):
                with self.assertWarnsRegex(stowage.EndsWarning, 'end is read as inclusive, .*, say ends="half-open"'):
                    self.assertEqual(stowage.plan(source).height, 1200)
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self.assertEqual(stowage.plan(source, ends="half-open").height, 600)
                    self.assertEqual(stowage.plan(source, ends="inclusive").height, 1200)
                    self.assertEqual(stowage.size(source, ends="half-open").height, 600)
                    if isinstance(source, str):
                        self.assertEqual(list(stowage.load(source, ends="half-open").upper), [2, 4])
                    else:
                        self.assertEqual(list(stowage.Problem.of(source, ends="half-open").upper), [2, 4])

    def test_other_names(self):
        with tempfile.TemporaryDirectory() as folder:
            for source in self.sources(folder, {"lower": [0, 2], "to": [2, 4], "size": [600, 600]}):
                self.assertRaisesRegex(stowage.InputError, 'ends="half-open" if it has the first time slot after', stowage.plan, source)
                self.assertEqual(stowage.plan(source, ends="half-open").height, 600)
                self.assertRaisesRegex(stowage.InputError, "ends is 'both', must be", stowage.plan, source, ends="both")
            for source in self.sources(folder, {"lower": [0, 2], "upper": [2, 4], "size": [600, 600]})[:1]:
                self.assertRaisesRegex(stowage.InputError, "upper is half-open, and ends says otherwise", stowage.plan, source, ends="inclusive")
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self.assertEqual(stowage.plan(source, ends="half-open").height, 600)

    def test_a_point(self):
        # A buffer that starts where it ends tells that ends are inclusive, so nothing was guessed.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(stowage.plan({"start": [0, 2], "end": [2, 2], "size": [600, 600]}).height, 1200)

    def test_fractions(self):
        table = {"id": ["a", "b"], "lower": [0.5, 1.25], "upper": [1.25, 2.0], "size": [600, 600], "gaps": ["0.75-1@0:8", ""]}
        with tempfile.TemporaryDirectory() as folder:
            for source in self.sources(folder, table)[:3]:
                with self.assertWarnsRegex(stowage.TimesWarning, "multiplied by 100 here, which changes no offset") as caught:
                    plan = stowage.plan(source)
                self.assertEqual(len(caught.warnings), 1)
                p = plan.problem
                self.assertEqual((plan.height, p.scale, list(p.lower), list(p.upper), p.gaps.rows(0)), (600, 100, [50, 125], [125, 200], [(75, 100, 0, 8)]))
                self.assertEqual(pickle.loads(pickle.dumps(p)).scale, 100)
                to = os.path.join(folder, "plan.csv")
                plan.save(to)
                with open(to, encoding="utf-8") as f:
                    self.assertIn("\na,0.5,1.25,600,0.75-1@0:8,0\n", f.read())
        with self.assertWarns(stowage.TimesWarning):
            p = stowage.solve([0.1, 0.3], [0.3, 1e-1 + 0.3], [1, 1]).problem
        self.assertEqual((p.scale, list(p.lower), list(p.upper)), (10, [1, 3], [3, 4]))
        with self.assertWarns(stowage.EndsWarning):
            p = stowage.Problem.of({"start": [0.5], "end": [1.5], "size": [1]})
        self.assertEqual((list(p.lower), list(p.upper)), ([5], [16]))
        for lower, upper, says in (
            ([0], [1e-20], "more than 18 decimal places: round"), ([1e-10, 0], [1e10, 1], "10000000000.0 does not fit into 64 bits if it is multiplied by 10000000000"),
            ([0.5], [float("nan")], "upper of buffer 0: nan is no whole number"), ([0.5], ["1"], "upper of buffer 0: '1' is no whole number"),
        ):  # fmt: skip
            self.assertRaisesRegex(stowage.InputError, says, stowage.solve, lower, upper, [1] * len(lower))
        self.assertRaisesRegex(stowage.InputError, "size of buffer 0: 1.5 is no whole number", stowage.solve, [0], [1], [1.5])

    def test_own_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.sources(folder, {"id": ["a"], "lower": [0], "upper": [2], "size": [600]})[2]
            for plan in (stowage.plan(path), stowage.solve_many([stowage.load(path)])[0]):
                self.assertRaisesRegex(stowage.InputError, "would replace the file that its problem was read from.*force=True", plan.save, path)
                plan.save(os.path.join(folder, "other.csv"))
            plan.save(path, force=True)


class Wrong(unittest.TestCase):
    """What is wrong is said with its field, and what to do instead."""

    def test_none(self):
        for call in (
            lambda: stowage.solve([0], [None], [1]),
            lambda: stowage.plan({"lower": [0], "upper": [None], "size": [1]}),
            lambda: stowage.plan([(0, None, 5)]),
        ):
            self.assertRaisesRegex(stowage.InputError, "^upper of buffer 0 is None, must be a whole number$", call)
        self.assertRaisesRegex(stowage.InputError, "^upper is None, must be a column", stowage.solve, [0], None, [1])

    def test_rules_of_buffers_without_names(self):
        for rule in ({"apart": [("a", "b")]}, {"together": [["a", "b"]]}, {"distances": [("a", "b", 1)]}):
            with self.assertRaisesRegex(stowage.InputError, "no buffer 'a': the buffers have no names, so they are called by their numbers; names="):
                stowage.solve([0, 0], [1, 1], [1, 1], **rule)
        self.assertRaisesRegex(stowage.InputError, "no buffer 'a'$", stowage.solve, [0, 0], [1, 1], [1, 1], names="xy", apart=[("a", "x")])
        for name in ("allowed", "costs", "evictions"):
            with self.assertRaisesRegex(stowage.InputError, f"^{name} is a dict, must be a list with an entry for each of the 2 buffers"):
                stowage.solve([0, 0], [1, 1], [1, 1], pools=["p"], **{name: {"a": ["p"]}})

    def test_errors_are_called_as_users_call_them(self):
        with self.assertRaises(stowage.InputError) as caught:
            stowage.plan("no such file.csv")
        self.assertEqual(type(caught.exception).__module__, "stowage")
        for name in stowage.__all__:
            kind = getattr(stowage, name)
            if isinstance(kind, type) and issubclass(kind, (Exception, Warning)):
                self.assertEqual(kind.__module__, "stowage", name)
                error = kind("x", "y")
                self.assertEqual(repr(pickle.loads(pickle.dumps(error))), repr(error))

    def test_a_model_is_not_written(self):
        p = stowage.solve([0], [1], [1])
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(stowage.InputError, r"^m.tflite: a model is not written here, only a plan: .json, .csv.*stowage plan -o OUT.tflite"):
                p.save(os.path.join(folder, "m.tflite"))
            self.assertRaisesRegex(stowage.InputError, "^m.onnx: a model is not written here", p.save, os.path.join(folder, "m.onnx"))
            self.assertEqual(os.listdir(folder), [])

    def test_the_height_of_a_model_is_its_head(self):
        plan = stowage.plan(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "tiny.tflite"))
        self.assertIn("height 2048 of the arena's head", repr(plan))
        self.assertEqual((plan.head, plan.arena), (2048, 3168))
        other = stowage.solve([0], [1], [1])
        self.assertNotIn("head", repr(other))
        self.assertEqual((other.head, other.arena), (None, None))

    def test_the_header_of_a_model_has_its_head(self):
        model = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "tiny.tflite")
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("h", "c"):
                to = os.path.join(folder, f"model.{kind}")
                stowage.plan(model).save(to)
                with open(to) as f:
                    text = f.read()
                self.assertIn("Bytes of the head: 2048", text)
                self.assertNotIn("ARENA_SIZE", text)
            stowage.plan(model).save(to := os.path.join(folder, "model.h"))
            with open(to) as f:
                self.assertRegex(f.read(), r"this is not kTensorArenaSize[\s\S]*_HEAD_SIZE 2048")

    def test_the_capacity_of_a_model_is_its_arena(self):
        model = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "tiny.tflite")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fits, not_ = stowage.plan(model, capacity=3168), stowage.plan(model, capacity="3KiB")
        self.assertEqual((bool(fits), fits.status, fits.height, fits.capacity), (True, "optimal", 2048, 3168))
        self.assertEqual((bool(not_), not_.status, not_.height, not_.capacity), (False, "infeasible", 0, 3072))
        self.assertIn("the arena needs 3168 bytes (32 bit), 96 too many: stowage plan --capacity 3072 ", not_.reason)
        self.assertNotIn("capacity", fits.as_dict())  # no height is compared with it

    def test_plot(self):
        plan = stowage.solve([0, 1], [2, 5], [300, 500])
        none = stowage.solve([0], [1], [5], capacity=4)
        self.assertRaisesRegex(ValueError, "there is no plan: ", none.plot)
        lanes = stowage.solve([(0, 1), (1, 2)], [(2, 3), (2, 3)], [1, 2])
        self.assertRaisesRegex(ValueError, "drawn by svg", lanes.plot)
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed")
        import matplotlib

        matplotlib.use("agg")
        axes = plan.plot()
        self.assertEqual((axes.get_xlim(), axes.get_ylim()), ((0, 5), (0, 800)))
        boxes = [path.get_extents() for path in axes.collections[0].get_paths()]
        self.assertEqual([(b.x0, b.x1, b.y0, b.y1) for b in boxes], [(0, 2, plan.offsets[0], plan.offsets[0] + 300), (1, 5, plan.offsets[1], plan.offsets[1] + 500)])
        self.assertIs(plan.plot(axes), axes)

    def test_ends_of_many(self):
        table = {"start": [0, 4], "end": [4, 8], "size": [5, 5]}
        for ends, height in (("half-open", 5), ("inclusive", 10)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(stowage.solve_many([table], ends=ends)[0].height, height)
                if _library.load() is not None:
                    self.assertEqual(stowage.sweep([table], ends=ends)[0].height, height)
                    with stowage.Session(table, ends=ends) as session:
                        self.assertEqual(session.height, height)
        self.assertRaisesRegex(stowage.InputError, "^ends is 'x'", stowage.solve_many, [table], ends="x")


class Running(unittest.TestCase):
    def test_progress(self):
        seen = []
        p = stowage.solve(*hard(2000), timeout=0.6, progress=seen.append)
        self.assertEqual((p.stopped, seen[-1].lower_bound <= p.height), ("timeout", True))
        again = stowage.solve(*hard(2000), start=p, timeout=0.3, progress=seen.append)
        self.assertLessEqual(again.height, p.height)
        seen.clear()
        p = stowage.solve(*hard(2000), timeout=600, progress=lambda q: seen.append(q) or len(seen) < 4)
        self.assertEqual((bool(p), p.stopped, len(seen) >= 4), (True, "interrupt", True))

        def stop(_):
            raise KeyError("enough")

        self.assertRaisesRegex(KeyError, "enough", stowage.solve, *hard(2000), timeout=60, progress=stop)
        self.assertEqual(stowage.solve(*FIVE).stopped, "")

    def test_progress_of_the_command(self):
        # As in the child of a fork, where there is no library.
        patch = mock.patch.object(_library, "load", lambda: None)
        patch.start()
        self.addCleanup(patch.stop)
        seen = []
        # On a busy machine the command's second line may be late, and until then the first one is told again.
        p = stowage.solve(
            *hard(2000), planner="boxing", timeout=600, progress=lambda q: seen.append(q) or len(seen) < 4 or not q.seconds
        )
        self.assertEqual((p.stopped, seen[-1].seconds > 0), ("interrupt", True))
        p = stowage.solve(*hard(2000), planner="boxing", timeout=600, progress=lambda q: q.nodes == 0 and q.height == 0)
        self.assertEqual((bool(p), p.stopped, stowage.verify(p.problem, p.offsets)), (True, "interrupt", ""))

        def stop(_):
            raise KeyError("enough")

        self.assertRaisesRegex(KeyError, "enough", stowage.solve, *hard(2000), planner="boxing", timeout=60, progress=stop)
        # As on Windows without a console.
        send = subprocess.Popen.send_signal

        def refuse(process, number):
            if number == signal.SIGINT:
                raise OSError("no console")
            send(process, number)

        with mock.patch.object(subprocess.Popen, "send_signal", refuse):
            with self.assertRaisesRegex(stowage.Error, "cannot be told to stop .no console"):
                stowage.solve(*hard(2000), planner="boxing", timeout=60, progress=lambda _: False)

    def test_ctrl_c(self):
        # In the foreground and behind, and Python's handler is asked in either case. A command takes its time to start.
        for n in (64, 2000):
            arguments = hard(n)
            if _library.load() is None:
                p = stowage.solve(*arguments, timeout=600, progress=interrupting())
            else:
                with while_searching(interrupting()):
                    p = stowage.solve(*arguments, timeout=600)
            self.assertEqual((bool(p), p.stopped, stowage.verify(p.problem, p.offsets)), (True, "interrupt", ""))
            p = stowage.solve(*FIVE)
            self.assertEqual((p.height, p.stopped), (12, ""))
        # Another signal is none of its business.
        came = []
        before = signal.signal(signal.SIGUSR1, lambda *_: came.append(1))
        send, told = once(signal.SIGUSR1), []
        try:
            if _library.load() is not None:
                with while_searching(lambda n: send(n) or told.append(n) or n == 4):
                    self.assertEqual(stowage.solve(*hard(), timeout=600).stopped, "interrupt")
                self.assertEqual((came, told), ([1], [1, 2, 3, 4]))
        finally:
            signal.signal(signal.SIGUSR1, before)

    def test_wakeups_are_passed_on(self):
        # As with asyncio, which has a socket of its own for the numbers of signals.
        import socket

        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setblocking(False)
        before = signal.set_wakeup_fd(theirs.fileno())
        handler, send = signal.signal(signal.SIGUSR1, lambda *_: None), once(signal.SIGUSR1)
        try:
            if _library.load() is None:
                stowage.solve(*hard(), timeout=600, progress=lambda n: send(n) or False)
            else:
                with while_searching(lambda n: send(n) or n == 4):
                    stowage.solve(*hard(), timeout=600)
            self.assertEqual(ours.recv(9), bytes([signal.SIGUSR1]))
            self.assertEqual(signal.set_wakeup_fd(theirs.fileno()), theirs.fileno())
        finally:
            signal.set_wakeup_fd(before)
            signal.signal(signal.SIGUSR1, handler)
            ours.close()
            theirs.close()

    def test_ctrl_c_of_the_command(self):
        with mock.patch.object(_library, "load", lambda: None):
            p = stowage.solve(*hard(2000), timeout=600, progress=interrupting())
        self.assertEqual((bool(p), p.stopped), (True, "interrupt"))

    @unittest.skipIf(os.name == "nt", "the shell waits here")
    def test_an_interrupt_while_the_command_starts(self):
        # The command of this test starts when the search was told to stop: a signal would have killed it.
        with tempfile.TemporaryDirectory() as folder:
            path, told = os.path.join(folder, "late"), os.path.join(folder, "told")
            os.mkfifo(told)
            with open(path, "w") as f:
                f.write(f'#!/bin/sh\nread word < "{told}"\nexec "{_command.command()}" "$@"\n')
            os.chmod(path, 0o755)

            def stop(_):
                with open(told, "w") as f:
                    f.write("go\n")
                return False

            def press(_):
                stop(_)
                raise KeyboardInterrupt

            with mock.patch.object(_library, "load", lambda: None), mock.patch.dict(os.environ, STOWAGE=path):
                for progress in (stop, press):
                    p = stowage.solve(*hard(2000), timeout=600, progress=progress)
                    self.assertEqual((bool(p), p.stopped), (True, "interrupt"))

    def test_the_lock_is_released(self):
        # Another thread takes turns while the search runs, which ends at the first news after twenty of them.
        if _library.load() is None:
            self.skipTest("there is no library")
        for n in (64, 2000):
            stop, begun, turns = threading.Event(), threading.Event(), []

            def count(stop=stop, begun=begun, turns=turns):
                begun.wait()
                while not stop.wait(0.005):
                    turns.append(1)

            thread = threading.Thread(target=count)
            thread.start()
            with while_searching(lambda _, begun=begun, turns=turns: begun.set() or len(turns) > 20):
                p = stowage.solve(*hard(n), timeout=600)
            stop.set()
            thread.join()
            self.assertEqual((p.stopped, len(turns) > 20), ("interrupt", True))

    def test_threads(self):
        want = [stowage.solve(*made(30, k)).offsets for k in range(20)]
        wrong = []

        def calls():
            for _ in range(3):
                for k, offsets in enumerate(want):
                    if stowage.solve(*made(30, k)).offsets != offsets:
                        wrong.append(k)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda _: calls(), range(8)))
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_fork(self):
        # Enough work that the child would come to a garbage collection, and hang there.
        out = script(
            """
import os, sys, stowage
columns = ([0, 3, 0, 9, 0], [3, 9, 9, 21, 21], [4] * 5)
want = stowage.solve(*columns).offsets
child = os.fork()
if child == 0:
    same = all(stowage.solve(*columns).offsets == want for _ in range(20))
    os._exit(0 if same and stowage.verify(stowage.Problem(*columns), want) == "" else 1)
print(os.waitpid(child, 0)[1], stowage.solve(*columns).offsets == want)
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.starmap(stowage.solve, [columns] * 4)[3].offsets == want)
"""
        )
        self.assertEqual(out.split(), ["0", "True", "True"])

    def test_subinterpreters(self):
        # Only the main interpreter has signals.
        if _library.load() is None:
            self.skipTest("without the library it needs processes, which a subinterpreter may not start")
        try:
            import _interpreters as interpreters
        except ImportError:
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                self.skipTest("this Python has no subinterpreters")
        text = """
import stowage, sys
columns, told = ([0, 3, 0, 9, 0], [3, 9, 9, 21, 21], [4] * 5), []
for n in range(3):
    assert stowage.solve(*columns).height == 12
    assert stowage.solve([0] * 99, [1] * 99, [1] * 99).height == 99
try:
    stowage.solve(*columns, progress=told.append)
except stowage.Error as err:
    assert "subinterpreter" in str(err)
else:
    raise AssertionError("the callback cannot be called here")
assert [p.height for p in stowage.solve_many([list(zip(*columns))] * 9)] == [12] * 9
"""
        # As an embedding program makes them, and with a lock of their own, which Python 3.12 has
        # no ctypes for.
        legacy = {"isolated": False} if sys.version_info < (3, 13) else {"config": "legacy"}
        ran = 0
        for kind in (legacy, {}):
            one = interpreters.create(**kind)
            try:
                failed = interpreters.run_string(one, f"import sys; sys.path[:] = {sys.path!r}\n" + text)
                said = failed.formatted if failed is not None else ""
            except interpreters.RunFailedError as err:
                said = str(err)
            finally:
                interpreters.destroy(one)
            if not kind and "_ctypes does not support" in said:
                continue
            self.assertEqual(said, "", kind)
            ran += 1
        self.assertGreater(ran, 0)
        self.assertEqual(stowage.solve(*FIVE).height, 12)

    def test_pickles(self):
        import pickle

        p = pickle.loads(pickle.dumps(stowage.solve(*FIVE, [2] * 5, gaps=[[(1, 2)]] + [()] * 4, names="abcde")))
        self.assertEqual((stowage.plan(p.problem).offsets, p.height), (p.offsets, 12))

    def test_the_command(self):
        done = subprocess.run([sys.executable, "-m", "stowage", "solve", "--quiet", "-"], input="id,lower,upper,size\na,0,1,2\n", capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "id,lower,upper,size,offset\na,0,1,2,0\n")


class Shown(unittest.TestCase):
    """Texts show the characters of names that act on a terminal or turn a line; data keeps them."""

    raw, told = "a\x1b[31m\u202eb", r"a\x1b[31m\u202eb"

    def told_of(self, text):
        self.assertIn(self.told, text)
        self.assertNotRegex(text, "[\x1b\u202e]")

    def test_texts(self):
        two = {"lower": [0, 0], "upper": [2, 2], "size": [8, 8], "names": [self.raw, "c"]}
        for library in (True, False):
            with self.subTest(library=library), mock.patch.object(_library, "load", _library.load if library else lambda: None):
                plan = stowage.solve(**two, capacity=8)
                self.told_of(plan.reason)
                self.told_of(repr(plan))
                self.told_of(stowage.explain(stowage.Problem(**two, capacity=8)))
                self.told_of(stowage.verify(stowage.Problem(**two), [0, 0]))
                with self.assertRaises(stowage.InputError) as e:
                    stowage.solve([0], [0], [1], names=[self.raw])
                self.told_of(str(e.exception))
                self.assertEqual(list(stowage.solve(**two).by_name()), [self.raw, "c"])

    def test_own_texts(self):
        with self.assertRaises(stowage.InputError) as e:
            stowage.solve([0], [1], [1], pools=[stowage.Pool(self.raw, reserved=[5])])
        self.told_of(str(e.exception))
        with self.assertRaises(stowage.InputError) as e:
            stowage.plan({"lower": [0], "start": [0], "upper": [1], "size": [1], f"lower{self.raw}": [0], "uppre": [1]})
        self.assertNotRegex(str(e.exception), "[\x1b\u202e]")
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            _errors.warn(f"buffer {self.raw}")
        self.told_of(str(given[0].message))
        self.assertEqual(str(pickle.loads(pickle.dumps(stowage.InputError(self.raw)))), self.told)
        with self.assertRaises(FileNotFoundError) as missing:
            stowage.plan(f"no-such-{self.raw}.csv")
        self.assertEqual(missing.exception.errno, 2)
        self.told_of(str(missing.exception))


class Same(unittest.TestCase):
    """The same plan as the command's, byte for byte."""

    def command(self, problem, *flags):
        done = subprocess.run([stowage.command(), "solve", "--quiet", "--format", "json", *flags, "-"], input=problem, capture_output=True, text=True, check=False)
        return json.loads(done.stdout)["plan"] if done.returncode == 0 else done.returncode

    def test_random(self):
        for seed in range(int(os.environ.get("STOWAGE_PROBLEMS", "1000"))):
            r = random.Random(seed)
            columns = made(2 + r.randrange(60), seed, 4 + r.randrange(30), r.choice((5, 60, 4000)), seed % 3 == 0)
            problem, nodes = stowage.Problem(*columns), 1 + r.randrange(2000)
            capacity = stowage.lower_bound(problem) + r.randrange(5) if seed % 4 == 0 else None
            p = stowage.plan(problem, nodes=nodes, seed=seed, capacity=capacity)
            flags = ["--nodes", str(nodes), "--seed", str(seed)]
            if capacity:
                flags += ["--capacity", str(capacity)]
            q = self.command(json.dumps(problem.as_dict()), *flags)
            if type(q) is int:
                self.assertFalse(p)
                continue
            self.assertEqual((p.offsets, p.height, p.lower_bound, p.status), (q["offsets"], q["height"], q["lower_bound"], q["status"]), seed)

    def test_public(self):
        folder = os.environ.get("STOWAGE_DATA") or str(pathlib.Path(__file__).parents[3] / "shared" / "data")
        files = sorted(glob.glob(os.path.join(folder, "challenging", "*.csv")))
        if not files:
            self.skipTest("the public instances are not here: set STOWAGE_DATA")
        for path in files:
            with open(path, encoding="utf-8", newline="") as f:
                rows = list(csv.DictReader(f))
            table = {key: [int(row[key]) for row in rows] for key in rows[0] if key not in ("id", "buffer")}
            p = stowage.plan(table, capacity=1048576)
            q = self.command(json.dumps(p.problem.as_dict()), "--capacity", "1048576")
            self.assertEqual((p.offsets, p.height, p.lower_bound, p.status), (q["offsets"], q["height"], q["lower_bound"], q["status"]), path)


class Sizes(unittest.TestCase):
    def test_every_capacity(self):
        # What one run says of every capacity is what plan says of each, with limits and without.
        seen = set()
        # Without the library each answer takes a process.
        for seed in range(40 if _library.load() else 2):
            columns = made(5, seed, 6, 6, seed % 2 == 0)
            problem = stowage.Problem(*columns, capacity=1 + seed % 7)
            for options in ({}, {"planner": "exact", "nodes": 1}, {"planner": "first-fit"}):
                s = stowage.size(problem, **options)
                for capacity in range(1, sum(columns[2]) + 4):
                    told = s.fits(capacity)
                    seen.add(told)
                    want = stowage.plan(problem, capacity=capacity).status
                    if told != "unknown" or not options:
                        self.assertEqual(told, "feasible" if want in ("feasible", "optimal") else want, (seed, options, capacity))
                self.assertEqual(s.plan.capacity, 0)
        self.assertEqual(seen, {"feasible", "infeasible", "unknown"})

    def test_the_rule_is_that_of_go(self):
        # The rule here is a copy of the one in the library, which stowage_fits asks.
        lib = _library.load()
        if lib is None:
            self.skipTest("the rule is in the library, which is not there")
        fits = lib.stowage_fits
        fits.restype, fits.argtypes = _library.c_int, [_library.c_void_p, _library.c_int64]
        for options in (b'{"planner": "exact", "nodes": 1}', b"{}"):
            for seed in range(20):
                problem = stowage.Problem(*made(6, seed, 6, 6, True))
                solver = _library.Solver(lib, False)
                solver.set(problem)
                lib.stowage_set_options(solver.handle, options, len(options))
                offsets, at = problem._room()
                s = stowage.Sizing(solver.plan(problem, lib.stowage_size(solver.handle, at), offsets))
                for capacity in range(60):
                    self.assertEqual(s.fits(capacity), _library.STATUSES[fits(solver.handle, capacity)], (seed, capacity))

    def test_sources(self):
        s = stowage.size([(0, 2, 600), (0, 4, 300), (1, 4, 500)])
        self.assertEqual((s.status, s.height, s.lower_bound, s.plan.proved_by), ("optimal", 1400, 1400, "bound"))
        self.assertEqual((s.fits("1KiB"), s.fits(1400), s.fits("2KiB"), s.fits(0)), ("infeasible", "feasible", "feasible", "infeasible"))
        self.assertEqual(repr(s), "<stowage.Sizing: optimal, height 1400, lower bound 1400>")
        never = stowage.size(stowage.Problem([0, 0], [4, 4], [10, 10], offset=[0, 5]))
        self.assertEqual((never.status, never.fits(10**12), never.height), ("infeasible", "infeasible", 0))
        self.assertEqual(stowage.size(stowage.Problem([], [], [])).fits(0), "feasible")
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "p.json")
            pathlib.Path(path).write_text('{"capacity": 5, "buffers": [{"lower": 0, "upper": 2, "size": 4, "offset": 2}]}')
            self.assertEqual(stowage.size(path).height, 6)
            self.assertEqual(stowage.size(path, ignore_offsets=True).height, 4)
        self.assertRaisesRegex(stowage.InputError, "capacity is -1, must be a whole number from 0 on", s.fits, -1)
        self.assertRaisesRegex(stowage.InputError, "are for files", stowage.size, [(0, 1, 2)], alignment=4)
        large = stowage.Problem(*hard(500))
        self.assertTrue(stowage.size(large, timeout=0.3).plan)

    def test_own_plan(self):
        # A model whose plan lets tensors share bytes, as Vela's do: its lifespans prove nothing of what it needs.
        net = pathlib.Path(__file__).parents[2] / "examples" / "tiny.tflite"
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "closer.tflite")
            subprocess.run([stowage.command(), "plan", "-q", "--diagonal", "reference", "-o", path, net], check=True, capture_output=True)
            with self.assertWarnsRegex(stowage.InputWarning, "no bound or proof here holds"):
                loaded = stowage.load(path)
            for source in (path, loaded, pickle.loads(pickle.dumps(loaded)), loaded.unpinned()):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    s = stowage.size(source)
                told = json.loads(subprocess.run([stowage.command(), "size", "--format", "json", path], check=True, capture_output=True).stdout)["problems"][0]
                self.assertEqual((s.status, s.height, s.lower_bound), (told["status"], 0, told["lower_bound"]))
                self.assertEqual((s.status, s.fits(s.lower_bound), s.fits(1 << 40), s.fits(s.lower_bound - 1)), ("unknown", "unknown", "unknown", "infeasible"))
                self.assertIn("share bytes", s.plan.reason)
        self.assertEqual(stowage.size(str(net)).status, "optimal")

    def test_without_the_library(self):
        with mock.patch.object(_library, "load", lambda: None):
            s = stowage.size(stowage.Problem([0, 1], [2, 3], [4, 5], capacity=3))
        self.assertEqual((s.height, s.fits(8), s.fits(9)), (9, "infeasible", "feasible"))


@unittest.skipUnless(numpy, "needs numpy")
class Numpy(unittest.TestCase):
    def columns(self, n=50):
        return [numpy.array(x, "int64") for x in made(n, aligned=True)]

    def test_without_a_copy(self):
        columns = self.columns()
        p = stowage.solve(*columns)
        self.assertEqual(p.problem.at[:4], tuple(x.__array_interface__["data"][0] for x in columns))
        self.assertEqual((type(p.offsets), p.offsets.dtype), (numpy.ndarray, numpy.dtype("int64")))
        self.assertEqual(p.offsets.tolist(), stowage.solve(*(x.tolist() for x in columns)).offsets)
        self.assertEqual(stowage.verify(p.problem, p.offsets), "")

    def test_kinds(self):
        columns = self.columns()
        want = stowage.solve(*columns).offsets.tolist()
        for kind in ("int32", "uint64", "float64", ">i8", object):
            self.assertEqual(stowage.solve(*(x.astype(kind) for x in columns)).offsets.tolist(), want)
        table = numpy.stack(columns, axis=1)  # its columns are not in a row
        self.assertEqual(stowage.solve(*table.T).offsets.tolist(), want)
        for bad, words in ((numpy.array([[1]]), "2 dimensions"), (numpy.array([2**63], "uint64"), "does not fit"), (numpy.array([0.5]), "no whole number")):
            self.assertRaisesRegex(stowage.InputError, words, stowage.solve, [0], [1], bad)
        self.assertRaisesRegex(stowage.InputError, "masked", stowage.solve, [0, 0], [1, 1], numpy.ma.array([1, 2], mask=[0, 1]))
        self.assertEqual(stowage.solve(*columns[:3], numpy.int64(4), seed=numpy.uint64(2**64 - 1), nodes=numpy.int32(9)).problem.buffer(3).alignment, 4)
        records = numpy.rec.fromarrays(columns, names=["begin", "upper", "size", "alignment"])
        self.assertEqual(stowage.plan(records).offsets.tolist(), want)
        for column in columns:
            column.flags.writeable = False
        self.assertEqual(stowage.solve(*columns).offsets.tolist(), want)

    def test_large(self):
        # A column is read where it is: the memory of Python stays what the offsets take.
        r = numpy.random.default_rng(1)
        n = 200_000
        lower = r.integers(0, n, n)
        upper = lower + r.integers(1, 50, n)
        # The default planner takes ten seconds, and is held to the command's elsewhere.
        planner = None if os.environ.get("STOWAGE_CASES") == "all" else "first-fit"
        p = stowage.solve(lower, upper, r.integers(1, 1000, n), planner=planner, timeout=600)
        self.assertEqual((bool(p), stowage.verify(p.problem, p.offsets)), (True, ""))

    @unittest.skipUnless(pandas, "needs pandas")
    def test_frames(self):
        frame = pandas.DataFrame(dict(zip(("begin", "upper", "size", "alignment"), self.columns())))
        want = stowage.solve(*self.columns()).offsets.tolist()
        frame["id"] = [f"t{i}" for i in range(len(frame))]
        p = stowage.plan(frame)
        self.assertEqual((p.offsets.tolist(), p.problem.names[3]), (want, "t3"))
        named = stowage.plan(frame.set_index("id"))
        self.assertEqual(named.problem.names[3], "t3")
        frame["alignment"] = pandas.array([None, *frame["alignment"][1:]], dtype="Int64")
        self.assertEqual(stowage.plan(frame).problem.buffer(0).alignment, 1)
        frame["offset"] = [0.0] + [float("nan")] * (len(frame) - 1)
        p = stowage.plan(frame.assign(gaps=""))
        self.assertEqual((p.offsets[0], p.problem.buffer(1).offset), (0, None))


class Documents(unittest.TestCase):
    """Runs the Python of the documents, and holds it to the values in its comments."""

    root = pathlib.Path(__file__).resolve().parents[2]

    @unittest.skipUnless((root / "docs" / "python.md").exists(), "the documents are in the repository")
    def test_blocks(self):
        ran = values = 0
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.root / "examples" / "tiny.tflite", os.path.join(folder, "model.tflite"))
            os.chdir(folder)
            try:
                for name in "README.md", "docs/python.md", "python/README.md":
                    text = (self.root / name).read_text(encoding="utf-8")
                    names = {"stowage": stowage, "problem": stowage.load("model.tflite")}
                    for block in re.findall(r"```python\n(.*?)```", text, re.S):
                        if "…" in block:
                            continue  # not all of a program
                        if "import pandas" in block and not pandas or "import torch" in block and not importlib.util.find_spec("torch"):
                            continue
                        exec(compile(block, name, "exec"), names)
                        ran += 1
                        for line in block.splitlines():
                            code, _, value = line.partition("  #")
                            value = value.split(": ")[0].strip()
                            if re.fullmatch(r"[\w.]+ *", code) and re.fullmatch(r"\[[\d, ]+\]|\d+|'\w+'", value):
                                self.assertEqual(eval(code, names), ast.literal_eval(value), f"{name}: {line}")
                                values += 1
            finally:
                os.chdir(here)
        self.assertGreaterEqual((ran, values), (4, 3))


GRAPH = {
    "alignment": 16, "inputs": ["image"], "outputs": ["active"],
    "values": [
        {"name": "image", "size": 4096}, {"name": "features", "size": 3072}, {"name": "active", "size": 3072},
        {"name": "weights", "size": 432, "constant": True},
    ],
    "operators": [
        {
            "name": "conv", "operands": ["image", "weights"], "results": ["features"],
            "permits": [{"result": "features", "operand": "image", "distance": 112}],
        },
        {
            "name": "relu", "operands": ["features"], "results": ["active"], "scratch": 64,
            "permits": [{"result": "active", "operand": "features"}],
        },
    ],
}  # fmt: skip

TRACE = "stowage-arena-trace 1\nb 1 0 -\na 600 64 0 0\na 300 64 0 0\nf 0 0\na 500 64 0 0\nf 1 0\nf 2 0\ne 1 0\nend 9 -\n"


class Traces(unittest.TestCase):
    def test_plan(self):
        self.assertIn("\nheight 920\nbound 920\nstatus optimal\n", stowage.plan_trace(TRACE))
        p = stowage.plan_trace(TRACE, alignment=128, guard="64", every_step=True, timeout=600, planner="exact")
        self.assertIn("\nalignment 128\nguard 64\n", p)
        with self.assertRaisesRegex(stowage.InputError, "stdin:10: .*there are 9: the file is damaged"):
            stowage.plan_trace(TRACE.replace("end 9", "end 8"))


class Graphs(unittest.TestCase):
    def test_plan(self):
        for graph in (GRAPH, json.dumps(GRAPH)):
            p = stowage.plan_graph(graph)
            self.assertEqual((p["status"], p["height"], p["lower_bound"]), ("optimal", 4208, 4208))
            self.assertEqual(p["order"], ["conv", "relu"])
            self.assertEqual(p["offsets"]["image"] - p["offsets"]["features"], 112)
            self.assertNotIn("weights", p["offsets"])
            self.assertEqual(p["saved"], {"in_place": 0, "distance": 2960, "order": 0})
            self.assertEqual([o["result"] for o in p["overlaps"]], ["features", "active"])

    def test_options(self):
        self.assertEqual(stowage.plan_graph(GRAPH, permits="none", timeout=600, planner="exact")["height"], 7168)
        self.assertEqual(stowage.plan_graph(GRAPH, permits="in-place", capacity="7168")["height"], 7168)
        p = stowage.plan_graph(GRAPH, capacity=4207)
        self.assertEqual(p["status"], "infeasible")
        self.assertNotIn("offsets", p)
        crossed = copy.deepcopy(GRAPH)
        crossed["operators"].reverse()
        self.assertEqual(stowage.plan_graph(crossed, reorder=True)["order"], ["conv", "relu"])
        self.assertRaisesRegex(stowage.InputError, "which runs later", stowage.plan_graph, crossed)

    def test_split(self):
        lined = {
            "values": [
                {"name": "x", "size": 64, "lines": 8}, {"name": "y", "size": 512, "lines": 8}, {"name": "z", "size": 64, "lines": 8},
            ],
            "operators": [
                {"name": "wide", "operands": ["x"], "results": ["y"], "reads": [{"operand": "x", "window": 3, "padding": 1}]},
                {"name": "slim", "operands": ["y"], "results": ["z"], "reads": [{"operand": "y", "window": 3, "padding": 1}]},
            ],
            "inputs": ["x"], "outputs": ["z"],
        }
        self.assertEqual(stowage.plan_graph(lined)["height"], 576)
        self.assertEqual({c["work"] for c in stowage.plan_graph(lined, split=0.0)["chains"]}, {0})
        p = stowage.plan_graph(lined, split=0.5)
        self.assertLess(p["height"], 400)
        self.assertEqual(p["chains"][0]["operators"], ["wide", "slim"])
        self.assertEqual(p["saved"]["strips"], 576 - p["height"])
        self.assertEqual(stowage.verify_graph(lined, p), "")
        p["chains"][0]["calls"][0]["makes"][0]["offset"] += 1
        self.assertIn("is not there for operator slim in strip 0", stowage.verify_graph(lined, p))
        self.assertRaisesRegex(stowage.InputError, "split is 11", stowage.plan_graph, lined, split=11)

    def test_faults(self):
        wrong = copy.deepcopy(GRAPH)
        wrong["operators"][0]["operands"] = ["picture"]
        self.assertRaisesRegex(stowage.InputError, 'operators.operands "picture": is no value of the graph', stowage.plan_graph, wrong)
        self.assertRaisesRegex(stowage.InputError, "permits is 'some'", stowage.plan_graph, GRAPH, permits="some")
        self.assertRaisesRegex(stowage.InputError, "cannot be written as JSON", stowage.plan_graph, {"values": {1, 2}})

    def test_verify(self):
        p = stowage.plan_graph(GRAPH)
        self.assertEqual(stowage.verify_graph(GRAPH, p), "")
        self.assertEqual(stowage.verify_graph(json.dumps(GRAPH), json.dumps(p), "4208"), "")
        self.assertIn("4208 bytes high, above the capacity 4207", stowage.verify_graph(GRAPH, p, 4207))
        near = {**p, "offsets": {**p["offsets"], "image": 96}}
        self.assertIn("value features at [0, 3072) overlaps value image at [96, 4192)", stowage.verify_graph(GRAPH, near))
        with self.assertRaisesRegex(stowage.InputError, r'^plan.json:1: offsets "image": the offset of this value'):
            stowage.verify_graph(GRAPH, {**p, "offsets": {}})
        self.assertRaisesRegex(stowage.InputError, r"^graph.json:1: operators: the key is missing", stowage.verify_graph, {"values": []}, p)
        self.assertRaisesRegex(stowage.InputError, "the plan cannot be written as JSON", stowage.verify_graph, GRAPH, {1, 2})


if __name__ == "__main__":
    unittest.main()

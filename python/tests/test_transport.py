"""How the command is found, called and believed. Needs Python and the command."""

import os
import pathlib
import random
import stat
import sys
import tempfile
import unittest
from unittest import mock

from stowage_executorch import transport
from stowage_executorch.transport import Buffer, StowageError, plan


class Transport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, body, name="answers"):
        """A program that stands in for the command."""
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_plans(self):
        buffers = [Buffer(0, 2, 608, 16), Buffer(0, 4, 304, 16), Buffer(1, 4, 496, 16)]
        p = plan(buffers)
        self.assertEqual((p.status, p.height, p.lower_bound), ("optimal", 1408, 1408))
        self.assertEqual(sorted(o % 16 for o in p.offsets), [0, 0, 0])
        self.assertEqual(plan(buffers, nodes=10, timeout=600).offsets, p.offsets)
        self.assertEqual(plan([]), transport.Plan([], 0, 0, "optimal"))

    def test_same_plan_each_time(self):
        buffers = [Buffer(i % 7, i % 7 + 1 + i * 5 % 11, 16 + i * i % 512, 16) for i in range(120)]
        self.assertEqual(plan(buffers), plan(buffers))

    def test_finds(self):
        self.assertEqual(transport.find(), os.environ["STOWAGE"])
        own = self.program("pass", "stowage")
        self.assertEqual(transport.find(own), own)
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            os.environ.pop("STOWAGE")
            self.assertEqual(transport.find(), own)

    def test_says_where_it_looked(self):
        without = mock.patch.object(transport._library, "load", lambda: None)
        with without, mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            os.environ.pop("STOWAGE")
            self.assertRaisesRegex(StowageError, "not on PATH.*go install", plan, [Buffer(0, 1, 1)])
            os.environ["STOWAGE"] = str(self.folder / "missing")
            self.assertRaisesRegex(StowageError, "environment variable STOWAGE is .*missing", plan, [Buffer(0, 1, 1)])
        self.assertRaisesRegex(StowageError, "command is .*nothing", plan, [Buffer(0, 1, 1)], command=str(self.folder / "nothing"))

    def test_refusals_are_errors(self):
        self.assertRaisesRegex(StowageError, "refused the problem: .*the lifespan is empty", plan, [Buffer(0, 2, 8), Buffer(3, 3, 8)])
        self.assertRaisesRegex(StowageError, "refused the problem: .*size", plan, [Buffer(0, 2, -8)])

    def test_limits_are_checked(self):
        for wrong in ({"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"nodes": 0}, {"nodes": -5}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                plan([Buffer(0, 1, 1)], **wrong)

    def test_failures_are_errors(self):
        for body, says in (
            ("sys.stderr.write('disk on fire\\n'); sys.exit(1)", "failed: disk on fire"),
            ("sys.exit(4)", "found no plan within its limit: it says nothing"),
            ("sys.exit(9)", "ended with code 9"),
            ("print('hello')", "not a plan: 'hello"),
            ("print('[]')", "not a plan"),
            ("print('{\"plan\": {\"height\": 3}}')", "not a plan"),
            ("print('{\"plan\":{\"offsets\":[0,1],\"height\":3,\"lower_bound\":3,\"status\":\"optimal\"}}')", "2 buffers of 1"),
            ("print('{\"plan\":{\"offsets\":[-1],\"height\":3,\"lower_bound\":3,\"status\":\"optimal\"}}')", "not with offsets"),
            ("print('{\"plan\":{\"offsets\":[\"0\"],\"height\":3,\"lower_bound\":3,\"status\":\"optimal\"}}')", "not with offsets"),
        ):
            with self.subTest(body), self.assertRaisesRegex(StowageError, says):
                plan([Buffer(0, 1, 1)], command=self.program(body))

    def test_a_program_that_does_not_run(self):
        path = self.folder / "broken"
        path.write_bytes(b"\x7fELF nothing")
        path.chmod(0o755)
        self.assertRaisesRegex(StowageError, "cannot be run", plan, [Buffer(0, 1, 1)], command=str(path))


@unittest.skipUnless(os.environ.get("STOWAGE_LIBRARY"), "needs the library, which STOWAGE_LIBRARY names")
class ByLibrary(unittest.TestCase):
    """Without a command that is named the library plans: no process, the same plans."""

    def setUp(self):
        self.command = os.environ["STOWAGE"]
        for patch in (mock.patch.dict(os.environ), mock.patch.object(transport, "find", mock.Mock(side_effect=AssertionError("the command is asked for")))):
            patch.start()
            self.addCleanup(patch.stop)
        del os.environ["STOWAGE"]

    def test_plans(self):
        r = random.Random(1)
        for _ in range(40):
            lower = [r.randrange(30) for _ in range(r.randrange(50))]
            buffers = [Buffer(x, x + 1 + r.randrange(12), 16 * (1 + r.randrange(60)), r.choice((16, 16, 64))) for x in lower]
            nodes = r.choice((None, 50))
            by_library = plan(buffers, nodes=nodes)
            with mock.patch.object(transport, "find", lambda command: command):
                self.assertEqual(by_library, plan(buffers, nodes=nodes, command=self.command))

    def test_errors(self):
        self.assertRaisesRegex(StowageError, "refused the problem: .*the lifespan is empty", plan, [Buffer(0, 2, 8), Buffer(3, 3, 8)])
        self.assertRaisesRegex(ValueError, "timeout is -1", plan, [Buffer(0, 2, 8)], timeout=-1)
        self.assertRaisesRegex(AssertionError, "asked for", plan, [Buffer(0, 2, 8)], command="stowage")


if __name__ == "__main__":
    unittest.main()

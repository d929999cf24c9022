"""Numbers as text: each spelling means the same here, to the command and in a CSV file."""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
import warnings

import stowage
from stowage import _units

SIZES = [
    "1", "12", " 3 ", "+5", "-1", "0", "1.5MiB", "80mib", "1e6", "1E6", "1.05E+06", "4 k", "2kB", "2KiB", "2 KiB", "0.5KiB", "64B", "3G", "1tib", "1 TB", "007", "3.0",
    "1.5", "0.3B", "4000000TiB", "2305843009213693951", "2305843009213693952", "9223372036854775808", "1e18", "1e19", "1e-3k", "1024e-10KiB", "1e99", "1e-99", "", " ", "MiB", "1.MiB", ".5k",
    "1__0", "1_0", "٢", "２", "٢KiB", "1 0", "0x10", "1e", "e5", "--1", "nan", "inf", "1,5", "1KiBx", "12.000", "1234.000", "12345.000", "0.000", "1e1234567890", "\u212aiB", "1\u212a",
]  # fmt: skip

TIMES = [
    "1s", "500ms", "1m30s", "1h", "1.5s", ".5s", "5.s", "2us", "2\u00b5s", "2\u03bcs", "100ns", "1", "0.25", "+1s", "1e9", "1e1s", "-1s", "0s", "0", "s", "1x", "1 s", "", "1h 30m", "1 0s", "1 s 2m", "1s ms", "1e-3", "1E2", "1e-400", "0x1", "1_0s", "٢s", "1d",
    "inf", "nan", "1:30",
]  # fmt: skip


def command(*arguments, text=""):
    done = subprocess.run([stowage.command(), *arguments], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def value(call, *arguments):
    """What a call returns; None for bad input."""
    try:
        return call(*arguments)
    except stowage.InputError:
        return None


class Units(unittest.TestCase):
    PROBLEM = "id,lower,upper,size\na,0,1,1\n"

    def test_capacities(self):
        taken = 0
        with tempfile.TemporaryDirectory() as folder:
            for text in SIZES:
                code, stats = command("solve", "--capacity=" + text, "-o", os.path.join(folder, "x.csv"), "--stats", "-", "-", text=self.PROBLEM)
                want = json.loads(stats)["capacity"] if code == 0 else None
                self.assertEqual(value(lambda: stowage.solve([0], [1], [1], capacity=text).capacity), want, text)
                taken += want is not None
        self.assertTrue(20 < taken < len(SIZES) - 20, taken)
        for number, want in ((1e9, 10**9), (7, 7), (2.0, 2), (1.5, None), (float("nan"), None), (float("inf"), None), (True, None), (2**63, None), (-1, None)):
            self.assertEqual(value(lambda: stowage.solve([0], [1], [1], capacity=number).capacity), want, number)
        self.assertEqual(stowage.Problem([0], [1], [1], capacity="1.5 KiB").capacity, 1536)
        self.assertEqual(stowage.conflict([(0, 1, 5), (0, 1, 6)], "10B"), [0, 1])
        self.assertIn("cannot fit 1024", stowage.explain([(0, 1, 1000), (0, 1, 600)], "1KiB"))

    def test_columns(self):
        # A size, an alignment, an offset and a hint as in a CSV file.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            taken = 0
            for column in ("size", "alignment", "offset", "hint"):
                for text in SIZES:
                    if "," in text:
                        continue
                    row = {"id": "a", "lower": "0", "upper": "1", "size": "1", column: text}
                    pathlib.Path(path).write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n", encoding="utf-8")
                    want = value(lambda: stowage.load(path, ignore_offsets=column != "offset").buffer(0))
                    table = {"lower": [0], "upper": [1], "size": [1], "id": ["a"], column: [text]}
                    try:
                        with self.subTest(column=column, text=text):
                            got = value(lambda: stowage.plan(table).problem.buffer(0))
                            self.assertEqual(got, want)
                    except stowage.Error:
                        raise
                    taken += want is not None
            self.assertGreater(taken, 60)

    def test_times(self):
        taken = 0
        for text in TIMES:
            code, _ = command("solve", "--timeout=" + text, "-", text=self.PROBLEM)
            self.assertIn(code, (0, 2))
            got = value(_units.seconds, text)
            # The command's 0 is no limit, which is None here.
            self.assertEqual(got is not None, code == 0 and text not in ("0", "0s", "1e-400"), text)
            taken += got is not None
        self.assertGreater(taken, 12)
        for given, want in (("500ms", 0.5), ("1m30s", 90), ("1.5", 1.5), (2, 2.0), (0.25, 0.25), ("2us", 2e-6), ("1h0.5s", 3600.5), (None, 0), (float("inf"), 0)):
            self.assertAlmostEqual(_units.seconds(given), want, places=12)
        self.assertEqual(stowage.solve([0], [1], [1], timeout="10s").status, "optimal")
        r = random.Random(1)
        for _ in range(300):
            text = "".join(r.choice(["1", "2", ".", "s", "m", "h", "ms", "us", "+", "e", " ", "_"]) for _ in range(r.randrange(1, 6)))
            value(_units.seconds, text)
            value(_units.size, "x", text)

    def test_columns(self):
        # The headers that the tests of format/csv read, too.
        if not self.COLUMNS.exists():
            self.skipTest("the table of columns is in the repository")
        rows = json.loads(self.COLUMNS.read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 20)
        cells = {"lower": 0, "upper": 9, "size": 4, "alignment": 1, "gaps": "", "offset": None, "hint": None, "id": "a"}
        for row in rows:
            from stowage._problem import _found, _of_table

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if row["means"] is None:
                    with self.assertRaises(stowage.InputError, msg=row):
                        _of_table({name: [1] for name in row["header"]})
                    continue
                self.assertEqual({c: name.strip() for c, name in _found(row["header"]).items()}, row["means"])
                column = {name.strip(): c for c, name in row["means"].items()}
                table = {name: [cells.get(column.get(name.strip(), ""), "x")] for name in row["header"]}
                self.assertEqual(stowage.plan(table).height, 4, row)

    COLUMNS = pathlib.Path(__file__).parents[2] / "format" / "csv" / "testdata" / "columns.json"
    TABLE = pathlib.Path(__file__).parents[2] / "format" / "csv" / "testdata" / "gaptext.json"

    @unittest.skipUnless(TABLE.exists(), "the table of gaps is in the repository")
    def test_gaps(self):
        # The table that the tests of format/csv read, too.
        rows = json.loads(self.TABLE.read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 30)
        for row in rows:
            for key in ("upper", "end"):
                # The ends of the life must not decide, so the text alone is read.
                got = value(self.rows, row["text"], key == "end")
                self.assertEqual(got, row[key], row)

    def rows(self, text, inclusive):
        from stowage._problem import _gaps_of_cell, _Gaps

        gaps = [[gap[0], gap[1] + inclusive, *gap[2:]] for gap in _gaps_of_cell(text)]
        for gap in gaps:
            for x in gap:
                _units.number("gaps", x, False)
        _Gaps([[gap[:2] for gap in gaps]])
        return [list(gap) for gap in gaps]

    def test_other_digits(self):
        from stowage import minimalloc

        good = "id,lower,upper,size,gaps\na,0,9,4,2-4\n"
        self.assertEqual(minimalloc.from_csv(good).buffers[0].gaps[0].lifespan.lower, 2)
        for bad in (good.replace("9", "٩"), good.replace("9", "1_0"), good.replace("2-4", "٢-4")):
            self.assertIsNone(minimalloc.from_csv(bad))
        self.assertRaises(stowage.InputError, stowage.solve, [0], [9], [4], gaps=["٢-4"])


if __name__ == "__main__":
    unittest.main()

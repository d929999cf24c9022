"""The picture of a plan in a notebook."""

import json
import pathlib
import random
import re
import unittest
import xml.etree.ElementTree as tree

import stowage
from stowage import _notebook


def made(n, horizon, life, seed=0):
    r = random.Random(seed)
    lower = [r.randrange(horizon) for _ in range(n)]
    upper = [x + 1 + int(r.expovariate(1 / life)) for x in lower]
    return stowage.Problem(lower, upper, [1 + r.randrange(100_000) for _ in range(n)])


def stacked(p):
    """A plan of any quality, at once."""
    return stowage.plan(p, planner="first-fit")


class Notebook(unittest.TestCase):
    def test_shown(self):
        plan = stowage.solve([0], [1], [1], names=["a\x1b\u202eb"])
        _, text = self.picture(plan)
        self.assertIn(r"a\x1b\u202eb", text)
        self.assertNotRegex(text, "[\x1b\u202e]")

    def picture(self, plan):
        """Returns the picture, which is well formed, and its text."""
        text = plan._repr_html_()
        root = tree.fromstring(text.replace("&nbsp;", " "))
        self.assertEqual((root.tag, root.get("class")), ("div", "stowage-plan"))
        return root, text

    def test_small(self):
        names = [f"layer{i}.out" for i in range(36)]
        r = random.Random(4)
        lower = [r.randrange(30) for _ in names]
        plan = stowage.solve(lower, [x + 1 + r.randrange(6) for x in lower], [1000 + r.randrange(9000) for _ in names], names=names)
        root, text = self.picture(plan)
        self.assertLess(len(text), 20_000)
        svg = root.find("{*}svg")
        # It follows the width and the theme.
        self.assertIsNone(svg.get("width"))
        self.assertRegex(svg.get("viewBox"), r"^-?\d+ -?\d+ \d+ \d+$")
        self.assertRegex(text, r"\.stowage-plan\{max-width:100%")
        self.assertIn("@media(prefers-color-scheme:dark)", text)
        self.assertIn("[data-jp-theme-light=false]", text)
        self.assertIn("currentColor", text)
        # Its rules hold for itself alone.
        style = re.sub(r"@media\([^)]*\)\{(.*?\})\}", r"\1", root.find("style").text)
        for rule in style.split("}")[:-1]:
            for selector in rule.partition("{")[0].split(","):
                self.assertIn(".stowage-plan", selector)
        # Each buffer is there once, with a tooltip, where the plan has it.
        rects = svg.findall("{*}rect")
        self.assertEqual({x.find("{*}title").text.partition(":")[0] for x in rects}, set(names))
        for x in rects:
            k = names.index(x.find("{*}title").text.partition(":")[0])
            self.assertAlmostEqual(800 - float(x.get("y")) - float(x.get("height")), 800 * plan.offsets[k] / plan.height, delta=2.5)
            self.assertIn(f"at {plan.offsets[k]:,}", x.find("{*}title").text)
        self.assertEqual(root.find("p").text[:30], f"optimal: height {plan.height:,}; 36 buffers"[:30])

    def test_large(self):
        for n, horizon, life in ((3_000, 3_000, 60), (100_000, 50_000, 300), (100_000, 100, 30), (100_000, 100_000, 1)):
            plan = stacked(made(n, horizon, life))
            root, text = self.picture(plan)
            self.assertLess(len(text.encode()), 100_000, n)
            # What is drawn covers about as much as the buffers do: nothing is lost by merging.
            p = plan.problem
            used = sum((u - l) * s for l, u, s in zip(p.lower, p.upper, p.size))
            whole = (max(p.upper) - min(p.lower)) * plan.height
            drawn = 0
            for path in root.find("{*}svg").findall("{*}path"):
                d = path.get("d")
                if path.get("class") == "m":
                    drawn += float(path.get("stroke-opacity")) * int(path.get("stroke-width")) * sum(map(int, re.findall(r"h(\d+)", d)))
                elif path.get("class") != "g":
                    drawn += sum(int(w) * int(h) for w, h in re.findall(r"h(\d+)v(\d+)h", d))
            share = drawn / (_notebook.WIDTH * _notebook.HEIGHT)
            self.assertAlmostEqual(share, used / whole, delta=0.2)

    def test_noise(self):
        # Without a plan's order nothing lies beside anything: the worst for what is merged.
        r = random.Random(2)
        n = 50_000
        lower = [r.randrange(100_000) for _ in range(n)]
        offset = [5 * i for i in r.sample(range(n), n)]
        plan = stowage.solve(lower, [x + 1 + r.randrange(40) for x in lower], [5] * n, offset=offset)
        self.assertTrue(plan)
        self.assertLess(len(plan._repr_html_()), 100_000)

    def test_gaps(self):
        plan = stowage.plan([stowage.Buffer(0, 9, 10, gaps=[(2, 4), (5, 6, 0, 3)], id="a<b&c"), (2, 4, 5)])
        root, _ = self.picture(plan)
        titles = [x.find("{*}title").text.partition(":")[0] for x in root.find("{*}svg").findall("{*}rect")]
        self.assertEqual(sorted(titles), ["1", "a<b&c", "a<b&c", "a<b&c", "a<b&c"])

    def test_without_a_plan(self):
        # The load over time, the capacity, and the reason.
        p = made(3_000, 3_000, 60)
        root, text = self.picture(stowage.plan(p, capacity=1_000_000))
        self.assertIn("more than the capacity of 1000000", root.find("p").text)
        self.assertIn("capacity 1,000,000", text)
        self.assertIn(f"at most {stowage.lower_bound(p):,}", text)
        self.assertLess(len(text), 100_000)
        none = stowage.solve([], [], [])
        self.assertIn("0 buffers", self.picture(none)[1])
        self.assertIn("1 buffer,", self.picture(stowage.solve([5], [6], [1]))[1])
        self.picture(stowage.solve([-(2**60)], [2**60], [2**60]))

    TABLE = pathlib.Path(__file__).parents[2] / "model" / "testdata" / "pieces.json"

    @unittest.skipUnless(TABLE.exists(), "the table of pieces is in the repository")
    def test_pieces(self):
        # The table that the tests of model and of the viewer read, too.
        rows = json.loads(self.TABLE.read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 9)
        for row in rows:
            p = stowage.Problem([row["lower"]], [row["upper"]], [row["size"]], gaps=[row["gaps"]])
            self.assertEqual([list(piece) for piece in _notebook._pieces(p, 0)], row["pieces"], row["what"])


if __name__ == "__main__":
    unittest.main()

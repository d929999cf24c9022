"""Orders of plans for sizes that vary: placed as the command does."""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import stowage

FORMULAS = {
    "symbols": {"seq": [1, 40], "batch": [1, 3], "p2o.Dim:1": [8, 64, 8]},
    "buffers": [
        {"id": "a", "lower": 0, "upper": 4, "size": "1024*batch*seq", "alignment": 64},
        {"id": "b", "lower": 1, "upper": 3, "size": "64*ceil((batch*seq^2)/16)"},
        {"id": "c", "lower": 2, "upper": 6, "size": 8192, "alignment": 48},
        {"id": "d", "lower": 3, "upper": 6, "size": "(seq-1)^3+2*floor((p2o.Dim:1+3)/4)+1"},
        {"id": "e", "lower": 0, "upper": 6, "size": "seq//2+p2o.Dim:1+3", "offset": 0},
    ],
}


def drawn(r: random.Random) -> dict:
    """A family with scenarios, two pools or one."""
    scenarios = r.randint(1, 5)
    buffers = []
    for i in range(r.randint(1, 12)):
        lower = r.randint(0, 8)
        b = {"id": f"b{i}", "lower": lower, "upper": lower + r.randint(1, 5), "alignment": r.choice([1, 1, 4, 6, 64])}
        b["sizes"] = [r.randint(1, 300) for _ in range(scenarios)]
        if r.random() < 0.2:
            b["size"] = b.pop("sizes")[0]
        buffers.append(b)
    family = {"version": 3, "scenarios": [f"s {k}" for k in range(scenarios)], "buffers": buffers}
    if r.random() < 0.4:
        family["pools"] = [{"id": "x", "alignment": 16}, {"id": "y", "alignment": 10}]
        for b in buffers:
            b["pools"] = [r.choice("xy")]
        buffers[0].update(fixed=160, alignment=1)
    return family


class Orders(unittest.TestCase):
    def planned(self, family: dict, *flags: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            path, out = pathlib.Path(folder, "family.json"), pathlib.Path(folder, "plan.json")
            path.write_text(json.dumps(family))
            subprocess.run([stowage.command(), "solve", "-q", "--nodes", "2000", *flags, "-o", out, path], check=True)
            self.assertEqual(stowage.Order(out).ids, [b["id"] for b in family["buffers"]])
            return json.loads(out.read_text())

    def test_several_orders(self):
        """Each order of --orders is at its heights, where it holds."""
        size = {"x": [3, 5, 2], "y": [1, 1, 1], "z": [6, 6, 5], "u": [4, 2, 2], "v": [6, 6, 6], "w": [6, 3, 0]}
        life = {"x": (3, 6, 8), "y": (5, 7, 1), "z": (2, 6, 1), "u": (2, 4, 2), "v": (5, 9, 3), "w": (0, 5, 1)}
        buffers = [{"id": i, "lower": a, "upper": b, "alignment": c, "sizes": size[i]} for i, (a, b, c) in life.items()]
        torn = self.planned({"version": 3, "scenarios": ["a", "b", "c"], "buffers": buffers}, "--orders", "2")
        self.assertEqual(len(torn["plan"]["orders"]), 2)
        order = stowage.Order(torn)
        for name, one, several in zip("abc", torn["plan"]["heights"], torn["plan"]["switched"]):
            order.place(order.sizes(name))
            at = order.at(name)
            at.place(at.sizes(name))
            self.assertEqual((order.height, at.height), (one, several))
        self.assertLess(several, one)
        with self.assertRaisesRegex(stowage.InputError, "no scenario 'd'"):
            order.at("d")
        below = [["b"], []], [[], ["a"]]
        two = {"symbols": {"n": [1, 9, 1]}, "buffers": [{"id": "a", "size": "n"}, {"id": "b", "size": 3}]}
        two["plan"] = {"height": 12, "below": below[0], "switch": "n", "from": [1, 5], "orders": below}
        for n, offsets in ((1, [3, 0]), (4, [3, 0]), (5, [0, 5]), (90, [0, 90])):
            at = stowage.Order(two).at(n=n)
            self.assertEqual(at.place(at.sizes(n=n)), offsets)
        with self.assertRaisesRegex(stowage.InputError, "the value of n chooses"):
            stowage.Order(two).at()
        one = stowage.Order(self.planned(FORMULAS))
        self.assertIs(one.at(seq=3), one)

    def test_formulas(self):
        plan = self.planned(FORMULAS)
        order = stowage.Order(plan)
        for values, height in zip(plan["plan"]["at"], plan["plan"]["heights"]):
            offsets = order.place(order.sizes(**dict(zip(plan["symbols"], values))))
            self.assertEqual(order.height, height, values)
            self.assertEqual([offsets[0] % 64, offsets[2] % 48, offsets[4]], [0, 0, 0])
            self.assertLessEqual(order.height, order.arena)

    def test_scenarios(self):
        r = random.Random(5)
        for _ in range(12):
            family = drawn(r)
            plan = self.planned(family)
            order = stowage.Order(plan)
            for k, name in enumerate(order.scenarios):
                sizes = order.sizes(name)
                offsets = order.place(sizes)
                pools = plan["plan"].get("pools", ["x"] * len(sizes))
                tops: dict = {}
                for i, b in enumerate(family["buffers"]):
                    tops[pools[i]] = max(tops.get(pools[i], 0), offsets[i] + sizes[i])
                    for j, c in enumerate(family["buffers"]):
                        if i < j and pools[i] == pools[j] and b["lower"] < c["upper"] and c["lower"] < b["upper"]:
                            self.assertTrue(offsets[i] + sizes[i] <= offsets[j] or offsets[j] + sizes[j] <= offsets[i])
                self.assertEqual(sum(tops.values()), plan["plan"]["heights"][k], name)

    @unittest.skipUnless(os.environ.get("STOWAGE_ORDERS"), "python_test.go has the plans and what Go makes of them")
    def test_same(self):
        """The same offsets as in Go, C and JavaScript."""
        cases = json.loads(pathlib.Path(os.environ["STOWAGE_ORDERS"]).read_text())
        self.assertGreater(len(cases), 50)
        for case in cases:
            order = stowage.Order(json.loads(case["plan"]))
            for row in case["rows"]:
                at = row["at"]
                self.assertEqual(order.sizes(**at) if isinstance(at, dict) else order.sizes(at), row["sizes"], case["plan"])
                self.assertEqual(order.place(row["sizes"]), row["offsets"], case["plan"])
                self.assertEqual(order.height, row["offsetsHeight"])
                self.assertEqual(order.place(row["otherSizes"]), row["others"], case["plan"])
                self.assertEqual(order.height, row["othersHeight"])

    def test_faults(self):
        plan = self.planned(FORMULAS)
        order = stowage.Order(plan)
        for call, words in (
            (lambda: order.place([1, 2]), "2 sizes for 5 buffers"),
            (lambda: order.place([1, 1, 1, 1, -1]), "is negative"),
            (lambda: order.place([2**61, 2**61, 1, 1, 1]), "its end exceeds"),
            (lambda: order.sizes(seq=3), "the symbols are seq, batch, p2o.Dim:1; given are seq"),
            (lambda: stowage.Order({"buffers": [], "plan": {"height": 3}}), "the plan has no order"),
        ):
            with self.assertRaises(stowage.InputError) as caught:
                call()
            self.assertIn(words, str(caught.exception))


if __name__ == "__main__":
    unittest.main()

"""Rules: what goes in as columns, what comes out, and whether it is right, against brute force."""

import itertools
import json
import os
import pathlib
import pickle
import random
import tempfile
import unittest

import stowage
from stowage import _api, _library

try:
    import numpy
except ImportError:
    numpy = None

SPILL = {"pools": [stowage.Pool("tcm", "64", reserved=[(0, 16)]), {"id": "dram", "cost": 1}], "apart": [("a", "d")]}


def spill(**more):
    return stowage.solve([0, 1, 2, 5], [4, 5, 6, 8], [24, 24, 16, 32], names="abcd", **{**SPILL, **more})


def drawn(r):
    """Draws the keywords of a small problem, with any of the rules that brute force knows."""
    n = r.randint(2, 4)
    lower = [r.randrange(5) for _ in range(n)]
    upper = [x + r.randint(1, 4) for x in lower]
    kw = {"lower": lower, "upper": upper, "size": [r.randint(1, 3) for _ in range(n)]}
    pools = r.randint(1, 2)
    kw["pools"] = [
        {"id": f"p{k}", "capacity": r.choice([0, 5, 6]) if k == 0 else 6, "cost": r.randrange(3), "alignment": r.choice([1, 2]),
         "reserved": [(1, 2)] if r.random() < 0.3 else []} for k in range(pools)
    ]  # fmt: skip
    pairs = list(itertools.combinations(range(n), 2))

    def some():
        return [p for p in pairs if r.random() < 0.3]

    kw["apart"], kw["may_overlap"] = some(), some()
    kw["penalties"] = [(*p, r.randrange(4)) for p in some()]
    if r.random() < 0.3:
        kw["together"] = [{"buffers": pairs[0], "at": (0, r.randrange(3))}]
    if r.random() < 0.5:
        kw["allowed"] = [r.choice([None, 0, [pools - 1]]) for _ in range(n)]
    if r.random() < 0.5:
        kw["costs"] = [r.choice([None, {"p0": r.randrange(5)}]) for _ in range(n)]
    kw["objective"] = r.choice([["height"], ["cost", "height"], ["penalty", "height"], ["cost", "penalty", "max_height"]])
    return kw


def brute(kw):
    """Returns the best values of the objective over every pool and offset; None if no plan keeps the rules."""
    n, pools, size = len(kw["size"]), kw["pools"], kw["size"]
    body = {tuple(t["buffers"]): t["at"][1] for t in kw.get("together", [])}
    apart = {tuple(p) for p in kw["apart"] if p not in body}
    free = {tuple(p) for p in kw["may_overlap"]} | set(body)
    meet = {(i, j) for i, j in itertools.combinations(range(n), 2) if kw["lower"][i] < kw["upper"][j] and kw["lower"][j] < kw["upper"][i]}
    hard = {p for p in itertools.combinations(range(n), 2) if p in apart or p in meet and p not in free}
    places = []
    for i in range(n):
        allowed = (kw.get("allowed") or [None] * n)[i]
        in_pools = range(len(pools)) if allowed is None else [allowed] if isinstance(allowed, int) else allowed
        places.append([
            (k, at) for k in in_pools for at in range(0, (pools[k]["capacity"] or 9) - size[i] + 1, pools[k]["alignment"])
            if not any(at < b and a < at + size[i] for a, b in pools[k]["reserved"])
        ])  # fmt: skip
    best = None
    for plan in itertools.product(*places):
        def shared(i, j, plan=plan):
            (p, x), (q, y) = plan[i], plan[j]
            return p == q and x < y + size[j] and y < x + size[i]

        if any(shared(*p) for p in hard) or any(plan[a][0] != plan[b][0] or plan[b][1] - plan[a][1] != at for (a, b), at in body.items()):
            continue
        heights = [max([at + size[i] for i, (p, at) in enumerate(plan) if p == k], default=0) for k in range(len(pools))]
        costs = kw.get("costs") or [None] * n
        values = {
            "height": sum(heights), "max_height": max(heights),
            "cost": sum((costs[i] or {}).get(f"p{p}", pools[p]["cost"] * size[i]) for i, (p, _) in enumerate(plan)),
            "penalty": sum(c for i, j, c in kw["penalties"] if (i, j) not in hard and (i, j) not in body and shared(i, j)),
        }  # fmt: skip
        of = [values[m] for m in kw["objective"]]
        if best is None or of < best:
            best = of
    return best


def _figures(plan):
    """The figures of a plan that tests do not compare."""
    return {"capacity": 0, "stopped": "", "nodes": 0, "backtracks": 0, "seconds": 0, "found_by": plan.found_by, "proved_by": plan.proved_by, "ended": plan.ended, "objective": plan.objective}


class Rules(unittest.TestCase):
    def test_two_pools(self):
        plan = spill()
        self.assertEqual((plan.status, plan.height, plan.objective), ("optimal", 88, ["cost", "height"]))
        self.assertEqual((plan.bounds, plan.measures["cost"], plan.measures["peak:tcm"]), ({"cost": 24, "height": 88}, 24, 64))
        self.assertEqual(plan.pools.count("dram"), 1)
        self.assertEqual(stowage.verify(plan.problem, plan), "")
        self.assertEqual(stowage.verify(plan.problem, plan.offsets, pools=plan.pools), "")
        self.assertIn("which pool", stowage.verify(plan.problem, plan.offsets))
        self.assertIn("reserved", stowage.verify(plan.problem, [0, 16, 48, 16], pools=["tcm", 0, 0, 0]))
        self.assertIn("cost 24", repr(plan))
        self.assertNotIn("<svg", plan._repr_html_())
        self.assertIn("tcm · 64 of 64", plan.svg())
        self.assertIn('"lanes":[{"name":"tcm"', plan.html())
        self.assertEqual(stowage.solve_many([plan.problem])[0].measures, plan.measures)

    def test_against_brute_force(self):
        r, infeasible = random.Random(1), 0
        for k in range(int(os.environ.get("STOWAGE_PROBLEMS", "200"))):
            kw = drawn(r)
            want = brute(kw)
            try:
                plan = stowage.solve(**kw, planner="exact")
            except stowage.InputError as err:  # apart inside a body
                self.assertIn("together ties the two to the same bytes", str(err))
                continue
            infeasible += want is None
            self.assertEqual(None if want is None else [plan.measures[m] for m in kw["objective"]] if plan else plan.status, want, (k, kw))
            if plan:
                self.assertEqual(stowage.verify(plan.problem, plan), "", (k, kw))
            else:
                self.assertEqual((plan.status, plan.reason[:24]), ("infeasible", "No plan keeps the rules."))
        self.assertGreater(infeasible, 3)

    def test_library_and_command(self):
        # What both are asked, and what they answer, is the same.
        r = random.Random(2)
        for _ in range(15):
            problem = stowage.Problem(**drawn(r))
            by = []
            for ask in (_library.run, lambda p, o, _: _api._by_command(p, "-", o, [])):
                try:
                    by.append(ask(problem, _api.Options(), None))
                except stowage.InputError as err:
                    by.append(str(err).partition(": ")[2])
            a, b = by
            if a is not None and not isinstance(a, str):
                self.assertEqual((a.status, a.offsets, a.pools, a.parts, a.measures, a.bounds, a.objective, a.reason), (b.status, b.offsets, b.pools, b.parts, b.measures, b.bounds, b.objective, b.reason))

    def every(self):
        return stowage.Problem(
            [0, 1, 2, 5, 5], [4, 5, 6, 8, 9], [24, 24, 16, 32, 8], names="abcde",
            pools=[stowage.Pool("tcm", "1KiB", 8, 0, [(0, 16)]), ("dram",)], allowed=[None, "tcm", None, None, ["tcm", 1]], costs=[None, {"dram": 100}, {}, None, {0: 2}],
            together=[{"buffers": ["a", 3], "at": [0, 24]}], apart=[("a", "e")], may_overlap=[[1, 2]], distances=[("c", "d", -4)],
            penalties=[{"buffers": ["b", "d"], "cost": 2}], evictions=[None, None, None, None, [(6, 8, 3)]], period=12, objective=["cost", "peak:tcm"],
        )  # fmt: skip

    def test_banks(self):
        # Each rule by a value that it changes; then columns, JSON and a pickle say the same.
        apart, two = ([0, 4], [4, 8], [6, 5]), ([0, 0], [4, 4], [6, 5])
        for times, rules, measure, value in (
            (apart, {"pools": ["x", "y"], "objective": "height"}, "height", 6),
            (apart, {"pools": ["x", "y"], "objective": "height", "different_pools": [["a", 1]]}, "height", 11),
            (two, {"pools": ["x", "y"], "objective": "max_height"}, "max_height", 6),
            (two, {"pools": ["x", "y"], "objective": "max_height", "same_pool": [(0, "b")]}, "max_height", 11),
            (([0, 0, 0], [4, 4, 4], [6, 5, 3]), {"pools": ["x", "y"], "allowed": ["x", "y", "y"], "objective": "max_height", "lockstep": [(0, 2)]}, "max_height", 8),
            (two, {"pools": [stowage.Pool("x", borders=[8])], "objective": "height"}, "height", 13),
            (two, {"pools": [{"id": "x", "borders": [8]}], "objective": "height", "spans": ["b"]}, "height", 11),
            (two, {"pools": [{"id": "x", "granularity": 8}], "objective": "height", "kinds": [["a"], ["b"]]}, "height", 13),
            (two, {"pools": [{"id": "x"}], "objective": "height", "alternatives": [("a", "b")]}, "height", 5),
            (two, {"pools": ["x", "y"], "objective": "cost", "costs": [{"x": 3}, None], "allowed": ["x", None], "alternatives": [(1, 0)]}, "cost", 0),
            (apart, {"groups": [{"pairs": [("a", "b")], "cost": 7}], "objective": ["penalty", "height"]}, "height", 11),
            (apart, {"groups": [([(0, 1)], 7, "unless all coincide")], "objective": "penalty"}, "penalty", 0),
            (two, {"pools": [stowage.Pool("x", sizes=[(8, 1), (16, 5)]), {"id": "y", "sizes": [[8, 3]]}], "objective": "cost"}, "cost", 4),
            (two, {"pools": [stowage.Pool("x", objects=True)], "objective": ["height", "objects"]}, "objects", 2),
            (apart, {"pools": [{"id": "x", "objects": True}], "objective": ["height", "objects"]}, "objects", 1),
            (apart, {"pools": [{"id": "x", "objects": True}], "objective": "height", "extents": [(6, 1), (3, 2)]}, "height", 12),
            (apart, {"pools": [{"id": "x", "objects": True}], "objective": "height", "extents": [(6, 1, 1), (6, 1, 2)]}, "height", 12),
        ):
            p = stowage.Problem(*times, names="abc"[: len(times[0])], **rules)
            plan = stowage.solve(*times, names="abc"[: len(times[0])], **rules)
            self.assertEqual((plan.measures[measure], plan.status), (value, "optimal"), rules)
            d = p.as_dict()
            self.assertEqual(d["version"], 3 if len(rules) > 2 or "groups" in rules or any(x in str(d["pools"]) for x in ("objects", "borders", "sizes")) else 2)
            self.assertEqual(pickle.loads(pickle.dumps(p)).as_dict(), d)
            self.assertEqual(_api._problem_of(d).as_dict(), d)
        plan = stowage.solve(*two, pools=["x", "y"], alternatives=[[0, 1]], objective=["height"])
        self.assertEqual((list(plan.offsets), plan.pools[0], plan.problem.rules.alternatives), ([-1, 0], None, [(0, 1)]))
        self.assertEqual((stowage.verify(plan.problem, plan), stowage.verify(plan.problem, [0, 0], pools=["x", "y"])[:7]), ("", "buffers"))
        self.assertEqual(stowage.verify(plan.problem, plan.offsets, pools=plan.pools), "")
        with self.assertRaisesRegex(stowage.InputError, "different_pools\\[0\\]: there is no buffer"):
            stowage.solve(*two, different_pools=[[0, 7]], pools=["x", "y"])
        with self.assertRaisesRegex(stowage.InputError, "neither True nor False"):
            stowage.solve(*two, pools=[stowage.Pool("x", objects=1)])

    def test_forms(self):
        # Columns, JSON, the library's JSON and a pickle say the same.
        p = self.every()
        d = p.as_dict()
        self.assertEqual(d["version"], 2)
        self.assertEqual(d["pools"], [{"id": "tcm", "capacity": 1024, "alignment": 8, "reserved": [[0, 16]]}, {"id": "dram"}])
        self.assertEqual(d["buffers"][4]["pools"], ["tcm", "dram"])
        self.assertEqual(d["penalties"], [{"buffers": ["b", "d"], "cost": 2}])
        self.assertEqual(pickle.loads(pickle.dumps(p)).as_dict(), d)
        self.assertEqual(_api._problem_of(d).as_dict(), d)
        self.assertEqual((p.rules.together, p.rules.distances, p.rules.allowed[1], p.rules.costs[4], p.rules.evictions[4]), ([(0, 3, 24)], [(2, 3, -4)], [0], {0: 2}, [(6, 8, 3)]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.json")
            pathlib.Path(path).write_text(json.dumps(d))
            if _library.load() is not None:
                self.assertEqual(stowage.load(path).as_dict(), d)
                # The library writes a fixed offset under another name.
                d["buffers"][0]["fixed"] = d["buffers"][0].pop("offset", 32)
                d["buffers"][0]["pools"] = ["tcm"]
                pathlib.Path(path).write_text(json.dumps(d))
                self.assertEqual(stowage.load(path).buffer(0).offset, d["buffers"][0]["fixed"])
            pathlib.Path(path).write_text(json.dumps({**d, "apart": [["a", "zz"]]}, indent=1))
            self.assertRaisesRegex(stowage.InputError, r"x\.json:\d+: .*zz", stowage.load, path)
            plan = spill()
            plan.save(path)
            self.assertEqual(stowage.load(path).as_dict(), plan.problem.as_dict())
            self.assertEqual(json.loads(pathlib.Path(path).read_text())["plan"]["pools"], plan.pools)
            self.assertRaisesRegex(stowage.InputError, "rules is written as .json", plan.save, os.path.join(folder, "x.csv"))

    def test_evictions(self):
        # The example of the model: at a capacity of 8, b leaves for 3, or a for 5.
        plan = stowage.solve(
            [0, 0, 4], [10, 10, 6], [4, 4, 4], names="abc", pools=[("x", 8), ("y", 1)], allowed=[0, 0, 0],
            evictions=[[(3, 7, 5)], [{"lower": 2, "upper": 8, "cost": 3}], None], objective=["eviction", "height"],
        )  # fmt: skip
        self.assertEqual((plan.status, plan.measures["eviction"], list(plan.parts)), ("optimal", 3, [1]))
        self.assertEqual([(part.lower, part.upper, part.pool) for part in plan.parts[1]], [(0, 2, "x"), (8, 10, "x")])
        self.assertEqual((plan.parts[1][0].offset, plan.pools), (plan.offsets[1], ["x"] * 3))
        self.assertEqual(stowage.verify(plan.problem, plan), "")
        self.assertEqual(_api._plan_of(plan.problem, {**_figures(plan), **json.loads(plan.to_json())["plan"]}, plan.as_dict()).parts, plan.parts)
        plan.parts[1][1] = plan.parts[1][1]._replace(upper=11)
        self.assertIn('buffer "b"', stowage.verify(plan.problem, plan))
        plan.parts.clear()
        self.assertIn('"b"', stowage.verify(plan.problem, plan))

    def test_clocks_and_period(self):
        plan = stowage.solve([(0, 0), (1, 1), (0, 5)], [(1, 1), (2, 2), (3, 6)], [7, 7, 1])
        self.assertEqual((plan.height, plan.pools, plan.problem.rules.clocks[1]), (8, None, [[1, 1], [2, 2], [3, 6]]))
        self.assertEqual(pickle.loads(pickle.dumps(plan.problem)).as_dict(), plan.problem.as_dict())
        self.assertEqual(stowage.solve([0, 3], [2, 5], [4, 3], period=4).height, 7)
        self.assertEqual(stowage.solve([0, 3], [2, 5], [4, 3]).height, 4)
        self.assertRaisesRegex(stowage.InputError, "clocks", stowage.solve, [(0, 0)], [1], [4])

    @unittest.skipIf(numpy is None, "numpy is missing")
    def test_numpy(self):
        pairs, times = numpy.array([[0, 1]]), numpy.array([[0, 0], [3, 3]])
        plan = stowage.solve(numpy.array([0, 3]), numpy.array([2, 5]), numpy.array([4, 3]), apart=pairs, penalties=numpy.array([[0, 1, 2]]))
        self.assertEqual((plan.height, plan.offsets.dtype), (7, "int64"))
        self.assertEqual(stowage.solve(times, times + 1, [4, 3], may_overlap=pairs).height, 4)

    def test_refused(self):
        for kw, said in (
            ({"apart": [("a", "x")]}, r"apart\[0\]: there is no buffer 'x'"), ({"apart": [(0, 4)]}, r"apart\[0\]: there is no buffer of the number 4; there are 4"),
            ({"apart": [(0,)]}, r"apart\[0\]: .* must have 2"), ({"pools": [5]}, r"pools\[0\]: 5 is no pool"), ({"pools": ["x", "x"], "apart": None}, "is a duplicate"),
            ({"allowed": ["tcm"]}, "allowed: there are 1 values for 4 buffers"), ({"allowed": [None, "flash", None, None]}, "allowed of buffer 1: there is no pool 'flash'"),
            ({"costs": [1, 2, 3, 4]}, "costs of buffer 0: 1 is no dict"), ({"penalties": [(0, 1)]}, "must have 3"), ({"penalties": [(0, 1, -1)]}, r"penalties\[0\].cost"),
            ({"together": [{"buffers": "ab", "at": [0, 1]}]}, "is no sequence"), ({"together": [{"buffers": ["a", "b"], "at": [0]}]}, "2 buffers and 1 distances"),
            ({"objective": "speed"}, "objective"), ({"period": -1}, "period"), ({"capacity": 5}, "each pool has its own"), ({"apart": "ab"}, "is no sequence"),
            ({"together": [[0, 1], [1, 2], {"buffers": [0, 2], "at": [0, 1]}]}, "the chain"),
        ):  # fmt: skip
            with self.subTest(kw), self.assertRaisesRegex(stowage.InputError, said):
                spill(**kw)
        plan = spill()
        for ask in (stowage.lower_bound, stowage.size, lambda p: stowage.plan(p, start=[0] * 4)):
            self.assertRaisesRegex(stowage.Error, "rules", ask, plan.problem)
        self.assertEqual(stowage.Problem([0], [1], [2], apart=[], pools=None).rules, None)

    def test_explained(self):
        tight = stowage.Problem([0, 1, 2, 5], [4, 5, 6, 8], [24, 24, 16, 32], names="abcd", pools=[("tcm", 60)], apart=[("a", "d")], allowed=[0, 0, 0, 0])
        self.assertEqual(len(stowage.conflict(tight)), 3)
        self.assertRegex(stowage.explain(tight), r"take 72 bytes, which is 12 more than the pool tcm with 60 free")
        self.assertEqual(stowage.conflict(spill().problem), [])


if __name__ == "__main__":
    unittest.main()

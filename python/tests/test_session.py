"""Sessions: what each method answers and refuses, threads, forks, Ctrl-C, and traces that Go played too."""

import os
import pathlib
import signal
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import stowage
from stowage import Buffer, Session, _library

STATUS = {"unknown": 0, "feasible": 1, "infeasible": 3}
STEPS = ("none", "keep", "fit", "repair", "window", "hints", "fresh")


def abc(**options):
    return Session([Buffer(0, 3, 4, id="a"), Buffer(3, 9, 4, id="b"), Buffer(0, 9, 4, id="c")], [0, 12, 4], capacity=16, **options)


def ruled(**options):
    """The session of docs/sessions.md, section With rules."""
    p = stowage.Problem([0, 4, 0], [4, 9, 9], [8, 8, 4], names="abc", pools=[stowage.Pool("sram", 12), "dram"], allowed=[None, None, "sram"])
    return Session(p, [0, 0, 8], pools=["sram", 0, "sram"], **options)


class Calls:
    """Calls of a session, from the words in which package changes writes them."""

    def __init__(self, path):
        problem = stowage.load(path.with_suffix(".problem.json"))
        lines = path.read_text().splitlines()
        nodes, seed, effort, rules = map(int, lines[0].split())
        self.pools = [pool.id for pool in problem.rules.pools] if problem.rules else []
        self.words, self.marks = iter(" ".join(lines[3:]).split()), []
        self.session = Session(
            problem, [int(x) for x in lines[1].split()], nodes=nodes or None, seed=seed % (1 << 64), effort=STEPS[effort] if effort else "fresh",
            pools=[int(x) for x in lines[2].split()] if self.pools else None, rules=bool(rules),
        )  # fmt: skip

    def number(self):
        return int(next(self.words))

    def buffer(self):
        name, (lower, upper, size, alignment, fixed, hint, pool, clocks) = next(self.words), (self.number() for _ in range(8))
        if clocks:
            lower, upper = ([self.number() for _ in range(clocks)] for _ in range(2))
        none = [None if x < 0 else x for x in (fixed, hint, pool)]
        return name, lower, upper, size, alignment, *none

    def rules(self, n):
        rules = {}
        for _ in range(n):
            kind, a, b, by = next(self.words), next(self.words), next(self.words), self.number()
            rule = {"together": {"buffers": [a, b], "at": [0, by]}, "distances": (a, b, by)}.get(kind, (a, b))
            rules.setdefault(kind, []).append(rule)
        return rules

    def ask(self, kind):
        """Makes a call. It returns the answer, or None."""
        s = self.session
        if kind in ("place", "fits"):
            effort, n, own, with_ = (self.number() for _ in range(4))
            names, lower, upper, size, alignment, offset, hint, pool = zip(*(self.buffer() for _ in range(n)))
            given = self.rules(own)
            if any(x is not None for x in pool):
                given |= {"pools": self.pools, "allowed": pool}
            p = stowage.Problem(list(lower), list(upper), size, alignment, offset=offset, hint=hint, names=names, **given)
            rules = self.rules(with_)
            return s.fits_all(p, **rules) if kind == "fits" else s.place(p, STEPS[effort] if effort else None, **rules)
        if kind in ("add", "ask"):
            return (s.add if kind == "add" else s.fits)(next(self.words), *(self.number() for _ in range(4)))
        if kind in ("bind", "unbind"):
            return getattr(s, kind)(**self.rules(self.number()))
        if kind == "replace":
            name, lower, upper, size, alignment, offset, hint, pool = self.buffer()
            return s.replace(name, lower, upper, size, alignment, offset=offset, hint=hint, allowed=pool)
        if kind in ("remove", "unpin"):
            return getattr(s, kind)(next(self.words))
        if kind == "resize":
            return s.resize(next(self.words), self.number())
        if kind == "retime":
            return s.retime(next(self.words), self.number(), self.number())
        if kind == "pin":
            return s.pin(next(self.words), self.number())
        if kind == "pin_in":
            return s.pin_in(next(self.words), self.number(), self.number())
        if kind == "limit_pool":
            return s.limit_pool(self.number(), self.number() or None)
        if kind == "mark":
            return self.marks.append(s.mark())
        n = self.number()
        if kind in ("limit", "replan"):
            return getattr(s, kind)(n or None)
        return getattr(s, kind)(self.marks[n])

    def places(self, pools):
        return [self.pools.index(x) for x in pools or ()]

    def play(self):
        """Makes all calls, and returns a line for each, as Go does."""
        lines = []
        for kind in self.words:
            if kind == "end":
                break
            try:
                a, line = self.ask(kind), f"{kind} done"
            except stowage.Error as err:
                a, line = None, f"{kind} refused: " + "; ".join(str(err).splitlines())
            if a is not None:
                numbers = ["".join(f" {x}" for x in column) for column in (a.offsets or (), self.places(a.pools))]
                line = f"{kind} {STATUS[a.status]} {a.step} at{numbers[0]} in{numbers[1]} moved {a.moved.cost} {a.moved.buffers} {a.moved.bytes} {a.moved.slots}"
                line += f" least {int(a.least)} enough {a.enough} nodes {a.nodes}"
                if p := a.proof:
                    line += f" {p.why} {p.time} {p.load} {p.lower_bound}: {a.reason}"
            s = self.session
            pools = self.places(s.pools) if self.pools else [0] * len(s)
            lines.append(line + " |" + "".join(f" {x}" for x in s.offsets) + " |" + "".join(f" {x}" for x in pools) + "\n")
        return "".join(lines)


class Sessions(unittest.TestCase):
    def test_answers(self):
        with abc() as s:
            a = s.fits("x", 2, 6, 8)
            self.assertTrue(a)
            self.assertEqual((a.status, a.step, a.offset, a.moved.bytes, a.moved.buffers, a.least, a.reason), ("feasible", "repair", 8, 4, 1, True, ""))
            no = s.fits("x", 2, 6, 9)
            self.assertFalse(no)
            self.assertEqual((no.status, no.offset, no.proof.why, no.proof.time, no.proof.load), ("infeasible", None, "load", 2, 17))
            self.assertEqual(no.reason, "at time 2 the live buffers need 17 bytes; the capacity is 16")
            self.assertEqual((len(s), "x" in s, "a" in s, s.height, s.load, s.capacity), (3, False, True, 16, 8, 16))
            mark = s.mark()
            self.assertEqual(s.add("x", 2, 6, "8 B").offset, 8)
            self.assertEqual((s.resize("a", 5).status, s.offset("x"), s.offsets[3]), ("infeasible", 8, 8))
            s.rollback(mark)
            self.assertEqual(s.offsets, [0, 12, 4])
            mark = s.mark()
            self.assertEqual(s.retime("b", 3, 5).offset, 12)
            s.commit(mark)
            self.assertEqual((s.pin("b").offset, s.limit(12).proof.why), (12, "pin"))
            s.unpin("b")
            self.assertTrue(s.limit(12))
            self.assertEqual((s.capacity, s.replan().status, s.height), (12, "feasible", 8))
            self.assertEqual((s.replan(7, "fit").status, s.limit(None).status, s.capacity), ("infeasible", "feasible", 0))
            s.remove("a")
            self.assertEqual(len(s), 2)

    def test_many_buffers(self):
        with abc() as s:
            more = [Buffer(0, 9, 4, 4, 8, None, "2-5", "x"), Buffer(9, 12, 8, 2, None, 2, id="y")]
            self.assertEqual((s.fits_all(more).offsets, len(s)), ([8, 2], 3))
            self.assertEqual((s.place(more, "keep").offsets, len(s)), ([8, 2], 5))
            self.assertEqual(s.add("z", 20, 22, 4, offset=12).offset, 12)
            plan = s.snapshot()
            self.assertEqual((list(plan.offsets), plan.height, plan.capacity), (s.offsets, s.height, 16))
            self.assertTrue(stowage.valid(plan.problem, plan))
            self.assertEqual((plan.problem.names, plan.problem.buffer(3).gaps, plan.problem.buffer(5).offset), (["a", "b", "c", "x", "y", "z"], [(2, 5)], 12))
            # A session goes on from a snapshot, and from the plan of a solve.
            with Session(plan.problem, plan) as again:
                self.assertEqual((again.offsets, again.capacity), (s.offsets, 16))
        solved = stowage.solve([0, 0, 1], [2, 4, 4], [600, 300, 500])
        with Session(solved.problem, solved) as s:
            self.assertEqual((s.offsets, s.offset(0)), (list(solved.offsets), solved.offsets[0]))
        with Session() as s:
            self.assertTrue(s)
            self.assertEqual((len(s), s.offsets, s.snapshot().offsets, s.height), (0, [], [], 0))
            self.assertTrue(s.add("first", 0, 1, "2KiB", "1KiB"))
        with Session([(0, 9, 1)] * 200) as s:
            self.assertEqual(sorted(s.offsets), list(range(200)))

    def test_weights(self):
        # x needs 8 bytes: the first goes to the top, or the second to the bottom. The light one moves.
        for light, at, cost in ((0, 0, 4), (1, 8, 4)):
            weights = [3, 3]
            weights[light] = 1
            with Session([(0, 8, 4), (0, 8, 4)], [4, 8], capacity=16, weights=weights) as s:
                a = s.fits("x", 0, 8, 8)
                self.assertEqual((a.offset, a.moved.cost, a.moved.buffers, a.least), (at, cost, 1, True))
        with Session([(0, 8, 4)], [4], capacity=16) as s:
            s.weigh("n", 3)
            self.assertEqual(s.add("n", 0, 8, 4, hint=8).offset, 8)
            self.assertEqual(s.fits("x", 0, 8, 8).offset, 0)
        self.assertRaisesRegex(stowage.InputError, "weight", Session, [(0, 4, 4)], weights=[-1])
        with abc() as s:
            for name, weight in (("a", 2), ("n", 1 << 17), ("n", -1)):
                self.assertRaisesRegex(stowage.InputError, "weight", s.weigh, name, weight)

    def test_refusals(self):
        for words, make in (
            ("offsets: 1 value for 2 buffers", lambda: Session([(0, 4, 4), (0, 4, 4)], [0])),
            ("offsets", lambda: Session([(0, 4, 4), (0, 4, 4)], [0, 0])),
            ("effort", lambda: Session(effort="all")),
            ("penalties", lambda: Session(stowage.Problem([0, 0], [1, 1], [2, 2], penalties=[(0, 1, 5)]))),
            ("a pool for each if there are several", lambda: Session(stowage.Problem([0], [1], [2], pools=["x", "y"]), [0])),
            ("no pool 'z'", lambda: Session(stowage.Problem([0], [1], [2], pools=["x", "y"]), [0], pools=["z"])),
            ("pools: 2 values for 1 buffer", lambda: Session(stowage.Problem([0], [1], [2], pools=["x", "y"]), [0], pools=[0, 1])),
            ("pools: the problem has none", lambda: Session([(0, 4, 4)], [0], pools=[0])),
            ("no offsets", lambda: Session(stowage.Problem([0], [1], [2], pools=["x", "y"]), pools=[0])),
            ("planner is named", lambda: Session(planner="best")),
            ("size", lambda: Session([(0, 4, -4)])),
        ):
            self.assertRaisesRegex(stowage.Error, words, make)
        with self.assertRaisesRegex(stowage.NoPlanError, "the live buffers need 8 bytes") as none:
            Session([(0, 4, 4), (0, 4, 4)], capacity=7)
        self.assertEqual(none.exception.status, "infeasible")
        with abc() as s:
            before = s.offsets
            for words, call in (
                ("in the session already", lambda: s.add("a", 0, 1, 1)), ("not in the session", lambda: s.remove("x")), ("not in the session", lambda: s.unpin("x")),
                ("not in the session", lambda: s.resize("x", 3)), ("not in the session", lambda: s.retime("x", 3, 4)), ("not in the session", lambda: s.pin("x")),
                ("zero byte", lambda: s.add("x\0y", 0, 1, 1)), ("surrogates", lambda: s.add("\ud800", 0, 1, 1)), ("upper", lambda: s.add("x", 4, 4, 1)), ("size", lambda: s.add("x", 0, 4, 0)),
                ("64 bits", lambda: s.add("x", 0, 1 << 64, 4)), ("whole number", lambda: s.add("x", 0, 1.5, 4)), ("size", lambda: s.fits("x", 0, 4, "4 bits")),
                ("alignment", lambda: s.add("x", 0, 4, 4, 1 << 62)), ("mark", lambda: s.rollback(9)), ("mark", lambda: s.commit(9)), ("effort", lambda: s.replan(effort="none")),
                ("height", lambda: s.replan(0)), ("capacity", lambda: s.limit(0)), ("without rules", lambda: s.place(stowage.Problem([0], [1], [2], names="x", period=5))),
                ("without rules", lambda: s.bind(apart=[("a", "b")])), ("without rules", lambda: s.unbind()), ("without rules", lambda: s.limit_pool(0, 5)),
                ("without rules", lambda: s.pin_in("a", 0)), ("no pool 'x'", lambda: s.pin_in("a", "x")), ("no pool", lambda: s.add("x", 0, 1, 1, allowed=[0])),
            ):  # fmt: skip
                self.assertRaisesRegex(stowage.Error, words, call)
            self.assertRaises(KeyError, s.offset, "x")
            self.assertEqual(s.offsets, before)

    def test_after_the_end(self):
        s = abc()
        with s:
            self.assertEqual(repr(s), "<stowage.Session of 3 buffers, height 16>")
        s.close()
        self.assertEqual(repr(s), "<stowage.Session, closed>")
        for call in (
            lambda: s.add("x", 0, 1, 1), lambda: s.fits("x", 0, 1, 1), lambda: s.place([(0, 1, 1)]), lambda: s.fits_all([]), lambda: s.remove("a"), lambda: s.resize("a", 1),
            lambda: s.retime("a", 0, 1), lambda: s.pin("a"), lambda: s.unpin("a"), lambda: s.limit(4), lambda: s.replan(), lambda: s.weigh("x", 1), lambda: s.mark(),
            lambda: s.rollback(1), lambda: s.commit(1), lambda: len(s), lambda: s.offset("a"), lambda: s.offsets, lambda: s.height, lambda: s.load, lambda: s.capacity,
            lambda: s.snapshot(), lambda: "a" in s, lambda: s.bind(apart=[("a", "b")]), lambda: s.unbind(), lambda: s.replace("a", 0, 1, 1), lambda: s.pin_in("a", 0),
            lambda: s.limit_pool(0, 1), lambda: s.pool_of("a"), lambda: s.pools, lambda: s.place([(0, 1, 1)], apart=[("a", "0")]), lambda: s.fits("x", 0, 1, 1, apart=[("a", "x")]),
        ):  # fmt: skip
            self.assertRaisesRegex(stowage.InputError, "the session is closed", call)

    def test_threads(self):
        # Each call of one session answers, or is refused: it is in use, or closed. Nothing crashes.
        s, served, wrong = abc(), [], []

        def work(name):
            for k in range(400):
                try:
                    if s.add(name, 3 + k % 3, 9, 4):
                        while True:
                            try:
                                s.remove(name)
                                break
                            except stowage.InputError:
                                raise
                            except stowage.Error:
                                continue
                    served.append(k)
                except stowage.Error as err:
                    if "in use" not in str(err) and "closed" not in str(err):
                        wrong.append(err)
                if name == "t0" and k == 300:
                    while True:
                        try:
                            s.close()
                            break
                        except stowage.Error:
                            continue

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, ("t0", "t1", "t2", "t3")))
        self.assertEqual(wrong, [])
        self.assertGreater(len(served), 100)

    def test_ctrl_c(self):
        # A call that goes on for minutes ends at once, and leaves the plan as it was.
        hard = stowage.generate("infeasible", buffers=2000, seed=1)
        with Session(hard, nodes=1, capacity=1 << 40) as easy:
            before = easy.offsets
            self.assertGreater(easy.height, hard.capacity)
        with Session(hard, before, nodes=1 << 40, capacity=1 << 40) as s:
            # The signal comes once the call heeds signals: before the search or in it. Either way it ends the call.
            listen, heeds = _library.listen, threading.Event()
            sender = threading.Thread(target=lambda: heeds.wait() and os.kill(os.getpid(), signal.SIGINT))
            sender.start()
            with mock.patch.object(_library, "listen", lambda: (listen(), heeds.set())[0]), self.assertRaises(KeyboardInterrupt):
                s.replan(hard.capacity)
                self.fail("the call has come to its end")
            sender.join()
            self.assertEqual(s.offsets, before)
            self.assertTrue(s.fits("x", 0, 1, 1))
            # Another thread gets no signals.
            threads = threading.Thread(target=lambda: s.pin("0"))
            threads.start()
            threads.join()

    @unittest.skipUnless(hasattr(os, "fork"), "forks are of POSIX")
    def test_forks(self):
        s = abc()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                s.add("x", 0, 1, 1)
            except stowage.Error as err:
                code = 0 if "forked" in str(err) else 2
            os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(s.fits("x", 2, 6, 8))

    def test_rules(self):
        with ruled() as s:
            mark = s.mark()
            self.assertEqual((s.pools, s.pool_of("a"), s.capacity), (["sram"] * 3, "sram", 0))
            a = s.bind(apart=[("a", "b")])
            self.assertEqual((a.status, a.step, a.moved.bytes, a.least, a.offsets, a.pools), ("feasible", "repair", 8, True, None, None))
            tie = [{"buffers": ("a", "view"), "at": (0, 4)}]
            view = s.fits("view", 2, 6, 2, together=tie)
            self.assertEqual((view.offset, view.pool, view.step, len(s)), (4, "dram", "keep", 3))
            self.assertEqual(s.add("view", 2, 6, 2, together=tie).pools, ["dram"])
            no = s.limit_pool("sram", 3)
            self.assertEqual((no.proof.why, no.reason, no.pools), ("rules", "buffer \"c\" of 4 has no place: in the pool \"sram\" it takes 4, more than the capacity of 3", None))
            self.assertEqual((s.offsets, s.pools), ([0, 0, 8, 4], ["dram", "sram", "sram", "dram"]))
            plan = s.snapshot()
            self.assertEqual((plan.pools, plan.offsets, plan.height, plan.measures["height:dram"], stowage.verify(plan.problem, plan)), (s.pools, s.offsets, 20, 8, ""))
            self.assertEqual((plan.problem.rules.together, plan.problem.rules.apart), ([(0, 3, 4)], [(0, 1)]))
            with Session(plan.problem, plan) as again:  # a Plan has its pools
                self.assertEqual((again.pools, again.offsets), (s.pools, s.offsets))
            # Both leave their group; or one does.
            self.assertTrue(s.unbind(together=[("a", "view")]))
            self.assertTrue(s.bind(together=tie))
            self.assertTrue(s.unbind(together=[["view"]]))
            self.assertRaisesRegex(stowage.InputError, "is tied to no buffer", s.unbind, together=[["view"]])
            self.assertTrue(s.unbind(apart=[("b", "a")]))
            self.assertEqual([(x.offset, x.pool) for x in (s.pin_in("view", "dram", "20 B"), s.pin("view"), s.pin_in("view", 1))], [(20, "dram")] * 3)
            self.assertEqual(s.replace("view", 7, 8, 3, allowed=["sram"]).pool, "sram")
            self.assertTrue(s.limit_pool(0, None))
            for words, call in (
                ("not in the session", lambda: s.bind(apart=[("a", "x")])), ("no sequence", lambda: s.bind(apart=5)), ("2 pools", lambda: s.limit(9)), ("there are 2", lambda: s.pin_in("a", 2)),
                ("there are 2", lambda: s.limit_pool(-1, 5)), ("no pool 'x'", lambda: s.limit_pool("x", 5)), ("no pool", lambda: s.add("n", 0, 1, 1, allowed="x")),
                ("cost", lambda: s.place(stowage.Problem([0], [1], [2], names="n", objective="cost"))), ("in their order", lambda: s.place(stowage.Problem([0], [1], [2], names="n", pools=["dram", "sram"]))),
                ("zero byte", lambda: s.bind(apart=[("a", "\0")])), ("2 buffers and 1 distances", lambda: s.bind(together=[{"buffers": ("a", "b"), "at": [1]}])),
            ):  # fmt: skip
                self.assertRaisesRegex(stowage.InputError if words != "cost" else stowage.Error, words, call)
            self.assertRaises(KeyError, s.pool_of, "x")
            s.rollback(mark)
            self.assertEqual((s.pools, s.offsets, len(s)), (["sram"] * 3, [0, 0, 8], 3))
            # Several at once, with rules among them and about others.
            both = stowage.Problem([0, 4], [4, 9], [1, 1], names="xy", pools=["sram", "dram"], allowed=["dram", None], apart=[("x", "y")])
            a = s.place(both, "repair", together=[("b", "y")])
            self.assertEqual((a.pools, a.offsets[1]), (["dram", s.pool_of("b")], s.offset("b")))

    def test_allowed(self):
        two = [stowage.Buffer(0, 4, 1, id="x"), stowage.Buffer(4, 9, 1, id="y")]
        for allowed in (["dram", None], [1, ["sram", "dram"]]):
            with ruled() as s:
                self.assertEqual(s.fits_all(two, allowed=allowed).pools[0], "dram")
                self.assertEqual((s.place(two, allowed=allowed).pools[0], len(s)), ("dram", 5))
                self.assertEqual(s.snapshot().problem.rules.allowed[3], [1])
        for words, buffers, allowed in (
            ("no pool 'x'", two, ["x", None]), ("allowed", two, ["dram"]),
            ("has rules", stowage.Problem([0], [1], [1], names="n", pools=["sram", "dram"]), ["dram"]),
        ):  # fmt: skip
            with ruled() as s, self.assertRaisesRegex(stowage.InputError, words):
                s.place(buffers, allowed=allowed)

    def test_rules_later(self):
        with Session([(0, 4, 4), (4, 9, 4)], rules=True) as s:
            self.assertEqual((s.pools, s.pool_of(0), s.height), (None, None, 4))
            a = s.bind(apart=[(0, "1")])  # buffers without names are named by their numbers
            self.assertEqual((a.status, s.height, a.pools), ("feasible", 8, None))
            self.assertEqual(s.snapshot().problem.rules.apart, [(0, 1)])
        clocks = stowage.Problem([(0, 0), (1, 1)], [(1, 1), (2, 2)], [4, 4])
        with Session(clocks) as s:
            self.assertEqual(s.height, 4)
            self.assertEqual((s.add("n", (0, 1), (1, 3), 4).offset, s.height), (4, 8))
            self.assertTrue(s.replace("n", [2, 2], [3, 3], 4))
            self.assertRaisesRegex(stowage.InputError, "clocks", s.add, "m", 0, 1, 4)

    def test_rules_stay_away(self):
        # What is left of a session that ended: rules and answers with pools go with it.
        s = ruled()
        answer = s.pin("a")
        s.close()
        del s
        self.assertEqual((answer.pools, answer.offsets), (["sram"], [0]))

    @unittest.skipUnless("STOWAGE_CALLS" in os.environ, "the calls that Go made are from go test (python3)")
    def test_calls(self):
        """Go and Python agree on every call of random sessions, with rules and without."""
        paths = sorted(pathlib.Path(os.environ["STOWAGE_CALLS"]).glob("*.calls"))
        self.assertGreater(len(paths), 10)
        for path in paths:
            want = path.with_suffix(".answers").read_text()
            got = Calls(path).play()
            for k, (a, b) in enumerate(zip(got.splitlines(), want.splitlines())):
                self.assertEqual(a, b, f"{path.name}, call {k}")
            self.assertEqual(got, want, path.name)


if __name__ == "__main__":
    unittest.main()

"""Sessions: what each method answers and refuses, threads, forks, Ctrl-C, and traces that Go played too."""

import json
import os
import pathlib
import signal
import threading
import time
import unittest

import stowage
from stowage import Buffer, Session

STATUS = {"unknown": 0, "feasible": 1, "infeasible": 3}


def abc(**options):
    return Session([Buffer(0, 3, 4, id="a"), Buffer(3, 9, 4, id="b"), Buffer(0, 9, 4, id="c")], [0, 12, 4], capacity=16, **options)


def play(path):
    """Plays a trace and returns a line for each call, as package changes does in Go."""
    first, *ops = [json.loads(line) for line in path.read_text().splitlines()]
    options = json.loads(path.with_suffix(".json").read_text())
    begin = 0
    while ops[begin]["op"] == "add" and "offset" in ops[begin]:
        begin += 1
    buffers = [Buffer(o["lower"], o["upper"], o["size"], o.get("alignment", 1), id=o["id"]) for o in ops[:begin]]
    marks, lines = {}, []
    with Session(
        buffers, [o["offset"] for o in ops[:begin]], capacity=first.get("capacity"), alignment=first.get("alignment"),
        nodes=options["nodes"] or None, seed=options["seed"], effort=options["effort"] or "fresh",
    ) as s:  # fmt: skip
        for o in ops[begin:]:
            kind, name = o["op"], o.get("id", "")
            answer, done = None, "done"
            if kind == "mark":
                marks[name] = s.mark()
            elif kind == "rollback":
                s.rollback(marks.pop(name))
            elif kind == "commit":
                s.commit(marks.pop(name))
            elif kind in ("add", "fits"):
                answer = getattr(s, kind)(name, o["lower"], o["upper"], o["size"], o.get("alignment", 0))
            elif kind == "replan":
                answer = s.replan(o.get("height"))
            elif name not in s:
                done = "left out"
            elif kind in ("remove", "unpin"):
                getattr(s, kind)(name)
            elif kind == "resize":
                answer = s.resize(name, o["size"])
            elif kind == "retime":
                answer = s.retime(name, o["lower"], o["upper"])
            else:
                answer = s.pin(name, o.get("offset"))
            line = f"{kind} {name} "
            if answer is None:
                line += done
            else:
                a, m, at = answer, answer.moved, -1 if answer.offset is None else answer.offset
                line += f"{STATUS[a.status]} {a.step} at {at} moved {m.cost} {m.buffers} {m.bytes} {m.slots} least {int(a.least)} enough {a.enough} nodes {a.nodes}"
                if p := a.proof:
                    line += f" {p.why} {p.time} {p.load} {p.lower_bound}: {a.reason}"
            lines.append(line + " |" + "".join(f" {x}" for x in s.offsets) + "\n")
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
        with self.assertRaisesRegex(stowage.InputError, "weight"):
            Session([(0, 4, 4)], weights=[-1])
        with abc() as s:
            for name, weight in (("a", 2), ("n", 1 << 17), ("n", -1)):
                with self.assertRaisesRegex(stowage.InputError, "weight"):
                    s.weigh(name, weight)

    def test_refusals(self):
        for words, make in (
            ("offsets: 1 value for 2 buffers", lambda: Session([(0, 4, 4), (0, 4, 4)], [0])),
            ("offsets", lambda: Session([(0, 4, 4), (0, 4, 4)], [0, 0])),
            ("effort", lambda: Session(effort="all")),
            ("rules", lambda: Session(stowage.Problem([0], [1], [2], period=9))),
            ("planner is named", lambda: Session(planner="best")),
            ("size", lambda: Session([(0, 4, -4)])),
        ):
            with self.assertRaisesRegex(stowage.Error, words):
                make()
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
                ("height", lambda: s.replan(0)), ("capacity", lambda: s.limit(0)), ("rules", lambda: s.place(stowage.Problem([0], [1], [2], names="x", apart=[(0, 0)], period=5))),
            ):  # fmt: skip
                with self.assertRaisesRegex(stowage.Error, words):
                    call()
            with self.assertRaises(KeyError):
                s.offset("x")
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
            lambda: s.snapshot(), lambda: "a" in s,
        ):  # fmt: skip
            with self.assertRaisesRegex(stowage.InputError, "the session is closed"):
                call()

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

        threads = [threading.Thread(target=work, args=(f"t{k}",)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])
        self.assertGreater(len(served), 100)

    def test_ctrl_c(self):
        # A call that goes on for minutes ends at once, and leaves the plan as it was.
        hard = stowage.generate("infeasible", buffers=200, seed=1)
        with Session(hard, nodes=1, capacity=1 << 40) as easy:
            before = easy.offsets
            self.assertGreater(easy.height, hard.capacity)
        with Session(hard, before, nodes=1 << 40, capacity=1 << 40) as s:
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            began = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                s.replan(hard.capacity)
                time.sleep(60)
            self.assertLess(time.monotonic() - began, 30)
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

    @unittest.skipUnless("STOWAGE_TRACES" in os.environ, "the traces that Go played are made by go test (python3)")
    def test_traces(self):
        """Go and Python agree on every call of random traces."""
        paths = sorted(pathlib.Path(os.environ["STOWAGE_TRACES"]).glob("*.jsonl"))
        self.assertGreater(len(paths), 5)
        for path in paths:
            want = path.with_suffix(".txt").read_text()
            got = play(path)
            if got != want:
                for k, (a, b) in enumerate(zip(got.splitlines(), want.splitlines())):
                    self.assertEqual(a, b, f"{path.name}, call {k}")
            self.assertEqual(got, want, path.name)


if __name__ == "__main__":
    unittest.main()

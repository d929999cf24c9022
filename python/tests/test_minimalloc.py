"""The API of google/minimalloc. With STOWAGE_MINIMALLOC, a checkout of that project, its
own tests are run as well, with the import changed (that needs pytest)."""

import contextlib
import dataclasses
import io
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import stowage
import stowage.minimalloc as mm
from stowage.minimalloc import _solver, cli


def drawn(seed):
    """A problem with gaps, windows, alignments and fixed offsets."""
    r = random.Random(seed)
    buffers = []
    for i in range(2 + r.randrange(9)):
        lower = r.randrange(12)
        upper = lower + 1 + r.randrange(10)
        size = 1 + r.randrange(9)
        gaps, at = [], lower
        while r.random() < 0.4 and at + 2 < upper:
            a = at + 1 + r.randrange(upper - at - 2)
            b = a + 1 + r.randrange(upper - a - 1) if upper - a > 1 else a + 1
            low = r.randrange(size)
            gaps.append(mm.Gap(mm.Interval(a, b), mm.Interval(low, low + 1 + r.randrange(size - low)) if r.random() < 0.5 else None))
            at = b
        buffers.append(mm.Buffer(str(i), mm.Interval(lower, upper), size, r.choice((1, 1, 2, 4)), gaps))
    return mm.Problem(buffers, 8 + r.randrange(24))


class Minimalloc(unittest.TestCase):
    def test_solves(self):
        solved = infeasible = 0
        for seed in range(300):
            problem = drawn(seed)
            params = mm.SolverParams()
            params.minimize_capacity = seed % 2 == 0
            solver = mm.Solver(params)
            solution = solver.solve(problem)
            if solution is None:
                infeasible += 1
                self.assertGreater(solver.get_backtracks(), 0)
                subset = solver.compute_irreducible_infeasible_subset(problem)
                part = mm.Problem([problem.buffers[i] for i in subset], problem.capacity)
                self.assertIsNone(mm.Solver().solve(part))
                part.buffers.pop()
                self.assertIsNotNone(mm.Solver().solve(part))
                continue
            solved += 1
            self.assertEqual(mm.validate(problem, solution), mm.ValidationResult.GOOD)
            self.assertIsNone(solver.compute_irreducible_infeasible_subset(problem))
            self.assertEqual(mm.from_csv(mm.to_csv(problem)).buffers, problem.buffers)
            back = mm.from_csv(mm.to_csv(problem, solution, old_format=True))
            self.assertEqual((back.strip_solution(), back.buffers), (solution, problem.buffers))
        self.assertGreater(min(solved, infeasible), 30)

    def test_switches(self):
        # With one changed it is that program's search that runs, and no answer changes. Where
        # gaps have windows that search may miss a plan.
        asked, switches = [], list(_solver._TECHNIQUES)

        def plan(*args, **options):
            asked.append(options)
            return stowage.plan(*args, **options)

        for seed in range(80):
            r = random.Random(seed)
            problem, params = drawn(seed), mm.SolverParams()
            params.minimize_capacity = seed % 2 == 0
            want = mm.Solver(params).solve(problem)
            off = [name for name in switches if r.random() < 0.5]
            for name in off:
                setattr(params, name, False)
            if seed % 3 == 0:
                params.preordering_heuristics = ["TW", "", "a?A"]
            with mock.patch.object(_solver, "stowage", mock.Mock(plan=plan)):
                got = mm.Solver(params).solve(problem)
            if not off and seed % 3:
                self.assertEqual(set(asked[-1]) & {"planner", "without", "params"}, set())
                continue
            self.assertEqual((asked[-1]["planner"], asked[-1]["without"]), ("minimalloc", [*(_solver._TECHNIQUES[name] for name in off), "bound"]))
            self.assertEqual(asked[-1]["params"], {"orders": "TW,-,A" if seed % 3 == 0 else "WAT,TAW,TWA"})
            windows = any(gap.window for buffer in problem.buffers for gap in buffer.gaps)
            if got is not None:
                self.assertEqual(mm.validate(problem, got), mm.ValidationResult.GOOD)
                self.assertTrue(got.height == want.height or not params.minimize_capacity or windows and got.height > want.height)
            elif not windows and not (params.hatless_pruning and not params.dynamic_ordering):
                self.assertIsNone(want)

    def test_backtracks(self):
        # As many as that program has, without a single of its techniques and with each.
        switches, none = list(_solver._TECHNIQUES), mm.SolverParams(preordering_heuristics=["TWA"])
        for name in switches:
            setattr(none, name, False)
        rows = ((2, 3, 2), (0, 1, 2), (1, 2, 1), (0, 2, 1), (1, 3, 1))
        problem = mm.Problem([mm.Buffer(str(i), mm.Interval(lower, upper), size) for i, (lower, upper, size) in enumerate(rows)], 3)
        counts = []
        for name in ("", *switches):
            params = dataclasses.replace(none, **({name: True} if name else {}))
            solver = mm.Solver(params)
            self.assertEqual(mm.validate(problem, solver.solve(problem)), mm.ValidationResult.GOOD)
            counts.append(solver.get_backtracks())
        self.assertEqual(counts, [12, 10, 2, 8, 6, 12, 8, 10, 12, 11])

    def test_sweeps(self):
        # Sections have who is in use; overlaps are those of all pairs.
        for seed in range(200):
            buffers = drawn(seed).buffers
            result = mm.sweep(mm.Problem(buffers))
            self.assertEqual(sorted(i for p in result.partitions for i in p.buffer_idxs), list(range(len(buffers))))
            self.assertEqual(result.partitions[-1].section_range.upper, len(result.sections))
            self.assertEqual(len(result.calculate_cuts()), len(result.sections) - 1)
            for i, data in enumerate(result.buffer_data):
                spans = [span.section_range for span in data.section_spans]
                self.assertEqual({s for span in spans for s in range(span.lower, span.upper)}, {s for s, x in enumerate(result.sections) if i in x})
                want = {(j, buffers[i].effective_size(b)) for j, b in enumerate(buffers) if j != i}
                self.assertEqual({(o.buffer_idx, o.effective_size) for o in data.overlaps}, {x for x in want if x[1] is not None})

    def test_cancel(self):
        r = random.Random(1)
        buffers = [mm.Buffer(str(i), mm.Interval(t := r.randrange(400), t + 1 + r.randrange(100)), 1 + r.randrange(5), r.choice((1, 2, 3))) for i in range(3000)]
        params = mm.SolverParams()
        params.minimize_capacity, params.timeout = True, 600
        solver, ended, plan = mm.Solver(params), [], stowage.plan

        def cancelled(*arguments, progress, **options):
            """Plans, and another thread cancels once there is news."""

            def told(news):
                thread = threading.Thread(target=solver.cancel)
                thread.start()
                thread.join()
                return progress(news)

            ended.append(plan(*arguments, progress=told, **options))
            return ended[-1]

        with mock.patch.object(stowage, "plan", cancelled):
            solution = solver.solve(mm.Problem(buffers, 10**6))
        self.assertEqual(ended[0].stopped, "interrupt")
        self.assertEqual(mm.validate(mm.Problem(buffers, 10**6), solution), mm.ValidationResult.GOOD)

    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            given, to = os.path.join(folder, "in.csv"), os.path.join(folder, "deep", "out.csv")
            pathlib.Path(given).write_text("id,lower,upper,size\na,0,2,4\nb,1,3,5\n")
            for flags, code in (("--capacity 8", 1), ("", 1), ("--capacity 9 --validate --timeout 5m --no-hatless-pruning --preordering-heuristics TW,W", 0), ("--minimize-capacity", 0)):
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    self.assertEqual(cli.main(["--input", given, "--output", to, *flags.split()]), code, said.getvalue())
                self.assertIn("Elapsed time:" if code == 0 else "Error:", said.getvalue())
            self.assertEqual(mm.from_csv_file(to).strip_solution().offsets, [5, 0])

    def test_their_tests(self):
        checkout = os.environ.get("STOWAGE_MINIMALLOC")
        if not checkout:
            self.skipTest("set STOWAGE_MINIMALLOC to a checkout of google/minimalloc")
        with tempfile.TemporaryDirectory() as folder:
            for path in pathlib.Path(checkout, "python", "tests").glob("test_*.py"):
                text = re.sub(r"(?m)^(import|from) minimalloc\b", r"\1 stowage.minimalloc", path.read_text(encoding="utf-8"))
                pathlib.Path(folder, path.name).write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder], capture_output=True, text=True, check=False)
        failed = re.findall(r"(?m)^FAILED \S+::(\S+)", done.stdout)
        self.assertEqual(failed, [])
        self.assertRegex(done.stdout, r"\d{4,} passed", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()

"""stowage.inductor: the code that Inductor generates has Stowage's offsets, is never higher, and computes the same bits.

The programs are matrix products alone, which Inductor calls from PyTorch, so that nothing is compiled as C++."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import unittest.mock

import torch
import torch._inductor.codegen.memory_planning as planning
import torch._inductor.config as config
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.utils import run_and_get_code

import stowage
import stowage.inductor
from tests.products import WEIGHTS, numbers, program

torch.set_num_threads(1)


def chain(x, weights):
    """A program whose values have one use each, so that its gradients are products too."""
    for a, b in ((16, 100), (100, 24), (24, 64), (64, 40), (40, 100), (100, 16)):
        x = x @ weights[a, b]
    return x


class Inductor(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()

    def same(self, got, want):
        self.assertEqual([x.numpy().tobytes() for x in got], [x.numpy().tobytes() for x in want])

    def test_same_bits_and_lower_pools(self):
        lower = 0
        for seed in (1, 2):
            f, x = program(seed), numbers(seed, 32, 16)
            torch._dynamo.reset()
            with torch.no_grad(), stowage.inductor.planned() as pools:
                got, code = run_and_get_code(torch.compile(f), x, WEIGHTS)
            self.same(got, f(x, WEIGHTS))
            self.assertGreater(len(pools), 1)
            for pool in pools:
                self.assertLessEqual(pool.bound, pool.height)
                self.assertLessEqual(pool.height, pool.inductor)
                self.assertEqual(pool.height < pool.inductor, not pool.why, pool)
                self.assertFalse(pool.training)
            lower += sum(not pool.why for pool in pools)
            self.written(code[0], pools)
        self.assertGreaterEqual(lower, 2)

    def written(self, code, pools):
        """The command reads the code, and finds the plans valid and as high as they are said to be."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "code.py")
            file.write_text(code, encoding="utf-8")
            for pool in pools:
                if pool.buffers < 2:
                    continue
                done = subprocess.run([os.environ["STOWAGE"], "verify", "--heap", pool.name, str(file)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(int(re.search(r"valid: height (\d+)", done.stdout)[1]), pool.height)

    def test_training(self):
        def train(step):
            weights = {key: w.clone().requires_grad_() for key, w in WEIGHTS.items()}
            y = step(numbers(3, 32, 16), weights)
            y.backward(numbers(4, *y.shape))
            return [y.detach(), *(w.grad for w in weights.values() if w.grad is not None)]

        want = train(chain)
        self.assertGreater(len(want), 5)
        for training in (True, False):
            torch._dynamo.reset()
            with stowage.inductor.planned(training=training) as pools:
                self.same(train(torch.compile(chain)), want)
            self.assertEqual([pool.training for pool in pools], [True] * len(pools))
            self.assertEqual(bool(pools), training)

    def test_everything_is_as_it_was_afterwards(self):
        before = planning.MemoryPlanner.allocate_groups, PythonWrapperCodegen.run_wrapper_ir_passes, config.memory_planning, config.force_disable_caches
        with self.assertRaises(ZeroDivisionError), stowage.inductor.planned():
            self.assertTrue(config.memory_planning)
            raise ZeroDivisionError
        self.assertEqual(before, (planning.MemoryPlanner.allocate_groups, PythonWrapperCodegen.run_wrapper_ir_passes, config.memory_planning, config.force_disable_caches))

    def kept(self, why, **options):
        """Inductor's plans are kept, and the program computes the same."""
        f, x = program(1), numbers(1, 32, 16)
        with torch.no_grad(), stowage.inductor.planned() as pools:
            self.same(torch.compile(f, **options)(x, WEIGHTS), f(x, WEIGHTS))
        several = [pool for pool in pools if pool.buffers > 1]
        self.assertTrue(several)
        self.assertTrue(any(re.search(why, pool.why) for pool in several), several)
        for pool in several:
            self.assertTrue(pool.why)
            self.assertEqual(pool.height, pool.inductor)
            self.assertIn("Inductor's plan is kept", str(pool))

    def test_the_command_fails(self):
        with unittest.mock.patch.dict(os.environ, {"STOWAGE": "false"}):
            self.kept("the planner ended with code 1")

    def test_a_wrong_plan_is_refused(self):
        for offsets, why in ((lambda rows: [0] * len(rows), "overlap"), (lambda rows: list(range(1, len(rows) + 1)), "multiple of 64")):
            torch._dynamo.reset()
            with unittest.mock.patch.object(stowage.inductor, "_plan", lambda rows, limit, offsets=offsets: (offsets(rows), 0)):
                self.kept(why)

    def test_sizes_that_are_known_at_run_time(self):
        f = program(1)
        with torch.no_grad(), stowage.inductor.planned() as pools:
            step = torch.compile(f, dynamic=True)
            for rows in (32, 48):
                x = numbers(rows, rows, 16)
                self.same(step(x, WEIGHTS), f(x, WEIGHTS))
        self.assertTrue(any("run time" in pool.why for pool in pools), pools)

    def test_another_inductor(self):
        class Other:
            pass

        with unittest.mock.patch.object(planning, "MemoryPlanner", Other), self.assertRaisesRegex(stowage.Error, "does not know the memory planner of PyTorch .*allocate_groups"):
            with stowage.inductor.planned():
                pass


if __name__ == "__main__":
    unittest.main()

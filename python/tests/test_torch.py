"""stowage.torch: the same losses as without an arena, whatever the program does, and served as planned.

Each program runs plainly first, then with an arena in guard mode that is poisoned before each step: memory that
is handed out twice, or used after its free, changes a loss."""

import contextlib
import ctypes
import gc
import mmap
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import warnings
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import stowage
import stowage.torch
from stowage._arena import build as _build, plans as _plans
from stowage.torch import _cpu, trainers

torch.set_num_threads(1)


class Program:
    """A training loop over convolutions, which gets batches of any size."""

    def __init__(self, seed=0):
        torch.manual_seed(seed)
        self.model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 64, 10))
        self.states = {}
        self.data, self.answers = torch.randn(16, 1, 12, 12), torch.randint(0, 10, (16,))

    def forget(self):
        for x in self.model.parameters():
            x.grad = None

    @torch.no_grad()
    def update(self):
        """Adam. That of torch.optim imports 1,200 modules at its first step."""
        for x in self.model.parameters():
            if x not in self.states:
                self.states[x] = torch.zeros_like(x), torch.zeros_like(x)
            one, two = self.states[x]
            one.lerp_(x.grad, 0.1)
            two.mul_(0.99).addcmul_(x.grad, x.grad, value=0.01)
            x.addcdiv_(one, two.sqrt().add_(1e-8), value=-0.01)

    def __call__(self, batch=8, hook=None):
        self.forget()
        out = self.model(self.data[:batch])
        if hook is not None:
            hook()
        loss = F.cross_entropy(out, self.answers[:batch])
        loss.backward()
        self.update()
        return loss.item()


def plain(batches, seed=0):
    program = Program(seed)
    return [program(batch) for batch in batches]


def _plan(height):
    """A plan with one allocation, which has all of the block."""
    lines = (
        "stowage-arena-plan 1", "name -", "alignment 64", "guard 0", f"height {height}", f"bound {height}", "status optimal", "period 1", "baselines 0",
        "regions 1", f"r 0 0 {height}", "lanes 1", "lane 0 1 0", f"p {height} 64 0 0 0 1",
    )  # fmt: skip
    text, total = "".join(line + "\n" for line in lines).encode(), 0xCBF29CE484222325
    for byte in text:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return text + b"end %d %016x\n" % (len(lines), total)


def arena(**options):
    return stowage.torch.arena(**{"guard": True, "poison": True, "wait": 60, "record": 2, **options})


class Torch(unittest.TestCase):
    def run_in(self, a, batches, seed=0):
        program, losses = Program(seed), []
        for batch in batches:
            with a:
                losses.append(program(batch))
        return losses

    def good(self, a):
        """The arena's own tables and its poison are as they should be."""
        self.assertEqual(a.check(), 0)
        self.assertEqual(a.stats().damaged, 0)

    def served(self, a, least=0.99, more=50):
        s = a._read()
        asked = s.last.served + s.last.missed + s.last.refused + s.last.kept + s.last.outside
        self.assertGreater(asked, more)
        self.assertGreaterEqual(s.last.served, least * asked)
        return asked

    def test_served_once_a_step_came_twice(self):
        """The first step makes the optimizer's states, so the second and third are alike, and the fourth is served."""
        a, batches = arena(), [8] * 8
        self.assertEqual(self.run_in(a, batches), plain(batches))
        asked, s = self.served(a), a.stats()
        self.assertGreaterEqual(s.served, 5 * asked * 0.99)
        self.assertEqual((s.state, s.steps, s.plans, s.refused), ("serving", 8, 1, 0))
        self.assertEqual(s.height, s.bound)
        self.assertGreaterEqual(s.peak, s.height)
        self.assertEqual(s.saved, max(s.plain_middle - s.steady_middle, 0))
        self.assertIn("allocations served", str(s))
        self.good(a)

    def test_ten_steps_are_recorded_or_six_if_none_came_twice(self):
        for record, alike, planned in ((None, True, 10), (None, False, 8), (6, True, 6), (3, False, 5), (12, True, 12)):
            a, attempts = arena(record=record), []
            for i in range(14):
                with a:
                    attempts.append(a._attempts)
                    for _ in range(20 if alike else 20 + i):
                        torch.ones(100)
            self.assertEqual(attempts.index(1), planned, (record, alike))
            self.assertEqual(a.stats().plans > 0, True)

    def test_what_the_recording_takes_is_not_in_plain(self):
        a = arena(record=100, guard=False, poison=False)
        for _ in range(2):
            with a:
                for _ in range(200_000):
                    torch.empty(16)
        s = a.stats()
        if not s.before:
            self.skipTest("there is no /proc")
        self.assertGreater(a._read().recording, 9 << 20)  # 24 bytes for each allocation, and for each free
        self.assertGreater(s.whole - s.plain, 9 << 20)

    def test_outside_of_steps_nothing_changes(self):
        a = arena()
        self.run_in(a, [8] * 4)
        before = a._read().all
        counts = [getattr(before, name) for name, _ in before._fields_]
        torch.randn(1000).sum()
        after = a._read().all
        self.assertEqual(counts, [getattr(after, name) for name, _ in after._fields_])

    def test_a_smaller_batch_is_served_by_the_plan_of_a_larger_one(self):
        for batches, late in (([8] * 4 + [5, 8, 3] * 4, 4), ([5] * 4 + [8] * 4 + [8, 5] * 4, 6)):
            a = arena()
            program, expected = Program(), plain(batches)
            for i, batch in enumerate(batches):
                with a:
                    self.assertEqual(program(batch), expected[i])
                if i >= late:
                    self.served(a)
            self.assertEqual(a.stats().plans, 1)  # the larger one takes the place of the other
            self.good(a)

    def test_a_small_last_batch_is_served_from_its_first_time_on(self):
        batches = ([8] * 9 + [3]) * 3
        a, misses = arena(), []
        program, expected = Program(), plain(batches)
        for i, batch in enumerate(batches):
            with a:
                self.assertEqual(program(batch), expected[i])
            if batch == 3:
                last = a._read().last
                misses.append(last.missed + last.refused)
        self.assertEqual(misses, [0, 0, 0])
        self.good(a)

    def test_an_evaluation_within_steps_is_served_at_its_third_time(self):
        a, program, reference = arena(), Program(), Program()

        @torch.no_grad()
        def evaluate(p):
            x = p.model[:5](p.data)
            return p.model[5:](x).softmax(1).square().sum().item()

        for i in range(40):
            expected = reference()
            with a:
                self.assertEqual(program(), expected)
            if i % 8 == 7:
                expected = evaluate(reference)
                with a:
                    self.assertEqual(evaluate(program), expected)
                if i >= 23:
                    s = a._read().last
                    self.assertEqual((s.missed, s.refused, s.outside, s.served > 5), (0, 0, 0, True))
        self.served(a, more=5)
        self.good(a)

    def test_micro_steps_of_an_accumulation(self):
        """The first leaves the gradients, and the others add to them, by the same allocations."""

        def run(a):
            program, losses, last = Program(), [], None
            program.forget()
            for i in range(60):
                with a or contextlib.nullcontext():
                    loss = F.cross_entropy(program.model(program.data[i % 8 : i % 8 + 8]), program.answers[i % 8 : i % 8 + 8]) / 4
                    loss.backward()
                    losses.append(loss.item())
                    if i % 4 == 3:
                        program.update()
                        program.forget()
                    del loss
                if a and i == 40:
                    last = a.stats()
            return losses, last

        a = arena()
        losses, last = run(a)
        self.assertEqual(losses, run(None)[0])
        s = a.stats()
        served, asked = s.served - last.served, sum(s[3:7]) - sum(last[3:7])
        self.assertGreaterEqual(served, 0.97 * asked)
        self.good(a)

    def test_random_shapes(self):
        batches = [1 + 7 * i * i % 16 for i in range(60)]
        a = arena(plans=3)
        self.assertEqual(self.run_in(a, batches), plain(batches))
        self.assertLessEqual(a.stats().plans, 3)
        self.good(a)

    def test_steps_that_grow_are_planned_ahead(self):
        a = arena(plans=100)
        for i in range(60):
            with a:
                xs = [torch.ones(1000 + 100 * i) for _ in range(20)]
                self.assertEqual(sum(float(x.sum()) for x in xs), 20 * (1000 + 100 * i))
                del xs
        self.assertLessEqual(a._attempts, 4)
        self.assertGreater(a.stats().share, 0.95)
        self.good(a)

    def test_longer_steps_than_any_before_are_served(self):
        """Some sizes follow the length, others its square. The plan is of 10 to 30."""

        def run(a):
            torch.manual_seed(1)
            w, losses = nn.Parameter(torch.randn(64, 64)), []
            for n in (10, 30, 20, 15, 25, 12, 90, 31, 60, 7, 300, 45):
                with a or contextlib.nullcontext():
                    x = torch.ones(n, 64) @ w
                    loss = (x @ x.T).softmax(-1).square().sum()
                    loss.backward()
                    losses.append(loss.item())
                    w.grad = None
                    del x, loss
            return losses

        a = arena(record=6)
        self.assertEqual(run(a), run(None))
        s = a.stats()
        self.assertGreater(s.served, 50)
        self.assertEqual((s.missed, s.refused), (0, 0))
        self.good(a)

    def test_a_step_that_is_refused_a_little_is_planned_once_more(self):
        a, held = arena(plans=100), []
        for i in range(40):
            with a:
                xs = [torch.ones(1000 + k) for k in range(50)]
                held = xs[i : i + 2] if i > 8 and i % 5 == 0 else []  # the bytes of two allocations of the next step
                del xs
        self.assertGreater(a.stats().refused, 5)
        self.assertEqual((a._attempts, a.stats().missed), (2, 0))
        del held
        self.good(a)

    def test_steady_is_of_all_steps_that_were_served(self):
        a, said = arena(guard=False, poison=False), []
        if not a._resident():
            self.skipTest("there is no /proc")
        for i in range(16):  # an evaluation comes in three of them, and takes 120 MiB before it is planned
            with a:
                large = 10 << 20 if i == 9 else 1000  # so large that malloc gives it back at once
                xs = [torch.ones(large if k < 3 else 1000) for k in range(24)] if i in (9, 11, 13) else [torch.ones(8 << 20)]
                del xs
            said.append(a.stats().steady)
        self.assertGreater(a._attempts, 1)
        self.assertGreater(said[8], 0)
        self.assertLess(max(said) - said[8], 16 << 20)
        self.assertEqual(said[8:], sorted(said[8:]))

    def test_pages_are_not_given_back_again_and_again(self):
        """Each step misses more than a quarter of the block. Its idle pages go back to the system now and then, not in each step."""
        a, faults = arena(plans=1, guard=False, poison=False), []
        for i in range(40):
            with a:
                x = torch.ones(2 << 20)
                del x
                x = torch.ones(1 << 20 if i > 4 else 1)  # malloc keeps these pages
                del x
            faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
        self.assertEqual((a.stats().state, a.stats().plans), ("serving", 1))
        self.assertLess(sum(y - x > 1000 for x, y in zip(faults[8:], faults[9:])), 10)

    def test_tensors_outlive_the_arena(self):
        a, program, kept = arena(), Program(), []
        for i in range(6):
            with a:
                program()
                x = torch.arange(100_000) + i
                if i >= 4:
                    kept.append(x)
            del x
        owned = [x for x in kept if a._lib.stowage_arena_owns(a._at, x.data_ptr())]
        self.assertTrue(owned, "nothing that was kept had been served")
        a.close()
        self.assertEqual(a.stats().state, "serving")
        with self.assertRaisesRegex(stowage.Error, "closed"), a:
            pass
        b = arena()
        self.run_in(b, [8] * 4)
        for i, x in zip((4, 5), kept):
            self.assertTrue(torch.equal(x, torch.arange(100_000) + i))
        del kept, owned, x, b

    def test_an_exception_within_a_step(self):
        a, program, reference = arena(), Program(), Program()

        def fail():
            torch.empty(500)
            raise KeyError("within")

        for i in range(12):
            hook = fail if i in (1, 5, 6) else None
            if hook is None:
                expected = reference()
                with a:
                    self.assertEqual(program(), expected)
                continue
            self.assertRaises(KeyError, reference, hook=hook)
            with self.assertRaises(KeyError), a:
                program(hook=hook)
        self.served(a)
        self.good(a)

    def test_forks(self):
        a, program, expected = arena(), Program(), plain([8] * 8)

        def fork():
            pid = os.fork()
            if pid == 0:  # the child allocates, frees what it has got, and uses the arena
                code = 1
                try:
                    torch.randn(1000).sum()
                    with a:
                        code = 0 if len(torch.arange(5)) == 5 else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)

        for i in range(8):
            with a:
                self.assertEqual(program(hook=fork if i in (1, 5) else None), expected[i])
        self.served(a)
        self.good(a)

    def test_workers_load_the_data(self):
        a, losses = arena(), []
        for used in (None, a):
            program = Program()
            loader = DataLoader(TensorDataset(program.data, program.answers), batch_size=4, num_workers=2)
            losses.append([])
            for _ in range(2):
                for x, y in loader:
                    program.data, program.answers = x, y
                    if used is None:
                        losses[-1].append(program(4))
                    else:
                        with used:
                            losses[-1].append(program(4))
        self.assertEqual(*losses)
        self.served(a)
        self.good(a)

    def test_threads(self):
        for every in (False, True):
            stop, sums = threading.Event(), []

            def work(stop=stop, sums=sums):
                while not stop.is_set():
                    sums.append(float(torch.ones(777).sum()))

            others = [threading.Thread(target=work) for _ in range(2)]
            a = arena(every_thread=every)
            for thread in others:
                thread.start()
            try:
                losses = self.run_in(a, [8] * 12)
            finally:
                stop.set()
                for thread in others:
                    thread.join()
            self.assertEqual(losses, plain([8] * 12))
            self.assertEqual(set(sums), {777.0})
            self.good(a)
            if not every:
                self.served(a)

    def test_backward_in_another_thread(self):
        a, losses = arena(every_thread=True), [[], []]
        for k in (0, 1):
            program = Program()
            for _ in range(8):
                def step(program=program):
                    program.forget()
                    loss = F.cross_entropy(program.model(program.data), program.answers)
                    thread = threading.Thread(target=loss.backward)
                    thread.start()
                    thread.join()
                    program.update()
                    losses[k].append(loss.item())

                if k:
                    with a:
                        step()
                else:
                    step()
        self.assertEqual(*losses)
        self.good(a)

    def test_two_threads_with_an_arena_each(self):
        losses, programs, arenas = {}, {seed: Program(seed) for seed in (1, 2)}, {seed: arena() for seed in (1, 2)}

        def train(seed):
            losses[seed] = []
            for _ in range(8):
                with arenas[seed]:
                    losses[seed].append(programs[seed]())

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(train, (1, 2)))
        self.assertEqual(losses, {seed: plain([8] * 8, seed) for seed in (1, 2)})
        for a in arenas.values():
            self.served(a)
            self.good(a)

    def test_nested(self):
        a, b, program, inner = arena(), arena(), Program(), Program(1)
        expected, other = plain([8] * 8), plain([4] * 8, 1)
        for i in range(8):
            with a, a.step("part"):
                with b:
                    self.assertEqual(inner(4), other[i])
                self.assertEqual(program(), expected[i])
        self.served(a)
        self.served(b)
        self.good(a)
        self.good(b)

    def test_steps_that_cross(self):
        """Steps of two arenas end in the order in which they began, as generators do it, and the arenas go."""

        def opened(a):
            with a:
                yield

        for options in ({}, {"every_thread": True}):
            a, b = arena(**options), arena(**options)
            steps = opened(a), opened(b)
            for step in steps:
                next(step)
            steps[0].close()
            torch.empty(10)
            self.assertEqual(b._read().live, 0)
            x = torch.empty(10)  # b's step is still open
            self.assertEqual((a._read().live, b._read().live), (0, 40))
            steps[1].close()
            a.close()
            b.close()
            del x
            other = arena()  # in a slot that one of them had
            x = torch.empty(1000)
            self.assertEqual(other._read().live, 0)
            del x

    def test_a_step_ends_in_another_thread(self):
        a = arena()

        def opened():
            with a:
                yield

        step, begun, ended, found = opened(), threading.Event(), threading.Event(), []

        def work():
            next(step)
            begun.set()
            ended.wait()
            found.append(torch.ones(1000).sum().item())

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        step.close()
        a.close()
        ended.set()
        thread.join()
        self.assertEqual(found, [1000])

    def test_more_than_there_is(self):
        """A step asks for more than any machine has, and goes on without: the plan has no room for that."""
        a = arena()
        for _ in range(4):
            with a:
                x = torch.ones(1000)
                self.assertRaises(RuntimeError, torch.empty, 10**15, dtype=torch.uint8)
                y = x * 2
                del x, y
        s = a.stats()
        self.assertEqual((s.state, s.share, s.missed), ("serving", 1, 0))
        self.assertLess(s.height, 1 << 20)
        self.good(a)

    def test_there_is_no_room_for_the_block(self):
        a, program, expected = arena(plans=1), Program(), plain([8] * 5)
        own, huge = a._load, _plan(10**15)
        with unittest.mock.patch.object(a, "_load", lambda text: own(huge)), self.assertWarnsRegex(
            stowage.InputWarning, "no plan for these steps: upstream has no"
        ):
            for loss in expected:
                with a:
                    self.assertEqual(program(), loss)
        self.assertTrue(a.stats().state.startswith("off: upstream has no 1000000000000000 bytes"))

    def test_threads_ask_for_stats(self):
        a, found, errors = arena(), [], []
        self.run_in(a, [8] * 3)

        def ask():
            try:
                found.append(a.stats().baseline)
            except BaseException as err:
                errors.append(err)

        process, folder = a._measuring[0] if a._measuring else (None, None)
        if process is not None:  # one that takes its time
            process.communicate()
            slow = subprocess.Popen(["sh", "-c", "sleep 0.3; echo 7000000"], stdout=subprocess.PIPE)
            a._measuring = [(slow, folder)]
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((errors, len(found), len(set(found))), ([], 4, 1))

    def test_closed_while_others_use_it(self):
        errors = []

        def use(a):
            try:
                for _ in range(300):
                    with a:
                        torch.ones(100)
                    a._read()
            except stowage.Error as err:
                if "closed" not in str(err):
                    errors.append(err)
            except BaseException as err:
                errors.append(err)

        for k in range(8):
            a = arena(wait=None if k % 2 else 60)
            threads = [threading.Thread(target=use, args=(a,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            a.close()
            for thread in threads:
                thread.join()
        self.assertEqual(errors, [])

    def test_a_file_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            a = arena(file=pathlib.Path(folder) / "none" / "steps.plan")
            with self.assertWarnsRegex(stowage.InputWarning, "steps.plan: the plan cannot be kept"):
                self.assertEqual(self.run_in(a, [8] * 5), plain([8] * 5))
            self.served(a)

    def test_evaluation_between_steps(self):
        a, program, reference = arena(), Program(), Program()
        for _ in range(8):
            expected = reference()
            with a:
                self.assertEqual(program(), expected)
            with torch.no_grad():
                self.assertTrue(torch.equal(program.model(program.data), reference.model(reference.data)))
        self.served(a)
        self.good(a)

    def test_a_file_keeps_the_plan(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "steps.plan"
            self.run_in(arena(file=file), [8] * 4)
            text = file.read_bytes()
            a, program, expected = arena(file=file), Program(), plain([8] * 3)
            for loss in expected:  # the first step as well, which makes what later ones keep
                with a:
                    self.assertEqual(program(), loss)
                last = a._read().last
                self.assertEqual((last.missed, last.refused, last.outside), (0, 0, 0))
                self.assertGreater(last.served, 50)
            self.assertEqual((a.stats().steps, a._attempts, file.read_bytes()), (3, 0, text))
            # Damaged ones are ignored with one line, and written anew.
            for damaged in (text[: len(text) // 2], text[:-1], b"", text.replace(b"height", b"weight"), text[:200] + b"7" + text[201:]):
                file.write_bytes(damaged)
                with self.subTest(length=len(damaged)):
                    with warnings.catch_warnings(record=True) as found:
                        warnings.simplefilter("always")
                        b = arena(file=file)
                    self.assertEqual(len(found), int(bool(damaged)))
                    if damaged:
                        self.assertRegex(str(found[0].message), "steps.plan: ignored.*line")
                        self.assertRaises(stowage.InputError, b.load, file)
                    self.assertEqual(self.run_in(b, [8] * 5), plain([8] * 5))
                    self.served(b)
                    self.good(b)
                    self.assertEqual(file.read_bytes(), text)

    def test_a_file_of_a_program_that_has_changed_is_renewed(self):
        class Wide(Program):
            def __init__(self, width):
                super().__init__()
                torch.manual_seed(1)
                self.model = nn.Sequential(nn.Flatten(), nn.Linear(144, width), nn.ReLU(), nn.Linear(width, width), nn.Linear(width, 10))

        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "steps.plan"

            def run(width):
                a, program, reference = arena(file=file), Wide(width), Wide(width)
                for _ in range(8):
                    expected = reference()
                    with a:
                        self.assertEqual(program(), expected)
                self.good(a)
                return a

            run(64)
            self.assertEqual(run(64)._attempts, 0)
            self.served(run(80), 0.97, 30)  # larger
            a = run(80)
            self.served(a, 0.97, 30)
            self.assertEqual(a._attempts, 0)
            other = arena(file=file)  # another program altogether
            self.assertEqual(self.run_in(other, [8] * 8), plain([8] * 8))
            self.served(other)
            self.assertEqual({other._attempts > 0, len(_plans.split(file.read_bytes())) <= 4}, {True})

    def test_steps_that_begin_alike_are_served_from_a_file(self):
        """Steps of four micro-batches, the last of every fourth smaller, as of an epoch. The last batch outlives its step. The plans of the first
        step and of the others begin alike, and a step that changes from one to the other is refused what lies elsewhere."""

        def run(a):
            program, losses = Program(), []
            for i in range(16):
                with a or contextlib.nullcontext():
                    program.forget()
                    for k in range(4):
                        n = 3 if i % 4 == k == 3 else 8
                        program.batch = program.data[:n].clone()
                        program.loss = F.cross_entropy(program.model(program.batch), program.answers[:n]) / 4
                        program.loss.backward()
                        losses.append(program.loss.item())
                    program.update()
                    program.forget()
            return losses

        expected = run(None)
        with tempfile.TemporaryDirectory() as folder:
            for k in range(2):
                a = arena(file=os.path.join(folder, "steps.plan"), record=6)
                self.assertEqual(run(a), expected)
                self.assertGreater(a.stats().share, 0.97)
                self.good(a)
                self.assertEqual(a._attempts, 1 - k)

    def test_what_is_freed_after_a_plan_was_loaded_makes_room(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "steps.plan"
            self.run_in(arena(file=file), [8] * 4)
            a, program = arena(file=file, guard=False, poison=False), Program()
            many = [torch.ones(4096) for _ in range(4000)]  # 64 MB in malloc's heap
            last = many.pop()
            del many
            before = a._resident()
            with a:
                program()
            self.assertLess(a._resident(), before - (32 << 20))
            del last

    def test_a_recording_makes_no_holes_in_the_heap(self):
        class Info(ctypes.Structure):
            _fields_ = tuple((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keep"))

        libc = ctypes.CDLL(None)
        if not hasattr(libc, "mallinfo2"):
            self.skipTest("there is no mallinfo2")
        libc.mallinfo2.restype = Info
        a = arena(record=100)
        for k in range(4):
            torch.ones(6 << 20)  # from now on malloc takes as much as this from its heap
            before = libc.mallinfo2()
            with a:
                for _ in range(20000 << k):
                    torch.empty(16)
            after = libc.mallinfo2()
            self.assertLess(after.arena + after.hblkhd - before.arena - before.hblkhd, 1 << 18)

    def test_killed_at_any_step(self):
        """A program is killed in each of its steps in turn, and goes on with the file that the one before has left."""
        expected = plain([8] * 7)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "steps.plan")
            for k in range(7):
                pid = os.fork()
                if pid == 0:
                    try:
                        tempfile.tempdir = folder
                        a, program = arena(file=file), Program()
                        for i in range(7):
                            with a:
                                program(hook=(lambda: os.kill(os.getpid(), 9)) if i == k else None)
                    finally:
                        os._exit(1)
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), -9)
                self.assertEqual(os.path.exists(file), k > 2)
            a = arena(file=file)  # a damaged one would be a warning, and warnings are errors here
            self.assertEqual((self.run_in(a, [8] * 7), a._attempts), (expected, 0))
            self.good(a)

    def test_three_programs_make_one_file(self):
        expected = {batch: plain([batch] * 8) for batch in (8, 5)}
        with tempfile.TemporaryDirectory() as folder:
            file, pids = os.path.join(folder, "steps.plan"), []
            for batch in (8, 5, 8):
                pid = os.fork()
                if pid == 0:
                    code = 1
                    try:
                        code = int(self.run_in(arena(file=file), [batch] * 8) != expected[batch])
                    finally:
                        os._exit(code)
                pids.append(pid)
            self.assertEqual([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids], [0, 0, 0])
            self.assertEqual(os.listdir(folder), ["steps.plan"])
            for batch in (8, 5):
                a = arena(file=file)
                self.assertEqual(self.run_in(a, [batch] * 8), expected[batch])
                self.served(a)
                self.good(a)

    def test_a_file_system_is_full(self):
        with tempfile.TemporaryDirectory() as folder:
            mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder]
            if not sys.platform.startswith("linux") or os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
                self.skipTest("a small file system needs root on Linux")
            try:
                a = arena(file=os.path.join(folder, "steps.plan"))
                with self.assertWarnsRegex(stowage.InputWarning, "the plan cannot be kept"):
                    self.assertEqual(self.run_in(a, [8] * 6), plain([8] * 6))
                self.served(a)
                self.assertEqual(os.path.getsize(os.path.join(folder, "steps.plan")), 0)
            finally:
                subprocess.run(["umount", folder], check=True)

    def test_two_processes_and_threads_on_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "steps.plan")
            texts = [_plan(64 * k) for k in range(1, 13)]

            def put(part):
                for text in part:
                    _plans.keep(file, _plans.split(text), set())

            pids = []
            for part in (texts[:4], texts[4:8]):
                pid = os.fork()
                if pid == 0:
                    try:
                        put(part)
                    finally:
                        os._exit(0)
                pids.append(pid)
            threads = [threading.Thread(target=put, args=(part,)) for part in (texts[8:10], texts[10:])]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for pid in pids:
                os.waitpid(pid, 0)
            # All are of one step, so the largest serves it, and no smaller one that came later took its place.
            self.assertIn(texts[-1], pathlib.Path(file).read_bytes())
            arena(file=file).close()
            self.assertEqual(os.listdir(folder), ["steps.plan"])

    def test_killed_at_any_time(self):
        """A process is killed while it writes its file again and again: the file is whole."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "steps.plan")
            for k in range(12):
                pid = os.fork()
                if pid == 0:
                    try:
                        while True:
                            _plans.keep(file, _plans.split(_plan(64 * (k + 1)) * 200), set())
                    finally:
                        os._exit(0)
                for _ in range(2000 * (k + 1)):
                    pass
                while not os.path.exists(file):
                    pass
                os.kill(pid, 9)
                os.waitpid(pid, 0)
                if text := pathlib.Path(file).read_bytes():
                    arena(file=file).close()  # a damaged one would be a warning, and warnings are errors here
                    self.assertEqual(text.count(b"\nend "), len(_plans.split(text)))

    def test_the_disk_is_full(self):
        """No file may have more than 100 bytes: neither trace nor plan can be written, and the program goes on."""
        code = """
import os, resource, signal, sys, warnings
sys.path.insert(0, sys.argv[2])
import test_torch
a = test_torch.arena(file=sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
print(test_torch.Torch().run_in(a, [8] * 6) == test_torch.plain([8] * 6), a.stats().state)
"""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", code, os.path.join(folder, "steps.plan"), os.path.dirname(__file__)], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, "^True off: ")
            self.assertEqual([name for name in os.listdir(folder) if name != "steps.plan"], [])

    def test_resident_memory(self):
        """Peaks by the process's own mark: with an arena no higher than without, lower with a file, and stats says so.

        The processes are forks of one, since the import of PyTorch takes some seconds."""
        code = """
import os, sys
sys.path.insert(0, sys.argv[2])
import torch, stowage.torch
torch.set_num_threads(1)
def status(key):
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith(key))
def marked():
    high = status("VmHWM")
    open("/proc/self/clear_refs", "w").write("5")
    return high
def run(way):
    model = torch.nn.Sequential(*[torch.nn.Conv2d(3 if i == 0 else 32, 32, 3, padding=1) for i in range(8)])
    a = None if way == "plain" else stowage.torch.arena(wait=600, file=sys.argv[1] if way == "file" else None, rest="return" if way == "return" else "keep")
    before = status("VmRSS")
    weights = torch.ones(4 << 20)
    marked()
    for step in range(16):
        if step == 10:
            first = marked()
        if step == 12:
            second = marked()
        with a or torch.enable_grad():
            loss = model(torch.randn(8, 3, 64, 64)).relu().mean()
            if step < 10:
                bytearray(12 << 20)  # as a kernel does: between two allocations of tensors
            loss.backward()
            with torch.no_grad():
                for x in model.parameters():
                    x -= x.grad * 0.01
                    x.grad = None
    steady = marked()
    rest = status("VmRSS")
    del model, weights, x
    s = a and a.stats()
    print(way, before, max(first, second, steady), first, steady, rest, status("VmRSS"), *((s.whole, s.plain, s.steady, s.rest, s.saved) if s else ()), flush=True)
for way in ("plain", "arena", "file", "file", "return"):
    if not (child := os.fork()):
        run(way)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
        if not os.path.exists("/proc/self/clear_refs"):
            self.skipTest("there is no /proc")
        names = ("whole", "first", "steady", "rest", "freed", "said_whole", "said_plain", "said_steady", "said_rest", "said_saved")
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run(
                [sys.executable, "-c", code, os.path.join(folder, "plan"), str(pathlib.Path(stowage.__file__).parents[1])],
                capture_output=True, text=True, check=True,
            ).stdout  # fmt: skip
        found, before = {}, {}
        for line in out.splitlines():
            way, before[way], *sizes = line.split()
            found[way] = types.SimpleNamespace(**{name: int(x) - int(before[way]) * (name != "said_saved") for name, x in zip(names, sizes)})
        plain, ours, file = found["plain"], found["arena"], found["file"]
        # What steps without a plan take differs by a tenth from process to process, so the first ones of the same process count.
        self.assertLessEqual(ours.whole, 1.03 * ours.first)
        self.assertLessEqual(file.whole, plain.whole)
        self.assertLess(ours.steady, 0.9 * plain.steady)
        self.assertLess(found["return"].rest, 0.5 * ours.rest)
        for f in (ours, file):
            for said, read in ((f.said_whole, f.whole), (f.said_steady, f.steady), (f.said_rest, f.freed)):
                self.assertLess(abs(said - read), 0.05 * f.whole)
        self.assertLess(abs(ours.said_plain - ours.first), 0.01 * ours.first)
        fall = ours.said_plain - ours.said_steady
        self.assertLess(abs(fall - (ours.first - ours.steady)), 0.1 * fall)
        self.assertLessEqual(ours.said_saved, fall)

    def test_stats_say_no_saving_that_is_none(self):
        s = a = arena()
        self.run_in(a, [8] * 6)
        s = a.stats()._replace(plain=100, plain_least=100, plain_middle=100, steady=130, steady_middle=130, height=50, bound=50)
        self.assertEqual(s.saved, 0)
        self.assertRegex(str(s), "the plan is 50 bytes high, the least possible for these lifespans; .*130 bytes with a plan, 100 before that: 30 more")
        self.assertNotIn("-", str(s))
        s = s._replace(plain=130, plain_least=130, plain_middle=130, before=0, steady=100, steady_middle=100, trimmed=0)
        self.assertIn("100 bytes with a plan, 130 before that: 30 saved;", str(s))
        s = s._replace(plain_least=110, plain_middle=115)
        self.assertIn("100 bytes with a plan, 110 to 130 before that, 115 in the middle: 15 saved;", str(s))
        self.assertEqual(s.saved, 15)
        self.assertIn(" 100 bytes with a plan and 112 at most, 110 to 130 before that, 115 in the middle: 15 saved;", str(s._replace(steady=112)))
        s = s._replace(before=1 << 20, plain=71 << 20, plain_least=71 << 20, plain_middle=71 << 20, steady=41 << 20, steady_middle=41 << 20)
        self.assertIn("40 in place of 70 MiB above the start", str(s))

    def test_the_spread_of_steps_without_a_plan(self):
        """Of those alone that ask for as much as the largest, and not of the first two."""
        a, size = arena(record=100, guard=False, poison=False), 200 << 20
        for i in range(8):
            with mmap.mmap(-1, size) as beside:
                if i > 4:
                    beside[::4096] = bytes(size // 4096)
                with a:
                    torch.ones(5 << 20)
        s = a.stats()
        if not s.before:
            self.skipTest("there is no /proc")
        self.assertLess(abs(s.plain - s.plain_least - size), 0.3 * size)
        a._plain = a._read_most = 60
        a._took = [(100, 50), (99, 40), (100, 60), (50, 10)]
        a._serves = [20, 90, 21, 22]
        self.assertEqual(a.stats()[-3:], (40, 50, 21))

    def test_it_switches_itself_off_if_it_costs_more_than_it_saves(self):
        a = arena()
        program, expected = Program(), plain([8] * 30)
        with self.assertWarnsRegex(stowage.InputWarning, "more memory with a plan"):
            for i, loss in enumerate(expected):
                with a:
                    self.assertEqual(program(), loss)
                if i == 5:
                    a._plain, a._before = 1, 0  # as if a step without a plan had taken one byte
        self.assertRegex(a.stats().state, "^off: ")
        self.assertEqual(a._read().block, 0)

    def test_arenas_come_and_go(self):
        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "steps.plan"
            self.run_in(arena(file=file), [8] * 4)
            program, sizes = Program(), []
            for i in range(200):
                a = arena(file=file)
                with a:
                    program()
                del a
                if i % 100 == 99:
                    gc.collect()
                    sizes.append(resident())
            self.assertLess(sizes[1] - sizes[0], 4 << 20)
        many = [arena() for _ in range(40)]
        del many

    def test_a_program_ends_with_an_arena_that_refers_to_itself(self):
        code = "import sys; sys.path[:0] = sys.argv[1:]; import test_torch; a = test_torch.arena(); a.own = a; sys.modules['kept'] = a\nwith a: pass"
        folders = [os.path.dirname(__file__), str(pathlib.Path(stowage.__file__).parents[1])]
        done = subprocess.run([sys.executable, "-c", code, *folders], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")

    def test_there_is_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            for environment, word in (({"CXX": "no-such-compiler"}, "CXX is no-such-compiler"), ({"PATH": folder, "CXX": ""}, "none of c")):
                with unittest.mock.patch.dict(os.environ, {"STOWAGE_CACHE": folder, **environment}), self.assertRaisesRegex(stowage.Error, "C[+][+] compiler.*" + word.replace("+", "[+]")):
                    _build.build(_cpu.CPU)
            self.assertEqual(os.listdir(folder), [])

    def test_what_is_asked_for_is_checked(self):
        for options, word in (({"record": 0}, "record"), ({"plans": 1.5}, "plans"), ({"wait": "soon"}, "wait"), ({"timeout": -1}, "timeout")):
            self.assertRaisesRegex(stowage.InputError, word, arena, **options)

    def test_the_planner_fails(self):
        a = arena(plans=1)
        with unittest.mock.patch.dict(os.environ, {"STOWAGE": "false"}), self.assertWarnsRegex(stowage.InputWarning, "no plan"):
            losses = self.run_in(a, [8] * 4)
        self.assertEqual(losses, plain([8] * 4))
        self.assertTrue(a.stats().state.startswith("off"))

    def test_an_arena_that_is_off_records_no_more_and_gives_the_recording_back(self):
        a, resident = arena(record=2, guard=False, poison=False), []
        with unittest.mock.patch.dict(os.environ, {"STOWAGE": "false"}), self.assertWarnsRegex(stowage.InputWarning, "no plan"):
            for _ in range(4):
                with a:
                    for _ in range(200_000):
                        torch.empty(16)
                resident.append(a.stats().rest)
        self.assertEqual((a.stats().state[:3], a._read().recording, a.trace().count("\na")), ("off", 0, 0))
        if a.stats().before:
            self.assertGreater(resident[1] - resident[3], 9 << 20)


class Trainers(unittest.TestCase):
    """Callbacks, called as the trainers call them; lab/bench/torch/real.py runs them with the trainers themselves."""

    def test_each(self):
        class Events:
            ITERATION_STARTED, ITERATION_COMPLETED, COMPLETED, EXCEPTION_RAISED = "begin", "end", "all", "error"

        made = {"transformers": {"TrainerCallback": object}, "lightning.pytorch": {"Callback": object}, "ignite.engine": {"Events": Events}}
        modules = {name: types.SimpleNamespace(**members) for name, members in made.items()}
        with unittest.mock.patch.object(trainers, "import_module", modules.__getitem__):
            a, handlers = arena(record=100), {}
            callback = trainers.transformers(a)
            callback.on_step_begin(None, None, None, model=None)
            callback.on_step_end(None, None, None)
            for _ in range(3):
                callback.on_prediction_step(None, None, None)
            callback.on_evaluate(None, None, None)
            callback.on_train_end(None, None, None)
            self.assertEqual(a.stats().steps, 4)
            callback, trainer = trainers.lightning(a), types.SimpleNamespace(global_step=0)
            for k, ended in enumerate((4, 4, 5, 5, 6)):  # micro-batches of two steps of the optimizer
                callback.on_train_batch_start(trainer, None, None, k)
                trainer.global_step += k in (2, 4)
                callback.on_train_batch_end(trainer, None, None, None, k)
                self.assertEqual(a.stats().steps, ended)
            for kind in ("validation", "test", "predict"):
                getattr(callback, f"on_{kind}_batch_start")(None, None, None, 0)
                torch.ones(10)
                getattr(callback, f"on_{kind}_batch_end")(None, None, None, None, 0)
            callback.on_train_batch_start(trainer, None, None, 0)
            callback.on_exception(None, None, KeyError())
            self.assertEqual((a.stats().steps, a._frames), (10, []))

            class Accelerator:
                batches = 0

                @contextlib.contextmanager
                def accumulate(self, *models):
                    self.batches += 1
                    self.sync_gradients = self.batches % 3 == 0
                    yield

            accumulate = trainers.accelerate(a, Accelerator())
            for ended in (10, 10, 11, 11):
                with accumulate(None):
                    self.assertEqual(len(a._frames), 1)
                self.assertEqual(a.stats().steps, ended)
            with self.assertRaises(KeyError), accumulate(None):
                raise KeyError
            self.assertEqual((a.stats().steps, a._frames), (12, []))
            trainers.ignite(a, types.SimpleNamespace(add_event_handler=handlers.__setitem__))
            handlers["begin"]()
            self.assertEqual(len(a._frames), 1)
            handlers["end"]()
            handlers["begin"]()
            self.assertRaises(KeyError, handlers["error"], None, KeyError())
            self.assertEqual((a.stats().steps, a._frames), (14, []))


if __name__ == "__main__":
    unittest.main()

"""stowage.torch: the same losses as without an arena, whatever the program does, and served as planned.

Each program runs plainly first, then with an arena in guard mode that is poisoned before each step: memory that
is handed out twice, or used after its free, changes a loss."""

import ctypes
import gc
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import stowage
import stowage.torch
from stowage._arena import arena as _arena, build as _build
from stowage.torch import _cpu, _cuda

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
    return stowage.torch.arena(**{"guard": True, "poison": True, "wait": 60, **options})


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

    def served(self, a, least=0.99):
        s = a._read()
        asked = s.last.served + s.last.missed + s.last.refused + s.last.kept + s.last.outside
        self.assertGreater(asked, 50)
        self.assertGreaterEqual(s.last.served, least * asked)
        return asked

    def test_served_from_the_third_step_on(self):
        a, batches = arena(), [8] * 8
        self.assertEqual(self.run_in(a, batches), plain(batches))
        asked, s = self.served(a), a.stats()
        self.assertGreaterEqual(s.served, 6 * asked * 0.99)
        self.assertEqual((s.state, s.steps, s.plans, s.refused), ("serving", 8, 1, 0))
        self.assertEqual(s.height, s.bound)
        self.assertGreaterEqual(s.peak, s.height)
        self.assertEqual(s.saved, s.baseline - s.peak if s.baseline else 0)
        self.assertIn("allocations served", str(s))
        self.good(a)

    def test_outside_of_steps_nothing_changes(self):
        a = arena()
        self.run_in(a, [8] * 4)
        before = a._read().all
        counts = [getattr(before, name) for name, _ in before._fields_]
        torch.randn(1000).sum()
        after = a._read().all
        self.assertEqual(counts, [getattr(after, name) for name, _ in after._fields_])

    def test_other_shapes_get_plans_of_their_own(self):
        a, batches = arena(), [8] * 4 + [5] * 6 + [8, 5] * 4
        self.assertEqual(self.run_in(a, batches), plain(batches))
        self.assertEqual(a.stats().plans, 2)
        self.served(a)
        self.good(a)

    def test_random_shapes(self):
        batches = [1 + 7 * i * i % 16 for i in range(60)]
        a = arena(plans=3)
        self.assertEqual(self.run_in(a, batches), plain(batches))
        self.assertLessEqual(a.stats().plans, 3)
        self.good(a)

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
            a = arena(file=file)
            self.assertEqual(self.run_in(a, [8] * 3), plain([8] * 3))
            self.served(a)
            self.assertEqual(a.stats().steps, 3)
            self.assertEqual((a.stats().plans, a._attempts), (1, 0))
            # A plan of another program, and damaged ones.
            foreign = arena(file=file)
            batches = [3] * 3
            self.assertEqual(self.run_in(foreign, batches, 5), plain(batches, 5))
            self.good(foreign)
            for damaged in (text[: len(text) // 2], text[:-1], b"", text.replace(b"height", b"weight"), text[:200] + b"7" + text[201:]):
                file.write_bytes(damaged)
                with self.subTest(length=len(damaged)):
                    if damaged:
                        self.assertRaisesRegex(stowage.InputError, "steps.plan: .*line", arena, file=file)
                    b, program, expected = arena(), Program(), plain([8] * 5)
                    for i in range(5):
                        if damaged and i == 3:
                            self.assertRaises(stowage.InputError, b.load, file)
                        with b:
                            self.assertEqual(program(), expected[i])
                    self.served(b)
                    self.good(b)

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


class Cuda(unittest.TestCase):
    """cuda.c over a runtime that stands in for a GPU: tests/cudart.c. What PyTorch would call is called here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "libcudart.so")
        source = pathlib.Path(__file__).with_name("cudart.c")
        subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", str(source), "-o", path], check=True)
        cls.runtime, cls.lib = ctypes.CDLL(path), _arena.library(_cuda.CUDA)
        assert _cuda.init(cls.lib, path) == 0
        p, n, i = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int
        for name, result, *arguments in (("malloc", p, n, i, p), ("free", None, p, n, i, p), ("record_stream", None, p, p)):
            function = getattr(cls.lib, "stowage_cuda_" + name)
            function.restype, function.argtypes = result, arguments

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def count(self, name):
        return ctypes.c_long.in_dll(self.runtime, "cudart_" + name)

    def malloc(self, size, stream=0):
        address = self.lib.stowage_cuda_malloc(size, 0, stream)
        if address:
            self.assertEqual(address % 512, 0)
            ctypes.memset(address, size % 251, size)
        return address, size, stream

    def free(self, taken):
        address, size, stream = taken
        self.assertEqual(ctypes.string_at(address, size), bytes([size % 251]) * size)
        self.lib.stowage_cuda_free(address, size, 0, stream)

    def step(self, kept, stream=7):
        """Frees what the step before kept, and keeps a tensor for the next one, as a gradient is kept."""
        first = [self.malloc(n) for n in (1000, 2000, 3000)]
        while kept:
            self.free(kept.pop())
        side = self.malloc(5000, stream)
        kept.append(self.malloc(700))
        self.free(first[1])
        second = [self.malloc(n) for n in (1500, 400)]
        self.free(side)
        for taken in (first[0], first[2], *second):
            self.free(taken)

    def arena(self):
        return _arena.make(_cuda.CUDA, 0, 2, 8, 60, None, True, False, False, None)

    def test_served(self):
        before, kept, a = self.count("live").value, [], self.arena()
        for _ in range(8):
            with a:
                self.step(kept)
        s = a.stats()
        self.assertEqual((s.state, s.served, s.missed, s.refused), ("serving", 6 * 7, 0, 0))
        self.assertEqual(a.check(), 0)
        # A tensor that was served outlives the arena; then the block goes back.
        a.close()
        self.assertGreater(self.count("live").value, before)
        self.free(kept.pop())
        self.assertEqual(self.count("live").value, before)

    def test_another_stream_uses_a_tensor(self):
        kept, a = [], self.arena()
        for _ in range(4):
            with a:
                self.step(kept)
        waits = self.count("waits").value
        with a:
            taken = self.malloc(1000)
            self.assertTrue(self.lib.stowage_arena_owns(a._at, taken[0]))
            self.lib.stowage_cuda_record_stream(taken[0], 9)
            self.free(taken)
            self.assertGreater(a._read().held, 0)
        self.assertEqual(self.count("waits").value, waits)
        with a:
            self.assertEqual(a._read().held, 0)
        self.assertGreater(self.count("waits").value, waits)
        # Memory of the runtime's waits for the other stream by an event.
        events = self.count("events").value
        taken = self.malloc(1000)
        self.lib.stowage_cuda_record_stream(taken[0], 9)
        self.free(taken)
        self.assertEqual(self.count("events").value, events + 1)
        self.free(kept.pop())

    def test_steps_that_cross(self):
        def opened(a):
            with a:
                yield

        a, b = self.arena(), self.arena()
        steps = opened(a), opened(b)
        for step in steps:
            next(step)
        steps[0].close()
        taken = self.malloc(100)
        self.assertEqual((a._read().live, b._read().live), (0, 100))
        self.free(taken)
        steps[1].close()
        a.close()
        b.close()
        self.free(self.malloc(100))

    def test_there_is_no_memory(self):
        fail, waits = self.count("fail"), self.count("waits").value
        fail.value = 1
        self.free(self.malloc(100))  # the second try, after a wait, has it
        self.assertGreater(self.count("waits").value, waits)
        fail.value = 4
        with self.arena():
            self.assertEqual(self.malloc(100)[0], None)
        fail.value = 0
        self.assertEqual(self.lib.stowage_cuda_malloc(0, 0, 0), None)
        self.lib.stowage_cuda_free(None, 0, 0, 0)

    def test_there_is_no_gpu(self):
        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        self.assertRaisesRegex(stowage.Error, "no GPU", stowage.torch.cuda)


if __name__ == "__main__":
    unittest.main()

"""stowage.torch.cuda: PyTorch for CUDA itself, over a stand-in for a GPU and its driver (cudart.c).

Idea: the stand-in must be there before PyTorch is loaded, so the cases run in another process, all in one, and each is
a test here. Nothing is computed. A test says which stream has work and when that ends, and looks at addresses.
"""

import ctypes
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import torch

import stowage
import stowage.torch
from stowage.torch import _cuda

IN_CHILD = "STOWAGE_STANDIN"  # names the stand-in, in the process that has it
MiB = 1 << 20


class Cases:
    """The cases, in the other process."""

    def setUp(self):
        self.gpu = ctypes.CDLL(os.environ[IN_CHILD])
        for name, n in (("work", 1), ("finish", 1), ("waited", 2)):
            getattr(self.gpu, "cudart_" + name).argtypes = [ctypes.c_void_p] * n
        self.limit = ctypes.c_size_t.in_dll(self.gpu, "cudart_limit")
        self.no_events, self.syncs = (ctypes.c_long.in_dll(self.gpu, "cudart_" + name) for name in ("no_events", "syncs"))
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "plan")
        self.addCleanup(self.folder.cleanup)
        self.side = torch.cuda.Stream()

    def tearDown(self):
        self.limit.value, self.no_events.value = 1 << 30, 0
        self.gpu.cudaDeviceSynchronize()
        self.gpu.cudaGetLastError()
        gc.collect()
        torch.cuda.empty_cache()

    def blocks(self, state):
        """The sizes and segments of PyTorch's blocks in a state."""
        return {b["size"]: s["address"] for s in torch.cuda.memory_snapshot() for b in s["blocks"] if b["state"] == state}

    def empty(self, size, stream=None, fill=True):
        with torch.cuda.stream(stream):
            x = torch.empty(size, dtype=torch.uint8, device="cuda")
        if fill:
            ctypes.memset(x.data_ptr(), size % 251, size)
        return x

    def same(self, *tensors):
        """Nobody else has written into these tensors."""
        for x in tensors:
            self.assertEqual(ctypes.string_at(x.data_ptr(), len(x)), bytes([len(x) % 251]) * len(x))

    def step(self, kept, side=None):
        """Frees what the step before kept, and keeps a tensor for the next one, as a gradient is kept."""
        first = [self.empty(n) for n in (1000, 2000, 3000)]
        while kept:
            self.same(kept.pop())
        other = self.empty(5000, side)
        kept.append(self.empty(700))
        self.same(first.pop(1))
        second = [self.empty(n) for n in (1500, 400)]
        self.same(other, *first, *second)

    def arena(self, **more):
        return stowage.torch.cuda(wait=60, **more)

    def ready(self, steps=8, side=None, **more):
        """An arena that serves, and what its last step kept."""
        kept, a = [], self.arena(**more)
        for _ in range(steps):
            with a:
                self.step(kept, side)
        s = a.stats()
        self.assertEqual((s.state, s.missed, s.refused), ("serving", 0, 0))
        self.assertGreaterEqual(s.served, 7 * (steps - 4))
        return a, kept

    def test_served(self):
        before = torch.cuda.memory_allocated()
        a, kept = self.ready(side=self.side)
        self.assertEqual(a.check(), 0)
        a.close()  # a tensor that was served outlives the arena; then the block goes back
        self.assertGreater(torch.cuda.memory_allocated(), before + 700)
        self.same(*kept)
        kept.clear()
        self.assertEqual(torch.cuda.memory_allocated(), before)

    def test_poison(self):
        self.ready(poison=True)

    def test_tensors_from_before_go_back(self):
        old = torch.empty(100, device="cuda")
        a, _ = self.ready()
        before = torch.cuda.memory_allocated()
        with a:
            del old
        self.assertLess(torch.cuda.memory_allocated(), before)

    def test_steps_that_cross(self):
        def opened(a):
            with a:
                yield

        a, b = self.arena(), self.arena()
        steps = opened(a), opened(b)
        for step in steps:
            next(step)
        steps[0].close()
        x = self.empty(100)
        self.assertEqual((a._read().live, b._read().live), (0, 100))
        del x
        steps[1].close()
        self.same(self.empty(100))

    def test_autograds_thread_is_in_the_step(self):
        a, kept = self.ready()
        with a:
            thread = threading.Thread(target=self.step, args=(kept,))
            thread.start()
            thread.join()
        self.assertEqual(a._read().last.outside, 0)
        self.assertGreater(a._read().last.served, 0)

    # ------------------------------------------------------ the seven faults of the adapter before

    def test_a_retry_leaves_no_error(self):
        a = self.arena()
        for within in (False, True):
            torch.cuda.empty_cache()
            self.limit.value = 100 * MiB
            del_me = self.empty(60 * MiB, fill=False)
            del del_me  # PyTorch keeps it, so the next one has room only after that is given back
            self.gpu.cudaGetLastError()
            if within:
                with a:
                    x = self.empty(80 * MiB, fill=False)
            else:
                x = self.empty(80 * MiB, fill=False)
            self.assertEqual(self.gpu.cudaGetLastError(), 0)
            del x

    def test_b_no_memory_is_an_exception(self):
        a, kept = self.ready()
        self.limit.value = 100 * MiB
        ooms = torch.cuda.memory_stats()["num_ooms"]
        self.assertRaises(torch.OutOfMemoryError, self.empty, 200 * MiB, fill=False)
        with a:
            self.assertRaises(torch.OutOfMemoryError, self.empty, 200 * MiB, fill=False)
            self.assertEqual(self.gpu.cudaGetLastError(), 0)
            self.step(kept)
        self.assertEqual(torch.cuda.memory_stats()["num_ooms"], ooms + 2)

    def test_b_no_memory_for_a_block(self):
        a = self.arena(plans=1)
        while not a._due():
            with a:
                tensors = [self.empty(30 * MiB, fill=False) for _ in range(2)]
                del tensors
        other = self.empty(MiB, fill=False)  # a tensor that has come meanwhile
        self.limit.value = 50 * MiB
        with self.assertWarnsRegex(stowage.InputWarning, "no plan"), a:
            self.same(self.empty(1000))
        self.assertEqual(self.gpu.cudaGetLastError(), 0)
        self.assertTrue(a.stats().state.startswith("off"))
        self.assertEqual(len(other), MiB)

    def test_c_a_free_that_races_with_the_next_step(self):
        a, kept = self.ready()
        with a:
            x = self.empty(1000)
            x.record_stream(self.side)
            self.gpu.cudart_work(self.side.cuda_stream)
        at, held = x.data_ptr(), [x]
        del x
        thread = threading.Thread(target=held.clear)
        with a:
            thread.start()
            thread.join()
            self.assertNotEqual(self.empty(1000).data_ptr(), at)
        with a:
            self.assertNotEqual(self.empty(1000).data_ptr(), at)
        self.gpu.cudart_finish(self.side.cuda_stream)
        with a:
            self.assertEqual(self.empty(1000).data_ptr(), at)

    def test_d_without_events_the_gpu_is_waited_for(self):
        a, kept = self.ready()
        with a:
            x = self.empty(1000)
            self.assertTrue(a._lib.stowage_arena_owns(a._at, x.data_ptr()))
            x.record_stream(self.side)
            self.gpu.cudart_work(self.side.cuda_stream)
            before, self.no_events.value = self.syncs.value, 1
            del x
            self.assertEqual(self.syncs.value, before + 1)
            self.assertEqual(self.gpu.cudaGetLastError(), 0)

    def test_e_a_plan_knows_streams_by_their_place(self):
        self.ready(side=self.side, file=self.file)[0].close()
        other = torch.cuda.Stream()
        self.assertNotEqual(other.cuda_stream, self.side.cuda_stream)
        a, _ = self.ready(side=other, file=self.file)
        self.assertEqual((a.stats().served, a.stats().missed), (8 * 7, 0))

    def test_f_recorded_memory_comes_back_with_its_event(self):
        def step(busy):
            x = self.empty(6000)
            at = x.data_ptr()
            x.record_stream(self.side)
            self.gpu.cudart_work(self.side.cuda_stream)
            del x
            if not busy:
                self.gpu.cudart_finish(self.side.cuda_stream)
            return self.empty(6000).data_ptr() == at

        a = self.arena()
        for _ in range(8):
            with a:
                last = step(False)
        self.assertTrue(last)
        syncs = self.syncs.value
        with a:
            self.assertFalse(step(True))
        self.assertEqual(a._read().last.refused, 1)
        self.gpu.cudart_finish(self.side.cuda_stream)
        with a:
            self.assertTrue(step(False))
        self.assertEqual((self.syncs.value, a._read().held), (syncs, 0))

    def test_g_statistics_and_snapshots(self):
        a, kept = self.ready()
        self.assertGreaterEqual(torch.cuda.memory_allocated(), a._read().block)
        self.assertIn((a._read().block + 511) // 512 * 512, self.blocks("active_allocated"))
        torch.cuda.reset_peak_memory_stats()
        self.assertEqual(torch.cuda.max_memory_allocated(), torch.cuda.memory_allocated())
        self.assertIn("Allocated memory", torch.cuda.memory_summary())
        torch.cuda.set_per_process_memory_fraction(1.0)
        torch.cuda.memory._record_memory_history(max_entries=10)
        self.same(self.empty(100))
        torch.cuda.memory._record_memory_history(enabled=None)
        at = torch.cuda.caching_allocator_alloc(1000)
        torch.cuda.caching_allocator_delete(at)

    def test_g_raw_allocations_in_a_step(self):
        a, kept = self.ready()
        with a:
            at = torch.cuda.caching_allocator_alloc(1000)
            self.assertTrue(a._lib.stowage_arena_owns(a._at, at))
            torch.cuda.caching_allocator_delete(at)
            again = torch.cuda.caching_allocator_alloc(2000)
            torch.cuda.caching_allocator_delete(again)
        self.assertEqual(a._read().live, sum(map(len, kept)))

    def test_g_a_graph_is_captured_in_a_step(self):
        a, kept = self.ready()
        graph = torch.cuda.CUDAGraph()
        with a:
            late = self.empty(1000)  # freed within the capture, which forbids to look at its event
            late.record_stream(self.side)
            with torch.cuda.graph(graph):
                x = self.empty(1000, torch.cuda.current_stream(), fill=False)
                del late
                y = self.empty(3000, torch.cuda.current_stream(), fill=False)
                self.assertEqual(self.gpu.cudaGetLastError(), 0)
            for t in (x, y):
                self.assertFalse(a._lib.stowage_arena_owns(a._at, t.data_ptr()))
        pool = [s for s in torch.cuda.memory_snapshot() if tuple(s["segment_pool_id"]) == tuple(graph.pool())]
        self.assertTrue(any(s["address"] <= x.data_ptr() < s["address"] + s["total_size"] for s in pool))
        for _ in range(3):
            with a:
                graph.replay()
                self.step(kept)
        self.assertEqual((a._read().last.served, a._read().last.missed), (7, 0))

    def test_g_a_pool_in_a_step(self):
        a, kept = self.ready()
        pool = torch.cuda.MemPool()
        with a, torch.cuda.use_mem_pool(pool):
            x = self.empty(1000)
        self.assertFalse(a._lib.stowage_arena_owns(a._at, x.data_ptr()))
        with a:
            self.step(kept)
        self.assertEqual((a._read().last.served, a._read().last.missed), (7, 0))

    # ------------------------------------------------------------------------- streams

    def test_a_stream_that_is_new_to_a_block_waits(self):
        a = self.arena()
        kept = []
        for _ in range(8):
            self.gpu.cudart_work(None)
            with a:
                self.step(kept)
        self.gpu.cudart_work(None)  # after the block was taken: need not be waited for
        with a:
            self.empty(100, self.side)
        self.assertEqual(a.stats().state, "serving")
        self.assertGreater(self.gpu.cudart_waited(self.side.cuda_stream, None), 0)

    def test_a_block_goes_back_when_all_its_streams_have_ended(self):
        a, kept = self.ready(side=self.side)
        block, base = a._read().block, kept[0].data_ptr()
        self.gpu.cudart_work(self.side.cuda_stream)
        kept.clear()
        a.close()
        self.assertLessEqual(self.blocks("active_pending_free")[(block + 511) // 512 * 512], base)
        self.gpu.cudart_finish(self.side.cuda_stream)
        self.same(self.empty(100))
        self.assertFalse(self.blocks("active_pending_free"))

    def test_there_is_no_such_gpu(self):
        self.assertRaisesRegex(stowage.Error, "no GPU 1", stowage.torch.cuda, 1)


def run():
    """Runs the cases, and prints what each has said: nothing if it is good."""
    said = {}
    case = type("Case", (Cases, unittest.TestCase), {})
    for name in unittest.defaultTestLoader.getTestCaseNames(case):
        result = unittest.TestResult()
        case(name)(result)
        said[name] = "\n".join(text for _, text in (*result.failures, *result.errors))
    print(json.dumps(said))


@unittest.skipIf(torch.version.cuda is None, "PyTorch is built without CUDA")
class Cuda(unittest.TestCase):
    """Each case of the other process is a test."""

    said: dict = {}

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            try:
                headers = _cuda._headers()
            except stowage.Error as err:
                raise unittest.SkipTest(str(err)) from err
            path = os.path.join(folder, "libcuda.so.1")
            here, words = pathlib.Path(__file__), ["-shared", "-fPIC", "-O1", "-Wall", "-Wl,-soname,libcuda.so.1", "-o", path]
            compiler = os.environ.get("CC") or "cc"
            subprocess.run([compiler, *words, "-isystem", str(headers), str(here.with_name("cudart.c"))], check=True)
            found = os.pathsep.join(p for p in sys.path if p)
            environment = {**os.environ, IN_CHILD: path, "LD_PRELOAD": path, "LD_LIBRARY_PATH": folder, "PYTHONPATH": found}
            cases = [sys.executable, "-W", "ignore", "-c", "from tests import test_cuda; test_cuda.run()"]
            done = subprocess.run(cases, capture_output=True, text=True, cwd=here.parents[1], env=environment)
        if done.returncode:
            said = done.stdout[-2000:] + done.stderr[-4000:]
            raise AssertionError(f"the process of the cases ended with {done.returncode}:\n{said}")
        cls.said = json.loads(done.stdout.splitlines()[-1])

    def test_every_case_has_run(self):
        self.assertEqual(sorted(self.said), sorted(name for name in dir(Cases) if name.startswith("test")))


def _test(name):
    def test(self):
        if self.said[name]:
            self.fail(self.said[name])

    return test


for _name in [name for name in dir(Cases) if name.startswith("test")]:
    setattr(Cuda, _name, _test(_name))


class NoGpu(unittest.TestCase):
    def test_there_is_no_gpu(self):
        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        self.assertRaisesRegex(stowage.Error, "no GPU", stowage.torch.cuda)


if __name__ == "__main__":
    unittest.main()

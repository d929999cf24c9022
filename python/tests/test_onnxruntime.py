"""stowage.onnxruntime: the same outputs as without an arena, whatever the program does, and served as planned.

Each model runs in a session of ONNX Runtime's own too. The arena is in guard mode and poisoned before each run: memory that is
handed out twice, or used after its free, changes an output."""

import gc
import os
import pathlib
import sys
import subprocess
import tempfile
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import stowage
import stowage.onnxruntime

CHANNELS = 8


def model(blocks=6):
    """A model of blocks with two branches that are put together, for pictures of any size."""
    random = np.random.default_rng(0)
    nodes, weights, last = [], [], "x"
    for k in range(blocks):
        for branch, size in (("a", 1), ("b", 3)):
            weights.append(numpy_helper.from_array(random.standard_normal((CHANNELS, CHANNELS, size, size), "float32") / CHANNELS, f"w{k}{branch}"))
            nodes.append(helper.make_node("Conv", [last, f"w{k}{branch}"], [f"c{k}{branch}"], pads=[size // 2] * 4))
        nodes.append(helper.make_node("Sigmoid", [f"c{k}a"], [f"s{k}"]))
        nodes.append(helper.make_node("Concat", [f"s{k}", f"c{k}b"], [f"j{k}"], axis=1))
        weights.append(numpy_helper.from_array(random.standard_normal((CHANNELS, 2 * CHANNELS, 1, 1), "float32") / CHANNELS, f"w{k}c"))
        nodes.append(helper.make_node("Conv", [f"j{k}", f"w{k}c"], [f"y{k}"]))
        last = f"y{k}"
    shape = ["n", CHANNELS, "h", "w"]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", last))
    graph = helper.make_graph(nodes, "blocks", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


MODEL = model()


def picture(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape or (1, CHANNELS, 32, 32), "float32")


def plain(x, data=MODEL):
    return onnxruntime.InferenceSession(data).run(None, {"x": x})[0]


def session(data=MODEL, **options):
    return stowage.onnxruntime.InferenceSession(data, **{"guard": True, "poison": True, "wait": 60, "baseline": False, **options})


class OnnxRuntime(unittest.TestCase):
    def same(self, s, x, data=MODEL):
        np.testing.assert_array_equal(s.run(None, {"x": x})[0], plain(x, data))

    def good(self, s):
        self.assertEqual(s.arena.check(), 0)
        self.assertEqual(s.stats().damaged, 0)

    def served(self, a, but=1):
        """All of the last step was served; the output is left to malloc if the program still has it."""
        last = a._read().last
        self.assertGreater(last.served, 10)
        self.assertEqual((last.missed, last.refused, last.outside), (0, 0, 0))
        self.assertLessEqual(last.kept, but)

    def test_served_from_the_third_run_on(self):
        s = session(baseline=True)
        for k in range(8):
            self.same(s, picture(k))
        self.served(s.arena)
        stats = s.stats()
        self.assertEqual((stats.state, stats.steps, stats.plans, stats.missed, stats.refused), ("serving", 8, 1, 0, 0))
        self.assertEqual(stats.height, stats.bound)
        self.assertGreaterEqual(stats.peak, stats.height)
        # ONNX Runtime's arena takes 1 MiB at least, and doubles.
        self.assertGreater(stats.baseline, stats.peak)
        self.assertEqual(stats.saved, stats.baseline - stats.peak)
        self.assertIn("allocations served", str(stats))
        self.good(s)

    def test_the_plan_is_not_above_what_is_live(self):
        """The height is that of the tensors which are live together: no more than all of them, no less than the largest pair."""
        s = session()
        for k in range(4):
            self.same(s, picture(k))
        one = 4 * CHANNELS * 32 * 32
        self.assertTrue(2 * one <= s.stats().height <= 6 * one, s.stats())

    def test_other_shapes_get_plans_of_their_own(self):
        s = session()
        for size in [32] * 4 + [20] * 5 + [32, 20] * 3:
            self.same(s, picture(size, 1, CHANNELS, size, size))
            self.good(s)
        self.assertEqual(s.stats().plans, 1)  # that of the larger one serves both
        self.served(s.arena)

    def test_random_shapes(self):
        s, random = session(plans=2), np.random.default_rng(1)
        for _ in range(30):
            self.same(s, picture(0, int(random.integers(1, 4)), CHANNELS, *map(int, random.integers(1, 40, 2))))
        self.assertTrue(s.stats().state.startswith(("off", "serving")), s.stats())
        self.good(s)

    @unittest.skipUnless(sys.platform == "linux", "resident memory is read from /proc")
    def test_resident_memory(self):
        """A run without a plan leaves nothing behind where malloc would keep it, and what malloc_trim gives back is said apart."""
        program = """if True:
            import ctypes, sys
            libc = ctypes.CDLL(None)
            libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
            for what in (-3, -1):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD: malloc keeps all in its heap
                libc.mallopt(what, 1 << 30)
            from tests import test_onnxruntime as t

            def resident():
                return int(open("/proc/self/statm").read().split()[1]) * 4096

            s, x = t.session(), t.picture(0, 4, t.CHANNELS, 256, 256)
            s.run(None, {"x": t.picture(0, 1, t.CHANNELS, 8, 8)})
            before = resident()
            del s.run(None, {"x": x})[:]
            left = resident() - before
            taken = [libc.malloc(60000) for _ in range(500)]
            for address in taken:
                ctypes.memset(address, 1, 60000)
            for address in taken[:-1]:
                libc.free(address)
            for _ in range(5):
                s.run(None, {"x": x})
            print(left, x.nbytes, s.stats().trimmed, "malloc_trim gave back" in str(s.stats()) or s.stats().saved == 0)
        """
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, capture_output=True, text=True, cwd=pathlib.Path(__file__).parents[1])
        left, size, trimmed, said = done.stdout.split()
        self.assertLess(int(left), int(size))
        self.assertGreater(int(trimmed), 499 * 60000 // 2)
        self.assertEqual(said, "True")

    def test_several_sessions_of_random_sizes(self):
        a, sessions, random = stowage.onnxruntime.arena(wait=60, guard=True), [], np.random.default_rng(2)
        sessions = [onnxruntime.InferenceSession(MODEL, stowage.onnxruntime.options()) for _ in range(2)]
        for k in range(16):
            with a:
                for s in sessions:
                    x = picture(k, 1, CHANNELS, *map(int, random.integers(4, 33, 2)))
                    np.testing.assert_array_equal(s.run(None, {"x": x})[0], plain(x))
        self.assertEqual((a.check(), a.stats().damaged), (0, 0))
        self.assertGreater(a.stats().served, a.stats().missed)

    def test_outputs_stay(self):
        s, outputs = session(), []
        for k in range(10):
            outputs.append(s.run(None, {"x": picture(k)})[0])
        self.good(s)
        del s
        gc.collect()
        for k, y in enumerate(outputs):
            np.testing.assert_array_equal(y, plain(picture(k)))

    def test_threads(self):
        """One run at a time is a step; the others get what they need from malloc."""
        s, wrong = session(), []
        want = [plain(picture(k)) for k in range(4)]

        def work(k):
            for _ in range(20):
                if not np.array_equal(s.run(None, {"x": picture(k)})[0], want[k]):
                    wrong.append(k)

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        self.assertEqual(wrong, [])
        self.good(s)
        self.same(s, picture(9))

    def test_other_ways_to_run(self):
        s = session()
        x = picture(3)
        for _ in range(5):
            value = s.run_with_ort_values(None, {"x": onnxruntime.OrtValue.ortvalue_from_numpy(x)})[0]
            np.testing.assert_array_equal(value.numpy(), plain(x))
            binding = s.io_binding()
            binding.bind_cpu_input("x", x)
            binding.bind_output(s.get_outputs()[0].name)
            s.run_with_iobinding(binding)
            np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], plain(x))
            del binding
        self.assertGreater(s.stats().served, 50)
        self.good(s)

    def test_several_sessions_share_an_arena(self):
        other = model(3)
        a = stowage.onnxruntime.arena(guard=True, poison=True, wait=60)
        first, second = (onnxruntime.InferenceSession(data, stowage.onnxruntime.options()) for data in (MODEL, other))
        for k in range(6):
            with a:
                y = first.run(None, {"x": picture(k)})[0]
                z = second.run(None, {"x": y})[0]
            np.testing.assert_array_equal(z, plain(plain(picture(k)), other))
        self.served(a, 2)
        self.assertEqual(a.check(), 0)
        # The height is the larger of the two, or little more: never their sum.
        alone = [session(data) for data in (MODEL, other)]
        for s in alone:
            for k in range(4):
                s.run(None, {"x": picture(k)})
        heights = [s.stats().height for s in alone]
        self.assertLess(a.stats().height, sum(heights))
        self.assertGreaterEqual(a.stats().height, max(heights))

    def test_other_sessions_are_not_touched(self):
        s = session()
        self.same(s, picture(0))
        before = s.arena._read().all.outside
        plain(picture(1))
        self.assertEqual(s.arena._read().all.outside, before)

    def test_a_plan_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.plan")
            first = session(file=file)
            for k in range(4):
                self.same(first, picture(k))
            second = session(file=file)
            for k in range(3):
                self.same(second, picture(k))
            self.assertEqual(second.stats().plans, 1)
            self.served(second.arena)
            # That of another model costs bytes, and changes nothing.
            third = session(model(9), file=file, plans=1)
            for k in range(5):
                self.same(third, picture(k), model(9))
            self.good(third)
            whole = pathlib.Path(file).read_bytes()
            for text in (whole[:-5], whole[: len(whole) // 2], b"", whole.replace(b"a", b"b", 1)):
                pathlib.Path(file).write_bytes(text)
                if text:
                    with self.assertWarnsRegex(stowage.InputWarning, "model.plan: ignored"):
                        session(file=file)

    def test_a_run_fails(self):
        s = session()
        for k in range(6):
            if k in (1, 4):
                with self.assertRaises(Exception) as caught:
                    s.run(None, {"x": picture(k, 1, CHANNELS + 1, 8, 8)})
                self.assertIn("onnxruntime", type(caught.exception).__module__)
            self.same(s, picture(k))
        self.assertEqual(s.stats().state, "serving")
        self.served(s.arena)
        self.good(s)

    def test_nothing_is_allocated_by_the_arena(self):
        """A session that was made without options() has ONNX Runtime's arena, and the planner says that it saw nothing."""
        a = stowage.onnxruntime.arena(wait=60, plans=1)
        usual = onnxruntime.InferenceSession(MODEL)
        with self.assertWarnsRegex(stowage.InputWarning, "no plan"):
            for k in range(6):
                with a:
                    usual.run(None, {"x": picture(k)})
        self.assertTrue(a.stats().state.startswith("off"))

    def test_many_sessions(self):
        for k in range(70):  # more than there are slots
            self.same(session(), picture(k, 1, CHANNELS, 4, 4))

    def test_an_old_version(self):
        with unittest.mock.patch.object(onnxruntime, "__version__", "1.17.3"), self.assertRaisesRegex(stowage.Error, "1.18 or later; this is 1.17.3"):
            stowage.onnxruntime.arena()

    def test_real_topologies(self):
        """Models of the onnx package whose weights are computed."""
        folder = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
        for name, shape in (("light_shufflenet", (1, 3, 224, 224)), ("light_squeezenet", (1, 3, 224, 224))):
            path = folder / f"{name}.onnx"
            usual, s = onnxruntime.InferenceSession(path), session(path)
            feed = usual.get_inputs()[0].name
            for k in range(4):
                x = picture(k, *shape)
                for y, want in zip(s.run(None, {feed: x}), usual.run(None, {feed: x}), strict=True):
                    np.testing.assert_array_equal(y, want)
            self.served(s.arena, len(usual.get_outputs()))
            self.assertEqual(s.stats().height, s.stats().bound)
            self.good(s)


if __name__ == "__main__":
    unittest.main()

"""stowage.jax: the same outputs, bit by bit, from a smaller heap; everything that is not known is refused by name."""

import contextlib
import os
import random
import unittest
import unittest.mock

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy
from jax import lax
from jax.experimental.serialize_executable import deserialize_and_load, serialize

import stowage
import stowage.jax
from stowage.jax import _check, _lives, _rewrite, _thunks
from stowage.jax._wire import Message, encoded, number


def conv(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


GAP = 15  # the seed of a network for which XLA's plan is not the least


def wired(seed, nodes=28, side=12):
    """A randomly wired network: convolutions that are added, with many widths."""
    r = random.Random(seed)
    widths = [r.choice([8, 12, 20, 28, 36, 52]) for _ in range(nodes)]
    edges = [sorted({r.randrange(max(0, i - 6), i) for _ in range(r.choice([1, 2, 2, 3]))}) for i in range(1, nodes)]
    shapes = [(3, 3, widths[j], widths[i + 1]) for i, of in enumerate(edges) for j in of]

    def f(ws, x):
        ws, h = iter(ws), [x]
        for of in edges:
            h.append(jax.nn.silu(sum(conv(h[j], next(ws)) for j in of)))
        return h[-1].mean((1, 2))

    def s(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    return f, ([s(*x) for x in shapes], s(1, side, side, widths[0]))


def loops(a, b, n):
    """Loops in a loop, a branch, a scan with results, and values that live across all of them."""

    def inner(s):
        x, r, k = s
        q = a @ r
        return x + q * 0.1, r - jnp.tanh(q) * 0.1, k + 1

    def outer(c):
        x, k = c
        y, r, _ = lax.while_loop(lambda s: (s[2] < 3) & (jnp.abs(s[1]).sum() > 1e-6), inner, (jnp.zeros_like(b), b + x, 0))
        z = lax.cond(k % 2 == 0, lambda u, v: jnp.sort(u @ v.T, 0) @ v, lambda u, v: u * 2 - v, y, r)
        return jnp.tanh(z + x), k + 1

    before = jnp.cumsum(a, 0)
    x, k = lax.while_loop(lambda c: c[1] < n, outer, (b, 0))
    last, rows = lax.scan(lambda c, row: (jnp.sin(c @ a) + row, (c * row).sum()), x[:, 0], a)
    return x, k, last, rows, before @ x


def training(p, m, x, y):
    """A step of training; parameters and momenta are donated."""

    def loss(p):
        h = x
        for w in p:
            u, v = jnp.tanh(h @ w), jax.nn.silu(h @ w.T)
            h = jnp.concatenate([u[:, ::2], v[:, 1::2]], 1) + u * v
        return ((h - y) ** 2).mean()

    value, g = jax.value_and_grad(loss)(p)
    m = [0.9 * a + b for a, b in zip(m, g)]
    return [a - 0.01 * b for a, b in zip(p, m)], m, value


def compile(f, *args, **options):
    return jax.jit(f, **options).lower(*args).compile()


def temp(compiled):
    return compiled.memory_analysis().temp_size_in_bytes


def of(compiled):
    """The executable's bytes."""
    return bytes(compiled.runtime_executable().serialize())


class Jax(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        f, args = wired(GAP)
        cls.compiled = compile(f, *args)
        cls.data = of(cls.compiled)

    def test_branching_network(self):
        better, report = stowage.jax.replan(self.compiled, runs=5)
        self.assertEqual((report.before, report.after), (temp(self.compiled), temp(better)))
        self.assertLess(report.after, report.before)
        self.assertEqual((report.status, report.bound, report.runs), ("optimal", report.after, 5))
        self.assertIn("outputs equal in 5 runs", str(report))
        again, second = stowage.jax.replan(better, runs=0)  # a plan that is the best stays as it is
        self.assertIs(again, better)
        self.assertEqual(second.saved, 0)

    def test_loops_and_branches(self):
        s = jax.ShapeDtypeStruct
        compiled = compile(loops, s((24, 24), jnp.float32), s((24, 5), jnp.float32), s((), jnp.int32))
        better, report = stowage.jax.replan(compiled, runs=8)
        self.assertEqual(temp(better), report.after)
        self.assertLess(report.after, report.before)
        for kind in ("while", "conditional"):
            self.assertIn(kind, report.kinds)

    def test_order(self):
        """Rounds that could run one after the other: what is proven holds for XLA's order, and another one is offered."""

        def f(x, y):
            return tuple(jnp.bincount(x * k + y, length=64 * k + 64) for k in range(1, 7))

        s = jax.ShapeDtypeStruct((2000,), jnp.int32)
        lowered = jax.jit(f).lower(s, s)
        _, usual = stowage.jax.replan(lowered.compile(), runs=0)
        self.assertGreater(usual.after, usual.floor)
        self.assertIn(f", the least possible in this order of the steps (every order needs at least {usual.floor:,}; ", str(usual))
        self.assertIn("order=True", str(usual))
        better, other = stowage.jax.replan(lowered, order=True)
        self.assertEqual((other.after, other.before, other.runs), (other.floor, usual.before, 3))
        self.assertEqual(temp(better), other.after)
        self.assertIn(" less), in another order of the steps, the least possible in any order of the steps; ", str(other))
        self.assertRaisesRegex(stowage.InputError, "lower", stowage.jax.replan, better, order=True)

    def test_the_usual_order_stays_if_it_is_the_best(self):
        s = jax.ShapeDtypeStruct((64, 64), jnp.float32)
        better, report = stowage.jax.replan(jax.jit(lambda x: jnp.sin(x @ x) @ x).lower(s), order=True)
        self.assertEqual((report.order, temp(better)), ("usual", report.after))

    def test_donated_inputs(self):
        w, x = [jax.ShapeDtypeStruct((16, 16), jnp.float32)] * 3, jax.ShapeDtypeStruct((40, 16), jnp.float32)
        compiled = compile(training, w, w, x, x, donate_argnums=(0, 1))
        better, report = stowage.jax.replan(compiled)
        self.assertEqual(temp(better), report.after)

    def test_inputs_of_ones_own(self):
        f, args = wired(GAP)
        given = jax.tree.map(lambda a: jnp.full(a.shape, 0.01, a.dtype), args)
        with unittest.mock.patch("stowage.jax._run._random", side_effect=AssertionError):
            _, report = stowage.jax.replan(self.compiled, args=given, runs=2)
        self.assertEqual(report.runs, 2)

    def test_payload(self):
        payload, inputs, outputs = serialize(self.compiled)
        new, report = stowage.jax.rewrite(payload)
        better = deserialize_and_load(new, inputs, outputs)
        self.assertEqual(temp(better), report.after)
        given = jax.tree.map(lambda a: jnp.ones(a.shape, a.dtype) * 0.1, wired(GAP)[1])
        numpy.testing.assert_array_equal(self.compiled(*given), better(*given))
        self.assertEqual(stowage.jax.rewrite(new)[0], new)

    def test_outputs_that_differ_are_refused(self):
        """A plan in which buffers overlap passes neither the check nor, without the check, the runs."""

        def overlapping(e, found, offsets, height):
            real(e, found, [min(x, 64) for x in offsets], height)

        real = _rewrite._set
        with unittest.mock.patch.object(_rewrite, "_set", overlapping):
            self.assertRaisesRegex(stowage.jax.Refused, r"^check: .*step \d+ \(.+\)", stowage.jax.replan, self.compiled)
            with unittest.mock.patch.object(_rewrite, "check"), self.assertRaisesRegex(stowage.Error, "outputs? differ"):
                stowage.jax.replan(self.compiled)

    def test_other_versions_are_refused(self):
        import jaxlib

        with unittest.mock.patch.object(jaxlib, "__version__", "0.11.0"):
            for call in (lambda: stowage.jax.replan(self.compiled), lambda: stowage.jax.rewrite(b"")):
                self.assertRaisesRegex(stowage.jax.Refused, r"jaxlib 0\.11\.0 is not known.*0\.10\.2", call)

    def test_executables_of_other_versions_are_refused(self):
        """An executable may come from another machine: its own head counts, whatever jaxlib is here."""
        n, at = number(self.data, 0)
        head = Message(self.data[at : at + n], "")
        for field, value, words in ((1, 4, r"format has the version 4; stowage.jax knows 3, that of jaxlib 0\.10\.2"), (2, b"ifrt_proxy", "runtime 'ifrt_proxy'")):
            new = Message(head.dump(), "")
            new.fields = [(f, w, value if f == field else x) for f, w, x in new.fields]
            text = new.dump()
            with self.subTest(words), self.assertRaisesRegex(stowage.jax.Refused, words):
                _rewrite.executable(encoded(len(text)) + text + self.data[at + n :], None)

    def edited(self, edit):
        """The executable after edit has been given its first kernel's thunk."""
        e = _thunks.read(self.data)
        thunk = next(t for t in e.result.only(6, "thunks").opened(1, "thunk") if t.text(1, "kind") == "kernel")
        edit(e, thunk)
        return e.dump()

    def test_what_is_not_known_is_refused_by_name(self):
        def kind(e, t):
            t.fields = [(1, 2, b"all-reduce") if f[0] == 1 else f for f in t.fields]

        def slot(e, t):
            t.only(11, "kernel").fields.append((7, 2, b""))

        def part(e, t):
            t.fields.append((23, 2, b""))

        def live_out(e, t):
            e.heap.fields.append((7, 0, 1))

        def second(e, t):
            e.result.only(2, "assignment").fields.append((3, 2, Message(encoded(8) + encoded(99) + encoded(16) + encoded(64), "")))

        def color(e, t):
            e.heap.set(8, 3)

        for edit, words in (
            (kind, r"thunks\[\d+\] \(all-reduce .+\): stowage.jax does not know thunks of the kind 'all-reduce'"),
            (slot, r"\(kernel .+\): stowage.jax does not know field 7 of a thunk of the kind 'kernel'"),
            (part, r"does not know field 23 of a thunk"),
            (live_out, "it has no heap"), (second, "it has 2 heaps"), (color, "color 3"),
        ):  # fmt: skip
            with self.subTest(words), self.assertRaisesRegex(stowage.jax.Refused, words):
                _rewrite.executable(self.edited(edit), None)

    def test_damaged_executables(self):
        """Whatever the bytes are, there is an answer or an InputError."""
        r = random.Random(1)
        for n in range(150):
            data = bytearray(self.data)
            if n % 3 == 0:
                del data[r.randrange(len(data)) :]
            else:
                # The program and the table of buffers, which the parts before them would hide.
                at = len(data) - r.randrange(1, len(data)) if n % 3 == 1 else self.data.index(b"ynn-fusion") + r.randrange(3000)
                data[min(at, len(data) - 1)] = r.randrange(256)
            with contextlib.suppress(stowage.InputError), unittest.mock.patch.object(_rewrite, "plan_of", side_effect=stowage.InputError):
                _rewrite.executable(bytes(data), None)
        for payload in (b"", b"\x80\x04.", b"no pickle", serialize(self.compiled)[0][:500]):
            self.assertRaisesRegex(stowage.InputError, "payload: ", stowage.jax.rewrite, payload)

    def test_what_is_no_compiled_function(self):
        self.assertRaisesRegex(stowage.InputError, "compiled is a function", stowage.jax.replan, lambda x: x)
        self.assertRaisesRegex(stowage.InputError, "runs is -1", stowage.jax.replan, self.compiled, runs=-1)

    def test_nothing_to_plan(self):
        self.assertRaisesRegex(stowage.jax.Refused, "no heap", stowage.jax.replan, compile(lambda x: x + 1, jax.ShapeDtypeStruct((4,), jnp.float32)))


class Machine:
    """Runs a program of random steps on bytes, of which each knows which write it comes from and what was read for it."""

    def __init__(self, e, path):
        self.bytes, self.path, self.log = [None] * 100000, path, []
        self.run(e.program)

    def run(self, sequence):
        for node in sequence:
            if isinstance(node, _thunks.Step):
                seen = [tuple(self.bytes[a.lower : a.upper]) for a in node.reads]
                if any(b is None for x in seen for b in x):
                    raise ValueError("a byte is read that nobody has written")
                self.log.append((node.point, hash(tuple(seen))))
                for k, a in enumerate(node.writes):
                    self.bytes[a.lower : a.upper] = [hash((node.point, k, i, self.log[-1])) for i in range(a.upper - a.lower)]
            elif isinstance(node, _thunks.Branch):
                self.run(node.sequences[self.path.randrange(len(node.sequences))])
            else:
                if not node.counted:
                    self.run(node.condition)
                for _ in range(self.path.randrange(4)):
                    self.run(node.body)
                    if not node.counted:
                        self.run(node.condition)


class Drawn:
    """A random program over a heap: steps, branches and loops, whose slices are drawn without regard to each other."""

    def __init__(self, seed):
        self.r, self.size = random.Random(seed), 64 * self.draw(seed)
        self.steps, self.written = [], []
        program = self.sequence(0)
        nothing = Message(b"", "")
        self.e = _thunks.Executable(b"", nothing, nothing, nothing, self.size, program, self.steps, {})

    @staticmethod
    def draw(seed):
        return random.Random(-1 - seed).randrange(2, 12)

    def sequence(self, depth):
        out = []
        for _ in range(self.r.randrange(1, 6)):
            kind = self.r.random()
            if depth < 3 and kind < 0.15:
                out.append(_thunks.Branch([self.sequence(depth + 1) for _ in range(self.r.randrange(1, 4))]))
            elif depth < 3 and kind < 0.3:
                out.append(_thunks.Loop(self.sequence(depth + 1), self.sequence(depth + 1), self.r.random() < 0.5))
            else:
                out.append(self.step())
        return out

    def step(self):
        s = _thunks.Step(len(self.steps), "")
        self.steps.append(s)
        for _ in range(self.r.randrange(3) if self.written else 0):
            lower, upper = self.r.choice(self.written)
            if self.r.random() < 0.2:  # a part of it
                lower += self.r.randrange((upper - lower + 1) // 2)
            s.reads.append(self.access(lower, upper))
        for _ in range(self.r.randrange(1, 3)):
            if self.written and self.r.random() < 0.4:
                place = self.r.choice(self.written)
            else:
                lower = 64 * self.r.randrange(self.size // 64)
                place = lower, min(lower + self.r.randrange(1, 200), self.size)
            if all(place[1] <= w.lower or w.upper <= place[0] for w in s.writes):
                s.writes.append(self.access(*place))
                self.written.append(place)
        return s

    def access(self, lower, upper):
        return _thunks.Access(Message(b"", ""), lower, upper)


class Programs(unittest.TestCase):
    def test_drawn_programs(self):
        """Programs that run on both layouts read the same; the check says so, and says no if two buffers are moved into
        each other and a read is another one."""
        planned = ran = refused = 0
        for self.seed in range(300):
            old, runs = Drawn(self.seed).e, []
            for path in range(4):
                with contextlib.suppress(ValueError):
                    runs.append((path, Machine(old, random.Random(path)).log))
            if not runs:
                continue
            ran += 1
            found = _lives.buffers(old)
            spread, x = [], 0
            for b in found:
                spread.append(x)
                x += b.end - b.base + 64 & -64
            plans = [spread, [0] * len(found)]
            if self.seed % 10 == 0:
                columns = [b.lower for b in found], [b.upper for b in found], [b.end - b.base for b in found]
                plans.append(stowage.solve(*columns, 64, gaps=[b.gaps for b in found]).offsets)
                planned += 1
            for k, offsets in enumerate(plans):
                new = self.place(old, found, offsets)
                try:
                    _check.check(old, new)
                except stowage.jax.Refused:
                    self.assertEqual(k, 1)
                    refused += 1
                    continue
                for path, log in runs:
                    self.assertEqual(Machine(new, random.Random(path)).log, log)
        self.assertGreater(min(ran, planned * 10, refused), 30)

    def place(self, old, found, offsets):
        """Returns the program again with its buffers at these offsets."""
        to = {a: int(o) - b.base for b, o in zip(found, offsets) for a in b.accesses}
        new = Drawn(self.seed).e
        for s, t in zip(old.steps, new.steps):
            for a, b in zip(s.slices(), t.slices()):
                b.lower, b.upper = a.lower + to[a], a.upper + to[a]
        return new


if __name__ == "__main__":
    unittest.main()

"""The algorithm on specs made here, against ExecuTorch's own functions.

Those are taken out of the installed package without torch, which it needs
elsewhere only. Needs executorch and the command.
"""

import importlib.util
import pathlib
import random
import sys
import types
import unittest
from unittest import mock

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def load_planning():
    """Puts ExecuTorch's planning functions where the algorithm imports them from."""
    path = REPOSITORY / "lab/baseline/framework/testdata/peers.py"
    spec = importlib.util.spec_from_file_location("peers", path)
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    planning = peers.executorch_module()

    def internal_assert(holds, message):
        if not holds:
            raise AssertionError(message)

    planning.internal_assert, planning.InternalError = internal_assert, RuntimeError
    for name in ("executorch", "executorch.exir"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["executorch.exir.memory_planning"] = planning
    return planning


planning = load_planning()

from stowage_executorch import Stowage, StowageError, suite, transport  # noqa: E402


class Spec:
    """What planning reads and writes of a TensorSpec."""

    def __init__(self, nbytes, first, last, mem_id=None, base=None, inside=0):
        self.nbytes, self.lifetime, self.mem_id = nbytes, [first, last], mem_id
        self.mem_obj_id = self.mem_offset = None
        self.storage_base, self.storage_base_offset = base, inside
        self.alignment = 16

    @property
    def allocated_memory(self):
        return -(-self.nbytes // self.alignment) * self.alignment

    def realign(self, alignment):
        self.alignment = alignment
        return self.allocated_memory


def graph(rooms=None):
    return types.SimpleNamespace(input_mem_buffer_sizes=rooms) if rooms is not None else types.SimpleNamespace()


def random_specs(seed, arenas=1, alignment=16):
    r = random.Random(seed)
    specs = []
    for _ in range(r.randint(1, 60)):
        first = r.randrange(40)
        nbytes = r.choice((0, r.randint(1, 40), r.randint(1, 4000), 1024))
        specs.append(Spec(nbytes, first, first + r.choice((0, 1, 2, r.randrange(30))), r.randint(1, arenas) if arenas > 1 else None))
    for _ in range(r.randint(0, 3)):  # in place, and a part of another
        base = r.choice(specs)
        if base.nbytes >= 4 * alignment:
            inside = alignment * r.randint(0, base.nbytes // (2 * alignment))
            own = Spec(r.randint(1, base.nbytes // 4), r.randint(*base.lifetime), base.lifetime[1], base.mem_id, base, inside)
            specs.insert(r.randrange(len(specs) + 1), own)
    return specs


def plan(specs, alignment=16, rooms=None, padding=0, **options):
    algorithm = Stowage(**options)
    return algorithm(alignment, specs, graph(rooms), None, padding), algorithm


def root(spec):
    while spec.storage_base is not None:
        spec = spec.storage_base
    return spec


class Algorithm(unittest.TestCase):
    def check(self, specs, result, alignment, rooms, padding):
        """Holds a plan against what ExecuTorch and its runtime ask for, pair by pair."""
        rooms = rooms or []
        self.assertEqual(set(result.spec_dict), set(specs))
        for s in specs:
            at = result.spec_dict[s]
            self.assertEqual(at.mem_id, root(s).mem_id or 1)
            self.assertLessEqual(at.mem_offset + s.allocated_memory + padding, result.bufsizes[at.mem_id])
            self.assertGreaterEqual(at.mem_offset, rooms[at.mem_id] if at.mem_id < len(rooms) else 0)
            if not any(room % alignment for room in rooms):
                self.assertEqual(at.mem_offset % alignment, 0)
            if s.storage_base is not None:
                self.assertEqual(at.mem_offset, result.spec_dict[s.storage_base].mem_offset + s.storage_base_offset)
        solid = [s for s in specs if s.allocated_memory > 0]
        for i, s in enumerate(solid):
            for o in solid[:i]:
                a, b = result.spec_dict[s], result.spec_dict[o]
                if a.mem_id != b.mem_id or not (
                    a.mem_offset < b.mem_offset + o.allocated_memory and b.mem_offset < a.mem_offset + s.allocated_memory
                ):
                    continue
                self.assertEqual(a.mem_obj_id, b.mem_obj_id, "specs that share bytes name one object")
                if root(s) is not root(o):
                    self.assertFalse(s.lifetime[0] <= o.lifetime[1] and o.lifetime[0] <= s.lifetime[1], "an overlap")

    def test_never_above_greedy(self):
        lower = 0
        for seed in range(60):
            arenas = 1 + seed % 3
            alignment = (16, 64, 32, 128)[seed % 4]
            rooms = None if seed % 2 else [0, 4096, 192][: 1 + seed % 3]
            padding = 64 * (seed % 5 == 0)
            with self.subTest(seed=seed):
                greedy = planning.greedy(alignment, random_specs(seed, arenas, alignment), graph(rooms), None, padding)
                specs = random_specs(seed, arenas, alignment)
                result, algorithm = plan(specs, alignment, rooms, padding)
                self.check(specs, result, alignment, rooms, padding)
                rooms = rooms or []
                self.assertEqual(len(result.bufsizes), max(len(greedy.bufsizes), len(rooms)))
                for mem_id, size in enumerate(result.bufsizes):
                    was = greedy.bufsizes[mem_id] if mem_id < len(greedy.bufsizes) else 0
                    self.assertLessEqual(size, max(was, rooms[mem_id] if mem_id < len(rooms) else 0))
                    lower += size < was
                for arena in algorithm.arenas:
                    self.assertEqual(arena.size, result.bufsizes[arena.mem_id])
                    self.assertLessEqual(arena.lower_bound, arena.size)
                    self.assertLessEqual(arena.size, arena.greedy)
        self.assertGreater(lower, 20, "hardly a plan is lower than greedy's: the problems are too easy")

    def test_suite_writes_the_plan(self):
        specs = random_specs(5)
        chosen = suite()
        sizes = chosen(16, specs, graph(), None, 0)
        self.assertEqual(sizes[1], chosen.algo_list[0].arenas[0].size)
        self.assertLess(sizes[1], chosen.algo_list[0].arenas[0].greedy)
        for s in specs:
            self.assertLessEqual(s.mem_offset + s.allocated_memory, sizes[s.mem_id])

    def test_suite_with_greedy_beside_it(self):
        both = planning.MemoryPlanningAlgorithmSuite([planning.greedy, Stowage()])
        alone = planning.MemoryPlanningAlgorithmSuite([planning.greedy])
        for seed in range(10):
            self.assertLessEqual(
                sum(both(16, random_specs(seed), graph(), None, 0)), sum(alone(16, random_specs(seed), graph(), None, 0))
            )

    def test_greedy_keeps_its_offsets_where_nothing_is_won(self):
        specs = [Spec(100, 0, 1), Spec(50, 1, 2)]
        result, algorithm = plan(specs)
        greedy = planning.greedy(16, specs, graph(), None, 0)
        self.assertEqual(result, greedy)
        self.assertTrue(algorithm.arenas[0].proven)

    def test_nothing_to_place(self):
        result, algorithm = plan([])
        self.assertEqual((result.bufsizes, result.spec_dict, algorithm.arenas), ([0, 0], {}, []))
        result, _ = plan([Spec(0, 0, 4), Spec(0, 2, 3)], rooms=[0, 256])
        self.assertEqual(result.bufsizes, [0, 256])

    def test_what_is_stored_in_another_takes_no_bytes(self):
        specs = random_specs(5)
        without, algorithm = plan(specs)
        self.assertLess(algorithm.arenas[0].size, algorithm.arenas[0].greedy)
        largest = max((s for s in specs if s.storage_base is None), key=lambda s: s.allocated_memory)
        inner = [Spec(largest.nbytes // 2, *largest.lifetime, base=largest, inside=k * 16) for k in range(20)]
        result, _ = plan(inner + specs)
        self.assertEqual(result.bufsizes, without.bufsizes)

    def test_room_of_an_arena_without_specs(self):
        # Greedy forgets it: its sizes are [0, 128].
        result, _ = plan([Spec(64, 0, 1)], rooms=[0, 64, 512])
        self.assertEqual(result.bufsizes, [0, 128, 512])

    def test_last_node_is_inclusive(self):
        result, _ = plan([Spec(64, 0, 3), Spec(64, 3, 5)])
        self.assertEqual(result.bufsizes, [0, 128])

    def test_faults_are_errors(self):
        for alignment in (0, -16, 1.5, None, True):
            with self.subTest(alignment=alignment), self.assertRaisesRegex(ValueError, "alignment"):
                plan([Spec(64, 0, 1)], alignment)
        self.assertRaisesRegex(StowageError, "no program", plan, [Spec(64, 0, 1)], command="/nowhere/stowage")
        stray = Spec(16, 0, 1, base=Spec(64, 0, 1))  # stored in what is not planned
        self.assertRaisesRegex(RuntimeError, "Circular or unresolvable", plan, [Spec(64, 0, 1), stray])

    def test_greedy_below_16(self):
        """A fault of ExecuTorch's that the document names: it sorts, and then rounds."""
        specs = [Spec(40, 0, 1), Spec(33, 2, 3)]
        self.assertRaisesRegex(AssertionError, "not sorted", planning.greedy, 1, specs, graph(), None, 0)

    def test_nothing_is_written_where_the_plan_is_wrong(self):
        for offsets, says in (([0, 0], "same bytes"), ([0, 8], "not aligned or ends above"), ([0, 4096], "not aligned or ends above")):
            specs = [Spec(64, 0, 1), Spec(64, 1, 2)]
            wrong = transport.Plan(offsets, 64, 64, "feasible")
            with mock.patch.object(transport, "plan", return_value=wrong), self.subTest(says):
                with self.assertRaisesRegex(StowageError, says):
                    suite()(16, specs, graph(), None, 0)
                self.assertEqual([(s.mem_id, s.mem_offset) for s in specs], [(None, None)] * 2)


if __name__ == "__main__":
    unittest.main()

"""Banks of ExecuTorch on specs made here, without executorch: cases of its own tests, stated again
(pytorch/executorch 0541325, exir/tests/test_banked_memory_planning.py). Needs the library or the command."""

import sys
import types
import unittest
from typing import NamedTuple
from unittest import mock

from stowage_executorch import Bank, Banked, StowageError

KIB = 1024


class Allocation(NamedTuple):
    mem_id: int
    mem_obj_id: int
    mem_offset: int


class Result(NamedTuple):
    spec_dict: dict
    bufsizes: list


class Spec:
    def __init__(self, nbytes, first, last, mem_id=None, base=None, inside=0):
        self.nbytes, self.lifetime, self.mem_id = nbytes, [first, last], mem_id
        self.storage_base, self.storage_base_offset = base, inside
        self.allocated_memory = nbytes

    def realign(self, alignment):
        self.allocated_memory = -(-self.nbytes // alignment) * alignment


def two(fast, slow):
    return [Bank("fast", fast, 1), Bank("slow", slow, 2)]


def plan(banks, specs, rooms=None, padding=0, alignment=16, **options):
    planning = types.SimpleNamespace(MemoryAlgoResult=Result, SpecAllocResult=Allocation)
    modules = {"executorch": types.ModuleType("executorch"), "executorch.exir": types.ModuleType("executorch.exir")}
    modules["executorch.exir.memory_planning"] = planning
    algorithm = Banked(banks, **options)
    with mock.patch.dict(sys.modules, modules):
        result = algorithm(alignment, specs, types.SimpleNamespace(input_mem_buffer_sizes=rooms), None, padding)
    check(banks, specs, result, rooms or [], padding, alignment)
    return result, algorithm


def check(banks, specs, result, rooms, padding, alignment):
    """Demands that specs that live at once share no byte, and that all lies within its bank, above its room."""
    for k, a in enumerate(specs):
        at = result.spec_dict[a]
        top = at.mem_offset + a.allocated_memory
        for bank in banks:
            if bank.mem_id == at.mem_id and a.storage_base is None:
                assert top + padding <= bank.size and at.mem_offset % (bank.alignment or alignment) == 0
        if a.allocated_memory:
            assert top + padding <= result.bufsizes[at.mem_id]
            assert at.mem_offset >= (rooms[at.mem_id] if at.mem_id < len(rooms) else 0)
        for b in specs[:k]:
            other = result.spec_dict[b]
            lives = a.lifetime[0] <= b.lifetime[1] and b.lifetime[0] <= a.lifetime[1]
            if at.mem_id == other.mem_id and lives and a.storage_base is None and b.storage_base is None:
                assert top <= other.mem_offset or other.mem_offset + b.allocated_memory <= at.mem_offset


def ids(result, specs):
    return [result.spec_dict[spec].mem_id for spec in specs]


class TestBanked(unittest.TestCase):
    def test_spills(self):
        specs = [Spec(KIB, 0, 10) for _ in range(3)]
        result, algorithm = plan(two(2 * KIB, 64 * KIB), specs)
        self.assertEqual(sorted(ids(result, specs)), [1, 1, 2])
        self.assertEqual(result.bufsizes, [0, 2 * KIB, KIB])
        self.assertEqual(algorithm.costs, [(KIB, KIB)])
        specs = [Spec(KIB, 0, 10) for _ in range(6)]
        result, _ = plan([*two(2 * KIB, 2 * KIB), Bank("dram", 64 * KIB, 3)], specs)
        self.assertEqual(sorted(ids(result, specs)), [1, 1, 2, 2, 3, 3])

    def test_reuses_and_prefers(self):
        specs = [Spec(KIB, 0, 4), Spec(KIB, 5, 9)]
        result, _ = plan(two(2 * KIB, 8 * KIB), specs)
        self.assertEqual(result.bufsizes, [0, KIB, 0])
        self.assertEqual(result.spec_dict[specs[0]], result.spec_dict[specs[1]])
        spec = Spec(256, 0, 4)
        result, _ = plan([Bank("slow", 4 * KIB, 2), Bank("fast", 4 * KIB, 1)], [spec])  # the list has the order
        self.assertEqual((ids(result, [spec]), result.bufsizes), ([2], [0, 0, 256]))

    def test_never_above_banked_greedy(self):
        for count, fast, of, theirs in (
            (40, 4 * KIB, lambda i: Spec(256 * (i % 5 + 1), i, i + 8), 14080),
            (120, 16 * KIB, lambda i: Spec(4 * KIB + 16 * i, i, i + 3), 280720),
            (200, 8 * KIB, lambda i: Spec(4 * KIB, i, i + 1), 0),
        ):
            specs = [of(i) for i in range(count)]
            result, algorithm = plan(two(fast, 64 * KIB * KIB), specs, nodes=2000)
            slow = sum(spec.allocated_memory for spec in specs if result.spec_dict[spec].mem_id == 2)
            self.assertLessEqual(slow, theirs)
            self.assertEqual(algorithm.costs, [(slow, slow)])  # proven

    def test_pins(self):
        pinned, other = Spec(256, 0, 10, mem_id=2), Spec(256, 0, 10)
        result, _ = plan(two(4 * KIB, 64 * KIB), [pinned, other])
        self.assertEqual(ids(result, [pinned, other]), [2, 1])
        pinned, others = Spec(256, 0, 10, mem_id=1), [Spec(KIB, 0, 10) for _ in range(4)]
        result, _ = plan(two(2 * KIB, 64 * KIB), [*others, pinned])
        self.assertEqual((ids(result, [pinned]), sorted(ids(result, others))), ([1], [1, 2, 2, 2]))
        away, free = Spec(256, 0, 10, mem_id=7), Spec(256, 0, 10)  # of an arena that is no bank
        result, _ = plan(two(4 * KIB, 64 * KIB), [away, free])
        self.assertEqual((ids(result, [away, free]), result.bufsizes[7]), ([7, 1], 256))

    def test_room_and_padding(self):
        specs = [Spec(KIB, 0, 10) for _ in range(3)]
        result, _ = plan(two(4 * KIB, 64 * KIB), specs, rooms=[0, 3 * KIB, 0])
        self.assertEqual(sorted(ids(result, specs)), [1, 2, 2])
        spec = Spec(256, 0, 4)
        result, _ = plan(two(4 * KIB, 64 * KIB), [spec], padding=64)
        self.assertEqual(result.bufsizes, [0, 320, 0])
        spec = Spec(16, 0, 4)
        result, _ = plan(two(32, 64 * KIB), [spec], padding=64)
        self.assertEqual(result.bufsizes, [0, 0, 80])

    def test_specs_in_specs(self):
        base = Spec(KIB, 0, 10)
        part, none = Spec(256, 0, 10, base=base, inside=512), Spec(0, 0, 10)
        result, _ = plan(two(KIB, 64 * KIB), [base, part, none])
        at, inside = result.spec_dict[base], result.spec_dict[part]
        self.assertEqual((inside.mem_id, inside.mem_offset), (at.mem_id, at.mem_offset + 512))
        self.assertEqual(result.bufsizes, [0, KIB, 0])

    def test_alignment_of_a_bank(self):
        specs = [Spec(48, 0, 4), Spec(48, 0, 4)]
        result, _ = plan([Bank("fast", 4 * KIB, 1, 64)], specs)
        self.assertEqual(sorted(result.spec_dict[s].mem_offset for s in specs), [0, 64])

    def test_refused(self):
        with self.assertRaisesRegex(StowageError, r"no plan for 3 specs in fast \(mem_id 1\) of 2048 bytes: it is proven"):
            plan([Bank("fast", 2 * KIB, 1)], [Spec(KIB, 0, 10) for _ in range(3)])
        with self.assertRaisesRegex(StowageError, "must lie in arena 1, whose bank has no room"):
            plan(two(KIB, 8 * KIB), [Spec(16, 0, 1, mem_id=1)], rooms=[0, KIB])
        with self.assertRaisesRegex(StowageError, "alignment 24, which is no multiple of that of the program, 16"):
            plan([Bank("fast", KIB, 1, 24)], [Spec(16, 0, 1)])
        for banks, why in (
            ([], "no bank"), (two(0, 16), "0 bytes"), ([Bank("a", 16, 0)], "begin with 1"), ([Bank("a", 16, 1), Bank("a", 16, 2)], "shares its name"),
            ([Bank("a", 16, 1), Bank("b", 16, 1)], "shares its name or its mem_id 1"),
        ):
            self.assertRaisesRegex(ValueError, why, Banked, banks)


if __name__ == "__main__":
    unittest.main()

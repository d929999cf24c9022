"""stowage.xdsl: modules give the same results from one arena; what cannot move stays, and the report says why.

Both runs fill fresh memory, and each new view, with a pattern: if two live allocations shared bytes, results would change."""

import importlib.util
import json
import pathlib
import sys
import types
import unittest
import unittest.mock

from xdsl.context import Context
from xdsl.dialects import builtin, get_all_dialects
from xdsl.parser import Parser

import stowage
import stowage.xdsl
from stowage import _command
from stowage.xdsl import _plan

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lab" / "bench" / "xdsl"))

import forms
import modules


def context():
    c = Context()
    for name, factory in get_all_dialects().items():
        c.register_dialect(name, factory)
    return c


def parsed(text):
    return Parser(context(), text).parse_module()


def function(body, arguments="", result="", more=""):
    return f"func.func @main({arguments}) {'-> ' + result if result else ''} {{\n%c0 = arith.constant 0 : index\n%x = arith.constant 1.0 : f32\n{body}\n}}\n{more}"


class Xdsl(unittest.TestCase):
    def same(self, text, arguments=modules.ARGUMENTS):
        before, after = parsed(text), parsed(text)
        reports = stowage.xdsl.plan(after)
        for a in arguments:
            old, new = stowage.xdsl.run(before, "main", *a), stowage.xdsl.run(after, "main", *a)
            self.assertEqual((old.results, old.memory), (new.results, new.memory))
        return reports, after

    def test_ten_modules(self):
        self.assertEqual(len(modules.MODULES), 10)
        for name, text in modules.MODULES.items():
            with self.subTest(name):
                reports, after = self.same(text)
                for r in reports:
                    self.assertEqual((r.left, r.arena), ({}, r.bound))
                    self.assertGreater(r.planned, 2)
                allocations = [op for op in after.walk() if op.name == "memref.alloc"]
                self.assertEqual(len(allocations), len(reports))

    def test_modules_at_random(self):
        planned = shared = 0
        for seed in range(25):
            with self.subTest(seed):
                reports, _ = self.same(modules.scratch(seed), [(0, 0.5), (3, 1.25)])
                planned += reports[0].planned
                shared += reports[0].total - reports[0].arena
        self.assertGreater(planned, 80)
        self.assertGreater(shared, 1500)

    def test_a_wrong_plan_is_seen(self):
        """The comparison can fail: with all offsets 0 the results are others."""
        real, before, after = _plan._rewrite, parsed(modules.MODULES["nested"]), parsed(modules.MODULES["nested"])

        def wrong(f, space, moved, height):
            real(f, space, [(a, 0) for a, _ in moved], height)

        with unittest.mock.patch.object(_plan, "_rewrite", wrong):
            stowage.xdsl.plan(after)
        self.assertNotEqual(stowage.xdsl.run(before, "main", 4, 0.75).results, stowage.xdsl.run(after, "main", 4, 0.75).results)

    def test_sides_of_a_branch_share(self):
        body = """%n = arith.constant 1 : i1
        scf.if %n {
          %a = memref.alloc() : memref<100xf32>
          memref.store %x, %a[%c0] : memref<100xf32>
          memref.dealloc %a : memref<100xf32>
        } else {
          %b = memref.alloc() : memref<100xf32>
          memref.store %x, %b[%c0] : memref<100xf32>
          memref.dealloc %b : memref<100xf32>
        }
        func.return"""
        (report,), _ = self.same(function(body), [()])
        self.assertEqual((report.planned, report.total, report.arena), (2, 800, 400))
        self.assertEqual(str(report), "@main: 2 allocations of 800 bytes in an arena of 400, the least possible for these lifespans")

    def test_live_until_the_last_access(self):
        """A dealloc at the end of the function keeps nothing alive; a use in a loop does, for the whole loop."""
        body = """%c1 = arith.constant 1 : index
        %c9 = arith.constant 9 : index
        %a = memref.alloc() : memref<8xf32>
        %b = memref.alloc() : memref<8xf32>
        memref.store %x, %a[%c0] : memref<8xf32>
        scf.for %k = %c0 to %c9 step %c1 {
          %v = memref.load %a[%c0] : memref<8xf32>
          %c = memref.alloc() : memref<8xf32>
          memref.store %v, %c[%c0] : memref<8xf32>
          memref.dealloc %c : memref<8xf32>
        }
        memref.store %x, %b[%c0] : memref<8xf32>
        memref.dealloc %a : memref<8xf32>
        memref.dealloc %b : memref<8xf32>
        func.return"""
        (report,), _ = self.same(function(body), [()])
        self.assertEqual((report.planned, report.arena), (3, 96))

    def test_what_stays(self):
        alloc = "%a = memref.alloc() : memref<4xf32>\n"
        free = "memref.dealloc %a : memref<4xf32>\n"
        end = "func.return"
        loop = """%c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %a = memref.alloc() : memref<4xf32>
        memref.store %x, %a[%c0] : memref<4xf32>
        %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%old = %a) -> (memref<4xf32>) {
          %b = memref.alloc() : memref<4xf32>
          %v = memref.load %old[%c0] : memref<4xf32>
          %w = arith.addf %v, %v : f32
          memref.store %w, %b[%c0] : memref<4xf32>
          memref.dealloc %old : memref<4xf32>
          scf.yield %b : memref<4xf32>
        }
        %s = memref.load %r[%c0] : memref<4xf32>
        memref.dealloc %r : memref<4xf32>
        func.return %s : f32"""
        callee = "func.func @keep(%m: memref<4xf32>) {\nfunc.return\n}"
        for body, arguments, result, more, why in (
            (alloc + "func.return %a : memref<4xf32>", "", "memref<4xf32>", "", ["it is returned"]),
            ("%a = memref.alloc(%n) : memref<?xf32>\nmemref.dealloc %a : memref<?xf32>\n" + end, "%n: index", "", "", ["its size is known only at run time"]),
            ("%a = memref.alloc() : memref<4xf32, strided<[2]>>\n" + end, "", "", "", ["it has a layout"]),
            ("%a = memref.alloc() : memref<0xf32>\n" + end, "", "", "", ["it is empty"]),
            (alloc + "func.call @keep(%a) : (memref<4xf32>) -> ()\n" + end, "", "", callee, ["it is given to keep, and this function does not free it"]),
            (alloc + "%p = \"memref.extract_aligned_pointer_as_index\"(%a) : (memref<4xf32>) -> index\n" + free + end, "", "", "", ["memref.extract_aligned_pointer_as_index"]),
            ("%a = memref.alloc() : memref<4xf32>\n%b = memref.alloc() : memref<1xmemref<4xf32>>\nmemref.store %a, %b[%c0] : memref<1xmemref<4xf32>>\n" + end,
             "", "", "", ["it is stored in memory", "the size of its elements"]),
            (alloc + "%i = arith.constant 1 : i1\n%s = arith.select %i, %a, %m : memref<4xf32>\nmemref.dealloc %s : memref<4xf32>\n" + end,
             "%m: memref<4xf32>", "", "", ["its dealloc may free another memref"]),
            (loop, "", "f32", "", ["its dealloc may free another", "it may be live twice at once"]),
        ):  # fmt: skip
            with self.subTest(why):
                module = parsed(function(body, arguments, result, more))
                text = str(module)
                report = stowage.xdsl.plan(module)[0]
                self.assertEqual((report.planned, report.arena, len(report.left)), (0, 0, len(why)))
                for words, (name, reason) in zip(why, report.left.items()):
                    self.assertIn(words, reason)
                    self.assertIn(f"  {name} stays: {reason}", str(report))
                self.assertEqual(str(module), text)

    def test_a_function_may_keep_what_it_is_given(self):
        """@put stores %a in a memref of memrefs, from which it is read after the call: %b may not have its bytes."""
        body = """%o = memref.alloc() : memref<1xmemref<4xf32>>
        %a = memref.alloc() : memref<4xf32>
        memref.store %x, %a[%c0] : memref<4xf32>
        func.call @put(%o, %a) : (memref<1xmemref<4xf32>>, memref<4xf32>) -> ()
        %b = memref.alloc() : memref<4xf32>
        memref.store %x, %b[%c0] : memref<4xf32>
        %r = memref.load %o[%c0] : memref<1xmemref<4xf32>>
        %v = memref.load %r[%c0] : memref<4xf32>
        memref.dealloc %a : memref<4xf32>
        %c = memref.alloc() : memref<4xf32>
        memref.store %v, %c[%c0] : memref<4xf32>
        memref.dealloc %c : memref<4xf32>
        memref.dealloc %b : memref<4xf32>
        func.return"""
        put = """func.func @put(%o: memref<1xmemref<4xf32>>, %m: memref<4xf32>) {
        %c0 = arith.constant 0 : index
        memref.store %m, %o[%c0] : memref<1xmemref<4xf32>>
        func.return
        }"""
        report = stowage.xdsl.plan(parsed(function(body, more=put)))[0]
        self.assertEqual((report.planned, report.arena, report.bound, list(report.left)), (3, 32, 32, ["%o"]))

    def test_sizes_that_vary(self):
        """At sizes within the ranges and beyond, results are the same, and the arena is what the order needs."""
        text = modules.varied()
        before, after = parsed(text), parsed(text)
        (report,) = stowage.xdsl.plan(after, ranges={"n": (1, 64), "m": (4, 32, 4), "given:0": (1, 100)})
        self.assertEqual((report.planned, report.left, report.arena), (5, {}, report.bound))
        self.assertEqual([op.memref.type.get_shape() for op in after.walk() if op.name == "memref.alloc"], [(builtin.DYNAMIC_INDEX,)])
        peaks = []
        for n, m, size in ((1, 4, 1), (7, 8, 33), (64, 32, 100), (65, 3, 1), (200, 100, 1000)):
            given = [0.5] * size
            old, new = stowage.xdsl.run(before, "main", n, m, given, 1.5), stowage.xdsl.run(after, "main", n, m, given, 1.5)
            self.assertEqual((old.results, old.memory), (new.results, new.memory))
            self.assertLessEqual(new.peak, old.peak + 5 * 15)  # alignment
            peaks.append(new.peak)
        self.assertEqual(peaks[2], report.arena)
        self.assertEqual(len(set(peaks)), 5)

    def test_sizes_that_vary_and_stay(self):
        alloc = "%a = memref.alloc(%k) : memref<?xf32>\nmemref.dealloc %a : memref<?xf32>\nfunc.return"
        for body, why in (
            (alloc.replace("%k", "%n"), "give the range of n, as ranges={'n': (1, 512)}"),
            ("%k = memref.dim %given, %c0 : memref<?xf32>\n" + alloc, "give the range of given:0"),
            ("%v = memref.load %given[%c0] : memref<?xf32>\n%i = arith.fptosi %v : f32 to i32\n%k = arith.index_cast %i : i32 to index\n" + alloc, "only at run time"),
        ):
            with self.subTest(why):
                module = parsed(function(body, "%n: index, %given: memref<?xf32>"))
                report = stowage.xdsl.plan(module, ranges={"m": (1, 2)})[0]
                self.assertIn(why, report.left["%a"])
        with self.assertRaisesRegex(stowage.InputError, "range"):
            stowage.xdsl.plan(parsed(function(alloc.replace("%k", "%n"), "%n: index")), ranges={"n": (9, 2)})

    def test_forms_of_compilers(self):
        """Max and add for IREE and TVM: the offsets of Order, at values of the ranges, beyond them, and for any sizes."""
        formulas = ("4*n", "n*m", "3+n", "64", "m^2", "2*n*m+5", "1", "ceil(n/2)*7", "n^2", "16*m")
        buffers = [
            {"id": str(k), "lower": k // 2, "upper": k // 2 + 2 + k % 3, "size": text, "alignment": (1, 16, 1, 48)[k % 4]} for k, text in enumerate(formulas * 2)
        ]
        family = {"version": 3, "symbols": {"n": [1, 40], "m": [1, 9, 2]}, "buffers": buffers}
        _, plan = _command.solve("-", [], json.dumps(family))
        order = stowage.Order(plan)
        module = parsed(forms.emitted(forms.Iree(), plan))
        made = {}
        exec(forms.emitted(forms.Tvm(), plan), made)
        forms_of_tir = [types.SimpleNamespace(IntImm=lambda _, n: n, max=max, floordiv=lambda a, b: a // b)]
        if importlib.util.find_spec("tvm"):  # it folds constants
            forms_of_tir.append(importlib.import_module("tvm.tirx" if importlib.util.find_spec("tvm.tirx") else "tvm.tir"))
        any_sizes = [(7919 * k + 13) % 1000 for k in range(len(buffers))]
        for sizes in (order.sizes(n=1, m=1), order.sizes(n=17, m=5), order.sizes(n=40, m=9), order.sizes(n=999, m=300), any_sizes):
            offsets = order.place(sizes)
            height, *starts = stowage.xdsl.run(module, "offsets", *sizes).results
            self.assertEqual((height, starts), (order.height, offsets))
            for tir in forms_of_tir:
                most, begins = made["offsets"](tir, [tir.IntImm("int64", n) for n in sizes])
                self.assertEqual((int(most), list(map(int, begins))), (order.height, offsets))
        self.assertEqual(order.place(order.sizes(n=40, m=9)), plan["plan"]["offsets"])
        self.assertTrue({"arith.addi", "arith.maxsi"} <= {op.name for op in module.walk()})
        with self.assertRaisesRegex(stowage.InputError, "fixed"):
            forms.emitted(forms.Tvm(), {**plan, "buffers": [{**b, "fixed": 0} for b in plan["buffers"]]})

    def test_what_no_machine_has_stays(self):
        body = """%a = memref.alloc() : memref<9223372036854775807xf64>
        %b = memref.alloc() : memref<4xf32>
        memref.dealloc %a : memref<9223372036854775807xf64>
        memref.dealloc %b : memref<4xf32>
        func.return"""
        report = stowage.xdsl.plan(parsed(function(body)))[0]
        self.assertEqual((report.planned, report.arena), (1, 16))
        self.assertIn("more than a machine can have", report.left["%a"])

    def test_what_stays_beside_what_moves(self):
        """A loop carries memory on and frees the one before, so that stays; its temporaries move."""
        body = """%c1 = arith.constant 1 : index
        %a = memref.alloc() : memref<4xf32>
        memref.store %x, %a[%c0] : memref<4xf32>
        %r = scf.for %k = %c0 to %n step %c1 iter_args(%old = %a) -> (memref<4xf32>) {
          %b = memref.alloc() : memref<4xf32>
          %t = memref.alloc() : memref<4xf32>
          %v = memref.load %old[%c0] : memref<4xf32>
          memref.store %v, %t[%c0] : memref<4xf32>
          %u = memref.alloc() : memref<4xf32>
          memref.store %v, %u[%c0] : memref<4xf32>
          %w = memref.load %t[%c0] : memref<4xf32>
          memref.dealloc %t : memref<4xf32>
          %y = memref.load %u[%c0] : memref<4xf32>
          memref.dealloc %u : memref<4xf32>
          %z = arith.addf %w, %y : f32
          memref.store %z, %b[%c0] : memref<4xf32>
          memref.dealloc %old : memref<4xf32>
          scf.yield %b : memref<4xf32>
        }
        %s = memref.load %r[%c0] : memref<4xf32>
        memref.dealloc %r : memref<4xf32>
        func.return %s : f32"""
        (report,), _ = self.same(function(body, "%n: index", "f32"), [(k,) for k in range(5)])
        self.assertEqual((report.planned, report.arena, sorted(report.left)), (2, 32, ["%a", "%b"]))

    def test_parallel_loops(self):
        body = """%c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %a = memref.alloc() : memref<4xf32>
        "scf.parallel"(%c0, %c4, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
        ^bb0(%k: index):
          %b = memref.alloc() : memref<4xf32>
          memref.store %x, %b[%k] : memref<4xf32>
          memref.store %x, %a[%k] : memref<4xf32>
          memref.dealloc %b : memref<4xf32>
          scf.reduce
        }) : (index, index, index) -> ()
        memref.dealloc %a : memref<4xf32>
        func.return"""
        report = stowage.xdsl.plan(parsed(function(body)))[0]
        self.assertEqual((report.planned, report.left), (1, {"%b": "it is inside scf.parallel, whose regions may run at the same time"}))

    def test_alignment_and_memory_spaces(self):
        body = """%a = memref.alloc() {alignment = 128 : i64} : memref<3xi8>
        %b = memref.alloc() : memref<5xi8>
        %c = memref.alloc() : memref<7xi8, 1 : i32>
        %i = arith.constant 7 : i8
        memref.store %i, %b[%c0] : memref<5xi8>
        memref.store %i, %a[%c0] : memref<3xi8>
        memref.store %i, %c[%c0] : memref<7xi8, 1 : i32>
        %v = memref.load %b[%c0] : memref<5xi8>
        memref.dealloc %a : memref<3xi8>
        memref.dealloc %b : memref<5xi8>
        memref.dealloc %c : memref<7xi8, 1 : i32>
        func.return"""
        module = parsed(function(body))
        report = stowage.xdsl.plan(module)[0]
        arenas = [op for op in module.walk() if op.name == "memref.alloc"]
        self.assertEqual(sorted(a.memref.type.get_shape()[0] for a in arenas), [7, 21])
        self.assertEqual(report.arena, 28)
        self.assertIn("alignment = 128", str(module))

    def test_pass(self):
        text = modules.MODULES["calls"]
        by_hand, by_pass = parsed(text), parsed(text)
        stowage.xdsl.plan(by_hand)
        stowage.xdsl.ArenaPass.from_spec(stowage.xdsl.ArenaPass(timeout=5.0).spec()).apply(context(), by_pass)
        self.assertEqual(str(by_hand), str(by_pass))
        self.assertEqual([r.planned for r in stowage.xdsl.plan(by_pass)], [1, 1])  # the arenas themselves

    def test_no_plan_no_change(self):
        """A function that cannot be planned stays whole, its deallocs too."""
        module = parsed(modules.MODULES["nested"])
        before = str(module)
        with unittest.mock.patch.object(_plan, "plan_of", side_effect=stowage.Error("there is no planner")):
            self.assertRaisesRegex(stowage.Error, "no planner", stowage.xdsl.plan, module)
        self.assertEqual(str(module), before)

    def test_transfers_stay(self):
        """A transfer goes on after the operation that starts it, which says nothing of when it ends."""
        module = parsed(function("%m = memref.alloc() : memref<4xf32>\nmemref.store %x, %m[%c0] : memref<4xf32>\nmemref.dealloc %m : memref<4xf32>\nfunc.return"))
        store = next(op for op in module.walk() if op.name == "memref.store")
        with unittest.mock.patch.object(type(store), "name", "affine.dma_start"):
            self.assertEqual(_plan._stays(unittest.mock.Mock(op=store, values={store.memref})), "it is used by affine.dma_start, which stowage.xdsl does not know")
        self.assertEqual(stowage.xdsl.plan(module)[0].planned, 1)

    def test_errors(self):
        self.assertRaisesRegex(stowage.InputError, "module is a str", stowage.xdsl.plan, "builtin.module")
        with self.assertRaisesRegex(ValueError, "freed twice"):
            body = "%a = memref.alloc() : memref<4xf32>\nmemref.dealloc %a : memref<4xf32>\nmemref.dealloc %a : memref<4xf32>\nfunc.return"
            stowage.xdsl.run(parsed(function(body)), "main")


if __name__ == "__main__":
    unittest.main()

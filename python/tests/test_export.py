"""ExecuTorch's exporter with the plug-in, and its runtime on what comes out.

Needs executorch with torch and all that they depend on, and the command. Outputs
are held against those of the program that ExecuTorch's greedy planned, bit for bit:
the kernels are the same, so nothing but a plan that destroys data can differ.
"""

import copy
import functools
import os
import pathlib
import sys
import unittest
from unittest import mock

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.memory_planning import apply_algo, collect_specs_from_nodes, MemoryPlanningAlgorithmSuite, Verifier
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.schema import DeviceType, TensorShapeDynamism
from executorch.runtime import Runtime, Verification
from torch.export import Dim, export

from stowage_executorch import StowageError, suite, transport

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import networks  # noqa: E402

torch.set_num_threads(1)

# All networks and branches, for nights and releases; else those that differ most.
EVERY = os.environ.get("STOWAGE_CASES") == "all"


def edge_of(methods, **options):
    """The edge program of methods by name, each a module and its inputs."""
    if not isinstance(methods, dict):
        methods = {"forward": methods}
    return to_edge({name: export(m.eval(), args, **options) for name, (m, args) in methods.items()})


def planned(edge, algorithm, **options):
    """The program and the sizes of the arenas of each of its methods."""
    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(memory_planning_algo=algorithm, **options))
    program = copy.deepcopy(edge).to_executorch(config)
    return program, {p.name: p.non_const_buffer_sizes for p in program.executorch_program.execution_plan}


def run(program, args, times=1, method="forward"):
    loaded = Runtime.get().load_program(program.buffer, verification=Verification.InternalConsistency).load_method(method)
    # What comes back may lie in the arena, which the next run writes to.
    return [[value.clone() for value in loaded.execute(list(args))] for _ in range(times)]


# The exporter takes seconds for a network, and planned works on a copy: each is exported once.
@functools.cache
def small():
    """A DenseNet small enough to plan often: its inputs and its edge program."""
    torch.manual_seed(0)
    args = (torch.randn(1, 3, 32, 32),)
    return args, edge_of((networks.DenseNet((6, 6), 16, 16), args))


@functools.cache
def made(name):
    """A network by name: the module, its inputs and its edge program."""
    module, args = networks.make(name)
    return module, args, edge_of((module, args))


class Export(unittest.TestCase):
    def unplanned(self):
        """The graph that memory planning gets, and the specs in it that it plans."""
        program, _ = planned(small()[1], None)
        graph = program.exported_program().graph_module
        specs = list(collect_specs_from_nodes(graph.graph.nodes, do_assertion=False))
        for spec in specs:
            spec.mem_id = spec.mem_offset = spec.mem_obj_id = None
        return graph, specs

    def compare(self, edge, args, *more, times=1, twice=False, **options):
        """Plans with greedy and with Stowage, runs both on each tuple of inputs, and returns
        the sizes. If twice is true, a second plan must be the same."""
        ours = suite()
        before, greedy = planned(edge, None, **options)
        after, sizes = planned(edge, ours, **options)
        for method, arenas in sizes.items():
            self.assertEqual(len(arenas), len(greedy[method]))
            for size, was in zip(arenas, greedy[method]):
                self.assertLessEqual(size, was, method)
        for inputs in (args, *more):
            for x, y in zip(run(before, inputs, times), run(after, inputs, times)):
                self.assertEqual(len(x), len(y))
                for a, b in zip(x, y):
                    self.assertTrue(torch.equal(a, b), "the outputs differ")
        if twice:
            again, _ = planned(edge, suite(), **options)
            self.assertEqual(again.buffer, after.buffer, "planned twice it is not the same")
        return greedy["forward"], sizes["forward"], after

    @unittest.skipUnless(os.environ.get("STOWAGE_LIBRARY"), "needs the library, which STOWAGE_LIBRARY names")
    def test_over_the_library(self):
        # What a user has who names no command: the same program, to the byte.
        args, edge = small()
        by_command, _ = planned(edge, suite())
        with mock.patch.dict(os.environ), mock.patch.object(transport, "find", mock.Mock(side_effect=AssertionError("the command is asked for"))):
            del os.environ["STOWAGE"]
            greedy, sizes, program = self.compare(edge, args)
        self.assertLess(sizes[1], greedy[1])
        self.assertEqual(program.buffer, by_command.buffer)

    def test_networks(self):
        # Each takes half a minute; the first saves most, and the last is no network of images.
        names = list(networks.NETWORKS)
        for name in names if EVERY else (names[0], names[-1]):
            with self.subTest(name):
                module, args, edge = made(name)
                greedy, sizes, program = self.compare(edge, args, twice=EVERY or name == names[-1])
                if name == "DenseNet-like":
                    self.assertLessEqual(sizes[1], 0.86 * greedy[1])
                want = module(*args)
                self.assertTrue(torch.allclose(run(program, args)[0][0], want, rtol=1e-3, atol=1e-4))

    def test_inputs_and_outputs(self):
        class Wide(torch.nn.Module):
            def forward(self, x, y):
                a = torch.cat([x, x.cos(), y], 0)
                return a * 2, torch.cat([a.sin(), y, x], 0)

        args = (torch.randn(8, 32), torch.randn(24, 32))
        edge, seen = edge_of((Wide(), args)), set()
        for into in (True, False):
            for out in (True, False):
                with self.subTest(alloc_graph_input=into, alloc_graph_output=out):
                    _, sizes, _ = self.compare(edge, args, alloc_graph_input=into, alloc_graph_output=out)
                    seen.add(sizes[1])
        self.assertEqual(len(seen), 4, "the options make no difference")

    def test_alignment_and_verifier(self):
        _, args, edge = made("GPT 4×192")
        for alignment in (64, 1024):
            with self.subTest(alignment=alignment):
                _, _, program = self.compare(edge, args, alignment=alignment)
                graph = program.exported_program().graph_module
                self.assertGreater(Verifier(graph, True, True, True).verify_storage_reuse(), 100)
                offsets = [v.val.allocation_info.memory_offset_low for v in program.executorch_program.execution_plan[0].values if getattr(v.val, "allocation_info", None)]
                self.assertGreater(len(offsets), 100)
                self.assertEqual({o % alignment for o in offsets}, {0})

    def test_control_flow(self):
        from torch._higher_order_ops.map import map as over
        from torch._higher_order_ops.scan import scan

        def up(x):
            return (x + 1).cos() * (x @ x)

        def down(x):
            return torch.cat([x, x.exp()], 0).sin()[:8] @ x

        class Cond(torch.nn.Module):
            def forward(self, p, x):
                y = torch.cond(p, up, down, (x * 2,))
                # y is not copied out of the room of the branches, and lives on.
                z = torch.cat([x, x.cos(), x.sin()], 0).exp().sum(0)
                return y * z + x

        class Nested(torch.nn.Module):
            def forward(self, p, q, x):
                return torch.cond(p, lambda q, x: torch.cond(q, up, down, (x.sin(),)) + x, lambda q, x: down(x), (q, x)) * 2

        class Map(torch.nn.Module):
            def forward(self, xs, y):
                return over(lambda x, y: (x + y).cos() * (x - y), xs, y) + 1

        class Scan(torch.nn.Module):
            def forward(self, start, xs):
                carry, ys = scan(lambda c, x: ((c + x).sin(), (c * x).cos() @ x), start, xs)
                return carry + 1, ys * 2

        x = torch.randn(8, 8)
        flags = [torch.tensor(p) for p in (True, False)]
        # The exporter keeps the predicates of its example where one cond is in another.
        nested = [(Nested(), [(p, q, x)]) for p in flags for q in flags][:: 1 if EVERY else 3]
        for module, inputs in ((Cond(), [(p, x) for p in flags]), *nested):
            with self.subTest(type(module).__name__):
                _, _, program = self.compare(edge_of((module, inputs[0])), *inputs)
                for args in inputs:
                    self.assertTrue(torch.allclose(run(program, args)[0][0], module(*args), atol=1e-5))
        for module, args in ((Map(), (torch.randn(5, 8, 8), x)), (Scan(), (x, torch.randn(5, 8, 8)))):
            edge = edge_of((module, args))
            for options in ({}, {"alloc_graph_input": False, "alloc_graph_output": False}):
                with self.subTest(type(module).__name__, **options):
                    greedy, sizes, program = self.compare(edge, args, **options)
                    for got, want in zip(run(program, args)[0], module(*args) if isinstance(module, Scan) else [module(*args)]):
                        self.assertTrue(torch.allclose(got, want, atol=1e-5))
                    if isinstance(module, Map):
                        self.assertLess(sizes[1], greedy[1])

    def test_room_of_submodules(self):
        class Branch(torch.nn.Module):
            def forward(self, p, x):
                return torch.cond(p, lambda x: x.cos() @ x, lambda x: x.sin() + x, (x,)) + x

        edge, ours = edge_of((Branch(), (torch.tensor(True), torch.randn(16, 16)))), suite()
        planned(edge, ours)
        arenas = ours.algo_list[0].arenas
        self.assertEqual([a.room for a in arenas], [0, 0, max(a.size for a in arenas[:2])])
        self.assertGreater(arenas[2].room, 0)

    def test_state(self):
        class Counter(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("total", torch.zeros(4, 16))

            def forward(self, x):
                self.total.add_(x)
                return torch.cat([self.total, x.cos()], 0).sum(0) + torch.cat([x, x.sin(), x], 0).sum(0)

        args = (torch.randn(4, 16),)
        edge = edge_of((Counter(), args))
        self.compare(edge, args, times=3)
        _, _, program = self.compare(edge, args, times=3, alloc_mutable_buffers=True)
        reference = Counter()
        for got in run(program, args, times=3):
            self.assertTrue(torch.allclose(got[0], reference(*args), atol=1e-5))

    def test_shared_state_of_two_methods(self):
        class Store(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("total", torch.zeros(4, 16))

            def forward(self, x):
                self.total.add_(x)
                return self.total * 2

            def clear(self, x):
                self.total.mul_(0)
                return self.total + torch.cat([x, x], 0)[:4]

        module, args = Store().eval(), (torch.randn(4, 16),)
        first = export(module, args)
        module.forward = module.clear
        edge = to_edge({"forward": first, "clear": export(module, args)})
        greedy, sizes, _ = self.compare(edge, args, times=2, share_mutable_buffers=True)
        self.assertEqual(sizes[2], greedy[2])
        self.assertEqual(sizes[2], 4 * 16 * 4)

    def test_dynamic_shapes(self):
        class Cat(torch.nn.Module):
            def forward(self, x):
                a = torch.cat([x, x.cos()], 1)
                return torch.cat([a, a.sin(), x], 1).exp().sum(1)

        large = (torch.randn(16, 8),)
        edge = edge_of((Cat(), large), dynamic_shapes=({0: Dim("rows", min=1, max=32)},))
        self.compare(edge, large, (torch.randn(3, 8),))

    def test_without_an_upper_bound(self):
        graph, _ = self.unplanned()
        before = apply_algo(suite(), graph, 16)
        graph, specs = self.unplanned()
        for spec in specs[10:14]:
            spec.shape_dynamism = TensorShapeDynamism.DYNAMIC_UNBOUND
        sizes = apply_algo(suite(), graph, 16)
        self.assertEqual([s.mem_offset for s in specs[10:14]], [None] * 4)
        self.assertNotIn(None, [s.mem_offset for s in specs[:10] + specs[14:]])
        self.assertLessEqual(sizes[1], before[1])

    def test_tensors_without_bytes(self):
        class Empty(torch.nn.Module):
            def forward(self, x):
                return torch.cat([x[:0].cos(), x.sin()], 0), x[:0] + 1

        args = (torch.randn(4, 4),)
        _, _, program = self.compare(edge_of((Empty(), args)), args)
        self.assertEqual([tuple(v.shape) for v in run(program, args)[0]], [(4, 4), (0, 4)])

    def test_arenas(self):
        class Pools:
            """A suite behind a pass that gives each tensor one of three arenas."""

            def __init__(self, chosen):
                self.chosen = chosen

            def __call__(self, alignment, specs, *rest):
                for i, spec in enumerate(specs):
                    spec.mem_id = 1 + i // 8 % 3
                return self.chosen(alignment, specs, *rest)

        (args, edge), ours = small(), suite()
        before, greedy = planned(edge, Pools(MemoryPlanningAlgorithmSuite()))
        after, sizes = planned(edge, Pools(ours))
        greedy, sizes = greedy["forward"], sizes["forward"]
        self.assertEqual((len(sizes), [a.mem_id for a in ours.algo_list[0].arenas]), (4, [1, 2, 3]))
        self.assertTrue(all(size <= was for size, was in zip(sizes, greedy)))
        self.assertLess(sum(sizes), sum(greedy))
        self.assertTrue(torch.equal(run(before, args)[0][0], run(after, args)[0][0]))

    def test_delegate(self):
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        class Both(torch.nn.Module):
            """Some of it XNNPACK takes, and some of it not."""

            def __init__(self):
                super().__init__()
                self.first, self.second = torch.nn.Conv2d(3, 8, 3), torch.nn.Conv2d(8, 8, 3)

            def forward(self, x):
                y = self.first(x).cumsum(-1)
                return self.second(y).cumsum(0) + y[..., 1:-1, 1:-1].cumsum(0)

        torch.manual_seed(0)
        module, args = Both().eval(), (torch.randn(1, 3, 20, 20),)
        edge = to_edge_transform_and_lower(export(module, args), partitioner=[XnnpackPartitioner()])
        _, _, program = self.compare(edge, args)
        self.assertGreater(len(program.executorch_program.execution_plan[0].delegates), 0)
        self.assertTrue(torch.allclose(run(program, args)[0][0], module(*args), atol=1e-4))

    def test_devices(self):
        found = []
        for algorithm in (MemoryPlanningAlgorithmSuite(), suite()):
            graph, specs = self.unplanned()
            for i, spec in enumerate(specs):
                if i // 8 % 3:
                    spec.device, spec.device_index = DeviceType.CUDA, i // 8 % 3 - 1
            found.append(apply_algo(algorithm, graph, 16, enable_non_cpu_memory_planning=True))
            self.assertEqual(len({(d.device_type, d.device_index) for d in graph.meta["non_const_buffer_device"]}), 2)
            self.assertGreater(Verifier(graph, True, True, True).verify_storage_reuse(), 10)
        self.assertEqual(len(found[1]), 4)
        self.assertTrue(all(size <= was for size, was in zip(found[1], found[0])), found)
        self.assertLess(sum(found[1]), sum(found[0]))

    def test_faults_that_the_document_names(self):
        """Not ours: they are there with greedy, and the document says so. Where one is
        gone, the document and what leans on it want another look."""

        class Two(torch.nn.Module):
            def forward(self, p, x):
                return torch.cond(p, up, down, (x,)) + torch.cond(p, down, up, (x * 2,)).relu()

        class Bare(torch.nn.Module):
            def forward(self, p, x):
                return torch.cond(p, up, down, (x,))

        def up(x):
            return (x + 1).cos() @ x

        def down(x):
            return x.sin() + x

        args = (torch.tensor(True), torch.randn(8, 8))
        two, bare = (edge_of((module, args)) for module in (Two(), Bare()))
        for algorithm in (None, suite()):
            program, _ = planned(two, algorithm)
            self.assertFalse(torch.allclose(run(program, args)[0][0], Two()(*args), atol=1e-3))
            program, sizes = planned(bare, algorithm, alloc_graph_input=False, alloc_graph_output=False)
            self.assertEqual(sizes["forward"], [0, 0])
            self.assertRaisesRegex(RuntimeError, "load", run, program, args)

    def test_no_command(self):
        edge = edge_of((torch.nn.ReLU(), (torch.randn(4),)))
        self.assertRaisesRegex(StowageError, "nowhere", planned, edge, suite("/nowhere/stowage"))


if __name__ == "__main__":
    unittest.main()

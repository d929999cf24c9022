"""Runs a planner of a Python package on problems from standard input.

Usage: peers.py PEER, with a JSON list of problems on standard input, each a list
of [size, lower, upper] with half-open times. Prints a JSON list of lists of
offsets. The peer list prints the names of those whose package is there.

The peer tflm takes seeds instead of problems, and makes a model of each: the
planner of TFLM cannot be called by itself. It prints a list of objects with the
buffers of the model and the height of the plan.
"""

import ast
import functools
import importlib.util
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import types


def vela_hill_climb(buffers):
    from ethosu.vela.hillclimb_allocation import HillClimbAllocator

    ranges = [
        types.SimpleNamespace(start_time=lower, end_time=upper - 1, size=size, get_alignment=lambda: 1)
        for size, lower, upper in buffers
    ]
    # A limit that is met at once: the search goes on for improvements only.
    return HillClimbAllocator(ranges, None, 1 << 62).allocate()


def vela_greedy(buffers):
    from ethosu.vela.greedy_allocation import GreedyAllocator
    from ethosu.vela.live_range import LiveRange

    ranges = []
    for i, (size, lower, upper) in enumerate(buffers):
        r = LiveRange(None, 1)
        r.start_time, r.end_time, r.size, r.name = lower, upper - 1, size, "b%d" % i
        r.tensors = [types.SimpleNamespace(address=None)]
        ranges.append(r)
    GreedyAllocator(types.SimpleNamespace(lrs=ranges)).allocate_live_ranges(1)
    return [r.tensors[0].address for r in ranges]


def omnimalloc(buffers, order, allocator):
    from omnimalloc.primitives import Allocation

    allocations = [Allocation(id=i, size=s, start=l, end=u) for i, (s, l, u) in enumerate(buffers)]
    if order:
        allocations.sort(key=lambda a: -a.size)
    placed = {a.id: a.offset for a in allocator().allocate(tuple(allocations))}
    return [placed[i] for i in range(len(buffers))]


def omnimalloc_by_size(buffers):
    from omnimalloc.allocators.greedy import GreedyBySizeAllocator

    return omnimalloc(buffers, False, GreedyBySizeAllocator)


def omnimalloc_best_fit(buffers):
    from omnimalloc.allocators.best_fit import BestFitAllocator

    return omnimalloc(buffers, True, BestFitAllocator)


@functools.cache
def executorch_module():
    """Loads the planning functions of ExecuTorch and nothing else of it.

    The module imports torch, which is large; the functions for placement do not
    use it. So they are taken out of the installed source, unchanged.
    """
    spec = importlib.util.find_spec("executorch")
    path = pathlib.Path(list(spec.submodule_search_locations)[0], "exir", "memory_planning.py")
    wanted = {
        "AllocationSpec", "SharedObject", "SpecAllocResult", "MemoryAlgoResult", "MemoryPlanningAlgorithmSuite",
        "_does_not_overlap", "_find_max_overlapping_allocations_offset", "pick_shared_obj",
        "_resolve_storage_base_specs", "_compute_total_sizes", "greedy", "naive",
    }
    tree = ast.parse(path.read_text())
    tree.body = [
        node for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in wanted
        or isinstance(node, (ast.Import, ast.ImportFrom))
        and not any(part in ast.unparse(node) for part in ("torch", "exir"))
    ]
    # Annotations name types of torch; they are not wanted as values.
    source = "from __future__ import annotations\n" + ast.unparse(tree)
    module = types.ModuleType("executorch_planning")
    sys.modules[module.__name__] = module
    exec(compile(source, str(path), "exec"), module.__dict__)
    return module


class Spec:
    """What the planning functions read and write of a TensorSpec."""

    def __init__(self, size, lower, upper):
        self.allocated_memory = size
        self.lifetime = [lower, upper - 1]
        self.mem_id = self.storage_base = None

    def realign(self, alignment):
        self.allocated_memory = -(-self.allocated_memory // alignment) * alignment


def executorch(buffers, algorithm, alignment):
    planning = executorch_module()
    specs = [Spec(*b) for b in buffers]
    result = getattr(planning, algorithm)(alignment, specs, types.SimpleNamespace(), None, 0)
    return [result.spec_dict[s].mem_offset for s in specs]


def tinygrad(buffers):
    """The loop of schedule/memory.py over the allocator of the installed package."""
    from tinygrad.runtime.support.memory import TLSFAllocator

    block = 256
    sizes = [-(-size // block) * block for size, _, _ in buffers]
    events = sorted(
        [(lower, True, i) for i, (_, lower, _) in enumerate(buffers)]
        + [(upper, False, i) for i, (_, _, upper) in enumerate(buffers)],
        key=lambda e: e[:2],
    )
    allocator = TLSFAllocator(2 * sum(sizes), block_size=block, lv2_cnt=32)
    offsets = [0] * len(buffers)
    for _, opens, i in events:
        if opens:
            offsets[i] = allocator.alloc(sizes[i])
        else:
            allocator.free(offsets[i])
    return offsets


def cadence(buffers, algorithm):
    """The planner of ExecuTorch's Cadence backend with one memory without end."""
    spec = importlib.util.find_spec("executorch")
    path = pathlib.Path(list(spec.submodule_search_locations)[0], "backends", "cadence", "aot", "memory_planning.py")
    wanted = {"PositionBasedGreedyWithHierarchy", "GreedyWithHeuristic"}
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in wanted]

    class Base:
        memory_config = "one"

        def get_num_memories(self):
            return 2

        def get_alignment(self, _):
            return 1

        def is_valid_placement(self, *_):
            return True

    class State:
        """What the planners read and write of MemoryPlanningState."""

        def __init__(self):
            self.allocated_buffers, self.bufsizes = [[], []], [0, 0]

        def place_spec(self, spec):
            self.allocated_buffers[spec.mem_id].append(spec)

        def is_placed(self, spec):
            return spec in self.allocated_buffers[1]

        def get_overlapping_spec(self, spec):
            for other in self.allocated_buffers[spec.mem_id]:
                if overlap(spec, other) and spec.mem_offset < other.mem_offset + other.allocated_memory \
                        and other.mem_offset < spec.mem_offset + spec.allocated_memory:
                    return other
            return None

    def overlap(a, b):
        return a.lifetime[0] <= b.lifetime[1] and b.lifetime[0] <= a.lifetime[1]

    names = {
        "MemoryPlanningAlgo": Base,
        "MemoryPlanningAlgoFailure": RuntimeError,
        "Verifier": types.SimpleNamespace(lifetime_overlap=overlap),
        "get_aligned_offset": lambda offset, alignment: -(-offset // alignment) * alignment,
        "logging": types.SimpleNamespace(debug=lambda *_: None),
    }
    # Annotations name types of torch; they are not wanted as values.
    exec(compile("from __future__ import annotations\n" + ast.unparse(tree), str(path), "exec"), names)
    specs = [Spec(*b) for b in buffers]
    for spec in specs:
        spec.mem_offset = None
    constraints = types.SimpleNamespace(is_mem_id_in_blocklist=lambda *_: False)
    names[algorithm]().plan(specs, None, None, State(), constraints)
    return [spec.mem_offset for spec in specs]


def inductor(buffers):
    """The pools of Inductor's memory planning, for intermediates alone."""
    from torch._inductor import config
    from torch._inductor.codegen.memory_planning import Allocation, AllocationPools, LiveRange

    node = types.SimpleNamespace(
        get_layout=lambda: types.SimpleNamespace(size=[]), get_device=lambda: "cpu", get_name=lambda: "buffer"
    )
    blocks = [Allocation(node, LiveRange(l, u), size_hint=s, symbolic_size=s) for s, l, u in buffers]
    pools = AllocationPools()
    with config.patch(memory_pool="intermediates"):
        for block in sorted(blocks, key=lambda b: (-b.size_hint, -len(b.live_range))):
            pools.allocate(block)
        pools.finalize()
    return [int(b.offset) for b in blocks]


def iree(problems):
    """Each problem as a function that packs slices; iree-opt sorts them and lays them out."""
    text = [
        "module attributes {stream.resources = #stream.resource_config<{max_allocation_size = 1073741824,"
        " min_buffer_offset_alignment = 1, max_buffer_range = 1073741824, min_buffer_range_alignment = 1,"
        " index_bits = 64}>} {"
    ]
    for k, buffers in enumerate(problems):
        n = len(buffers)
        types_ = ", ".join(["index"] * (n + 1))
        text.append("func.func @p%d() -> (%s) {" % (k, types_))
        text += ["  %%s%d = arith.constant %d : index" % (i, size) for i, (size, _, _) in enumerate(buffers)]
        text.append("  %%r:%d = stream.resource.pack slices({" % (n + 1))
        text.append(",\n".join("    [%d, %d] = %%s%d" % (l, u - 1, i) for i, (_, l, u) in enumerate(buffers)))
        text.append("  }) : index")
        text.append("  return %s : %s\n}" % (", ".join("%%r#%d" % i for i in range(n + 1)), types_))
    text.append("}")
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
        f.write("\n".join(text))
        f.flush()
        out = subprocess.run(
            [pathlib.Path(sys.executable).parent / "iree-opt",
             "--pass-pipeline=builtin.module(func.func(canonicalize,iree-stream-layout-slices,canonicalize))", f.name],
            check=True, capture_output=True, text=True,
        ).stdout
    answers = []
    for body in out.split("func.func @p")[1:]:
        constants = dict(re.findall(r"(%\w+) = arith.constant (\d+) : index", body))
        results = re.search(r"return (.*?) :", body).group(1).split(", ")
        answers.append([int(constants[r]) for r in results[1:]])
    return answers


def tflm_program(seed):
    """A list of (reads, elements). Step k writes tensor k; 0 is the input."""
    r = random.Random(seed)
    program = [([], 4 * r.randint(50, 200))]
    for k in range(1, r.randint(2, 60)):
        a, b = r.randrange(max(0, k - 12), k), r.randrange(max(0, k - 12), k)
        if a != b and program[a][1] + program[b][1] < 2000 and r.random() < 0.5:
            program.append(([a, b], program[a][1] + program[b][1]))
        else:
            program.append(([a], 4 * r.randint(1, program[a][1] // 4)))
    return program


def tflm_model(program):
    """The program as a model: one read is a slice, two are a concatenation."""
    import flatbuffers
    from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.operatorCodes, model.buffers = 3, [], [schema.BufferT()]
    for builtin in (schema.BuiltinOperator.SLICE, schema.BuiltinOperator.CONCATENATION):
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = builtin
        code.version = 1
        model.operatorCodes.append(code)
    graph.tensors, graph.operators = [], []

    def tensor(elements, value=None):
        t = schema.TensorT()
        t.shape, t.type, t.buffer, t.name = [elements], schema.TensorType.FLOAT32, 0, "t%d" % len(graph.tensors)
        if value is not None:
            t.type, t.buffer = schema.TensorType.INT32, len(model.buffers)
            model.buffers.append(schema.BufferT())
            model.buffers[-1].data = list(struct.pack("<i", value))
        graph.tensors.append(t)
        return len(graph.tensors) - 1

    for _, elements in program:
        tensor(elements)
    for k, (reads, elements) in list(enumerate(program))[1:]:
        op = schema.OperatorT()
        op.outputs, op.inputs, op.opcodeIndex = [k], list(reads), len(reads) - 1
        if len(reads) == 1:
            op.inputs += [tensor(1, 0), tensor(1, elements)]
            op.builtinOptionsType, op.builtinOptions = schema.BuiltinOptions.SliceOptions, schema.SliceOptionsT()
        else:
            op.builtinOptionsType = schema.BuiltinOptions.ConcatenationOptions
            op.builtinOptions = schema.ConcatenationOptionsT()
            op.builtinOptions.axis = 0
        graph.operators.append(op)
    graph.inputs, graph.outputs, model.subgraphs = [0], [len(program) - 1], [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def tflm(seed):
    from tflite_micro import runtime

    program = tflm_program(seed)
    buffers = [[4 * elements, k, k + 1] for k, (_, elements) in enumerate(program)]
    for k, (reads, _) in enumerate(program):
        for i in reads:
            buffers[i][2] = k + 1
    buffers[-1][2] = len(program)
    # The allocator prints its figures to the process's standard error.
    with tempfile.TemporaryFile() as out:
        kept = os.dup(2)
        os.dup2(out.fileno(), 2)
        try:
            runtime.Interpreter.from_bytes(tflm_model(program), arena_size=1 << 20).print_allocations()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        out.seek(0)
        head = re.search(rb"allocation head (\d+) bytes", out.read())
    return {"buffers": buffers, "height": int(head.group(1))}


PEERS = {
    "tflm": ("tflite_micro", tflm),
    "vela-hill-climb": ("ethosu", vela_hill_climb),
    "vela-greedy": ("ethosu", vela_greedy),
    "omnimalloc-by-size": ("omnimalloc", omnimalloc_by_size),
    "omnimalloc-best-fit": ("omnimalloc", omnimalloc_best_fit),
    "executorch-greedy": ("executorch", lambda b: executorch(b, "greedy", 1)),
    "executorch-greedy-16": ("executorch", lambda b: executorch(b, "greedy", 16)),
    "tinygrad": ("tinygrad", tinygrad),
    "cadence-position": ("executorch", lambda b: cadence(b, "PositionBasedGreedyWithHierarchy")),
    "cadence-heuristic": ("executorch", lambda b: cadence(b, "GreedyWithHeuristic")),
    "inductor": ("torch", inductor),
    "iree": ("iree", iree),
    "executorch-naive": ("executorch", lambda b: executorch(b, "naive", 1)),
}

# Peers that take all problems at once.
WHOLE = {"iree"}

if __name__ == "__main__":
    if sys.argv[1] == "list":
        json.dump([name for name, (package, _) in PEERS.items() if importlib.util.find_spec(package)], sys.stdout)
        sys.exit()
    package, peer = PEERS[sys.argv[1]]
    problems = json.load(sys.stdin)
    answers = peer(problems) if sys.argv[1] in WHOLE else [peer(problem) for problem in problems]
    json.dump(answers, sys.stdout)

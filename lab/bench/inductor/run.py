"""Training steps compiled by Inductor, with its own memory planner and with Stowage's plans: pools, peaks, bits.

Usage, where ./python, torch and numpy are installed:

    python3 lab/bench/inductor/run.py                # bytes: a minute
    python3 lab/bench/inductor/run.py --products 100 # programs that are drawn at random, with bits: a minute
    python3 lab/bench/inductor/run.py --bits         # compares losses and gradients too, so all of C++ is compiled: many minutes

Each program trains three steps in four ways: as torch.compile does by default, which plans no memory in training but frees each
buffer after its last use; with Inductor's memory planner switched on for training; and with Stowage's plans in its pools, for memory_pool
"intermediates" and "combined". `peak` is the most that tensors of a step had of PyTorch's allocator, which stowage_arena.c counts.

What is allocated does not depend on what kernels compute. So without --bits each kernel in C++ is replaced by one that does
nothing, which saves its compilation.
"""

import argparse
import contextlib
import hashlib
import json
import pathlib
import random
import sys

import torch
import torch.nn.functional as F
from torch import nn

import stowage
import stowage.inductor
import stowage.torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "python/tests"))
from products import WEIGHTS, numbers, program  # noqa: E402


class Dense(nn.Module):
    """A block of DenseNet."""

    def __init__(self, width=8, layers=6):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(width * (1 + k), width, 3, padding=1) for k in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, torch.relu(layer(x))], 1)
        return x.mean((2, 3))


class UNet(nn.Module):
    """Three levels down and up, with skips."""

    def __init__(self, c=8):
        super().__init__()
        self.down = nn.ModuleList(nn.Conv2d(i, o, 3, padding=1) for i, o in ((8, c), (c, 2 * c), (2 * c, 4 * c)))
        self.up = nn.ModuleList(nn.Conv2d(i, o, 3, padding=1) for i, o in ((6 * c, 2 * c), (3 * c, c)))

    def forward(self, x):
        skips = []
        for k, layer in enumerate(self.down):
            x = F.silu(layer(x))
            if k < 2:
                skips.append(x)
                x = F.max_pool2d(x, 2)
        for layer in self.up:
            x = F.silu(layer(torch.cat([F.interpolate(x, scale_factor=2), skips.pop()], 1)))
        return x.mean((2, 3))


class Branches(nn.Module):
    """Linear layers of four widths side by side, as in Inception."""

    def __init__(self, width=64, layers=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.ModuleList([*(nn.Linear(width, width * k) for k in (1, 2, 3, 4)), nn.Linear(10 * width, width)]) for _ in range(layers))

    def forward(self, x):
        for *branches, last in self.layers:
            x = x + torch.tanh(last(torch.cat([torch.softmax(branch(x), -1) for branch in branches], -1)))
        return x


class Wired(nn.Module):
    """A randomly wired network: each layer reads one to three earlier values, and has a width of its own."""

    def __init__(self, layers=20, seed=1):
        super().__init__()
        draw, widths = random.Random(seed), [8]
        self.reads, self.layers = [], nn.ModuleList()
        for _ in range(layers):
            self.reads.append(sorted({draw.randrange(max(0, len(widths) - 5), len(widths)) for _ in range(3)}))
            widths.append(draw.choice((4, 8, 12, 20, 28)))
            self.layers.append(nn.Conv2d(sum(widths[k] for k in self.reads[-1]), widths[-1], 3, padding=1))

    def forward(self, x):
        values = [x]
        for reads, layer in zip(self.reads, self.layers, strict=True):
            values.append(F.silu(layer(torch.cat([values[k] for k in reads], 1))))
        return torch.cat(values[-4:], 1).mean((2, 3))


class Transformer(nn.Module):
    """Two blocks of attention."""

    def __init__(self, width=64):
        super().__init__()
        self.blocks = nn.ModuleList(nn.ModuleList([nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width), nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)]) for _ in range(2))

    def forward(self, x):
        for one, qkv, out, two, up, down in self.blocks:
            q, k, v = qkv(one(x)).unflatten(-1, (3, 4, -1)).permute(2, 0, 3, 1, 4)
            x = x + out(torch.softmax(q @ k.transpose(-1, -2) / 4, -1).matmul(v).transpose(1, 2).flatten(2))
            x = x + down(F.gelu(up(two(x))))
        return x


PROGRAMS = {
    "dense": (Dense, (4, 8, 32, 32)), "unet": (UNet, (4, 8, 32, 32)), "branches": (Branches, (128, 64)), "transformer": (Transformer, (4, 64, 64)), "wired": (Wired, (2, 8, 24, 24)),
}  # fmt: skip


@contextlib.contextmanager
def inductors_own():
    """Within, the planner of stowage.inductor fails, so Inductor's plans are kept."""

    def refuse(*_):
        raise stowage.Error("kept on purpose")

    was, stowage.inductor._plan = stowage.inductor._plan, refuse
    try:
        yield
    finally:
        stowage.inductor._plan = was


def without_kernels():
    """Makes each kernel in C++ one that does nothing."""
    from torch._inductor.async_compile import AsyncCompile

    AsyncCompile.cpp_pybinding = lambda *_, **__: lambda *_: None


def train(name, way):
    """Trains three steps and returns a digest of losses and gradients, the peak of a step and the pools."""
    make, shape = PROGRAMS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, data, digest, pools = make(), torch.randn(shape), hashlib.sha256(), []
    step = torch.compile(model)
    arena = stowage.torch.arena(record=100)  # it only counts
    plain = torch._inductor.config.patch(force_disable_caches=True)
    own = inductors_own() if way == "inductor" else contextlib.nullcontext()
    pool = torch._inductor.config.patch(memory_pool="combined" if way == "combined" else "intermediates")
    with own, pool, plain if way == "default" else stowage.inductor.planned() as found:
        for k in range(3):
            model.zero_grad(set_to_none=True)
            if k:
                arena._lib.stowage_arena_reset_peaks(arena._at)
            with arena:
                loss = step(data).square().sum()
                loss.backward()
            for x in (loss, *(p.grad for p in model.parameters())):
                digest.update(x.detach().numpy().tobytes())
            with torch.no_grad():
                for p in model.parameters():
                    p -= 0.01 * p.grad
        pools = [] if way == "default" else [p._asdict() for p in found]
    return digest.hexdigest(), arena._read().peak, [p for p in pools if p["buffers"] > 1]


def measure(name):
    """Returns the figures of a program: those of each way."""
    ways = {way: train(name, way) for way in ("default", "inductor", "intermediates", "combined")}
    found = {"program": name, "equal": len({digest for digest, _, _ in ways.values()}) == 1, "peak": {way: peak for way, (_, peak, _) in ways.items()}}
    for way in ("intermediates", "combined"):
        pools = ways[way][2]
        found[way] = {key: sum(p[key] for p in pools) for key in ("buffers", "inductor", "height", "bound")} | {"pools": len(pools)}
    return found


def products(seed, count=24):
    """Plans one program of matrix products, which reads earlier values at random, and compares its outputs with those of PyTorch
    without compiling. Nothing of it is C++. It returns whether they are equal, and the pools."""
    torch._dynamo.reset()
    run, x = program(seed, count), numbers(seed, 32, 16)
    with torch.no_grad(), stowage.inductor.planned() as found:
        got = torch.compile(run)(x, WEIGHTS)
    equal = all(a.numpy().tobytes() == b.numpy().tobytes() for a, b in zip(got, run(x, WEIGHTS), strict=True))
    return equal, [p for p in found if p.buffers > 1]


def many_products(count):
    """Prints what came of programs of products."""
    equal = lower = was = now = 0
    worst, pools = 0.0, 0
    for seed in range(count):
        same, found = products(seed)
        equal += same
        heights = sum(p.inductor for p in found), sum(p.height for p in found)
        lower += heights[1] < heights[0]
        was, now = was + heights[0], now + heights[1]
        pools += len(found)
        worst = max(worst, *(p.inductor / p.height - 1 for p in found)) if found else worst
    print(f"{count} programs of products, {pools} pools: outputs of {equal} are equal; {lower} are lower, in all {was:,} -> {now:,} bytes; Inductor's tree is up to {worst:.1%} above a pool's plan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="of " + ", ".join(PROGRAMS))
    parser.add_argument("--bits", action="store_true", help="compile kernels, and compare losses and gradients")
    parser.add_argument("--products", type=int, default=0, metavar="N", help="plan N programs of matrix products instead")
    parser.add_argument("--json", help="write all figures to this file")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch._inductor.config.compile_threads = 1
    if arguments.products:
        many_products(arguments.products)
        return
    if not arguments.bits:
        without_kernels()
    print("| program | pools | buffers | Inductor's tree | Stowage | saved | proven | one pool: buffers | tree | Stowage | saved | proven | peak by default | tree | Stowage | Stowage, one pool | bits |")
    print("|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---|")
    all_found = []
    for name in arguments.programs or PROGRAMS:
        f = measure(name)
        cells = [f"{f['intermediates']['pools']}"]
        for way in ("intermediates", "combined"):
            p = f[way]
            proven = "yes" if p["height"] == p["bound"] else f"at least {p['bound']:,}"
            cells += [f"{p['buffers']:,}", f"{p['inductor']:,}", f"{p['height']:,}", f"{1 - p['height'] / max(p['inductor'], 1):.1%}", proven]
        cells += [f"{peak:,}" for peak in f["peak"].values()]
        cells.append(("equal" if f["equal"] else "**NOT EQUAL**") if arguments.bits else "not compared")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        all_found.append(f)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(all_found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

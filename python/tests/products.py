"""Programs of matrix products, for what is tested and measured of Inductor.

Inductor calls PyTorch for a product, so nothing of these programs is compiled as C++. Sizes differ and lifespans cross,
which is where plans differ."""

import random

import torch

SIZES = (16, 24, 40, 64, 100)


def numbers(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) / 8


WEIGHTS = {(a, b): numbers(1000 * a + b, a, b) for a in SIZES for b in SIZES}


def program(seed, products=24):
    """Returns a program of products: each of an earlier value by a weight, and some of two values at the end."""
    draw, steps, sizes = random.Random(seed), [], [16]
    for _ in range(products):
        steps.append((draw.randrange(max(0, len(sizes) - 6), len(sizes)), draw.choice(SIZES)))
        sizes.append(steps[-1][1])
    pairs = [(draw.randrange(len(sizes)), draw.randrange(len(sizes))) for _ in range(3)]

    def run(x, weights):
        values = [x]
        for k, size in steps:
            values.append(values[k] @ weights[sizes[k], size])
        return [values[a].T @ values[b] for a, b in pairs]

    return run

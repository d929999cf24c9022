"""Five networks of the shapes that planners are measured on, with random weights.

They follow the published architectures in what matters to memory: how many tensors
of which sizes live side by side. DenseNet concatenates, Inception branches,
MobileNet-v2 widens and narrows with residuals, U-Net keeps its skips for long, a
GPT has one wide point for each layer.
"""

import torch
from torch import nn
from torch.nn import functional


class Unit(nn.Sequential):
    """Convolution, batch norm and an activation, as all of them have it."""

    def __init__(self, into, out, kernel=1, stride=1, groups=1, act=True):
        kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
        layers = [
            nn.Conv2d(into, out, kernel, stride, (kernel[0] // 2, kernel[1] // 2), groups=groups, bias=False),
            nn.BatchNorm2d(out),
        ]
        super().__init__(*layers, *([nn.ReLU()] if act else []))


class DenseNet(nn.Module):
    """Huang and others, 2016: norm, activation, convolution; each layer sees all before it."""

    def __init__(self, blocks=(6, 12, 24, 16), growth=32, width=64):
        super().__init__()
        self.stem = nn.Sequential(Unit(3, width, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.blocks, self.transitions = nn.ModuleList(), nn.ModuleList()
        for k, layers in enumerate(blocks):
            block = nn.ModuleList()
            for i in range(layers):
                into = width + i * growth
                block.append(
                    nn.Sequential(
                        nn.BatchNorm2d(into), nn.ReLU(), nn.Conv2d(into, 4 * growth, 1, bias=False),
                        nn.BatchNorm2d(4 * growth), nn.ReLU(), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
                    )
                )  # fmt: skip
            self.blocks.append(block)
            width += layers * growth
            if k + 1 < len(blocks):
                self.transitions.append(
                    nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width // 2, 1, bias=False), nn.AvgPool2d(2, 2))
                )
                width //= 2
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = self.stem(x)
        for k, block in enumerate(self.blocks):
            seen = [x]
            for layer in block:
                seen.append(layer(torch.cat(seen, 1)))
            x = torch.cat(seen, 1)
            if k < len(self.transitions):
                x = self.transitions[k](x)
        return self.head(x.mean((2, 3)))


class Mixed(nn.Module):
    """An Inception module: four branches side by side, concatenated."""

    def __init__(self, into, one, three, five, pool):
        super().__init__()
        self.one = Unit(into, one)
        self.three = nn.Sequential(Unit(into, three // 2), Unit(three // 2, three, 3))
        self.five = nn.Sequential(Unit(into, five // 2), Unit(five // 2, five, 3), Unit(five, five, 3))
        self.pool = nn.Sequential(nn.AvgPool2d(3, 1, 1), Unit(into, pool))
        self.out = one + three + five + pool

    def forward(self, x):
        return torch.cat([self.one(x), self.three(x), self.five(x), self.pool(x)], 1)


class Inception(nn.Module):
    """Szegedy and others, 2015: a stem of convolutions, then mixed modules."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(Unit(3, 32, 3, 2), Unit(32, 32, 3), Unit(32, 64, 3), nn.MaxPool2d(3, 2, 1), Unit(64, 80), Unit(80, 192, 3), nn.MaxPool2d(3, 2, 1))
        self.mixed = nn.ModuleList()
        into = 192
        for one, three, five, pool in ((64, 96, 64, 32), (64, 96, 64, 64), (64, 96, 64, 64), (192, 192, 192, 192), (192, 192, 192, 192)):
            self.mixed.append(Mixed(into, one, three, five, pool))
            into = self.mixed[-1].out
        self.head = nn.Linear(into, 10)

    def forward(self, x):
        x = self.stem(x)
        for k, mixed in enumerate(self.mixed):
            x = mixed(x)
            if k == 2:
                x = functional.max_pool2d(x, 3, 2, 1)
        return self.head(x.mean((2, 3)))


class Inverted(nn.Module):
    """MobileNet-v2's block: widen, convolve by channel, narrow, and add the input."""

    def __init__(self, into, out, stride, expand):
        super().__init__()
        wide = into * expand
        layers = [Unit(into, wide)] if expand > 1 else []
        self.body = nn.Sequential(*layers, Unit(wide, wide, 3, stride, wide), Unit(wide, out, act=False))
        self.add = stride == 1 and into == out

    def forward(self, x):
        return x + self.body(x) if self.add else self.body(x)


class MobileNet(nn.Module):
    """Sandler and others, 2018, at its published widths."""

    def __init__(self):
        super().__init__()
        layers, into = [Unit(3, 32, 3, 2)], 32
        for expand, out, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for i in range(count):
                layers.append(Inverted(into, out, stride if i == 0 else 1, expand))
                into = out
        self.body = nn.Sequential(*layers, Unit(into, 1280))
        self.head = nn.Linear(1280, 10)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class UNet(nn.Module):
    """Ronneberger and others, 2015: down, up, and skips between."""

    def __init__(self, width=16, depth=4):
        super().__init__()
        self.down, self.up, self.join = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        into = 3
        for k in range(depth):
            out = width << k
            self.down.append(nn.Sequential(Unit(into, out, 3), Unit(out, out, 3)))
            into = out
        for k in reversed(range(depth - 1)):
            out = width << k
            self.up.append(nn.ConvTranspose2d(2 * out, out, 2, 2))
            self.join.append(nn.Sequential(Unit(2 * out, out, 3), Unit(out, out, 3)))
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        skips = []
        for k, down in enumerate(self.down):
            x = down(x if k == 0 else functional.max_pool2d(x, 2))
            skips.append(x)
        skips.pop()
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([skips.pop(), up(x)], 1))
        return self.head(x)


class GPT(nn.Module):
    """A decoder of four layers of width 192, on 64 tokens."""

    def __init__(self, layers=4, width=192, heads=6, tokens=64, words=256):
        super().__init__()
        self.heads = heads
        self.words, self.places = nn.Embedding(words, width), nn.Parameter(torch.randn(tokens, width) / 50)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm1": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
                    "norm2": nn.LayerNorm(width), "wide": nn.Linear(width, 4 * width), "narrow": nn.Linear(4 * width, width),
                }
            )
            for _ in range(layers)
        )  # fmt: skip
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)
        self.register_buffer("mask", torch.full((tokens, tokens), -1e9).triu(1))

    def forward(self, tokens):
        x = self.words(tokens) + self.places
        batch, length, width = x.shape
        for layer in self.layers:
            q, k, v = (
                part.reshape(batch, length, self.heads, -1).transpose(1, 2)
                for part in layer["qkv"](layer["norm1"](x)).chunk(3, -1)
            )
            score = torch.softmax(q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5 + self.mask, -1)
            x = x + layer["out"]((score @ v).transpose(1, 2).reshape(batch, length, width))
            x = x + layer["narrow"](functional.gelu(layer["wide"](layer["norm2"](x))))
        return self.head(self.norm(x))


def _image(size):
    return lambda: torch.randn(1, 3, size, size)


# By name: how the network is made, and an input for it.
NETWORKS = {
    "DenseNet-like": (lambda: DenseNet((4, 8, 6), 32, 64), _image(128)),
    "Inception-like": (Inception, _image(128)),
    "MobileNet-v2-like": (MobileNet, _image(128)),
    "U-Net": (UNet, _image(128)),
    "GPT 4×192": (GPT, lambda: torch.randint(0, 256, (1, 64))),
}


def make(name, seed=0):
    """Returns the network in evaluation mode and the tuple of its inputs. Weights and
    inputs follow from the seed."""
    torch.manual_seed(seed)
    network, data = NETWORKS[name]
    return network().eval(), (data(),)

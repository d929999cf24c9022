"""Twelve small PyTorch programs, each a step that a machine without a GPU runs in some milliseconds.

    step = PROGRAMS["gpt"]()       # weights and data are drawn from a fixed seed
    loss = step(0)                 # one step; the loss, or what stands for it, as a float
    step = PROGRAMS["gpt"](16)     # with 16 times the batch, for a GPU: torch.set_default_device comes before

Each is here for a way in which it treats memory: gradients that live across the end of a step (all that
train), activations computed twice (gpt-ckpt), one set of gradients that several passes add to (accumulate),
weights cast once a step (amp), buffers that a compiler planned (compiled), caches that grow within a step
(generate), masks and noise drawn anew (bert, diffusion). They need torch alone.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

Step = Callable[[int], float]


def conv(i: int, o: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


class Residual(nn.Module):
    def __init__(self, i: int, o: int, stride: int) -> None:
        super().__init__()
        self.first = conv(i, o, stride)
        self.second = nn.Sequential(nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o))
        self.skip = nn.Conv2d(i, o, 1, stride) if i != o or stride > 1 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(self.first(x)) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self, c: int = 16, classes: int = 10) -> None:
        super().__init__()
        plan = [(c, c, 1), (c, c, 1), (c, 2 * c, 2), (2 * c, 2 * c, 1), (2 * c, 4 * c, 2), (4 * c, 4 * c, 1)]
        self.stem, self.blocks = conv(3, c), nn.Sequential(*(Residual(*p) for p in plan))
        self.head = nn.Linear(4 * c, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class UNet(nn.Module):
    """With a time, as diffusion has it, where one is given."""

    def __init__(self, c: int = 12, out: int = 2, timed: bool = False) -> None:
        super().__init__()
        self.down = nn.ModuleList([conv(3, c), conv(c, 2 * c), conv(2 * c, 4 * c), conv(4 * c, 8 * c)])
        self.up = nn.ModuleList([conv(12 * c, 4 * c), conv(6 * c, 2 * c), conv(3 * c, c)])
        self.out = nn.Conv2d(c, out, 1)
        self.time = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 8 * c)) if timed else None

    def forward(self, x: Tensor, t: Tensor | None = None) -> Tensor:
        kept = []
        for i, block in enumerate(self.down):
            x = block(x)
            if i < 3:
                kept.append(x)
                x = F.max_pool2d(x, 2)
        if self.time is not None and t is not None:
            angle = t[:, None] * torch.exp(torch.arange(16) * -0.5)
            x = x + self.time(torch.cat([angle.sin(), angle.cos()], 1))[:, :, None, None]
        for block in self.up:
            x = block(torch.cat([F.interpolate(x, scale_factor=2), kept.pop()], 1))
        return self.out(x)


class Attention(nn.Module):
    def __init__(self, d: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.qkv, self.out, self.heads, self.causal = nn.Linear(d, 3 * d), nn.Linear(d, d), heads, causal

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-1, -2)) * (d // self.heads) ** -0.5
        if self.causal:
            a = a.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        return self.out((a.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d: int, heads: int, causal: bool, dropout: float = 0.0) -> None:
        super().__init__()
        self.one, self.two = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = Attention(d, heads, causal)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(dropout))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.one(x))
        return x + self.mlp(self.two(x))


class Transformer(nn.Module):
    def __init__(self, d: int = 96, layers: int = 4, words: int = 1000, length: int = 128, causal: bool = True,
                 dropout: float = 0.0, again: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.words, self.places = nn.Embedding(words, d), nn.Parameter(torch.randn(length, d) * 0.02)
        self.blocks = nn.ModuleList(Block(d, 4, causal, dropout) for _ in range(layers))
        self.norm, self.head, self.again = nn.LayerNorm(d), nn.Linear(d, words, bias=False), again

    def forward(self, x: Tensor) -> Tensor:
        y = self.words(x) + self.places[: x.shape[1]]
        for block in self.blocks:
            y = checkpoint(block, y, use_reentrant=False) if self.again else block(y)
        return self.head(self.norm(y))


class ViT(nn.Module):
    def __init__(self, d: int = 96, classes: int = 10) -> None:
        super().__init__()
        self.patch, self.token = nn.Conv2d(3, d, 8, 8), nn.Parameter(torch.zeros(1, 1, d))
        self.places = nn.Parameter(torch.randn(37, d) * 0.02)
        self.blocks = nn.Sequential(*(Block(d, 4, False) for _ in range(4)))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, classes)

    def forward(self, x: Tensor) -> Tensor:
        y = self.patch(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.token.expand(len(x), -1, -1), y], 1) + self.places
        return self.head(self.norm(self.blocks(y))[:, 0])


class Tagger(nn.Module):
    def __init__(self, d: int = 64, words: int = 500) -> None:
        super().__init__()
        self.words, self.lstm, self.head = nn.Embedding(words, d), nn.LSTM(d, d, 2, batch_first=True), nn.Linear(d, words)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(self.words(x))[0])


def training(model: nn.Module, loss: Callable[[int], Tensor], micro: int = 1) -> Step:
    """A step of AdamW over so many micro-batches."""
    # A fused or foreach optimizer allocates other temporaries; the plain loop has the most of them.
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)

    def step(i: int) -> float:
        optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for k in range(micro):
            out = loss(i * micro + k) / micro
            out.backward()
            total += out.item()
        optimizer.step()
        return total

    return step


def pictures(scale: int, model: nn.Module, batch: int, side: int, classes: int = 10, **how: int) -> Step:
    data = [(torch.randn(batch * scale, 3, side, side), torch.randint(0, classes, (batch * scale,))) for _ in range(4)]
    return training(model, lambda i: F.cross_entropy(model(data[i % 4][0]), data[i % 4][1]), **how)


def language(scale: int, model: nn.Module, words: int, batch: int = 4, length: int = 64) -> Step:
    data = [torch.randint(0, words, (batch * scale, length + 1)) for _ in range(4)]

    def loss(i: int) -> Tensor:
        x = data[i % 4]
        return F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())

    return training(model, loss)


def resnet(scale: int) -> Step:
    return pictures(scale, ResNet(), 4, 32)


def unet(scale: int) -> Step:
    model = UNet()
    data = [(torch.randn(2 * scale, 3, 48, 48), torch.randint(0, 2, (2 * scale, 48, 48))) for _ in range(4)]
    return training(model, lambda i: F.cross_entropy(model(data[i % 4][0]), data[i % 4][1]))


def gpt(scale: int) -> Step:
    return language(scale, Transformer(), 1000)


def gpt_checkpointed(scale: int) -> Step:
    return language(scale, Transformer(again=True), 1000)


def bert(scale: int) -> Step:
    """Masked words: how many are masked changes from step to step, so the loss is over all, by weight."""
    model = Transformer(causal=False, dropout=0.1)
    data = [torch.randint(4, 1000, (4 * scale, 64)) for _ in range(4)]

    def loss(i: int) -> Tensor:
        x = data[i % 4]
        masked = torch.rand(x.shape) < 0.15
        each = F.cross_entropy(model(x.masked_fill(masked, 3)).flatten(0, 1), x.flatten(), reduction="none")
        return (each * masked.flatten()).sum() / masked.sum().clamp(min=1)

    return training(model, loss)


def lstm(scale: int) -> Step:
    return language(scale, Tagger(), 500, batch=4, length=32)


def diffusion(scale: int) -> Step:
    model = UNet(out=3, timed=True)
    data = [torch.randn(2 * scale, 3, 48, 48) for _ in range(4)]

    def loss(i: int) -> Tensor:
        x, t = data[i % 4], torch.rand(2 * scale)
        noise, keep = torch.randn_like(x), torch.cos(t * 1.57)[:, None, None, None]
        return F.mse_loss(model(keep * x + (1 - keep * keep).sqrt() * noise, t * 1000), noise)

    return training(model, loss)


def vit(scale: int) -> Step:
    return pictures(scale, ViT(), 4, 48)


def accumulate(scale: int) -> Step:
    return pictures(scale, ResNet(12), 2, 32, micro=4)


def amp(scale: int) -> Step:
    """Mixed precision: autocast keeps the cast weights until the block ends."""
    model = Transformer()
    data = [torch.randint(0, 1000, (4 * scale, 65)) for _ in range(4)]

    def loss(i: int) -> Tensor:
        x = data[i % 4]
        with torch.autocast(x.device.type, dtype=torch.bfloat16):
            return F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())

    return training(model, loss)


def compiled(scale: int) -> Step:
    """Through Inductor, which needs a C++ compiler, and takes about a minute the first time."""
    model = Transformer(layers=2)
    fast = torch.compile(model)
    data = [torch.randint(0, 1000, (4 * scale, 65)) for _ in range(4)]
    return training(model, lambda i: F.cross_entropy(fast(data[i % 4][:, :-1]).flatten(0, 1), data[i % 4][:, 1:].flatten()))


def generate(scale: int) -> Step:
    """Inference: 24 words after a prompt of 16. The caches of keys and values grow by a word each time."""
    d, heads, layers, words = 96, 4, 4, 1000
    model = Transformer(d, layers, words).eval()
    prompts = [torch.randint(0, words, (4 * scale, 16)) for _ in range(4)]

    @torch.no_grad()
    def step(i: int) -> float:
        caches: list[tuple[Tensor, Tensor]] = []
        x, at, total = prompts[i % 4], 0, 0.0
        for _ in range(24):
            b, t = x.shape
            y = model.words(x) + model.places[at : at + t]
            grown = []
            for k, block in enumerate(model.blocks):
                q, key, value = block.attention.qkv(block.one(y)).view(b, t, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
                if caches:
                    key, value = torch.cat([caches[k][0], key], 2), torch.cat([caches[k][1], value], 2)
                grown.append((key, value))
                a = F.scaled_dot_product_attention(q, key, value, is_causal=not caches)
                y = y + block.attention.out(a.transpose(1, 2).reshape(b, t, d))
                y = y + block.mlp(block.two(y))
            caches, at = grown, at + t
            best = model.head(model.norm(y[:, -1])).log_softmax(-1).max(-1)
            total += best.values.sum().item()
            x = best.indices[:, None]
        return total

    return step


def _seeded(make: Callable[[int], Step]) -> Callable[..., Step]:
    def seeded(scale: int = 1) -> Step:
        torch.manual_seed(0)
        return make(scale)

    return seeded


PROGRAMS: dict[str, Callable[..., Step]] = {
    name: _seeded(make)
    for name, make in {
        "resnet": resnet, "unet": unet, "gpt": gpt, "gpt-ckpt": gpt_checkpointed, "bert": bert, "lstm": lstm, "diffusion": diffusion,
        "vit": vit, "accumulate": accumulate, "amp": amp, "compiled": compiled, "generate": generate,
    }.items()  # fmt: skip
}

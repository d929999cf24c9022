"""Programs of JAX as shapes alone: nothing is computed, they are only compiled. PROGRAMS has a function of each, which returns
the function to compile and its arguments as jax.ShapeDtypeStruct."""

import jax
import jax.numpy as jnp

BF16 = jnp.bfloat16


def shape(*dimensions, dtype=BF16):
    return jax.ShapeDtypeStruct(dimensions, dtype)


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def trained(loss):
    """A step of gradient descent on a loss of parameters and data."""

    def step(parameters, *data):
        value, gradient = jax.value_and_grad(loss)(parameters, *data)
        return value, jax.tree.map(lambda p, g: p - 1e-3 * g, parameters, gradient)

    return step


def squares(forward):
    return lambda parameters, x: (forward(parameters, x).astype(jnp.float32) ** 2).mean()


def transformer(layers, width, heads, batch, length, words=8192, train=True):
    def forward(p, tokens):
        x = p["embedding"][tokens]
        mask = jnp.tril(jnp.ones((length, length), bool))
        for q in p["layers"]:
            qkv = (norm(x) @ q["qkv"]).reshape(batch, length, 3, heads, width // heads)
            scores = jnp.einsum("bthd,bshd->bhts", qkv[:, :, 0], qkv[:, :, 1]) / 8
            scores = jax.nn.softmax(jnp.where(mask, scores, -1e9).astype(jnp.float32), -1).astype(BF16)
            x = x + jnp.einsum("bhts,bshd->bthd", scores, qkv[:, :, 2]).reshape(batch, length, width) @ q["out"]
            x = x + jax.nn.gelu(norm(x) @ q["up"]) @ q["down"]
        return x @ p["embedding"].T

    def loss(p, tokens):
        chances = jax.nn.log_softmax(forward(p, tokens).astype(jnp.float32))
        return -jnp.take_along_axis(chances, tokens[..., None], -1).mean()

    layer = {"qkv": shape(width, 3 * width), "out": shape(width, width), "up": shape(width, 4 * width), "down": shape(4 * width, width)}
    p = {"embedding": shape(words, width), "layers": [dict(layer) for _ in range(layers)]}
    return (trained(loss) if train else forward), (p, shape(batch, length, dtype=jnp.int32))


def convolution(x, w, stride=1):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def residual(blocks, batch, side, train=True):
    """A residual network of bottleneck blocks."""
    p, before = {"stem": shape(7, 7, 3, 64)}, 64
    for stage, count in enumerate(blocks):
        width = 64 << stage
        for k in range(count):
            p[f"{stage}.{k}.a"] = shape(1, 1, before, width)
            p[f"{stage}.{k}.b"] = shape(3, 3, width, width)
            p[f"{stage}.{k}.c"] = shape(1, 1, width, 4 * width)
            if k == 0:
                p[f"{stage}.{k}.s"] = shape(1, 1, before, 4 * width)
            before = 4 * width

    def batchnorm(x):
        y = x.astype(jnp.float32)
        return ((y - y.mean((0, 1, 2))) * jax.lax.rsqrt(y.var((0, 1, 2)) + 1e-5)).astype(BF16)

    def forward(p, x):
        x = jax.nn.relu(batchnorm(convolution(x, p["stem"], 2)))
        for stage, count in enumerate(blocks):
            for k in range(count):
                stride = 2 if k == 0 and stage > 0 else 1
                y = jax.nn.relu(batchnorm(convolution(x, p[f"{stage}.{k}.a"])))
                y = jax.nn.relu(batchnorm(convolution(y, p[f"{stage}.{k}.b"], stride)))
                y = batchnorm(convolution(y, p[f"{stage}.{k}.c"]))
                x = jax.nn.relu(y + (batchnorm(convolution(x, p[f"{stage}.{k}.s"], stride)) if k == 0 else x))
        return x.mean((1, 2))

    return (trained(squares(forward)) if train else forward), (p, shape(batch, side, side, 3))


def mixer(layers, batch, patches, width, train=True):
    layer = {"a": shape(patches, 256), "b": shape(256, patches), "c": shape(width, 4 * width), "d": shape(4 * width, width)}

    def forward(p, x):
        for q in p:
            x = x + (jax.nn.gelu(norm(x).swapaxes(1, 2) @ q["a"]) @ q["b"]).swapaxes(1, 2)
            x = x + jax.nn.gelu(norm(x) @ q["c"]) @ q["d"]
        return x

    return (trained(squares(forward)) if train else forward), ([dict(layer) for _ in range(layers)], shape(batch, patches, width))


def unet(batch, side, widths=(64, 128, 256, 512), train=True):
    p = {}
    for k, width in enumerate(widths):
        p[f"d{k}a"] = shape(3, 3, widths[k - 1] if k else 3, width)
        p[f"d{k}b"] = shape(3, 3, width, width)
    for k in range(len(widths) - 1):
        p[f"u{k}a"] = shape(3, 3, widths[k + 1] + widths[k], widths[k])
        p[f"u{k}b"] = shape(3, 3, widths[k], widths[k])
    p["out"] = shape(1, 1, widths[0], 3)

    def forward(p, x):
        kept = []
        for k in range(len(widths)):
            x = jax.nn.relu(convolution(jax.nn.relu(convolution(x, p[f"d{k}a"])), p[f"d{k}b"]))
            kept.append(x)
            if k < len(widths) - 1:
                b, h, w, c = x.shape
                x = x.reshape(b, h // 2, 2, w // 2, 2, c).mean((2, 4))
        for k in reversed(range(len(widths) - 1)):
            x = jnp.concatenate([jnp.repeat(jnp.repeat(x, 2, 1), 2, 2), kept[k]], -1)
            x = jax.nn.relu(convolution(jax.nn.relu(convolution(x, p[f"u{k}a"])), p[f"u{k}b"]))
        return convolution(x, p["out"])

    return (trained(squares(forward)) if train else forward), (p, shape(batch, side, side, 3))


def perceptron(layers, batch, width, train=True):
    def forward(p, x):
        for w in p:
            x = jax.nn.gelu(norm(x @ w))
        return x

    return (trained(squares(forward)) if train else forward), ([shape(width, width) for _ in range(layers)], shape(batch, width))


PROGRAMS = {
    "transformer-train": lambda: transformer(12, 768, 12, 8, 512),
    "transformer-4-train": lambda: transformer(4, 768, 12, 8, 512),
    "transformer-small-train": lambda: transformer(6, 512, 8, 4, 256),
    "transformer": lambda: transformer(12, 768, 12, 8, 512, train=False),
    "transformer-2": lambda: transformer(12, 768, 12, 2, 512, train=False),
    "resnet-train": lambda: residual((3, 4, 6, 3), 32, 224),
    "resnet-8": lambda: residual((3, 4, 6, 3), 8, 224, train=False),
    "resnet-small-train": lambda: residual((2, 2, 2, 2), 16, 224),
    "mixer-train": lambda: mixer(12, 16, 196, 512),
    "mixer": lambda: mixer(12, 64, 196, 512, train=False),
    "mixer-wide-train": lambda: mixer(8, 32, 196, 768),
    "unet-train": lambda: unet(4, 256),
    "unet": lambda: unet(2, 256, train=False),
    "unet-1-train": lambda: unet(1, 256),
    "perceptron-train": lambda: perceptron(16, 2048, 2048),
}

#!/usr/bin/env python3
"""Compile programs with JAX and keep what XLA says of their memory.

    pip install jax flax optax
    python3 lab/bench/xla/dump.py DIR [PROGRAM ...]

Each program is compiled for the CPU, and never run. Of the hundreds of files that
XLA dumps for it DIR keeps NAME.hlo.pb and the texts that Stowage reads. The
programs whose names begin with toy need jax alone.
"""

import functools
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SUFFIXES = (".hlo.pb", "-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt")


def transformer(layers, width, heads=4, vocab=512):
    import flax.linen as nn
    import jax.numpy as jnp

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            y = nn.LayerNorm()(x)
            x = x + nn.SelfAttention(num_heads=heads)(y, mask=nn.make_causal_mask(jnp.ones(x.shape[:2])))
            y = nn.Dense(4 * width)(nn.LayerNorm()(x))
            return x + nn.Dense(width)(nn.gelu(y))

    class Transformer(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(vocab, width)(tokens)
            for _ in range(layers):
                x = Block()(x)
            return nn.Dense(vocab)(nn.LayerNorm()(x))

    return Transformer(), jnp.zeros((4, 128), jnp.int32)


def mlp():
    import flax.linen as nn
    import jax.numpy as jnp

    class MLP(nn.Module):
        @nn.compact
        def __call__(self, x):
            for n in (512, 256, 128):
                x = nn.relu(nn.Dense(n)(x))
            return nn.Dense(10)(x)

    return MLP(), jnp.zeros((64, 784))


def resnet18():
    import flax.linen as nn
    import jax.numpy as jnp

    class Block(nn.Module):
        width: int
        stride: int

        @nn.compact
        def __call__(self, x):
            norm = functools.partial(nn.GroupNorm, num_groups=8)
            y = nn.relu(norm()(nn.Conv(self.width, (3, 3), self.stride, use_bias=False)(x)))
            y = norm()(nn.Conv(self.width, (3, 3), use_bias=False)(y))
            if x.shape != y.shape:
                x = norm()(nn.Conv(self.width, (1, 1), self.stride, use_bias=False)(x))
            return nn.relu(x + y)

    class ResNet(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.GroupNorm(8)(nn.Conv(64, (7, 7), 2, use_bias=False)(x)))
            x = nn.max_pool(x, (3, 3), (2, 2), "SAME")
            for k, width in enumerate((64, 128, 256, 512)):
                x = Block(width, 1 if k == 0 else 2)(x)
                x = Block(width, 1)(x)
            return nn.Dense(1000)(x.mean((1, 2)))

    return ResNet(), jnp.zeros((8, 128, 128, 3))


def init(model, x):
    import jax

    return jax.jit(model.init), (jax.random.PRNGKey(0), x), ()


def infer(model, x):
    import jax

    params = jax.eval_shape(model.init, jax.random.PRNGKey(0), x)
    return jax.jit(model.apply), (params, x), ()


def train(model, x):
    import jax
    import jax.numpy as jnp
    import optax

    optimizer = optax.adam(1e-3)
    params = jax.eval_shape(model.init, jax.random.PRNGKey(0), x)
    state = jax.eval_shape(optimizer.init, params)

    def step(params, state, x):
        def loss(params):
            y = model.apply(params, x)
            return optax.softmax_cross_entropy_with_integer_labels(y, jnp.zeros(y.shape[:-1], jnp.int32)).mean()

        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(params, updates), state, value

    return jax.jit(step, donate_argnums=(0, 1)), (params, state, x), ()


def rnn():
    """A loop: values that a while carries share one buffer."""
    import jax
    import jax.numpy as jnp

    def f(w, u, xs):
        def step(carry, x):
            h, c = carry
            z = jnp.tanh(h @ w + x @ u)
            c = 0.9 * c + z
            return (z * jnp.tanh(c), c), h.sum()

        (h, c), sums = jax.lax.scan(step, (jnp.zeros((16, 128)), jnp.ones((16, 128))), xs)
        return (h @ w).sum() + c.sum() + sums.max()

    a = jnp.zeros
    return jax.jit(jax.grad(f, argnums=(0, 1))), (a((128, 128)), a((64, 128)), a((20, 16, 64))), ()


def branches():
    """Branches, a loop within one of them, and a sort."""
    import jax
    import jax.numpy as jnp

    def f(p, x):
        def dense(x):
            return jnp.tanh(x @ x.T) @ x

        def loop(x):
            return jax.lax.while_loop(lambda s: s[1] < 9, lambda s: (jnp.sin(s[0]) @ s[0], s[1] + 1), (x, 0))[0]

        y = jax.lax.cond(p > 0, dense, loop, x)
        z = jnp.sort(y, axis=0) + jnp.cumsum(y, axis=1)
        return jax.lax.switch(p % 3, [jnp.exp, lambda v: jnp.linalg.norm(v, axis=1, keepdims=True) + v, jnp.flip], z).sum()

    return jax.jit(f), (jnp.int32(1), jnp.zeros((96, 96))), ()


def chain():
    """Products in a chain, no control flow."""
    import jax
    import jax.numpy as jnp

    def f(x):
        a = jnp.tanh(x @ x)
        b = jnp.cos(a @ x)
        c = (a @ b)[:100, :]
        return jnp.sin(c @ b.T) @ b + c @ a

    return jax.jit(f), (jnp.zeros((120, 120)),), ()


PROGRAMS = {
    "mlp-train": lambda: train(*mlp()),
    "transformer-train": lambda: train(*transformer(4, 256)),
    "transformer-infer": lambda: infer(*transformer(4, 256)),
    "transformer-init": lambda: init(*transformer(4, 256)),
    "resnet18-train": lambda: train(*resnet18()),
    "resnet18-infer": lambda: infer(*resnet18()),
    "toy-rnn-grad": rnn,
    "toy-branches": branches,
    "toy-chain": chain,
}


def compile_one(name):
    function, arguments, _ = PROGRAMS[name]()
    function.lower(*arguments).compile()


def dump(name, to):
    """Compile a program in a process of its own, for XLA reads its flags once."""
    with tempfile.TemporaryDirectory() as work:
        flags = f"--xla_dump_to={work} --xla_dump_hlo_as_text --xla_dump_hlo_as_proto"
        environment = dict(os.environ, XLA_FLAGS=flags, JAX_PLATFORMS="cpu")
        subprocess.run([sys.executable, __file__, "--compile", name], env=environment, check=True)
        # A program is the largest module of its process: constants and random keys
        # are modules of their own.
        found = glob.glob(os.path.join(work, "*after_optimizations.hlo.pb"))
        largest = max(found, key=os.path.getsize)[: -len(".hlo.pb")]
        for suffix in SUFFIXES:
            shutil.copyfile(largest + suffix, os.path.join(to, name + suffix))


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    if sys.argv[1] == "--compile":
        compile_one(sys.argv[2])
        return
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:] or PROGRAMS:
        dump(name, sys.argv[1])
        print(name)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compile programs with JAX and keep what XLA says of their memory.

    pip install jax
    python3 format/xla/testdata/dump.py DIR [PROGRAM ...]

Each program is compiled for the CPU, and never run. Of the hundreds of files that
XLA dumps for it DIR keeps NAME.hlo.pb and the texts that Stowage reads.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

SUFFIXES = (".hlo.pb", "-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt")


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
    return jax.jit(jax.grad(f, argnums=(0, 1))), (a((128, 128)), a((64, 128)), a((20, 16, 64)))


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

    return jax.jit(f), (jnp.int32(1), jnp.zeros((96, 96)))


def chain():
    """Products in a chain, no control flow."""
    import jax
    import jax.numpy as jnp

    def f(x):
        a = jnp.tanh(x @ x)
        b = jnp.cos(a @ x)
        c = (a @ b)[:100, :]
        return jnp.sin(c @ b.T) @ b + c @ a

    return jax.jit(f), (jnp.zeros((120, 120)),)


PROGRAMS = {
    "toy-rnn-grad": rnn,
    "toy-branches": branches,
    "toy-chain": chain,
}


def compile_one(name):
    function, arguments = PROGRAMS[name]()
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

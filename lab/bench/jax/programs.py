"""Programs of JAX whose heap XLA plans above the least on a CPU, and some with loops. PROGRAMS has a function for
each, which returns a jitted function and the shapes of its inputs."""

import random

import jax
import jax.numpy as jnp
from jax import lax


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


def conv(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def norm(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)


def pool(x, window, stride):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, window, window, 1), (1, stride, stride, 1), "SAME")


def training(loss):
    """A step with momentum, parameters and momenta donated."""

    def step(p, m, *batch):
        value, g = jax.value_and_grad(loss)(p, *batch)
        m = jax.tree.map(lambda m, g: 0.9 * m + g, m, g)
        return jax.tree.map(lambda p, m: p - 1e-3 * m, p, m), m, value

    return jax.jit(step, donate_argnums=(0, 1))


# ---- U-Net, alone and as the network of a diffusion sampler


def unet_parameters(width=16, depth=4):
    p, widths, before = {}, [width * 2**i for i in range(depth + 1)], 3
    for i, k in enumerate(widths):
        p[f"d{i}a"], p[f"d{i}b"], before = shape(3, 3, before, k), shape(3, 3, k, k), k
    for i in reversed(range(depth)):
        k = widths[i]
        p[f"u{i}t"], p[f"u{i}a"], p[f"u{i}b"] = shape(3, 3, widths[i + 1], k), shape(3, 3, 2 * k, k), shape(3, 3, k, k)
    p["o"] = shape(1, 1, width, 3)
    return p


def unet(p, x, depth=4):
    def double(x, a, b):
        return jax.nn.silu(norm(conv(jax.nn.silu(norm(conv(x, a))), b)))

    skips = []
    for i in range(depth + 1):
        x = double(x, p[f"d{i}a"], p[f"d{i}b"])
        if i < depth:
            skips.append(x)
            x = pool(x, 2, 2)
    for i in reversed(range(depth)):
        x = conv(jnp.repeat(jnp.repeat(x, 2, 1), 2, 2), p[f"u{i}t"])
        x = double(jnp.concatenate([x, skips[i]], -1), p[f"u{i}a"], p[f"u{i}b"])
    return conv(x, p["o"])


def diffusion(batch=2, n=64, steps=50):
    def f(p, x, key):
        def body(c, t):
            x, key = c
            key, k = jax.random.split(key)
            a = 1 - t / steps * 0.02
            x = (x - unet(p, x) * (1 - a)) / jnp.sqrt(a) + jax.random.normal(k, x.shape) * 0.01
            return (x, key), x.mean()

        (x, _), means = lax.scan(body, (x, key), jnp.arange(steps)[::-1])
        return jnp.clip(x, -1, 1), means

    return jax.jit(f), (unet_parameters(), shape(batch, n, n, 3), shape(2, dtype=jnp.uint32))


# ---- Evoformer


def evoformer_parameters(c=64, heads=4, layers=0):
    p = {}

    def add(name, *sizes):
        p[name] = shape(*((layers, *sizes) if layers else sizes))

    for n in ("row", "col", "ts", "te"):
        for q in "qkvg":
            add(n + q, c, heads, c // heads)
        add(n + "o", heads, c // heads, c)
        add(n + "b", c, heads)
    for n in ("mo", "mi"):
        for q in ("a", "b", "ga", "gb", "o", "g"):
            add(n + q, c, c)
    add("opa", c, 16), add("opb", c, 16), add("opo", 16, 16, c)
    for n in ("tm", "tz"):
        add(n + "1", c, 4 * c), add(n + "2", 4 * c, c)
    return p


def attention(p, n, x, bias):
    y = norm(x)
    q, k, v = (jnp.einsum("bnc,chd->bhnd", y, p[n + i]) for i in "qkv")
    gate = jax.nn.sigmoid(jnp.einsum("bnc,chd->bnhd", y, p[n + "g"]))
    s = jnp.einsum("bhnd,bhmd->bhnm", q, k) / 4.0
    if bias is not None:
        s = s + bias
    return jnp.einsum("bnhd,hdc->bnc", jnp.einsum("bhnm,bhmd->bnhd", jax.nn.softmax(s, -1), v) * gate, p[n + "o"])


def evoformer(p, m, z):
    def bias(z, n):
        return jnp.einsum("ijc,ch->hij", norm(z), p[n])[None]

    m = m + attention(p, "row", m, bias(z, "rowb"))
    m = m + attention(p, "col", m.swapaxes(0, 1), None).swapaxes(0, 1)
    m = m + jax.nn.relu(norm(m) @ p["tm1"]) @ p["tm2"]
    y = norm(m)
    z = z + jnp.einsum("sia,sjb,abc->ijc", y @ p["opa"], y @ p["opb"], p["opo"]) / m.shape[0]
    for n, e in (("mo", "ikc,jkc->ijc"), ("mi", "kic,kjc->ijc")):
        y = norm(z)
        a, c = jax.nn.sigmoid(y @ p[n + "ga"]) * (y @ p[n + "a"]), jax.nn.sigmoid(y @ p[n + "gb"]) * (y @ p[n + "b"])
        z = z + jax.nn.sigmoid(y @ p[n + "g"]) * (norm(jnp.einsum(e, a, c)) @ p[n + "o"])
    z = z + attention(p, "ts", z, bias(z, "tsb"))
    t = z.swapaxes(0, 1)
    z = z + attention(p, "te", t, bias(t, "teb")).swapaxes(0, 1)
    return m, z + jax.nn.relu(norm(z) @ p["tz1"]) @ p["tz2"]


def evoformer_inference(layers=4, s=32, r=64):
    def f(ps, m, z):
        for p in ps:
            m, z = evoformer(p, m, z)
        return m, z

    return jax.jit(f), ([evoformer_parameters() for _ in range(layers)], shape(s, r, 64), shape(r, r, 64))


def evoformer_scan(layers=8, s=32, r=64):
    block, ps = jax.checkpoint(evoformer), evoformer_parameters(layers=layers)

    def loss(ps, m, z):
        (m, z), _ = lax.scan(lambda c, p: (block(p, *c), None), (m, z), ps)
        return (m**2).mean() + (z**2).mean()

    return training(loss), (ps, ps, shape(s, r, 64), shape(r, r, 64))


def evoformer_parts(s=32, r=128):
    """Attention over parts of the batch, one after the other, as AlphaFold has it."""

    def f(p, m, z):
        for _ in range(3):
            b = jnp.einsum("ijc,ch->hij", norm(z), p["tsb"])[None]
            z = z + lax.map(lambda x: attention(p, "ts", x, b), z.reshape(8, r // 8, r, 64)).reshape(r, r, 64)
            m = m + lax.map(lambda x: attention(p, "row", x, b), m.reshape(4, s // 4, r, 64)).reshape(s, r, 64)
            m, z = evoformer(p, m, z)
        return m, z

    return jax.jit(f), (evoformer_parameters(), shape(s, r, 64), shape(r, r, 64))


# ---- a mixture of experts in a pipeline


def experts(tokens=256, d=128, n=8, inner=256, stages=3, micro=4):
    p = {
        "g": shape(stages, d, n), "w1": shape(stages, n, d, inner), "w2": shape(stages, n, inner, d),
        "q": shape(stages, d, 3 * d), "o": shape(stages, d, d),
    }  # fmt: skip
    capacity = tokens // n * 2

    def stage(p, x):
        q, k, v = jnp.split(norm(x) @ p["q"], 3, -1)
        x = x + jax.nn.softmax(q @ k.T / 11.0, -1) @ v @ p["o"]
        y = norm(x)
        share = jax.nn.softmax(y @ p["g"], -1)
        _, chosen = lax.top_k(share, 2)
        one = jax.nn.one_hot(chosen, n).sum(1)
        send = jax.nn.one_hot((jnp.cumsum(one, 0) * one).astype(jnp.int32) - 1, capacity) * one[..., None]
        h = jax.nn.gelu(jnp.einsum("ecd,edf->ecf", jnp.einsum("tec,td->ecd", send, y), p["w1"]))
        return x + jnp.einsum("tec,te,ecd->td", send, share * one, jnp.einsum("ecf,efd->ecd", h, p["w2"]))

    def loss(p, xs):
        held, outs = jnp.zeros((stages, tokens, d)), []
        for t in range(micro + stages - 1):
            first = xs[t] if t < micro else jnp.zeros((tokens, d))
            held = jnp.concatenate([first[None], held[:-1]], 0)
            of = [jax.tree.map(lambda a, s=s: a[s], p) for s in range(stages)]
            held = jnp.stack([stage(of[s], held[s]) if 0 <= t - s < micro else held[s] for s in range(stages)])
            if t >= stages - 1:
                outs.append(held[-1])
        return (jnp.stack(outs) ** 2).mean()

    return training(loss), (p, p, shape(micro, tokens, d))


# ---- GPT over scanned blocks


def gpt(layers=6, d=256, heads=8, words=2048, batch=4, length=256, parts=0):
    block = {"qkv": shape(layers, d, 3 * d), "o": shape(layers, d, d), "w1": shape(layers, d, 4 * d), "w2": shape(layers, 4 * d, d)}
    p = {"e": shape(words, d), "b": block}

    @jax.checkpoint
    def run(x, p):
        q, k, v = jnp.split((norm(x) @ p["qkv"]).reshape(*x.shape[:2], 3 * heads, d // heads), 3, 2)
        s = jnp.einsum("bthd,bshd->bhts", q, k) / 8.0
        s = jnp.where(jnp.tril(jnp.ones((s.shape[-1],) * 2, bool)), s, -1e9)
        x = x + jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(s, -1), v).reshape(x.shape) @ p["o"]
        return x + jax.nn.gelu(norm(x) @ p["w1"]) @ p["w2"]

    def loss(p, t):
        x, _ = lax.scan(lambda x, q: (run(x, q), None), p["e"][t], p["b"])
        scores = norm(x) @ p["e"].T
        return -jnp.take_along_axis(jax.nn.log_softmax(scores[:, :-1]), t[:, 1:, None], -1).mean()

    def step(p, m, v, t):
        if parts:  # gradients of several batches are added in a loop

            def add(c, t):
                value, g = jax.value_and_grad(loss)(p, t)
                return (c[0] + value, jax.tree.map(jnp.add, c[1], g)), None

            (value, g), _ = lax.scan(add, (0.0, jax.tree.map(jnp.zeros_like, p)), t)
        else:
            value, g = jax.value_and_grad(loss)(p, t)
        size = jnp.sqrt(sum(jnp.sum(x * x) for x in jax.tree.leaves(g)))
        g = jax.tree.map(lambda x: x / jnp.maximum(size, 1), g)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        return jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), p, m, v), m, v, value

    tokens = shape(*((parts, batch, length) if parts else (batch, length)), dtype=jnp.int32)
    return jax.jit(step, donate_argnums=(0, 1, 2)), (p, p, p, tokens)


# ---- networks of convolutions


def inception(batch, train=False, blocks=6):
    p, c = [shape(3, 3, 3, 48)], 48
    for k in range(blocks):
        a, r, t, s, q = 24 + 8 * k, 16 + 7 * k, 32 + 12 * k, 12 + 3 * k, 16 + 5 * k
        p += [shape(1, 1, c, a), shape(1, 1, c, r), shape(3, 3, r, t), shape(1, 1, c, s), shape(5, 5, s, q), shape(3, 3, q, q), shape(1, 1, c, 20)]
        c = a + t + q + 20

    def f(p, x):
        weights = iter(p)

        def unit(x, stride=1):
            return jax.nn.relu(norm(conv(x, next(weights), stride)))

        x = unit(x, 2)
        for k in range(blocks):
            x = jnp.concatenate([unit(x), unit(unit(x)), unit(unit(unit(x))), unit(pool(x, 3, 1))], -1)
            if k % 2:
                x = pool(x, 2, 2)
        return x.mean((1, 2))

    return with_training(f, p, shape(batch, 96, 96, 3), train)


def wired(nodes, seed, batch=1):
    """A randomly wired network: convolutions that are added, with many widths."""
    r = random.Random(seed)
    widths = [r.choice([8, 12, 20, 28, 36, 52]) for _ in range(nodes)]
    widths[0] = 16
    edges = [sorted({r.randrange(max(0, i - 8), i) for _ in range(r.choice([1, 2, 2, 3]))}) for i in range(1, nodes)]
    p = [shape(3, 3, 3, 16)] + [shape(3, 3, widths[j], widths[i + 1]) for i, of in enumerate(edges) for j in of]

    def f(p, x):
        weights = iter(p)
        h = [conv(x, next(weights), 2)]
        for of in edges:
            h.append(jax.nn.silu(sum(conv(h[j], next(weights)) for j in of)))
        return h[-1].mean((1, 2))

    return with_training(f, p, shape(batch, 96, 96, 3), False)


def with_training(f, p, x, train):
    if train:
        return training(lambda p, x: (f(p, x) ** 2).mean()), (p, p, x)
    return jax.jit(f), (p, x)


# ---- loops


def conjugate(a, b):
    """Solves a @ x = b by conjugate gradients, in a while loop."""

    def body(s):
        x, r, p, k = s
        q = a @ p
        t = (r * r).sum(0) / ((p * q).sum(0) + 1e-6)
        after = r - t * q
        return x + t * p, after, after + ((after * after).sum(0) / ((r * r).sum(0) + 1e-6)) * p, k + 1

    return lax.while_loop(lambda s: (s[3] < 50) & ((s[1] ** 2).sum() > 1e-6), body, (jnp.zeros_like(b), b, b, 0))[0]


def nested():
    def f(w, x, y):
        h = jnp.tanh(x @ w)
        k = h @ h.T + jnp.eye(x.shape[0])
        z, u = conjugate(k, y), jnp.linalg.qr(h.T @ h)[0]
        s, _ = lax.while_loop(lambda c: c[1] < 5, lambda c: (conjugate(k, c[0] @ u[:100, :100]), c[1] + 1), (z, 0))
        return w - h.T[:200] @ s @ jnp.ones((100, 300)), z, jnp.sort(s, 0)

    return jax.jit(f), (shape(200, 300), shape(400, 200), shape(400, 100))


PROGRAMS = {
    "wired-48-15": lambda: wired(48, 15),
    "while-nested": nested,
    "wired-32-1": lambda: wired(32, 1),
    "inception-1": lambda: inception(1),
    "wired-48-3-batch-3": lambda: wired(48, 3, 3),
    "wired-48-12": lambda: wired(48, 12),
    "inception-train-1": lambda: inception(1, True),
    "wired-48-13": lambda: wired(48, 13),
    "wired-48-11": lambda: wired(48, 11),
    "evoformer-odd": lambda: evoformer_inference(3, 50, 77),
    "inception-train-4": lambda: inception(4, True),
    "inception-train-2": lambda: inception(2, True),
    "inception-train-8": lambda: inception(8, True),
    "wired-40-2": lambda: wired(40, 2),
    "evoformer": evoformer_inference,
    "unet": lambda: (jax.jit(unet), (unet_parameters(), shape(1, 128, 128, 3))),
    "experts-train": experts,
    "diffusion-scan": diffusion,
    "gpt-scan": gpt,
    "gpt-accumulate": lambda: gpt(parts=4),
    "evoformer-scan-train": evoformer_scan,
    "evoformer-parts": evoformer_parts,
    "while": lambda: (jax.jit(conjugate), (shape(400, 400), shape(400, 100))),
}

"""Modules of MLIR with loops and branches, each with a function @main that allocates. MODULES has their texts and the arguments
for some runs; scratch writes one at random."""

import itertools
import random


class Text:
    """Writes a function. Buffers are one-dimensional memrefs of floats."""

    def __init__(self):
        self.lines, self.numbers, self.sizes = [], itertools.count(), {}

    def __call__(self, line):
        self.lines.append(line)

    def name(self):
        return f"%v{next(self.numbers)}"

    def alloc(self, n, buffer=None, attributes=""):
        buffer = buffer or self.name()
        self.sizes[buffer] = n
        self(f"{buffer} = memref.alloc() {attributes}: memref<{n}xf32>")
        return buffer

    def free(self, *buffers):
        for b in buffers:
            self(f"memref.dealloc {b} : {self.kind(b)}")

    def kind(self, buffer):
        return f"memref<{self.sizes[buffer]}xf32>"

    def constant(self, value, kind="index"):
        v = self.name()
        self(f"{v} = arith.constant {value} : {kind}")
        return v

    def loop(self, n, body, start="%c0"):
        """A loop over 0 to n; body gets the counter."""
        k, end = self.name(), n if isinstance(n, str) else self.constant(n)
        self(f"scf.for {k} = {start} to {end} step %c1 {{")
        body(k)
        self("}")

    def load(self, buffer, k):
        v = self.name()
        self(f"{v} = memref.load {buffer}[{k}] : {self.kind(buffer)}")
        return v

    def store(self, value, buffer, k):
        self(f"memref.store {value}, {buffer}[{k}] : {self.kind(buffer)}")

    def op(self, name, *values, kind="f32"):
        v = self.name()
        self(f"{v} = arith.{name} {', '.join(values)} : {kind}")
        return v

    def fill(self, buffer, value):
        self.loop(self.sizes[buffer], lambda k: self.store(value, buffer, k))

    def each(self, to, name, *of):
        """to[k] = name(of[0][k], of[1][k])"""
        self.loop(self.sizes[to], lambda k: self.store(self.op(name, *(self.load(b, k) for b in of)), to, k))

    def add(self, total, buffer):
        """total[0] += the sum of a buffer"""

        def body(k):
            self.store(self.op("addf", self.load(total, "%c0"), self.load(buffer, k)), total, "%c0")

        self.loop(self.sizes[buffer], body)

    def compare(self, predicate, a, b):
        v = self.name()
        self(f"{v} = arith.cmpi {predicate}, {a}, {b} : index")
        return v

    def function(self, write, name="main"):
        """A function of a number and a float, which returns the sum of what write adds to its last argument."""
        self(f"func.func @{name}(%n: index, %x: f32) -> f32 {{")
        for k in range(3):
            self(f"%c{k} = arith.constant {k} : index")
        self("%zero = arith.constant 0.0 : f32")
        total = self.alloc(1, "%total")
        self.store("%zero", total, "%c0")
        write(self, total)
        out = self.load(total, "%c0")
        self.free(total)
        self(f"func.return {out} : f32")
        self("}")

    def __str__(self):
        return "\n".join(self.lines) + "\n"


def chain(t, total):
    """Eight stages, one after the other; each frees the one before it."""
    a = t.alloc(64)
    t.fill(a, "%x")
    for n in (64, 48, 48, 80, 16, 64, 32):
        b = t.alloc(n)
        t.fill(b, "%x")
        t.loop(min(n, t.sizes[a]), lambda k, a=a, b=b: t.store(t.op("addf", t.load(a, k), t.load(b, k)), b, k))
        t.free(a)
        a = b
    t.add(total, a)
    t.free(a)


def sides(t, total):
    """A branch with memory of its own on either side, between two buffers that live across it."""
    a, b = t.alloc(32), t.alloc(48)
    t.fill(a, "%x")
    t(f"scf.if {t.compare('slt', '%n', t.constant(3))} {{")
    c, d = t.alloc(64), t.alloc(16)
    t.fill(c, "%x"), t.fill(d, "%x")
    t.each(a, "addf", a, c), t.add(total, d)
    t.free(c, d)
    t("} else {")
    c = t.alloc(80)
    t.fill(c, "%x")
    t.each(a, "mulf", a, c)
    t.free(c)
    t("}")
    t.fill(b, "%x")
    t.add(total, a), t.add(total, b)
    t.free(a, b)


def blocks(t, total):
    """The same by blocks: two of them, which meet in a third that frees what both have filled."""
    a = t.alloc(40)
    t(f"cf.cond_br {t.compare('slt', '%n', t.constant(3))}, ^small, ^large")
    t("^small:")
    b = t.alloc(56)
    t.fill(b, "%x")
    t.loop(40, lambda k: t.store(t.load(b, k), a, k))
    t.free(b)
    t("cf.br ^end")
    t("^large:")
    c, d = t.alloc(24), t.alloc(48)
    t.fill(c, "%x"), t.fill(d, "%x")
    t.fill(a, "%x"), t.add(total, c), t.add(total, d)
    t.free(c, d)
    t("cf.br ^end")
    t("^end:")
    t.add(total, a)
    t.free(a)


def nested(t, total):
    """Loops in loops: a buffer for the outer one, two for each round of the inner one."""
    rows = t.alloc(24)
    t.fill(rows, "%x")

    def outer(i):
        row = t.alloc(24)
        t.each(row, "mulf", rows, rows)

        def inner(j):
            a = t.alloc(32)
            t.fill(a, "%x")
            t.add(total, a)
            t.free(a)
            b = t.alloc(24)
            t.each(b, "addf", row, rows)
            t.each(rows, "subf", b, row)
            t.free(b)

        t.loop(3, inner)
        t.add(total, row)
        t.free(row)

    t.loop("%n", outer)
    t.free(rows)


def until(t, total):
    """A while loop with memory in its condition and in its body."""
    a = t.alloc(32)
    t.fill(a, "%x")
    t("%last = scf.while (%k = %c0) : (index) -> index {")
    b = t.alloc(32)
    t.each(b, "mulf", a, a)
    t.add(total, b)
    t.free(b)
    t("%more = arith.cmpi slt, %k, %n : index")
    t("scf.condition(%more) %k : index")
    t("} do {")
    t("^body(%m: index):")
    c, d = t.alloc(32), t.alloc(16)
    t.each(c, "addf", a, a), t.fill(d, "%x")
    t.each(a, "subf", c, a), t.add(total, d)
    t.free(c, d)
    t("%next = arith.addi %m, %c1 : index")
    t("scf.yield %next : index")
    t("}")
    t.add(total, a)
    t.free(a)


def swapped(t, total):
    """Two buffers that a loop exchanges in every round, and a temporary."""
    a, b = t.alloc(32), t.alloc(32)
    t.fill(a, "%x"), t.fill(b, "%zero")
    t.sizes.update({"%from": 32, "%to": 32, "%first": 32, "%second": 32})
    kind = t.kind(a)
    t(f"%first, %second = scf.for %k = %c0 to %n step %c1 iter_args(%from = {a}, %to = {b}) -> ({kind}, {kind}) {{")
    c = t.alloc(48)
    t.fill(c, "%x")
    t.add(total, c)
    t.free(c)
    t.each("%to", "addf", "%from", "%from")
    t(f"scf.yield %to, %from : {kind}, {kind}")
    t("}")
    d = t.alloc(40)
    t.fill(d, "%x"), t.add(total, d)
    t.free(d)
    t.add(total, "%first"), t.add(total, "%second")
    t.free(a, b)


def rounds(t, total):
    """A loop of blocks; a memref goes round as an argument of a block."""
    a = t.alloc(24)
    t.fill(a, "%x")
    t.sizes["%r"] = 24
    t(f"cf.br ^head(%c0, {a} : index, {t.kind(a)})")
    t(f"^head(%k: index, %r: {t.kind(a)}):")
    t("%more = arith.cmpi slt, %k, %n : index")
    t("cf.cond_br %more, ^body, ^end")
    t("^body:")
    b = t.alloc(24)
    t.each(b, "addf", "%r", "%r")
    c = t.alloc(56)
    t.fill(c, "%x"), t.add(total, c)
    t.free(c)
    t.each("%r", "mulf", b, b)
    t.free(b)
    t("%next = arith.addi %k, %c1 : index")
    t(f"cf.br ^head(%next, %r : index, {t.kind(a)})")
    t("^end:")
    t.add(total, "%r")
    t.free(a)


def calls(t, total):
    """A function calls another one, which has an arena of its own, with a buffer as its argument."""
    a = t.alloc(32)
    t.fill(a, "%x")

    def body(k):
        b = t.alloc(32)
        t.each(b, "addf", a, a)
        t(f"func.call @helper({b}, %n) : ({t.kind(b)}, index) -> ()")
        t.each(a, "subf", b, a)
        t.free(b)

    t.loop("%n", body)
    t.add(total, a)
    t.free(a)


def helper(t):
    t("func.func @helper(%given: memref<32xf32>, %n: index) {")
    t("%c0 = arith.constant 0 : index")
    t("%c1 = arith.constant 1 : index")
    t.sizes["%given"] = 32
    a = t.alloc(32)
    t.each(a, "mulf", "%given", "%given")
    b = t.alloc(32)
    t.each(b, "addf", a, "%given")
    t.free(a)
    c = t.alloc(32)
    t.each(c, "addf", b, b)
    t.free(b)
    t.each("%given", "subf", c, "%given")
    t.free(c)
    t("func.return")
    t("}")


def chosen(t, total):
    """A memref is one of two, by a select and by a switch."""
    a, b = t.alloc(24), t.alloc(24)
    t.fill(a, "%x"), t.fill(b, "%zero")
    small = t.compare("slt", "%n", t.constant(3))
    t.sizes.update({"%one": 24, "%two": 24})
    t(f"%one = arith.select {small}, {a}, {b} : {t.kind(a)}")
    c = t.alloc(24)
    t.each(c, "addf", "%one", "%one")
    t(f"%two = scf.index_switch %n -> {t.kind(a)}")
    t("case 2 {")
    t(f"scf.yield {c} : {t.kind(a)}")
    t("}")
    t("default {")
    d = t.alloc(64)
    t.fill(d, "%x"), t.add(total, d)
    t.free(d)
    t(f"scf.yield {a} : {t.kind(a)}")
    t("}")
    t.add(total, "%two")
    e = t.alloc(56)
    t.fill(e, "%x"), t.add(total, e)
    t.free(a, b, c, e)


def perceptron(t, total):
    """Two layers and a residual, by loops over rows and columns; one buffer must be aligned to 64 bytes."""
    x, w, v = t.alloc(12, attributes="{alignment = 64 : i64} "), t.alloc(12 * 20), t.alloc(20 * 12)
    for b in (x, w, v):
        t.fill(b, "%x")

    def product(to, of, weights):
        t.fill(to, "%zero")

        def row(i):
            def column(j):
                at = t.op("addi", t.op("muli", i, t.constant(t.sizes[to]), kind="index"), j, kind="index")
                t.store(t.op("addf", t.load(to, j), t.op("mulf", t.load(of, i), t.load(weights, at))), to, j)

            t.loop(t.sizes[to], column)

        t.loop(t.sizes[of], row)

    h = t.alloc(20)
    product(h, x, w)
    t.free(w)
    g = t.alloc(20)
    t.loop(20, lambda k: t.store(t.op("maximumf", t.load(h, k), "%zero"), g, k))
    t.free(h)
    y = t.alloc(12)
    product(y, g, v)
    t.free(v, g)
    t.each(y, "addf", y, x)
    t.add(total, y)
    t.free(x, y)


def built(write, *more):
    t = Text()
    t.function(write)
    for m in more:
        m(Text() if t is None else t)
    return str(t)


#: The modules: names and texts. Each @main takes a number, which is a count or a condition, and a float.
MODULES = {
    f.__name__: built(f) for f in (chain, sides, blocks, nested, until, swapped, rounds, chosen, perceptron)
} | {"calls": built(calls, helper)}  # fmt: skip
ARGUMENTS = [(0, 0.5), (2, 1.25), (4, -0.75)]


def scratch(seed):
    """Returns a module at random: loops, branches, and buffers that live across some of them. A few are never freed."""
    r = random.Random(seed)

    def write(t, total):
        def part(depth, buffers):
            mine, work = [], []
            for _ in range(r.randrange(2, 6)):
                kind = r.random()
                have = buffers + mine
                if kind < 0.35 or not have:
                    b = t.alloc(r.choice([8, 12, 16, 24]))
                    t.fill(b, "%x")
                    mine.append(b)
                elif kind < 0.5:
                    t.add(total, r.choice(have))
                elif kind < 0.65:
                    a, b = r.choice(have), r.choice(have)
                    n = min(t.sizes[a], t.sizes[b])
                    t.loop(n, lambda k, a=a, b=b: t.store(t.op(r.choice(["addf", "subf"]), t.load(a, k), t.load(b, k)), a, k))
                elif kind < 0.75 and mine:
                    t.free(mine.pop(r.randrange(len(mine))))
                elif depth < 3 and kind < 0.88:
                    t.loop(r.choice([2, "%n"]), lambda k: part(depth + 1, buffers + mine))
                elif depth < 3:
                    t(f"scf.if {t.compare('slt', '%n', t.constant(r.randrange(4)))} {{")
                    part(depth + 1, buffers + mine)
                    t("} else {")
                    part(depth + 1, buffers + mine)
                    t("}")
            for b in mine:
                t.add(total, b)
                if r.random() < 0.8:
                    t.free(b)

        part(0, [])

    return built(write)


def varied():
    """A function whose sizes are arguments, a dimension of an argument, and arithmetic on them. Each buffer is filled, and all of it is read
    while others are live."""
    text = """func.func @main(%n: index, %m: index, %given: memref<?xf32>, %x: f32) -> f32 {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%g = memref.dim %given, %c0 : memref<?xf32>
%nm = arith.muli %n, %m : index
%half = arith.addi %nm, %c1 : index
%h = arith.floordivsi %half, %c2 : index
%zero = arith.constant 0.0 : f32
"""
    fill = """scf.for %i = %c0 to {n} step %c1 {{
memref.store {value}, {name}[%i] : memref<?xf32>
}}
"""
    read = """{sum} = scf.for %i = %c0 to {n} step %c1 iter_args(%s = {start}) -> (f32) {{
%v = memref.load {name}[%i] : memref<?xf32>
%t = arith.addf %s, %v : f32
scf.yield %t : f32
}}
"""
    text += "%a = memref.alloc(%n) : memref<?xf32>\n" + fill.format(n="%n", value="%x", name="%a")
    text += "%b = memref.alloc(%h) : memref<?xf32>\n" + fill.format(n="%h", value="%x", name="%b")
    text += read.format(sum="%s1", n="%n", start="%zero", name="%a") + "memref.dealloc %a : memref<?xf32>\n"
    text += "%c = memref.alloc(%g) : memref<?xf32>\n" + fill.format(n="%g", value="%s1", name="%c")
    text += "%d = memref.alloc(%m, %c3) : memref<?x?xf32>\n"
    text += "memref.store %s1, %d[%c0, %c2] : memref<?x?xf32>\n"
    text += read.format(sum="%s2", n="%h", start="%s1", name="%b") + "memref.dealloc %b : memref<?xf32>\n"
    text += "%e = memref.alloc() {alignment = 64 : i64} : memref<5xf32>\nmemref.store %s2, %e[%c3] : memref<5xf32>\n"
    text += read.format(sum="%s3", n="%g", start="%s2", name="%c") + "memref.dealloc %c : memref<?xf32>\n"
    text += """%p = memref.load %d[%c0, %c2] : memref<?x?xf32>
%q = memref.load %e[%c3] : memref<5xf32>
memref.dealloc %d : memref<?x?xf32>
memref.dealloc %e : memref<5xf32>
%r1 = arith.addf %p, %q : f32
%r2 = arith.addf %r1, %s3 : f32
func.return %r2 : f32
}
"""
    return text

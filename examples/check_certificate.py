#!/usr/bin/env python3
"""Checks certificates, in a hundred-odd lines that share nothing with Stowage.

    python3 check_certificate.py model.csv proof.txt [model.csv proof.txt ...]

A certificate says that no plan of the problem fits a capacity; docs/certificates.md has
its format, the five conclusions drawn here and why they are sound. The problem is CSV
with the columns id, lower, upper (exclusive), size, and perhaps alignment, gaps, offset.
"""
import ast, csv, itertools, math, re, sys


class Contradiction(Exception): "No plan has the offsets that are left."
class Refused(Exception): "The certificate proves nothing."


def up_to(x, align): return -(-x // align) * align


class Proof:
    def __init__(self, model, lines):
        rows = {r["id"]: r for r in csv.DictReader(model)}
        self.lines = iter(lines)
        word, self.capacity, count = next(self.lines), next(self.lines).split(), next(self.lines).split()
        if word != "stowage certificate 1" or self.capacity[0] != "capacity" or count[0] != "buffers":
            raise Refused("not a certificate")
        self.capacity = int(self.capacity[1])
        rows = [rows.pop(ast.literal_eval(next(self.lines))) for _ in range(int(count[1]))]
        self.size, self.align, self.n = [int(r["size"]) for r in rows], [int(r.get("alignment") or 1) for r in rows], len(rows)
        self.fixed = [int(r["offset"]) if r.get("offset") not in (None, "", "-1") else None for r in rows]
        self.low = [f or 0 for f in self.fixed]
        self.up = [self.capacity - s if f is None else min(f, self.capacity - s) for f, s in zip(self.fixed, self.size)]
        step = 1 if any("@" in (r.get("gaps") or "") for r in rows) else math.gcd(*self.align)
        stays = []  # the bytes [start, end) from its offset on that a buffer uses in [lower, upper)
        for j, r in enumerate(rows):
            at = int(r["lower"])
            for gap in (r.get("gaps") or "").split():
                first, last, window = re.fullmatch(r"(-?\d+)-(-?\d+)(?:@(.+))?", gap).groups()
                first, last = int(first), int(last)
                stays.append((at, first, j, 0, up_to(self.size[j], step)))
                if window:
                    stays.append((first, last, j, *map(int, window.split(":"))))
                at = last
            stays.append((at, int(r["upper"]), j, 0, up_to(self.size[j], step)))
        begins = sorted({s[0] for s in stays})
        self.slots = [[s[2:] for s in stays if s[0] <= t < s[1] and s[3] < s[4]] for t in begins]
        pairs = {(a, b) for slot in self.slots for a in slot for b in slot if a[0] != b[0]}
        self.lifts = all(b[2] > a[1] for a, b in pairs)  # whoever is above starts higher
        self.met = [set() for _ in rows]  # (who, how far j is above it where it is, how far who is above j)
        for a, b in pairs:
            self.met[a[0]].add((b[0], b[2] - a[1], a[2] - b[1]))
        alike, self.twin = {}, {}
        for j in range(self.n):
            uses = [(t, s[1:]) for t, slot in enumerate(self.slots) for s in slot if s[0] == j]
            key = (self.size[j], self.align[j], tuple(uses))
            if uses and self.fixed[j] is None:
                self.twin[j] = alike.get(key)
                alike[key] = j

    def at_least(self, j, v):
        self.low[j] = max(self.low[j], up_to(max(v, 0), self.align[j]))
        if self.low[j] > self.up[j]: raise Contradiction

    def at_most(self, j, v):
        self.up[j] = min(self.up[j], v // self.align[j] * self.align[j])
        if self.low[j] > self.up[j]: raise Contradiction

    def apart_and_twins(self, j):
        for who, over, under in self.met[j]:
            if who == self.twin.get(j) or self.low[j] + under > self.up[who]:
                self.at_least(j, self.low[who] + over)
                self.at_most(who, self.up[j] - over)

    def stacked(self, slot):
        low, up = self.low, self.up
        slot.sort(key=lambda s: low[s[0]] + s[1])
        for k in range(len(slot)):
            if low[slot[k][0]] + slot[k][1] + sum(e - s for _, s, e in slot[k:]) > max(up[j] + e for j, _, e in slot[k:]):
                raise Contradiction
        loose = list(itertools.dropwhile(lambda s: low[s[0]] == up[s[0]], slot))
        total, top = sum(e - s for _, s, e in loose), max((up[j] + e for j, _, e in loose), default=0)
        ends = sorted((low[j] + e, j) for j, _, e in loose)
        for j, start, _ in loose:  # whoever cannot be the lowest of them lies above another
            if low[j] + start + total > top:
                self.at_least(j, next((end for end, who in ends if who != j), self.capacity + 1) - start)

    def resting(self):
        rest = [self.low[j] if self.low[j] == 0 or self.fixed[j] is not None else math.inf for j in range(self.n)]
        left = set(range(self.n))
        while left:
            left.remove(pick := min(left, key=rest.__getitem__))
            if rest[pick] == math.inf: raise Contradiction
            self.at_least(pick, rest[pick])
            for j, _, under in self.met[pick]:
                if j in left and up_to(self.up[pick] + under, self.align[j]) >= self.low[j]:
                    rest[j] = min(rest[j], max(self.low[j], up_to(max(rest[pick] + under, 0), self.align[j])))

    def lowered(self):
        for j in (j for j in range(self.n) if self.fixed[j] is None):
            tops = [self.low[w] + over for w, over, _ in self.met[j] if self.low[w] == self.up[w]]
            for at in (up_to(max(t, 0), self.align[j]) for t in [0] + tops):
                if at < self.low[j] and all(self.up[w] + over <= at or self.low[w] >= at + under for w, over, under in self.met[j]):
                    raise Contradiction

    def settle(self):
        bounds = lambda: (self.low[:], self.up[:])
        for turn in range(1, 1001):  # bounds may creep; what is not drawn leaves the case open
            before = bounds()
            for j in range(self.n):
                self.at_least(j, self.low[j]), self.at_most(j, self.up[j])
            for slot in self.slots: self.stacked(slot)
            if not self.lifts: raise Refused("windows let the upper one start lower")
            for j in range(self.n): self.apart_and_twins(j)
            if turn % 8 == 0 or before == bounds(): self.resting(), self.lowered()
            if before == bounds(): return

    def case(self, dead=False):
        saved = self.low[:], self.up[:]
        while True:
            try: dead or self.settle()
            except Contradiction: dead = True
            if (line := next(self.lines)) == ".": break
            j, v = map(int, line.split())
            high, self.up[j] = self.up[j], min(self.up[j], v)
            self.case(dead)
            self.up[j], self.low[j] = high, max(self.low[j], v + 1)
        if not dead: raise Refused("nothing contradicts a case")
        self.low, self.up = saved


def check(model, proof):
    """Returns the capacity that no plan fits."""
    with open(model, newline="") as m, open(proof) as c:
        try:
            p = Proof(m, c.read().splitlines())
            sys.setrecursionlimit(2 * p.n + 1000)
            p.case()
        except (ValueError, AttributeError, KeyError, IndexError, SyntaxError, StopIteration, RecursionError) as e:
            raise Refused(f"not a certificate of this problem: {e!r}")
    if next(p.lines, None) is not None: raise Refused("there is more after the proof")
    return p.capacity


if __name__ == "__main__":
    refused = False
    for model, proof in zip(sys.argv[1::2], sys.argv[2::2]):
        try:
            print(f"no plan of {model} fits {check(model, proof)}")
        except Refused as e:
            refused = print(f"{proof}: refused: {e}") or True
    sys.exit(refused)

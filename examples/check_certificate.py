#!/usr/bin/env python3
"""Checks certificates, in two hundred lines that share nothing with Stowage.

    python3 check_certificate.py model.csv proof.txt [model.csv proof.txt ...]

A certificate says that no plan of the problem fits a capacity; docs/certificates.md has
its format, the five conclusions drawn here and why they are sound.

Stowage reads CSV in many spellings. This program reads one of them, so that it cannot take a
number for another than Stowage does, and refuses all else (see read):

- The name ends in .csv. The text is UTF-8, without a byte order mark or NUL. Lines end with LF
  or CRLF. No line is empty or begins with #. Fields are separated by commas, and may be quoted
  as a whole, within their line.
- The header has the columns id, lower, upper (exclusive), size, and perhaps alignment, gaps,
  hint and offset, each once, in small letters, in any order. There are no other columns.
- Numbers are digits without a leading zero, with a minus sign or without. Of them alignment,
  hint and offset may be empty; -1 is no hint and no offset.
- Gaps are a-b or a-b@lo:hi, in ascending order, with one space between two of them.
"""
import ast, csv, itertools, math, re, sys

MOST = 2**61 - 1  # no size, time or sum is larger
COLUMNS = "id", "lower", "upper", "size", "alignment", "gaps", "hint", "offset"
FIELD = r'(?:"(?:[^"\r\0]|"")*"|[^",\r\0]*)'
NUMBER = "0|-?[1-9][0-9]{0,18}"
GAP = re.compile(f"({NUMBER})-({NUMBER})(?:@({NUMBER}):({NUMBER}))?")


class Contradiction(Exception): "No plan has the offsets that are left."
class Refused(Exception): "The certificate proves nothing."


def need(condition, what):
    if not condition: raise Refused(what)


def whole(text, least, most=MOST):
    need(re.fullmatch(NUMBER, text) and least <= int(text) <= most, f"{text!r} is not read here: a number from {least} to {most} is")
    return int(text)


class Buffer:
    def __init__(self, row):
        self.id, self.lower, self.size = row["id"], whole(row["lower"], -MOST), whole(row["size"], 1)
        self.upper = whole(row["upper"], self.lower + 1)
        self.align = whole(row.get("alignment") or "1", 1)
        self.hint, self.fixed = (None if row.get(c, "") in ("", "-1") else whole(row[c], 0) for c in ("hint", "offset"))
        need(self.fixed is None or self.fixed % self.align == 0, "an offset is not aligned")
        self.gaps, end = [], self.lower  # (lower, upper, window), the window (lower, upper) or None
        for text in row["gaps"].split(" ") if row.get("gaps") else []:
            m = GAP.fullmatch(text)
            need(m, f"the gap {text!r} is not read here")
            lower = whole(m[1], end)
            end = whole(m[2], lower + 1, self.upper)
            window = m[3] and (whole(m[3], 0), whole(m[4], int(m[3]) + 1, self.size))
            self.gaps.append((lower, end, window))


def read(data):
    """Returns the buffers of a CSV file by their names."""
    lines = data.decode("utf-8").split("\n")  # what is not UTF-8 raises a ValueError
    if lines[-1] == "": lines.pop()
    lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    for line in lines:
        need(line and line[0] != "#" and re.fullmatch(f"{FIELD}(?:,{FIELD})*", line), f"the line {line[:60]!r} is not read here")
    header, *rows = csv.reader(lines, strict=True)
    need(set(COLUMNS[:4]) <= set(header) <= set(COLUMNS) and len(set(header)) == len(header), f"the header {','.join(header)[:60]!r} is not read here")
    buffers = {}
    for row in rows:
        need(len(row) == len(header), "a line has more or fewer fields than the header")
        b = Buffer(dict(zip(header, row)))
        need(b.id and b.id not in buffers, f"the name {b.id!r} is empty or there twice")
        buffers[b.id] = b
    top = max((b.fixed + b.size for b in buffers.values() if b.fixed is not None), default=0)
    need(sum(b.size + b.align - 1 for b in buffers.values()) + top <= MOST, "the sizes are too large")
    return buffers


def up_to(x, align): return -(-x // align) * align


class Proof:
    def __init__(self, buffers, lines):
        self.lines = iter(lines)
        word, capacity, count = next(self.lines), next(self.lines), next(self.lines)
        if word != "stowage certificate 1" or capacity[:9] != "capacity " or count[:8] != "buffers ":
            raise Refused("not a certificate")
        self.capacity = whole(capacity[9:], 0)
        rows = [buffers.pop(ast.literal_eval(next(self.lines))) for _ in range(whole(count[8:], 1, len(buffers)))]
        self.size, self.align, self.fixed, self.n = [b.size for b in rows], [b.align for b in rows], [b.fixed for b in rows], len(rows)
        self.low = [f or 0 for f in self.fixed]
        self.up = [self.capacity - s if f is None else min(f, self.capacity - s) for f, s in zip(self.fixed, self.size)]
        step = 1 if any(window for b in rows for _, _, window in b.gaps) else math.gcd(*self.align)
        stays = []  # the bytes [start, end) from its offset on that a buffer uses in [lower, upper)
        for j, b in enumerate(rows):
            at = b.lower
            for lower, upper, window in b.gaps:
                stays.append((at, lower, j, 0, up_to(b.size, step)))
                if window: stays.append((lower, upper, j, *window))
                at = upper
            stays.append((at, b.upper, j, 0, up_to(b.size, step)))
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
            j, v = line.split(" ")
            j, v = whole(j, 0, self.n - 1), whole(v, 0)
            high, self.up[j] = self.up[j], min(self.up[j], v)
            self.case(dead)
            self.up[j], self.low[j] = high, max(self.low[j], v + 1)
        if not dead: raise Refused("nothing contradicts a case")
        self.low, self.up = saved


def check(model, proof):
    """Returns the capacity that no plan fits."""
    need(model.endswith(".csv"), f"{model} is not read here: its name does not end in .csv")
    try:
        with open(model, "rb") as m, open(proof, encoding="utf-8", newline="\n") as c:
            p = Proof(read(m.read()), c.read().split("\n"))
        sys.setrecursionlimit(2 * p.n + 1000)
        p.case()
    except (ValueError, KeyError, TypeError, SyntaxError, StopIteration, RecursionError, MemoryError, csv.Error, OSError) as e:
        raise Refused(f"not a certificate of this problem: {e!r}")
    need(list(p.lines) in ([], [""]), "the file has text after the proof")
    return p.capacity


def main(files):
    if len(files) % 2 or not files:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    code = 0
    for model, proof in zip(files[::2], files[1::2]):
        try:
            print(f"no plan of {model} fits {check(model, proof)}")
        except Refused as e:
            print(f"{proof}: refused: {e}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

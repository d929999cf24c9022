"""A plan in a notebook: a picture, and one line of text below it.

Idea: the picture is drawn here, at the resolution of a notebook. So it stays small for any
number of buffers. It is SVG on a grid of 1600 x 800, whose cells are about a pixel of a
screen. The largest rectangles are drawn one by one, in eight colours. All
others, and those less than a unit wide or high, are merged: their area is summed in the
cells of a coarser grid, and rows of equally full cells are drawn as one line. If that is
still too much text, the cells are made larger.

The width follows the page. Text and axes have the colour of the text around them. The
fills follow the theme: of Jupyter, of VS Code, or of the browser.

Complexity: O(n log n) for n pieces of buffers, plus the cells of the grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._errors import shown

if TYPE_CHECKING:
    from ._plan import Plan
    from ._problem import Problem

WIDTH, HEIGHT = 1600, 800  # of the area that shows buffers
_LEFT, _TOP, _BOTTOM = 10, 40, 50  # around it, for text
_SINGLE = 250  # the most rectangles with a tooltip of their own
_DRAWN = 2200  # the most rectangles that are drawn one by one
_MERGED = 30_000  # the most characters for merged rectangles
_LEVELS = 4  # shades of merged cells
_COLOURS = 8

_STYLE = """
.stowage-plan{max-width:100%;--b:#1b1b1b;--c0:#8ab4e0;--c1:#f2b880;--c2:#8fce9f;--c3:#e9a0a0;--c4:#bda7e0;--c5:#dccb74;--c6:#86cdd0;--c7:#cdb3a0}
.stowage-plan svg{display:block;width:100%;max-width:1000px;height:auto}
.stowage-plan text{fill:currentColor;font:24px system-ui,sans-serif}
.stowage-plan .n{fill:var(--b);pointer-events:none}
.stowage-plan .g{stroke:currentColor;fill:none;stroke-opacity:.5}
.stowage-plan .m{stroke:var(--c0);fill:none}
.stowage-plan p{margin:.3em 0;font:13px system-ui,sans-serif}
"""
_DARK = "{--b:#fff;--c0:#2f6299;--c1:#96571b;--c2:#2f7544;--c3:#944343;--c4:#6a4f9a;--c5:#77681a;--c6:#1f7276;--c7:#77594a}"
_LIGHT = "{" + _STYLE.partition("100%;")[2].partition("}")[0] + "}"


def drawn(plan: Plan) -> str:
    """Returns a plan as HTML for a notebook."""
    import html

    rules = _STYLE + f"@media(prefers-color-scheme:dark){{.stowage-plan{_DARK}}}"
    rules += f"[data-jp-theme-light=true] .stowage-plan,.vscode-light .stowage-plan{_LIGHT}[data-jp-theme-light=false] .stowage-plan,.vscode-dark .stowage-plan{_DARK}"
    rules += "".join(f".stowage-plan .c{k}{{fill:var(--c{k})}}" for k in range(_COLOURS))
    said = html.escape(_line(plan))
    p = plan.problem
    picture = ""
    if p.count and p.rules is None:  # a picture has one strip of bytes
        picture = _svg(_Scale(p, plan._limit, plan.height), plan, said) if plan.offsets is not None else _load(p, plan._limit, said)
    return f'<div class="stowage-plan"><style>{rules}</style>{picture}<p>{said}</p></div>'


def _line(plan: Plan) -> str:
    """Returns the outcome in one line."""
    from ._problem import counted

    said: str = plan.status
    if plan.offsets is not None and plan.objective:
        said += ": " + ", ".join(f"{m} {plan.measures[m]:,}" for m in plan.objective)
    elif plan.offsets is not None:
        said += f": height {plan.height:,}"
        if plan.lower_bound < plan.height:
            said += f", lower bound {plan.lower_bound:,}"
    if plan.capacity:
        said += f", capacity {plan.capacity:,}"
    ms = plan.seconds * 1000
    said += f"; {counted(len(plan))}, {plan.planner}, " + ("under 1 ms" if ms < 1 else f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s")
    return f"{said}. {plan.reason}" if plan.reason else said


class _Scale:
    """Turns times and offsets into units of the picture. There is room for the highest plan,
    and for a capacity that is not far above it."""

    def __init__(self, p: Problem, capacity: int, height: int) -> None:
        self.first, self.last = int(min(p.lower)), int(max(p.upper))
        self.capacity = capacity if 0 < capacity <= 1.25 * height else 0
        self.top = max(self.capacity, height, 1)
        self.wide = WIDTH / (self.last - self.first)
        self.high = HEIGHT / self.top

    def x(self, time: int) -> float:
        return (time - self.first) * self.wide

    def y(self, offset: int) -> float:
        return HEIGHT - offset * self.high


def _pieces(p: Problem, i: int) -> list[tuple[int, int, int, int]]:
    """Returns the pieces of a buffer: times [lower, upper) and its own bytes [low, high) in use."""
    lower, upper, size = int(p.lower[i]), int(p.upper[i]), int(p.size[i])
    if p.gaps is None:
        return [(lower, upper, 0, size)]
    pieces, at = [], lower
    for gap in sorted(p.gaps.rows(i)):
        if at < gap[0]:
            pieces.append((at, gap[0], 0, size))
        if len(gap) == 4:
            pieces.append((gap[0], gap[1], gap[2], gap[3]))
        at = gap[1]
    if at < upper:
        pieces.append((at, upper, 0, size))
    return pieces


def _svg(s: _Scale, plan: Plan, said: str) -> str:
    """Draws a plan."""
    p, offsets = plan.problem, plan.offsets
    assert offsets is not None
    boxes = []  # area, x, y, width, height, buffer
    for i in range(p.count):
        at = int(offsets[i])
        for lower, upper, low, high in _pieces(p, i):
            x, y = s.x(lower), s.y(at + high)
            w, h = s.x(upper) - x, s.y(at + low) - y
            boxes.append((w * h, x, y, w, h, i))
    boxes.sort(key=lambda box: -box[0])
    parts, merged = [], []
    paths: list[list[str]] = [[] for _ in range(_COLOURS)]
    single = len(boxes) <= _SINGLE
    count = 0
    for box in boxes:
        _, x, y, w, h, i = box
        left, top, right, bottom = round(x), round(y), round(x + w), round(y + h)
        if not single and (right - left < 2 or bottom - top < 2 or count >= _DRAWN):
            merged.append(box)
            continue
        count += 1
        # Two sides of a rectangle leave a unit free, so that neighbours can be told apart.
        wide, high = max(right - left - 1, 1), max(bottom - top - 1, 1)
        if single:
            parts.append(_titled(p, i, int(offsets[i]), left, top, wide, high))
        else:
            paths[i % _COLOURS].append(f"M{left} {top}h{wide}v{high}h-{wide}z")
    parts += [f'<path class="c{k}" d="{"".join(path)}"/>' for k, path in enumerate(paths) if path]
    parts = _dust(merged) + parts
    return _framed(s, "".join(parts), said, "height", plan.height)


def _titled(p: Problem, i: int, offset: int, x: int, y: int, w: int, h: int) -> str:
    """Draws a buffer with a tooltip, and with its name if there is room for it."""
    import html

    name = str(i) if p.names is None else shown(p.names[i])
    lower, upper, size = int(p.lower[i]), int(p.upper[i]), int(p.size[i])
    title = f"{_cut(name, 60)}: {size:,} at {offset:,}, live [{lower:,}, {upper:,})"
    drawn = f'<rect class="c{i % _COLOURS}" x="{x}" y="{y}" width="{w}" height="{h}"><title>{html.escape(title)}</title></rect>'
    # A letter is a bit wider than half its height. The name is set across or upwards, whichever is
    # larger, and is cut only if it would be too small.
    across, up = (w, h) if _fits(w, h, name) >= _fits(h, w, name) else (h, w)
    high = _fits(across, up, name)
    if high < 15:
        high = 16 if across >= 80 and up >= 18 else 0
    if high:
        turn = "" if across == w and up == h else f' transform="rotate(-90 {x + w // 2} {y + h // 2})"'
        style = "" if high == 24 else f' style="font-size:{high}px"'
        text = html.escape(_cut(name, int((across - 8) / (0.57 * high))))
        drawn += f'<text class="n" x="{x + w // 2}" y="{y + h // 2 + high // 3}" text-anchor="middle"{style}{turn}>{text}</text>'
    return drawn


def _fits(across: int, up: int, name: str) -> int:
    """Returns the largest height of letters at which a name fits into a rectangle."""
    return max(min(24, up - 2, int((across - 8) / (0.57 * len(name)))), 0)


def _cut(name: str, most: int) -> str:
    """Returns a name, cut in the middle if it is too long."""
    if len(name) <= most:
        return name
    return name[: most // 2] + "…" + name[len(name) - (most - 1) // 2 :]


def _dust(boxes: list[tuple[float, float, float, float, float, int]]) -> list[str]:
    """Draws rectangles merged: rows of cells that are equally full."""
    cell = 4
    while boxes:
        lines = _rows(boxes, cell)
        if sum(map(len, lines)) <= _MERGED:
            return [
                f'<path class="m" stroke-width="{cell}" stroke-opacity="{(k + 1) / _LEVELS:.2f}" d="{line}"/>' for k, line in enumerate(lines) if line
            ]
        cell *= 2
    return []


def _rows(boxes: list[tuple[float, float, float, float, float, int]], cell: int) -> list[str]:
    """Returns a path for each shade. The areas are summed from differences along both axes, so
    a rectangle of any number of cells costs the same."""
    wide, high = WIDTH // cell + 2, HEIGHT // cell + 2
    sums = [[0.0] * wide for _ in range(high)]
    for area, x, y, w, h, _ in boxes:
        x0, y0 = min(int(x / cell), wide - 2), min(max(int(y / cell), 0), high - 2)
        x1, y1 = min(int((x + w) / cell - 1e-9), wide - 2) + 1, min(int((y + h) / cell - 1e-9), high - 2) + 1
        x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)
        full = area / ((x1 - x0) * (y1 - y0) * cell * cell)
        top, bottom = sums[y0], sums[y1]
        top[x0] += full
        top[x1] -= full
        bottom[x0] -= full
        bottom[x1] += full
    lines: list[list[str]] = [[] for _ in range(_LEVELS)]
    column = [0.0] * wide
    for row in range(high - 1):
        across, begin, level = 0.0, 0, -1
        for k, change in enumerate(sums[row]):
            column[k] += change
            across += column[k]
            shade = -1 if across < 0.01 or k == wide - 1 else min(int(across * _LEVELS), _LEVELS - 1)
            if shade != level:
                if level >= 0:
                    lines[level].append(f"M{begin * cell} {row * cell + cell // 2}h{(k - begin) * cell}")
                begin, level = k, shade
    return ["".join(line) for line in lines]


def _load(p: Problem, capacity: int, said: str) -> str:
    """Draws how many bytes are in use at each time: the picture of a problem without a
    plan."""
    changes: dict[int, int] = {}
    for i in range(p.count):
        for lower, upper, low, high in _pieces(p, i):
            changes[lower] = changes.get(lower, 0) + high - low
            changes[upper] = changes.get(upper, 0) - (high - low)
    times, load, peak = sorted(changes), 0, 0
    loads = []
    for time in times:
        load += changes[time]
        loads.append(load)
        peak = max(peak, load)
    s = _Scale(p, capacity, max(peak, capacity))
    most = [0] * (WIDTH // 2 + 1)  # the most bytes in use in each column of two units
    for k, load in enumerate(loads[:-1]):
        for x in range(int(s.x(times[k])) // 2, max(int(s.x(times[k + 1])) - 1, int(s.x(times[k]))) // 2 + 1):
            most[x] = max(most[x], load)
    path, before = f"M0 {HEIGHT}", None
    for x, load in enumerate(most[:-1]):
        if (y := round(s.y(load))) != before:
            path += f"H{2 * x}V{y}"
            before = y
    return _framed(s, f'<path class="c0" d="{path}H{WIDTH}V{HEIGHT}z"/>', said, "in use at once: at most", peak)


def _framed(s: _Scale, inside: str, said: str, what: str, height: int) -> str:
    """Puts the axes around a picture."""
    y = round(s.y(height))
    marks = f'<path class="g" d="M0 {HEIGHT}H{WIDTH}M0 {y}H{WIDTH}"/><text x="{WIDTH}" y="{y - 8}" text-anchor="end">{what} {height:,}</text>'
    if s.capacity:
        y = round(s.y(s.capacity))
        marks += f'<path class="g" stroke-width="3" d="M0 {y}H{WIDTH}" stroke-dasharray="12 8"/><text y="{y - 8}">capacity {s.capacity:,}</text>'
    for time in _ticks(s.first, s.last):
        x = round(s.x(time))
        anchor = "start" if x < 60 else "end" if x > WIDTH - 60 else "middle"
        marks += f'<text x="{x}" y="{HEIGHT + 34}" text-anchor="{anchor}">{time:,}</text>'
    box = f"{-_LEFT} {-_TOP} {WIDTH + 2 * _LEFT} {HEIGHT + _TOP + _BOTTOM}"
    return f'<svg viewBox="{box}" role="img" aria-label="{said}" xmlns="http://www.w3.org/2000/svg">{inside}{marks}</svg>'


def _ticks(first: int, last: int) -> list[int]:
    """Returns about six round times for the axis."""
    step: Optional[int] = None
    power = 1
    while step is None:
        for factor in (1, 2, 5):
            if (last - first) <= 7 * factor * power:
                step = factor * power
                break
        power *= 10
    return list(range(-(-first // step) * step, last + 1, step))

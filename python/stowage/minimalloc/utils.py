"""Reads and writes CSV."""

from __future__ import annotations

import os
import re
from typing import Any, Optional, Union

from .._problem import COLUMNS
from .._units import integer
from ._model import Buffer, Gap, Interval, Problem, Solution

_NAMES = {name: column for column, names in COLUMNS.items() for name in names}
_GAP = re.compile(r"(-?[0-9]+)-(-?[0-9]+)(?:@(-?[0-9]+):(-?[0-9]+))?")


def to_csv(problem: Problem, solution: Optional[Solution] = None, old_format: bool = False) -> str:
    """Returns a problem as CSV, with the offsets of a solution; the old format has
    inclusive ends."""
    minus = 1 if old_format else 0
    columns: list[tuple[str, list[Any]]] = [
        ("id", [b.id for b in problem.buffers]),
        ("start" if old_format else "lower", [b.lifespan.lower for b in problem.buffers]),
        ("end" if old_format else "upper", [b.lifespan.upper - minus for b in problem.buffers]),
        ("size", [b.size for b in problem.buffers]),
    ]
    if any(b.alignment != 1 for b in problem.buffers):
        columns.append(("alignment", [b.alignment for b in problem.buffers]))
    if any(b.hint is not None for b in problem.buffers):
        columns.append(("hint", [-1 if b.hint is None else b.hint for b in problem.buffers]))
    if any(b.gaps for b in problem.buffers):
        columns.append(("gaps", [" ".join(_text(gap, minus) for gap in b.gaps) for b in problem.buffers]))
    if solution is not None:
        columns.append(("offset", solution.offsets))
    rows = zip(*(values for _, values in columns))
    return "".join(",".join(map(str, row)) + "\n" for row in ([name for name, _ in columns], *rows))


def _text(gap: Gap, minus: int) -> str:
    window = f"@{gap.window.lower}:{gap.window.upper}" if gap.window is not None else ""
    return f"{gap.lifespan.lower}-{gap.lifespan.upper - minus}{window}"


def from_csv(input: str) -> Optional[Problem]:
    """Reads a problem; None if the text is not a problem."""
    lines = input.split("\n")
    header = lines[0].split(",")
    plus = 1 if "end" in header else 0  # the column end is inclusive
    names = [_NAMES.get(name, name) for name in header]
    if len(set(names)) < len(names) or not {"id", "lower", "upper", "size"} <= set(names):
        return None
    buffers = []
    try:
        for line in lines[1:]:
            if not line:
                break
            fields = line.split(",")
            if len(fields) != len(names):
                return None
            row = dict(zip(names, fields))
            hint, offset = integer(row.get("hint", "-1")), row.get("offset")
            buffers.append(
                Buffer(
                    row["id"], Interval(integer(row["lower"]), integer(row["upper"]) + plus), integer(row["size"]), integer(row.get("alignment", "1")),
                    [_gap(text, plus) for text in row.get("gaps", "").split()],
                    integer(offset) if offset is not None else None, hint if hint >= 0 else None,
                )
            )  # fmt: skip
    except ValueError:
        return None
    return Problem(buffers)


def _gap(text: str, plus: int) -> Gap:
    m = _GAP.fullmatch(text)
    if m is None:
        raise ValueError(text)
    lower, upper, low, high = m.groups()
    return Gap(Interval(int(lower), int(upper) + plus), None if low is None else Interval(int(low), int(high)))


def from_csv_file(path: Union[str, "os.PathLike[str]"]) -> Optional[Problem]:
    """Reads a problem from a file; None if the file is not a problem."""
    with open(path, encoding="utf-8") as f:
        return from_csv(f.read())


def to_csv_file(path: Union[str, "os.PathLike[str]"], problem: Problem, solution: Optional[Solution] = None) -> None:
    """Writes a problem to a file, with the offsets of a solution."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(to_csv(problem, solution))

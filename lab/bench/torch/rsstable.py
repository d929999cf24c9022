"""The tables of rss.py, in Markdown: of the medians, and of what is claimed of them."""

from __future__ import annotations

import collections
import datetime
import importlib.metadata
import pathlib
import platform
import statistics
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Optional

Run = dict[str, Any]
Ways = dict[tuple[str, int], list[Run]]  # the runs of a program, by way and threads
WAYS = ("plain", "arena", "file", "jemalloc", "mmap", "trim")
TRAINERS = ("trainer", "lightning", "accelerate", "ignite")
HEAD = ("program", *WAYS, "served", "cpu: arena", *WAYS[2:], "threads: plain", "arena")


def quiet(runs: list[Run]) -> list[Run]:
    """Returns the runs whose processor time counts."""
    return [run for run in runs if not run["busy"]] or runs


def median(runs: list[Run], key: str) -> float:
    return statistics.median(run[key] for run in (quiet(runs) if key.startswith("cpu") else runs))


def programs(runs: list[Run]) -> dict[str, Ways]:
    """Returns the runs by program; of those with an arena, only those of the latest code that ran it."""
    latest = {run["program"]: run["code"] for run in runs if run["way"] in ("arena", "file")}
    found: dict[str, Ways] = {}
    for at, run in enumerate(runs):
        if run["way"] not in ("arena", "file") or run["code"] == latest[run["program"]]:
            found.setdefault(run["program"], collections.defaultdict(list))[run["way"], run["threads"]].append({**run, "at": at})
    return found


def beside(run: Run, plain: list[Run]) -> Optional[Run]:
    """Returns the run of plain that began a run's round: the last one before it in the file, of the same code, on a machine as busy. So files
    that were measured beside each other may be put together."""
    before = [p for p in plain if p["at"] < run["at"] and (p["code"], p["busy"]) == (run["code"], run["busy"])]
    return before[-1] if before else None


def ratio(ways: Ways, way: str, key: str) -> Optional[float]:
    """Returns what a way takes, as a multiple of plain: of medians, or, of processor time, the median over the rounds of runs, since the
    machine's speed varies."""
    if not ways.get((way, 1)) or not ways.get(("plain", 1)):
        return None
    those, plain = ways[way, 1], ways["plain", 1]
    if key.startswith("cpu") and (pairs := [(run, p) for run in quiet(those) if (p := beside(run, plain))]):
        return statistics.median(run[key] / max(p[key], 0.01) for run, p in pairs)
    return median(those, key) / max(median(plain, key), 0.01)


def table(found: dict[str, Ways]) -> str:
    rows = [HEAD]
    for name, ways in found.items():

        def memory(way: str, threads: int, ways: Ways = ways) -> str:
            runs = ways.get((way, threads))
            return f"{median(runs, 'whole') / 1024:.0f} / {median(runs, 'steady') / 1024:.0f}" if runs else ""

        arena = ways.get(("arena", 1), [])
        off = any(run["stats"]["state"].startswith("off") for run in arena)
        served = ("off, " if off else "") + f"{statistics.median(run['stats']['share'] for run in arena):.1%}" if arena else ""
        cpu = [f"{x:.2f}" if (x := ratio(ways, way, "cpu")) is not None else "" for way in WAYS[1:]]
        rows.append((name, *(memory(way, 1) for way in WAYS), served, *cpu, memory("plain", 0), memory("arena", 0)))
    shown = [k for k in range(len(HEAD)) if any(row[k] for row in rows[1:])]  # without columns that nothing was run for
    lines = ["| " + " | ".join(row[k] for k in shown) + " |\n" for row in rows]
    return lines[0] + "|---" + "|---:" * (len(shown) - 1) + "|\n" + "".join(lines[1:])


class Fall(NamedTuple):
    """The fall of the steady state, in KiB: the median, the least and the most."""

    measured: tuple[float, float, float]
    """What processes without an arena take, less the median of those with one."""
    said: tuple[float, float, float]
    """What stats() prints."""


def falls(ways: Ways) -> Optional[Fall]:
    if not ways.get(("arena", 1)) or not ways.get(("plain", 1)):
        return None

    def spread(values: list[float]) -> tuple[float, float, float]:
        return statistics.median(values), min(values), max(values)

    arena = median(ways["arena", 1], "steady")
    return Fall(spread([run["steady"] - arena for run in ways["plain", 1]]), spread([run["stats"]["fall"] / 1024 for run in ways["arena", 1]]))


def fall(ways: Ways) -> Optional[float]:
    """Returns the measured fall of the steady state, as a multiple of the one that stats() prints."""
    found = falls(ways)
    if not found:
        return None
    return found.measured[0] / found.said[0] if found.said[0] else float("inf") if found.measured[0] > 0 else 1.0


def covered(ways: Ways) -> Optional[float]:
    """Returns the same, or 1 if what stats() prints is a fall that one of the processes without an arena can have had: then a run of each
    does not tell them apart."""
    found = falls(ways)
    return None if not found else 1.0 if found.measured[1] <= found.said[0] <= found.measured[2] else fall(ways)


def fall_table(found: dict[str, Ways], varied: tuple[str, ...]) -> str:
    lines = ["\n| program | measured, MiB | `stats()`, MiB | measured / `stats()` |\n|---|---:|---:|---:|\n"]
    for name, ways in found.items():
        if name not in varied and (those := falls(ways)):
            cells = [f"{middle / 1024:.0f} ({least / 1024:.0f} to {most / 1024:.0f})" for middle, least, most in those]
            lines.append(f"| {name} | " + " | ".join(cells) + f" | {fall(ways):.2f} |\n")
    return "".join(lines)


def apart(ways: Ways) -> Optional[float]:
    """Returns the largest distance of what stats() says from what /proc said outside, as a share of that."""
    runs = [run for way in ("arena", "file") for run in ways.get((way, 1), [])]
    found = [0.0] if runs else []
    for run in runs:
        for key in ("before", "whole", "steady", "rest"):
            outside = run[key] * 1024 + (run["before"] * 1024 if key != "before" else 0)
            if run["stats"][key]:
                found.append(abs(run["stats"][key] / outside - 1))
    return max(found, default=None)


def share(ways: Ways, way: str = "arena") -> Optional[float]:
    runs = ways.get((way, 1))
    return statistics.median(run["stats"]["share"] for run in runs) if runs else None


def on(ways: Ways) -> Optional[float]:
    runs = ways.get(("arena", 1))
    return float(not any(run["stats"]["state"].startswith("off") for run in runs)) if runs else None


def claims(found: dict[str, Ways], varied: tuple[str, ...]) -> str:
    """Returns for which programs each claim holds, and the figures of those for which it does not."""
    fixed = [name for name in found if name not in varied]
    rows: list[tuple[str, list[str], Callable[[Ways], Optional[float]], float, float]] = [
        ("whole peak at most 1.03 of plain's", list(found), lambda w: ratio(w, "arena", "whole"), 0, 1.03),
        ("whole peak from a file at most 1.00", list(found), lambda w: ratio(w, "file", "whole"), 0, 1.0),
        ("whole peak from a file at most 0.97", list(found), lambda w: ratio(w, "file", "whole"), 0, 0.97),
        ("fall of the steady state: 0.9 to 1.1 of the one that `stats()` prints", fixed, fall, 0.9, 1.1),
        ("the same, or within the spread of processes without an arena", fixed, covered, 0.9, 1.1),
        ("fixed shapes: processor time at most 1.03", fixed, lambda w: ratio(w, "arena", "cpu"), 0, 1.03),
        ("fixed shapes: processor time of the whole run, with planning, at most 1.03", fixed, lambda w: ratio(w, "arena", "cpu whole"), 0, 1.03),
        ("fixed shapes: the arena stays on", fixed, on, 1, 1),
        ("varied shapes: whole peak at most 1.01", list(varied), lambda w: ratio(w, "arena", "whole"), 0, 1.01),
        ("varied shapes: steady state at most 1.01", list(varied), lambda w: ratio(w, "arena", "steady"), 0, 1.01),
        ("varied shapes: processor time at most 1.05", list(varied), lambda w: ratio(w, "arena", "cpu"), 0, 1.05),
        ("steady state at most 0.77", ["bert-varied"], lambda w: ratio(w, "arena", "steady"), 0, 0.77),
        ("steady state at most 0.90, from step 20", ["loop-odd"], lambda w: ratio(w, "arena", "steady"), 0, 0.9),
        ("`stats()` within 5% of /proc", list(found), apart, 0, 0.05),
        ("trainers: at least 97% served", list(TRAINERS), share, 0.97, 1),
        ("from a file: at least 97% served", list(found), lambda w: share(w, "file"), 0.97, 1),
    ]  # fmt: skip
    text = "\n| claim | holds for | does not hold for |\n|---|---:|---|\n"
    for claim, names, figure, least, most in rows:
        figures = {name: x for name in names if name in found and (x := figure(found[name])) is not None}
        misses = [f"{name} {x:.3g}" for name, x in figures.items() if not least <= x <= most]
        text += f"| {claim} | {len(figures) - len(misses)} of {len(figures)} | {', '.join(misses)} |\n"
    return text


def foot(runs: list[Run], found: dict[str, Ways]) -> str:
    counts = {way: [len(ways[way, 1]) for ways in found.values() if ways.get((way, 1))] for way in WAYS}
    many = ", ".join(f"{way} {min(n)}" + (f" to {max(n)}" if max(n) > min(n) else "") for way, n in counts.items() if n)
    codes = list(dict.fromkeys(run["code"] for ways in found.values() for (way, _), those in ways.items() if way in ("arena", "file") for run in those))
    return (
        f"\ntorch {importlib.metadata.version('torch').split('+')[0]}, one thread, medians; runs of each program: {many}. Commit {', '.join(codes)}; "
        f"Python {platform.python_version()}, {sys.platform}/{platform.machine()}; {datetime.date.today()}.\n"
    )


def text(runs: list[Run], names: Iterable[str], varied: tuple[str, ...]) -> str:
    those = programs(runs)
    found = {name: those[name] for name in names if name in those}
    return table(found) + claims(found, varied) + fall_table(found, varied) + foot(runs, found)


def into(path: str, text: str) -> None:
    """Puts the tables into the marked block of a document."""
    page = pathlib.Path(path).read_text()
    before, rest = page.split("<!-- bench:rss -->\n", 1)
    _, after = rest.split("<!-- /bench:rss -->\n", 1)
    pathlib.Path(path).write_text(f"{before}<!-- bench:rss -->\n{text}<!-- /bench:rss -->\n{after}")

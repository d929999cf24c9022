"""The tables of rss.py, in Markdown: of the medians, and of what is claimed of them."""

from __future__ import annotations

import collections
import datetime
import importlib.metadata
import os
import pathlib
import platform
import statistics
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Optional

Run = dict[str, Any]
Ways = dict[tuple[str, int], list[Run]]  # the runs of a program, by way and threads
OURS = ("twin", "arena", "file")
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
    latest = {run["program"]: run["code"] for run in runs if run["way"] in OURS}
    found: dict[str, Ways] = {}
    for at, run in enumerate(runs):
        if run["way"] not in OURS or run["code"] == latest[run["program"]]:
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
    """The fall of the steady state, in KiB, of each run with an arena, or of each without: what stats() prints, and what was measured from outside."""

    said: list[float]
    """What stats() prints: the middle one of the steps without a plan, less those with one."""
    itself: list[float]
    """How far the process itself fell, from the most of its run to the most of its steady state, as a multiple of what stats() says of that."""
    twin: list[tuple[float, float]]
    """What the middle step of the steady state takes more in a process of the same heap that gets no plan, with what stats() prints."""
    whole: list[float]
    """The peak of the whole run, as a multiple of that of the process of the same heap."""
    plain: list[float]
    """What the middle step takes more in processes without an arena, than the median of those with one."""


def middle(run: Run) -> float:
    """Returns the median of what the steps of the steady state took at most."""
    return statistics.median(run["steps"][1]) if run.get("steps") and run["steps"][1] else run["steady"]


def falls(ways: Ways) -> Optional[Fall]:
    arena, twins = ways.get(("arena", 1), []), {(run["heap"], run["code"]): run for run in ways.get(("twin", 1), [])}
    if not arena:
        return None
    pairs = [(twins[key], run) for run in arena if (key := (run.get("heap"), run["code"])) in twins]
    ours = statistics.median(map(middle, arena))
    return Fall(
        [run["stats"]["fall"] / 1024 for run in arena],
        [part(run["whole"] - run["steady"], (run["stats"]["plain"] - run["stats"]["steady"]) / 1024) for run in arena],
        [(t["before"] + middle(t) - run["before"] - middle(run), run["stats"]["fall"] / 1024) for t, run in pairs],
        [(run["before"] + run["whole"] - t["before"]) / t["whole"] for t, run in pairs],
        [middle(run) - ours for run in ways.get(("plain", 1), [])],
    )


def part(measured: float, said: float) -> float:
    return measured / said if said > 0 else float("inf") if measured > 0 else 1.0


def whole(ways: Ways) -> Optional[float]:
    """Returns the peak of the whole run beside that of a process of the same heap."""
    found = falls(ways)
    return statistics.median(found.whole) if found and found.whole else None


def itself(ways: Ways) -> Optional[float]:
    """Returns how far processes with an arena fell, as a multiple of what stats() says."""
    found = falls(ways)
    return statistics.median(found.itself) if found else None


def paired(ways: Ways) -> Optional[float]:
    """Returns the fall beside a process of the same heap, as a multiple of what stats() prints."""
    found = falls(ways)
    return statistics.median(part(fall, said) for fall, said in found.twin) if found and found.twin else None


def unpaired(ways: Ways) -> Optional[float]:
    """Returns the fall beside processes without an arena, by medians, as a multiple of what stats() prints."""
    found = falls(ways)
    return part(statistics.median(found.plain), statistics.median(found.said)) if found and found.plain else None


def fall_table(found: dict[str, Ways], varied: tuple[str, ...]) -> str:
    lines = ["\n| program | `stats()`, MiB | beside its twin, MiB | each, of `stats()` | beside *plain*, MiB |\n|---|---:|---:|---:|---:|\n"]

    def cell(values: list[float]) -> str:
        return f"{statistics.median(values) / 1024:.0f} ({min(values) / 1024:.0f} to {max(values) / 1024:.0f})" if values else ""

    for name, ways in found.items():
        if name not in varied and (those := falls(ways)):
            pairs = " ".join(f"{part(fall, said):.2f}" for fall, said in those.twin)
            lines.append(f"| {name} | {cell(those.said)} | {cell([fall for fall, _ in those.twin])} | {pairs} | {cell(those.plain)} |\n")
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
        ("whole peak at most 1.01 of its twin's, a process of the same heap without a plan", list(found), whole, 0, 1.01),
        ("whole peak from a file at most 1.00", list(found), lambda w: ratio(w, "file", "whole"), 0, 1.0),
        ("whole peak from a file at most 0.97", list(found), lambda w: ratio(w, "file", "whole"), 0, 0.97),
        ("fall of the process itself: 0.9 to 1.1 of `plain - steady` of `stats()`", fixed, itself, 0.9, 1.1),
        ("fall of the middle steady step beside its twin: 0.9 to 1.1 of the one that `stats()` prints", fixed, paired, 0.9, 1.1),
        ("the same beside medians of *plain*: 0.9 to 1.1 of the one that `stats()` prints", fixed, unpaired, 0.9, 1.1),
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
        if not figures:
            continue
        misses = [f"{name} {x:.3g}" for name, x in figures.items() if not least <= x <= most]
        text += f"| {claim} | {len(figures) - len(misses)} of {len(figures)} | {', '.join(misses)} |\n"
    return text


def foot(runs: list[Run], found: dict[str, Ways]) -> str:
    counts = {way: [len(ways[way, 1]) for ways in found.values() if ways.get((way, 1))] for way in (*WAYS, "twin")}
    many = ", ".join(f"{way} {min(n)}" + (f" to {max(n)}" if max(n) > min(n) else "") for way, n in counts.items() if n)
    codes = list(dict.fromkeys(run["code"] for ways in found.values() for (way, _), those in ways.items() if way in OURS for run in those))
    cores = f"; *threads* is one run with as many as PyTorch takes on {os.cpu_count()} cores" if any(ways.get(("arena", 0)) for ways in found.values()) else ""
    return (
        f"\ntorch {importlib.metadata.version('torch').split('+')[0]}, one thread, medians; runs of each program: {many}{cores}. Commit {', '.join(codes)}; "
        f"Python {platform.python_version()}, {sys.platform}/{platform.machine()}; {datetime.date.today()}.\n"
    )


def text(runs: list[Run], names: Iterable[str], varied: tuple[str, ...]) -> str:
    those = programs(runs)
    found = {name: those[name] for name in names if name in those}
    return table(found) + claims(found, varied) + fall_table(found, varied) + foot(runs, found)


def into(path: str, text: str, block: str = "rss") -> None:
    """Puts the tables into a marked block of a document."""
    page = pathlib.Path(path).read_text()
    before, rest = page.split(f"<!-- bench:{block} -->\n", 1)
    _, after = rest.split(f"<!-- /bench:{block} -->\n", 1)
    pathlib.Path(path).write_text(f"{before}<!-- bench:{block} -->\n{text}<!-- /bench:{block} -->\n{after}")

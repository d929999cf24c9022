"""The table of rss.py, in Markdown."""

from __future__ import annotations

import datetime
import pathlib
import platform
import statistics
import sys
from typing import Any

Runs = dict[str, list[dict[str, Any]]]
WAYS = ("plain", "arena", "file", "jemalloc", "mmap", "trim")
HEAD = """| program | plain | arena | file | jemalloc | mmap | trim | served | cpu: arena | jemalloc | mmap | trim |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def median(runs: list[dict[str, Any]], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def table(found: dict[str, Runs]) -> str:
    rows = []
    for name, ways in found.items():
        cells = [name]
        for way in WAYS:
            runs = ways.get(way)
            cells.append(f"{median(runs, 'whole') / 1024:.0f} / {median(runs, 'steady') / 1024:.0f}" if runs else "")
        cells.append(f"{statistics.median(run['stats']['share'] for run in ways['arena']):.1%}" if ways.get("arena") else "")
        for way in ("arena", "jemalloc", "mmap", "trim"):
            runs = ways.get(way)
            cells.append(f"{median(runs, 'cpu') / median(ways['plain'], 'cpu'):.2f}" if runs and ways.get("plain") else "")
        rows.append("| " + " | ".join(cells) + " |\n")
    return HEAD + "".join(rows)


def foot(found: dict[str, Runs]) -> str:
    import torch

    most = max(len(runs) for ways in found.values() for runs in ways.values())
    return (
        f"\ntorch {torch.__version__.split('+')[0]}, one thread, {'one run each' if most == 1 else f'medians of up to {most} runs'}; "
        f"Python {platform.python_version()}, {sys.platform}/{platform.machine()}; {datetime.date.today()}.\n"
    )


def into(path: str, text: str) -> None:
    """Puts the table into the marked block of a document."""
    page = pathlib.Path(path).read_text()
    before, rest = page.split("<!-- bench:rss -->\n", 1)
    _, after = rest.split("<!-- /bench:rss -->\n", 1)
    pathlib.Path(path).write_text(f"{before}<!-- bench:rss -->\n{text}<!-- /bench:rss -->\n{after}")

#!/usr/bin/env python3
"""PyTorch programs whose sizes vary from step to step, in an arena that has recorded five steps, as a table in Markdown:

    python3 lab/bench/torch/varied.py --raw varied.jsonl --into lab/bench/torch/README.md       # or names of programs

"served" is the share of the bytes that all steps but the first five asked for. Resident memory is read as in rss.py, beside PyTorch as
it is and with jemalloc. Outputs must be equal bit by bit. What is in the file of raw runs is not run again."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import glob
import hashlib
import json
import pathlib
import sys
from typing import Any

import rss

RECORD = 5
PROGRAMS = ("bert-varied", "gpt2-varied", "gpt2-checkpoint-varied", "t5-varied", "vit-varied", "graphs", "fasterrcnn")
WAYS = ("plain", "jemalloc", "arena")


def one(name: str, way: str) -> None:
    """Runs a program in this process, and tells the process outside what it needs to know."""
    import torch
    from real import PROGRAMS as ALL

    torch.set_num_threads(1)
    torch.manual_seed(0)
    say, sys.stdout = sys.stdout, sys.stderr  # libraries print too
    steps: list[Any] = []
    arena: Any = contextlib.nullcontext()
    if way == "arena":
        import stowage.torch

        arena = stowage.torch.arena(record=RECORD, wait=120)
        after = arena._after

        def counted(failed: bool) -> None:
            steps.append(arena._read().last)
            after(failed)

        arena._after = counted

    def mark(where: str) -> None:
        print(where, file=say, flush=True)
        sys.stdin.readline()

    out = ALL[name](arena, mark)
    mark("end")
    said: dict[str, Any] = {"values": hashlib.sha256(repr(out).encode()).hexdigest()[:16], "steps": len(out)}
    if way == "arena":
        later = steps[RECORD:]
        bytes_ = {key: sum(getattr(s, key + "_bytes") for s in later) for key in ("served", "missed", "refused", "kept", "outside")}
        said |= {
            "served": bytes_["served"] / sum(bytes_.values()), "steps": len(steps), "plannings": arena._attempts,
            **{key: sum(getattr(s, key) for s in later) for key in ("missed", "refused", "kept", "outside")},
        }  # fmt: skip
    print(json.dumps(said), file=say, flush=True)


def table(runs: dict[tuple[str, str], dict[str, Any]]) -> str:
    rows = [
        "| program | steps | bytes served from step 6 on | not served: missed, refused, kept | plannings | whole / steady: plain | jemalloc | arena |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|\n"
    ]
    for name in PROGRAMS:
        if (name, "arena") not in runs:
            continue
        a = runs[name, "arena"]
        memory = (f"{runs[name, way]['whole'] / 1024:.0f} / {runs[name, way]['steady'] / 1024:.0f}" if (name, way) in runs else "" for way in WAYS)
        lost = f"{a['missed'] + a['outside']:,}, {a['refused']:,}, {a['kept']:,}"
        rows.append(f"| {name} | {a['steps']} | {a['served']:.3%} | {lost} | {a['plannings']} | " + " | ".join(memory) + " |\n")
    return "".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--raw", metavar="FILE", default="varied.jsonl", help="the raw runs [varied.jsonl]")
    parser.add_argument("--into", metavar="FILE", help="put the table into the document FILE")
    parser.add_argument("--table", action="store_true", help="make the table of the runs that are there")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--threads", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one[:2])
        return
    raw = pathlib.Path(given.raw)
    runs = {(r["program"], r["way"]): r for r in map(json.loads, raw.read_text().splitlines() if raw.exists() else ())}
    jemalloc = glob.glob("/usr/lib/*/libjemalloc.so.2")
    jobs = [(name, way) for ways in (("plain", "arena"), ("jemalloc",)) for name in given.programs for way in ways if not given.table]
    for name, way in jobs:
        if (name, way) in runs or (way == "jemalloc" and not jemalloc):
            continue
        got = rss.run(name, way, "", {"LD_PRELOAD": jemalloc[0]} if way == "jemalloc" else {}, 1, __file__)
        runs[name, way] = {"program": name, "way": way, **got}
        if got["values"] != runs[name, "plain"]["values"]:
            raise SystemExit(f"{name}, {way}: the outputs differ from those of plain")
        with raw.open("a") as f:
            f.write(json.dumps(runs[name, way]) + "\n")
        print(name, way, json.dumps(got), file=sys.stderr, flush=True)
    text = table(runs) + f"\ntorch, one thread, one run of each way, MiB above the process before its first step; {datetime.date.today()}.\n"
    print(text)
    if given.into:
        path = pathlib.Path(given.into)
        before, begin, rest = path.read_text().partition("<!-- bench:varied -->\n")
        _, end, after = rest.partition("<!-- /bench:varied -->")
        if not begin or not end:
            raise SystemExit(f"{path} has no place for the table")
        path.write_text(before + begin + text + end + after)


if __name__ == "__main__":
    main()

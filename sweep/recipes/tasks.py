"""The tasks of stowage-sweep, done by the Python package: the same keys, the same rows, the same files.

    stowage-sweep tasks spec.yaml > tasks.jsonl     # a task each line, those that are left
    python dask_sweep.py tasks.jsonl OUT            # or spark_sweep.py
    stowage-sweep report spec.yaml                  # OUT is the folder of the specification

Idea: the truth is the folder OUT. A task's file is written under another name and renamed, so whatever
kills a worker costs the tasks that it was at, and no more. Whoever comes next skips the files that are
there. So no engine has to be trusted with results: it only has to call solve for each task.
"""

import json
import os
import socket

import pyarrow
import pyarrow.parquet
import stowage

SCHEMA = pyarrow.schema([
    ("task", "string"), ("problem", "string"), ("name", "string"), ("order", "string"), ("buffers", "int64"), ("load", "int64"),
    ("planner", "string"), ("share", "double"), ("capacity", "int64"), ("status", "string"), ("height", "int64"), ("lower_bound", "int64"),
    ("seconds", "double"), ("nodes", "int64"), ("node_limit", "int64"), ("timeout", "double"), ("seed", "int64"), ("stopped", "string"),
    ("implied", "bool"), ("message", "string"), ("attempt", "int64"), ("host", "string"), ("version", "string"),
])  # fmt: skip


def read(path):
    """Returns the tasks of a file. Those of another release of Stowage are refused: their keys have it."""
    with open(path, encoding="utf-8") as lines:
        all = [json.loads(line) for line in lines]
    for task in all:
        if task["version"].startswith("v") and task["version"].split()[0] != f"v{stowage.__version__}":
            raise SystemExit(f"{path}: the tasks are for Stowage {task['version']}, and this package is {stowage.__version__}")
    return all


def solve(task, out):
    """Does a task, unless its file is there, and returns how many rows it has."""
    path = os.path.join(out, "runs", task["key"][:2], task["key"] + ".parquet")
    if not os.path.exists(path):
        write(path, pyarrow.Table.from_pylist([row for unit in task["units"] for row in rows(unit, task["version"], out)], SCHEMA))
    return pyarrow.parquet.read_metadata(path).num_rows


def rows(unit, version, out):
    """Returns the rows of a planner on a problem with all its capacities."""
    p = unit["problem"]
    if p.get("kind"):
        problem = stowage.generate(p["kind"], **{name.replace("-", "_"): value for name, value in p["options"].items() if value})
    else:
        problem = stowage.load(os.path.join(out, "problems", p["digest"][:2], p["digest"] + ".json.gz"))
    for row in stowage.sweep(
        [problem], planners=unit["planner"], capacities=[c or None for c in unit["capacities"]], nodes=unit["nodes"] or None,
        seeds=unit["seed"], timeout=unit["timeout"] or None, names=[p["name"]], at_once=1,
    ):  # fmt: skip
        if row.problem != p["digest"]:
            raise ValueError(f"{p['name']} has the digest {row.problem}, and not {p['digest']}: it was made by another version")
        own = {"task": unit["key"], "order": p.get("order", ""), "attempt": 1, "host": socket.gethostname(), "version": version}
        yield row._asdict() | own


def write(path, table):
    """Writes a file whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    beside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{socket.gethostname()}.{os.getpid()}")
    pyarrow.parquet.write_table(table, beside, compression="snappy")
    os.replace(beside, path)


def bury(task, out, reason):
    """Gives a task up: `stowage-sweep status` tells it."""
    for unit in task["units"]:
        p = unit["problem"]
        path = os.path.join(out, "dead", unit["key"] + ".json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            own = {"task": unit["key"], "problem": p["digest"], "name": p["name"], "planner": unit["planner"]}
            json.dump(own | {"reason": reason, "version": task["version"]}, f)

"""What XLA asks of its repacker for a TPU, as traces of stowage-trace/1. No TPU is needed.

python3 record.py [--topology v4:2x2x1] [--repacks N[,N...]] [-o FOLDER] [PROGRAM ...]

It needs jax and libtpu, both from PyPI (pip install jax libtpu; written for jax 0.10.2 and libtpu 0.0.52). libtpu compiles ahead of time
on any machine. While it decides what goes to fast memory, it logs its requests, and what it gives to its repacker. This script reads that log as it
comes, writes FOLDER/PROGRAM.jsonl, and ends the compiler once the decisions are made. It keeps no log.

libtpu has terms of its own: keep its log and what comes of it to yourself, and do not commit either. One compiler runs at a time.

For each program and limit of repacks it prints a row of CSV: what XLA estimates that the program takes, without any copies to fast memory and with them.
With several limits the trace is that of the last one."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys

HEAD = re.compile(r"[IWE]\d+ [\d:.]+\s+\d+ ([\w.]+):\d+\] (.*)")
FIND = re.compile(r"Finding allocation for .* \[(-?\d+), (-?\d+)\] latest prefetch = (-?\d+) .*Size = (\d+)")
BENEFIT = re.compile(r"Definition benefit = (\S+) use benefit = (\S+)")
BLOCK = re.compile(r"id: (\d+); time interval: \[(-?\d+), (-?\d+)\]; size: (\d+); offset: (-?\d+); initial offset: (-?\d+); # colocations: (\d+)(.*)")
SLICE = re.compile(r"size: (\d+), offset: (\d+), inclusive_start_time: (-?\d+)")
HEAP = re.compile(r"Repacking (\w+) with heap size (\d+)")
ESTIMATE = re.compile(r"Estimated elapsed time (with|without) async copies \(sec\): (\S+)")
LOGS = {"TPU_SKIP_MDS_QUERY": "1", "TPU_STDERR_LOG_LEVEL": "0", "TPU_MIN_LOG_LEVEL": "0", "JAX_PLATFORMS": "cpu"}
LOGS["TPU_VMODULE"] = "algorithm=3,memory_space_assignment=3,best_fit_repacker=3"


class Reader:
    """Reads the log line by line, and has the operations of the trace. Blocks are known from the calls of the repacker: those that are new in
    a call are added before it, and those that are gone are removed. What is placed after the last call is not in the trace."""

    def __init__(self):
        self.ops, self.live, self.capacity, self.alignment = [], {}, None, None
        self.estimates, self.requests, self.repacks = {}, 0, 0
        self.segments, self.failed, self.value, self.said = [], None, 0.0, True
        self.call, self.result, self.ring, self.number = None, None, (0, 0), {}

    def line(self, text):
        m = HEAD.match(text)
        if not m:
            return
        file, said = m.groups()
        if file == "memory_space_assignment.cc":
            for key in ("max_size_in_bytes", "alignment_in_bytes"):
                if said.startswith(key + ": "):
                    setattr(self, "capacity" if key[0] == "m" else "alignment", int(said.split()[1]))
            if m := ESTIMATE.match(said):
                self.estimates[m[1]] = float(m[2])
        elif file == "algorithm.cc":
            self.algorithm(said)
        elif file == "best_fit_repacker.cc" and self.call is not None:
            self.repacker(said)

    def algorithm(self, said):
        if said.startswith("Processing buffer:"):
            self.end()
            self.segments, self.failed, self.value, self.said = [], None, 0.0, False
        elif m := FIND.match(said):
            lower, upper, latest, size = map(int, m.groups())
            self.last = (lower, min(upper, latest) + 1, size)
            if not self.said and self.last not in self.segments and lower < self.last[1] and size > 0:
                self.segments.append(self.last)
        elif (m := BENEFIT.match(said)) and not self.said:
            define, use = float(m[1]), float(m[2])
            self.value += max(use, 0) + (max(define, 0) if len(self.segments) <= 1 else 0)
        elif said.startswith("AllocateSegment result:") and "OutOfMemory" in said and self.failed is None:
            self.failed = self.last
        elif said.startswith("Allocation result = "):
            self.result = "success" if said.endswith("Success") else "oom" if "OutOfMemory" in said else "other"
            self.request()
        elif said == "Repacking.":
            self.call = {"blocks": [], "after": [], "heap": None, "fits": False}
            self.ring = (0, 0)
        elif said.startswith("Repack complete") and self.call is not None:
            self.replan()
            self.call = None

    def request(self):
        if self.said or not self.segments:
            return
        self.said = True
        self.requests += 1
        name = f"r{self.requests}"
        parts = [{"id": f"{name}.{k}", "lower": a, "upper": b, "size": z} for k, (a, b, z) in enumerate(self.segments)]
        self.ops.append({"op": "request", "id": name, "value": round(self.value * 1e12), "segments": parts})

    def end(self):
        if self.said and self.result:
            self.ops.append({"op": "result", "value": self.result})
        self.result = None

    def repacker(self, said):
        if m := HEAP.search(said):
            self.call["fits"], self.call["heap"] = m[1] == "successful", int(m[2])
            return
        m = BLOCK.search(said)
        if not m:
            return
        number, start, last, size, offset, initial, count = map(int, m.groups()[:7])
        original, _, repacked = m[8].partition("repacked_slice_data")
        block = {"number": number, "lower": start, "upper": last + 1, "size": size, "offset": initial, "group": 0}
        if said.startswith("Committing"):
            slices = SLICE.findall(original)
            if slices:
                block["slices"] = [{"lower": int(t), "size": int(z)} for z, _, t in slices]
            # The members of a ring are committed one after the other.
            left, group = self.ring
            if left == 0 and count > 1:
                left, group = count, number + 1
            if left > 0:
                block["group"], left = group, left - 1
            self.ring = (left, group)
            if size > 0:
                self.call["blocks"].append(block)
        elif said.startswith("AllocationBlock after"):
            block["offset"] = offset
            slices = SLICE.findall(repacked)
            if slices:
                block["slices"] = [{"lower": int(t), "size": int(z)} for z, _, t in slices]
            if size > 0:
                self.call["after"].append(block)

    def replan(self):
        self.repacks += 1
        now = {}
        for b in self.call["blocks"]:
            same = ("lower", "upper", "size", "offset", "group", "slices")
            now[b["number"], tuple(json.dumps(b.get(k)) for k in same)] = b
        for key in [k for k in self.live if k not in now]:
            self.ops.append({"op": "remove", "id": self.live.pop(key)})
        for key, b in now.items():
            if key in self.live:
                continue
            # A number may come again, as another block.
            again = self.number[b["number"]] = self.number.get(b["number"], -1) + 1
            name = f"b{b['number']}" + (f".{again}" if again else "")
            add = {"op": "add", "id": name, "lower": b["lower"], "upper": b["upper"], "size": b["size"]}
            if b["group"]:
                add["group"] = f"g{b['group']}"
            add["offset"] = b["offset"]
            if "slices" in b:
                add["slices"] = b["slices"]
            self.ops.append(add)
            self.live[key] = name
        if self.failed:
            lower, upper, size = self.failed
            self.ops.append({"op": "request", "id": f"r{self.requests}.failed", "lower": lower, "upper": upper, "size": size})
        op = {"op": "replan", "reason": "oom", "height": self.call["heap"]}
        if self.call["fits"] and self.call["after"]:
            names = {key[0]: (key, name) for key, name in self.live.items()}
            op["moved"] = []
            for b in self.call["after"]:
                key, name = names[b["number"]]
                old = now[key]
                if b["offset"] == old["offset"] and b.get("slices") == old.get("slices"):
                    continue
                move = {"id": name, "offset": b["offset"]}
                if "slices" in b and b["slices"] != old.get("slices"):
                    move["slices"] = b["slices"]
                op["moved"].append(move)
                # The next call has it at its new place.
                new = {**old, "offset": b["offset"], **({"slices": b["slices"]} if "slices" in b else {})}
                del self.live[key]
                self.live[b["number"], tuple(json.dumps(new.get(k)) for k in ("lower", "upper", "size", "offset", "group", "slices"))] = name
        self.ops.append(op)


def compile_one(program, topology):
    """Compiles a program, in a process of its own that logs to standard error."""
    import jax
    import numpy
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from programs import PROGRAMS

    devices = topologies.get_topology_desc(platform="tpu", topology_name=topology).devices
    where = NamedSharding(Mesh(numpy.array(devices[:1]), ("x",)), PartitionSpec())
    function, arguments = PROGRAMS[program]()
    arguments = jax.tree.map(lambda s: jax.ShapeDtypeStruct(s.shape, s.dtype, sharding=where), arguments)
    jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",)).compile()


def record(program, topology, repacks, patience):
    """Returns the reader of a compilation, which is ended after the decisions."""
    flags = f"--xla_tpu_cmem_max_repacks={repacks}"
    command = [sys.executable, os.path.abspath(__file__), "--child", "--topology", topology, program]
    reader, tail = Reader(), []
    child = subprocess.Popen(
        ["timeout", str(patience), *command], env={**os.environ, **LOGS, "LIBTPU_INIT_ARGS": flags}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
        text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    for line in child.stderr:
        tail = [*tail[-4:], line]
        reader.line(line)
        if "with" in reader.estimates:
            break
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if "with" not in reader.estimates:
        sys.exit(f"record: {program}: the compiler ended before its decisions; its last lines:\n{''.join(tail)}")
    reader.end()
    return reader


def write(path, reader, source):
    lines = [{"op": "open", "format": "stowage-trace/1", "capacity": reader.capacity, "alignment": reader.alignment, "source": source}, *reader.ops]
    with open(path + ".part", "w") as f:
        for op in lines:
            f.write(json.dumps(op, separators=(",", ":")) + "\n")
    os.replace(path + ".part", path)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--topology", default="v4:2x2x1", help="the TPU to compile for [default: v4:2x2x1]")
    p.add_argument("--repacks", default="50", help="the most repacks, or several limits [default: 50]")
    p.add_argument("--patience", type=int, default=600, help="seconds for one compilation [default: 600]")
    p.add_argument("-o", "--output", default="traces", help="the folder of the traces [default: traces]")
    p.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("programs", nargs="*", metavar="PROGRAM", help="see programs.py [default: all]")
    a = p.parse_args()
    if a.child:
        return compile_one(a.programs[0], a.topology)
    try:
        limits = [int(x) for x in a.repacks.split(",")]
    except ValueError:
        p.error(f"--repacks {a.repacks}: must be whole numbers with commas between them")
    from programs import PROGRAMS

    if unknown := [x for x in a.programs if x not in PROGRAMS]:
        p.error(f"no program is named {unknown[0]}; there are {', '.join(PROGRAMS)}")
    os.makedirs(a.output, exist_ok=True)
    print("program,topology,repacks allowed,repacks,requests,seconds without copies,seconds with copies", flush=True)
    for program in a.programs or PROGRAMS:
        for limit in limits:
            r = record(program, a.topology, limit, a.patience)
            print(f"{program},{a.topology},{limit},{r.repacks},{r.requests},{r.estimates.get('without')},{r.estimates['with']}", flush=True)
        write(os.path.join(a.output, program + ".jsonl"), r, f"XLA's memory space assignment, {program} for {a.topology}, at most {limit} repacks")


if __name__ == "__main__":
    main()

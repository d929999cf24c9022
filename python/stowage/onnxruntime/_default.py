"""What ONNX Runtime's own arena takes for a model: python3 _default.py ADAPTER MODEL FEEDS NAME... prints two numbers of bytes.

Idea: what a plan is compared with is ONNX Runtime itself at its default options, in a process of its own. FEEDS is a .npz
file with the inputs, i0 and so on, whose names follow. The model runs four times, since ONNX Runtime plans a block of memory after its first run (its memory
pattern). Its arena then says how many bytes it has taken from the system and how many of them were in use at most. What was in
use before the first run are the weights, which are subtracted from both. The first number is what the arena holds, so it
includes what it took ahead and what lies fallow; the second is what it used.

The statistics of an arena are asked for by ONNX Runtime's C interface, whose table of functions the adapter has. It prints
nothing if that interface is older than version 23, or if an input is no tensor of numbers.
"""

from __future__ import annotations

import ctypes
import os
import sys
from importlib import import_module
from typing import Any

P = ctypes.c_void_p
# Places in the table, which never change, and the arguments.
FUNCTIONS: dict[str, tuple[int, tuple[Any, ...]]] = {
    "message": (2, (P,)), "environment": (3, (ctypes.c_int, ctypes.c_char_p, P)), "session": (7, (P, ctypes.c_char_p, P, P)), "run": (9, (P, P, P, P, ctypes.c_size_t, P, ctypes.c_size_t, P)),
    "options": (10, (P,)), "threads": (24, (P, ctypes.c_int)), "outputs": (31, (P, P)), "output": (37, (P, ctypes.c_size_t, P, P)), "tensor": (49, (P, P, ctypes.c_size_t, P, ctypes.c_size_t, ctypes.c_int, P)),
    "memory": (68, (ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, P)), "plain": (78, (P,)), "release": (96, (P,)),
    "allocator": (131, (P, P, P)), "entry": (130, (P, ctypes.c_char_p, ctypes.c_char_p)), "pair": (297, (P, ctypes.c_char_p)), "release_pairs": (300, (P,)), "statistics": (319, (P, P)),
}  # fmt: skip
VOID = ("release", "release_pairs")
TYPES = "float32 uint8 int8 uint16 int16 int32 int64 - bool float16 float64 uint32 uint64".split()  # from 1 on


class Table:
    """ONNX Runtime's functions, by the names above."""

    def __init__(self, adapter: str) -> None:
        lib = ctypes.CDLL(adapter)  # first, or it goes with the options
        import_module("onnxruntime").SessionOptions().register_custom_ops_library(adapter)
        lib.stowage_ort_table.restype, lib.stowage_ort_table.argtypes = P, (ctypes.c_uint32,)
        self.at = lib.stowage_ort_table(23)
        if not self.at:
            raise OSError("this ONNX Runtime has no statistics")

    def __call__(self, name: str, *arguments: Any) -> Any:
        place, types = FUNCTIONS[name]
        result = None if name in VOID else ctypes.c_char_p if name in ("message", "pair") else P
        address = P.from_address(self.at + place * ctypes.sizeof(P)).value
        found = ctypes.CFUNCTYPE(result, *types)(address or 0)(*arguments)
        if result is P and found:
            raise OSError(self("message", found))
        return found

    def make(self, name: str, *arguments: Any) -> Any:
        """Calls a function that makes something, and returns that."""
        made = P()
        self(name, *arguments, ctypes.byref(made))
        return made


def taken(adapter: str, model: str, feeds: dict[str, Any], entry: str = "") -> tuple[int, int]:
    """Returns what the arena holds, and what of it was in use at most, both without the weights. entry is one of a session's
    configuration that is switched on."""
    o = Table(adapter)
    environment, options = o.make("environment", 3, b"default"), o.make("options")
    o("threads", options, 1)
    if entry:
        o("entry", options, entry.encode(), b"1")
    session = o.make("session", environment, os.fsencode(model), options)
    arena = o.make("allocator", session, o.make("memory", b"Cpu", 1, 0, 0))

    def statistics(name: bytes) -> int:
        pairs = o.make("statistics", arena)
        value = o("pair", pairs, name)
        o("release_pairs", pairs)
        return int(value)

    weights = statistics(b"InUse")
    names, values = [name.encode() for name in feeds], []
    for x in feeds.values():
        shape = (ctypes.c_int64 * max(x.ndim, 1))(*x.shape)
        values.append(o.make("tensor", o.make("memory", b"Cpu", 0, 0, 0), x.ctypes.data, x.nbytes, shape, x.ndim, TYPES.index(x.dtype.name) + 1))
    n = ctypes.c_size_t()
    o("outputs", session, ctypes.byref(n))
    plain = o.make("plain")
    wanted = [o.make("output", session, k, plain) for k in range(n.value)]
    for _ in range(4):
        results = (P * n.value)()
        o("run", session, None, (ctypes.c_char_p * len(names))(*names), (P * len(values))(*values), len(values), (P * n.value)(*wanted), n.value, results)
        for x in results:
            o("release", x)
    return statistics(b"TotalAllocated") - weights, statistics(b"MaxInUse") - weights


def main(adapter: str, model: str, file: str, *inputs: str) -> None:
    """Prints what taken returns."""
    numpy: Any = import_module("numpy")
    with numpy.load(file) as found:
        feeds = {name: numpy.require(found[f"i{k}"], requirements="C") for k, name in enumerate(inputs)}
    print(*taken(adapter, model, feeds))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError, TypeError) as err:
        print(err, file=sys.stderr)

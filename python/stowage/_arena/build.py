"""Compiles the arena and what binds it to another program: an adapter.

Idea: what implements an allocator of PyTorch's changes with PyTorch's version, so it is compiled against the headers
of the torch that is installed. It takes about three seconds at the first use, and is kept in a folder:
STOWAGE_CACHE, or stowage in XDG_CACHE_HOME, or ~/.cache/stowage. The name of a file there is a digest
of sources, options, compiler and version, so nothing outdated is ever loaded. It is written under another
name and moved, so that processes that begin together do no harm.

Tried and dropped: torch.utils.cpp_extension, which needs setuptools and ninja, links to Python,
and compiles with pybind11 for 100 s.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import NamedTuple

from .._errors import Error

HERE = pathlib.Path(__file__).resolve().parent


class Adapter(NamedTuple):
    """What stands before one allocator."""

    module: str
    """The module that users import, for messages."""
    source: pathlib.Path
    """Its file, in C or C++ by the ending. What it includes beside it must be named in beside."""
    beside: tuple[pathlib.Path, ...] = ()
    """Files that it includes."""
    options: Callable[[], list[str]] = list
    """Returns what it is compiled and linked with, beside the arena."""
    variable: str = ""
    """The environment variable that may name a library which was compiled elsewhere."""
    refuses: str = ""
    """Why it may refuse an allocator that is there."""
    measured: bool = False
    """The baseline is measured; else it is simulated."""
    arena: tuple[str, ...] = ()
    """What the arena is compiled with."""

    @property
    def name(self) -> str:
        return str(self.source)


def _sources(of: str = "arena") -> pathlib.Path:
    """Returns the folder with the arena, or with the core: this one in the wheel, arena or core in a clone."""
    for folder in (HERE, HERE.parents[2] / of):
        if (folder / f"stowage_{of}.c").exists():
            return folder
    raise Error(f"stowage_{of}.c is not beside {HERE}: the package is not whole")


def core() -> Adapter:
    """Returns stowage_core.c as an adapter: a library that plans, problems by itself and traces through the arena."""
    at = _sources("core")
    beside = (at / "stowage_core.h", _sources() / "stowage_arena_core.c")
    options = ["-fvisibility=default"]
    return Adapter("stowage", at / "stowage_core.c", beside, lambda: options, arena=("-DSTOWAGE_ARENA_CORE", "-I", str(at)))


def _compiler(adapter: Adapter) -> list[str]:
    """Returns the compiler's command."""
    plain = adapter.source.suffix == ".c"
    variable, usual = ("CC", ("cc", "gcc", "clang")) if plain else ("CXX", ("c++", "g++", "clang++"))
    named = os.environ.get(variable)
    if named and shutil.which(shlex.split(named)[0]):
        return shlex.split(named)
    if not named:
        for name in usual:
            if found := shutil.which(name):
                return [found]
    language = "C" if plain else "C++"
    raise Error(
        f"{adapter.module} compiles its allocator at the first use, and needs a {language} compiler: "
        + (f"{variable} is {named}, which is not there" if named else f"none of {', '.join(usual)} is on PATH; install one or set {variable}")
    )


def _cache() -> pathlib.Path:
    if named := os.environ.get("STOWAGE_CACHE"):
        return pathlib.Path(named)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "stowage"


def build(adapter: Adapter, to: pathlib.Path | None = None) -> pathlib.Path:
    """Returns the compiled library, which is compiled unless it is there. If to is given, it is compiled there."""
    if to is None and adapter.variable and (built := os.environ.get(adapter.variable)):
        return pathlib.Path(built)  # compiled elsewhere, for a machine without a compiler
    if sys.platform == "win32":
        raise Error(f"{adapter.module} runs on Linux and macOS, not on Windows")
    arena, compiler, options = _sources(), _compiler(adapter), adapter.options()
    files = [arena / "stowage_arena.c", arena / "stowage_arena.h", adapter.source, *adapter.beside]
    said = subprocess.run([*compiler, "--version"], capture_output=True, check=False).stdout
    digest = hashlib.sha256(said)
    for word in (adapter.source.name, *compiler, *options, *adapter.arena[:1]):
        digest.update(word.encode())
    for file in files:
        digest.update(file.read_bytes())
    name = f"{adapter.source.stem}-{digest.hexdigest()[:16]}.so"
    if to is None:
        to = _cache() / name
        if to.exists():
            return to
        try:
            to.parent.mkdir(parents=True, exist_ok=True)
            if not os.access(to.parent, os.W_OK):
                raise PermissionError
        except OSError:  # no home to keep it in: it is compiled for this process
            to = pathlib.Path(tempfile.mkdtemp(prefix="stowage-")) / name
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        new = to.with_name(f"{to.name}.{os.getpid()}.new")
        hidden = ["-O2", "-fPIC", "-fvisibility=hidden", "-I", str(arena), "-I", str(HERE)]
        # The functions of the arena that Python calls are shown, the rest is not.
        shown = ["-DSTOWAGE_ARENA_API=__attribute__((visibility(\"default\")))"]
        steps = [
            [*compiler, "-x", "c", "-std=gnu99", *hidden, *shown, *adapter.arena, "-c", str(files[0]), "-o", f"{folder}/arena.o"],
            [*compiler, *hidden, str(files[2]), f"{folder}/arena.o", "-shared", "-pthread", *options, "-o", str(new)],
        ]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode != 0:
                new.unlink(missing_ok=True)
                raise Error(f"{adapter.module} cannot compile its allocator:\n{shlex.join(step)}\n{done.stderr.strip()[-2000:]}")
        os.replace(new, to)
    return to

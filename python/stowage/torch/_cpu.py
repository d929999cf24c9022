"""Arenas for tensors of the CPU: cpu.cpp before PyTorch's own allocator."""

from __future__ import annotations

import os
import pathlib
from importlib import import_module
from typing import Any, Optional, Union

from .._arena import build
from .._arena.arena import Arena, make
from .._units import Seconds


def _options() -> list[str]:
    torch: Any = import_module("torch")
    root = pathlib.Path(torch.__file__).resolve().parent
    abi = int(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True))
    return [
        "-std=c++20", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", "-isystem", str(root / "include"),
        "-L" + str(root / "lib"), "-lc10", "-Wl,-rpath," + str(root / "lib"),
    ]  # fmt: skip


CPU = build.Adapter(
    "stowage.torch", pathlib.Path(__file__).resolve().with_name("cpu.cpp"), (build.HERE / "slots.hpp",), _options,
    refuses="PyTorch's takes memory back only with a deleter",
)  # fmt: skip


def arena(
    *, record: Optional[int] = None, plans: int = 8, wait: Optional[Seconds] = 10, timeout: Optional[Seconds] = None, every_thread: bool = False,
    guard: bool = False, poison: bool = False, file: Union[str, os.PathLike[str], None] = None, rest: str = "keep",
) -> Arena:  # fmt: skip
    """Returns an arena for tensors of the CPU, to be entered around every step.

    record is how many steps come before the first planning; it waits up to two steps more for one that comes twice [none: ten, or six
    if none of them came twice; so many show stats what steps without a plan take, since malloc's heap grows for some steps]. plans is how often it plans at most; each planning is for all kinds of steps so far [8]. wait is how long steps wait for plans in all, in seconds or as a text [10;
    None: they do not wait]; afterwards they go on unserved until the plan is there. timeout limits the planner
    [none: it ends by itself]. every_thread serves what other threads allocate during a step too [only the thread
    that began the step]. file keeps the plans: if it is there they are loaded, and all steps are
    served, the first as well; steps that they do not serve are planned and added. rest="return" gives the arena's pages back to the
    system between steps, which then take them anew; "keep" keeps them.

    guard and poison are for tests. poison fills what is not in use before each step. guard does so at each free, and
    checks that nobody has written there."""
    return make(CPU, 0, record, plans, wait, timeout, every_thread, guard, poison, file, rest=rest)

"""Arenas for tensors of a GPU: cuda.cpp before PyTorch's caching allocator.

The allocator is one for the process, and arenas come and go behind it. It can be put before PyTorch's at any time: tensors that are
there go back to where they came from.
"""

from __future__ import annotations

import os
import pathlib
import sys
from importlib import import_module
from typing import Any, Optional, Union

from .._arena import build
from .._arena.arena import Arena, make
from .._errors import Error
from .._units import Seconds, whole
from ._cpu import CPU

HEADERS = ("cuda_runtime_api.h", "crt/host_defines.h")


def _headers() -> pathlib.Path:
    """Returns a folder with the headers of CUDA's runtime, which those of PyTorch include: CUDA's own, or one that came with PyTorch."""
    packages = pathlib.Path(import_module("torch").__file__ or "").resolve().parents[1]
    homes = [pathlib.Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    found = [*(home / "include" for home in homes), *sorted(packages.glob("nvidia/*/include")), packages / "triton/backends/nvidia/include", pathlib.Path("/usr/local/cuda/include")]
    for folder in found:
        if all((folder / name).exists() for name in HEADERS):
            return folder
    raise Error("stowage.torch.cuda needs the headers of CUDA's runtime: set CUDA_HOME, or install nvidia-cuda-runtime and nvidia-cuda-crt")


def _options() -> list[str]:
    return [*CPU.options(), "-isystem", str(_headers()), "-lc10_cuda"]


HERE = pathlib.Path(__file__).resolve()
CUDA = build.Adapter(
    "stowage.torch", HERE.with_name("cuda.cpp"), (*CPU.beside, HERE.with_name("passing.hpp")), _options, "STOWAGE_TORCH_CUDA",
    "another allocator has come after it",
)  # fmt: skip


def cuda(
    device: int = 0, *, record: int = 2, plans: int = 8, wait: Optional[Seconds] = 10, timeout: Optional[Seconds] = None, poison: bool = False,
    file: Union[str, os.PathLike[str], None] = None,
) -> Arena:  # fmt: skip
    """Returns an arena for tensors of a GPU. The options are those of arena. Experimental: it has not run on a GPU.

    The first call puts an allocator before PyTorch's caching allocator, for the whole process. Within steps the arena serves, from a
    block that is one allocation of the caching allocator. All else is that one's, as before: its statistics count the block as what is
    allocated. What a graph captures comes from the graph's own pool, within a step too."""
    number = whole("device", device)
    torch: Any = import_module("torch")
    if not torch.cuda.is_available():
        raise Error("there is no GPU that PyTorch can use; stowage.torch.arena serves tensors of the CPU")
    if torch.version.cuda is None:
        raise Error("stowage.torch.cuda is for PyTorch with CUDA; this one is for ROCm")
    if number >= torch.cuda.device_count():
        raise Error(f"there is no GPU {number}: PyTorch sees {torch.cuda.device_count()}")
    torch.cuda.init()
    return make(CUDA, number, record, plans, wait, timeout, True, False, poison, file)


# python3 -m stowage.torch._cuda FILE compiles cuda.cpp into a file, for STOWAGE_TORCH_CUDA on another machine with the same PyTorch.
if __name__ == "__main__":
    print(build.build(CUDA, pathlib.Path(sys.argv[1]).resolve()))

"""Arenas for tensors of a GPU: cuda.c in the place of PyTorch's caching allocator.

Idea: the adapter looks CUDA's or HIP's functions up in the process, which has loaded them with PyTorch. So nothing
of either is linked, and the tests show it a stand-in.

The allocator is one for the process, and PyTorch takes none after the first use of the GPU. Arenas come and go behind it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import sys
import threading
from importlib import import_module
from typing import Any, Optional, Union

from .._arena.arena import Arena, library, make
from .._arena.build import Adapter, build
from .._errors import Error
from .._units import Seconds, whole

CUDA = Adapter(
    "stowage.torch", pathlib.Path(__file__).resolve().with_name("cuda.c"), (), lambda: ["-ldl"] if sys.platform == "linux" else [], "STOWAGE_TORCH_CUDA",
    "neither CUDA's runtime nor HIP's was found",
)  # fmt: skip


def cuda(
    device: int = 0, *, record: int = 2, plans: int = 8, wait: Optional[Seconds] = 10, timeout: Optional[Seconds] = None, poison: bool = False,
    file: Union[str, os.PathLike[str], None] = None,
) -> Arena:  # fmt: skip
    """Returns an arena for tensors of a GPU. The options are those of arena.

    The first call puts this allocator in the place of PyTorch's caching allocator, for the whole process, so it must
    come before the first use of the GPU. Within steps the arena serves. All else comes from the runtime's own pool
    (cudaMallocAsync, hipMallocAsync). torch.cuda.memory_allocated and its kin do not work then, as with any
    allocator that is not PyTorch's; stats has the figures. Graphs of CUDA cannot be captured within a step."""
    _install()
    return make(CUDA, whole("device", device), record, plans, wait, timeout, True, False, poison, file)


_installed: Any = None  # PyTorch keeps a pointer into it
_installing = threading.Lock()


def _install() -> None:
    """Puts the allocator of cuda.c in the place of PyTorch's."""
    global _installed
    torch: Any = import_module("torch")
    lib = library(CUDA)
    with _installing:
        if _installed is not None:
            return
        if not torch.cuda.is_available():
            raise Error("there is no GPU that PyTorch can use; stowage.torch.arena serves tensors of the CPU")
        if torch.cuda.is_initialized():
            raise Error("the GPU is in use already: call stowage.torch.cuda before anything is put on it")
        if init(lib) < 0:
            raise Error("PyTorch has loaded neither CUDA's runtime nor HIP's")
        memory = torch.cuda.memory
        allocator = memory.CUDAPluggableAllocator(lib._name, "stowage_cuda_malloc", "stowage_cuda_free")
        # Without this function Tensor.record_stream would do nothing.
        inner = allocator.allocator()
        if hasattr(inner, "set_record_stream_fn"):
            inner.set_record_stream_fn(ctypes.cast(lib.stowage_cuda_record_stream, ctypes.c_void_p).value)
        memory.change_current_allocator(allocator)
        _installed = allocator


def init(lib: Any, path: Optional[str] = None) -> int:
    """Shows cuda.c the runtime: what the process has loaded for all, or a library that it has loaded."""
    if path is not None or lib.stowage_cuda_init(None) == 0:
        return int(lib.stowage_cuda_init(None if path is None else os.fsencode(path)))
    with contextlib.suppress(OSError), open("/proc/self/maps") as f:
        for line in f:
            library = line.rstrip("\n").partition("/")
            if ("libcudart" in library[2] or "libamdhip64" in library[2]) and lib.stowage_cuda_init(os.fsencode("/" + library[2])) == 0:
                return 0
    return -1


# python3 -m stowage.torch._cuda FILE compiles cuda.c into a file, for STOWAGE_TORCH_CUDA on another machine.
if __name__ == "__main__":
    print(build(CUDA, pathlib.Path(sys.argv[1]).resolve()))

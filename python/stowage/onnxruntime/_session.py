"""Sessions of ONNX Runtime over an arena: ort.cpp as the allocator of the process, and each run a step.

Idea: within a run ONNX Runtime has two planners of its own. One lets tensors of equal size take turns in one buffer, the
other (its memory pattern) packs a run into one block after the first. Both are switched off here, so that each
tensor is an allocation which the plan may place, and ends at its last use. Results that overwrite an operand are
kept, since that is a choice of operators.

Outputs belong to whoever called run, and live until the program drops them. In the usual loop that is in the next
run, after the next output was made. Such memory outlives its cycle, so the plan leaves it to malloc.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Optional, Union

from .._arena import arena as shared
from .._arena import build
from .._errors import Error
from .._units import Seconds

ORT = build.Adapter(
    "stowage.onnxruntime", pathlib.Path(__file__).resolve().with_name("ort.cpp"), (build.HERE / "slots.hpp",), lambda: ["-std=c++17"],
    "STOWAGE_ONNXRUNTIME", "another allocator for the CPU is registered in this process", measured=True,
)  # fmt: skip
OLDEST = (1, 18)  # allocators have Reserve from here on

_connecting = threading.Lock()
_connected: list[Any] = []


def _connect() -> Any:
    """Returns the adapter, which ONNX Runtime has shown its functions to."""
    onnxruntime: Any = import_module("onnxruntime")
    version = tuple(int(word) for word in onnxruntime.__version__.split(".")[:2] if word.isdigit())
    if version < OLDEST:
        raise Error(f"stowage.onnxruntime needs ONNX Runtime {'.'.join(map(str, OLDEST))} or later; this is {onnxruntime.__version__}")
    lib = shared.library(ORT)
    with _connecting:
        if not _connected:
            lib.stowage_ort_said.restype = ctypes.c_char_p
            onnxruntime.SessionOptions().register_custom_ops_library(lib._name)
            _connected.append(lib)
    return lib


class Arena(shared.Arena):
    """An arena for the runs of sessions; arena makes it. It is a context manager, to be entered for every run."""

    _model: Union[str, bytes, None] = None  # what the baseline is measured with
    _feeds: Optional[dict[str, Any]] = None

    def _measure(self, folder: str) -> list[str]:
        """Keeps the inputs of a run in a file, for the process that asks ONNX Runtime's own arena."""
        numpy: Any = import_module("numpy")
        feeds = self._feeds
        if self._model is None or not feeds or not all(isinstance(x, numpy.ndarray) and x.dtype.kind in "fiub" for x in feeds.values()):
            return []
        model, inputs = self._model, os.path.join(folder, "inputs.npz")
        if isinstance(model, bytes):
            path = os.path.join(folder, "model.onnx")
            pathlib.Path(path).write_bytes(model)
            model = path
        with open(inputs, "wb") as f:
            numpy.savez(f, **{f"i{k}": x for k, x in enumerate(feeds.values())})
        return [os.path.join(os.path.dirname(__file__), "_default.py"), self._lib._name, model, inputs, *feeds]


def arena(
    *, record: int = 2, plans: int = 8, wait: Optional[Seconds] = 10, timeout: Optional[Seconds] = None, every_thread: bool = False,
    guard: bool = False, poison: bool = False, file: Union[str, os.PathLike[str], None] = None,
) -> Arena:  # fmt: skip
    """Returns an arena for sessions that were made with options(), to be entered around every run, or around all runs
    that belong together. Its options are those of stowage.torch.arena. Its baseline is unknown; that of an
    InferenceSession is measured."""
    _connect()
    return shared.make(ORT, 0, record, plans, wait, timeout, every_thread, guard, poison, file, Arena)


def options(sess_options: Any = None) -> Any:
    """Returns options for sessions whose memory comes from arenas: new ones, or those that are given, changed."""
    _connect()
    if sess_options is None:
        sess_options = import_module("onnxruntime").SessionOptions()
    sess_options.add_session_config_entry("session.use_env_allocators", "1")
    sess_options.enable_mem_pattern = False
    sess_options.enable_mem_reuse = False
    return sess_options


_Session: Any = import_module("onnxruntime").InferenceSession


class InferenceSession(_Session):  # type: ignore[misc]
    """A session of ONNX Runtime whose runs allocate from an arena.

    It is used as onnxruntime.InferenceSession is. sess_options are changed by options(). The other options are those of
    arena. With baseline=True, another process loads the model once for each plan, and measures what ONNX Runtime's own
    arena takes for the same inputs; stats waits for it at most 10 s.

    One run at a time is served. A run that begins in another thread meanwhile gets its memory from malloc, as
    run_async does."""

    def __init__(
        self, path_or_bytes: Union[str, bytes, os.PathLike[str]], sess_options: Any = None, providers: Any = None, provider_options: Any = None, *,
        record: int = 2, plans: int = 8, wait: Optional[Seconds] = 10, timeout: Optional[Seconds] = None, guard: bool = False, poison: bool = False,
        file: Union[str, os.PathLike[str], None] = None, baseline: bool = True, **more: Any,
    ) -> None:  # fmt: skip
        self.arena = arena(record=record, plans=plans, wait=wait, timeout=timeout, guard=guard, poison=poison, file=file)
        """The arena of this session."""
        self._running = threading.Lock()
        super().__init__(path_or_bytes, options(sess_options), providers, provider_options, **more)
        if baseline:
            self.arena._model = path_or_bytes if isinstance(path_or_bytes, bytes) else os.fspath(path_or_bytes)

    @contextmanager
    def _step(self, feeds: Optional[dict[str, Any]]) -> Iterator[None]:
        """Makes a run a step of the arena, unless another run is one."""
        if not self._running.acquire(blocking=False):
            yield
            return
        try:
            self.arena._feeds = feeds
            with self.arena:
                yield
        finally:
            self.arena._feeds = None
            self._running.release()

    def run(self, output_names: Any, input_feed: Any, run_options: Any = None) -> Any:
        with self._step(input_feed):
            return super().run(output_names, input_feed, run_options)

    def run_with_ort_values(self, output_names: Any, input_dict_ort_values: Any, run_options: Any = None) -> Any:
        with self._step(None):
            return super().run_with_ort_values(output_names, input_dict_ort_values, run_options)

    def run_with_iobinding(self, iobinding: Any, run_options: Any = None) -> Any:
        with self._step(None):
            return super().run_with_iobinding(iobinding, run_options)

    def stats(self) -> shared.Stats:
        """Returns what the arena has done so far."""
        return self.arena.stats()

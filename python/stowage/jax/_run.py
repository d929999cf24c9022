"""A compiled function of JAX is planned anew, loaded and compared with what it was.

Idea: the public functions of JAX serialise and load; only the bytes between them are changed. Before the new function is
handed out, it has to have the heap that was planned, as XLA itself reports it, and the outputs of the old one.

Donated inputs are consumed by a run, so each run has inputs of its own. A program that does not repeat its own
outputs, as some with threads do, cannot be compared, which is told apart from outputs that are wrong.
"""

from __future__ import annotations

import dataclasses
from importlib import import_module
from typing import Any, Optional

from .._errors import Error, InputError
from .._units import Seconds, whole
from . import _rewrite
from ._thunks import VERSIONS, Refused


def rewrite(payload: bytes, *, timeout: Optional[Seconds] = 10) -> tuple[bytes, _rewrite.Report]:
    """Returns a payload of jax.experimental.serialize_executable with the heap planned anew, and a report.

    payload  the first value that serialize returns; the pickle is not run
    timeout  the time for planning, in seconds

    Nothing is run. The new payload has been read again, and it is proven that each step reads the same bytes of
    the same writes. If there is no better plan, the payload is returned as it was."""
    _version()
    return _rewrite.payload(bytes(payload), timeout)


def replan(
    compiled: Any, *, args: Optional[tuple[Any, ...]] = None, kwargs: Optional[dict[str, Any]] = None, runs: int = 3, seed: int = 0,
    timeout: Optional[Seconds] = 10, order: bool = False,
) -> tuple[Any, _rewrite.Report]:  # fmt: skip
    """Returns a compiled function with the heap planned anew, and a report.

    compiled      what jax.jit(f).lower(…).compile() returns, for one CPU
    args, kwargs  inputs to compare both functions on; random ones if not given
    runs          how often both are run and compared; 0 for never
    seed          of the random inputs
    timeout       the time for planning, in seconds
    order         compiled is what jax.jit(f).lower(…) returns. It is compiled in the usual order of the steps and in that of
                  XLA's scheduler for memory, both are planned, and the lower one is returned

    If there is no better plan, the function itself is returned."""
    runs, seed = whole("runs", runs, 0), whole("seed", seed, 0)
    _version()
    if order:
        return _ordered(compiled, args, kwargs, runs, seed, timeout)
    public = import_module("jax.experimental.serialize_executable")
    try:
        platforms = [d.platform for d in compiled.runtime_executable().local_devices()]
    except AttributeError:
        raise InputError(f"compiled is a {type(compiled).__name__}, not what jax.jit(f).lower(…).compile() returns") from None
    if platforms != ["cpu"]:
        raise Refused(f"the function runs on {platforms}, not on one CPU")
    payload, inputs, outputs = public.serialize(compiled)
    new, report = _rewrite.payload(payload, timeout)
    if new is payload:
        return compiled, report
    better = public.deserialize_and_load(new, inputs, outputs)
    has = better.memory_analysis().temp_size_in_bytes
    if has != report.after:
        raise Refused(f"XLA reports a heap of {has} bytes after the plan of {report.after} was loaded")
    for k in range(runs):
        _compare(compiled, better, _inputs(compiled, args, kwargs, seed + k), k)
    return better, dataclasses.replace(report, runs=runs)


def _ordered(lowered: Any, args: Any, kwargs: Any, runs: int, seed: int, timeout: Optional[Seconds]) -> tuple[Any, _rewrite.Report]:
    """Plans a function in the usual order of the steps and in that for memory, and returns the lower one."""
    if not hasattr(lowered, "compile"):
        raise InputError(f"compiled is a {type(lowered).__name__}: with order=True pass what jax.jit(f).lower(…) returns")
    usual = lowered.compile()
    better, report = replan(usual, args=args, kwargs=kwargs, runs=runs, seed=seed, timeout=timeout)
    if report.after <= report.floor:
        return better, report
    second, less = replan(lowered.compile(compiler_options=_rewrite.FOR_MEMORY), args=args, kwargs=kwargs, runs=0, seed=seed, timeout=timeout)
    if less.after >= report.after:
        return better, report
    for k in range(runs):
        _compare(usual, second, _inputs(usual, args, kwargs, seed + k), k)
    return second, dataclasses.replace(less, before=report.before, runs=runs, order="for memory")


def _inputs(compiled: Any, args: Any, kwargs: Any, seed: int) -> Any:
    if args is not None or kwargs is not None:
        return args or (), kwargs or {}
    return _random(compiled.args_info, compiled.in_tree, seed)


def _version() -> None:
    version = getattr(import_module("jaxlib"), "__version__", "unknown")
    if version not in VERSIONS:
        raise Refused(f"jaxlib {version} is not known to stowage.jax; it knows {', '.join(VERSIONS)}")


def _compare(old: Any, new: Any, given: Any, run: int) -> None:
    want, have = _outputs(old, given), _outputs(new, given)
    if want == have:
        return
    if _outputs(old, given) != want:
        raise Refused(f"run {run}: the function as XLA compiled it does not repeat its own outputs, so they cannot be compared")
    wrong = [k for k, (a, b) in enumerate(zip(want, have)) if a != b]
    raise Error(f"run {run}: {len(wrong)} of {len(want)} outputs differ, output {wrong[0]} first; the new function is not handed out")


def _outputs(function: Any, given: Any) -> list[bytes]:
    """Runs a function on copies of inputs and returns the bytes of its outputs."""
    jax, numpy = import_module("jax"), import_module("numpy")
    args, kwargs = jax.tree.map(lambda x: jax.numpy.array(x, copy=True), given)
    return [numpy.asarray(x).tobytes() for x in jax.tree.leaves(function(*args, **kwargs))]


def _random(info: Any, tree: Any, seed: int) -> Any:
    """Returns random inputs as a function wants them: (args, kwargs)."""
    jax, numpy = import_module("jax"), import_module("numpy")
    rng = numpy.random.default_rng(seed)

    def draw(x: Any) -> Any:
        try:
            dtype = numpy.dtype(x.dtype)
        except TypeError:
            raise InputError(f"an input has the type {x.dtype}, of which random values are not drawn: pass args, or runs=0") from None
        if dtype == bool:
            return rng.integers(0, 2, x.shape).astype(dtype)
        if jax.numpy.issubdtype(dtype, numpy.integer):
            return rng.integers(0, 8, x.shape).astype(dtype)
        out = rng.standard_normal(x.shape) * 0.1
        if jax.numpy.issubdtype(dtype, numpy.complexfloating):
            out = out + 0.1j * rng.standard_normal(x.shape)
        return out.astype(dtype)

    return jax.tree.unflatten(tree, [draw(x) for x in jax.tree.leaves(info)])

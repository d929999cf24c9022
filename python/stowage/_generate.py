"""Problems to try, as `stowage gen` makes them."""

from __future__ import annotations

from typing import Optional, SupportsIndex

from . import _command, _library, _units
from ._api import _problem_of, _seed
from ._problem import Problem
from ._units import Size


def generate(
    kind: str,
    *,
    buffers: Optional[SupportsIndex] = None,
    seed: SupportsIndex = 0,
    capacity: Optional[Size] = None,
    horizon: Optional[SupportsIndex] = None,
    min_size: Optional[Size] = None,
    max_size: Optional[Size] = None,
    min_life: Optional[SupportsIndex] = None,
    max_life: Optional[SupportsIndex] = None,
    alignment: Optional[Size] = None,
    gaps: float = 0.0,
    windows: float = 0.0,
    holes: float = 0.0,
) -> Problem:
    """Makes a problem, as `stowage gen` does: `stowage gen --list` has the kinds, the options
    that each kind takes, and their defaults.

    The same kind, options and seed make the same problem on every machine. The library makes
    it, without a process; if there is no library, the command does. A kind that there is not,
    and an option that the kind does not take, is an InputError."""
    asked: dict[str, object] = {"seed": _seed(seed)}
    for name, number in (("buffers", buffers), ("horizon", horizon), ("min_life", min_life), ("max_life", max_life)):
        if number is not None:
            asked[name.replace("_", "-")] = _units.whole(name, number, 1)
    for name, size in (("capacity", capacity), ("min_size", min_size), ("max_size", max_size), ("alignment", alignment)):
        if size is not None:
            asked[name.replace("_", "-")] = _units.size(name, size, 1)
    for name, share in (("gaps", gaps), ("windows", windows), ("holes", holes)):
        if share:
            asked[name] = share
    import json

    document = _library.document("generate", json.dumps({"kind": kind, **asked}).encode())
    if document is None:
        flags = [x for name, value in asked.items() for x in ("--" + name, str(value))]
        document = _command.run(["gen", "--format", "json", "--quiet", *flags, "--", kind])[1]
    return _problem_of(json.loads(document))

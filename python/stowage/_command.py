"""The command: for files, for pictures, and where the library cannot be used.

A process costs some milliseconds. It is its own, so a child of a fork, which the
library's threads are not in, has all of Stowage by it. What starts one is imported where
it is used: a third of the package's import would be for that.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Sequence
from typing import Any, Optional

from ._errors import Error, InputError

_KINDS = {1: "failed", 2: "refused the input"}


def command(name: Optional[str] = None) -> str:
    """Returns the path of the command: that of the name, else of the environment's
    STOWAGE, else the one that this package carries, else what PATH has."""
    import shutil

    for given, origin in ((name, "the command"), (os.environ.get("STOWAGE"), "the environment's STOWAGE")):
        if given:
            path = shutil.which(given)
            if path is None:
                raise Error(f"{origin} is {given!r}, which is no program that can be run")
            return path
    suffix = ".exe" if os.name == "nt" else ""
    own = os.path.join(os.path.dirname(__file__), "bin", "stowage" + suffix)
    path = own if os.access(own, os.X_OK) else shutil.which("stowage")
    if path is None:
        raise Error("there is no command stowage: neither in this package nor on PATH; the environment's STOWAGE may name it")
    return path


def capacity_of(path: str) -> int:
    """Returns the capacity that a problem of JSON has; 0 for none. What else is in the
    file, and whether it is right, is for the command to say."""
    import gzip

    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as f:
            capacity = json.load(f).get("capacity", 0)
    except (OSError, EOFError, ValueError, AttributeError):
        return 0
    return capacity if type(capacity) is int and capacity > 0 else 0


def run(arguments: Sequence[str], text: Optional[str] = None, accept: Sequence[int] = (0,)) -> tuple[int, str]:
    """Runs the command and returns its exit code, one of those accepted, and what it
    prints. Ctrl-C, which ends a search, is passed on once, and what the search has found
    is awaited."""
    import subprocess
    import tempfile

    program = command()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
        given.write((text or "").encode())
        given.seek(0)
        try:
            # A session of its own: the terminal's Ctrl-C would reach it a second time,
            # which kills it.
            process = subprocess.Popen([program, *arguments], stdin=given, stdout=out, stderr=err, start_new_session=os.name == "posix")
        except OSError as e:
            raise Error(f"{program} cannot be run: {e}") from e
        while True:
            try:
                code = process.wait()
                break
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
        out.seek(0)
        err.seek(0)
        printed, said = out.read().decode(), err.read().decode(errors="replace").strip()
    if code not in accept:
        if code == 2:
            said = re.sub(r"\nRun '.*' for usage\.$", "", said)
            raise InputError(said.removeprefix("stowage: ") or f"{program} says nothing")
        raise Error(f"{program} {_KINDS.get(code, f'ended with code {code}')}: {said or 'it says nothing'}")
    return code, printed


def solve(path: str, arguments: Sequence[str], text: Optional[str] = None) -> tuple[dict[str, Any], Optional[dict[str, Any]]]:
    """Plans a file, or text in its stead, and returns the figures of the run, and the
    problem with its plan where there is one."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        to = os.path.join(folder, "plan.json")
        _, stats = run(["solve", *arguments, "--quiet", "-o", to, "--stats", "-", "--", path], text, accept=(0, 3, 4))
        try:
            figures = json.loads(stats)
        except ValueError:
            raise Error(f"{command()} is no command of Stowage's: it prints {stats[:60]!r}") from None
        if not os.path.exists(to):
            return figures, None
        with open(to, encoding="utf-8") as f:
            return figures, json.load(f)

"""The command: for files, for pictures, and where the library cannot be used.

A process costs some milliseconds. It is its own, so a child of a fork, which the
library's threads are not in, has all of Stowage by it. What starts one is imported where
it is used, here and in the other modules: a third of the package's import would be for
that.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from typing import Any, Optional

from ._errors import Error, InputError, warn, worded
from ._progress import Progress

SLICE = 0.05  # seconds between looks at signals and progress
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


def run(
    arguments: Sequence[str], text: Optional[str] = None, accept: Sequence[int] = (0,), tell: Optional[Callable[[], Any]] = None,
    but: Sequence[str] = (),
) -> tuple[int, str]:
    """Runs the command and returns its exit code, one of those accepted, and what it
    prints. Ctrl-C, which ends a search, is passed on once, and what the search has found
    is awaited. tell is called as it runs; where it returns False the search ends as by
    Ctrl-C. What the command notes of a file becomes warnings, but for the tags in but."""
    import subprocess
    import tempfile

    program = command()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
        given.write((text or "").encode())
        given.seek(0)
        # A session of its own, a group on Windows: the terminal's Ctrl-C would reach it a
        # second time, which kills it.
        windows = os.name == "nt"
        apart: dict[str, Any] = {"creationflags": 0x200} if windows else {"start_new_session": True}
        interrupt: int = signal.CTRL_BREAK_EVENT if windows else signal.SIGINT  # type: ignore[attr-defined,unused-ignore]
        try:
            process = subprocess.Popen([program, *arguments], stdin=given, stdout=out, stderr=err, **apart)
        except OSError as e:
            raise Error(f"{program} cannot be run: {e}") from e
        except ValueError as e:  # NUL, which no argument can have
            raise InputError(f"{arguments[-1]!r}: {e}") from e
        # Windows answers no Ctrl-C in a wait without an end.
        pause = SLICE if windows or tell is not None else None
        told: Optional[BaseException] = None
        while True:
            try:
                code = process.wait(pause)
                break
            except subprocess.TimeoutExpired:
                if tell is None:
                    continue
                try:
                    if tell() is not False:
                        continue
                except BaseException as e:
                    told = e
                tell = None
            except KeyboardInterrupt:
                pass
            try:
                process.send_signal(interrupt)
            except OSError as e:  # Windows without a console
                process.kill()
                process.wait()
                raise told or Error(f"the search was ended without its plan: it cannot be told to stop ({e})") from e
        if told is not None and not (isinstance(told, KeyboardInterrupt) and code in accept):
            raise told
        out.seek(0)
        err.seek(0)
        printed, said = out.read().decode(), err.read().decode(errors="replace").strip()
    if code not in accept:
        if code == 2:
            import re

            said = re.sub(r"\nRun '.*' for usage\.$", "", said)
            raise InputError(worded(said.removeprefix("stowage: ")) or f"{program} says nothing")
        raise Error(f"{program} {_KINDS.get(code, f'ended with code {code}')}: {said or 'it says nothing'}")
    if text is None:  # of a text the problem is one of Python's, and has been looked at
        _heed(said, but)
    return code, printed


def _heed(said: str, but: Sequence[str]) -> None:
    """Makes warnings of notes and warnings, such as "x.csv: note: … [extra-columns]"."""
    if "note: " in said or "warning: " in said:
        import re

        for m in re.finditer(r"^(.*?: )(?:note|warning): (.* \[([a-z-]+)\])$", said, re.MULTILINE):
            if m[3] not in but:
                warn(worded(m[1] + m[2]))


def solve(
    path: str, arguments: Sequence[str], text: Optional[str] = None, progress: Optional[Callable[[Progress], Any]] = None,
    but: Sequence[str] = (),
) -> tuple[dict[str, Any], Optional[dict[str, Any]]]:
    """Plans a file, or text in its stead, and returns the figures of the run, and the
    problem with its plan where there is one."""
    import json
    import tempfile

    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        to, lines, tell = os.path.join(folder, "plan.json"), os.path.join(folder, "progress"), None
        if progress is not None:
            tell = _teller(lines, progress)
            arguments = [*arguments, "--progress", lines]
        _, stats = run(["solve", *arguments, "-o", to, "--stats", "-", "--", path], text, (0, 3, 4), tell, but)
        if tell is not None and not tell.ended:
            tell()
        try:
            figures = json.loads(stats)
        except ValueError:
            raise Error(f"{command()} is no command of Stowage's: it prints {stats[:60]!r}") from None
        if not os.path.exists(to):
            return figures, None
        with open(to, encoding="utf-8") as f:
            return figures, json.load(f)


class _teller:
    """Tells of what the command writes of its progress into a file."""

    def __init__(self, path: str, progress: Callable[[Progress], Any]) -> None:
        self.path, self.progress, self.at, self.ended = path, progress, 0, False
        self.latest = Progress(0, 0, 0, 0.0)

    def __call__(self) -> Any:
        try:
            with open(self.path, "rb") as f:
                f.seek(self.at)
                came, line, _ = f.read().rpartition(b"\n")
        except FileNotFoundError:  # the command begins
            came = line = b""
        if line:
            import json

            self.at += len(came) + 1
            figures = json.loads(came.rpartition(b"\n")[2])
            self.latest = Progress(figures["height"], figures["lower_bound"], figures["nodes"], figures["seconds"])
        goes_on = False
        try:
            goes_on = self.progress(self.latest)
        finally:
            self.ended = goes_on is False
        return goes_on

"""The command: it reads files, draws pictures, and plans if the library cannot be used.

A call starts a process, which costs some milliseconds. It works in the child of a fork
too, where the library does not. Modules that only some calls need are imported inside
functions, here and in the rest of the package: they would make up a third of the time
that the import of the package takes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from typing import Any, Optional

from ._errors import Error, InputError, InputWarning, warn, worded
from ._progress import Progress
from ._times import EndsWarning, TimesWarning

SLICE = 0.05  # seconds between looks at signals and progress
WHEEL = "the wheel has it: pip install stowage"
_WARNINGS = {"ends": EndsWarning, "times": TimesWarning}
_KINDS = {1: "failed", 2: "refused the input"}


def command(name: Optional[str] = None) -> str:
    """Returns the path of the command. It is looked for in this order: the name that is
    given, the environment variable STOWAGE, this package, PATH."""
    import shutil

    for given, origin in ((name, "the command"), (os.environ.get("STOWAGE"), "the environment variable STOWAGE")):
        if given:
            path = shutil.which(given)
            if path is None:
                raise Error(f"{origin} is {given!r}, which is no program that can be run")
            return path
    suffix = ".exe" if os.name == "nt" else ""
    own = os.path.join(os.path.dirname(__file__), "bin", "stowage" + suffix)
    path = own if os.access(own, os.X_OK) else shutil.which("stowage")
    if path is None:
        raise Absent(f"there is no command stowage: neither in this package nor on PATH; the environment variable STOWAGE may name it; {WHEEL}")
    return path


class Absent(Error):
    """There is no command."""


def absent() -> bool:
    """Returns whether there is no command."""
    try:
        command()
    except Absent:
        return True
    return False


def run(
    arguments: Sequence[str], text: Optional[str] = None, accept: Sequence[int] = (0,), tell: Optional[Callable[[], Any]] = None,
    but: Sequence[str] = (), tags: Optional[set[str]] = None, listens: Optional[Callable[[], bool]] = None,
) -> tuple[int, str]:
    """Runs the command and returns its exit code, which is one of those accepted, and its
    standard output. Ctrl-C is passed on to the command, which then ends its search and
    prints the best plan so far. tell is called again and again while the command runs; if
    it returns False, the search ends as by Ctrl-C. listens says if the command has begun its
    search: an interrupt before that would kill it, so the command is told then. Notes of the
    command become warnings, except those with a tag in but. The tags of all notes are added to tags."""
    import subprocess
    import tempfile

    program = command()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
        given.write((text or "").encode())
        given.seek(0)
        # The process gets a session of its own (on Windows a group). Otherwise Ctrl-C in a
        # terminal would reach it twice, and the second one kills it.
        windows = os.name == "nt"
        apart: dict[str, Any] = {"creationflags": 0x200} if windows else {"start_new_session": True}
        interrupt: int = signal.CTRL_BREAK_EVENT if windows else signal.SIGINT  # type: ignore[attr-defined,unused-ignore]
        try:
            process = subprocess.Popen([program, *arguments], stdin=given, stdout=out, stderr=err, **apart)
        except OSError as e:
            raise Error(f"{program} cannot be run: {e}") from e
        except ValueError as e:  # NUL, which no argument can have
            raise InputError(f"{arguments[-1]!r}: {e}") from e
        # On Windows a wait without a limit cannot be interrupted.
        pause = SLICE if windows or tell is not None else None
        told: Optional[BaseException] = None
        stop = pressed = False
        while True:
            try:
                code = process.wait(pause)
                break
            except subprocess.TimeoutExpired:
                if tell is not None and not stop:
                    try:
                        stop = tell() is False
                    except BaseException as e:
                        told, stop = e, True
            except KeyboardInterrupt:
                if stop:  # asked for twice: at once
                    listens = None
                stop = pressed = True
            if not stop or listens is not None and not listens():
                continue
            stop, tell = False, None
            try:
                process.send_signal(interrupt)
            except OSError as e:  # Windows without a console
                process.kill()
                process.wait()
                raise told or Error(f"the search was ended without its plan: it cannot be told to stop ({e})") from e
        out.seek(0)
        err.seek(0)
        printed, said = out.read().decode(), err.read().decode(errors="replace").strip()
        if told is None and pressed and code not in (*accept, *_KINDS):
            told = KeyboardInterrupt()  # it came before the search
        if told is not None and code not in accept:
            raise told from Error(f"{program} ended with code {code}: {said or 'it says nothing'}")
        if told is not None and not isinstance(told, KeyboardInterrupt):
            raise told
    if code not in accept:
        if code == 2:
            import re

            said = re.sub(r"\nRun '.*' for usage\.$", "", said)
            raise InputError(worded(said.removeprefix("stowage: ")) or f"{program} says nothing")
        raise Error(f"{program} {_KINDS.get(code, f'ended with code {code}')}: {said or 'it says nothing'}")
    if text is None:  # a problem that comes as a text has been checked already
        _heed(said, but, tags)
    return code, printed


def _heed(said: str, but: Sequence[str], tags: Optional[set[str]]) -> None:
    """Turns notes and warnings of the command into warnings of Python. They have the form
    "x.csv: note: … [extra-columns]"."""
    if "note: " in said or "warning: " in said:
        import re

        for m in re.finditer(r"^(.*?: )(?:note|warning): (.* \[([a-z-]+)\])$", said, re.MULTILINE):
            if tags is not None:
                tags.add(m[3])
            if m[3] not in but:
                warn(worded(m[1] + m[2]), _WARNINGS.get(m[3], InputWarning))


def solve(
    path: str, arguments: Sequence[str], text: Optional[str] = None, progress: Optional[Callable[[Progress], object]] = None,
    but: Sequence[str] = (), tags: Optional[set[str]] = None,
) -> tuple[dict[str, Any], Optional[dict[str, Any]]]:
    """Plans a file, or a text instead of one. Returns the figures of the run and, if there
    is a plan, the problem with its plan."""
    import json
    import tempfile

    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        to, lines, tell, listens = os.path.join(folder, "plan.json"), os.path.join(folder, "progress"), None, None
        if progress is not None:
            tell, listens = _teller(lines, progress), lambda: os.path.exists(lines)
            arguments = [*arguments, "--progress", lines]
        _, stats = run(["solve", *arguments, "-o", to, "--stats", "-", "--", path], text, (0, 3, 4), tell, but, tags, listens)
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


def file(arguments: Sequence[str], text: str, name: str) -> bytes:
    """Runs the command to write a file of that name, and returns the content."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        path = os.path.join(folder, name)
        try:
            run([*arguments, "-o", path, "-"], text)
        except InputError as err:
            raise InputError(str(err).replace(path, name)) from None
        with open(path, "rb") as f:
            return f.read()


class _teller:
    """Calls a progress callback with the lines that the command writes into a file."""

    def __init__(self, path: str, progress: Callable[[Progress], object]) -> None:
        self.path, self.progress, self.at, self.ended = path, progress, 0, False
        self.latest = Progress(0, 0, 0, 0.0)

    def __call__(self) -> object:
        try:
            with open(self.path, "rb") as f:
                f.seek(self.at)
                came, line, _ = f.read().rpartition(b"\n")
        except FileNotFoundError:  # the command has not begun to write
            came = line = b""
        if line:
            import json

            self.at += len(came) + 1
            figures = json.loads(came.rpartition(b"\n")[2])
            self.latest = Progress(figures["height"], figures["lower_bound"], figures["nodes"], figures["seconds"])
        goes_on: object = False
        try:
            goes_on = self.progress(self.latest)
        finally:
            self.ended = goes_on is False
        return goes_on

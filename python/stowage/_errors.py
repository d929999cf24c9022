"""Exceptions and warnings of the package."""

import errno
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable
from typing import Union


def shown(text: str) -> str:
    """Returns a text for people. Names come from outside: a control character in one could colour a terminal, and one
    that changes the direction of writing makes a line read as another one. Such characters are shown as \\x1b and
    \\u202e; line feeds and tabs stay. Package internal/shown of the command does the same. Names in data stay as they
    are."""
    if text.isprintable():
        return text
    import re

    def written(m: "re.Match[str]") -> str:
        code = ord(m[0])
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return re.sub(_HIDDEN, written, text)


# Controls, changes of direction, separators of lines, marks without width, and tags.
_HIDDEN = (
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


class Error(RuntimeError):
    """Stowage cannot run or has failed, or the planner does not take the problem."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shown(x) if isinstance(x, str) else x for x in args))


class InputError(Error, ValueError):
    """The problem, an option or a file is bad. The text lists all faults."""


class NoPlanError(Error):
    """A session found no plan to begin with. status is "infeasible" if no plan exists, and "unknown" if a limit came
    first."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text)
        self.status = status

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.status, str(self))


# The errors about files are InputErrors. Each is also the error that Python itself raises.
class MissingFileError(FileNotFoundError, InputError):
    """There is no such file. It is an InputError and a FileNotFoundError."""


class UnreadableFileError(PermissionError, InputError):
    """The file may not be read. It is an InputError and a PermissionError."""


class FolderError(IsADirectoryError, InputError):
    """The path leads to a folder. It is an InputError and an IsADirectoryError."""


class OutputError(OSError, Error):
    """An output cannot be written. It is an Error and an OSError."""


class InputWarning(UserWarning):
    """The input may not mean what its author wanted: columns without a meaning, a plan that
    leaves nothing to plan, a part of a model or of a dump that is left out."""


def readable(path: str) -> str:
    """Returns the path of a file that can be read. The form of the path is neither that of an
    option nor that of standard input."""
    try:
        mode = os.stat(path).st_mode
    except ValueError as err:  # a null byte
        raise InputError(f"{path!r}: {err}") from None
    except FileNotFoundError:
        raise MissingFileError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
    except OSError as err:
        raise (UnreadableFileError if isinstance(err, PermissionError) else MissingFileError)(err.errno, err.strerror, path) from None
    if stat.S_ISDIR(mode):
        raise FolderError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.access(path, os.R_OK):
        raise UnreadableFileError(errno.EACCES, os.strerror(errno.EACCES), path)
    return os.path.join(".", path) if path == "-" else path


def warn(text: str, kind: type[InputWarning] = InputWarning) -> None:
    """Gives a warning whose place is the code that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(os.path.dirname(__file__)):
        level, frame = level + 1, frame.f_back
    warnings.warn(shown(text), kind, stacklevel=level)


def _dict(keyword: str, key: str, value: str) -> str:
    return f'{keyword}={{"{key}": {value}}}'


# Flags in the messages of the command, and the keywords that stand for them here.
_KEYWORDS: tuple[tuple[str, Union[str, Callable[[re.Match[str]], str]]], ...] = (
    (r"--ignore-offsets\b", "ignore_offsets=True"),
    (r"--start (.+?)(?= improves)", r'start="\1"'),
    (r"--dim '(.+?)=([0-9]+)'(?=[ ,;\n]|$)", lambda m: _dict("dims", m[1].replace("'\\''", "'"), m[2])),
    (r"--dim ([^=\s']+)=([0-9]+)", r'dims={"\1": \2}'),
    (r"--value ([^=\s]+)=([0-9]+)", r'values={"\1": \2}'),
    (r"--shape '?([^=\s]+)=([^\s',;]+)'?", r'shapes={"\1": "\2"}'),
    (r"\} (dims|values|shapes)=\{", ", "),  # several flags are one dict
    (r"\(--size\)", "(sizes)"),
    (r"\(--dim\)", "(dims)"),
    (r"--heap takes another", 'heap="NAME" takes another'),
    (r"--ends (inclusive|half-open)", r'ends="\1"'),
)


def worded(text: str) -> str:
    """Returns a message of the command with keywords of this package for its flags."""
    if "--" in text:
        for flag, keyword in _KEYWORDS:
            text = re.sub(flag, keyword, text)
    return text

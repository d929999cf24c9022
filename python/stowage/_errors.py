"""What can be wrong, and what one should know."""

import os
import sys
import warnings


class Error(RuntimeError):
    """Stowage is not there, failed, or a planner does not take the problem."""


class InputError(Error, ValueError):
    """The problem, an option or a file is bad. The text lists all that is wrong."""


class InputWarning(UserWarning):
    """What was read may not be what was meant: columns that mean nothing here, a plan that
    leaves nothing to plan, what a model or a dump leaves out."""


def warn(text: str) -> None:
    """Warns whoever called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(os.path.dirname(__file__)):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, InputWarning, stacklevel=level)


# What the command says of flags, as keywords.
_KEYWORDS = (
    (r"--ignore-offsets\b", "ignore_offsets=True"),
    (r"--start (.+?)(?= improves)", r'start="\1"'),
    (r"--dim ([^=\s]+)=(\d+)", r'dims={"\1": \2}'),
    (r"\(--size\)", "(sizes)"),
    (r"--heap takes another", 'heap="NAME" takes another'),
)


def worded(text: str) -> str:
    """Returns what the command says in the words of this package."""
    if "--" in text:
        import re

        for flag, keyword in _KEYWORDS:
            text = re.sub(flag, keyword, text)
    return text

"""Plans of an arena as texts, and the file that keeps them from run to run.

Idea: a plan names all that its step asks for, so a digest of that tells whose plan it is. After a run's planning the file has
the new plans, and those of before that served a step or were not there yet when this run began, unless a new one serves the same
steps. So the plans of a program that has changed go as soon as the changed one is planned, and new shapes are added.

Processes that share a file take turns (flock on the file itself, which is looked at again once it is locked, since others
replace it). The new file is written under a name of its own beside it and moved, so a program that is killed at any time leaves a whole file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .._errors import warn

HEAD = b"stowage-arena-plan 1\n"
MOST, SUM = 16, 16 << 20  # plans of a file, and their bytes


class Plan(NamedTuple):
    """A plan, as far as it is compared."""

    text: bytes
    asks: bytes
    """A digest of its step's name and of all that the step asks for, but for sizes, and of what the plan leaves to the usual allocator."""
    sizes: tuple[int, ...]

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.asks + repr(self.sizes).encode()).digest()

    def serves(self, other: Plan) -> bool:
        """Whether it serves all that another plan does."""
        return self.asks == other.asks and all(x >= y for x, y in zip(self.sizes, other.sizes))


def split(text: bytes) -> list[Plan]:
    """Returns the plans of a text. Whether they are valid is not checked: the arena does."""
    found = []
    for part in text.split(HEAD)[1:]:
        asks, sizes = hashlib.sha256(), []
        for line in part.splitlines():
            word = line.split()
            if word[:1] == [b"p"] and len(word) == 7:
                sizes.append(int(word[1]))
                asks.update(b" ".join([*word[2:4], b"kept" if word[4] == b"-" else b""]))
            elif word[:1] in ([b"name"], [b"lane"]):
                asks.update(line)
        found.append(Plan(HEAD + part, asks.digest(), tuple(sizes)))
    return found


def join(plans: Iterable[Plan]) -> bytes:
    return b"".join(plan.text for plan in plans)


def merge(new: list[Plan], old: Iterable[Plan]) -> list[Plan]:
    """Returns new plans and those of the old ones that serve what no new one does, within the budget. The last of the old ones go first."""
    found, total = list(new), sum(len(plan.text) for plan in new)
    for plan in old:
        total += len(plan.text)
        if len(found) >= MOST or total > SUM:
            break
        if not any(other.serves(plan) for other in found):
            found.append(plan)
    return found


def read(path: str) -> bytes:
    """Returns what is in a file; nothing if there is none."""
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return b""
    except OSError as err:
        warn(f"{path}: the plans cannot be read: {err.strerror}")
        return b""


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Holds a file, which is there afterwards."""
    import fcntl

    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), os.stat(path)):
                    yield
                    return
        finally:
            os.close(file)


def keep(path: str, new: list[Plan], useless: set[bytes]) -> None:
    """Puts new plans into a file, and takes out those that are useless. If that fails, the program goes on."""
    beside = ""
    try:
        with _locked(path):
            old = [plan for plan in split(read(path)) if plan.digest not in useless]
            text = join(merge(new, old))
            file, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".", suffix=".new", dir=os.path.dirname(path) or ".")
            with open(file, "wb") as f:
                f.write(text)
            with contextlib.suppress(OSError):
                os.chmod(beside, os.stat(path).st_mode & 0o777)
            os.replace(beside, path)
    except OSError as err:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        warn(f"{path}: the plan cannot be kept: {err.strerror}")

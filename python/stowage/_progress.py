"""What a search that runs tells of itself."""

from __future__ import annotations

from typing import NamedTuple


class Progress(NamedTuple):
    """A look at a search that runs."""

    height: int  #: of the lowest plan so far; 0 for none
    lower_bound: int  #: proven: no plan is lower
    nodes: int  #: searched so far
    seconds: float  #: since the start
